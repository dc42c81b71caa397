"""Small logs and exports of agent platforms, written by us in the shapes that the real libraries write (see generators/README.md).

All tell the same story: a user asks for a fix, the model looks at two things at once, one of the calls fails, and the model answers.
"""

import json
from typing import Any

TASK = "Fix the tests."
SYSTEM = "You work."
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
FIRST = {"command": "git status --short"}
SECOND = {"command": "pytest -q"}
FAILURE = "sh: pytest: command not found"


def lines(records: list[Any]) -> list[bytes]:
    return [json.dumps(record).encode() for record in records]


# Anthropic's Messages interface: the same conversation three times, longer each time.


def _anthropic(messages: list[dict[str, Any]], content: list[dict[str, Any]], stop: str) -> dict[str, Any]:
    return {
        "timestamp": "2026-03-01T10:00:00Z",
        "session_id": "conv-1",
        "request": {
            "model": "claude-sonnet-4-5",
            "max_tokens": 1024,
            "system": [{"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}],
            "tools": [{"name": "Bash", "description": "Run a command.", "input_schema": SCHEMA}],
            "messages": messages,
        },
        "response": {
            "id": f"msg_{len(messages)}",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5-20250929",
            "content": content,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 9, "output_tokens": 9},
        },
    }


_CALLED = [
    {"type": "thinking", "thinking": "I should look first.", "signature": "c2ln"},
    {"type": "text", "text": "Looking."},
    {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": FIRST},
    {"type": "tool_use", "id": "toolu_2", "name": "Bash", "input": SECOND},
]
_RETURNED = [
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": " M a.py"},
    {"type": "tool_result", "tool_use_id": "toolu_2", "content": [{"type": "text", "text": FAILURE}], "is_error": True},
    {"type": "text", "text": "<system-reminder>Be brief.</system-reminder>"},
]
_ASKED = [{"role": "user", "content": TASK}]
_LONGER = [*_ASKED, {"role": "assistant", "content": _CALLED[1:]}, {"role": "user", "content": _RETURNED}]
ANTHROPIC = [
    _anthropic(_ASKED, _CALLED, "tool_use"),
    _anthropic(_LONGER, [{"type": "text", "text": "pytest is missing."}], "end_turn"),
]


# OpenAI's Responses interface: items, and the calls that made them.

ITEMS: list[dict[str, Any]] = [
    {"role": "user", "content": TASK},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "I should look first."}], "encrypted_content": "e"},
    {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "Looking.", "annotations": []}],
    },
    {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "Bash", "arguments": json.dumps(FIRST), "status": "completed"},
    {"type": "function_call", "id": "fc_2", "call_id": "call_2", "name": "Bash", "arguments": json.dumps(SECOND), "status": "completed"},
    {"type": "function_call_output", "call_id": "call_1", "output": " M a.py"},
    {
        "type": "function_call_output",
        "call_id": "call_2",
        "output": "An error occurred while running the tool. Please try again. Error: " + FAILURE,
    },
    {
        "type": "custom_tool_call",
        "id": "ct_1",
        "call_id": "call_3",
        "name": "apply_patch",
        "input": "*** Begin Patch\n*** Update File: a.py\n*** End Patch",
    },
    {"type": "custom_tool_call_output", "call_id": "call_3", "output": "Done"},
    {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "pytest"}},
    {"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["pytest"], "results": [{"text": "found"}]},
    {
        "type": "message",
        "id": "msg_2",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "pytest is missing.", "annotations": []}],
    },
]


def _response(number: int, sent: list[Any], output: list[Any], before: str | None) -> dict[str, Any]:
    tools = [
        {"type": "function", "name": "Bash", "description": "Run a command.", "parameters": SCHEMA, "strict": True},
        {"type": "web_search"},
    ]
    request = {"model": "gpt-5", "instructions": SYSTEM, "tools": tools, "input": sent, "store": True}
    response = {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1772359200 + number,
        "status": "completed",
        "model": "gpt-5-2025-08-07",
        "instructions": SYSTEM,
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": before,
        "tool_choice": "auto",
        "tools": tools,
    }
    return {"request": {**request, "previous_response_id": before} if before else request, "response": response}


RESPONSES = [
    _response(1, ITEMS[:1], ITEMS[1:5], None),
    _response(2, ITEMS[5:7], ITEMS[7:8], "resp_1"),
    _response(3, ITEMS[8:9], ITEMS[9:], "resp_2"),
]


