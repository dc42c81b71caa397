"""What can be wrong with a model, a key, an address or a models file: one line with the cure, its exit code, and nothing lost."""

from pathlib import Path

import pytest
import yaml

from tests.conftest import Command
from tests.construct.stores import FAMILY, catalogue, commits, store
from tests.evaluate.benchmarks import COMMIT, committing, published
from tests.servers.provider import Provider
from tracedance.models.config import KEYS

DEAD = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in {*KEYS.values(), "KEY_OF_TEST"}:
        monkeypatch.delenv(name, raising=False)


def written(folder: Path, base: str, **more: object) -> Path:
    """A models file with a model for each thing that can be wrong."""
    far = {"model": "openai/good", "api_base": "https://models.example.com/v1", "api_key": "os.environ/KEY_OF_TEST"}
    entries = [
        {"model_name": "far", "litellm_params": far},
        {"model_name": "good", "litellm_params": {"model": "openai/good", "api_base": base}},
        {"model_name": "fast", "litellm_params": {"model": "openai/fast", "api_base": base}},
        {"model_name": "wrong-key", "litellm_params": {"model": "openai/status-401", "api_base": base}},
        {"model_name": "unpaid", "litellm_params": {"model": "openai/status-402", "api_base": base}},
        {"model_name": "unknown", "litellm_params": {"model": "openai/status-404", "api_base": base}},
        {"model_name": "dead", "litellm_params": {"model": "openai/good", "api_base": DEAD}},
        {"model_name": "no-tools", "litellm_params": {"model": "openai/good", "api_base": base}, "tracedance": {"tools": False}},
        {"model_name": "small", "litellm_params": {"model": "openai/good", "api_base": base}, "tracedance": {"context_window": 40}},
    ]
    limits = {"first_wait": 0.01, "longest_wait": 0.02, "breaker_rest": 0.02}
    path = folder / "models-of-test.yaml"
    path.write_text(yaml.safe_dump({"schema": "tracedance.models/v1", "model_list": entries, "limits": limits, **more}))
    return path


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("far", (2, "No key for 'far'. Set KEY_OF_TEST in the environment")),
        ("openai/gpt-6.1-sol", (2, "Set OPENAI_API_KEY in the environment")),
        ("wrong-key", (5, "to a valid key. Then give the same command again; it resumes.")),
        ("unpaid", (5, "(HTTP 402")),
        ("goood", (2, "No model is named 'goood'. Did you mean 'good'?")),
        ("nowhere/x", (2, "LiteLLM knows no provider for the model 'nowhere/x'")),
        ("unknown", (5, "Check the model's name as the provider spells it")),
        ("dead", (5, "Start the provider, or correct api_base")),
        ("no-tools", (2, "takes no tool calls, and the contexts hold some. Leave it out")),
        ("small", (3, "every instance was left out for all models (too_long")),
    ],
)
def test_a_model_that_cannot_be_evaluated(
    provider: Provider, tmp_path: Path, command: Command, model: str, expected: tuple[int, str]
) -> None:
    code, said = expected
    bench = published(tmp_path / "b", COMMIT, [committing(n) for n in range(3)])
    words = ["evaluate", bench, "--model", model, "--out", tmp_path / "r", "--profile", written(tmp_path, provider.base)]
    done = command(*words)
    assert done.code == code and "Traceback" not in done.err
    assert said in done.err.splitlines()[-1], done.err
    assert (tmp_path / "r").exists() == (code != 2), "what is known to be wrong beforehand leaves nothing"


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("wrong-key", "to a valid key. Then run the same build again: answers had are kept."),
        ("unknown", "Check the model's name as the provider spells it"),
        ("dead", "Start the provider, or correct api_base"),
    ],
)
def test_a_confirming_model_that_cannot_be_had(provider: Provider, tmp_path: Path, command: Command, model: str, said: str) -> None:
    catalogue(tmp_path / "catalogue")
    store(tmp_path, [commits(number) for number in range(5)])
    words = ["build", "--family", FAMILY, "--store", tmp_path / "store", "--catalogue", tmp_path / "catalogue"]
    done = command(*words, "--profile", written(tmp_path, provider.base, roles={"fast": model}))
    assert done.code == 5 and "Traceback" not in done.err
    last = done.err.splitlines()[-1]
    assert last.startswith("Error: The confirming model could not be reached for 5 candidates: ") and said in last
    assert command(*words, "--profile", written(tmp_path, provider.base, roles={"fast": "fast"})).code == 0


