"""The code of a family that is not the product's own as functions that ask a confined process: what is called in its place."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tracedance.catalogue import files
from tracedance.catalogue.confined import Parts
from tracedance.errors import InputError, ItemError
from tracedance.kit.chain import canonical
from tracedance.kit.needs import Needs
from tracedance.scan.outcome import DISABLED
from tracedance.schema import Hit, Session
from tracedance.synthesis import frames, gate, given
from tracedance.synthesis.frames import Forged, Job
from tracedance.synthesis.passes import STRIKES, shown
from tracedance.synthesis.process import Died, NotLoaded, TooMuch, Unavailable, Worker, available
from tracedance.synthesis.sandbox import LIMITS
from tracedance.synthesis.unserved import unserved as unserved

TRUST = "If you have read the code of the folder and trust it, --trust-catalogue runs it outside the sandbox."


class Lost(ItemError):
    """What the anchor finds in a session is not known; says why, in names and numbers."""


class NotShown(Lost):
    """The hit is none of the session that was shown last."""


def parts(source: Path, parameters: Mapping[str, Any], guards: Sequence[str], by_model: bool) -> Parts:
    """The family's code behind the boundary. InputError: it is not in the grammar, does not load, or nothing can be confined here."""
    name = source.stem
    ready(by_model)
    text = files.text(source)
    wrong = [(one.line, one.what) for one in gate.problems(text, name)] if by_model else unserved(text)
    _refuse(source, wrong, by_model)
    asked = Confined(text, name, tuple(guards))
    told = given.Guards(lambda more, of: Confined(text + more, of, tuple(guards)))
    needs = asked.needs(parameters, source, "Build the request again." if by_model else "Correct it.")
    return Parts(asked.anchor, needs, {guard: _either(asked.guard(guard), told.guard(guard)) for guard in guards})


def check(source: Path) -> Callable[..., str]:
    """A rubric's check behind the boundary. It is executed when it is first asked. InputError as of `parts`."""
    ready(by_model=False)
    text = files.text(source)
    _refuse(source, unserved(text), by_model=False)
    return given.check(Confined(text + given.CHECK, given.CHECKS, ()).anchor)


def ready(by_model: bool) -> None:
    """InputError, with the user's way out where there is one, where nothing can be confined here."""
    try:
        available()
    except Unavailable as missing:
        if by_model:
            raise
        raise InputError(f"{missing} {TRUST}") from None


def _refuse(source: Path, wrong: Sequence[tuple[int, str]], by_model: bool) -> None:
    for line, what in wrong[:1]:
        raise InputError(f"{files.shown(source)}:{line}: {what} It cannot be run." + ("" if by_model else f" {TRUST}"))


def _either(shown: Callable[[Session, Hit], bool], alone: Callable[[Session, Hit], bool]) -> Callable[[Session, Hit], bool]:
    """A guard of a hit that the anchor has just given, else of one that somebody kept."""

    def holds(session: Session, hit: Hit) -> bool:
        try:
            return shown(session, hit)
        except NotShown:
            return alone(session, hit)

    return holds


class Confined:
    """One worker for each set of parameters, started when it is needed and dead with this process. Safe in threads."""

    def __init__(self, source: str, name: str, guards: tuple[str, ...]) -> None:
        self._source, self._name, self._guards = source, name, guards
        self._workers: dict[str, Worker] = {}
        self._strikes, self._why = 0, ""
        self._lock = threading.Lock()
        self._last = threading.local()
        atexit.register(self._end)

    def needs(self, parameters: Mapping[str, Any], source: Path, cure: str) -> Needs:
        """The anchor's condition. InputError, with the cure, where the source does not load."""
        try:
            found: Needs = self._worker(parameters).needs
        except (NotLoaded, Died, Forged, TooMuch) as error:
            raise InputError(f"{files.shown(source)} does not load in the sandbox ({error}). {cure}") from None
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
                raise NotShown("the hit is none that the anchor gave")
            return name in refused

        return holds

    def _asked(self, session: Session, params: Mapping[str, Any]) -> tuple[frames.Answered, Sequence[Hit]]:
        each = shown(session, LIMITS)
        if each.data is None:
            raise Lost(f"the session is larger than a worker is shown: {each.why}")
        with self._lock:
            if self._strikes >= STRIKES:
                raise Lost(f"{DISABLED}{self._why}")
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
