"""The doctor says what is there, what is missing and what to switch on, and never shows a key."""

from pathlib import Path

import pytest

from tests.conftest import Command
from tests.evaluate.strict_models import MODELS
from tests.evaluate.strict_models import profile as strict_profile
from tests.servers.profiles import profile
from tests.servers.provider import Provider
from tests.servers.strict import Strict
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


def test_it_says_what_each_model_can_do_and_what_of_its_entry_is_not_acted_on(tmp_path: Path, command: Command) -> None:
    entry = "{model_name: mine, litellm_params: {model: openai/x, api_base: 'http://127.0.0.1:9/v1', num_retries: 3, rpm: 60}}"
    (tmp_path / "m.yaml").write_text(f"schema: tracedance.models/v1\nmodel_list:\n- {entry}\n")
    (row,) = command("doctor", "--store", tmp_path / "none", "--profile", tmp_path / "m.yaml", "--json").json["models"]
    assert (row["rpm"], row["output_cap"], row["context_window"], row["tools"], row["probe"]) == (60, 32768, None, None, None)
    assert list(row["not_acted_on"]) == ["num_retries"]
    shipped = {row["name"]: row for row in command("doctor", "--store", tmp_path / "none", "--json").json["models"]}
    fast = shipped["anthropic/claude-haiku-5-5"]
    assert (fast["tools"], fast["reasoning_effort"], fast["temperature"], fast["ready"]) == (True, True, False, False)


def test_without_a_probe_no_model_is_called(tmp_path: Path, command: Command, provider: Provider) -> None:
    command("doctor", "--store", tmp_path / "none", "--profile", profile(tmp_path, provider.base))
    assert provider.stats() == {}


def test_a_probe_tells_which_models_are_reached_and_what_to_do_for_the_others(tmp_path: Path, command: Command) -> None:
    with Strict() as server:
        gpt = {"model": "openai/gpt-4o"}
        also = {
            "wrong-key": {"litellm_params": {**gpt, "api_key": "os.environ/WRONG"}},
            "refusing": {"litellm_params": {**gpt, "api_base": "http://127.0.0.1:9/v1"}},
            "unknown": {"litellm_params": {"model": "anthropic/claude-unknown"}},
            "plain": {"litellm_params": {"model": "openai/gpt-plain"}},
            "told": {"litellm_params": {"model": "openai/gpt-plain"}, "tracedance": {"tools": False}},
            "no-key": {"litellm_params": {**gpt, "api_base": "https://example.invalid/v1"}},
            "gemini-wrong": {"litellm_params": {"model": "gemini/gemini-2.5-flash", "api_key": "os.environ/WRONG"}},
            "odd": {"litellm_params": {"model": "anthropic/claude-opus-4-5", "seed": 1, "temperature": 0.5}},
        }
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("WRONG", "wrong")
            done = command("doctor", "--store", tmp_path / "n", "--profile", strict_profile(tmp_path, server, also), "--probe", "--json")
            text = command("doctor", "--store", tmp_path / "n", "--profile", strict_profile(tmp_path, server, also), "--probe").out
    rows = {row["name"]: row for row in done.json["models"]}
    assert all(rows[name]["probe"]["reached"] for name in (*MODELS, "told", "odd"))
    said = {name: row["probe"]["said"] for name, row in rows.items() if not row["probe"]["reached"]}
    assert set(said) == {"wrong-key", "refusing", "unknown", "plain", "no-key", "gemini-wrong"}
    cures = {
        "wrong-key": "Set WRONG to a valid key",
        "gemini-wrong": "Set WRONG to a valid key",
        "refusing": "Start the provider",
        "unknown": "Check the model's name",
        "plain": "tools: false",
        "no-key": "Set OPENAI_API_KEY",
    }
    assert all(cure in said[name] and "\n" not in said[name] for name, cure in cures.items()), said
    assert [(item["name"], item["value"]) for item in rows["odd"]["left_out"]["respond"]] == [("reasoning_effort", "high"), ("seed", 1)]
    assert "not reached" in text and "not sent to respond: reasoning_effort high" in text
