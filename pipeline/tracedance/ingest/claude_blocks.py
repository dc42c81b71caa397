"""Content blocks of Claude Code's messages."""

from typing import Any

from tracedance.ingest.building import text_of
from tracedance.kit.chain import canonical


def shown_text(block: dict[str, Any] | str) -> str:
    """The text of one content block as the model was shown it; a picture is named, not kept."""
    if isinstance(block, str):
        return block
    kind = text_of(block.get("type"))
    if kind == "text":
        return text_of(block.get("text"))
    if kind in ("image", "document"):
        return f"[{kind}]"
    if kind == "tool_reference":
        return f"[tool_reference: {text_of(block.get('tool_name'))}]"
    return "" if kind in ("tool_result", "") else canonical(block)


def has_content(block: dict[str, Any]) -> bool:
    """Whether a block says anything: a thought may be signed and empty."""
    kind = block.get("type")
    if kind in ("text", "thinking"):
        return bool(text_of(block.get(str(kind))).strip())
    return kind not in ("redacted_thinking", "fallback")
