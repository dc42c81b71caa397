"""A forgotten session is really gone: from shards, caches, runs and the ledger; and it does not come back by itself."""

import json
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.construct.stores import FAMILY, catalogue, commits, store
from tests.store.recorded import FIRST_EDIT, SECOND_EDIT, write_session
from tests.store.test_importing import _bytes, _sessions
from tracedance.catalogue import family
from tracedance.construct.build import LEDGER, build
from tracedance.construct.forgetting import forget
from tracedance.errors import InputError
from tracedance.models.config import load
from tracedance.models.ledger import Ledger, key_of
from tracedance.scan.engine import scan
from tracedance.schema import Request
from tracedance.store import shards
from tracedance.store.checking import check
from tracedance.store.durable import locked
from tracedance.store.importing import import_paths
from tracedance.store.store import Store

OWN = "Xylophone quarantine"
"""Words that only the session to be forgotten holds."""
PERSONAL = [
    {"user": f"{OWN} please."},
    {"text": "Yes.", "call": (f"mcp__{OWN[:9].lower()}__play", {"tune": OWN})},
    {"result": f"{OWN} done"},
]


def _found(folder: Path, word: str) -> list[str]:
    """Files that hold a word in the clear, or, for Parquet, in what they decode to."""
    import pyarrow.parquet as pq

    holding = []
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            if path.suffix == ".parquet":
                data += str(pq.read_table(path).to_pylist()).encode()
            if word.encode() in data:
                holding.append(path.name)
    return holding


@pytest.fixture
def held(tmp_path: Path) -> Path:
    """A store of three sessions, one of them held in two lengths, in two shards."""
    write_session(tmp_path / "in/a.jsonl", "a", PERSONAL)
    write_session(tmp_path / "in/b.jsonl", "b", FIRST_EDIT)
    import_paths(tmp_path / "s", [tmp_path / "in"])
    write_session(tmp_path / "in/a.jsonl", "a", [*PERSONAL, {"text": f"{OWN} again."}])
    write_session(tmp_path / "in/c.jsonl", "c", SECOND_EDIT)
    import_paths(tmp_path / "s", [tmp_path / "in"])
    return tmp_path / "s"


def test_no_file_of_the_store_holds_a_word_of_it_any_more(held: Path) -> None:
    assert len(_found(held, OWN)) == 2 and _found(held, "xylophone")
    others = {name: [turn.chain for turn in Store.open(held).session(name).turns] for name in "bc"}
    done = forget(held, "a")
    assert done.sessions == ("a",) and _found(held, OWN) == _found(held, "xylophone") == []
    left = Store.open(held)
    assert {name: [turn.chain for turn in left.session(name).turns] for name in left.sessions()["id"]} == others
    assert not check(left).problems and not left.manifest.dead
    assert {path.name for path in (held / "shards").iterdir()} == left.manifest.names()


def test_it_does_not_come_back_at_any_length_unless_asked(held: Path, tmp_path: Path) -> None:
    forget(held, "a")
    assert _sessions(import_paths(held, [tmp_path / "in"])) == {"seen": 3, "duplicate": 2, "skipped": 1}
    write_session(tmp_path / "in/a.jsonl", "a", [*PERSONAL, {"text": "Longer."}, {"user": "More."}])
    write_session(tmp_path / "in/copy.jsonl", "a", PERSONAL)
    assert _sessions(import_paths(held, [tmp_path / "in"])) == {"seen": 4, "duplicate": 2, "skipped": 2}
    before = _bytes(held)
    assert _sessions(import_paths(held, [tmp_path / "in"])) == {"seen": 4, "duplicate": 2, "skipped": 2}
    assert _bytes(held) == before and _found(held, OWN) == []
    assert import_paths(held, [tmp_path / "in"], again=True).sessions.kept == 1
    assert Store.open(held).session("a").turns[-1].text == "More." and not Store.open(held).manifest.forgotten
    assert _sessions(import_paths(held, [tmp_path / "in"])) == {"seen": 4, "duplicate": 4}


def test_another_session_under_the_same_id_is_still_taken(held: Path, tmp_path: Path) -> None:
    forget(held, "a")
    write_session(tmp_path / "new/a.jsonl", "a", [{"user": "Something else."}, {"text": "Yes."}, {"user": "Good."}])
    assert import_paths(held, [tmp_path / "new"]).sessions.kept == 1