# OpenAI's chat interface: logged calls with choices.

CHAT_CALLED = {
    "role": "assistant",
    "content": "Looking.",
    "refusal": None,
    "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "Bash", "arguments": json.dumps(FIRST)}},
        {"id": "call_2", "type": "function", "function": {"name": "Bash", "arguments": json.dumps(SECOND)}},
    ],
}
CHAT_SENT = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": TASK}]
CHAT_RETURNED = [
    {"role": "tool", "tool_call_id": "call_1", "content": " M a.py"},
    {"role": "tool", "tool_call_id": "call_2", "content": FAILURE},
]
CHAT_LAST = {"role": "assistant", "content": "pytest is missing.", "refusal": None}
CHAT_TOOLS = [{"type": "function", "function": {"name": "Bash", "description": "Run a command.", "parameters": SCHEMA}}]


def _completion(messages: list[Any], message: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    response = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1772359200, "model": "gpt-5-2025-08-07", "choices": [choice]}
    return {"request": {"model": "gpt-5", "messages": messages, "tools": CHAT_TOOLS}, "response": response}


CHAT_LONGER = [*CHAT_SENT, {key: value for key, value in CHAT_CALLED.items() if key != "refusal"}, *CHAT_RETURNED]
COMPLETIONS = [_completion(CHAT_SENT, CHAT_CALLED), _completion(CHAT_LONGER, CHAT_LAST)]


# OpenAI's Agents SDK: a trace and its spans.


def span(name: str, second: int, data: dict[str, Any], error: Any = None) -> dict[str, Any]:
    return {
        "object": "trace.span",
        "id": f"span_{name}",
        "trace_id": "trace_1",
        "parent_id": "span_agent",
        "started_at": f"2026-03-01T10:00:{second:02}.000000+00:00",
        "ended_at": f"2026-03-01T10:00:{second + 1:02}.000000+00:00",
        "span_data": data,
        "error": error,
    }


def _generation(sent: list[Any], message: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "generation",
        "input": sent,
        "output": [message],
        "model": "gpt-5",
        "model_config": {"temperature": None},
        "usage": None,
    }


def function(arguments: dict[str, Any], output: str | None) -> dict[str, Any]:
    return {"type": "function", "name": "Bash", "input": json.dumps(arguments), "output": output, "mcp_data": None}


_RAISED = {"message": "Error running tool", "data": {"tool_name": "Bash", "error": FAILURE}}
AGENTS = [
    {"object": "trace", "id": "trace_1", "workflow_name": "Agent workflow", "group_id": None, "metadata": None},
    span("guard", 0, {"type": "guardrail", "name": "harmless", "triggered": False}),
    span("one", 1, _generation(CHAT_SENT, CHAT_CALLED)),
    span("status", 3, function(FIRST, " M a.py")),
    span("pytest", 4, function(SECOND, FAILURE), _RAISED),
    span("turn", 0, {"type": "custom", "name": "turn", "data": {"sdk_span_type": "turn", "turn": 1, "agent_name": "worker"}}),
    span("two", 5, _generation(CHAT_LONGER, CHAT_LAST)),
    span("hand", 7, {"type": "handoff", "from_agent": "worker", "to_agent": "talker"}),
    span("agent", 0, {"type": "agent", "name": "worker", "handoffs": ["talker"], "tools": ["Bash"], "output_type": "str"}),
]


# LangChain: the three dumped forms.


