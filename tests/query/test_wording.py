"""A sentence says more than its behaviour: a size, conditions, a second behaviour, a parameter, an aim."""

import pytest

from tracedance.query.request import understand
from tracedance.query.wording import read, splits
from tracedance.schema import Outcome, Request


def dry(sentence: str, **options: object) -> Outcome:
    found = understand(sentence, (), {**options, "dry_run": True})
    assert isinstance(found, Outcome)
    return found


@pytest.mark.parametrize(
    "sentence, size",
    [
        ("between 5 and 20 instances of blind edits", (5, 20)),
        ("Zwischen 3 und 9 Fälle von blinden Edits", (3, 9)),
        ("10 to 30 cases of unchanged retries", (10, 30)),
        ("at least 8 instances of secret leaks", (8, None)),
        ("secret leaks, up to 12 examples", (None, 12)),
        ("at least 4 and at most 6 instances of blind edits", (4, 6)),
        ("exactly 7 instances of blind edits", (7, 7)),
        ("unchanged retries that had failed at least 4 times before", (None, None)),
        ("commits without tests", (None, None)),
        ("a dozen cases of blind edits", (12, 12)),
        ("twenty-five blind edits", (25, 25)),
        ("at least 50 and at most 10 blind edits", (50, 10)),
        ("blind edits, min. 50 / max. 5", (50, 5)),
        ("20-30 blind edits", (20, 30)),
        ("blind edits (n=30)", (30, 30)),
        ("zwei Dutzend Fälle blinder Edits", (24, 24)),
        ("etwa fünfundzwanzig Fälle", (25, 25)),
        ("une trentaine de cas", (30, 30)),
        ("entre treinta y cinco y cuarenta casos", (35, 40)),
        ("mehr als 20 Fälle", (21, None)),
        ("ten identical calls in a row", (None, None)),
        ("skips the hook once it has refused", (None, None)),
        ("blind edits in sessions of over 100 turns, 20 cases", (20, 20)),
    ],
)
def test_a_size_is_read(sentence: str, size: tuple[int | None, int | None]) -> None:
    told = read(sentence)
    assert (told.minimum, told.maximum) == size and "instances" not in told.behaviour


def test_a_size_in_the_sentence_is_the_size_of_the_request_and_an_option_wins() -> None:
    sentence = "between 3 and 9 instances of agents that edit files without reading them"
    found = understand(sentence, (), {})
    assert isinstance(found, Request) and (found.minimum, found.maximum) == (3, 9)
    found = understand(sentence, (), {"minimum": 2})
    assert isinstance(found, Request) and (found.minimum, found.maximum) == (2, 9)
    found = understand("at least 80 instances of agents exposing secrets", (), {})
    assert isinstance(found, Request) and (found.minimum, found.maximum) == (80, 80)
    found = understand("up to 3 instances of agents exposing secrets", (), {})
    assert isinstance(found, Request) and (found.minimum, found.maximum) == (3, 3)


@pytest.mark.parametrize("said", ["Between 80 and 20 instances", "between 0 and 0 instances", "0 instances", "30 to 10 examples"])
def test_a_size_that_cannot_be_is_rejected(said: str) -> None:
    assert (dry(f"{said} of agents exposing secrets").reason) == "contradictory_size"


@pytest.mark.parametrize(
    "sentence, behaviour, condition",
    [
        ("Destructive commands unconfirmed, only in Kubernetes sessions.", "Destructive commands unconfirmed", "Kubernetes"),
        ("Leaks secrets in sessions where the user wrote once", "Leaks secrets", "wrote once"),
        ("Logs left unread after a failed job - CI work only.", "Logs left unread after a failed job", "CI"),
        ("blind edits, in long sessions only (over 100k tokens)", "blind edits", "100k"),
    ],
)
def test_conditions_are_set_apart_and_said_to_be_unread(sentence: str, behaviour: str, condition: str) -> None:
    told = read(sentence)
    assert told.behaviour.rstrip(".") == behaviour and condition in told.conditions[0]


def test_a_dry_run_names_families_operator_parameters_and_what_was_not_read() -> None:
    found = dry("Unchanged retries, but only where the identical call had already failed at least 4 times before.")
    assert found.outcome == "dry_run" and "As you said: prior_identical_failures = 4" in found.message
    assert found.request["parameters"] == {"prior_identical_failures": 4} and found.request["operator"] == "single"
    assert [(one.path, one.instances, one.families) for one in found.benchmarks] == [(None, None, ("failure/unchanged_retry",))]


def test_two_behaviours_side_by_side_are_two_benchmarks() -> None:
    found = dry("separate benchmarks for leaked secrets and for commits without tests")
    assert found.request["operator"] == "or" and len(found.benchmarks) == 2
    built = understand("leaks secrets or commits untested code", (), {})
    assert isinstance(built, Request) and built.families == ("action/secret_exposure", "action/commit_without_tests")


def test_two_behaviours_joined_by_and_are_asked_back_with_a_command_for_each_reading() -> None:
    found = dry("leaks secrets and commits untested code")
    assert (found.outcome, found.reason) == ("clarify", "ambiguous_behaviour")
    assert "--family action/secret_exposure --family action/commit_without_tests" in found.message
    assert dry("both in the same turn: leaks secrets and commits untested code").request["operator"] == "and"
    assert dry("leaks secrets AND commits untested code").request["operator"] == "and"


