"""Whether a file's content had been shown to the model, by whatever means."""

import re
from collections.abc import Sequence

from tracedance.kit import commands, files, git, paths
from tracedance.kit.outputs import shown as shown_text
from tracedance.kit.replacing import shares_line, telling_lines
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.schema import Session, ToolCall, Turn

_PASSING = frozenset(("cat", "sed", "head", "tail", "nl", "bat", "awk", "less", "more"))
"""Programs that print a file's content where they are given one, and pass on what they are fed otherwise."""
_CONTENT = _PASSING | {"grep", "egrep", "rg", "ag", "ack"}


def shown(session: Session, path: str, before: int, texts: Sequence[str] = ()) -> int | None:
    """The turn in which the content of `path` (where given, text of `texts`) last came before the model, None where it never did.

    Own changes count from the start of the session, everything else from where the model's context starts. A script that names the
    file counts: it may have printed it.
    """
    start = session.context_start(before)
    for call in files.reversed_calls(session, 0, before):
        ran = call.result is not None and call.result.status in ("ok", "error") and call.result.turn < before
        if ran and (_by_call(call, path, in_context=call.turn >= start) or (call.turn >= start and _shows_by_name(call, path, texts))):
            return call.turn
    for turn in reversed(session.turns[start:before]):
        if _in_messages(turn.text, path, texts, written_by_model=turn.role == "assistant"):
            return turn.index
        if texts and any(_may_show(call, path) and shares_line(texts, shown_text(call.result)) for call in _answered(session, turn)):
            return turn.index
    return None


def _answered(session: Session, turn: Turn) -> list[ToolCall]:
    """The calls whose results a tool's turn holds."""
    if not turn.results:
        return []
    before = session.turns[max(0, turn.index - 12) : turn.index]
    return [call for each in before for call in each.calls if call.result is not None and call.result.turn == turn.index]


def _may_show(call: ToolCall, path: str) -> bool:
    """Whether a result may be of this file: not where the call looks into other files that it names; equal lines stand in many files."""
    if call.tool_class not in ("read", "shell"):
        return True
    looked = files.touches(call)
    return not looked or any(touch.deed != "look" or touch.meets(path) for touch in looked)


def _by_call(call: ToolCall, path: str, in_context: bool) -> bool:
    succeeded = call.result is not None and call.result.status == "ok"
    for touch in files.touches(call):
        if not touch.meets(path) and not (touch.deed == "search" and paths.within(path, touch.path)):
            continue
        if touch.deed in ("edit", "write", "append") and files.took_effect(call):
            return True
        if in_context and touch.deed in ("look", "script") and files.took_effect(call):
            return True
        if in_context and succeeded and touch.deed == "search" and call.tool_class == "shell" and touch.meets(path):
            return bool(shown_text(call.result).strip())
    return False


def _shows_by_name(call: ToolCall, path: str, texts: Sequence[str]) -> bool:
    """Results that show content of files which the call does not name: searches, diffs, sub-agents' reports.

    A search that shows other lines of the file than those that are changed shows nothing of them.
    """
    if call.result is None or call.result.status != "ok" or call.tool_class not in ("search", "shell", "subagent", "job", "api", "read"):
        return False
    if call.tool_class == "search" and not _is_content_search(call, path):
        return False
    if call.tool_class == "shell" and not any(_prints_content(command) for command in parse(call.cmd)):
        return False
    text = shown_text(call.result)
    in_file = call.tool_class == "search" and paths.same(str(call.arguments.get("path", "")), path) and bool(text.strip())
    telling = list(telling_lines(texts)) if call.tool_class == "search" else []
    return (paths.name(path) in text or in_file) and (not telling or any(line in text for line in telling))


def _is_content_search(call: ToolCall, path: str) -> bool:
    """Whether a search tool's result shows lines and not only names."""
    if re.search(r"glob|list|^ls$|^find", call.name, re.IGNORECASE):
        return False
    mode = call.arguments.get("output_mode")
    text = shown_text(call.result)
    return mode == "content" if mode is not None else f"{paths.name(path)}:" in text


def _prints_content(command: SimpleCommand) -> bool:
    verb, _ = git.verb(command)
    if verb in ("diff", "show", "log", "blame", "grep"):
        return not git.is_summary(command) or verb == "grep"
    if not commands.shows_output(command) or commands.names_files_only(command):
        return False
    if command.program in ("find", "fd", "xargs"):  # Names, unless another program is started on them.
        return bool(_CONTENT.intersection(command.args))
    if command.program in _PASSING and command.fed:
        return any(not arg.startswith("-") and ("." in arg or "/" in arg) and "," not in arg for arg in command.args)
    return command.program in _CONTENT


def _in_messages(text: str, path: str, texts: Sequence[str], written_by_model: bool) -> bool:
    """People and harnesses paste and attach content; a text that names the file and is long enough to hold some of it counts."""
    if written_by_model or not text:
        return False
    return (paths.name(path) in text and text.count("\n") >= 3 and "```" in text) or (bool(texts) and shares_line(texts, text))


def share_read(session: Session, path: str, before: int) -> float:
    """The share of the file's lines that reads had shown, 1.0 unless all looks were partial and the file's length is known."""
    start = session.context_start(before)
    lines: set[int] = set()
    length = unnumbered = 0
    for call in files.reversed_calls(session, 0, before):
        touched = [touch for touch in files.touches(call) if touch.meets(path)]
        if call.result is None or call.result.status != "ok":
            continue
        if call.tool_class == "shell":
            length = max(length, _counted(call, path))
        for touch in touched:
            whole = touch.deed in ("write", "script") or (touch.deed == "look" and touch.whole)
            if touch.deed in ("edit", "append") or (whole and call.turn >= start):
                return 1.0
            if call.turn >= start and touch.deed in ("look", "search"):
                numbered = _numbers(shown_text(call.result))
                lines |= numbered
                unnumbered += 0 if numbered else len(shown_text(call.result).splitlines())
    known = len(lines) + unnumbered
    return min(1.0, known / length) if length and known else 1.0


_NUMBERED = re.compile(r"(?m)^[ \t]*(\d{1,7})(?:→|\t|:|\|)")


def _numbers(text: str) -> set[int]:
    return {int(number) for number in _NUMBERED.findall(text[:400_000])}


def _counted(call: ToolCall, path: str) -> int:
    """The number of lines that `wc -l` gave for the file."""
    if "wc" not in call.cmd or call.result is None:
        return 0
    found = re.search(rf"(?m)^[ \t]*(\d{{1,7}})[ \t]+\S*{re.escape(paths.name(path))}[ \t]*$", shown_text(call.result)[:20_000])
    return int(found[1]) if found else 0
