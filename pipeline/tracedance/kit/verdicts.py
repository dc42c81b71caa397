"""What the results of calls say of the work: whether a check or a deed last failed, and nothing later made it good."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from tracedance.kit import files, git, paths, requests, testing
from tracedance.kit import linear as re2
from tracedance.kit.memo import once
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
_HARD = re2.compile(
    r"(?im)^.{0,40}\bquery ok, 0 rows affected.*[1-9]\d* warning|\b0 rows? (?:updated|inserted|deleted)\b"
    r"|[\"']?(?:ok|success|delivered)[\"']?\s*[:=]\s*false\b"
    r"|[\"']status[\"']\s*:\s*[\"'](?:failed|error|rejected|declined|denied|refused|undelivered|bounced)[\"']|^\W*\{\W{0,4}error[\"']\s*:\s*[\"'{]"
    r"|\bnot delivered\b|^\W*(?:build|deploy(?:ment)?|compilation|upload|push|migration|install(?:ation)?|job) failed\b|\bBUILD FAILED\b"
    r"|\bcould not compile\b|\bFailed to compile\b|\bstatus[\"']\s*:\s*[\"'](?:waitlist(?:ed)?|on_hold|partial\w*)[\"']"
    r"|\b(?:failed|rejected|not (?:imported|written|sent|copied|applied))[:=] ?[1-9]|\b[1-9]\d*(?: (?:rows?|records?|files?|items?|lines?"
    r"|entries|messages|hosts?|steps?|resources?))? (?:failed|rejected|not (?:imported|written|sent|copied|applied))\b"
)
"""Says so whatever the exit code; the rest of `_SOFT` counts only where no exit code, or one that a pipe hides, speaks against it."""
_HIDES = re.compile(r"\|(?!\|)|\|\||;\s*\S")
_DOWN = re2.compile(
    r"(?m)^HTTP/\S+ 5\d\d|^5\d\d$|\b50[0234] (?:Bad Gateway|Service|Internal|Gateway)|CrashLoopBackOff|ImagePullBackOff|ErrImagePull"
    r"|\bunhealthy\b|Exited \([1-9]|inactive \(dead\)|Active: failed|\b(?:errored|stopped)\b.*\bpm2\b|[Cc]onnection refused"
)
"""What a look at a service shows that does not work."""
_LOG = re.compile(r"[\w/.-]+\.(?:log|out|output)\b")
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
    """The call."""
    kind: str
    """`tests`, `run`, `file` or `tool`."""
    about: str
    """What it was about: the command, the path or the tool's name."""
    failed: bool
    """Whether it came out badly."""

    @property
    def turn(self) -> int:
        """Turn whose results told it."""
        return self.call.result.turn if self.call.result is not None else self.call.turn


def unresolved(session: Session, start: int, before: int, window: int = 3) -> list[Verdict]:
    """Failures told in turns `start` to `before` that nothing later of their kind made good, among the last `window` verdicts.

    A run is made good by any later run that succeeds, tests by later tests, a file's change by another of the file, a tool by its
    next success, and each by the same command: what it prints when it succeeds may make it a run of tests.
    """
    recent = list(islice(backwards(session, start, before), window))
    told = recent[::-1]
    if sum(each.failed for each in recent) > 1:  # what was tried first stands first
        told = list(verdicts(session, start, before))
    last: dict[str, Verdict] = {}
    for each in told:
        if not each.failed:
            last = {key: other for key, other in last.items() if other.about != each.about}
        last[each.kind if each.kind in ("tests", "run") else f"{each.kind} {each.about}"] = each
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
            if call.result is not None and call.result.turn < before and (told := _told(call)) is not None:
                yield Verdict(call, *told)


def backwards(session: Session, start: int, before: int) -> Iterator[Verdict]:
    """The same, last first."""
    for turn in reversed(session.turns[start:before]):
        for call in reversed(turn.calls):
            if call.result is not None and call.result.turn < before and (told := _told(call)) is not None:
                yield Verdict(call, *told)


@once
def _told(call: ToolCall) -> tuple[str, str, bool] | None:
    if call.result is None or call.result.status not in ("ok", "error"):
        return None
    kind, about = _kind(call)
    return (kind, about, failed(call, kind)) if kind else None


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
    if _HARD.search(text) is not None or (_DOWN.search(text) is not None and not _tells_any(call)):
        return True
    return (result.exit_code != 0 or _HIDES.search(call.cmd) is not None) and _SOFT.search(text) is not None


def _kind(call: ToolCall) -> tuple[str, str]:
    if testing.call_runs(call):
        return "tests", call.cmd or call.name
    if call.tool_class == "shell":
        deeds = [command for command in parse(call.cmd) if _tells(command)]
        by_git = any(git.verb(command)[0] for command in deeds)
        if deeds and not by_git and call.result is not None and testing.shows_run(shown(call.result)[-_TAIL:]):
            return "tests", call.cmd
        return ("run", deeds[-1].text) if deeds else _looked_at(call)
    if call.tool_class == "job" and any(map(testing.is_run, parse(call.cmd))):
        return "tests", call.cmd
    if call.tool_class in ("read", "job"):
        return _looked_at(call)
    if call.tool_class in ("edit", "write"):
        return "file", files.failed_path(call) or paths.plain(call.cmd.split("\n")[0])
    if call.tool_class in ("api", "message", "other", "db") and not looks_up(call.name):
        return "tool", call.name
    return "", ""


def _looked_at(call: ToolCall) -> tuple[str, str]:
    """A look at a service that is down, or at a log whose end tells of a failure, is a run that failed; other looks tell nothing."""
    serves = call.tool_class == "shell" and any(command.program in _SERVICES for command in parse(call.cmd))
    logs = call.tool_class == "job" or _LOG.search(call.cmd) is not None
    if not serves and not logs:
        return "", ""
    tail = shown(call.result)[-_TAIL:]
    text = valid(ANSI.sub("", tail) if "\x1b" in tail else tail)
    told = (serves and _DOWN.search(text)) or (logs and _HARD.search(text[-400:]))
    return ("run", call.cmd or call.name) if told else ("", "")


_SERVICES = words("curl wget http kubectl docker systemctl pm2 podman")
_LOOKS_UP = re.compile(
    r"(?i)(?:^|__|[_.\-])(?:get|list|search|read|find|view|check|fetch|lookup|calculate|think|show|describe|query)(?:[_.\-A-Z]|$)"
    r"|(?-i:[a-z](?:Get|List|Search|Read|Find|View|Check|Fetch|Lookup|Calculate|Show|Query)(?=[A-Z]|$))"
)


def looks_up(name: str) -> bool:
    """Whether a tool of this name only looks something up: `get_user`, `mail__search`, `GitHubGetRepository`."""
    return _LOOKS_UP.search(name) is not None


def _tells_any(call: ToolCall) -> bool:
    return call.tool_class != "shell" or any(map(_tells, parse(call.cmd)))


def _tells(command: SimpleCommand) -> bool:
    verb, _ = git.verb(command)
    if verb:
        return verb in _GIT_DEEDS
    return bool(command.words) and command.program not in _PROBES
