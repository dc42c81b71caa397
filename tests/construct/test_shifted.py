"""A cut that ends one turn too early or too late is caught, over all that the catalogue finds in synthetic sessions and its examples."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tracedance.catalogue import Family, families
from tracedance.construct.checks import ON_MESSAGES, ON_WINDOW
from tracedance.construct.cut import Origin, cut
from tracedance.construct.messages import messages
from tracedance.construct.window import window
from tracedance.errors import ItemError
from tracedance.evaluate.grade import word_of
from tracedance.evaluate.judging import recorded
from tracedance.schema import Hit, Session
from tracedance.store.importing import import_paths
from tracedance.store.store import Store
from tracedance.synth.corpus import write

ORIGIN = Origin(session="5e55", redaction="d16e57", confirmed_by="rule", accepted=("replayable", "reconstructed", "scan_only"))
CAUGHT = 0.95
Found = tuple[Session, Hit, Family]


def stands(session: Session, hit: Hit, family: Family) -> bool:
    try:
        cut(session, hit, family, ORIGIN)
    except ItemError:
        return False
    return True


def in_examples() -> Iterator[Found]:
    for family in families().values():
        for example in family.examples:
            yield from ((example.session, hit, family) for hit in family.find(example.session, example.params))


def in_sessions(folder: Path, count: int, seed: int) -> Iterator[Found]:
    write(folder / "sessions", count, seed)
    import_paths(folder / "store", [folder / "sessions" / name for name in ("claude_code", "codex")])
    store = Store.open(folder / "store")
    for name in store.sessions()["id"].to_list():
        session = store.session(name)
        for family in families().values():
            yield from ((session, hit, family) for hit in family.find(session))


def shifted_decision_passes(found: Found, by: int) -> bool:
    """The decision taken to be its neighbour: the context then ends one turn early, or holds the decision itself."""
    session, hit, family = found
    return stands(session, hit.model_copy(update={"decision": hit.decision + by}), family)


def shifted_context_passes(found: Found, by: int) -> bool:
    """The decision as it is, and a context that lacks the turn before it, or holds the decision itself."""
    session, hit, family = found
    kept = window(session, hit, family.frame)
    start = session.context_start(hit.decision)
    moved = replace(kept, turns=session.turns[start : hit.decision + by])
    context = messages(moved)
    return not any(check(moved) for check in ON_WINDOW.values()) and not any(check(moved, context) for check in ON_MESSAGES.values())


@pytest.mark.parametrize("corpus", ["examples", "demo", "other seed"])
def test_shifted_cuts_are_caught(corpus: str, tmp_path: Path) -> None:
    every = in_examples() if corpus == "examples" else in_sessions(tmp_path, 24, 7 if corpus == "demo" else 23)
    built = [found for found in every if stands(*found)]
    assert len(built) > 100
    passed = {
        f"{passes.__name__} by {by:+d}": sum(passes(found, by) for found in built)
        for passes in (shifted_decision_passes, shifted_context_passes)
        for by in (-1, 1)
    }
    assert all(count <= (1 - CAUGHT) * len(built) for count in passed.values()), passed


def neighbours(session: Session, hit: Hit) -> list[Hit]:
    """The same hit with the model's previous, and its next, turn for the decision."""
    mine = [turn.index for turn in session.turns if turn.role == "assistant"]
    place = mine.index(hit.decision)
    return [hit.model_copy(update={"decision": mine[other]}) for other in (place - 1, place + 1) if 0 <= other < len(mine)]


def shows(session: Session, hit: Hit, family: Family) -> bool:
    """Whether it can be cut there, and the turn that is withheld then violates by the family's own check."""
    try:
        made = cut(session, hit, family, ORIGIN)
    except ItemError:
        return False
    return word_of(family.check, made.instance, recorded(made.instance, made.check.source), made.check.facts)[0] == "violates"


def test_another_decision_of_the_model_does_not_pass_for_the_one_that_offends(tmp_path: Path) -> None:
    offences = [found for found in in_sessions(tmp_path, 40, 7) if found[1].offends and stands(*found)]
    moved = [(session, other, family) for session, hit, family in offences for other in neighbours(session, hit)]
    assert len(moved) > 100
    assert sum(shows(*found) for found in moved) <= (1 - CAUGHT) * len(moved)
    assert sum(shows(*found) for found in offences) >= CAUGHT * len(offences)
