"""Ids, times and noise that look like a harness made them; all from the session's own random numbers, never from a clock."""

import base64
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

EPOCH = datetime(2026, 2, 2, 7, 30, tzinfo=UTC)
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"


@dataclass(frozen=True)
class Where:
    """The envelope that every record of a session repeats."""

    session: str
    cwd: str
    branch: str
    version: str
    model: str
    recent: bool


class Clock:
    """Invented time: starts where the session's number puts it and moves on by steps."""

    def __init__(self, number: int, rng: Random) -> None:
        self._rng = rng
        self._now = EPOCH + timedelta(minutes=47 * number + rng.randint(0, 30), seconds=rng.randint(0, 59))

    def forward(self, least: float, most: float) -> None:
        self._now += timedelta(seconds=self._rng.uniform(least, most))

    def text(self) -> str:
        """ISO 8601 with milliseconds, as the harnesses write it."""
        return self._now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    @property
    def seconds(self) -> int:
        return int(self._now.timestamp())

    @property
    def day(self) -> str:
        return self._now.strftime("%Y-%m-%d")

    @property
    def folder(self) -> str:
        return self._now.strftime("%Y/%m/%d")

    @property
    def stamp(self) -> str:
        return self._now.strftime("%Y-%m-%dT%H-%M-%S")


def uuid4(rng: Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def uuid7(rng: Random, clock: Clock) -> str:
    """An id that sorts by time, as Codex makes them."""
    value = (clock.seconds * 1000 + rng.randint(0, 999)) << 80 | 7 << 76 | rng.getrandbits(12) << 64 | 2 << 62 | rng.getrandbits(62)
    return str(uuid.UUID(int=value))


def token(rng: Random, prefix: str, length: int) -> str:
    return prefix + "".join(rng.choice(_LETTERS) for _ in range(length))


def sealed(rng: Random, size: int) -> str:
    """Bytes nobody can read, as base64."""
    return base64.b64encode(rng.randbytes(size)).decode()
