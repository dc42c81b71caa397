"""A synthesised family's anchor and guards as functions that ask a confined process: what a scan calls in their place."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tracedance.catalogue import files
from tracedance.catalogue.confined import Parts
from tracedance.errors import InputError
from tracedance.kit.chain import canonical
from tracedance.kit.needs import Needs
from tracedance.schema import Hit, Session
from tracedance.synthesis import frames, gate
from tracedance.synthesis.frames import Forged, Job
from tracedance.synthesis.passes import STRIKES, shown
from tracedance.synthesis.process import Died, NotLoaded, TooMuch, Worker, available
from tracedance.synthesis.sandbox import LIMITS


class Lost(Exception):
    """What the anchor finds in a session is not known."""


def parts(source: Path, name: str, parameters: Mapping[str, Any], guards: Sequence[str]) -> Parts:
    """The family's code behind the boundary. InputError: it is not in the grammar, does not load, or nothing can be confined here."""
    available()
    text = source.read_text("utf-8")
    if wrong := gate.problems(text, name):
        raise InputError(f"{files.shown(source)}:{wrong[0].line}: {wrong[0].what} It cannot be run.")
    asked = Confined(text, name, tuple(guards))
    return Parts(asked.anchor, asked.needs(parameters, source), {guard: asked.guard(guard) for guard in guards})


class Confined:
    """One worker for each set of parameters, started when it is needed and dead with this process. Safe in threads."""

    def __init__(self, source: str, name: str, guards: tuple[str, ...]) -> None:
        self._source, self._name, self._guards = source, name, guards
        self._workers: dict[str, Worker] = {}
        self._strikes, self._why = 0, ""
        self._lock = threading.Lock()
        self._last = threading.local()
        atexit.register(self._end)

    def needs(self, parameters: Mapping[str, Any], source: Path) -> Needs:
        """The anchor's condition. InputError where the source does not load."""
        try:
            found: Needs = self._worker(parameters).needs
        except (NotLoaded, Died, Forged, TooMuch) as error:
            raise InputError(f"{files.shown(source)} does not load in the sandbox ({error}). Build the request again.") from None
        return found

    def anchor(self, session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
        """As any anchor; Lost where the confined one gave no answer, and for good where its process was killed twice."""
        answer, hits = self._asked(session, params)
        if answer.raised is not None:
            raise Lost(frames.reason(answer.raised, self._source))
        self._last.refused = {(session.id, hit): told.refused_by for hit, told in zip(map(_key, hits), answer.hits, strict=True)}
        yield from hits

    def guard(self, name: str) -> Callable[[Session, Hit], bool]:
        """The guard of that name, for hits of the session that this thread was last shown."""

        def holds(session: Session, hit: Hit) -> bool:
            refused: list[str] | None = getattr(self._last, "refused", {}).get((session.id, _key(hit)))
            if refused is None:
                raise Lost("the hit is none that the anchor gave")
            return name in refused

        return holds

    def _asked(self, session: Session, params: Mapping[str, Any]) -> tuple[frames.Answered, Sequence[Hit]]:
        each = shown(session, LIMITS)
        if each.data is None:
            raise Lost("the session is larger than a worker is shown")
        with self._lock:
            if self._strikes >= STRIKES:
                raise Lost(f"the anchor is disabled: {self._why}")
            try:
                answer = self._worker(params).ask(each.data)
                return answer, frames.hits(answer, LIMITS.hits)[0]
            except (NotLoaded, Died, Forged, TooMuch) as error:
                self._strikes += STRIKES if isinstance(error, Died) and error.code == "slow" else 1
                self._why = str(error)
                self._end()
                raise Lost(str(error)) from None

    def _worker(self, params: Mapping[str, Any]) -> Worker:
        key = canonical(dict(params))
        if key not in self._workers:
            self._workers[key] = Worker(Job(self._name, self._source, dict(params), list(self._guards), LIMITS.hits), LIMITS)
        return self._workers[key]

    def _end(self) -> None:
        for worker in self._workers.values():
            worker.kill()
        self._workers.clear()


def _key(hit: Hit) -> tuple[int, bool, str]:
    return hit.decision, hit.offends, hit.why
