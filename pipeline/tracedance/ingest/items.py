"""Items of OpenAI's Responses form: a turn of the model is a run of items, each call and each result an item of its own."""

from collections.abc import Callable
from typing import Any

from tracedance.ingest.building import text_of
from tracedance.ingest.content import parsed, parts, summaries
from tracedance.ingest.messages import Answered, Asked, Message
from tracedance.kit.chain import canonical

_ARGUMENTS = ("arguments", "input", "action", "operation", "queries", "code", "actions")
_RAISED = "An error occurred while running the tool"
"""How the Agents SDK begins the result of a tool that raised."""
_OUTPUTS = ("output", "results", "outputs", "error")


def _called(value: dict[str, Any]) -> Message:
    name = text_of(value.get("name")) or text_of(value.get("type")).removesuffix("_call")
    arguments: Any = next((value[key] for key in _ARGUMENTS if value.get(key) is not None), {})
    if isinstance(arguments, dict) and isinstance(arguments.get("commands"), list):
        # The kit knows a shell call by its `command`; this tool sends several lines at once.
        arguments = {"command": "\n".join(text_of(line) for line in arguments["commands"]), **arguments}
    said = Message("assistant", piece=True)
    said.calls.append(Asked(_identity(value), name, parsed(arguments)))
    return said


def _identity(value: dict[str, Any]) -> str:
    return text_of(value.get("call_id")) or text_of(value.get("id"))


def _hosted(value: dict[str, Any]) -> Message:
    """A call that the provider ran itself: what it returned stands in the same item, or nowhere."""
    said = _called(value)
    output = next((value[key] for key in _OUTPUTS if value.get(key)), None)
    failed = value.get("status") == "failed" or bool(value.get("error"))
    if value.get("type") == "image_generation_call":
        output = "[image]" if value.get("result") else output
    if output is not None or failed:
        text = output if isinstance(output, str) else "" if output is None else canonical(output)
        said.results.append(Answered(_identity(value), text, failed or None))
    return said


def _returned(value: dict[str, Any]) -> Message:
    said, inner = Message("tool"), Message("tool")
    output = next((value[key] for key in ("output", "result", "tools") if value.get(key) is not None), None)
    parts(output, inner)
    said.unknown += inner.unknown
    said.results.append(Answered(text_of(value.get("call_id")), "\n".join(inner.texts), _failed(value, output)))
    if said.results[0].text.startswith(_RAISED):
        said.results[0].failed = True
    return said


def _failed(value: dict[str, Any], output: Any) -> bool | None:
    """What the item itself says of failure: a patch tool's status, the exit codes of a shell tool; most say nothing."""
    if value.get("status") == "failed":
        return True
    if value.get("type") != "shell_call_output" or not isinstance(output, list):
        return None
    outcomes = [part.get("outcome") for part in output if isinstance(part, dict)]
    return any(isinstance(end, dict) and (end.get("type") == "timeout" or end.get("exit_code") not in (0, None)) for end in outcomes)


def _reasoning(value: dict[str, Any]) -> Message:
    return Message("assistant", thoughts=summaries(value), piece=True)


def _approval(value: dict[str, Any]) -> Message:
    verdict = "approved" if value.get("approve") is True else "refused"
    reason = text_of(value.get("reason"))
    return Message("user", [f"[{verdict}: {reason}]" if reason else f"[{verdict}]"], author="user")


def _note(value: dict[str, Any]) -> Message:
    return Message("note")


_CALLS = "function_call custom_tool_call computer_call local_shell_call shell_call apply_patch_call program"
_HOSTED = "web_search_call file_search_call code_interpreter_call image_generation_call mcp_call tool_search_call"
_RETURNED = (
    "function_call_output custom_tool_call_output computer_call_output local_shell_call_output shell_call_output"
    " apply_patch_call_output tool_search_output program_output"
)
_NOTES = "item_reference mcp_list_tools mcp_approval_request compaction compaction_trigger context_compaction additional_tools"

ITEMS: dict[str, Callable[[dict[str, Any]], Message]] = {
    **dict.fromkeys(_CALLS.split(), _called),
    **dict.fromkeys(_HOSTED.split(), _hosted),
    **dict.fromkeys(_RETURNED.split(), _returned),
    **dict.fromkeys(_NOTES.split(), _note),
    "reasoning": _reasoning,
    "mcp_approval_response": _approval,
}
"""Items by type; `message` has a role and is read as a message."""
