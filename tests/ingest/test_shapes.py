"""Tool definitions inferred from calls."""

from tracedance.ingest.shapes import definitions, pooled, shapes
from tracedance.kit.chain import canonical
from tracedance.schema import ToolCall, ToolResult


def calls(*arguments: dict[str, object]) -> list[ToolCall]:
    return [ToolCall(str(number), "Read", canonical(value)) for number, value in enumerate(arguments)]


def test_a_property_of_every_call_is_required_and_mixed_types_are_a_list() -> None:
    first = shapes(calls({"path": "a", "limit": 3}, {"path": "b", "limit": None}))
    second = shapes(calls({"path": "c", "deep": {"x": 1}, "share": 1}, {"path": "d", "share": 0.5}))
    (tool,) = definitions("claude_code", pooled([first, second]))
    assert tool.name == "Read"
    assert tool.inferred_from == 4
    assert "Inferred from 4 recorded calls" in tool.description
    assert tool.parameters == {
        "type": "object",
        "properties": {
            "deep": {"type": "object"},
            "limit": {"type": ["integer", "null"]},
            "path": {"type": "string"},
            "share": {"type": "number"},
        },
        "required": ["path"],
    }


def test_the_order_of_sessions_does_not_matter() -> None:
    one, two = shapes(calls({"a": 1})), shapes(calls({"b": "x"}, {"a": "y"}))
    assert definitions("codex", pooled([one, two])) == definitions("codex", pooled([two, one]))


def test_calls_that_were_rejected_for_their_form_or_name_are_no_samples() -> None:
    good, bad, unheard = calls({"path": "a"}, {"-l": True}, {"x": 1})
    bad.result = ToolResult("1", "", status="error", error_class="schema")
    unheard.result = ToolResult("2", "", status="error", error_class="no_such_tool")
    unheard.name = "ProxyRead"
    (tool,) = definitions("claude_code", pooled([shapes([good, bad, unheard])]))
    assert (tool.name, tool.parameters["required"], list(tool.parameters["properties"])) == ("Read", ["path"], ["path"])
