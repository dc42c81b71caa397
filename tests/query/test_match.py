"""A sentence lands on the right family, or leads to a question, or on none; never on a wrong one."""

from collections import Counter
from pathlib import Path

import pytest
import yaml

from tracedance.catalogue import families
from tracedance.errors import InputError
from tracedance.query import embedding
from tracedance.query.match import Match, match
from tracedance.query.phrases import neighbours, phrases
from tracedance.schema import Cut, FamilyCard, Question

PHRASINGS = yaml.safe_load((Path(__file__).parent / "phrasings.yaml").read_text(encoding="utf-8"))
ALL = [(part, row["is"], row["say"]) for part, rows in PHRASINGS.items() for row in rows]


FAMILIES = {name: family.card for name, family in families().items()}


def card(words: dict[str, object]) -> FamilyCard:
    rest = {"group": "check_first", "setting": ["coding"], "why": "-", "not_this": [], "sources": ["-"]}
    return FamilyCard.model_validate({**rest, **words, "confirm": [Question(ask="-", want="yes")], "cut": Cut(keeps="-")})


def lexically(query: str) -> Match:
    return match(query, FAMILIES, second_opinion=False)


@pytest.mark.parametrize("part, family, query", ALL, ids=[f"{part}-{query[:40]}" for part, _, query in ALL])
def test_a_sentence_is_never_taken_for_a_wrong_family(part: str, family: str | None, query: str) -> None:
    found = lexically(query)
    assert found.kind != "one" or found.nearest[0].family == family


LANDED = {"tune": 0.9, "held": 0.9, "fresh": 0.9, "last": 0.8, "second": 0.9, "unseen": 0.85, "unseen_too": 0.8, "final": 0.9}
LANDED |= {"catalogue": 0.9, "catalogue_held": 0.9, "catalogue_blind": 0.9, "catalogue_blind_too": 0.7}


@pytest.mark.parametrize("part", LANDED)
def test_most_sentences_about_a_family_land_on_it_and_nearly_all_others_lead_to_a_question(part: str) -> None:
    asked = [(row["is"], lexically(row["say"])) for row in PHRASINGS[part] if row["is"]]
    landed = sum(found.kind == "one" for _, found in asked)
    helped = sum(family in [near.family for near in found.near] for family, found in asked)
    counted = Counter(found.kind for _, found in asked)
    assert landed / len(asked) >= LANDED[part] and helped / len(asked) >= 0.85, counted
    assert sum(found.nearest[0].family == family for family, found in asked) / len(asked) >= 0.95


ALIKE = {
    "failure/unchanged_retry": ["the same failing command again, unchanged", "repeats an identical call after it failed"],
    "failure/error_guidance_ignored": ["the error says what to do and the next call ignores it", "ignores the fix in the error message"],
    "failure/edit_retry_without_reread": [
        "the edit failed and it edits again without reading the file",
        "retries a rejected edit from memory",
    ],
    "failure/reissue_without_state_check": ["pays again after a timeout without checking", "sends the order twice after a timeout"],
    "claim/test_pass_claim_without_run": ["says the tests pass but never ran them", "claims green tests without a test run"],
    "claim/success_claim_against_evidence": [
        "says the tests pass although they failed",
        "claims it is fixed while the output shows an error",
    ],
    "claim/completion_claim_with_open_items": [
        "says everything is done with to-dos open",
        "declares the task finished, two items are still open",
    ],
    "claim/action_claim_without_call": ["says it sent the mail but never did", "claims to have saved the file although it did not"],
    "claim/unread_source_claim": ["describes a file that it never opened", "makes claims about code it has not read"],
    "action/destructive_command_unconfirmed": ["deletes the user's files without asking", "runs destructive commands unconfirmed"],
    "action/consequential_action_unconfirmed": ["sends a mail without confirmation", "cancels the booking without asking"],
    "failure/guard_bypass_after_block": ["works around a permission denial", "bypasses the hook after it blocked the commit"],
    "action/out_of_scope_edit": ["edits files outside the allowed folder", "edits a file that it was told not to touch"],
    "failure/failed_step_ignored": ["goes on as if the failed step had worked", "a command fails and the agent ignores it"],
}


@pytest.mark.parametrize("family", ALIKE)
def test_families_that_are_easily_confused_are_told_apart(family: str) -> None:
    found = [lexically(query) for query in ALIKE[family]]
    assert [(one.kind, one.nearest[0].family) for one in found] == [("one", family)] * 2


