"""The lexicon's examples of test commands and of broad staging."""

import pytest

from tracedance.kit import git, testing
from tracedance.kit.shell import parse


@pytest.mark.parametrize(
    "command",
    [
        "cd app && python -m pytest -q",
        "npm test",
        "pnpm run test:unit",
        "go test ./...",
        "./gradlew clean check",
        "./gradlew :app:build",
        "./gradlew test -x check",
        "./mvnw -q package",
        "make -j4 test",
        "npx vitest run",
        "pnpm --filter @x/worker test",
        "mise run test:ci",
        "uv run pytest",
        "docker exec web pytest -q",
        "ssh host 'cd app && npm test'",
    ],
)
def test_what_runs_tests(command: str) -> None:
    assert any(testing.is_run(each) for each in parse(command))


@pytest.mark.parametrize(
    "command",
    [
        "cat tests/test_a.py",
        "npm install jest",
        "git commit -m 'add test'",
        "npm run testbed",
        "./gradlew compileJava",
        "./gradlew build -x test",
        "./gradlew build -x check",
        "mvn install -DskipTests",
        "cargo build",
    ],
)
def test_what_does_not(command: str) -> None:
    assert not any(testing.is_run(each) for each in parse(command))


@pytest.mark.parametrize("command", ["git add -A", "git add . && git commit -m x", "git commit -am 'fix'", "git add --force .env"])
def test_broad_staging(command: str) -> None:
    assert any(git.broad(each) for each in parse(command))


@pytest.mark.parametrize("command", ["git add src/a.py", "git commit -m 'all'", "git add ./src"])
def test_named_staging(command: str) -> None:
    assert not any(git.broad(each) for each in parse(command))


def test_a_builds_word_for_success_is_no_sign_of_tests() -> None:
    assert not testing.shows_run("BUILD SUCCESSFUL in 5s") and testing.shows_run("12 tests completed, 0 failed\nBUILD SUCCESSFUL in 5s")