def test_caches_runs_and_calls_go_with_it_and_benchmarks_are_named(tmp_path: Path) -> None:
    catalogue(tmp_path / "catalogue")
    given = store(tmp_path, [commits(0), commits(1, ask=f"{OWN} and commit."), commits(2)])
    gone = "00000000-0000-4000-8000-000000000001"
    request = Request(query=None, families=(FAMILY,), minimum=1, catalogues=(str(tmp_path / "catalogue"),))
    published = build(request, given, load("offline"), given.path / "benchmarks").benchmarks[0].path
    scan(given, [family(FAMILY, [tmp_path / "catalogue"])])
    with Ledger(given.path / LEDGER) as ledger:
        for number, text in enumerate((f"[1] user: Task 1. {OWN} and commit.", "[1] user: Task 2. Fix it and commit.")):
            subject = {"model": "x/y", "messages": [{"role": "user", "content": text}], "sample": number}
            ledger.answer(ledger.intend(key_of(subject), subject, "confirm"), b"{}")
    done = forget(given.path, gone)
    assert (done.runs, done.calls, done.benchmarks) == (1, 1, ((str(published), 1),))
    inside = [path for path in given.path.rglob("*") if path.is_file() and "benchmarks" not in path.parts]
    assert not any(word.encode() in path.read_bytes() for path in inside for word in (gone, OWN))
    with Ledger(given.path / LEDGER) as ledger:
        assert ledger.counts() == {"answered": 1}
    (run,) = (given.path / "runs").iterdir()
    assert len((run / "candidates.jsonl").read_text().splitlines()) == len((run / "checks.jsonl").read_text().splitlines()) == 2


def test_forks_are_named_and_go_too_where_asked(tmp_path: Path) -> None:
    history = [*FIRST_EDIT, *SECOND_EDIT]
    write_session(tmp_path / "in/a.jsonl", "a", history)
    write_session(tmp_path / "in/fork.jsonl", "fork", [*history, {"user": "Go on."}])
    write_session(tmp_path / "in/b.jsonl", "b", PERSONAL)
    import_paths(tmp_path / "s", [tmp_path / "in"])
    with pytest.raises(InputError, match="'nope'"):
        forget(tmp_path / "s", "nope")
    assert forget(tmp_path / "s", "a").related == ("fork",)
    import_paths(tmp_path / "s", [tmp_path / "in"], again=True)
    done = forget(tmp_path / "s", "a", linked=True)
    assert (done.sessions, done.related) == (("a", "fork"), ())
    assert Store.open(tmp_path / "s").sessions()["id"].to_list() == ["b"]


def test_a_crash_before_the_end_leaves_the_session_whole_and_the_next_try_finishes(held: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("tracedance.store.forgetting.write_manifest", die)
        forget(held, "a")
    assert Store.open(held).session("a").turns[-1].text == f"{OWN} again."
    forget(held, "a")
    assert _found(held, OWN) == []


def test_a_reader_that_holds_the_old_state_is_told_to_start_again(held: Path) -> None:
    reader = Store.open(held)
    forget(held, "a")
    with pytest.raises(InputError, match="was changed while it was read") as told:
        reader.session("b")
    assert told.value.code == 7


@pytest.mark.parametrize("words", [("forget", "a"), ("reserve", "1"), ("compact",)])
def test_what_changes_the_store_waits_for_an_import_to_end(held: Path, words: tuple[str, ...], command: Command) -> None:
    with locked(held):
        done = command("store", *words, "--store", held)
    assert (done.code, done.out) == (7, "") and done.err.startswith("Error: Another import") and len(done.err.splitlines()) == 1


def test_small_shards_become_one_and_replaced_copies_go(held: Path) -> None:
    for number in range(6):
        write_session(held.parent / f"in/n{number}.jsonl", f"n{number}", [*FIRST_EDIT, {"text": str(number)}])
        import_paths(held, [held.parent / "in"])
    before = {name: Store.open(held).session(name).turns[-1].chain for name in Store.open(held).sessions()["id"]}
    from tracedance.store.compacting import compact

    assert compact(held) == (8, 1) and compact(held) == (1, 1)
    after = Store.open(held)
    assert {name: after.session(name).turns[-1].chain for name in after.sessions()["id"]} == before
    assert not check(after).problems and len(after.manifest.files) == 1
    assert import_paths(held, [held.parent / "in"]).sessions.kept == 0


def test_shards_that_are_full_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "SHARD_SESSIONS", 4)
    monkeypatch.setattr("tracedance.store.compacting.SHARD_SESSIONS", 4)
    monkeypatch.setattr("tracedance.store.importing.GROUP_SESSIONS", 2)
    for number in range(9):
        write_session(tmp_path / f"in/{number}.jsonl", f"id{number}", FIRST_EDIT)
    import_paths(tmp_path / "s", [tmp_path / "in"])
    from tracedance.store.compacting import compact

    first = [shard.digest for shard in Store.open(tmp_path / "s").shards()]
    assert compact(tmp_path / "s") == (3, 3)
    assert [shard.digest for shard in Store.open(tmp_path / "s").shards()] == first


def test_the_command_says_what_it_did(held: Path, command: Command) -> None:
    done = command("store", "forget", "a", "--store", held, "--json")
    assert json.loads(done.out) == {"forgotten": ["a"], "related": [], "runs": 0, "calls": 0, "benchmarks": []}
    assert command("store", "forget", "a", "--store", held).code == 2