def _lc(name: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": kwargs}


_METADATA = {"model_name": "gpt-5-2025-08-07", "model_provider": "openai", "finish_reason": "tool_calls"}
LANGCHAIN_PLAIN: list[dict[str, Any]] = [
    {"content": SYSTEM, "additional_kwargs": {}, "response_metadata": {}, "type": "system", "name": None, "id": "1"},
    {"content": TASK, "additional_kwargs": {}, "response_metadata": {}, "type": "human", "name": None, "id": "2"},
    {
        "content": [{"type": "text", "text": "Looking."}, {"type": "tool_use", "id": "call_1", "name": "Bash", "input": FIRST}],
        "additional_kwargs": {"refusal": None},
        "response_metadata": _METADATA,
        "type": "ai",
        "name": None,
        "id": "lc_run--3",
        "tool_calls": [
            {"name": "Bash", "args": FIRST, "id": "call_1", "type": "tool_call"},
            {"name": "Bash", "args": SECOND, "id": "call_2", "type": "tool_call"},
        ],
        "invalid_tool_calls": [],
        "usage_metadata": None,
    },
    {"content": " M a.py", "type": "tool", "name": "Bash", "id": "4", "tool_call_id": "call_1", "artifact": None, "status": "success"},
    {"content": FAILURE, "type": "tool", "name": "Bash", "id": "5", "tool_call_id": "call_2", "artifact": None, "status": "error"},
    {
        "content": "pytest is missing.",
        "response_metadata": _METADATA,
        "type": "ai",
        "id": "lc_run--6",
        "tool_calls": [],
        "invalid_tool_calls": [],
    },
]
_CLASSES = {"system": "SystemMessage", "human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}
LANGCHAIN_DUMPED = [_lc(_CLASSES[message["type"]], message) for message in LANGCHAIN_PLAIN]
LANGCHAIN_DICTS = [{"type": message["type"], "data": message} for message in LANGCHAIN_PLAIN]


# LangSmith: the runs around the same messages.


def run(name: str, kind: str, second: int, parent: str | None, body: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"run-{name}",
        "name": name,
        "start_time": f"2026-03-01T10:00:{second:02}.000000+00:00",
        "end_time": f"2026-03-01T10:00:{second + 1:02}.000000+00:00",
        "run_type": kind,
        "error": None,
        "parent_run_id": parent,
        "trace_id": "run-graph",
        "session_name": "default",
        "dotted_order": f"20260301T1000{second:02}000000Zrun-{name}",
        **body,
    }


def _model_run(name: str, second: int, sent: list[Any], message: dict[str, Any]) -> dict[str, Any]:
    parameters = {"model": "gpt-5", "tools": CHAT_TOOLS, "_type": "openai-chat"}
    metadata = {"thread_id": "thread-1", "ls_model_name": "gpt-5", "lc_versions": {"langchain-core": "1.8.3"}}
    outputs = {"generations": [[{"text": "", "type": "ChatGeneration", "message": message}]], "llm_output": {}, "type": "LLMResult"}
    body = {"inputs": {"messages": [sent]}, "outputs": outputs, "extra": {"invocation_params": parameters, "metadata": metadata}}
    return run(name, "llm", second, "run-graph", body)


LANGSMITH = [
    run("graph", "chain", 0, None, {"inputs": {"messages": LANGCHAIN_PLAIN[:2]}, "outputs": {"messages": LANGCHAIN_PLAIN}}),
    _model_run("two", 6, LANGCHAIN_DUMPED[:5], LANGCHAIN_DUMPED[5]),
    _model_run("one", 1, LANGCHAIN_DUMPED[:2], LANGCHAIN_DUMPED[2]),
    run("Bash", "tool", 3, "run-graph", {"inputs": FIRST, "outputs": {"output": LANGCHAIN_DUMPED[3]}, "extra": {"tool_call_id": "call_1"}}),
    run("Bash2", "tool", 4, "run-graph", {"inputs": SECOND, "outputs": {}, "error": FAILURE, "extra": {"tool_call_id": "call_2"}}),
]


# Langfuse: a trace with its observations.


def observation(name: str, kind: str, second: int, sent: Any, returned: Any) -> dict[str, Any]:
    return {
        "id": f"obs-{name}",
        "traceId": "lf-1",
        "type": kind,
        "name": name,
        "startTime": f"2026-03-01T10:00:{second:02}.000Z",
        "endTime": f"2026-03-01T10:00:{second + 1:02}.000Z",
        "model": "gpt-5" if kind == "GENERATION" else None,
        "input": sent,
        "output": returned,
        "parentObservationId": "obs-root",
        "level": "DEFAULT",
        "statusMessage": None,
        "metadata": {},
    }


OBSERVATIONS = [
    observation("root", "SPAN", 0, {"task": TASK}, "pytest is missing."),
    observation("two", "GENERATION", 5, json.dumps({"messages": CHAT_LONGER, "tools": CHAT_TOOLS}), json.dumps(CHAT_LAST)),
    observation("one", "GENERATION", 1, {"messages": CHAT_SENT, "tools": CHAT_TOOLS}, CHAT_CALLED),
    observation("Bash", "TOOL", 3, FIRST, " M a.py"),
]
LANGFUSE = {
    "id": "lf-1",
    "projectId": "p",
    "name": "fixer",
    "timestamp": "2026-03-01T10:00:00.000Z",
    "sessionId": "session-1",
    "input": {"task": TASK},
    "output": "pytest is missing.",
    "observations": OBSERVATIONS,
    "scores": [],
}


# AutoGen: typed events, and the chat history of version 0.2.


def event(kind: str, source: str, content: Any, **more: Any) -> dict[str, Any]:
    stamp = {"id": "e", "source": source, "models_usage": None, "metadata": {}, "created_at": "2026-03-01T10:00:00Z"}
    return {**stamp, "content": content, "type": kind, **more}


_RESULTS = [
    {"content": " M a.py", "name": "Bash", "call_id": "call_1", "is_error": False},
    {"content": FAILURE, "name": "Bash", "call_id": "call_2", "is_error": True},
]
_ASKS = [
    {"id": "call_1", "arguments": json.dumps(FIRST), "name": "Bash"},
    {"id": "call_2", "arguments": json.dumps(SECOND), "name": "Bash"},
]
EVENTS = [
    event("TextMessage", "user", TASK),
    event("ThoughtEvent", "worker", "Looking."),
    event("ToolCallRequestEvent", "worker", _ASKS),
    event("ToolCallExecutionEvent", "worker", _RESULTS),
    event("ToolCallSummaryMessage", "worker", FAILURE, tool_calls=_ASKS, results=_RESULTS),
    event("TextMessage", "worker", "pytest is missing."),
]
AUTOGEN_LOG = [
    {
        "type": "Message",
        "payload": "{}",
        "sender": None,
        "receiver": "m",
        "kind": "MessageKind.DIRECT",
        "delivery_stage": "DeliveryStage.SEND",
    },
    *(
        {
            "type": "LLMCall",
            "tools": CHAT_TOOLS,
            "messages": call["request"]["messages"],
            "response": call["response"],
            "prompt_tokens": 1,
            "completion_tokens": 1,
            "agent_id": "worker/1",
        }
        for call in COMPLETIONS
    ),
]
HISTORY = [
    {"content": TASK, "role": "assistant", "name": "user_proxy"},
    {"content": "Looking.", "tool_calls": CHAT_CALLED["tool_calls"], "role": "assistant"},
    {
        "content": " M a.py\n\nError: " + FAILURE,
        "tool_responses": [CHAT_RETURNED[0], {"tool_call_id": "call_2", "role": "tool", "content": "Error: " + FAILURE}],
        "role": "tool",
        "name": "user_proxy",
    },
    {"content": "pytest is missing.", "role": "user", "name": "worker"},
]
AUTOGEN_02 = {
    "chat_id": None,
    "chat_history": HISTORY,
    "summary": "pytest is missing.",
    "cost": {
        "usage_including_cached_inference": {"total_cost": 0, "gpt-5-2025-08-07": {"cost": 0}},
        "usage_excluding_cached_inference": {},
    },
    "human_input": [],
}

SHAPES: dict[str, list[bytes]] = {
    "anthropic_messages": lines(ANTHROPIC),
    "openai_responses": lines(RESPONSES),
    "openai_calls": lines(COMPLETIONS),
    "openai_agents": lines(AGENTS),
    "langchain": lines(LANGCHAIN_DUMPED),
    "langsmith": lines(LANGSMITH),
    "langfuse": lines([LANGFUSE, *OBSERVATIONS[1:2]]),
    "autogen": lines(EVENTS),
}
"""A file of each format, line by line."""

MORE: dict[str, tuple[str, Any]] = {
    "responses items": ("openai_responses", ITEMS),
    "anthropic request": ("anthropic_messages", ANTHROPIC[1]["request"]),
    "langchain dicts": ("langchain", LANGCHAIN_DICTS),
    "langchain plain": ("langchain", LANGCHAIN_PLAIN),
    "langgraph state": ("langchain", {"messages": LANGCHAIN_DUMPED}),
    "langgraph history": (
        "langchain",
        [
            {"values": {"messages": LANGCHAIN_PLAIN[:stop]}, "next": [], "config": {"configurable": {"thread_id": "t-1"}}}
            for stop in (6, 3, 2)
        ],
    ),
    "langsmith list": ("langsmith", LANGSMITH),
    "langfuse observations": ("langfuse", {"data": OBSERVATIONS, "meta": {"cursor": None}}),
    "agents payload": ("openai_agents", {"data": AGENTS}),
    "autogen result": ("autogen", {"messages": EVENTS, "stop_reason": "done"}),
    "autogen 0.2": ("autogen", AUTOGEN_02),
    "autogen 0.2 list": ("autogen", HISTORY),
}
"""The other layouts of these formats: each a whole file."""
