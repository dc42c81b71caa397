"""Digests that stand where content was: SHA-256, or HMAC-SHA-256 under a key that nobody can guess contents with."""

import hashlib
import hmac
import os
import re
from dataclasses import dataclass
from pathlib import Path

from tracedance.errors import InputError
from tracedance.regular import read_regular

TRACE_KEY = b"agent-behavior-trace/v0"
"""Key of the pseudonyms that stand in what is hashed where no key is given: the same content has the same hash everywhere."""
SHORTEST_KEY = 16
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")


@dataclass(frozen=True)
class Hasher:
    """Hashes texts, under a key where one is given."""

    key: bytes = b""

    @property
    def method(self) -> str:
        """As `redaction.method` names it."""
        return "hmac-sha256" if self.key else "hash-only"

    def __call__(self, text: str) -> str:
        """64 hex digits."""
        data = text.encode("utf-8", "replace")
        return hmac.digest(self.key, data, "sha256").hex() if self.key else hashlib.sha256(data).hexdigest()


def hasher(given: str | None) -> Hasher:
    """The hasher for `--hash-key`: the content of a file (white space at its ends left out), else the value of a variable of this name.

    InputError where there is neither, or the key is short; the key itself is never named.
    """
    if given is None:
        return Hasher()
    if os.path.lexists(given):
        try:
            key = read_regular(Path(given), 4096).strip()
        except OSError as error:
            raise InputError(f"--hash-key: the file cannot be read: {error.strerror}. Name a file that holds the key.") from None
    elif _VARIABLE.fullmatch(given) and given in os.environ:
        key = os.environ[given].strip().encode("utf-8", "surrogateescape")
    else:
        raise InputError(
            "--hash-key: there is no file and no environment variable of that name. Give one of the two, never the key itself."
        )
    if len(key) < SHORTEST_KEY:
        raise InputError(f"--hash-key: the key has under {SHORTEST_KEY} bytes, which can be guessed. Make one: openssl rand -hex 32.")
    return Hasher(key)
