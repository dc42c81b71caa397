"""Test runs, and what counts as evidence that tests ran."""

import re
from collections.abc import Sequence
from functools import lru_cache

from tracedance.kit import linear as re2
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.kit.texts import ANSI, valid, words
from tracedance.schema import ToolCall

_RUNNERS = words(
    """
    pytest py.test tox nox jest vitest mocha ava rspec phpunit pest ctest bats busted ginkgo gotestsum karma nose2 nosetests
    prove trial tap tape jasmine testem cypress playwright behave cucumber minitest cargo-nextest invoke-pester
    """
)
_SCRIPT_RUNNERS = words("npm pnpm yarn bun npx bunx pnpx")
_TASK_RUNNERS = words(
    """
    make gmake just task mise turbo nx moon pixi rush lerna lage hk bazel bazelisk rake invoke inv ant pants buck2 earthly
    """
)
_WITH_TEST_VERB = words(
    """
    go cargo dotnet swift mix deno flutter dart sbt zig mvn mvnw gradle gradlew bundle stack cabal crystal gleam forge anchor
    xcodebuild
    """
)
_CHECK_TESTS = words("mvn mvnw gradle gradlew")
"""Of these, those whose `check` or `verify` runs the tests; of the others (`cargo check`, `deno check`) it compiles or checks types."""
_BUILDS_WITH_TESTS = {
    "mvn": words("package install deploy integration-test"),
    "mvnw": words("package install deploy integration-test"),
    "gradle": words("build buildNeeded"),
    "gradlew": words("build buildNeeded"),
}
"""Goals on whose way the tests run. What such a tool prints at the end ("BUILD SUCCESSFUL") tells of any goal, and so of no test."""
_LEAVES_TESTS_OUT = re.compile(r"-D(?:skipTests|skipITs|maven\.test\.skip)(?:=true)?")
_RELAYS = words(
    """
    uv poetry pipenv hatch rye pdm docker docker-compose podman kubectl nix nix-shell devbox direnv doppler op dotenv watchexec
    ssh conda mamba rtk
    """
)
_READERS = words(
    """
    cat ls grep egrep rg ag sed head tail git gh find fd wc echo printf mkdir rm cp mv touch cd tree awk stat chmod diff code vim
    nano less more bat jq sort uniq basename dirname test [ [[ which type file du df ps kill sleep pwd export source curl wget
    tar zip unzip ln gofmt prettier eslint black ruff tsc mypy isort flake8 pylint golangci-lint rustfmt shellcheck tee xargs
    apply_patch read true false
    """
)
_TEST_WORD = re.compile(r"(?:^|[/_.:\-])(?:tests?|specs?|e2e)(?:$|[/_.:\-])", re.IGNORECASE)
_TEST_TARGET = re.compile(
    r"(?:t|tst|tests?|check|verify|ci|(?:[\w.-]+[:-])?tests?(?:[:-][\w:.-]+)?|check[:-][\w:.-]+|.*:tests?|test[A-Z]\w*)"
)

TEST_OUTPUT = re2.compile(
    r"(?im)\b\d+ pass(?:ed|ing)?\b|^\W*tests?:?\s+.*\btotal\b|^ok\s+\S+\s+(?:[\d.]+s|\(cached\))|test result: (?:ok|FAILED)"
    r"|\bran \d+ tests? in\b"
    r"|^OK \(\d+ tests?|test suites?: |\b\d+ examples?, \d+ failures?|^--- (?:PASS|FAIL): |^(?:PASS|FAIL)$|^(?:FAIL"
    r"|PASS)\s+\S"
    r"|\b\d+ (?:tests?|specs?|assertions?|scenarios?),? (?:\d+ )?(?:passed|completed|ok|succeeded|failed|failures?)\b|\b[1-9]\d* failed\b"
    r"|\ball (?:\d+ )?tests? (?:passed|successful|succeeded)\b|^# (?:pass|fail) \d|^Passed!\s|\btests? passed\b|\b0 failures\b"
)
_READ = 400_000


def is_run(command: SimpleCommand, extra: Sequence[str] = ()) -> bool:
    """Whether the command runs tests; `extra` are further commands (as typed, by their beginning) that count."""
    text = " ".join(command.words)
    return any(text.startswith(known) for known in extra) or _runs(command.words)


def call_runs(call: ToolCall, extra: Sequence[str] = ()) -> bool:
    """Whether a call runs tests: by shell, or by a tool that is named for it."""
    if call.tool_class == "shell" or (call.tool_class == "job" and call.cmd):  # A poll carries the command that it polls.
        return any(is_run(command, extra) for command in parse(call.cmd)) if extra else _shell_runs(call.cmd)
    name = call.name.lower()
    return "test" in name and ("run" in name or name.endswith(("test", "tests")))


@lru_cache(maxsize=20_000)
def _shell_runs(command: str) -> bool:
    return any(_runs(simple.words) for simple in parse(command))


