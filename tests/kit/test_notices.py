"""Results that are the notice of a failure and nothing else."""

import pytest

from tracedance.kit import demands, notices


@pytest.mark.parametrize(
    "text, fails",
    [
        ("Validation failed for tool \"x\":\n  - must have required property 'y'", True),
        ("Unknown tool: x", True),
        ("unsupported call: view", True),
        ("Blocked: policy forbids it.", True),
        ("Web fetch failed (status code 404)", True),
        ('{"ok": false, "error": "chat not found"}', True),
        ('{"status": "failed", "job": "3"}', False),
        ("Done, no errors.", False),
        ("[]", False),
    ],
)
def test_a_notice_alone_tells_a_failure(text: str, fails: bool) -> None:
    assert notices.of_call(text) is fails


@pytest.mark.parametrize(
    "text, command, fails",
    [
        ("rm: cannot remove 'a/': Not a directory", "rm a/", True),
        ("ls: b: No such file or directory", "ls b | head", False),
        ("exec denied: rm is on the deny list", "rm a", True),
        ("InputValidationError: the required parameter is missing", "cat api.log", False),
        ("error: unknown option '--fast'", "tool --fast", True),
    ],
)
def test_a_shell_tells_a_failure_without_a_code(text: str, command: str, fails: bool) -> None:
    assert notices.of_shell(text, command) is fails


@pytest.mark.parametrize(
    "text, before, now, met",
    [
        ('when must be cron, for example "0 9 * * *"', {"when": "each day"}, {"when": "0 7 * * 1"}, True),
        ('when must be cron, for example "0 9 * * *"', {"when": "each day"}, {"when": "every day"}, False),
        ("date must be YYYY-MM-DD", {"date": "1 May"}, {"date": "2026-05-01"}, True),
        ("limit must be between 1 and 100", {"limit": 500}, {"limit": 400}, False),
        ("limit must be at most 100", {"limit": 500}, {"limit": 50}, True),
        ("count must be an integer", {"count": "3"}, {"count": 3}, True),
        ("amount must be 42.5", {"amount": 10}, {"amount": 40}, False),
        ('phone must start with "+"', {"phone": "0123"}, {"phone": "+49123"}, True),
        ("text exceeds the limit of 5 characters", {"text": "abcdefgh"}, {"text": "abcdefg"}, False),
    ],
)
def test_values_meet_what_an_error_demands(text: str, before: dict[str, object], now: dict[str, object], met: bool) -> None:
    told = demands.of(text)
    assert told and not any(demands.had(each, before) for each in told)
    assert any(demands.met(each, before, now) for each in told) is met
