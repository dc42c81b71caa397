"""Exit codes that are answers and no failures: no match (grep), they differ (diff), checks still run (gh)."""

import re

_NOTICE = 400
_TRAILER = re.compile(r"(?:^\(no output\)\s{0,4}|(?:^|\n))(?:Command exited with code \d{1,5}|<[\w :]{1,60} exit code \d{1,5}>)\s{0,4}\Z")
_QUIET_ONE = re.compile(r"(?:rg|[ef]?grep|git grep|diff|cmp|test|\[)\s|git diff\b.*--(?:no-index|exit-code|quiet)\b", re.DOTALL)
"""Programs whose exit code 1 says "no match" or "they differ"."""
_QUIET_EIGHT = re.compile(r"gh pr checks\b")


def says_no(command: str, exit_code: int | None, text: str) -> bool:
    """Whether the exit code is an answer of the last program (no match, they differ) and not a failure."""
    if exit_code not in (1, 8):
        return False
    last, joined = _last_command(command.strip())
    if exit_code == 8:
        return _QUIET_EIGHT.match(last) is not None
    # After `a && grep b` the code may be a's own: only silence says that grep found nothing.
    return _QUIET_ONE.match(last + " ") is not None and not (joined and _output(text).strip())


def _last_command(command: str) -> tuple[str, bool]:
    """The last simple command of a line, by a scan that knows quotes, and whether an `&&` stands before it."""
    start = position = 0
    quote = ""
    joined = False
    while position < len(command):
        char = command[position]
        if char == "\\" and quote != "'":
            position += 1
        elif quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in ";&|\n(":
            joined = command.startswith("&&", position) or (joined and char == "|")
            start = position + (2 if command[position : position + 2] in ("&&", "||") else 1)
            position = start - 1
        position += 1
    return command[start:].strip(), joined


def _output(text: str) -> str:
    """What the program printed, without the harness's header and the line that it adds about the exit."""
    text = _TRAILER.sub("", text)
    if "\nOutput:\n" in text[:_NOTICE]:
        return text.split("\nOutput:\n", 1)[1]
    return text.split("\n", 1)[1] if text.startswith("Exit code") and "\n" in text else ("" if text.startswith("Exit code") else text)
