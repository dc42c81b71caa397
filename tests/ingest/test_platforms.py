"""Logs and exports of agent platforms: one story, told in every format, is the same session."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.ingest import platforms
from tests.ingest.test_read import SHAPES, reading, retyped
from tracedance.ingest.read import FileReading, files
from tracedance.ingest.sniff import OURS
from tracedance.ingest.sources import HEAD, Opening
from tracedance.schema import Session

LAYOUTS = {
    **{name: (name, b"\n".join(platforms.SHAPES[name]) + b"\n") for name in platforms.SHAPES},
    **{name: (format, json.dumps(value).encode()) for name, (format, value) in platforms.MORE.items()},
    **{f"{name}, indented": (format, json.dumps(value, indent=2).encode()) for name, (format, value) in platforms.MORE.items()},
    "autogen log": ("autogen", b"\n".join(platforms.lines(platforms.AUTOGEN_LOG)) + b"\n"),
    "responses item lines": ("openai_responses", b"\n".join(platforms.lines(platforms.ITEMS)) + b"\n"),
    "langchain message lines": ("langchain", b"\n".join(platforms.lines(platforms.LANGCHAIN_PLAIN)) + b"\n"),
}
REPLAYABLE = ("anthropic_messages", "anthropic request", "openai_calls", "langsmith", "langfuse", "autogen log", "openai_responses")


def read_json(value: Any, folder: Path) -> FileReading:
    return reading(json.dumps(value).encode(), folder)


def read_lines(records: list[Any], folder: Path) -> FileReading:
    return reading(b"\n".join(platforms.lines(records)) + b"\n", folder)


def only(found: FileReading) -> Session:
    assert found.losses == []
    assert len(found.sessions) == 1
    return found.sessions[0]


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_same_story_is_the_same_session_in_every_layout(name: str, tmp_path: Path) -> None:
    format, data = LAYOUTS[name]
    found = reading(data, tmp_path)
    session = only(found)
    assert found.format == session.format == format
    assert session.setting == "general_tool_use"
    first, second, third, *_ = session.turns
    assert (first.role, first.author, first.text) == ("user", "user", platforms.TASK)
    assert (second.role, second.text) == ("assistant", "Looking.")
    assert [(call.name, call.arguments) for call in second.calls] == [("Bash", platforms.FIRST), ("Bash", platforms.SECOND)]
    assert [result.call_id for result in third.results] == [call.id for call in second.calls]
    assert [result.status for result in third.results] == ["ok", "error"]
    if not name.startswith("anthropic request"):
        assert session.turns[-1].text == "pytest is missing." or session.turns[-2].text == "pytest is missing."


@pytest.mark.parametrize("name", LAYOUTS)
def test_system_prompt_and_tools_are_kept_where_they_are_recorded(name: str, tmp_path: Path) -> None:
    session = only(reading(LAYOUTS[name][1], tmp_path))
    if name.startswith(REPLAYABLE):
        assert session.replayability == "replayable"
        assert session.system == platforms.SYSTEM
        tool = next(iter(session.tools or ()))
        assert (tool.name, tool.description, tool.parameters, tool.inferred_from) == ("Bash", "Run a command.", platforms.SCHEMA, 0)
    else:
        assert session.replayability == "reconstructed"


@pytest.mark.parametrize("name", [name for name in LAYOUTS if not name.startswith(("responses item", "anthropic request"))])
def test_models_and_times_are_kept_where_they_are_recorded(name: str, tmp_path: Path) -> None:
    session = only(reading(LAYOUTS[name][1], tmp_path))
    timed = not name.startswith(("langchain", "langgraph", "autogen 0.2"))
    named = name not in ("autogen",) and not name.startswith(("autogen result", "autogen 0.2 list"))
    assert bool(session.models) is named
    assert bool(session.started) is timed


def test_no_importer_claims_another_formats_file() -> None:
    heads = {name: (format, data) for name, (format, data) in LAYOUTS.items()}
    heads |= {name: (name, b"\n".join(lines)) for name, lines in SHAPES.items()}
    ours = {name for name, _ in ((source.name, source) for source in OURS)} - {"openai_chat"}
    for name, (format, data) in heads.items():
        claimed = {source.name for source in OURS if source.name in ours and source.recognises(Opening(data[:HEAD]))}
        assert claimed <= {format}, name


def test_no_importer_of_platforms_claims_a_real_file_of_another_format(real_traces: Path) -> None:
    platform = [source for source in OURS if source.name in platforms.SHAPES]
    for path in files([real_traces]):
        with path.open("rb") as stream:
            opening = Opening(stream.read(HEAD).removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n"))
        assert [source.name for source in platform if source.recognises(opening)] == [], path


@pytest.mark.parametrize("name", LAYOUTS)
def test_wrong_types_anywhere_are_losses_and_never_errors(name: str, tmp_path: Path) -> None:
    _, data = LAYOUTS[name]
    rng = random.Random(name)
    values = (
        [json.loads(line) for line in data.splitlines()]
        if data.count(b"\n") and not data.startswith((b"[\n", b"{\n"))
        else [json.loads(data)]
    )
    for _ in range(60):
        reading(b"\n".join(json.dumps(retyped(value, rng)).encode() for value in values), tmp_path)


# What calls of a model make of a conversation.


def test_two_answers_to_the_same_messages_are_two_sessions_that_share_them(tmp_path: Path) -> None:
    first = platforms.ANTHROPIC[1]
    other = {**first, "response": {**first["response"], "content": [{"type": "text", "text": "Done."}]}}
    sessions = read_lines([platforms.ANTHROPIC[0], first, other], tmp_path).sessions
    assert [session.id for session in sessions] == ["conv-1", "conv-1.2"]
    assert [session.parent for session in sessions] == ["", "conv-1"]
    chains = [[turn.chain for turn in session.turns] for session in sessions]
    assert chains[0][:-1] == chains[1][:-1]
    assert chains[0][-1] != chains[1][-1]


def test_calls_of_different_conversations_are_never_joined(tmp_path: Path) -> None:
    other = {**platforms.ANTHROPIC[1], "session_id": "conv-2"}
    sessions = read_lines([platforms.ANTHROPIC[0], other], tmp_path).sessions
    assert [session.id for session in sessions] == ["conv-1", "conv-2"]


def test_an_answer_that_was_sent_on_in_other_words_does_not_split_the_conversation(tmp_path: Path) -> None:
    first, second = json.loads(json.dumps(platforms.ANTHROPIC))
    second["request"]["messages"][1]["content"].pop(0)
    session = only(read_lines([first, second], tmp_path))
    assert session.turns[1].reasoning == "I should look first."
    assert session.models == ["claude-sonnet-4-5-20250929"]


def test_requests_and_responses_that_are_lines_of_their_own_are_paired(tmp_path: Path) -> None:
    batch = [
        {"custom_id": "a", "params": platforms.ANTHROPIC[0]["request"]},
        {"custom_id": "b", "params": {**platforms.ANTHROPIC[0]["request"], "messages": [{"role": "user", "content": "Other"}]}},
        {"custom_id": "b", "result": {"type": "succeeded", "message": platforms.ANTHROPIC[1]["response"]}},
        {"custom_id": "a", "result": {"type": "succeeded", "message": platforms.ANTHROPIC[0]["response"]}},
    ]
    found = read_lines(batch, tmp_path)
    assert (found.counts.kept, found.losses) == (4, [])
    assert {session.turns[0].text: session.turns[1].text for session in found.sessions} == {
        platforms.TASK: "Looking.",
        "Other": "pytest is missing.",
    }


def test_a_response_without_its_request_is_a_named_loss(tmp_path: Path) -> None:
    found = read_lines([platforms.ANTHROPIC[0]["response"], platforms.ANTHROPIC[1]], tmp_path)
    assert found.losses == [("response without its request", 1, "file.jsonl:1")]


def test_what_a_whole_request_leaves_out_the_model_was_not_given(tmp_path: Path) -> None:
    request = {"model": "gpt-5", "input": [platforms.ITEMS[0]], "store": False}
    response = platforms.RESPONSES[0]["response"] | {"instructions": None, "tools": []}
    session = only(read_lines([{"request": request, "response": response}], tmp_path))
    assert (session.tools, session.system, session.replayability) == ([], "", "replayable")


# Parts of messages.


def test_pictures_and_files_become_short_marks_and_unknown_parts_are_named(tmp_path: Path) -> None:
    content = [
        {"type": "text", "text": "See"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "whole text"}},
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}},
        {"type": "hologram", "data": "AAAA"},
    ]
    request = {**platforms.ANTHROPIC[0]["request"], "messages": [{"role": "user", "content": content}]}
    found = read_json(request, tmp_path)
    assert found.sessions[0].turns[0].text == 'See\n\n[image]\n\nwhole text\n\n[document]\n\n[hologram] {"data":"AAAA","type":"hologram"}'
    assert dict(found.unknown) == {"anthropic_messages:part hologram": 1}
    assert (found.counts.in_, found.counts.kept, found.counts.lost) == (1, 1, 0)


def test_a_tool_that_the_provider_ran_belongs_to_the_turn_that_asked_for_it(tmp_path: Path) -> None:
    content = [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "web_search_result", "title": "T", "url": "u"}]},
        {"type": "text", "text": "Found."},
    ]
    call = platforms.ANTHROPIC[0] | {"response": platforms.ANTHROPIC[0]["response"] | {"content": content}}
    session = only(read_lines([call], tmp_path))
    assert [turn.role for turn in session.turns] == ["user", "assistant", "tool"]
    assert session.turns[1].text == "Found."
    assert session.calls()[0].result is not None


def test_a_refusal_by_the_user_is_no_error(tmp_path: Path) -> None:
    request = json.loads(json.dumps(platforms.ANTHROPIC[1]["request"]))
    request["messages"][2]["content"][1]["content"] = "The user doesn't want to proceed with this tool use."
    session = only(read_json(request, tmp_path))
    assert [result.status for result in session.turns[2].results] == ["ok", "refused"]


def test_a_summary_that_a_graph_put_in_starts_a_new_context(tmp_path: Path) -> None:
    summary = {"type": "human", "content": "Here is a summary", "additional_kwargs": {"lc_source": "summarization"}}
    session = only(read_json([*platforms.LANGCHAIN_PLAIN, summary, platforms.LANGCHAIN_PLAIN[-1]], tmp_path))
    assert (session.turns[4].author, session.turns[4].mark, list(session.compactions)) == ("harness", "compaction", [4])


def test_an_item_of_an_unknown_type_is_lost_by_name(tmp_path: Path) -> None:
    found = read_json([*platforms.ITEMS, {"type": "telepathy_call", "call_id": "x"}], tmp_path)
    assert dict(found.unknown) == {"openai_responses:item telepathy_call": 1}


# Traces.


def test_a_result_that_no_later_call_of_the_model_saw_comes_from_the_tools_own_span(tmp_path: Path) -> None:
    session = only(read_lines(platforms.AGENTS[:5], tmp_path))
    assert [result.status for result in session.turns[2].results] == ["ok", "error"]
    session = only(read_lines(platforms.LANGSMITH[2:], tmp_path))
    assert [(result.text, result.status) for result in session.turns[2].results] == [(" M a.py", "ok"), (platforms.FAILURE, "error")]
    session = only(read_lines(platforms.OBSERVATIONS[2:], tmp_path))
    assert [result.text for result in session.turns[2].results] == [" M a.py"]


def test_a_response_span_that_holds_an_id_alone_is_a_named_loss_and_its_tools_are_kept(tmp_path: Path) -> None:
    bare = platforms.span("r", 1, {"type": "response", "response_id": "resp_1", "usage": None})
    found = read_lines([platforms.AGENTS[0], bare, platforms.span("f", 2, platforms.function(platforms.FIRST, "x"))], tmp_path)
    assert found.losses == [("response span without its content", 1, "file.jsonl:2")]
    assert [call.arguments for call in found.sessions[0].calls()] == [platforms.FIRST]


def test_a_response_span_whose_exporter_adds_the_response_can_be_replayed(tmp_path: Path) -> None:
    data = {"type": "response", "response_id": "resp_1", "input": platforms.ITEMS[:1], "response": platforms.RESPONSES[0]["response"]}
    session = only(read_lines([platforms.AGENTS[0], platforms.span("r", 1, data)], tmp_path))
    assert (session.replayability, session.system) == ("replayable", platforms.SYSTEM)


def test_an_agent_that_worked_for_another_is_a_session_linked_to_it(tmp_path: Path) -> None:
    sent = [{"role": "system", "content": "You check."}, {"role": "user", "content": "Check a.py"}]
    data = {"type": "generation", "input": sent, "output": [{"role": "assistant", "content": "Fine."}], "model": "gpt-5"}
    sessions = read_lines([*platforms.AGENTS, platforms.span("sub", 4, data)], tmp_path).sessions
    assert [(session.id, session.parent) for session in sessions] == [("trace_1", ""), ("trace_1.2", "trace_1")]


def test_traces_of_one_group_are_one_conversation(tmp_path: Path) -> None:
    first = [record | {"group_id": "g"} if record["object"] == "trace" else record for record in platforms.AGENTS[:3]]
    second = json.loads(json.dumps([platforms.AGENTS[0], platforms.AGENTS[6]]).replace("trace_1", "trace_2"))
    second[0]["group_id"] = "g"
    session = only(read_lines([*first, *second], tmp_path))
    assert session.id == "g"


def test_nested_runs_and_observations_without_a_model_are_read(tmp_path: Path) -> None:
    root = {**platforms.LANGSMITH[0], "child_runs": [platforms.run("p", "prompt", 1, "run-graph", {"inputs": {}, "outputs": {}})]}
    found = read_json(root, tmp_path)
    assert (found.counts.kept, found.counts.ignored) == (1, 1)
    assert len(only(found).calls()) == 2
    bare = {**platforms.LANGFUSE, "input": platforms.TASK, "observations": []}
    assert [turn.text for turn in only(read_json(bare, tmp_path)).turns] == [platforms.TASK, "pytest is missing."]


def test_tools_behind_the_messages_of_langfuses_langchain_integration_are_definitions(tmp_path: Path) -> None:
    sent = [*platforms.CHAT_SENT, {"role": "tool", "content": platforms.CHAT_TOOLS[0]}]
    session = only(read_lines([platforms.observation("one", "GENERATION", 1, sent, {"content": "Hi", "tool_calls": []})], tmp_path))
    assert session.replayability == "replayable"
    assert [turn.text for turn in session.turns] == [platforms.TASK, "Hi"]


# AutoGen.


def test_agents_whose_view_a_team_saved_are_its_sub_agents(tmp_path: Path) -> None:
    messages = [
        {"content": platforms.TASK, "source": "user", "type": "UserMessage"},
        {"content": platforms.EVENTS[2]["content"], "thought": "Looking.", "source": "worker", "type": "AssistantMessage"},
        {"content": platforms.EVENTS[3]["content"], "type": "FunctionExecutionResultMessage"},
        {"content": "Go on", "source": "critic", "type": "UserMessage"},
    ]
    state = {"type": "AssistantAgentState", "llm_context": {"messages": messages}}
    states = {
        "worker": {"type": "ChatAgentContainerState", "agent_state": state, "message_buffer": []},
        "Manager": {"type": "RoundRobinManagerState", "message_thread": platforms.EVENTS},
    }
    team, worker = read_json({"type": "TeamState", "version": "1.0.0", "agent_states": states}, tmp_path).sessions
    assert (worker.parent, worker.id) == (team.id, f"{team.id}.agent-worker")
    assert [turn.author for turn in worker.turns] == ["user", "model", "tool", "harness"]


def test_agents_that_speak_one_after_another_have_turns_of_their_own(tmp_path: Path) -> None:
    critic = [platforms.event("TextMessage", "critic", "Hm."), platforms.event("ThoughtEvent", "worker", "Looking.")]
    session = only(read_json([*platforms.EVENTS, *critic, *platforms.EVENTS[2:4]], tmp_path))
    assert [turn.text for turn in session.turns if turn.role == "assistant"] == ["Looking.", "pytest is missing.", "Hm.", "Looking."]


def test_what_a_proxy_ran_is_the_harnesss_word(tmp_path: Path) -> None:
    ran = {"content": "exitcode: 1 (execution failed)\nCode output: x", "role": "assistant", "name": "user_proxy"}
    session = only(read_json([*platforms.HISTORY, ran], tmp_path))
    assert (session.turns[-1].role, session.turns[-1].author) == ("user", "harness")
