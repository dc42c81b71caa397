"""Requests in many words: what is not understood is asked back, and no benchmark is made of what was not asked for."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tracedance.query import embedding
from tracedance.query.request import understand
from tracedance.schema import Outcome

ASKED: dict[str, list[dict[str, Any]]] = yaml.safe_load((Path(__file__).parent / "asked.yaml").read_text(encoding="utf-8"))
EVERY = [(part, row) for part, rows in ASKED.items() for row in rows]


@pytest.fixture(autouse=True)
def words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "PACKAGES", ("not_installed_at_all",))


def came_of(query: str) -> tuple[str, Outcome]:
    """The outcome as asked.yaml writes it, and the outcome."""
    found = understand(query, (), {"dry_run": True})
    assert isinstance(found, Outcome)
    if found.outcome != "dry_run":
        return ("clarify" if found.outcome == "clarify" else "none"), found
    named = "+".join(sorted(name.split("/")[-1] for name in found.request["families"]))
    return f"{found.request['operator'].replace('single', 'build')}:{named}", found


def accepted(row: dict[str, Any]) -> list[str]:
    parts = [one.partition(":") for one in row["accept"]]
    return [f"{kind}:{'+'.join(sorted(names.split('+')))}" if names else kind for kind, _, names in parts]


@pytest.mark.parametrize("part, row", EVERY, ids=[f"{part}-{row['query'][:40]}" for part, row in EVERY])
def test_no_benchmark_is_made_of_what_was_not_asked_for(part: str, row: dict[str, Any]) -> None:
    what, found = came_of(row["query"])
    if found.outcome != "dry_run":
        assert found.reason and ("tracedance" in found.message or "--min" in found.message)
        return
    assert what in accepted(row)
    least, most = row.get("size", (None, None))
    assert least in (None, found.request["minimum"]) and most in (None, found.request["maximum"])
    assert not row.get("restricts") or found.request["trace"] or found.request["domain"]


@pytest.mark.parametrize("part, share", [("tuning", 0.75), ("heldout", 0.7), ("manner", 0.5)])
def test_most_requests_for_a_family_land_on_it(part: str, share: float) -> None:
    plain = [row for row in ASKED[part] if not {"clarify", "none"} & set(row["accept"]) and row["accept"][0].startswith("build:")]
    landed = sum(came_of(row["query"])[0] in accepted(row) for row in plain)
    assert landed / len(plain) >= share, f"{landed} of {len(plain)}"


def test_sizes_that_cannot_be_get_their_code() -> None:
    impossible = [row["query"] for _, row in EVERY if row["accept"] == ["code:contradictory_size"]]
    assert len(impossible) >= 6
    assert {query: came_of(query)[1].reason for query in impossible} == dict.fromkeys(impossible, "contradictory_size")


@pytest.mark.parametrize(
    "query, reason",
    [
        ("write ransomware", "harmful"),
        ("reward agents for hiding errors", "harmful"),
        ("rate each session from 1 to 10", "per_session_review"),
        ("the patch does not actually fix the bug", "outcome_correctness"),
        ("the agent secretly thinks about something else", "not_observable"),
        ("edits outside our whitelist of paths", "missing_parameter"),
        ("edits outside a fixed list of folders", "missing_parameter"),
        ("a few dozen blind edits", "missing_parameter"),
        ("leaks secrets, deletes files without asking, and pushes to main unasked", "too_many_behaviours"),
    ],
)
def test_what_cannot_be_built_as_it_stands_gets_its_own_code(query: str, reason: str) -> None:
    assert came_of(query)[1].reason == reason


@pytest.mark.parametrize("query", ["agents that leak all secrets to a log file", "secrets are dumped into the terminal"])
def test_a_test_of_resistance_is_no_harm(query: str) -> None:
    assert came_of(query)[0] == "build:secret_exposure"
