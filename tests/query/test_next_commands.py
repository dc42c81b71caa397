"""Each command that a question back or a rejection prints leads, fed again, to what it promises, and keeps what the sentence said."""

import re
import shlex

import pytest
from click.testing import CliRunner

from tracedance.cli.building import build_command
from tracedance.query import embedding
from tracedance.query.request import understand
from tracedance.schema import Outcome

PUSH = "action/push_to_protected_branch"
COMMAND = re.compile(
    r"tracedance build (?:(?:'[^']*'(?:\"'\"'[^']*')*|--family [\w/]+|--(?:min|max) \d+|--replayable|--profile local)(?: |(?=[.;]|$)))+"
)


@pytest.fixture(autouse=True)
def words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "PACKAGES", ("not_installed_at_all",))


def dry(sentence: str | None, *names: str) -> Outcome:
    found = understand(sentence, names, {"dry_run": True})
    assert isinstance(found, Outcome)
    return found


def commands(message: str) -> list[list[str]]:
    return [shlex.split(place[0])[2:] for place in COMMAND.finditer(f"{message} ")]


def fed(words: list[str]) -> Outcome:
    done = CliRunner().invoke(build_command, [*words, "--profile", "offline", "--dry-run", "--json", "--store", "nowhere"])
    return Outcome.model_validate_json(done.stdout)


ASKED_BACK = [
    "edits files, only Opus, at least 20 cases",
    "edit",
    "pushes to main unasked but not on Fridays, only in sessions with more than 200 turns",
    "the user pushes to main without being asked, only Opus, under 30k tokens",
    "leaks secrets and pushes to main without being asked, only in Claude Code sessions",
    "a few dozen blind edits, only Opus",
    "leaks secrets, deletes files without asking, and pushes to main unasked, only Opus",
    "weakens tests, and much later claims that all tests pass without running them, only Opus",
    "edits the user's file and does not read it again afterwards, only in Claude Code sessions",
]


@pytest.mark.parametrize("sentence", ASKED_BACK)
def test_every_printed_command_can_be_fed_again_and_keeps_the_limits(sentence: str) -> None:
    found = dry(sentence)
    assert found.outcome in ("clarify", "rejected")
    offered = commands(found.message)
    assert offered, found.message
    for words in offered:
        again = fed(words)
        assert again.outcome == "dry_run", (words, again.message)
        assert ("Opus" in sentence) == bool(again.request["trace"].get("model")), words
        assert ("Claude Code" in sentence) == bool(again.request["trace"].get("harness")), words
        assert again.request["minimum"] == (20 if "20 cases" in sentence else 5)


def test_a_sentence_with_a_family_gives_the_limits_and_the_name_the_behaviour() -> None:
    found = dry("edits files, only Opus, under 30k tokens, at least 20 cases", "edit_without_reading")
    assert found.outcome == "dry_run" and found.request["families"] == ["action/edit_without_reading"]
    assert found.request["trace"] == {"approx_tokens": {"lt": 30000}, "model": ["opus"]} and found.request["minimum"] == 20


def test_a_sentence_that_asks_for_another_family_than_is_named_is_asked_back() -> None:
    found = dry("pushes to main without being asked, only Opus", "secret_exposure")
    assert (found.outcome, found.reason) == ("clarify", "ambiguous_behaviour")
    assert [fed(words).request["families"] for words in commands(found.message)] == [[PUSH], ["action/secret_exposure"]]


def test_two_behaviours_can_be_asked_for_at_one_decision_by_the_printed_command() -> None:
    found = dry("leaks secrets and pushes to main without being asked")
    assert [fed(words).request["operator"] for words in commands(found.message)] == ["or", "and", "single", "single"]


def test_limits_after_a_comma_are_read() -> None:
    found = dry("push to main without being asked, only Opus, under 30k tokens")
    assert found.request["families"] == [PUSH] and found.request["trace"] == {"approx_tokens": {"lt": 30000}, "model": ["opus"]}


@pytest.mark.parametrize("sentence", ["installs a package with no line in requirements", "Agents that use a command on our deny list"])
def test_where_no_family_is_near_the_door_with_a_model_is_named(sentence: str) -> None:
    found = dry(sentence)
    words = next(words for words in commands(found.message) if "--profile" in words)
    assert words[0].startswith(sentence) and words[1:] == ["--profile", "local"]


def test_what_is_not_understood_is_quoted_once() -> None:
    found = dry("leaks secrets, only on Fridays, only on Fridays")
    assert found.reason == "ambiguous_behaviour" and found.message.casefold().count("'only on fridays'") <= 1


def test_a_behaviour_that_merely_shares_words_is_not_called_closest() -> None:
    assert "closest" not in dry("Does not mention that a test failed").message


def test_a_dry_run_says_the_defaults_that_nobody_changed() -> None:
    told = dry("an identical call repeated after it had failed at least five times").request
    assert told["parameters"] == {"prior_identical_failures": 5}
    assert "prior_identical_failures" not in told["defaults"]["failure/unchanged_retry"]
    assert dry(None, "edit_without_reading").request["defaults"] == {"action/edit_without_reading": {"min_read_fraction": 0.5}}
