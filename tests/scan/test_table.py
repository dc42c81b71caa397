"""Rates by rule: what guards refuse is no offence, and rates can be told apart by what sessions differ in."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.scan.families import HandFamily, after_failed_edits, card
from tests.store.recorded import FIRST_EDIT, SECOND_EDIT, write_session
from tracedance.scan.engine import scan
from tracedance.scan.table import BY, table
from tracedance.schema import FamilyCard, Hit, Question, Session
from tracedance.store.importing import import_paths
from tracedance.store.store import Store


@dataclass
class Guarded(HandFamily):
    """A hand-written family with one guard."""

    guards: dict[str, Any] = field(default_factory=dict)


def guarded(guard: Any) -> Guarded:
    asked = Question(ask="Is it?", want="no", guards=("told_to",))
    questions: FamilyCard = card().model_copy(update={"confirm": (asked,)})
    return Guarded("failure/retry", after_failed_edits, card=questions, guards={"told_to": guard})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    for name in ("a", "b"):
        write_session(tmp_path / f"in/{name}.jsonl", name, [{"user": name}, *FIRST_EDIT[1:], *SECOND_EDIT])
    import_paths(tmp_path / "s", [tmp_path / "in"])
    return Store.open(tmp_path / "s")


def of_a(session: Session, hit: Hit) -> bool:
    return session.id == "a"


def test_a_hit_that_a_guard_refuses_is_counted_apart(store: Store) -> None:
    family = guarded(of_a)
    (row,) = table(scan(store, [family]), [family])["families"]
    assert (row["opportunities"], row["hits"], row["refused"], row["offences"], row["rate"]) == (2, 2, 1, 1, 0.5)
    assert [place.get("refused_by") for place in row["places"]] == ["told_to", None]


def test_a_guard_that_raises_leaves_the_hit_and_a_row(store: Store) -> None:
    def breaks(session: Session, hit: Hit) -> bool:
        raise KeyError("content")

    family = guarded(breaks)
    made = table(scan(store, [family]), [family])
    assert made["families"][0]["offences"] == 2
    assert {row["reason"].partition(" in ")[0] for row in made["failures"]} == {"guard told_to: KeyError"}


@pytest.mark.parametrize("by", BY)
def test_the_parts_of_a_breakdown_add_up(store: Store, by: Any) -> None:
    family = guarded(of_a)
    made = table(scan(store, [family]), [family], (by,), store.sessions())
    (row,) = made["families"]
    parts = row["by"][by]
    assert parts and {name: sum(part[name] for part in parts) for name in ("opportunities", "hits", "refused", "offences")} == {
        name: row[name] for name in ("opportunities", "hits", "refused", "offences")
    }
    assert sum(made["by"][by].values()) == 2
