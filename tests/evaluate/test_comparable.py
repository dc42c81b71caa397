"""An instance that cannot be put to one of the compared models is left out for all of them, with its reason, and counted."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command
from tests.evaluate.benchmarks import COMMIT, committing, context, published
from tests.evaluate.strict_models import profile
from tests.servers.strict import Strict
from tracedance.schema import Grade, Message, Response

LONG = context("Fix it. " + "All of it. " * 900)
OPEN = (*committing()[:-1],)
"""A context whose last call has no result."""


@pytest.fixture
def server() -> Iterator[Strict]:
    with Strict() as running:
        yield running


def gpt(name: str, **also: Any) -> dict[str, Any]:
    return {"litellm_params": {"model": f"openai/gpt-{name}"}, **also}


SMALL = {
    "told": gpt("told-small", tracedance={"context_window": 2000, "output_cap": 500}),
    "untold": gpt("untold-small"),
    "claude-small": {"litellm_params": {"model": "anthropic/claude-small"}},
    "gemini-small": {"litellm_params": {"model": "gemini/gemini-small"}},
    "plain": gpt("plain", tracedance={"tools": False}),
    "undeclared": gpt("plain"),
    "no-such": gpt("unknown"),
}


def rows(out: Path, kind: type[Response] | type[Grade]) -> list[Any]:
    name = "responses.jsonl" if kind is Response else "grades.jsonl"
    return [kind.model_validate_json(line) for line in (out / name).read_text().splitlines()]


def run(command: Command, server: Strict, folder: Path, contexts: list[tuple[Message, ...]], *models: str) -> Any:
    bench = published(folder / "b", COMMIT, contexts)
    words = [word for model in models for word in ("--model", model)]
    return command(
        "evaluate", bench, *words, "--profile", profile(folder, server, SMALL), "--out", folder / "r", "--concurrency", 1, "--json"
    )


@pytest.mark.parametrize("small", ["told", "untold", "claude-small", "gemini-small"])
def test_a_context_over_one_model_s_window_is_left_out_for_all(small: str, command: Command, server: Strict, tmp_path: Path) -> None:
    done = run(command, server, tmp_path, [LONG, committing()], "gpt-4o", small)
    (gone,) = done.json["excluded"]
    assert gone["reason"] == "too_long" and small in gone["detail"]
    statuses = {(row.model, row.instance): row.status for row in rows(tmp_path / "r", Response)}
    assert [status for (_, instance), status in statuses.items() if instance == gone["instance"]] == ["excluded", "excluded"]
    assert [status for (_, instance), status in statuses.items() if instance != gone["instance"]] == ["ok", "ok"]
    assert all(row["assessed"] + row["unscored"] + row["failed"] == 2 and row["failed"] == 0 for row in done.json["results"])
    reasons = [grade.reason for grade in rows(tmp_path / "r", Grade) if grade.instance == gone["instance"]]
    assert len(reasons) == 2 and all(reason.startswith("left out for all compared models: too_long") for reason in reasons)


def test_an_instance_known_to_be_left_out_costs_no_call(command: Command, server: Strict, tmp_path: Path) -> None:
    done = run(command, server, tmp_path, [LONG], "gpt-4o", "told")
    assert (done.code, server.accepted, server.refused) == (3, [], [])
    assert "every instance was left out for all models (too_long" in done.err and "context_window" in done.err and done.err.count("\n") == 1


def test_a_context_that_no_request_can_be_made_of_is_left_out_with_its_reason(command: Command, server: Strict, tmp_path: Path) -> None:
    done = run(command, server, tmp_path, [OPEN, committing()], "gpt-4o")
    assert [gone["reason"] for gone in done.json["excluded"]] == ["open_call"]
    log = [json.loads(line) for line in (tmp_path / "r" / "rendering.jsonl").read_text().splitlines()]
    assert sorted(bool(row["excluded"]) for row in log) == [False, True] and all(row["tokens"] > 0 for row in log)


def test_a_model_without_tool_calls_is_refused_before_any_call(command: Command, server: Strict, tmp_path: Path) -> None:
    done = run(command, server, tmp_path, [committing()], "gpt-4o", "plain")
    assert (done.code, server.accepted) == (2, []) and done.err.count("\n") == 1
    assert "'plain' takes no tool calls" in done.err and "tools: true" in done.err


@pytest.mark.parametrize(("model", "said"), [("undeclared", "does not support tools"), ("no-such", "no such model or address")])
def test_what_only_the_provider_knows_is_said_in_one_line(model: str, said: str, command: Command, server: Strict, tmp_path: Path) -> None:
    done = run(command, server, tmp_path, [committing()], model)
    assert (done.code, done.err.count("\n")) == (5, 1) and said in done.err


def test_a_run_lists_the_parameters_that_a_provider_cannot_take(command: Command, server: Strict, tmp_path: Path) -> None:
    run(command, server, tmp_path, [committing()], "claude-opus-5-5", "gpt-4o")
    listed = json.loads((tmp_path / "r" / "run.json").read_text())["parameters"]["respond"]
    assert listed["claude-opus-5-5"] == {"sent": {"max_tokens": 32768, "reasoning_effort": "high"}, "left_out": []}
    (left,) = listed["gpt-4o"]["left_out"]
    assert left == {"name": "reasoning_effort", "value": "high", "why": "the model has none"}
    assert listed["gpt-4o"]["sent"] == {"max_tokens": 16384}
    assert {sent["model"]: "output_config" in sent["body"] for sent in server.accepted} == {"claude-opus-5-5": True, "gpt-4o": False}
