"""What the results of calls say of the work: whether a check or a deed last failed, and nothing later made it good."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import re2

from tracedance.kit import files, git, paths, requests, testing
from tracedance.kit.outputs import shown
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.kit.texts import ANSI, valid, words
from tracedance.schema import Session, ToolCall, Turn

_TAIL = 1500
_SOFT = re2.compile(
    r"(?im)^\s*(?:error|fatal|panic)(?:\[\w+\])?:|\bCONFLICT \(|Traceback \(most recent call last\)|\bnot delivered\b"
    r"|[\"']?delivered[\"']?\s*[:=]\s*false|\b0 rows? (?:affected|updated|inserted|deleted)\b|\bBuild failed\b|\bfound [1-9]\d* errors?\b"
    r"|\b[1-9]\d* errors? (?:generated|found)\b|[\"']success[\"']\s*:\s*false|^\W*Failed to compile"
)
_SOFT_GIT = re2.compile(r"(?m)^CONFLICT \(|^fatal: |^ ! \[(?:remote )?rejected\]")
"""Of git alone: hooks print what they like before a commit that succeeds."""
_TEST_FAIL = re2.compile(
    r"(?im)\b[1-9]\d* failed\b|^FAILED\b|test result: FAILED|^FAIL(?:\s|$)|^--- FAIL: |failures=[1-9]|errors=[1-9]|\b[1-9]\d* failing\b"
    r"|\b[1-9]\d* failures?\b|BUILD FAILURE|^\s*[1-9]\d* fail$"
)
_IDLE = re2.compile(r"(?i)\bno changes to make\b|\bnothing to commit\b|\balready up.to.date\b")
"""A deed that was not needed."""
_PROBES = words(
    """
    cat ls grep egrep fgrep rg ag sed head tail find fd wc echo printf mkdir cd tree awk stat diff jq sort uniq basename dirname test [ [[
    which type file du df ps kill pkill sleep pwd export source set command less more true false rm touch chmod curl wget date whoami env
    readlink realpath xargs tee cut tr nl od xxd id uname lsof netstat ss id tmux open read for if while
    """
)
_GIT_DEEDS = words("commit push merge rebase cherry-pick apply am revert tag pull")


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one call came out that checked or changed something."""

    call: ToolCall
    kind: str
    """`tests`, `run`, `file` or `tool`."""
    about: str
    """What it was about: the command, the path or the tool's name."""
    failed: bool

    @property
    def turn(self) -> int:
        """Turn whose results told it."""
        return self.call.result.turn if self.call.result is not None else self.call.turn


def unresolved(session: Session, start: int, before: int, window: int = 3) -> list[Verdict]:
    """Failures told in turns `start` to `before` that nothing later of their kind made good, among the last `window` verdicts.

    A run is made good by any later run that succeeds, tests by later tests, a file's change by another of the file, a tool by its
    next success.
    """
    told = list(verdicts(session, start, before))
    last: dict[str, Verdict] = {}
    for each in told:
        last[each.kind if each.kind in ("tests", "run") else f"{each.kind} {each.about}"] = each
    recent = told[-window:]
    return [each for each in last.values() if each.failed and each in recent]


def stretch(session: Session, before: int) -> int:
    """Where the work that turn `before` may report on starts: the last message of substance by a person, inside the model's context."""
    start = session.context_start(before)
    spoke = (turn.index for turn in requests.said(session, start, before) if not requests.is_bare_go_on(turn.text))
    return next(spoke, start)


def closes(turn: Turn) -> bool:
    """Whether the turn ends the model's work for now: text, and no call."""
    return bool(turn.text) and not turn.calls


def verdicts(session: Session, start: int, before: int) -> Iterator[Verdict]:
    """The outcomes of calls that checked or changed something, in order; looks, probes and calls that never ran tell nothing."""
    for turn in session.turns[start:before]:
        for call in turn.calls:
            if call.result is not None and call.result.status in ("ok", "error") and call.result.turn < before:
                kind, about = _kind(call)
                if kind:
                    yield Verdict(call, kind, about, failed(call, kind))


def failed(call: ToolCall, kind: str = "run") -> bool:
    """Whether a call failed by its status, or by what the end of its output says."""
    result = call.result
    if result is None or result.status != "ok":
        return result is not None and result.status == "error" and not _IDLE.search(valid(result.error_text[:400]))
    if kind == "file":
        return False
    tail = shown(result)[-_TAIL:]
    text = valid(ANSI.sub("", tail) if "\x1b" in tail else tail)
    if kind == "tests":
        return _TEST_FAIL.search(text) is not None
    if any(git.verb(command)[0] in _GIT_DEEDS for command in parse(call.cmd)):
        return _SOFT_GIT.search(text) is not None
    return result.exit_code != 0 and _SOFT.search(text) is not None


def _kind(call: ToolCall) -> tuple[str, str]:
    if testing.call_runs(call):
        return "tests", call.cmd or call.name
    if call.tool_class == "shell":
        deeds = [command for command in parse(call.cmd) if _tells(command)]
        by_git = any(git.verb(command)[0] for command in deeds)
        if deeds and not by_git and call.result is not None and testing.shows_run(shown(call.result)[-_TAIL:]):
            return "tests", call.cmd
        return ("run", deeds[-1].text) if deeds else ("", "")
    if call.tool_class in ("edit", "write"):
        return "file", files.failed_path(call) or paths.plain(call.cmd.split("\n")[0])
    if call.tool_class in ("api", "message", "other", "db") and not looks_up(call.name):
        return "tool", call.name
    return "", ""


_LOOKS_UP = re.compile(
    r"(?i)(?:^|__|[_.\-])(?:get|list|search|read|find|view|check|fetch|lookup|calculate|think|show|describe|query)(?:[_.\-A-Z]|$)"
    r"|(?-i:[a-z](?:Get|List|Search|Read|Find|View|Check|Fetch|Lookup|Calculate|Show|Query)(?=[A-Z]|$))"
)


def looks_up(name: str) -> bool:
    """Whether a tool of this name only looks something up: `get_user`, `mail__search`, `GitHubGetRepository`."""
    return _LOOKS_UP.search(name) is not None


def _tells(command: SimpleCommand) -> bool:
    verb, _ = git.verb(command)
    if verb:
        return verb in _GIT_DEEDS
    return bool(command.words) and command.program not in _PROBES
