"""The event table: one row per text, reasoning, call or result of a session, flat, in the order of the session.

A column that a row has no use for is null. A call carries what became of it, so that one row tells a failed edit, and in `answer` the `seq`
of its result's row: it finds its own result again even where ids repeat. The first row of a turn carries its `chain`.
"""

KINDS = ("text", "reasoning", "call", "result")

NAMED = ("session", "kind", "role", "author", "mark", "model", "tool", "tool_class", "status", "error_class")
"""Columns of few distinct values."""

NUMBERS = ("seq", "turn", "ordinal", "first", "last", "exit_code", "answer", "offset", "length")
"""`offset` and `length` are the byte range of the source record `ordinal` in its file (or unpacked member of an archive). The record of a
text or of reasoning is the first one of its turn."""
TEXTS = ("time", "chain", "args_hash", "call_id", "cmd", "text", "err_text")
COLD = ("args", "result", "reasoning")
"""Four fifths of the bytes; read only when an anchor asks."""

HOT = (*NAMED, *NUMBERS, *TEXTS)
COLUMNS = (*HOT, *COLD)

ERROR_TEXT = 2048
"""Characters kept of a failed result in the hot column."""
