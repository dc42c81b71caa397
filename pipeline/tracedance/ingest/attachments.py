"""What Claude Code's `attachment` records put before the model, as text."""

from collections.abc import Callable
from typing import Any

from tracedance.ingest.building import text_of
from tracedance.kit.chain import canonical


def _kinds(names: str) -> list[str]:
    return names.split()


IGNORED = frozenset(
    _kinds("hook_success hook_system_message hook_non_blocking_error hook_cancelled hook_error_during_execution")
    + _kinds("hook_permission_decision command_permissions auto_mode auto_mode_exit token_usage budget_usd output_token_usage")
    + _kinds("dynamic_skill structured_output max_turns_reached")
)
"""Known types that show the model no text of their own (or none that is recorded)."""


def shown(attachment: dict[str, Any]) -> str | None:
    """The text that the model was shown, "" for a known type that shows none, None for an unknown type."""
    kind = text_of(attachment.get("type"))
    if kind in _SHOWN:
        return _SHOWN[kind](attachment)
    if kind == "hook_success" and _event(attachment) in ("SessionStart", "UserPromptSubmit"):
        return text_of(attachment.get("content"))
    return "" if kind in IGNORED else None


def queued(attachment: dict[str, Any]) -> list[str]:
    """The texts of a `queued_command`: words typed while the model was at work, or a notification that waited."""
    prompt = attachment.get("prompt")
    blocks = prompt if isinstance(prompt, list) else [prompt]
    texts = [block if isinstance(block, str) else text_of(block.get("text")) for block in blocks if isinstance(block, str | dict)]
    return [text for text in texts if text]


def _event(attachment: dict[str, Any]) -> str:
    return text_of(attachment.get("hookEvent"))


def _content(attachment: dict[str, Any]) -> str:
    """`content`, whatever its form: text, a list of texts, or an object that holds one."""
    content = attachment.get("content")
    if isinstance(content, list):
        return "\n".join(item if isinstance(item, str) else canonical(item) for item in content)
    if isinstance(content, dict):
        inner = content.get("file") if isinstance(content.get("file"), dict) else content
        return text_of(inner.get("content")) or canonical(content)  # type: ignore[union-attr]
    return text_of(content)


def _named(*fields: str) -> Callable[[dict[str, Any]], str]:
    """A text of the type's name, the values of some fields, and the content."""

    def render(attachment: dict[str, Any]) -> str:
        head = " ".join(text for field in fields if (text := _plain(attachment.get(field))))
        body = _content(attachment)
        return f"[{attachment['type']}] {head}".rstrip() + (f"\n{body}" if body else "")

    return render


def _plain(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(item if isinstance(item, str) else canonical(item) for item in value)
    return "" if value is None or isinstance(value, bool) else canonical(value)


def _if_content(attachment: dict[str, Any]) -> str:
    body = _content(attachment)
    return f"[{attachment['type']}]\n{body}" if body else ""


_SHOWN: dict[str, Callable[[dict[str, Any]], str]] = {
    **dict.fromkeys(_kinds("hook_additional_context task_reminder todo_reminder todo skill_listing critical_system_reminder"), _if_content),
    **dict.fromkeys(_kinds("task_status async_hook_response teammate_mailbox team_context mcp_resource verify_plan_reminder"), _if_content),
    "hook_blocking_error": _named("hookName", "blockingError"),
    "hook_stopped_continuation": _named("hookName", "message"),
    "edited_text_file": _named("filename", "snippet"),
    "edited_image_file": _named("filename"),
    "file": _named("filename"),
    "compact_file_reference": _named("filename"),
    "pdf_reference": _named("filename"),
    "already_read_file": _named("filename"),
    "directory": _named("path"),
    "opened_file_in_ide": _named("filename"),
    "selected_lines_in_ide": _named("filename"),
    "nested_memory": _named("path"),
    "relevant_memories": _named("memories"),
    "ultramemory": _named(),
    "current_session_memory": _named("path"),
    "diagnostics": _named("files"),
    "deferred_tools_delta": _named("addedNames", "removedNames"),
    "mcp_instructions_delta": _named("addedNames", "addedBlocks", "removedNames"),
    "agent_listing_delta": _named("addedTypes", "addedLines", "removedTypes"),
    "plan_mode": _named("reminderType", "planFilePath"),
    "plan_mode_reentry": _named("planFilePath"),
    "plan_mode_exit": _named("planFilePath"),
    "plan_file_reference": _named("planFilePath", "planContent"),
    "invoked_skills": _named("skills"),
    "agent_mention": _named("agentType"),
    "output_style": _named("style"),
    "date_change": _named("newDate"),
    "ultrathink_effort": _named("level"),
}