def test_without_its_key_a_role_is_offline_and_says_which_key(provider: Provider, tmp_path: Path, command: Command) -> None:
    catalogue(tmp_path / "catalogue")
    store(tmp_path, [commits(number) for number in range(5)])
    config = written(tmp_path, provider.base, roles={"fast": "far", "judge": ["far", "good", "fast"]})
    words = ["build", "--family", FAMILY, "--store", tmp_path / "store", "--catalogue", tmp_path / "catalogue", "--profile", config]
    assert "Confirmed by rule, for want of KEY_OF_TEST: the role 'fast' asks for far." in command(*words).out.splitlines()
    bench = published(tmp_path / "b", COMMIT, [committing()])
    done = command("evaluate", bench, "--model", "good", "--out", tmp_path / "r", "--profile", config)
    assert done.code == 0
    assert "Graded by checks, for want of KEY_OF_TEST: the role 'judge' asks for far, good, fast." in done.out.splitlines()
    assert "Spent at unknown prices: 1 calls, 0 failed, 0 of unknown outcome" in done.out.splitlines()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"roles": {"fest": "good"}}, "roles.fest"),
        ({"prices": {"good": {"input": -1, "output": 2}}}, "prices.good.input: Input should be greater than or equal to 0"),
        ({"prices": {"good": {"input": 1}}}, "prices.good.output"),
    ],
)
@pytest.mark.parametrize("words", [["evaluate", "b", "--model", "good"], ["build", "--family", FAMILY], ["doctor"]])
def test_a_models_file_with_a_mistake_is_named_with_its_line(
    tmp_path: Path, command: Command, words: list[str], more: dict[str, object], said: str
) -> None:
    done = command(*words, "--profile", written(tmp_path, DEAD, **more))
    assert done.code == 2 and said in done.err and "models-of-test.yaml:" in done.err and len(done.err.splitlines()) == 1


def test_an_estimate_makes_no_call_and_a_cap_stops_with_4_says_how_to_go_on_and_more_money_pays_nothing_twice(
    provider: Provider, tmp_path: Path, command: Command
) -> None:
    catalogue(tmp_path / "catalogue")
    store(tmp_path, [commits(number) for number in range(8)])
    config = written(tmp_path, provider.base, roles={"fast": "fast"}, prices={"fast": {"input": 1, "output": 4}})
    config.write_text(config.read_text() + "parameters: {confirm: {max_tokens: 500}}\n")
    words = ["build", "--family", FAMILY, "--store", tmp_path / "store", "--catalogue", tmp_path / "catalogue", "--profile", config]
    expected = command(*words, "--estimate", "--json").json["estimate"]
    assert expected["calls"] >= 8 and 0 < expected["usd"] <= expected["usd_most"] and provider.stats() == {}
    stopped = command(*words, "--max-cost", "0.0065")
    assert stopped.code == 4 and "the same command with --max-cost" in stopped.err.splitlines()[-1]
    assert f"The whole was estimated at ${expected['usd']:.4f}, and at most ${expected['usd_most']:.4f}." in stopped.err.splitlines()
    assert 0 < provider.stats()["fast"] < 8
    done = command(*words, "--max-cost", 1, "--json")
    assert done.code == 0 and set(provider.books.shown()["calls"].values()) == {1}
    assert done.json["spend"]["total"]["usd"] == pytest.approx(provider.books.dollars({"fast": (1, 4)}))
