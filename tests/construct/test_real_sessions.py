"""The cut on real sessions: hardly any real decision is dropped, and a cut shifted by one turn never passes."""

from collections import Counter
from pathlib import Path

import pytest

from tests.construct.families import family, hit
from tracedance.construct.cut import Origin, cut
from tracedance.errors import ItemError
from tracedance.schema import Session
from tracedance.store.importing import import_paths
from tracedance.store.store import Store

ORIGIN = Origin(session="5e55", redaction="d16e57", confirmed_by="rule")
FAMILY = family("action")


@pytest.fixture(scope="module")
def sessions(real_traces: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Session]:
    path = tmp_path_factory.mktemp("real") / "store"
    import_paths(path, [real_traces / name for name in ("claude_code", "codex", "tau_bench")])
    store = Store.open(path)
    return [store.session(name) for name in store.sessions()["id"].to_list()]


def reason(session: Session, decision: int) -> str:
    try:
        cut(session, hit(decision=decision, evidence=()), FAMILY, ORIGIN)
    except ItemError as error:
        return error.reason
    return ""


def test_hardly_any_real_decision_is_dropped(sessions: list[Session]) -> None:
    found = Counter(reason(session, turn.index) for session in sessions for turn in session.turns if turn.role == "assistant")
    assert found.total() > 1000
    assert found[""] / found.total() > 0.95, found
    assert not found["decision_quoted"] and not found["late_text_quotes_the_decision"], found


def test_no_cut_shifted_by_one_turn_passes(sessions: list[Session]) -> None:
    for session in sessions:
        good = [turn.index for turn in session.turns if turn.role == "assistant" and not reason(session, turn.index)]
        assert not any(reason(session, decision + shift) == "" for decision in good for shift in (-1, 1)), session.id


def test_a_context_holds_no_word_of_its_decision_or_of_what_followed(sessions: list[Session]) -> None:
    for session in sessions:
        for turn in session.turns:
            if turn.role == "assistant" and not reason(session, turn.index):
                context = cut(session, hit(decision=turn.index, evidence=()), FAMILY, ORIGIN).instance.messages
                assert all(message.turn < turn.index for message in context)
