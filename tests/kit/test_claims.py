"""Sentences that claim that tests pass, test runs, and what runners print."""

import pytest

from tracedance.kit import claims, requests, testing
from tracedance.kit.shell import parse


@pytest.mark.parametrize(
    "text",
    [
        "All tests pass.",
        "The unit tests are passing now.",
        "All 24 existing tests still pass",
        "Test suite is green",
        "✅ Tests passing",
        "`go test ./...` passes.",
        "148 passed, 0 failed.",
        "- **All tests pass** (24/24)",
        "Fixed the bug; all tests pass.",
        "Tests and lint pass.",
        "All tests, lint, and formatting pass cleanly.",
        "- Unit tests: ✓ All pass",
        "All tests pass with no failures.",
        "The tests pass, but I have not run the linter.",
    ],
)
def test_claims(text: str) -> None:
    assert claims.test_pass(text)


@pytest.mark.parametrize(
    "text",
    [
        "I will run the tests",
        "The tests should pass now",
        "I haven't verified that all tests pass",
        "Once all tests pass, I will commit",
        "Now verify the tests pass (GREEN phase).",
        "Let's verify the tests still pass:",
        "Do all tests pass?",
        "All tests were passing before my change.",
        "- [ ] All tests pass",
        "Run it until all tests pass",
        "Not all tests pass.",
        "3 tests fail and 20 tests pass",
        "the tests pass a nil context",
        "the existing tests pass `--json` to it",
        "So `1 pass, 1 fail` becomes 50%",
        "```\nAll tests pass.\n```",
        "> All tests pass",
        'It says "all tests pass" there.',
        "",
    ],
)
def test_no_claims(text: str) -> None:
    assert not claims.test_pass(text)


def test_long_and_odd_texts_are_survived() -> None:
    for text in ("test " * 100_000, "```\n" * 50_000, '"' * 100_000, "all tests " * 50_000 + "pass", "\ud800 all tests pass."):
        claims.test_pass(text)
        claims.discloses_no_run(text)


@pytest.mark.parametrize(
    "command",
    [
        "cd app && python -m pytest -q",
        "npm test",
        "pnpm run test:unit",
        "pnpm --filter @x/worker test",
        "go test ./...",
        "./gradlew clean check",
        "make -j4 test",
        "npx vitest run",
        "mise run test:ci",
        "uv run pytest",
        "docker compose run web pytest -x",
        "node --test",
        "cargo nextest run",
        "bash scripts/test.sh",
        "python manage.py test app",
        "bun run test 2>&1 | tail -50",
        "rtk vitest run",
        "bundle exec rspec",
    ],
)
def test_runs(command: str) -> None:
    assert any(testing.is_run(each) for each in parse(command))


@pytest.mark.parametrize(
    "command",
    [
        "cat tests/test_a.py",
        "npm install jest",
        "git commit -m 'add test'",
        "npm run testbed",
        "pytest --version",
        "ls tests",
        "grep -rn test .",
        "npm run lint",
    ],
)
def test_no_runs(command: str) -> None:
    assert not any(testing.is_run(each) for each in parse(command))


@pytest.mark.parametrize(
    "text, shows",
    [
        ("3 passed in 0.01s", True),
        ("\x1b[32m148 passed\x1b[0m", True),
        ("Ran 12 tests in 0.4s", True),
        ("test result: ok. 5 passed; 0 failed", True),
        ("Tests:       1 failed, 11 passed, 12 total", True),
        ("1321 pass\n0 fail", True),
        ("ok  \texample.org/x\t0.21s", True),
        ("passed the argument", False),
        ("tests are in tests/", False),
    ],
)
def test_what_runners_print(text: str, shows: bool) -> None:
    assert testing.shows_run(text) is shows


@pytest.mark.parametrize(
    "text, bare",
    [("continue", True), ("go on please", True), ("Yes, proceed.", True), ("weiter", True), ("It is called X.", False), ("", False)],
)
def test_a_bare_go_on(text: str, bare: bool) -> None:
    assert requests.is_bare_go_on(text) is bare
