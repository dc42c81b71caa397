"""The latent lab on a tiny model with random weights, made here and read from its folder as any other."""

import importlib.util
import json
import math
import os
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pytest

from tests.conftest import ROOT, Command
from tracedance.latent.geometry import curvatures, projected, velocities
from tracedance.latent.model import refuse_hosted

os.environ.setdefault("HF_HUB_OFFLINE", "1")
WORKBENCH = ROOT / "configs" / "examples" / "workbench"
STEPS = ["the agent looks up the order", "the agent checks the policy", "the agent issues the refund", "the agent says so"]
WORDS = sorted({word for step in STEPS for word in step.split()})
WIDTH, LAYERS = 16, 2
needs_torch = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("torch", "transformers")), reason="the extra 'latent' is not installed"
)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of two blocks over a vocabulary of words."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("tiny")
    words = Tokenizer(models.WordLevel({word: place for place, word in enumerate(["[unk]", *WORDS])}, unk_token="[unk]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=words, unk_token="[unk]").save_pretrained(folder)
    torch.manual_seed(7)
    heads = {"num_attention_heads": 2, "num_key_value_heads": 2}
    config = LlamaConfig(
        vocab_size=len(WORDS) + 1, hidden_size=WIDTH, intermediate_size=32, num_hidden_layers=LAYERS, max_position_embeddings=64, **heads
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def demo(command: Command, tiny: Path, out: Path, *more: object, steps: list[str] = STEPS) -> Any:
    told = [word for step in steps for word in ("--step", step)]
    return command("latent", "demo", "--model", tiny, "--out", out, *told, *more)


@needs_torch
def test_a_trajectory_holds_what_the_model_shows(tiny: Path, tmp_path: Path, command: Command) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    done = demo(command, tiny, tmp_path / "t.json")
    assert done.code == 0 and "open weights" in done.out and "Advisory" in done.out
    found = json.loads((tmp_path / "t.json").read_text())
    model, tokenizer = AutoModelForCausalLM.from_pretrained(tiny), AutoTokenizer.from_pretrained(tiny)
    states = []
    for place, step in enumerate(found["steps"]):
        ids = tokenizer("\n".join(STEPS[: place + 1]), return_tensors="pt")["input_ids"]
        with torch.no_grad():
            out = model(ids, output_hidden_states=True)
        chances = torch.softmax(out.logits[0, -1].double(), -1)
        states.append(out.hidden_states[-1][0, -1].double().numpy())
        assert step["entropy"] == pytest.approx(float(-(chances * chances.log()).sum()), abs=1e-5)
        assert step["hidden_state"] == pytest.approx(list(states[-1]), abs=1e-5)
        assert step["tokens"] == ids.shape[1] and 0 < step["entropy"] <= math.log(len(WORDS) + 1)
    speeds = [float(np.linalg.norm(here - before)) for before, here in pairwise(states)]
    measured = [step["velocity"] for step in found["steps"]]
    assert measured[0] is None and measured[1:] == pytest.approx(speeds, abs=1e-5)
    assert [step["curvature"] for step in found["steps"]][:2] == [None, None]
    assert found["steps"][2]["curvature"] == pytest.approx(speeds[1] - speeds[0], abs=1e-5)
    assert (found["layer"], found["layers"], found["model"], found["weights"]) == (LAYERS, LAYERS, "local", "open")


@needs_torch
def test_the_file_is_what_the_schema_says_and_holds_no_text(tiny: Path, tmp_path: Path, command: Command) -> None:
    first, again = (demo(command, tiny, tmp_path / name, "--json") for name in ("a.json", "b.json"))
    text = (tmp_path / "a.json").read_text()
    assert text == (tmp_path / "b.json").read_text() and first.json["steps"] == again.json["steps"]
    schema = json.loads((ROOT / "docs" / "schemas" / "representation-trajectory.v0.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(json.loads(text))
    assert "refund" not in text and str(tiny) not in text


@needs_torch
def test_layers_and_contexts_differ_and_the_embedding_is_that_of_the_word(tiny: Path, tmp_path: Path, command: Command) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    made = {}
    for name, words in {"last": [], "first": ["--layer", 0], "same": ["--layer", -LAYERS - 1], "alone": ["--context", "alone"]}.items():
        assert demo(command, tiny, tmp_path / name, *words).code == 0
        made[name] = [step["hidden_state"] for step in json.loads((tmp_path / name).read_text())["steps"]]
    assert made["first"] == made["same"] != made["last"] != made["alone"] and made["last"][0] == made["alone"][0]
    word = AutoTokenizer.from_pretrained(tiny)(STEPS[0].split()[-1])["input_ids"][0]
    table = AutoModelForCausalLM.from_pretrained(tiny).get_input_embeddings().weight
    assert made["first"][0] == pytest.approx(table[word].tolist(), abs=1e-6)


@needs_torch
def test_the_picture_is_plain_svg(tiny: Path, tmp_path: Path, command: Command) -> None:
    assert demo(command, tiny, tmp_path / "t.json", "--plot", tmp_path / "t.svg").code == 0
    root = ElementTree.fromstring((tmp_path / "t.svg").read_text())
    tags = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert tags.count("circle") == len(STEPS) and not {"script", "image", "foreignObject", "a", "style"} & set(tags)
    assert demo(command, tiny, tmp_path / "t.json", "--plot", tmp_path / "one.svg", steps=STEPS[:1]).code == 0


@needs_torch
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((["--layer", "3"], STEPS), "--layer 3"),
        ((["--layer", "-4"], STEPS), "--layer -4"),
        (([], ["x", " "]), "Step 2 is empty"),
        (([], ["the " * 65]), "65 tokens"),
        ((["--model", "no-such-folder/x"], STEPS), "cannot be loaded"),
    ],
)
def test_what_cannot_be_looked_at_is_one_line(
    tiny: Path, tmp_path: Path, command: Command, given: tuple[list[str], list[str]], said: str
) -> None:
    done = demo(command, tiny, tmp_path / "t.json", *given[0], steps=given[1])
    assert done.code == 2 and said in done.err and done.err.count("\n") == 1 and not (tmp_path / "t.json").exists()


@needs_torch
def test_broken_weights_give_no_trajectory(tiny: Path, tmp_path: Path, command: Command) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(tiny)
    model.get_input_embeddings().weight.data.fill_(float("nan"))
    model.save_pretrained(tmp_path / "nan")
    AutoTokenizer.from_pretrained(tiny).save_pretrained(tmp_path / "nan")
    done = demo(command, tmp_path / "nan", tmp_path / "t.json")
    assert done.code == 2 and "no finite numbers" in done.err


HOSTED = [
    "gpt-4o",
    "openai/gpt-4o",
    "o3-mini",
    "claude-opus-4-7",
    "anthropic/claude-x",
    "gemini/gemini-3",
    "azure/mine",
    "openrouter/meta/x",
]
OPEN = [
    "Qwen/Qwen2.5-0.5B-Instruct",
    "gpt2",
    "openai-community/gpt2",
    "openai/gpt-oss-20b",
    "EleutherAI/gpt-neo-125m",
    "google/gemma-3-1b-it",
    "xai-org/grok-1",
]


@pytest.mark.parametrize("name", HOSTED)
def test_a_hosted_model_is_refused_before_anything_is_loaded(name: str, command: Command, tmp_path: Path) -> None:
    done = command("latent", "demo", "--model", name, "--step", "x", "--out", tmp_path / "t.json")
    assert done.code == 2 and "hosted model" in done.err and "open weights" in done.err and done.err.count("\n") == 1


@pytest.mark.parametrize("name", OPEN)
def test_open_models_are_not_taken_for_hosted_ones(name: str) -> None:
    refuse_hosted(name)


def test_the_geometry_of_a_known_path() -> None:
    path = np.array([[0.0, 0, 0], [3, 4, 0], [3, 4, 2], [3, 4, 2]])
    speed = velocities(path)
    assert speed == [None, 5.0, 2.0, 0.0] and curvatures(speed) == [None, None, -3.0, -2.0]
    flat, shares = projected(np.array([[0.0, 0, 0], [3, 4, 0], [6, 8, 0]]))
    assert flat[:, 0] == pytest.approx([-5, 0, 5]) and list(flat[:, 1]) == [0, 0, 0] and shares == (pytest.approx(1.0), 0.0)
    points, shares = projected(path)
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1)
    assert apart == pytest.approx(np.linalg.norm(path[:, None] - path[None], axis=-1)) and sum(shares) == pytest.approx(1.0)
    one, shares = projected(np.array([[1e8, 2.0]]))
    assert one.tolist() == [[0, 0]] and shares == (0.0, 0.0)


def gated(command: Command, out: Path, candidate: str, *more: object) -> Any:
    words = ["gate", "--spec", WORKBENCH / "refund.yaml", "--baseline", WORKBENCH / "base", "--candidate", WORKBENCH / candidate]
    return command(*words, "--out", out, *more)


def trajectory_file(path: Path, **changed: Any) -> Path:
    step = {"index": 0, "text_hash": "0" * 64, "tokens": 1, "hidden_state": [0.5], "entropy": 1.0, "projection": [0.0, 0.0]}
    head = {"schema_version": "representation-trajectory/v0", "model": "m", "config_hash": "0" * 64, "layer": 1, "layers": 1}
    path.write_text(json.dumps({**head, "context": "alone", "explained_variance": [0.0, 0.0], "steps": [step], "extra": 1, **changed}))
    return path


@pytest.mark.parametrize("candidate", ["right_order", "wrong_order"])
def test_a_trajectory_stands_in_the_ledger_and_changes_no_verdict(candidate: str, command: Command, tmp_path: Path) -> None:
    file = trajectory_file(tmp_path / "t.json")
    without = gated(command, tmp_path / "a.json", candidate)
    with_it = gated(command, tmp_path / "b.json", candidate, "--representation", file)
    one, other = (json.loads((tmp_path / name).read_text()) for name in ("a.json", "b.json"))
    rows = [[row for row in report["evidence"] if row["source"] == "open-model representation trajectory"] for report in (one, other)]
    assert [(row["status"], bool(row["digest"])) for [row] in rows] == [("advisory", False), ("advisory", True)]
    rows[1][0]["digest"] = None
    assert one == other and without.code == with_it.code


@pytest.mark.parametrize(
    ("changed", "said"),
    [({"schema_version": "x"}, "schema_version"), ({"steps": []}, "steps"), ({"layer": "1"}, "layer"), ({"context": "both"}, "context")],
)
def test_a_file_that_is_no_trajectory_is_refused(command: Command, tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    done = gated(command, tmp_path / "g.json", "right_order", "--representation", trajectory_file(tmp_path / "t.json", **changed))
    assert done.code == 2 and said in done.err and done.err.count("\n") == 1 and not (tmp_path / "g.json").exists()
    assert gated(command, tmp_path / "g.json", "right_order", "--representation", tmp_path / "gone").code == 2
