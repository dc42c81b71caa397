"""Content parts as several harnesses record them: the text that the model was shown, and marks for what is no text."""

from datetime import UTC, datetime
from typing import Any

from tracedance.ingest.building import text_of
from tracedance.ingest.tally import Tally
from tracedance.kit.chain import canonical

WIPED = ("", "REDACTED")
_MEDIA = {"image": "image", "input_image": "image", "image_url": "image", "document": "document", "audio": "audio", "video": "video"}
_TEXTS = frozenset(("text", "input_text", "output_text"))


def known(value: object) -> str:
    """An id or name as found; "" where there is none or a publisher wiped it."""
    text = text_of(value)
    return "" if text in WIPED else text


def listed(content: object) -> list[Any]:
    """The parts of a content field, which may be a text, one part or a list of parts."""
    if isinstance(content, list):
        return content
    return [] if content is None else [content]


def shown(part: object, tally: Tally) -> str:
    """The text of one part. A picture or file becomes a mark in brackets; an unknown type is named in the tally, its text kept."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return canonical(part)
    kind, text = text_of(part.get("type")), part.get("text")
    if isinstance(text, str) and (kind in _TEXTS or not kind):
        return text
    if kind in _MEDIA:
        return f"[{_MEDIA[kind]}]"
    if kind == "file" or "inlineData" in part or "fileData" in part:
        return _file(part)
    tally.name_unknown(f"part {kind or 'without a type'}")
    return text if isinstance(text, str) else f"[{kind[:40] or 'part'}] {canonical(part)}"


def shown_texts(content: object, tally: Tally) -> list[str]:
    """The texts of a content field, blank ones left out."""
    return [text for part in listed(content) if (text := shown(part, tally)).strip()]


def joined(content: object, tally: Tally) -> str:
    """A content field as one text."""
    return "\n".join(shown(part, tally) for part in listed(content))


def iso(value: object) -> str:
    """A time as ISO 8601: text as found, a number as milliseconds since 1970; "" where it is neither or absurd."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    try:
        return datetime.fromtimestamp(value / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return ""


def _file(part: dict[str, Any]) -> str:
    inner = next((part[key] for key in ("inlineData", "fileData") if isinstance(part.get(key), dict)), part)
    mime = text_of(inner.get("mimeType")) or text_of(inner.get("mime"))
    if mime.startswith("image/"):
        return "[image]"
    name = text_of(inner.get("filename")) or text_of(inner.get("displayName")) or mime
    return f"[file: {name[:200]}]" if name else "[file]"
