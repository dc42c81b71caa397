"""Every model is sent what it takes; what it cannot take is listed with the reason, never dropped silently."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.servers.strict import Strict
from tracedance.errors import InputError
from tracedance.models.call import call
from tracedance.models.capabilities import OUTPUT_CAP, capabilities
from tracedance.models.config import KEYS, Models, load
from tracedance.models.entries import Flags
from tracedance.models.fitting import Fitted, fitted
from tracedance.schema import ModelRequest


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS.values():
        monkeypatch.delenv(name, raising=False)


def one(folder: Path, model: str, more: str = "", flags: str = "{}", info: str = "{}") -> Models:
    base = "" if "api_base" in more else ", api_base: 'http://127.0.0.1:9/v1'"
    text = f"{{model: {model}{base}{more}}}"
    path = folder / "m.yaml"
    path.write_text(
        "schema: tracedance.models/v1\nmodel_list:\n"
        f"- model_name: m\n  litellm_params: {text}\n  tracedance: {flags}\n  model_info: {info}\n"
    )
    return load(str(path))


def fits(folder: Path, model: str, purpose: str = "respond", *, given: dict[str, Any] | None = None, **entry: str) -> Fitted:
    return fitted(one(folder, model, **entry).endpoint("m"), purpose, given or {})


def left(found: Fitted) -> dict[str, str]:
    return {item.name: item.why for item in found.left_out}


@pytest.mark.parametrize(
    ("model", "purpose", "effort"),
    [
        ("openai/gpt-6.1-sol", "judge", "high"),
        ("anthropic/claude-opus-5-5", "respond", "high"),
        ("anthropic/claude-opus-4-5", "judge", "high"),
        ("gemini/gemini-3.8-flash", "confirm", "high"),
        ("gemini/gemini-2.5-flash", "summary", "none"),
        ("anthropic/claude-haiku-5-5", "domain", "none"),
        ("openai/gpt-5", "summary", "minimal"),
        ("openai/gpt-6.1-sol", "domain", "low"),
        ("anthropic/claude-opus-5-5", "summary", None),
        ("anthropic/claude-opus-4-5", "summary", None),
        ("openai/gpt-4o", "judge", None),
        ("openai/some-model", "judge", None),
    ],
)
def test_reasoning_is_high_wherever_there_is_any_and_off_for_summaries_and_domain_checks(
    model: str, purpose: str, effort: str | None, tmp_path: Path
) -> None:
    assert fits(tmp_path, model, purpose).sent.get("reasoning_effort") == effort


@pytest.mark.parametrize(
    ("model", "purpose", "why"),
    [
        ("openai/gpt-4o", "judge", "the model has none"),
        ("openai/some-model", "judge", "not known to take one"),
        ("anthropic/claude-opus-5-5", "summary", "always reasons"),
        ("openai/gpt-6.1-sol", "domain", "'low' is sent, the least"),
        ("anthropic/claude-opus-4-5", "respond", "its own signed thoughts"),
    ],
)
def test_a_reasoning_effort_that_is_not_the_one_wanted_is_listed(model: str, purpose: str, why: str, tmp_path: Path) -> None:
    assert why in left(fits(tmp_path, model, purpose))["reasoning_effort"]


@pytest.mark.parametrize(
    ("model", "name", "value", "why"),
    [
        ("anthropic/claude-opus-4-5", "seed", 1, "does not support parameters: ['seed']"),
        ("anthropic/claude-opus-5-5", "temperature", 0.5, "no sampling parameters"),
        ("openai/gpt-6.1-sol", "temperature", 0.0, "while reasoning is active"),
        ("openai/gpt-6.1-sol", "top_p", 0.5, "does not support parameters"),
        ("anthropic/claude-opus-4-5", "temperature", 0.5, "none while it reasons"),
        ("gemini/gemini-3.8-flash", "frequency_penalty", 0.5, "LiteLLM leaves it out"),
        ("openai/gpt-4o", "max_tokens", 99_999, "16384 is sent"),
        ("openai/gpt-4o", "drop_params", True, "nothing is left out without being listed"),
        ("openai/gpt-4o", "num_retries", 5, "the ledger alone"),
    ],
)
def test_what_a_provider_cannot_take_is_listed_with_its_reason(model: str, name: str, value: Any, why: str, tmp_path: Path) -> None:
    found = fits(tmp_path, model, "judge", given={name: value})
    assert why in left(found)[name] and found.sent.get(name) != value


def test_what_a_provider_takes_is_sent_even_if_no_one_but_it_knows_the_name(tmp_path: Path) -> None:
    found = fits(tmp_path, "openai/gpt-4o", given={"temperature": 0.0}, more=", seed: 7, extra_body: {top_k: 5}, organization: o")
    assert found.sent == {"temperature": 0.0, "seed": 7, "extra_body": {"top_k": 5}, "organization": "o", "max_tokens": 16384}


def test_the_entry_s_own_parameters_win_over_those_of_the_purpose(tmp_path: Path) -> None:
    found = fits(tmp_path, "openai/gpt-6.1-sol", given={"max_tokens": 100}, more=", max_tokens: 50, reasoning_effort: low")
    assert found.sent == {"max_tokens": 50, "reasoning_effort": "low"} and not found.left_out


def test_our_flags_win_over_model_info_and_that_over_litellm_s_table(tmp_path: Path) -> None:
    shipped = capabilities("openai/gpt-4o", {}, Flags())
    assert (shipped.tools, shipped.reasoning_effort, shipped.context_window, shipped.output_cap) == (True, None, 128_000, 16_384)
    info = {"supports_function_calling": False, "max_input_tokens": 9000, "max_output_tokens": 800}
    assert capabilities("openai/gpt-4o", info, Flags()).tools is False
    ours = capabilities("openai/gpt-4o", info, Flags(tools=True, context_window=5000, output_cap=300))
    assert (ours.tools, ours.context_window, ours.output_cap, ours.room()) == (True, 5000, 300, 4700)
    assert capabilities("openai/some-model", {}, Flags()).output_cap == OUTPUT_CAP == 32_768
    assert fits(tmp_path, "openai/some-model", flags="{reasoning_effort: true, temperature: false}", given={"temperature": 1.0}).sent == {
        "max_tokens": 32_768,
        "reasoning_effort": "high",
    }


def test_tools_for_a_model_that_takes_none_are_refused_before_the_call(tmp_path: Path) -> None:
    request = ModelRequest(model="m", messages=(), tools=({"type": "function"},), purpose="respond")
    with pytest.raises(InputError, match="takes no tool calls"):
        call(request, one(tmp_path, "openai/x", flags="{tools: false}"), None)


VERBATIM = """schema: tracedance.models/v1
model_list:
  - model_name: azure-gpt
    litellm_params:
      model: azure/chatgpt-v-2
      api_base: os.environ/AZURE_BASE
      api_key: os.environ/AZURE_API_KEY_EU
      api_version: "2025-07-01-preview"
      rpm: 6
      tpm: 100000
      weight: 2
      tags: [free]
    model_info: {id: one, base_model: azure/gpt-4o, mode: chat, supports_function_calling: true}
  - model_name: bedrock-claude
    litellm_params:
      model: bedrock/anthropic.claude-3-sonnet-20240229-v1:0
      aws_access_key_id: os.environ/CUSTOM_AWS_ACCESS_KEY_ID
      aws_secret_access_key: os.environ/CUSTOM_AWS_SECRET_ACCESS_KEY
      aws_region_name: os.environ/CUSTOM_AWS_REGION_NAME
  - model_name: bare
    litellm_params: {model: gpt-4o, stream_timeout: 30, extra_headers: {X-Team: a}}
    rpm: 10
  - model_name: vllm
    litellm_params: {model: my-model, custom_llm_provider: hosted_vllm, api_base: "http://127.0.0.1:9/v1", input_cost_per_token: 0.000001}
