"""Live calls: LiteLLM's real code against a real server. Kinds of failure are told apart, and none shows a key."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.servers.profiles import models
from tests.servers.provider import Provider
from tracedance.errors import InputError, foreign
from tracedance.models import call as door
from tracedance.models import live, replay
from tracedance.models.call import call
from tracedance.models.config import Endpoint, load
from tracedance.models.ledger import Ledger
from tracedance.schema import ModelRequest

TOOL = {
    "type": "function",
    "function": {
        "name": "Bash",
        "description": "Runs it.",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}},
    },
}


def asking(model: str, text: str = "Fix it and commit.", **given: object) -> ModelRequest:
    return ModelRequest(model=model, messages=({"role": "user", "content": text},), tools=(TOOL,), purpose="respond", **given)


def test_a_next_turn_comes_with_its_calls_usage_and_version(provider: Provider, tmp_path: Path) -> None:
    answer = call(asking("t/good"), models(tmp_path, provider.base), None)
    assert answer.status == "ok" and answer.model_version.startswith("good-")
    assert answer.tool_calls[0]["name"] == "Bash" and answer.tool_calls[0]["arguments"] == '{"command":"git status --short"}'
    assert answer.usage.input and answer.usage.output


def test_a_call_is_paid_once_and_its_samples_are_calls_of_their_own(provider: Provider, tmp_path: Path) -> None:
    known = models(tmp_path, provider.base)
    with Ledger(tmp_path / "ledger") as ledger:
        first = call(asking("t/good"), known, ledger)
        assert call(asking("t/good"), known, ledger) == first
        call(asking("t/good", sample=1), known, ledger)
        call(asking("t/good", template="other"), known, ledger)
    assert provider.stats() == {"good": 3}


def test_what_leaves_is_one_request_and_nothing_of_ours_in_it(provider: Provider, tmp_path: Path) -> None:
    call(asking("t/good", parameters={"max_tokens": 77}), models(tmp_path, provider.base), None)
    (sent,) = provider.requests
    assert sent == {"model": "good", "messages": [{"role": "user", "content": "Fix it and commit."}], "tools": [TOOL], "max_tokens": 77}


@pytest.mark.parametrize(
    ("model", "said", "tries"),
    [
        ("status-401", "the key was refused", 1),
        ("status-402", "the provider refused the request", 1),
        ("status-403", "access was refused", 1),
        ("status-404", "no such model", 1),
        ("status-400", "the provider refused the request", 1),
        ("status-429", "too many requests", 10),
        ("status-503", "the provider failed", 10),
        ("status-529", "the provider failed", 10),
        ("status-500", "the provider failed", 5),
        ("status-502", "the provider failed", 5),
        ("not-json", "unreadable answer", 5),
        ("bomb", "too large", 5),
        ("moved-307", "not followed", 1),
    ],
)
def test_failures_are_told_apart_and_repeated_by_their_kind(provider: Provider, tmp_path: Path, model: str, said: str, tries: int) -> None:
    known = models(tmp_path, provider.base, **{model.replace("-", "_"): provider.base})
    with Ledger(tmp_path / "ledger") as ledger:
        answer = call(asking(f"t/{model}"), known, ledger)
        assert ledger.counts() == {"failed": tries}
    assert answer.status == "failed" and said in answer.error and "\n" not in answer.error
    assert provider.stats() == {model: tries}


def test_a_refused_connection_and_a_timeout_are_told_apart(provider: Provider, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    assert "no connection" in call(asking("t/good"), models(tmp_path, dead), None).error
    slow = Endpoint("slow", "openai/hang", provider.base, "", 0.5, {}, "", "none")
    with pytest.raises(live.CallFailed, match=r"within 0\.5 s"):
        live.send(slow, asking("slow"))


def test_a_provider_that_drips_is_left_when_its_time_is_over(provider: Provider) -> None:
    began = time.monotonic()
    with pytest.raises(live.CallFailed, match=r"within 0\.5 s"):
        live.send(Endpoint("slow", "openai/drip", provider.base, "", 0.5, {}, "", "none"), asking("slow"))
    assert time.monotonic() - began < 3


@pytest.mark.parametrize(("model", "said"), [("bomb", "too large"), ("moved-307", "not followed"), ("moved-308", "not followed")])
def test_an_answer_that_is_a_bomb_or_points_elsewhere_is_a_failure(provider: Provider, tmp_path: Path, model: str, said: str) -> None:
    answer = call(asking(f"t/{model}"), models(tmp_path, provider.base, **{model.replace("-", "_"): provider.base}), None)
    assert answer.status == "failed" and said in answer.error
    assert provider.stats() == {model: 1}


def test_a_packed_answer_is_unpacked(provider: Provider, tmp_path: Path) -> None:
    assert call(asking("t/packed"), models(tmp_path, provider.base, packed=provider.base), None).text == "Hello."


def test_a_key_never_shows_in_an_error(provider: Provider) -> None:
    key = "hush-hush-1234567890"
    endpoint = Endpoint("x", "openai/status-401", provider.base, "", 10, {}, "", key)
    with pytest.raises(live.CallFailed) as failed:
        live.send(endpoint, asking("x"))
    assert "will not do" in str(failed.value) and key not in str(failed.value) and "1234567890" not in str(failed.value)


@pytest.mark.parametrize(
    ("model", "status"), [("empty", "empty"), ("refusing", "refused"), ("cut-off", "truncated"), ("bad-arguments", "malformed")]
)
def test_what_a_model_does_wrong_is_told_apart(provider: Provider, tmp_path: Path, model: str, status: str) -> None:
    known = models(tmp_path, provider.base, **{model.replace("-", "_"): provider.base})
    assert call(asking(f"t/{model}"), known, None).status == status


@pytest.mark.parametrize(
    ("finish", "status"),
    [("error", "failed"), ("abort", "failed"), ("unheard", "failed"), ("length", "truncated"), ("safety", "refused"), ("stop", "empty")],
)
def test_an_answer_without_content_is_what_its_end_says(provider: Provider, tmp_path: Path, finish: str, status: str) -> None:
    known = models(tmp_path, provider.base, **{f"finish_{finish}": provider.base})
    with Ledger(tmp_path / "ledger") as ledger:
        for _ in range(2):
            assert call(asking(f"t/finish-{finish}"), known, ledger).status == status
    assert provider.stats() == {f"finish-{finish}": 2 if status == "failed" else 1}


def test_a_missing_key_and_an_unknown_provider_are_known_before_any_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        door.check("openai/x", load())
    with pytest.raises(InputError, match="no provider for the model 'nowhere/x'"):
        door.check("nowhere/x", load())
    with pytest.raises(InputError, match="Did you mean 'local/good'"):
        door.check("local/goood", load("local"))
    with pytest.raises(InputError, match="No offline model"):
        door.check("offline/sauce", load())


def test_recorded_answers_replay_without_a_provider(provider: Provider, tmp_path: Path) -> None:
    folder = tmp_path / "recorded"
    folder.mkdir()
    with Ledger(tmp_path / "ledger") as ledger:
        lived = call(asking("t/good"), models(tmp_path, provider.base), ledger)
        (folder / "answers.jsonl").write_bytes(replay.record(ledger, "openai/good"))
    assert call(asking(f"replay/{folder}"), load("offline"), None) == lived
    with pytest.raises(InputError, match=r"holds no answer to request [0-9a-f]{64}"):
        call(asking(f"replay/{folder}", "Something else."), load("offline"), None)
    assert provider.stats() == {"good": 1}


DIGITS, DEEP = '{"n": ' + "9" * 5000 + "}", '{"n": ' + "[" * 3000 + "]" * 3000 + "}"


def calling(arguments: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def stated(whole: dict[str, Any]) -> dict[str, Any]:
        function = {"name": "Bash", "arguments": arguments}
        whole["choices"][0]["message"] = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": function}]}
        return whole

    return stated


@pytest.mark.parametrize("arguments", [DIGITS, DEEP, [1], 5, "{", True])
def test_arguments_that_nobody_can_read_are_a_malformed_answer_and_are_paid_once(
    arguments: Any, provider: Provider, tmp_path: Path
) -> None:
    provider.stated = calling(arguments)
    known = models(tmp_path, provider.base)
    with Ledger(tmp_path / "ledger") as ledger:
        answers = [call(asking("t/good"), known, ledger) for _ in range(2)]
        assert ledger.counts() == {"answered": 1}
    for answer in answers:
        assert (answer.status, answer.error) == ("malformed", "tool arguments that are no JSON")
    assert provider.stats() == {"good": 1}


def test_arguments_as_an_object_are_read_without_a_word(provider: Provider, tmp_path: Path) -> None:
    models(tmp_path, provider.base)
    script = (
        "import sys\nfrom pathlib import Path\nfrom tests.models.test_live import asking\n"
        "from tracedance.models.call import call\nfrom tracedance.models.config import load\n"
        "print(call(asking('t/good'), load(sys.argv[1]), None).tool_calls[0]['arguments'])\n"
    )
    provider.stated = calling({"command": "ls"})
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "models-of-test.yaml")],
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
        env={**os.environ, "PYTHONPATH": "pipeline:."},
    )
    assert (done.stdout, done.stderr) == ('{"command":"ls"}\n', "")


@pytest.mark.parametrize("body", [{"choices": 5}, {"choices": [{"message": 5}]}, {"id": 1}, [], 5])
def test_no_error_of_a_library_names_the_places_of_its_files(body: Any, provider: Provider, tmp_path: Path) -> None:
    provider.stated = lambda whole: body
    answer = call(asking("t/good"), models(tmp_path, provider.base), None)
    assert answer.status == "failed" and "Traceback" not in answer.error and ".py" not in answer.error


def test_a_number_beyond_what_can_be_read_anywhere_in_an_answer_makes_it_malformed(provider: Provider, tmp_path: Path) -> None:
    body = b'{"choices": [{"message": {"content": "x", "n": ' + b"9" * 5000 + b"}}]}"
    provider.bytes_of = lambda whole: body
    answer = call(asking("t/good"), models(tmp_path, provider.base), None)
    assert (answer.status, answer.error) == ("malformed", "the provider's answer is no chat completion")


def test_an_error_of_a_library_in_one_line() -> None:
    said = 'It broke at "/usr/lib/python3/x.py", line 5, in y: no\nsuch Traceback (most recent call last):\n  File "/a/b.py", line 1'
    assert foreign(ValueError(said)) == "It broke at : no such"