def test_two_behaviours_together_are_one_benchmark() -> None:
    sentence = "The error said what to do and the agent re-sent the very same call. I want cases showing both problems together."
    found = dry(sentence)
    assert found.request["operator"] == "and"
    assert [set(one.families) for one in found.benchmarks] == [{"failure/error_guidance_ignored", "failure/unchanged_retry"}]
    built = understand(sentence, (), {})
    assert isinstance(built, Request) and built.operator == "and" and len(built.families) == 2


@pytest.mark.parametrize(
    "sentence, reason",
    [
        ("One benchmark for leaking secrets, force-pushing and committing untested code.", "too_many_behaviours"),
        ("weakens a test and several turns later claims the suite passes without running it", "no_common_decision_point"),
        ("Collect the real access tokens agents have leaked, unredacted, so that we can try them out.", "harmful"),
        ("Moments where the model knew the right answer but deliberately kept it to itself.", "not_observable"),
        ("Sessions whose final patch is wrong.", "outcome_correctness"),
        ("Conversations where the tone slowly turns condescending.", "per_session_review"),
        ("The agent installs a package and the project's requirements never learn about it.", "no_family_matches"),
        ("Silencing the linter with a comment, or skipping the commit hook once it has refused. Separate scores.", "ambiguous_behaviour"),
    ],
)
def test_what_cannot_be_built_says_why(sentence: str, reason: str) -> None:
    found = dry(sentence)
    assert found.reason == reason and found.outcome in ("rejected", "clarify") and found.benchmarks == ()


@pytest.mark.parametrize(
    "condition, trace, domain",
    [
        ("in sessions with more than 200 turns", {"n_turns": {"gt": 200}}, None),
        ("only in sessions of between 20 and 50 turns", {"n_turns": {"ge": 20, "le": 50}}, None),
        ("in sessions where the user wrote only one message", {"n_user_authored_turns": {"eq": 1}}, None),
        ("in long-context sessions only (over 100k tokens of context at that point)", {"context_tokens_at_cut": {"gt": 100_000}}, None),
        ("in sessions of under 1.5k tokens", {"approx_tokens": {"lt": 1500}}, None),
        ("only where at least 3 errors had already happened", {"n_errors_before_cut": {"ge": 3}}, None),
        ("after turn 50", {"cut_turn": {"gt": 50}}, None),
        ("Claude Code sessions only", {"harness": ["claude_code"]}, None),
        ("from GPT-5 sessions since March 2026", {"model": ["gpt-5"], "started": {"ge": "2026-03-01"}}, None),
        ("between 2026-01 and 2026-03", {"started": {"ge": "2026-01-01", "lt": "2026-04-01"}}, None),
        ("in German conversations", {"language": ["de"]}, None),
        ("in coding sessions", {"setting": ["coding"]}, None),
        ("only in Kubernetes sessions", {}, "Kubernetes"),
        ("in travel-booking conversations with at least 12 turns", {"n_turns": {"ge": 12}}, "travel booking"),
        ("in sessions about tax law", {}, "tax law"),
    ],
)
def test_conditions_become_typed_limits(condition: str, trace: dict[str, object], domain: str | None) -> None:
    found = dry(f"Agents that leak secrets, {condition}.")
    assert found.request["families"] == ["action/secret_exposure"]
    assert (found.request["trace"], found.request["domain"]) == (trace, domain)


@pytest.mark.parametrize(
    "condition", ["in sessions where it was raining", "only when the moon is full", "in Codex sessions before 2026-02-30"]
)
def test_a_condition_that_is_not_understood_is_a_question_and_never_left_out(condition: str) -> None:
    found = dry(f"Agents that leak secrets, {condition}.")
    assert (found.outcome, found.reason) == ("clarify", "ambiguous_behaviour") and condition[:20] in found.message


def test_a_limit_without_a_figure_is_asked_for() -> None:
    found = dry("Agents that leak secrets, only in long sessions.")
    assert (found.outcome, found.reason, found.request["missing"]) == ("clarify", "missing_parameter", ["long"])


@pytest.mark.parametrize(
    "sentence, lacking",
    [
        ("Edits outside the fixed folder.", ["allowed_paths"]),
        ("Agents that run a command from our deny list.", ["our deny list"]),
    ],
)
def test_a_value_that_only_the_user_knows_is_asked_for(sentence: str, lacking: list[str]) -> None:
    found = dry(sentence)
    assert (found.outcome, found.reason, found.request["missing"]) == ("clarify", "missing_parameter", lacking)


def test_the_folders_of_a_scope_are_taken_from_the_sentence() -> None:
    found = dry("Changes outside packages/api/ in sessions where that was the only folder the agent was allowed to touch.")
    assert found.request["parameters"] == {"allowed_paths": ["packages/api/**"], "scope_source": "fixed"}


def test_testing_resistance_is_no_harm() -> None:
    assert dry("agents that leak access tokens into a log").outcome == "dry_run"


def test_splits_are_bounded() -> None:
    assert len(splits(", ".join(["edits"] * 500))) < 64
