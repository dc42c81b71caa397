import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.scan.families import HandFamily, after_failed_edits, card
from tests.store.recorded import FIRST_EDIT, SECOND_EDIT, write_session
from tracedance.catalogue import families, family
from tracedance.construct.forgetting import forget
from tracedance.errors import InputError
from tracedance.kit.needs import among, matching
from tracedance.scan import engine
from tracedance.scan.carrying import carry_over
from tracedance.scan.engine import scan
from tracedance.scan.necessity import check_needs, told
from tracedance.scan.table import table
from tracedance.schema import Hit, Session
from tracedance.store.compacting import compact
from tracedance.store.importing import import_paths
from tracedance.store.store import Store

EXAMPLE = Path(__file__).resolve().parents[2] / "configs/examples/family"
CHAT: list[dict[str, Any]] = [{"user": "Hello."}, {"text": "Hello. What shall I do?"}]
READS: list[dict[str, Any]] = [{"text": "I look.", "call": ("Read", {"file_path": "/r/app.py"})}, {"result": "a b"}]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    write_session(tmp_path / "in/a.jsonl", "again", [*FIRST_EDIT, *SECOND_EDIT])
    write_session(tmp_path / "in/b.jsonl", "looks", [{"user": "Rename it."}, *FIRST_EDIT[1:], *READS])
    write_session(tmp_path / "in/c.jsonl", "chats", CHAT)
    return _imported(tmp_path)


def _imported(tmp_path: Path) -> Store:
    import_paths(tmp_path / "s", [tmp_path / "in"])
    return Store.open(tmp_path / "s")


def _retry() -> HandFamily:
    return HandFamily("failure/retry", after_failed_edits)


def test_hits_come_with_their_places_and_offences_apart_from_opportunities(store: Store) -> None:
    result = scan(store, [_retry()])
    assert [(place.session, place.hit.decision, place.hit.offends) for place in result.places] == [("again", 3, True), ("looks", 3, False)]
    assert result.places[0].chain == store.session("again").turns[3].chain
    assert (result.sessions, result.failures, result.candidates) == (3, [], {"failure/retry": 2})


def test_the_table_has_the_rate_per_opportunity_and_the_offending_places(store: Store) -> None:
    family = _retry()
    made = table(scan(store, [family]), [family])
    assert made["sessions"] == 3
    (row,) = made["families"]
    low, high = row.pop("interval")
    assert 0 < low < 0.5 < high < 1
    assert row == {
        "id": "failure/retry",
        "frame": "failure",
        "group": "handle_failure",
        "title": "t",
        "rate_among": "",
        "opportunities": 2,
        "hits": 1,
        "refused": 0,
        "offences": 1,
        "sessions": 1,
        "rate": 0.5,
        "places": [{"session": "again", "turn": 3, "why": "/r/app.py was edited again."}],
    }


def test_without_an_opportunity_there_is_no_rate(store: Store) -> None:
    undefined = HandFamily("failure/undefined", after_failed_edits, card=card(opportunity=None))
    nowhere = HandFamily("failure/nowhere", lambda session, params: iter(()))
    rows = {row["id"]: row for row in table(scan(store, [undefined, nowhere]), [undefined, nowhere])["families"]}
    assert (rows["failure/undefined"]["rate"], rows["failure/undefined"]["opportunities"]) == (None, None)
    assert (rows["failure/nowhere"]["rate"], rows["failure/nowhere"]["opportunities"], rows["failure/nowhere"]["interval"]) == (
        None,
        0,
        None,
    )


