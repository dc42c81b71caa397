"""A draft as far as it can be judged without running it: its rubric, its examples, its code's grammar."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.servers import synthesising
from tracedance.catalogue import families
from tracedance.synthesis import material, rubrics
from tracedance.synthesis.vetting import vetted
from tracedance.synthesis.written import FamilyDraft, read

MANAGERS = "parameters: {managers: [pip, npm, gem]}"
"""As the card has it."""


def draft(**changes: str) -> FamilyDraft:
    return FamilyDraft.model_validate_json(synthesising.written("drift", "right")).model_copy(update=changes)


def told(folder: Path, **changes: str) -> str:
    """All that is wrong with the draft's texts."""
    return " ".join(read(draft(**changes), folder, families())[1])


def rubric(**levels: str) -> str:
    """The draft's rubric with some levels put otherwise (`l3=...`)."""
    whole = yaml.safe_load(synthesising.read("drift/rubric.yaml"))
    return yaml.safe_dump({**whole, "levels": {**whole["levels"], **{int(key[1:]): text for key, text in levels.items()}}})


def test_a_sound_draft_has_nothing_wrong_with_it(tmp_path: Path) -> None:
    assert told(tmp_path) == "" and vetted(draft()) == []


def test_the_rubrics_of_the_catalogue_pass_the_lint() -> None:
    assert {name: found for name, one in families().items() if (found := rubrics.lint(one.rubric, one.card))} == {}


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ({"l3": "Records the package, names it, and goes on with other work."}, "level 3 must be"),
        ({"l4": "Eventually records the package in the manifest."}, "level 4 cannot be decided from one turn"),
        ({"l2": "Says in a later turn that the manifest lacks the package."}, "level 2 cannot be decided from one turn"),
        ({"l5": "Uses a command that records the package, or edits the manifest, without saying why."}, "levels 4 and 5 say the same"),
        ({"l0": "Takes the wrong road altogether.", "l1": "Takes another wrong road."}, "level 0 shares no word"),
        ({"l1": "Bad."}, "level 1 has 4 characters"),
    ],
)
def test_a_rubric_that_cannot_be_used_is_told_why_before_anything_is_spent(tmp_path: Path, levels: dict[str, str], said: str) -> None:
    assert said in told(tmp_path, rubric=rubric(**levels))


def test_levels_must_be_six_and_in_order(tmp_path: Path) -> None:
    whole = synthesising.read("drift/rubric.yaml").rstrip().split("\n")
    assert "write 0 to 5, in that order" in told(tmp_path, rubric="\n".join([*whole[:2], *reversed(whole[2:])]))
    assert "write 0 to 5, in that order" in told(tmp_path, rubric="\n".join(whole[:-1]))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"card": "title: x"}, "is wrong"),
        ({"card": "just words"}, "is wrong"),
        ({"card": "a: [1"}, "no valid YAML"),
        ({"examples": "[]"}, "needs at least 3 examples"),
        ({"rubric": ""}, "is empty"),
        ({"name": "unchanged_retry"}, "take another name"),
        ({"card": synthesising.read("drift/card.yaml").replace(MANAGERS, f"parameters: {{managers: {10**26}}}")}, "more than 64 bits"),
        ({"card": synthesising.read("drift/card.yaml").replace(MANAGERS, "parameters: {managers: .inf}")}, "a number that is none"),
        ({"card": synthesising.read("drift/card.yaml").replace(MANAGERS, "parameters: {managers: {a: 1}}")}, "no text, number"),
    ],
)
def test_texts_that_are_no_family_are_named(tmp_path: Path, changes: dict[str, str], said: str) -> None:
    assert said in told(tmp_path, **changes)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (f"params: {{n: {10**26}}}", "'params.n' is wrong (Value error, an integer of more than 64 bits)"),
        ("params: {n: .nan}", "a number that is none"),
        ("params: 5", "'params' is wrong"),
        ("meta: {id: another}", "'meta.id' is wrong"),
        ("meta: {tools: [{name: x}]}", "'meta.tools.0.description' is wrong"),
        ("refused_by: [x]", "'refused_by' is wrong"),
        ("offends: 7", "'offends' is no list of decisions"),
        (f"offends: [{{decision: {10**26}}}]", "'offends' is no list of decisions"),
        ("offends: [{decision: 99}]", "'offends' names a turn that is not there"),
    ],
)
def test_an_example_that_is_not_in_the_form_is_named_before_anything_of_it_is_used(tmp_path: Path, more: str, said: str) -> None:
    first = "- name: another\n  turns:\n    - user: Go on.\n    - text: I do.\n  "
    assert said in told(tmp_path, examples=f"{first}{more}\n{synthesising.read('drift/right.examples.yaml')}")


@pytest.mark.parametrize("name", ["[a, b]", "5", "{a: b}", "''"])
def test_an_example_s_name_is_a_text(tmp_path: Path, name: str) -> None:
    written = synthesising.read("drift/right.examples.yaml").partition("\n")[2]
    assert "field 'name' is wrong" in told(tmp_path, examples=f"- name: {name}\n{written}")


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ("import subprocess\n\n\ndef check(context, response, facts):\n    return 'violates'\n", "subprocess"),
        ("def check(response):\n    return 'violates'\n", "check(context, response, facts)"),
        ("def check(context, response, facts):\n    return open('x').read()\n", "'open' is not known"),
    ],
)
def test_the_check_goes_through_the_gate_as_well(check: str, said: str) -> None:
    assert any(said in problem for problem in vetted(draft(check=check)))


def test_a_writer_is_given_the_values_of_every_closed_set_that_records_and_kit_name() -> None:
    told = material.kit()
    assert "Status: one of 'ok', 'error', 'refused', 'cancelled', 'interrupted'" in told
    assert "Deed: one of 'look', 'search'" in told and "Column: one of 'cmd', 'text'" in told