def test_most_sentences_about_something_else_match_nothing() -> None:
    asked = [lexically(row["say"]) for rows in PHRASINGS.values() for row in rows if row["is"] is None]
    assert sum(found.kind == "none" for found in asked) / len(asked) >= 0.78


def test_what_is_not_near_is_not_offered() -> None:
    for part, _, query in ALL:
        found = lexically(query)
        assert len(found.nearest) == 3 and all(near.score >= 0.5 for near in found.near), (part, query)
        assert found.near or found.kind == "none"


def test_nonsense_is_known_as_such() -> None:
    assert not lexically("asdf qwer").intelligible and lexically("edits").intelligible


@pytest.mark.skipif(not embedding.available(), reason="the embeddings extra is not installed")
def test_embeddings_settle_some_open_cases_and_no_case_wrongly() -> None:
    found = {query: (family, match(query, FAMILIES)) for part, family, query in ALL if part in ("unseen_too", "final")}
    wrong = [query for query, (family, one) in found.items() if one.kind == "one" and one.nearest[0].family != family]
    assert wrong == []
    assert any(one.matched_by == "embedding" for _, one in found.values())


def test_the_moon_matches_nothing_and_names_the_nearest() -> None:
    found = lexically("sessions where the moon was full")
    assert found.kind == "none" and len(found.nearest) == 3


def test_a_family_of_its_own_takes_the_place_of_its_neighbour_entry() -> None:
    words = {"title": "Silences the linter", "label": "-", "definition": "Adds a suppression instead of fixing what a linter found."}
    asked_as = ["adds eslint-disable instead of fixing the warning", *[f"suppresses lint finding number {n}" for n in range(5)]]
    known = {**FAMILIES, "action/lint_type_suppression": card({**words, "asked_as": asked_as})}
    assert "lint_type_suppression" in neighbours()
    assert not any(phrase.behaviour == "lint_type_suppression" for phrase in phrases(known))
    found = match("adds eslint-disable comments instead of fixing the warnings", known, second_opinion=False)
    assert found.kind == "one" and found.nearest[0].family == "action/lint_type_suppression"


def test_a_family_without_ways_of_saying_it_is_matched_by_its_wordings() -> None:
    words = {"title": "Rebases a shared branch", "label": "-", "definition": "Rebases a branch that others work on."}
    asked_as = ["rebases a shared branch", *[f"rebases a branch that {n} others use" for n in range(5)]]
    known = {**FAMILIES, "action/rebase_of_shared_branch": card({**words, "asked_as": asked_as})}
    found = match("rebases a branch which others use", known, second_opinion=False)
    assert found.kind == "one" and found.nearest[0].family == "action/rebase_of_shared_branch"


def promoted() -> dict[str, FamilyCard]:
    """The catalogue with a family beside it that was written for a behaviour which shipped words know as none."""
    written = yaml.safe_load((Path(__file__).parents[1] / "servers" / "drafts" / "drift" / "card.yaml").read_text(encoding="utf-8"))
    return {**FAMILIES, "action/unrecorded_install": FamilyCard.model_validate(written)}


@pytest.mark.parametrize("query", promoted()["action/unrecorded_install"].asked_as)
def test_a_promoted_family_is_reached_by_each_of_its_own_sentences(query: str) -> None:
    found = match(query, promoted(), second_opinion=False)
    assert (found.kind, found.nearest[0].family) == ("one", "action/unrecorded_install")


@pytest.mark.parametrize("query", ["installs a package with sudo", "installs a package while the tests run", "install"])
def test_a_promoted_family_takes_nothing_that_is_merely_of_its_topic(query: str) -> None:
    assert match(query, promoted(), second_opinion=False).kind != "one"


def test_a_sentence_near_a_family_of_ones_own_and_of_a_shipped_one_leads_to_a_question() -> None:
    words = {"title": "Deletes production data", "label": "-", "definition": "Deletes rows of production without asking."}
    known = {**FAMILIES, "action/deletes_production_data": card({**words, "asked_as": ["deletes production data without asking"] * 6})}
    verbatim, near = (
        match(query, known, second_opinion=False)
        for query in ("deletes production data without asking", "deletes the production data unasked and silently")
    )
    assert (verbatim.kind, verbatim.nearest[0].family) == ("one", "action/deletes_production_data")
    assert near.kind == "clarify" or near.nearest[0].family == "action/deletes_production_data"


def test_weights_that_are_not_the_released_ones_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(InputError, match="not the released ones") as refused:
        embedding.checked(tmp_path)
    assert refused.value.code == 6


def test_no_families_match_nothing() -> None:
    assert match("commits without a look", {}).kind == "none"
