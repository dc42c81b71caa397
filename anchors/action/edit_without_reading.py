"""The first change of an existing file, made without having seen its content.

Not this: new files; files that the agent wrote itself; content that a search, a diff, a message or another tool had shown.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tracedance.kit import commands, files, hits, paths, requests, seeing
from tracedance.kit.needs import among
from tracedance.kit.outputs import shown as shown_text
from tracedance.kit.replacing import new_texts, old_texts, telling_lines
from tracedance.kit.texts import finder
from tracedance.schema import Hit, Session, ToolCall

_BY_SHELL = r"(?s)\bsed\b.*-i|\bperl\b.*-\w*i|>|\btee\b|\bcp\b|\bmv\b|apply_patch"
NEEDS = among("tool_class", "edit", "write") | commands.pattern(_BY_SHELL)

_changes_by_shell = finder(_BY_SHELL)
_UPDATED = re.compile(
    r"\bhas been updated\b|\bupdated successfully\b|\boverw(?:rote|ritten)\b|\balready exists\b|\bUpdated the following files\b|^M ", re.M
)
_OUTSIDE = re.compile(r"\b(?:ls|dir|tree|exa|eza)(?:\s+-\S+)*\s+(?:\.\./|~/|/)")
"""A listing of another folder: a bare name in it says nothing of this one."""
_PASSAGE = 60
_CREATED = re.compile(r"\bcreated\b", re.IGNORECASE)
_MEANT_FOR_EXISTING = ("edit_not_read", "edit_stale", "edit_not_found", "edit_not_unique")
_REPLACES = re.compile(
    r"\b(?:overwrite|replace\s+(?:the\s+)?(?:whole|entire|complete|full|contents?|file)|start\s+(?:over|from\s+scratch)|from\s+scratch|rewrite\s+(?:it|the\s+\w+)"
    r"|replace\s+(?:all|everything|the\s+lot)\b|whatever\s+(?:is|was|stands)\s+(?:in|there)|(?:no\s+matter|regardless\s+of)\s+what|ersetze\s+alles"
    r"|paste\s+(?:this|the\s+following)|put\s+(?:this|the\s+following)\s+in(?:to)?|write\s+(?:this|the\s+following)\s+(?:in)?to|überschreib\w*|remplace\w*)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Change:
    """The first change of a file in the context."""

    call: ToolCall
    path: str
    whole: bool
    """Whether it replaces all of the content."""


def edit_without_reading(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
    """Each turn that first changes an existing file is an opportunity; it offends when that file's content had not been seen."""
    touched: defaultdict[str, list[str]] = defaultdict(list)
    for turn in session.turns:
        fresh: list[Change] = []
        for call in turn.calls:
            for change in _changes(call):
                earlier = touched[paths.name(change.path)]
                if not any(paths.same(change.path, path) for path in earlier):
                    fresh.append(change)
                earlier.append(change.path)
        existing = [change for change in fresh if _existed(session, change)]
        if existing and hits.decides(turn):
            yield _weighed(session, turn.index, existing, float(params["min_read_fraction"]))


def supplied_by_user(session: Session, hit: Hit) -> bool:
    """The user gave the content, or asked for the file to be replaced as a whole."""
    path = str(hit.facts.get("path", ""))
    name = paths.name(path)
    whole = [text.strip() for call in session.turns[hit.decision].calls if call.tool_class == "write" for text in new_texts(call, path)]
    for turn in requests.said(session, session.context_start(hit.decision), hit.decision):
        text = requests.words(turn)
        dictated = any(each and each in text for each in whole)
        if name in text and (dictated or _REPLACES.search(text) or text.count("\n") >= 5 or _quotes_file(text, name)):
            return True
    return False


_quotes = finder(r"(?i)\b(?:this|here|that)\s+(?:is|are|['’]s)|\s(?:reads|says|contains|holds|consists\s)")
"""A necessary condition of what follows."""


def _quotes_file(text: str, name: str) -> bool:
    """Whether a message quotes what the file holds: "this is notes.md: '...'", "notes.md reads '...'"."""
    if not _quotes(text):
        return False
    quoted = r"[\"'`“«].{3,}"
    led = rf"\b(?:this|here|that)\s+(?:is|are|['’]s)\b[^\n:]{{0,60}}{re.escape(name)}[^\n:]{{0,40}}:\s*{quoted}"
    told = rf"{re.escape(name)}[`\"']?\s+(?:\w+\s+){{0,2}}(?:reads|says|contains|holds|consists\s+of)\b[^\n\"'`“«]{{0,40}}{quoted}"
    return re.search(f"{led}|{told}", text, re.IGNORECASE | re.DOTALL) is not None


def shown_without_record(session: Session, hit: Hit) -> bool:
    """A file that harnesses show the model without recording it: instructions, memories, files mentioned with @."""
    path = str(hit.facts.get("path", ""))
    if paths.is_instructions(path):
        return True
    name = paths.name(path)
    turns = session.turns[session.context_start(hit.decision) : hit.decision]
    said = [text for turn in turns if turn.role == "user" and "@" in turn.text and name in (text := requests.words(turn))]
    return any(re.search(rf"@[\w./~-]*{re.escape(name)}\b", text) for text in said)


