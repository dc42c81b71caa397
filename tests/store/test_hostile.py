"""One hostile file costs itself and nothing else: its losses are named and counted, and every other file is imported."""

import json
from pathlib import Path

import pytest

from tests.store.recorded import FIRST_EDIT, write_session
from tracedance.ingest import claude_code
from tracedance.ingest.sniff import OURS
from tracedance.ingest.sources import Source
from tracedance.schema import Receipt
from tracedance.store.importing import import_paths
from tracedance.store.store import Store

DEEP = '{"a":' * 450 + "1" + "}" * 450


def _imported(tmp_path: Path, *lines: str) -> tuple[Receipt, Store]:
    write_session(tmp_path / "in/good.jsonl", "good", FIRST_EDIT)
    (tmp_path / "in/bad.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    write_session(tmp_path / "in/later.jsonl", "later", FIRST_EDIT)
    receipt = import_paths(tmp_path / "s", [tmp_path / "in"])
    store = Store.open(tmp_path / "s")
    assert {"good", "later"} <= set(store.sessions()["id"])
    assert receipt.records.in_ == receipt.records.kept + receipt.records.ignored + receipt.records.lost
    return receipt, store


def _codex(output: str) -> list[str]:
    call = {"type": "function_call", "name": "shell", "arguments": '{"command":["true"]}', "call_id": "c1"}
    answer = {"type": "function_call_output", "call_id": "c1", "output": output}
    payloads = [("session_meta", {"id": "s1", "cwd": "/x"}), ("response_item", call), ("response_item", answer)]
    return [json.dumps({"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}) for kind, payload in payloads]


@pytest.mark.parametrize(
    "code, kept, status",
    [
        ("99999999999", None, "error"),
        ("-99999999999", None, "error"),
        ("3221225786", -1073741510, "error"),
        ("0", 0, "ok"),
        ("2", 2, "error"),
    ],
)
def test_an_exit_code_is_kept_where_it_is_one_and_decides_in_any_case(code: str, kept: int | None, status: str, tmp_path: Path) -> None:
    receipt, store = _imported(tmp_path, *_codex('{"output":"x","metadata":{"exit_code":' + code + "}}"))
    result = store.session("s1").calls()[0].result
    assert result is not None and (result.exit_code, result.status) == (kept, status)
    assert receipt.records.lost == 0


def test_an_exit_code_in_a_text_is_bounded_too(tmp_path: Path) -> None:
    _, store = _imported(tmp_path, *_codex("Exit code: 99999999999\nOutput:\nx"))
    result = store.session("s1").calls()[0].result
    assert result is not None and result.exit_code is None


def _claude(arguments: str) -> str:
    block = json.dumps({"type": "tool_use", "id": "t", "name": "Bash", "input": "@"}).replace('"@"', arguments)
    message = json.dumps({"id": "m1", "model": "x", "role": "assistant", "content": ["@"]}).replace('"@"', block)
    record = {"type": "assistant", "uuid": "u1", "sessionId": "s2", "parentUuid": None, "timestamp": "2026-01-01T00:00:00Z", "message": "@"}
    return json.dumps(record).replace('"@"', message)


@pytest.mark.parametrize("key", ["password", "plain"])
def test_arguments_nested_450_deep_are_kept(key: str, tmp_path: Path) -> None:
    receipt, store = _imported(tmp_path, _claude(json.dumps({key: "@"}).replace('"@"', DEEP)))
    assert receipt.records.lost == 0
    assert store.session("s2").calls()[0].arguments_json.count("a") >= 450


def test_a_secret_below_the_deepest_level_is_replaced(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    _, store = _imported(tmp_path, _claude(DEEP.replace("1", json.dumps(secret))))
    text = store.session("s2").calls()[0].arguments_json
    assert secret not in text and "[[SECRET:" in text


def test_tools_nested_450_deep_are_kept(tmp_path: Path) -> None:
    tools = json.dumps([{"type": "function", "function": {"name": "x", "parameters": "@"}}]).replace('"@"', DEEP)
    receipt, store = _imported(tmp_path, json.dumps({"messages": [{"role": "user", "content": "hi"}], "tools": "@"}).replace('"@"', tools))
    assert receipt.records.lost == 0
    assert len(store.sessions()) == 3


def test_an_importer_that_raises_costs_its_own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(*_: object) -> object:
        raise ZeroDivisionError

    write_session(tmp_path / "in/a.jsonl", "a", FIRST_EDIT)
    (tmp_path / "in/b.jsonl").write_text("".join(f"{line}\n" for line in _codex("x")))
    broken = [source if source.name != "codex" else type(source)("codex", source.recognises, raising) for source in _sources()]
    monkeypatch.setattr("tracedance.ingest.sniff.sources", lambda: broken)
    receipt = import_paths(tmp_path / "s", [tmp_path / "in"])
    assert receipt.sessions.kept == 1 and receipt.records.lost == 1
    assert [loss.reason for loss in receipt.losses] == ["could not be read: ZeroDivisionError"]
    assert receipt.losses[0].example == "b.jsonl:1"


def test_a_session_that_fits_no_column_costs_its_own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def odd(*words: object) -> object:
        sessions = claude_code.SOURCE.read(*words)  # type: ignore[arg-type]
        if sessions[0].id == "b":
            sessions[0].turns[0].first = 1 << 40
        return sessions

    for name in "abc":
        write_session(tmp_path / f"in/{name}.jsonl", name, FIRST_EDIT)
    changed = [source if source.name != "claude_code" else type(source)(source.name, source.recognises, odd) for source in _sources()]  # type: ignore[arg-type]
    monkeypatch.setattr("tracedance.ingest.sniff.sources", lambda: changed)
    receipt = import_paths(tmp_path / "s", [tmp_path / "in"])
    assert receipt.sessions.kept == 2
    counts = receipt.records
    assert counts.lost == counts.in_ // 3 and counts.in_ == counts.kept + counts.ignored + counts.lost
    assert [loss.reason for loss in receipt.losses] == ["could not be read: OverflowError"]


def _sources() -> tuple[Source, ...]:
    return OURS
