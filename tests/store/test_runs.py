from pathlib import Path

import pytest

from tracedance.errors import InputError
from tracedance.schema import JudgeScore
from tracedance.store import runs


def _row(judge: str) -> JudgeScore:
    return JudgeScore(judge=judge, status="score", score=4)


def test_rows_come_back_in_the_order_in_which_they_were_added(tmp_path: Path) -> None:
    path = tmp_path / "run/votes.jsonl"
    runs.append(path, [_row("a")])
    runs.append(path, [_row("b"), _row("ü \u2028 \udc80")])
    assert [row.judge for row in runs.read(path, JudgeScore)] == ["a", "b", "ü \u2028 ?"]
    runs.replace(path, [_row("c")])
    assert runs.read(path, JudgeScore) == [_row("c")]


def test_an_absent_table_has_no_rows(tmp_path: Path) -> None:
    assert runs.read(tmp_path / "none.jsonl", JudgeScore) == []


def test_a_torn_last_line_is_left_out_and_cut_off_by_the_next_append(tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    runs.append(path, [_row("a"), _row("b")])
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        kept = runs.read(path, JudgeScore)
        assert kept == [_row("a"), _row("b")][: len(kept)]
        runs.append(path, [_row("c")])
        assert runs.read(path, JudgeScore) == [*kept, _row("c")]


def test_damage_before_the_last_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "votes.jsonl"
    runs.append(path, [_row("a"), _row("b")])
    path.write_bytes(path.read_bytes().replace(b'"judge":"a"', b'"judge:"a"x', 1))
    with pytest.raises(InputError, match="Line 1 of") as found:
        runs.read(path, JudgeScore)
    assert found.value.code == 6


def test_equal_rows_are_equal_bytes_with_sorted_keys() -> None:
    assert runs.lines([{"b": 1, "a": "ü"}]) == '{"a":"ü","b":1}\n'.encode()
    assert runs.canonical(_row("x")).startswith('{"error":')
