"""What a program printed, without the envelope that a harness puts round it."""

import msgspec

from tracedance.schema import ToolResult


class _Envelope(msgspec.Struct):
    output: str


_decode = msgspec.json.Decoder(_Envelope).decode


def shown(result: ToolResult | None) -> str:
    """The text of a result as the program printed it: the `output` of a JSON envelope, else the whole; "" without a result."""
    if result is None:
        return ""
    text = result.text
    if not text.startswith('{"output"'):
        return text
    try:
        return _decode(text).output
    except (msgspec.DecodeError, UnicodeEncodeError):
        return text
