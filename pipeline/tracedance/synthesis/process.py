"""The parent's side of a worker: starts it, asks it one session at a time against a clock, and kills it.

A worker is asked the next session only after it has answered the last; an answer carries the question's nonce, and a byte too many is
a forgery. So no answer can stand for another session than the one that was asked.
"""

import contextlib
import json
import os
import secrets
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
import pydantic
import pydantic_core
import re2
import tree_sitter
import tree_sitter_bash

import tracedance
from tracedance.errors import InputError
from tracedance.synthesis import confine, frames, plain
from tracedance.synthesis.clock import PATIENCE, Clock, used
from tracedance.synthesis.frames import Answered, Asked, Forged, Job, Loaded, Raised, Ready
from tracedance.synthesis.frames import TooMuch as TooMuch

ENVIRONMENT = {"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}
"""All that a worker has in its environment."""
_NEEDED = (tracedance, msgspec, pydantic, pydantic_core, re2, tree_sitter, tree_sitter_bash)
ENTRY = "import sys; sys.path[:0] = sys.argv[1].split('\\n'); from tracedance.synthesis.worker import main; main(sys.argv[2])"
_PIPE = 1 << 20
_PACE = 100_000


@dataclass(frozen=True)
class Limits:
    """What one anchor may use. A worker that oversteps is killed."""

    session_seconds: float = 1.0
    """For one session, and for executing the source."""
    run_seconds: float = 2.0
    """For all sessions of one worker, and `mean_seconds` more for each of them and for each 100 KB of them."""
    mean_seconds: float = 0.1
    start_seconds: float = 30.0
    cpu_seconds: int = 3_600
    """Of one worker over all sessions."""
    memory: int = 768 << 20
    """Bytes of address space."""
    hits: int = 500
    """In one session."""
    frame_bytes: int = 256 << 10
    """Of one answer."""
    run_bytes: int = 64 << 20
    """Of all answers of one worker."""
    run_memory: int = 256 << 20
    """Bytes that the hits of all answers take in the parent's memory, about."""
    session_bytes: int = 64 << 20
    """Sessions above it are not shown to it."""


class Unavailable(InputError):
    """This system cannot confine a process."""

    def __init__(self, missing: str) -> None:
        super().__init__(
            f"The sandbox cannot run here: {missing}. Anchors that are not shipped with the product run nowhere else; "
            "use a shipped family, or a Linux machine with landlock and seccomp."
        )


class Died(Exception):
    """The worker is gone; `code` is time, slow, forbidden_call or crashed."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class NotLoaded(Exception):
    """The source does not execute, or lacks the anchor; says why."""


def available() -> None:
    """Unavailable, with the reason, where no worker could be confined."""
    try:
        confine.ready()
    except confine.Missing as missing:
        raise Unavailable(str(missing)) from None


class Worker:
    """One confined process with one anchor loaded. Use as a context manager: it is dead afterwards, whatever happened."""

    def __init__(self, job: Job, limits: Limits, entry: str = ENTRY) -> None:
        """Raises Unavailable, NotLoaded, Died, TooMuch or Forged."""
        self.limits = limits
        self.said = 0
        self.needs: Any = None
        self._job = job
        self._asked, self._allowed, self._began, self._waited = 0, limits.run_seconds, 0.0, 0.0
        self._start(entry)
        try:
            ready = frames.decoded(self._receive(limits.start_seconds), Ready)
            if ready.missing:
                raise Unavailable(ready.missing)
            told = msgspec.structs.replace(job, params=plain.carried(job.params))
            loaded = frames.decoded(self._exchange(plain.packed(told)), Loaded)
            if loaded.raised is not None:
                raise NotLoaded(self.reason(loaded.raised))
            if loaded.lacks:
                function = next((name for name in (job.name, *job.guards) if name == loaded.lacks), "")
                raise NotLoaded(f"it defines no function {function!r}" if function else "it defines no NEEDS")
            self.needs = frames.needs_from_plain(bytes(loaded.needs))
            self._began = used(self._process.pid)[1]
        except BaseException:
            self.kill()
            raise

    def _start(self, entry: str) -> None:
        told = {"memory": self.limits.memory, "cpu": self.limits.cpu_seconds, "parent": os.getpid()}
        command = [sys.executable, "-P", "-s", "-S", "-B", "-c", entry, "\n".join(_folders()), json.dumps(told)]
        self._process = _starter().submit(_started, command).result()
        assert self._process.stdin is not None and self._process.stdout is not None
        import fcntl  # not everywhere there, and `available` is to say so

        self._into, self._from = self._process.stdin.fileno(), self._process.stdout.fileno()
        for descriptor in (self._into, self._from):
            os.set_blocking(descriptor, False)
            with contextlib.suppress(OSError):  # a wider pipe is only faster
                fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.kill()

    def ask(self, session: bytes) -> Answered:
        """What the anchor finds in a packed session. Raises Died, TooMuch or Forged; the worker is of no use afterwards."""
        nonce, began = secrets.token_bytes(8), time.monotonic()
        answer: Answered = frames.decoded(self._exchange(plain.packed(Asked(nonce, msgspec.Raw(session)))), Answered)
        if answer.nonce != nonce:
            raise Forged("an answer is not to the session that was asked")
        if any(set(found.refused_by).difference(self._job.guards) for found in answer.hits):
            raise Forged("it names guards that were not asked")
        self._pace(time.monotonic() - began, len(session))
        return answer

    def reason(self, raised: Raised) -> str:
        """What the anchor raised, as it may be shown."""
        return frames.reason(raised, self._job.source)

    def _pace(self, waited: float, size: int) -> None:
        """Died where the sessions, each within its time, take too long together: by the processor, or by the clock with patience."""
        self._asked, self._waited = self._asked + 1, self._waited + waited
        self._allowed += self.limits.mean_seconds * (1 + size / _PACE)
        if max(used(self._process.pid)[1] - self._began, self._waited / PATIENCE) > self._allowed:
            self.kill()
            raise Died("slow", f"it took more than {self._allowed:.1f} s for {self._asked} sessions")

    def finish(self) -> None:
        """There are no more sessions. Forged where the worker has something left to say."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        if self._readable(self.limits.session_seconds) and os.read(self._from, 1):
            raise Forged("it says something after its last answer")

    def kill(self) -> None:
        """End the worker and all it may have started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _readable(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self._from, select.POLLIN)
        return bool(poll.poll(max(0, seconds) * 1000))

    def _exchange(self, data: bytes) -> bytes:
        """The answer to a frame."""
        if self._readable(0) and os.read(self._from, 1):
            raise Forged("it answers before it is asked")
        clock = Clock(self._process.pid, self.limits.session_seconds)
        left = memoryview(len(data).to_bytes(frames.HEAD) + data)
        poll = select.poll()
        poll.register(self._into, select.POLLOUT)
        try:
            while left:
                while not poll.poll(clock.left() * 1000):
                    self._overdue(clock)
                with contextlib.suppress(BlockingIOError):
                    left = left[os.write(self._into, left) :]
        except BrokenPipeError:
            raise self._death() from None
        return self._receive(clock.left(), clock)

    def _receive(self, seconds: float, clock: Clock | None = None) -> bytes:
        clock = clock or Clock(self._process.pid, seconds)
        head = self._read(frames.HEAD, clock)
        size = int.from_bytes(head)
        self.said += size
        if size > self.limits.frame_bytes or self.said > self.limits.run_bytes:
            raise TooMuch(f"an answer of {size:,} bytes; {self.limits.frame_bytes:,} are allowed, and {self.limits.run_bytes:,} in all")
        return self._read(size, clock)

    def _read(self, size: int, clock: Clock) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            while not self._readable(clock.left()):
                self._overdue(clock)
            part = os.read(self._from, size - len(parts))
            if not part:
                raise self._death()
            parts += part
        return bytes(parts)

    def _overdue(self, clock: Clock) -> None:
        """Died, unless it was the machine that had no time."""
        if clock.left() == 0 and not clock.starved():
            self.kill()
            raise Died("time", f"it took longer than {self.limits.session_seconds:g} s")

    def _death(self) -> Died:
        try:
            code = self._process.wait(1)
        except subprocess.TimeoutExpired:  # it closed its end and lives on
            self.kill()
            return Died("crashed", "it closed its output")
        if code == -signal.SIGSYS:
            return Died("forbidden_call", "it made a system call that the sandbox does not allow")
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            return Died("time", "it used up its processor time")
        return Died("crashed", f"its process ended with {signal.Signals(-code).name if code < 0 else code}")


@cache
def _starter() -> ThreadPoolExecutor:
    """The thread that starts workers. The kernel sends the parent-death signal when the thread that started a process ends: this one
    stays as long as the program."""
    return ThreadPoolExecutor(1, "tracedance-sandbox")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_starter.cache_clear)


def _started(command: Sequence[str]) -> subprocess.Popen[bytes]:
    with tempfile.TemporaryDirectory(prefix="tracedance-") as empty:
        return subprocess.Popen(
            command,
            env=ENVIRONMENT,
            cwd=empty,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
        )


def _folders() -> Sequence[str]:
    """Where the packages lie that a worker imports."""
    files = [Path(str(module.__file__)).resolve() for module in _NEEDED]
    return list(dict.fromkeys(str(file.parent.parent if file.name == "__init__.py" else file.parent) for file in files))
