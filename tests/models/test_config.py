"""Profiles: who plays which role, and what is refused in a models file."""

from pathlib import Path

import pytest

from tracedance.errors import InputError
from tracedance.models.config import KEYS, load

HEAD = "schema: tracedance.models/v1\n"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in {*KEYS.values(), "TRACEDANCE_LOCAL_BASE", "MY_KEY"}:
        monkeypatch.delenv(name, raising=False)


def written(folder: Path, text: str) -> str:
    path = folder / "mine.yaml"
    path.write_text(HEAD + text)
    return str(path)


def test_without_any_key_every_role_is_offline() -> None:
    shipped = load()
    assert [shipped.role(role) for role in ("strong", "fast", "reviewer", "judge", "embed")] == [()] * 5
    assert shipped.missing("judge") == ("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY")


def test_a_key_makes_its_roles_live_but_a_panel_needs_all_three(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x" * 20)
    assert load().role("fast") and not load().role("judge")
    monkeypatch.setenv("OPENAI_API_KEY", "x" * 20)
    monkeypatch.setenv("GEMINI_API_KEY", "x" * 20)
    assert len(load().role("judge")) == 3


def test_the_offline_profile_stays_offline_whatever_keys_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS.values():
        monkeypatch.setenv(name, "x" * 20)
    assert load("offline").role("judge") == () and load("offline").role("fast") == ()


def test_the_local_profile_needs_no_key_and_can_be_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    local = load("local")
    assert local.role("judge") == ("local/judge-a", "local/judge-b", "local/judge-c")
    assert local.role("fast") == ("local/fast",) and local.price("local/good") is not None
    assert local.endpoint("local/good").api_base == "http://127.0.0.1:8765/v1"
    monkeypatch.setenv("TRACEDANCE_LOCAL_BASE", "http://127.0.0.1:9999/v1")
    assert load("local").endpoint("local/good").api_base == "http://127.0.0.1:9999/v1"


def test_every_priced_and_playing_model_of_the_shipped_file_is_a_litellm_id() -> None:
    shipped = load()
    for name in [*shipped.file.prices, *(seat for role in ("strong", "fast", "reviewer", "judge") for seat in shipped.seats(role))]:
        assert shipped.endpoint(name).model == name and shipped.price(name) is not None


def test_a_litellm_id_that_no_file_names_will_do_and_its_price_is_unknown() -> None:
    endpoint = load().endpoint("openai/some-model")
    assert endpoint.model == "openai/some-model" and endpoint.missing == "OPENAI_API_KEY"
    assert load().price("openai/some-model") is None


def test_litellm_entries_are_taken_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = "{model: openai/x, api_base: 'https://example.org/v1', api_key: os.environ/MY_KEY}"
    text = f"model_list:\n- model_name: mine\n  litellm_params: {parameters}\n"
    assert load(written(tmp_path, text)).endpoint("mine").missing == "MY_KEY"
    monkeypatch.setenv("MY_KEY", "sesame-sesame")
    endpoint = load(written(tmp_path, text)).endpoint("mine")
    assert endpoint.api_key == "sesame-sesame" and "sesame" not in repr(endpoint)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("roles: {fest: a/b}\n", "roles.fest"),
        ("colour: red\n", "colour"),
        ("roles: {judge: [a/b, a/c]}\n", "three|3 different seats"),
        ("roles: {judge: [a/b, a/b, a/c]}\n", "3 different seats"),
        ("model_list:\n- model_name: m\n  litellm_params: {model: openai/x, api_key: sk-verysecret}\n", "os.environ/NAME"),
        ("model_list:\n- model_name: m\n  litellm_params: {model: openai/x, aws_secret_access_key: verysecret}\n", "os.environ/NAME"),
        (
            "model_list:\n- model_name: m\n  litellm_params: {model: openai/x, extra_headers: {X-Api-Key: verysecret}}\n",
            "a key does not belong in a file",
        ),
        ("model_list:\n- model_name: m\n  litellm_params: {model: openai/x}\n  tracedance: {output_cap: 0}\n", "output_cap"),
        ("prices: {openai/x: {input: -1, output: 2}}\n", "greater than or equal to 0"),
        ("model_list: [\n", "no valid YAML"),
    ],
)
def test_anything_unknown_or_wrong_in_a_models_file_is_refused_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        load(written(tmp_path, text))
    assert "\n" not in str(refused.value) and "verysecret" not in str(refused.value)


def test_an_unknown_profile_names_those_there_are() -> None:
    with pytest.raises(InputError, match="local, offline"):
        load("locall")


def test_an_unknown_model_gets_a_suggestion() -> None:
    with pytest.raises(InputError, match="Did you mean 'local/good'"):
        load("local").endpoint("localgood")