"""


def test_entries_from_litellm_s_own_documentation_are_taken_verbatim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m.yaml").write_text(VERBATIM)
    found = load(str(tmp_path / "m.yaml"))
    azure, bedrock, bare, vllm = (found.endpoint(name) for name in ("azure-gpt", "bedrock-claude", "bare", "vllm"))
    assert (azure.rpm, azure.tpm, azure.api_version, set(azure.unsent)) == (6, 100_000, "2025-07-01-preview", {"weight", "tags"})
    assert azure.capabilities.context_window == 128_000
    assert bedrock.missing == "CUSTOM_AWS_ACCESS_KEY_ID" and bedrock.parameters["aws_region_name"] == "os.environ/CUSTOM_AWS_REGION_NAME"
    assert (bare.model, bare.rpm, bare.missing) == ("openai/gpt-4o", 10, "OPENAI_API_KEY")
    assert (vllm.model, vllm.missing) == ("hosted_vllm/my-model", "")


def test_a_referenced_secret_reaches_the_provider_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tracedance.models.ledger import Ledger

    secret = "sesame-sesame-sesame"
    monkeypatch.setenv("MY_TEAM_TOKEN", secret)
    with Strict() as server:
        models = one(
            tmp_path, "openai/gpt-4o", more=f", api_base: '{server.openai}', extra_headers: {{X-Api-Key: os.environ/MY_TEAM_TOKEN}}"
        )
        request = ModelRequest(model="m", messages=({"role": "user", "content": "Hi."},), purpose="judge")
        with Ledger(tmp_path / "l.sqlite3") as ledger:
            assert call(request, models, ledger).status == "ok"
            assert secret not in json.dumps([subject for subject, _ in ledger.recorded()])
        assert server.headers[-1]["x-api-key"] == secret and secret not in repr(models.endpoint("m"))
