"""The two errors the product raises on purpose; anything else that escapes is a bug and shows its traceback."""

import re

TRACE = re.compile(r"Traceback \(most recent call last\):.*\Z", re.DOTALL)
PLACE = re.compile(
    r"(?:File )?[\"']?(?:[A-Za-z]:)?(?:[/\\][^/\\\s\"']{1,200}){1,30}\.pyc?\b[\"']?(?:,? line \d{1,9})?(?:, in [\w<>.]{1,99})?"
)


class InputError(Exception):
    """Something the user can mend: one line that says what is wrong, then the cure.

    `code` is the exit code of the command line: 2 unreadable input or usage, 4 budget reached, 5 provider failed, 6 stored data
    failed its checksum, 7 busy.
    """

    def __init__(self, message: str, code: int = 2) -> None:
        super().__init__(message)
        self.code = code


class ItemError(Exception):
    """One item cannot be handled; it becomes a counted row with `reason` and the run goes on."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


def foreign(error: BaseException) -> str:
    """What an error of somebody else's library says, in one line: without its traceback, or the places of its files on this machine."""
    said = TRACE.sub("", str(error))
    return " ".join(PLACE.sub("", said).split())
