"""What a program printed, without the envelope that a harness puts round it."""

import msgspec

from tracedance.schema import ToolResult


class _Envelope(msgspec.Struct):
    output: str


_decode = msgspec.json.Decoder(_Envelope).decode
_HEADS = ("Chunk ID: ", "Wall time: ", "Exit code: ")
"""How the lines begin that Codex puts above an output."""
_ABOVE = "\nOutput:\n"
_HEAD_CHARS = 400


def shown(result: ToolResult | None) -> str:
    """The text of a result as the program printed it: out of a JSON envelope, or from below the lines that Codex puts above it; or ""."""
    if result is None:
        return ""
    text = result.text
    if text.startswith(_HEADS):
        above = text.find(_ABOVE, 0, _HEAD_CHARS)
        return text[above + len(_ABOVE) :] if above >= 0 else text
    if not text.startswith('{"output"'):
        return text
    try:
        return _decode(text).output
    except (msgspec.DecodeError, UnicodeEncodeError):
        return text