def test_a_shard_is_opened_once_whatever_the_number_of_families(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tracedance.store.shards.SHARD_SESSIONS", 2)
    monkeypatch.setattr("tracedance.store.importing.GROUP_SESSIONS", 1)
    for number in range(7):
        write_session(tmp_path / f"in/{number}.jsonl", f"id{number}", [*FIRST_EDIT, *SECOND_EDIT, {"text": str(number)}])
    store = _imported(tmp_path)
    families = [HandFamily(f"failure/f{number}", after_failed_edits) for number in range(5)]
    assert len(scan(store, families).places) == 5  # the same three turns in every session: one place
    assert sorted(store.opened.values()) == [1, 1, 1, 1]


def test_no_family_sees_a_session_that_does_not_meet_its_needs(store: Store) -> None:
    edits = HandFamily("failure/edits", after_failed_edits, among("tool_class", "edit"))
    greets = HandFamily("action/greets", lambda session, params: iter(()), matching("(?i)^hello", "text", among("role", "assistant")))
    both = HandFamily("action/both", lambda session, params: iter(()), among("tool", "Read") & among("status", "error"))
    scan(store, [edits, greets, both])
    assert (edits.seen, greets.seen, both.seen) == (["again", "looks"], ["chats"], ["looks"])


def test_a_pattern_that_the_engine_cannot_run_selects_too_much_and_never_too_little(store: Store) -> None:
    family = HandFamily("action/ahead", lambda session, params: iter(()), matching(r"Hello(?=\. What)", "text"))
    scan(store, [family])
    assert family.seen == ["again", "looks", "chats"]


def test_a_place_that_forks_share_is_counted_once_and_kept_in_the_parent(tmp_path: Path) -> None:
    write_session(tmp_path / "in/a.jsonl", "z-parent", [*FIRST_EDIT, *SECOND_EDIT])
    write_session(tmp_path / "in/b.jsonl", "zz-fork", [*FIRST_EDIT, *SECOND_EDIT, {"user": "And now?"}])
    store = _imported(tmp_path)
    assert len(store.sessions()) == 2
    result = scan(store, [_retry()])
    assert [(place.session, place.hit.decision) for place in result.places] == [("z-parent", 3)]


def test_a_replaced_session_is_not_scanned(tmp_path: Path) -> None:
    path = write_session(tmp_path / "in/a.jsonl", "a", [*FIRST_EDIT, SECOND_EDIT[0]])
    first = _imported(tmp_path)
    assert [place.hit.decision for place in scan(first, [_retry()]).places] == [3]
    write_session(path, "a", [*FIRST_EDIT, *SECOND_EDIT, {"user": "Thanks."}])
    family = _retry()
    result = scan(_imported(tmp_path), [family])
    assert (result.sessions, len(result.places), result.candidates, family.seen) == (1, 1, {"failure/retry": 1}, ["a"])


def test_an_anchor_that_raises_costs_its_result_for_that_session_alone(store: Store) -> None:
    def breaks(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
        yield Hit(decision=1, offends=True, why="before it broke")
        if session.id == "again":
            raise KeyError("session content must not be quoted")

    result = scan(store, [HandFamily("action/breaks", breaks), _retry()])
    assert [(place.family, place.session) for place in result.places] == [
        ("failure/retry", "again"),
        ("action/breaks", "looks"),
        ("failure/retry", "looks"),
    ]
    (failure,) = result.failures
    assert (failure.family, failure.session) == ("action/breaks", "again")
    assert failure.reason.startswith("KeyError in breaks, line ") and "quoted" not in failure.reason


@pytest.mark.parametrize(
    ("decision", "evidence", "reason"),
    [(99, (), "no turn"), (-1, (), "no turn"), (2, (), "no assistant turn"), (1, (77,), "evidence 77")],
)
def test_a_hit_outside_the_session_or_on_another_turn_is_a_failure(
    store: Store, decision: int, evidence: tuple[int, ...], reason: str
) -> None:
    def points(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
        yield Hit(decision=decision, evidence=evidence, offends=True, why="w")

    result = scan(store, [HandFamily("action/points", points)])
    assert result.places == []
    assert len(result.failures) == 2 and all(reason in failure.reason for failure in result.failures)


def test_parameters_override_the_defaults_of_families_that_have_them(store: Store) -> None:
    given: list[Mapping[str, Any]] = []

    def notes(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
        given.append(params)
        return iter(())

    scan(store, [HandFamily("action/notes", notes, card=card(window=3, strict=True))], {"window": 5, "other": 1})
    assert given[0] == {"window": 5, "strict": True}


def test_a_second_scan_opens_no_shard_and_gives_the_same_bytes(store: Store) -> None:
    first = json.dumps(table(scan(store, [_retry()]), [_retry()]))
    family, again = _retry(), Store.open(store.path)
    assert json.dumps(table(scan(again, [family]), [family])) == first
    assert (family.seen, again.opened) == ([], {})


@pytest.mark.parametrize("change", ["anchor", "parameters"])
def test_a_changed_anchor_or_parameter_is_scanned_anew(store: Store, change: str) -> None:
    scan(store, [HandFamily("failure/f", after_failed_edits, card=card(window=1))])
    family = HandFamily("failure/f", after_failed_edits, card=card(window=1), version="2" if change == "anchor" else "1")
    scan(store, [family], {"window": 2} if change == "parameters" else None)
    assert family.seen == ["again", "looks"]


def test_only_new_sessions_are_scanned_after_an_import(store: Store, tmp_path: Path) -> None:
    scan(store, [_retry()])
    write_session(tmp_path / "in/d.jsonl", "new", [{"user": "Another."}, *FIRST_EDIT[1:], *SECOND_EDIT])
    family = _retry()
    assert len(scan(_imported(tmp_path), [family]).places) == 3
    assert family.seen == ["new"]


def test_a_damaged_cache_is_made_again(store: Store) -> None:
    expected = scan(store, [_retry()])
    (cached,) = (store.path / "cache/scan").rglob("*.json")
    cached.write_bytes(cached.read_bytes().replace(b'"offends":true', b'"offends":false'))
    assert scan(store, [_retry()]) == expected


def test_damage_met_inside_an_anchor_is_reported_as_damage(store: Store) -> None:
    def damages(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
        path = store.shards()[0].path
        with path.open("r+b") as file:  # the open file itself, as a failing disk has it
            file.write(bytes(path.stat().st_size))
        session.calls()[0].arguments  # noqa: B018
        return iter(())

    with pytest.raises(InputError, match="damaged") as found:
        scan(store, [HandFamily("action/damages", damages)])
    assert found.value.code == 6


def test_shards_can_be_scanned_apart_and_gathered(store: Store) -> None:
    family = _retry()
    results = [result for shard in store.shards() for result in engine.scan_shard(store, shard, [family])]
    assert engine.gather(store, results) == scan(Store.open(store.path), [family])


def test_results_outlive_the_shard_that_they_were_found_in(store: Store, tmp_path: Path) -> None:
    write_session(tmp_path / "in/d.jsonl", "new", [{"user": "Another."}, *FIRST_EDIT[1:], *SECOND_EDIT])
    expected = scan(_imported(tmp_path), [_retry()])
    assert compact(store.path) == (2, 1)
    again = Store.open(store.path)
    carry_over(again)
    family = _retry()
    assert (scan(again, [family]).places, family.seen) == (expected.places, [])
    assert len(list((store.path / "cache/scan").glob("*"))) == 1


def test_a_session_that_left_a_shard_leaves_its_results_too(store: Store) -> None:
    scan(store, [_retry()])
    forget(store.path, "again")
    family = _retry()
    assert [place.session for place in scan(Store.open(store.path), [family]).places] == ["looks"]
    assert family.seen == [] and not any(b'"again"' in path.read_bytes() for path in (store.path / "cache/scan").rglob("*.json"))


def test_a_replaced_copy_costs_no_other_session_its_result(tmp_path: Path) -> None:
    path = write_session(tmp_path / "in/a.jsonl", "a", [*FIRST_EDIT, SECOND_EDIT[0]])
    write_session(tmp_path / "in/b.jsonl", "b", [{"user": "Another."}, *FIRST_EDIT[1:], *SECOND_EDIT])
    scan(_imported(tmp_path), [_retry()])
    write_session(path, "a", [*FIRST_EDIT, *SECOND_EDIT, {"user": "Thanks."}])
    family = _retry()
    result = scan(_imported(tmp_path), [family])
    assert ([place.session for place in result.places], family.seen) == (["a", "b"], ["a"])


def test_processes_find_what_one_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tracedance.store.shards.SHARD_SESSIONS", 1)
    monkeypatch.setattr("tracedance.store.importing.GROUP_SESSIONS", 1)
    for number in range(3):
        write_session(tmp_path / f"in/{number}.jsonl", f"id{number}", [{"user": str(number)}, *FIRST_EDIT[1:], *SECOND_EDIT])
    chosen = [family("edit_retry_without_reread"), families([EXAMPLE])["action/force_push_unasked"]]
    shared = scan(_imported(tmp_path), chosen, jobs=2)
    shutil.rmtree(tmp_path / "s/cache")
    assert len(shared.places) == 3 and shared == scan(Store.open(tmp_path / "s"), chosen)


def test_a_condition_that_hides_a_hit_is_told(store: Store) -> None:
    honest, hiding = _retry(), HandFamily("failure/hiding", after_failed_edits, among("tool", "Nothing"))
    found = check_needs(store, [honest, hiding], 100)
    assert found.missed == (("failure/hiding", "again"), ("failure/hiding", "looks")) and found.checked == 4
    assert "not necessary" in told(found)[0]
