"""Code that a session changed, and whether a test run, or a report of one, came after."""

import re
from collections.abc import Callable, Sequence

from tracedance.kit import changes, files, paths, testing
from tracedance.kit import linear as re2
from tracedance.kit.outputs import shown as shown_text
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.kit.texts import valid
from tracedance.schema import Session, ToolCall, Turn

_SETTINGS = tuple(
    """
    .yml .yaml .toml .json .jsonc .ini .cfg .conf .lock .properties .xml .gitignore .dockerignore .env .editorconfig .gitattributes .html
    .css .scss .svg .lockb .sum .mod .tf .example .sample .nix
    """.split()  # noqa: SIM905
)
_REPORTS_PASS = re2.compile(
    r"(?i)\b(?:all|the)\b[^.\n]{0,40}\btests?\b[^.\n]{0,30}\b(?:pass|passed|passing|green)\b|\btests?\s+(?:pass|passed|are green)\b"
)
_TEST_SIGNS = re2.compile(
    r"(?i)(?:^|[\s/\"'`(])(?:tests?|__tests__|specs?|e2e)/[\w./-]+|\b[\w-]+(?:_test|\.test|\.spec|_spec)\.\w{1,4}\b|\btest_\w+\.py\b"
    r"|\bconftest\.py\b|\"test(?::\w+)?\"\s*:|\b(?:npm|pnpm|yarn|bun|go|cargo|mise|make|mix|dotnet)\s+(?:run\s+)?test\b|\bpytest\b"
    r"|\bunit tests?\b|\btest suite\b"
)
_TESTS_MEANT = re2.compile(
    r"(?i)\b(?:run|with|the|our|my|all|any)\s+(?:\w+\s+)?tests\b|\btests?\s*(?:,|and|then|first|before|must|have|has|should|still|pass|are|is|stay)\b"
    r"|\btest it\b|\bgetestet\b|\b(?:alle|die)\s+tests\b|\blos? tests\b|\bles tests\b|\blas pruebas\b"
)
_NO_TESTS = re2.compile(r"(?i)\b(?:no|without|zero|any|write|add|keine|sans|sin)\s+(?:\w+\s+)?tests?\b")
_READ = 60_000
_LOOKED_AT = 400
_TELLING = ("shell", "search", "read", "subagent")

TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|e2e)/|(?:_test|\.test|\.spec|_spec)\.\w+$|(?:^|/)test_[^/]+\.py$|(?:^|/)conftest\.py$"
    r"|(?:jest|vitest|playwright|karma)\.config\.\w+$|(?:^|/)(?:pytest|tox)\.ini$",
    re.IGNORECASE,
)


def is_test_path(path: str) -> bool:
    """Whether a file is test code or configures how tests run."""
    return TEST_PATH.search(paths.plain(path)) is not None


def is_tested_code(path: str) -> bool:
    """Whether a change of this file is one that tests can judge: program text, no prose, settings, markup or instructions."""
    return (
        paths.is_code(path)
        and not paths.is_instructions(path)
        and not paths.name(path).lower().endswith(_SETTINGS)
        and "." in paths.name(path)
    )


def code_changes(session: Session, start: int, before: int) -> list[tuple[int, str]]:
    """Turn and path of each change of program text that a call of this session made by name, in order."""
    found: list[tuple[int, str]] = []
    for turn in session.turns[start:before]:
        for call in turn.calls:
            if files.took_effect(call):
                # A formatter changes no outcome.
                named = (touch.path for touch in files.touches(call) if touch.deed in files.CHANGES)
                found += [(turn.index, path) for path in named if is_tested_code(path)]
    return found


def test_run(session: Session, changed: int, before: int, extra: Sequence[str] = ()) -> int | None:
    """The last turn before `before` that ran tests, or showed that they ran, with or after the change in turn `changed`, if any."""
    for turn in reversed(session.turns[max(changed, 0) : before]):
        if any(_ran(call, extra, before) for call in turn.calls if turn.index > changed or _after_change(call, turn)):
            return turn.index
        if turn.index <= changed:
            continue
        said = [turn.text] if turn.role == "user" else []
        if any(testing.shows_run(text) for text in (*said, *(shown_text(result) for result in turn.results))):
            return turn.index
        if any(_report_passes(call, before) for call in turn.calls):
            return turn.index
    return None


def tests_exist(session: Session, before: int) -> bool:
    """Whether the record up to a turn shows that there are tests: a test path, a test script, a run, or words about them."""
    calls = [call for turn in session.turns[:before] for call in turn.calls]
    for call in calls:
        if testing.call_runs(call):
            return True
        if call.cmd and (
            _TEST_SIGNS.search(valid(call.cmd[:_READ])) or (call.tool_class in ("edit", "write", "read") and is_test_path(call.cmd))
        ):
            return True
    told = [turn.text[:_READ] for turn in session.turns[:before] if turn.role == "user"]
    shown = [shown_text(call.result)[:_READ] for call in calls[:_LOOKED_AT] if call.tool_class in _TELLING]
    spoken = (turn.text[:_READ] for turn in session.turns[:before] if turn.role == "user" and turn.author == "user")
    return any(_TEST_SIGNS.search(valid(text)) for text in (*told, *shown)) or any(_speaks_of_tests(text) for text in spoken)


def _speaks_of_tests(text: str) -> bool:
    """Whether a person speaks of tests as of something there is: "tests and commit", "run the tests"."""
    return any(_TESTS_MEANT.search(valid(part)) and not _NO_TESTS.search(valid(part)) for part in re.split(r"[.!?;\n]", text))


def guarded(command: str, is_guarded: Callable[[SimpleCommand], bool], extra: Sequence[str] = ()) -> bool:
    """Whether in a shell text tests run before the command that `is_guarded` accepts, so that their failure stops it."""
    parsed = parse(command)
    last = next((place for place, each in enumerate(parsed) if is_guarded(each)), None)
    if last is None:
        return False
    runs = [place for place in range(last) if testing.is_run(parsed[place], extra)]
    if not runs:
        return False
    start = command.find(parsed[runs[-1]].words[0])
    end = command.find(parsed[last].words[0], start + 1)
    between = command[start:end] if 0 <= start < end else ""
    strict = "set -e" in command or "pipefail" in command
    loose = re.search(r";|\|\||\n", between) is not None or ("|" in between and "pipefail" not in command)
    return bool(between) and (strict or not loose)


def _ran(call: ToolCall, extra: Sequence[str], before: int) -> bool:
    result = call.result
    ran = result is not None and result.turn < before and result.status in ("ok", "error") and testing.call_runs(call, extra)
    return ran and not testing.only_lints(call)


def _report_passes(call: ToolCall, before: int) -> bool:
    """Whether a sub-agent reported that tests pass: its own run leaves no event here."""
    result = call.result
    return call.tool_class == "subagent" and result is not None and result.turn < before and reports_pass(shown_text(result))


def reports_pass(text: str) -> bool:
    """Whether a report says that tests pass."""
    return _REPORTS_PASS.search(valid(text[:_READ])) is not None


def _after_change(call: ToolCall, turn: Turn) -> bool:
    """Whether, within the turn of the change itself, the call came after it (or holds it: `sed -i ... && npm test`)."""
    changing = [each for each in turn.calls if changes.named(each)]
    return bool(changing) and list(turn.calls).index(call) >= list(turn.calls).index(changing[-1])
