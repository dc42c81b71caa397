"""Recorded contexts as real providers are sent them: each request passes the rules of its provider, and is the one that was agreed on.

`TRACEDANCE_GOLDEN=write` writes the golden requests anew; look at the difference before you commit it.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from tests.evaluate.benchmarks import COMMIT, committing, instance, offered, retrying
from tests.evaluate.strict_models import CLAUDE, GEMINI, MODELS, OPENAI, profile
from tests.servers.strict import Strict
from tracedance.evaluate.messages import rendered, wire
from tracedance.evaluate.pairing import REASONS, Unrenderable
from tracedance.models.call import call
from tracedance.models.config import load
from tracedance.schema import CallMade, Instance, Message, ModelAnswer, ModelRequest, Tool
from tracedance.store.benchmarks import read_benchmark

GOLDEN = Path(__file__).parent / "golden"
DEMO = Path(__file__).resolve().parents[2] / "benchmarks" / "demo"
SCHEMA = {
    "$schema": "http://json-schema.org/draft-04/schema#",
    "type": "object",
    "anyOf": [{"required": ["path"]}, {"required": ["links"]}],
    "properties": {
        "path": {"$ref": "#/definitions/Path"},
        "links": {"type": "array"},
        "pair": {"type": "array", "items": [{"type": "integer"}, {"type": "string"}]},
        "mode": {"enum": ["r", "w", ""], "type": "string"},
        "kind": {"const": "file"},
        "level": {"type": "integer", "enum": [1, 2], "minimum": 0, "exclusiveMinimum": True},
        "url": {"type": ["string", "null"], "format": "uri"},
        "either": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        "any": {},
        "yes": True,
        "tree": {"$ref": "#/definitions/Tree"},
        "@type": {"type": "string"},
        "draft3": {"type": "string", "required": True},
    },
    "required": ["path", "gone"],
    "additionalProperties": False,
    "definitions": {
        "Path": {"type": "string", "description": "A path."},
        "Tree": {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/definitions/Tree"}}}},
    },
}


def made(name: str, call: str, arguments: str = "{}") -> CallMade:
    return CallMade(id=call, name=name, arguments=arguments)


def agent(text: str, *calls: CallMade) -> Message:
    return Message(role="assistant", author="model", content=text, tool_calls=calls)


def result(call: str, text: str) -> Message:
    return Message(role="tool", author="tool", content=text, tool_call_id=call)


def user(text: str) -> Message:
    return Message(role="user", author="user", content=text)


LONG = "toolu:" + "x" * 60
NASTY = (
    Message(role="system", author="system", content="You are an agent."),
    agent("<think>I am another model.</think>Hello there."),
    result("gone", "an answer to nobody"),
    user("Do both."),
    user("And be quick. \ud800"),
    agent("On it.", made("mcp server/read.file", LONG, '{"path":"a"}'), made("exec", "b|2", "ls -la"), made("exec", "b|2", "[1]")),
    Message(role="user", author="harness", content="A notice that came between."),
    result("b|2", "second"),
    result(LONG, "first"),
    agent(" "),
    agent("", made("9lives", f"c__thought__{'QUJD' * 8}", '{"n":NaN}')),
    user("Never mind that one. Go on."),
    agent("", made("exec", "b|2")),
    result("b|2", ""),
    result("b|2", "the same result again"),
)
"""Everything at once that a provider would refuse: foreign ids and names, orphans both ways, roles that do not alternate, no text."""


def nasty() -> Instance:
    tools = [Tool(name="mcp server/read.file", description="Reads.", parameters=json.dumps(SCHEMA)), *offered("Bash")]
    tools += [Tool(name="exec", description="", parameters="[]"), Tool(name="exec", description="Again.", parameters="{}")]
    return instance(COMMIT, NASTY, 7, tuple(tools))


@pytest.fixture
def server() -> Iterator[Strict]:
    with Strict() as running:
        yield running


def ask(folder: Path, server: Strict, model: str, messages: Any, tools: Any) -> ModelAnswer:
    request = ModelRequest(model=model, messages=tuple(messages), tools=tuple(tools), purpose="respond")
    return call(request, load(str(profile(folder, server))), None)


@pytest.mark.parametrize("model", sorted(MODELS))
def test_every_provider_takes_the_nastiest_context(model: str, server: Strict, tmp_path: Path) -> None:
    sent = rendered(nasty())
    answer = ask(tmp_path, server, model, sent.messages, sent.tools)
    assert (answer.status, server.refused) == ("ok", [])
    assert answer.tool_calls[0]["name"] == sent.tools[0]["function"]["name"]


@pytest.mark.parametrize("model", sorted(MODELS))
def test_without_rendering_every_provider_refuses_it(model: str, server: Strict, tmp_path: Path) -> None:
    recorded = nasty()
    raw = [wire(message.model_copy(update={"content": message.content.replace("\ud800", "")})) for message in recorded.messages]
    tools = [
        {"type": "function", "function": {"name": tool.name, "description": tool.description, "parameters": json.loads(tool.parameters)}}
        for tool in recorded.tools
    ]
    assert ask(tmp_path, server, model, raw, tools).status == "failed" and not server.accepted


@pytest.mark.parametrize("model", sorted(MODELS))
def test_every_provider_takes_the_committed_benchmarks(model: str, server: Strict, tmp_path: Path) -> None:
    for folder in sorted(path for path in DEMO.iterdir() if path.is_dir()):
        for one in read_benchmark(folder).instances[:3]:
            sent = rendered(one)
            assert ask(tmp_path, server, model, sent.messages, sent.tools).status == "ok", server.refused


@pytest.mark.parametrize("model", ["gpt-4o", OPENAI, "mistral-large-latest", CLAUDE, "claude-opus-4-5", GEMINI, "gemini-2.5-flash"])
@pytest.mark.parametrize("context", ["commit", "retry", "nasty"])
def test_the_request_is_the_one_that_was_agreed_on(context: str, model: str, server: Strict, tmp_path: Path) -> None:
    plain = {"commit": committing(), "retry": retrying()}
    one = nasty() if context == "nasty" else instance(COMMIT, plain[context], 0, offered("Bash", "Edit"))
    sent = rendered(one)
    ask(tmp_path, server, model, sent.messages, sent.tools)
    body = json.dumps(server.accepted[-1]["body"], indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    path = GOLDEN / f"{context}.{model}.json"
    if os.environ.get("TRACEDANCE_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(body)
    assert body == path.read_text()


def test_a_sound_context_is_sent_as_it_is() -> None:
    one = instance(COMMIT, committing(), 0, offered("Bash", "Edit"))
    sent = rendered(one)
    assert sent.repairs == () and sent.names == {}
    assert [message["content"] for message in sent.messages] == [message.content for message in one.messages]
    assert [tool["function"]["parameters"] for tool in sent.tools] == [json.loads(tool.parameters) for tool in one.tools]


def test_everything_that_was_put_right_is_in_the_log() -> None:
    assert {repair.what for repair in rendered(nasty()).repairs} == {
        *("arguments_wrapped", "characters_replaced", "opening_added", "reasoning_removed", "result_moved", "result_supplied"),
        *("result_without_call", "text_supplied", "tool_renamed", "tool_repeated", "turns_joined"),
    }


def test_no_word_of_a_result_or_a_user_is_lost_and_no_foreign_thought_is_kept() -> None:
    sent = json.dumps(rendered(nasty()).messages)
    for words in ("an answer to nobody", "A notice that came between.", "second", "first", "the same result again", "ls -la", "Do both."):
        assert words in sent
    assert "another model" not in sent and "__thought__" not in sent


def test_ids_are_rewritten_alike_in_calls_and_results() -> None:
    messages = rendered(nasty()).messages
    calls = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    assert calls == [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert calls == [f"call{number:05d}" for number in range(1, len(calls) + 1)]


def test_names_that_no_provider_can_spell_are_changed_without_a_clash() -> None:
    names = ["a b", "a_b", "a.b", "1st", "", "x" * 80, "x" * 90]
    tools = tuple(Tool(name=name, description="", parameters="{}") for name in names)
    sent = rendered(instance(COMMIT, committing(), 0, tools))
    spelt = [tool["function"]["name"] for tool in sent.tools]
    assert len(set(spelt)) == len(names) and all(0 < len(name) <= 64 for name in spelt) and spelt[1] == "a_b"
    assert [sent.names.get(name, name) for name in spelt] == names


def test_calls_without_any_tools_get_the_tools_that_they_show() -> None:
    sent = rendered(instance(COMMIT, committing(), 0, ()))
    (tool,) = sent.tools
    assert tool["function"]["name"] == "Edit" and set(tool["function"]["parameters"]["properties"]) == {
        "file_path",
        "old_string",
        "new_string",
    }
    assert [repair.what for repair in sent.repairs] == ["tools_inferred"]


IDS = some.sampled_from(["a", "b", "c d", "x" * 50])
TEXTS = some.sampled_from(["", " ", "Hello.", "<think>Hm.</think>", "\x00\u2028é"])
CALLS = some.builds(made, some.sampled_from(["read", "re ad", "Bash", ""]), IDS, some.sampled_from(["{}", '{"a":1}', "[", "3", "null"]))
MESSAGES = some.one_of(
    some.builds(user, TEXTS),
    some.builds(lambda text, calls: agent(text, *calls), TEXTS, some.lists(CALLS, max_size=3)),
    some.builds(result, IDS, TEXTS),
)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(some.lists(MESSAGES, min_size=1, max_size=9))
def test_any_context_is_taken_by_all_or_left_out_for_all(endless: tuple[Strict, Path], messages: list[Message]) -> None:
    server, folder = endless
    before = len(server.refused)
    try:
        sent = rendered(instance(COMMIT, tuple(messages), 1, offered("Bash")))
    except Unrenderable as problem:
        assert str(problem) in REASONS
        return
    for model in ("gpt-4o", OPENAI, "mistral-large-latest", CLAUDE, GEMINI):
        assert ask(folder, server, model, sent.messages, sent.tools).status == "ok", server.refused[before:]


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Strict, Path]]:
    with Strict() as running:
        yield running, tmp_path_factory.mktemp("endless")
