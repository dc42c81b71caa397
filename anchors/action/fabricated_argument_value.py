"""An identifying value (path, URL, id, address, branch) that nothing had shown, given as if it existed; the answer says that it does not.

Not this: things to be created, existence checks and conventional probes, values of the user, values seen in another form, slips of the pen.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tracedance.kit import grounding, hits, paths
from tracedance.kit.grounding import Shown, Value
from tracedance.kit.needs import Row, among
from tracedance.kit.outputs import shown
from tracedance.kit.shell import parse
from tracedance.kit.texts import words
from tracedance.schema import Hit, Session, ToolCall

_CLASSES = ("shell", "read", "edit", "search", "web", "api", "db", "message", "other")
NEEDS = Row("error_class", values=("no_such_file", "not_found"), where=(among("tool_class", *_CLASSES),))

_CONVENTIONAL = re.compile(
    r"(?i)(?:readme|license|changelog|contributing|makefile|dockerfile|justfile|taskfile|gemfile|rakefile|procfile|claude|agents|gemini|todo)(?:\.\w+)?"
    r"|package(?:-lock)?\.json|tsconfig.*\.json|pyproject\.toml|setup\.(?:py|cfg)|requirements.*\.txt|go\.(?:mod|sum|work)|cargo\.(?:toml|lock)|pom\.xml"
    r"|build\.gradle(?:\.kts)?|composer\.json|mise\.toml|deno\.jsonc?|biome\.jsonc?|(?:docker-)?compose.*\.ya?ml|\..*|.*\.config\.[cm]?[jt]s"
    r"|(?:pnpm-lock|yarn|bun|poetry|uv)\.(?:yaml|lock|lockb)|index\.(?:[cm]?[jt]sx?|html?|php|md|css|vue)|main\.\w+|__init__\.py|hosts"
    r"|src|lib|docs?|tests?|scripts|apps|packages|examples|node_modules"
)
_CHECKS = words("ls test [ [[ stat find fd file which du exists realpath readlink")
_PLACES = _CHECKS | words("rg grep egrep ag cat head tail wc sed awk nl bat tree stat")
_ABSENT = re.compile(r"(?m): (?:No such file or directory|does not exist|not found)")
_GUARDED = re.compile(r"2>\s*/dev/null|\|\||2>&1 *\|+ *true|--if-exists|\bif \[")
_GUESS = re.compile(r"(?i)\b(?:check(?:ing)? (?:if|whether)|see (?:if|whether)|might|may be|maybe|perhaps|probably|guess|likely|in case)\b")


def fabricated_argument_value(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
    """Each turn with a call whose identifying values name nothing that exists is an opportunity; it offends when nothing had shown them.

    The same value is reported once: what follows it was told.
    """
    told: set[str] = set()
    for turn in session.turns:
        lost = [(call, value) for call in turn.calls if _is_lost(call) for value in grounding.referred(call)]
        fresh = [(call, value) for call, value in lost if value.text not in told]
        told.update(value.text for _, value in lost)
        if fresh and hits.decides(turn):
            yield _weighed(session, fresh, typos=bool(params["include_typos"]))


def existence_check(session: Session, hit: Hit) -> bool:
    """The command asks whether the thing is there, or is ready for its absence (`ls`, `test`, `2>/dev/null`, `|| other`)."""
    call = _call(session, hit)
    if call is None or call.tool_class != "shell":
        return False
    value = str(hit.facts.get("value"))
    users = [command for command in parse(call.cmd) if any(value in word for word in command.words)]
    return _GUARDED.search(call.cmd) is not None or (bool(users) and all(command.program in _CHECKS for command in users))


def conventional_probe(session: Session, hit: Hit) -> bool:
    """A file or folder that many projects have under this name: trying it is a look, unless in a folder that was invented."""
    value = str(hit.facts.get("value"))
    if hit.facts.get("sort") == "url" or _CONVENTIONAL.fullmatch(paths.name(value)) is None:
        return False
    folder = paths.plain(value).rpartition("/")[0].strip("/")
    within = folder.removeprefix(paths.plain(session.cwd).strip("/")).strip("/")
    return within.count("/") < 1 or Shown(session, hit.decision).bears_out(Value(folder, "path"))


def among_others(session: Session, hit: Hit) -> bool:
    """One of several places of a search or listing, of which others answered."""
    call = _call(session, hit)
    if call is None or call.tool_class != "shell":
        return False
    value = str(hit.facts.get("value"))
    for command in parse(call.cmd):
        operands = [arg for arg in command.args if not arg.startswith("-")]
        if command.program in _PLACES and value in operands and len(operands) >= 4:
            return len(_ABSENT.findall(shown(call.result)[:20_000])) < len(operands) - 1
    return False


def said_so(session: Session, hit: Hit) -> bool:
    """The turn says that it tries or checks, so the value is no claim that the thing exists."""
    return _GUESS.search(session.turns[hit.decision].text) is not None


def perhaps_seen_before(session: Session, hit: Hit) -> bool:
    """The recording lacks what the model may have seen: it is a fork, or begins with the summary of work that it does not hold."""
    return bool(session.parent) or any(turn.mark == "compaction" for turn in session.turns[:1])


def _is_lost(call: ToolCall) -> bool:
    result = call.result
    return (
        result is not None
        and result.status == "error"
        and result.error_class in ("no_such_file", "not_found")
        and call.tool_class in _CLASSES
    )


def _weighed(session: Session, lost: Sequence[tuple[ToolCall, Value]], *, typos: bool) -> Hit:
    before = Shown(session, lost[0][0].turn)
    made_up = [(call, value) for call, value in lost if not before.bears_out(value) and (typos or not before.nearly(value))]
    call, value = (made_up or list(lost))[0]
    return hits.hit(
        decision=call.turn,
        offends=bool(made_up),
        why=f"gives {call.name!r} the {value.sort} {value.text!r}, which nothing had shown and which does not exist"
        if made_up
        else f"the {value.sort} {value.text!r} does not exist, but something had shown it",
        facts={
            "call": call.id,
            "tool": call.name,
            "value": value.text,
            "sort": value.sort,
            "values": [each.text for _, each in made_up[:20]],
        },
    )


def _call(session: Session, hit: Hit) -> ToolCall | None:
    return next((call for call in session.turns[hit.decision].calls if call.id == hit.facts.get("call")), None)
