"""The short form in which examples and tests write sessions.

Each item is one turn: `{user: text}`, `{harness: text}`, `{text: ..., call: {Tool: {...}}}` or
`{calls: [{Tool: {...}}, ...]}` by the model,
`{result: text}`, `{results: [...]}` or `{error: text}` for what came back, `{compaction: text}` where a compacted context starts. A result
is a text or `{text:, error: true, exit: 1}`; an assistant turn may carry `mark` and `model`. `{system: ...}` may come first.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tracedance.kit import chain, errors, tools
from tracedance.schema import Session, ToolCall, ToolDefinition, ToolResult, Turn

_ASSISTANT = frozenset(("text", "call", "calls", "mark", "model", "reasoning"))
_SPOKEN = {"user": ("user", ""), "harness": ("harness", ""), "compaction": ("harness", "compaction")}


def build(turns: Sequence[Mapping[str, Any]], **meta: Any) -> Session:
    """A session from its short form, as an importer would fill it; `meta` are fields of `Session` (tools as mappings).

    Raises ValueError on an item that is none of the forms, and where results outnumber the calls before them.
    """
    system = meta.pop("system", None)
    if turns and set(turns[0]) == {"system"}:
        system, turns = turns[0]["system"], turns[1:]
    built: list[Turn] = []
    for index, item in enumerate(turns):
        built.append(_turn(index, item, built))
    chain.with_chain(built)
    if meta.get("tools") is not None:
        meta["tools"] = [tool if isinstance(tool, ToolDefinition) else ToolDefinition(**tool) for tool in meta["tools"]]
    meta.setdefault("id", "example")
    meta.setdefault("format", "example")
    meta.setdefault("compactions", [turn.index for turn in built if turn.mark == "compaction"])
    return Session(turns=built, system=system, **meta)


def _turn(index: int, item: Mapping[str, Any], earlier: Sequence[Turn]) -> Turn:
    keys = set(item)
    for key, (author, mark) in _SPOKEN.items():
        if keys == {key}:
            return Turn(index, "user", author, str(item[key]), mark=mark, first=index, last=index)  # type: ignore[arg-type]
    if keys and keys <= _ASSISTANT:
        return _assistant(index, item)
    if len(keys) == 1 and keys <= {"result", "results", "error"}:
        return _tool(index, item, earlier)
    raise ValueError(
        f"Turn {index} has keys {sorted(keys)}; an item is one of user, harness, compaction, text/call/calls, result(s), error."
    )


def _assistant(index: int, item: Mapping[str, Any]) -> Turn:
    written = [*item.get("calls", ()), *([item["call"]] if "call" in item else [])]
    calls = [_call(f"c{index}.{place}", index, name, arguments) for place, call in enumerate(written) for name, arguments in call.items()]
    return Turn(
        index,
        "assistant",
        "model",
        text=str(item.get("text", "")),
        calls=calls,
        mark=item.get("mark", ""),
        model=str(item.get("model", "a-model")),
        first=index,
        last=index,
        raw_reasoning=str(item.get("reasoning", "")),
    )


def _call(call_id: str, turn: int, name: str, arguments: Any) -> ToolCall:
    plain = arguments if isinstance(arguments, Mapping) else {"input": str(arguments)}
    raw = chain.canonical(plain)
    kind = tools.tool_class(name, plain)
    return ToolCall(call_id, name, raw, kind, tools.command(name, kind, plain), chain.args_hash(raw), ordinal=turn, turn=turn)


def _tool(index: int, item: Mapping[str, Any], earlier: Sequence[Turn]) -> Turn:
    if "error" in item:
        written: list[Any] = [{"text": item["error"], "error": True}]
    else:
        written = list(item["results"]) if "results" in item else [item["result"]]
    open_calls = [call for turn in earlier for call in turn.calls if call.result is None]
    if len(written) > len(open_calls):
        raise ValueError(f"Turn {index} has {len(written)} results for {len(open_calls)} open calls.")
    results = [_result(index, call, each) for call, each in zip(open_calls, written, strict=False)]
    return Turn(index, "tool", "tool", results=results, first=index, last=index)


def _result(index: int, call: ToolCall, written: Any) -> ToolResult:
    form = written if isinstance(written, Mapping) else {"text": written}
    text = str(form.get("text", ""))
    status, error_class, exit_code = errors.outcome(call.tool_class, text, form.get("error"), form.get("exit"), call.cmd)
    shown = text[:2048] if status == "error" else ""
    call.result = ToolResult(call.id, text, status, error_class, shown, exit_code, ordinal=index, turn=index)
    return call.result
