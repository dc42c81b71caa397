"""The doctor says what is there, what is missing and what to switch on, and never shows a key."""

from pathlib import Path

import pytest

from tests.conftest import Command
from tests.store.recorded import FIRST_EDIT, write_session
from tracedance.ingest.sniff import OURS
from tracedance.kit.exporters import EXPORTERS, UNKNOWN, advice
from tracedance.models.config import KEYS
from tracedance.store.importing import import_paths

SECRET = "sk-not-a-real-key-0123456789"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS.values():
        monkeypatch.delenv(name, raising=False)


def test_without_keys_and_store_it_says_what_is_missing(tmp_path: Path, command: Command) -> None:
    found = command("doctor", "--store", tmp_path / "none", "--json").json
    roles = {row["role"]: row for row in found["roles"]}
    assert roles["judge"]["backend"] == "offline" and len(roles["judge"]["missing"]) == 3
    assert found["backends"] == {"confirm": "rule", "grade": "rule"}
    assert (found["store"]["found"], found["store"]["sessions"]) == (False, 0) and "tracedance import" in found["store"]["problem"]
    assert isinstance(found["embeddings"]["installed"], bool)
    assert not any(key["set"] for key in found["keys"]) and not list(tmp_path.iterdir())


def test_a_key_makes_its_role_live_and_is_never_shown(tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    done = command("doctor", "--store", tmp_path / "none", "--json")
    assert done.json["backends"] == {"confirm": "fast", "grade": "rule"}
    assert {"name": "ANTHROPIC_API_KEY", "set": True} in done.json["keys"]
    said = command("doctor", "--store", tmp_path / "none")
    assert SECRET not in done.out + said.out + said.err and "ANTHROPIC_API_KEY" in done.out and "OPENAI_API_KEY" in said.out


def test_the_local_profile_needs_no_key(tmp_path: Path, command: Command) -> None:
    found = command("doctor", "--store", tmp_path / "none", "--profile", "local", "--json").json
    assert found["backends"] == {"confirm": "fast", "grade": "panel"}


def test_it_grades_what_each_harness_recorded_and_names_the_switch(tmp_path: Path, command: Command) -> None:
    write_session(tmp_path / "in/a.jsonl", "a", FIRST_EDIT)
    write_session(tmp_path / "in/b.jsonl", "b", [{"user": "Hello."}, {"text": "Hi."}])
    import_paths(tmp_path / "s", [tmp_path / "in"])
    rows = command("doctor", "--store", tmp_path / "s", "--json").json["store"]["replayability"]
    assert [(row["harness"], row["grade"], row["sessions"]) for row in rows] == [
        ("claude_code", "reconstructed", 1),
        ("claude_code", "scan_only", 1),
    ]
    assert "inferred from recorded calls" in rows[0]["why"] and "no calls were seen" in rows[1]["why"]
    assert all("OTEL_LOG_RAW_API_BODIES" in row["switch"] for row in rows)
    assert "To make sessions replayable" in command("doctor", "--store", tmp_path / "s").out


def test_a_damaged_store_is_reported_and_no_failure_of_the_doctor(tmp_path: Path, command: Command) -> None:
    write_session(tmp_path / "in/a.jsonl", "a", FIRST_EDIT)
    import_paths(tmp_path / "s", [tmp_path / "in"])
    (tmp_path / "s/store.json").write_text("{")
    done = command("doctor", "--store", tmp_path / "s", "--json")
    assert done.code == 0 and done.json["store"]["found"] and "damaged" in done.json["store"]["problem"]


@pytest.mark.parametrize("source", OURS, ids=lambda source: source.name)
def test_every_format_of_ours_has_its_own_advice(source: object) -> None:
    assert getattr(source, "name", "") in EXPORTERS


def test_a_format_of_another_package_gets_general_advice() -> None:
    assert advice("somebody_elses") == UNKNOWN and "gateway" in UNKNOWN
