"""Whether a call repeats another: the same in effect, whatever was changed about its looks."""

from typing import Any

from tracedance.kit import linear as re2
from tracedance.kit.chain import canonical
from tracedance.kit.texts import valid, words
from tracedance.schema import ToolCall

_COSMETIC = words(
    """
    description explanation reason justification toolSummary toolAction thought thoughts comment timeout timeout_ms timeoutMs
    yield_time_ms max_output_tokens task_progress requires_approval
    """
)
_COMMANDS = ("command", "cmd", "script")
_TAIL = re2.compile(
    r"(?:[ \t]2>&1|[ \t]*\|[ \t]*(?:head|tail)(?:[ \t]+-n?[ \t]*\d{1,6}|[ \t]+--lines=\d{1,6})?|[ \t]*\|\|[ \t]*true|[ \t]*;[ \t]*)[ \t]*$"
)
_TIME_OUT = re2.compile(r"(?i)time[ds]?[ -]?out|deadline")
_FOLDER = re2.compile(r'"?(?:workdir|cwd)"?\s*[:=]\s*"([^"]*)"')
_SPACES = re2.compile(r"[ \t]+")
_END = 300


def same_effect(again: ToolCall, earlier: ToolCall, strict: bool = False) -> bool:
    """Whether `again` asks for the same as `earlier`; an argument that the earlier error names is never taken for cosmetic.

    Not strictly, descriptions and time limits, a redirection of errors, `| tail`, and spaces outside quotes make no difference. Texts
    of edits, patches and here-documents are compared as they are.
    """
    if again.name != earlier.name or again.tool_class != earlier.tool_class:
        return False
    if again.args_hash == earlier.args_hash:
        return True
    if strict or again.tool_class in ("edit", "write"):
        return False
    error = earlier.result.error_text if earlier.result is not None else ""
    return _essence(again, error) == _essence(earlier, error)


def plain_command(command: str) -> str:
    """A shell command without what only shapes its output."""
    text = command.strip()
    if "<<" in text:
        return text
    for _ in range(4):
        head, end = text[:-_END], valid(text[-_END:])
        shorter = head + _TAIL.sub("", end)
        if len(shorter) >= len(text):
            break
        text = shorter
    return text if any(sign in text for sign in "'\"\n\\") else _SPACES.sub(" ", valid(text))


def _carries(call: ToolCall) -> bool:
    """Whether the command lies inside of another value: a list of words, a program that starts it."""
    return bool(call.cmd) and "<<" not in call.cmd and not any(isinstance(call.arguments.get(key), str) for key in _COMMANDS)


def _essence(call: ToolCall, error: str) -> str:
    timed_out = _TIME_OUT.search(valid(error)) is not None
    kept: dict[str, Any] = {}
    if call.tool_class == "shell" and _carries(call):
        found = _FOLDER.search(valid(call.arguments_json.replace("\\", "")))
        return canonical({"command": "\n".join(plain_command(line) for line in call.cmd.split("\n")), "in": found[1] if found else ""})
    for key, value in call.arguments.items():
        cosmetic = key in _COSMETIC and key not in error and not (timed_out and "time" in key.lower())
        if not cosmetic:
            kept[key] = plain_command(value) if call.tool_class == "shell" and key in _COMMANDS and isinstance(value, str) else value
    return canonical(kept)
