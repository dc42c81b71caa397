"""A failed test run whose exit code something behind it hides: `pytest | tail -5`, `go test ./... || true`, `npm test; echo done`."""

import re

from tracedance.kit import linear as re2
from tracedance.kit.texts import ANSI, valid

_RUNS_TESTS = re2.compile(
    r"(?i)\b(?:pytest|py\.test|unittest|tox|nox|jest|vitest|mocha|ava|karma|rspec|phpunit|ctest|bats|gotestsum|playwright|cypress)\b"
    r"|\b(?:go|cargo|dotnet|swift|mix|deno|flutter|dart|bun|npm|pnpm|yarn|make|just|mvn|mvnw|gradle|gradlew|rake|sbt|nx|turbo|bazel)\b[^\n;|&]*\btest"
)
_MASKED = re.compile(r"\|(?!\|)|\|\||;|\n")
"""What may stand between a test run and the end of its command and replace its exit code."""
_PIPEFAIL = re.compile(r"\bset\s+-[a-z]*e?[a-z]*o\s+pipefail\b|\bPIPESTATUS\b")
_VERDICT = re2.compile(
    r"(?m)^=+ .*\b[1-9]\d* (?:failed|errors?)\b.* in [\d.:]+ ?s|^[1-9]\d* failed(?:, \d+ \w+)* in [\d.]+s|^FAILED \((?:failures|errors)=\d"
    r"|^test result: FAILED|^--- FAIL: |^FAIL(?:\s+\S+\s+(?:[\d.]+s|\[(?:build|setup) failed\]))?$|^\s*Tests?:?\s+[1-9]\d* failed\b"
    r"|^\s+[1-9]\d* failing$|\bBUILD FAILURE\b|^\d+ examples?, [1-9]\d* failures?\b|^# fail [1-9]|^FAILURES!|^Failed!\s+- Failed:"
)
_TAIL = 4_000


def hides_failure(command: str, text: str) -> bool:
    """Whether a shell command ran tests, hid their exit code, and its output ends in a runner's own verdict that tests failed.

    Only summary lines at the end count: a log, a diff or a docstring with the word "failed" is none.
    """
    return (
        _MASKED.search(command) is not None
        and _RUNS_TESTS.search(valid(command)) is not None
        and _PIPEFAIL.search(command) is None
        and _VERDICT.search(_plain(text[-_TAIL:])) is not None
    )


def _plain(text: str) -> str:
    return valid(ANSI.sub("", text) if "\x1b" in text else text)