_ECHOED = re2.compile(r"(?m)^[ \t]{0,4}(?:>|\$|\+)[ \t]{1,4}(\S.{0,400})$")
_CHECK = re.compile(r"\b(?:check|ci|verify)(?:[:-][\w:.-]+)?(?=\s|$)")
_LINTS = re.compile(
    r"\b(?:biome|tsc|tsgo|vue-tsc|eslint|oxlint|prettier|ruff|mypy|pyright|flake8|black|golangci-lint|stylelint|clippy|rubocop)\b"
)


def only_lints(call: ToolCall) -> bool:
    """Whether a `check` (`ci`, `verify`) shows by the commands that it printed that it only lints and checks types.

    Where it printed none, or what a test runner prints, it may have run tests.
    """
    if call.result is None or _CHECK.search(call.cmd) is None or _TEST_WORD.search(call.cmd.replace(" ", "/")):
        return False
    text = call.result.text[:_READ]
    printed = _ECHOED.findall(valid(text))
    ran = [each.words for line in printed for each in parse(line)]
    tests = any(_runs(each) and not _CHECK.search(" ".join(each)) for each in ran)
    return not tests and any(_LINTS.search(line) for line in printed) and not shows_run(text)


def shows_run(text: str) -> bool:
    """Whether a text is (or holds) what a test runner prints, whatever started it."""
    kept = text if len(text) <= _READ else text[: _READ // 2] + "\n" + text[-_READ // 2 :]
    if "\x1b" in kept:
        kept = ANSI.sub("", kept)
    return TEST_OUTPUT.search(valid(kept)) is not None


def _runs(words: Sequence[str], depth: int = 0) -> bool:
    if not words or depth > 4:
        return False
    program, args = words[0].rpartition("/")[2], list(words[1:])
    if program in _RUNNERS:
        return not {"--version", "--help", "--collect-only", "--co", "init"}.intersection(args)
    plain = [arg for arg in args if not arg.startswith("-")]
    if program in _SCRIPT_RUNNERS:
        return _script_runs(args, depth)
    if re.fullmatch(r"python[\d.]*|py", program):
        return _python_runs(args, depth)
    if program in _TASK_RUNNERS:
        return any(_TEST_TARGET.fullmatch(arg) for arg in plain)
    if program in _WITH_TEST_VERB:
        if program in _CHECK_TESTS and _leaves_tests_out(args):
            return False
        targets = plain[:6] if program in _CHECK_TESTS else [arg for arg in plain[:6] if arg not in ("check", "ci", "verify")]
        if any(_TEST_TARGET.fullmatch(arg) or arg == "nextest" for arg in targets) or _runs(plain[1:], depth + 1):
            return True
        return any(arg.rpartition(":")[2] in _BUILDS_WITH_TESTS.get(program, ()) for arg in plain)
    if program in _RELAYS:
        return any(_runs(args[place:], depth + 1) for place in range(len(args[:12])))
    if program == "node" and "--test" in args:
        return True
    return program not in _READERS and any(_TEST_WORD.search(word) for word in (program, *plain[:3]))


def _leaves_tests_out(args: Sequence[str]) -> bool:
    """Whether a build is told to run no tests: `-DskipTests`, `-x test`, or `-x check` where the tests are not named."""
    excluded = {args[place + 1] for place, arg in enumerate(args[:-1]) if arg in ("-x", "--exclude-task")}
    without = "test" in excluded or ("check" in excluded and "test" not in args)
    return without or any(_LEAVES_TESTS_OUT.fullmatch(arg) for arg in args)


def _script_runs(args: list[str], depth: int) -> bool:
    position = 0
    while position < len(args) and position < 12:
        arg = args[position]
        if arg.startswith("-") or arg in ("run", "run-script", "exec", "dlx", "x", "--"):
            position += 2 if arg in ("--filter", "-F", "--prefix", "--cwd", "-C", "-w", "--workspace", "--dir") else 1
        elif arg == "workspace":
            position += 2
        else:
            return _TEST_TARGET.fullmatch(arg) is not None or _runs(args[position:], depth + 1)
    return False


def _python_runs(args: list[str], depth: int) -> bool:
    for position, arg in enumerate(args):
        if arg == "-m":
            module = args[position + 1 : position + 2]
            return module[0:1] in (["unittest"], ["doctest"], ["trial"]) or _runs(args[position + 1 :], depth + 1)
        if arg in ("-c", "-"):
            return False
        if not arg.startswith("-"):
            manages = arg.endswith("manage.py") and "test" in args[position + 1 :]
            return manages or _TEST_WORD.search(arg.removesuffix(".py")) is not None
    return False


TEST_FAIL = re2.compile(
    r"(?m)\b[1-9]\d* failed\b|^FAILED\b|test result: FAILED|^FAIL\s|^--- FAIL: |failures=[1-9]|errors=[1-9]|\bAssertionError\b"
    r"|\b[1-9]\d* failing\b|\b[1-9]\d* failures?\b|BUILD FAILURE|^\s*[1-9]\d* fail$"
)


def shows_failure(text: str) -> bool:
    """Whether a run's output says that at least one test failed."""
    kept = text if len(text) <= _READ else text[: _READ // 2] + "\n" + text[-_READ // 2 :]
    if "\x1b" in kept:
        kept = ANSI.sub("", kept)
    return TEST_FAIL.search(valid(kept)) is not None