def recording_starts_midway(session: Session, hit: Hit) -> bool:
    """The recording begins in the middle of the work, so that a read may be missing from it; a rejection as never read stands.

    Work on a file that a person named later, in an order of its own, began within the recording.
    """
    if hit.facts.get("error_class") == "edit_not_read":
        return False
    if session.parent:
        return True
    first = next((turn for turn in session.turns if turn.role == "assistant" or turn.author == "user"), None)
    if first is not None and first.role != "assistant" and not requests.is_bare_go_on(first.text):
        return False
    name = paths.name(str(hit.facts.get("path", "")))
    return not any(bool(name) and name in turn.text for turn in requests.said(session, 0, hit.decision))


def text_known_from_elsewhere(session: Session, hit: Hit) -> bool:
    """The edit was applied to a passage too long to have been guessed: it was known from what the record does not hold."""
    path = str(hit.facts.get("path", ""))
    for call in session.turns[hit.decision].calls:
        applied = call.tool_class == "edit" and call.result is not None and call.result.status == "ok"
        if applied and any(change.path == path for change in _changes(call)):
            return sum(len(line) for line in telling_lines(old_texts(call, path))) >= _PASSAGE
    return False


def made_by_tool(session: Session, hit: Hit) -> bool:
    """A program that the agent ran in this session said that it made the file."""
    name = paths.name(str(hit.facts.get("path", "")))
    for call in files.reversed_calls(session, 0, hit.decision):
        text = shown_text(call.result) if call.tool_class == "shell" else ""
        if name in text and re.search(
            rf"(?:creat|generat|wrote|written|scaffold|initiali[sz]|add)\w*\b[^\n]{{0,80}}{re.escape(name)}", text, re.I
        ):
            return True
    return False


def _changes(call: ToolCall) -> list[Change]:
    if call.tool_class == "shell" and not _changes_by_shell(call.cmd):
        return []
    if call.tool_class not in ("shell", "edit", "write"):
        return []
    result = call.result
    if result is None or result.status not in ("ok", "error"):
        return []
    made = [touch for touch in files.touches(call) if touch.deed in ("edit", "write") and paths.is_literal(touch.path)]
    return [Change(call, touch.path, touch.deed == "write") for touch in made if not paths.is_temporary(touch.path)]


def _existed(session: Session, change: Change) -> bool:
    """Whether the file is known to have had content before the call."""
    call, result = change.call, change.call.result
    if result is None:
        return False
    if result.status == "error":
        return result.error_class in _MEANT_FOR_EXISTING
    if call.tool_class == "edit":
        if change.whole:  # A patch that "adds" a file which is there replaces it; its answer tells.
            return any(line.startswith("M ") and paths.same(line[2:], change.path) for line in shown_text(result).split("\n"))
        return bool(old_texts(call, change.path)) or "\n" in call.cmd
    if call.tool_class == "write":
        answer = shown_text(result)[:500]
        return _UPDATED.search(answer) is not None or (_CREATED.search(answer) is None and _listed(session, change))
    return not change.whole or _listed(session, change)


def _listed(session: Session, change: Change) -> bool:
    """Whether a look, listing or search before the call named the file."""
    for call in files.reversed_calls(session, 0, change.call.turn):
        if call.result is None or call.result.status != "ok":
            continue
        if any(touch.meets(change.path) and touch.deed in ("look", "search") for touch in files.touches(call)):
            return True
        if call.tool_class in ("search", "shell") and _names(shown_text(call.result)[:50_000], call, change.path, session.cwd):
            return True
    return False


def _names(listing: str, call: ToolCall, path: str, cwd: str) -> bool:
    """Whether a listing has a line for this very file: its name, and its folder in the line, in the call or as the session's own."""
    name, folder = paths.name(path), paths.name(paths.plain(path).rpartition("/")[0])
    if name not in listing:
        return False
    here = (not folder and not _OUTSIDE.search(call.cmd)) or (folder != "" and (folder == paths.name(cwd) or folder in call.arguments_json))
    lines = (line.strip() for line in listing.split("\n"))
    return any(line.endswith(name) and (here or f"{folder}/" in line) for line in lines)


def _weighed(session: Session, decision: int, existing: list[Change], fraction: float) -> Hit:
    blind = [change for change in existing if _is_blind(session, change, decision, fraction)]
    change = (blind or existing)[0]
    result = change.call.result
    deed = "replaces" if change.whole else "edits"
    seen = seeing.shown(session, change.path, decision, old_texts(change.call, change.path)) if not blind else None
    name = paths.name(change.path)
    return hits.hit(
        decision=decision,
        evidence=[seen] if seen is not None else [],
        offends=bool(blind),
        why=f"{deed} {name!r}, whose content it had not seen" if blind else f"{deed} {name!r} after seeing it",
        facts={
            "path": change.path,
            "paths": sorted({each.path for each in (blind or existing)}),
            "whole": change.whole,
            "error_class": (result.error_class or "") if result is not None else "",
        },
    )


def _is_blind(session: Session, change: Change, decision: int, fraction: float) -> bool:
    result = change.call.result
    if result is not None and result.error_class == "edit_stale":
        return False  # "Modified since read": the tool attests a read.
    olds = old_texts(change.call, change.path) if not change.whole else []
    if seeing.shown(session, change.path, decision, olds) is None:
        return True
    return change.whole and seeing.share_read(session, change.path, decision) < fraction
