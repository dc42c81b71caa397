"""Agents' telemetry: files of spans and log records, in any of the three vocabularies that agents are traced in, or in several at once.

A record is a span or a log record. Those that say nothing of a conversation (requests, queries, embeddings, metrics) are ignored; an
agent's own span repeats what the calls inside it say, and is read where there are none.
"""

from functools import partial

from tracedance.ingest import openinference, otel_genai, vercel_ai
from tracedance.ingest.building import text_of
from tracedance.ingest.lines import Lines
from tracedance.ingest.model_calls import Work, sessions
from tracedance.ingest.otlp import Event, Span, Tree, is_telemetry, iso, look, records
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session

_OPENINFERENCE = (b'"openinference.span.kind"', b'"openinference"', b'"attributes.openinference')


def _is_openinference(opening: Opening) -> bool:
    """Spans of which one states its kind in OpenInference's words."""
    return any(mark in opening.head for mark in _OPENINFERENCE) and is_telemetry(opening)


def _is_vercel(opening: Opening) -> bool:
    """Spans of which one names an operation of the SDK."""
    return b'"ai.operationId"' in opening.head and is_telemetry(opening) and not _is_openinference(opening)


def _is_genai(opening: Opening) -> bool:
    """Any other spans or log records."""
    return is_telemetry(opening) and not _is_openinference(opening) and not _is_vercel(opening)


def _read(lines: Lines, tally: Tally, redactor: Redactor, format: str) -> list[Session]:
    reading = _Reading(tally)
    for ordinal, record in records(lines, tally):
        if isinstance(record, Span):
            reading.span(record, ordinal)
        else:
            reading.log(record, ordinal)
    return sessions(reading.works(), format, redactor)


class _Reading:
    """Gathers what the records of one file say."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._works: dict[tuple[str, str], Work] = {}
        """By trace and span; log records may come before the span that they belong to, and without it."""
        self._parents: dict[tuple[str, str], str] = {}

    def span(self, span: Span, ordinal: int) -> None:
        """Take a span."""
        place = (span.trace, span.id or f"record-{ordinal}")
        if place in self._parents:
            self._tally.ignore()  # The same span again, from a retried export or a second copy of it in the file.
            return
        self._parents[place] = span.parent
        self._note_events(span)
        kind = openinference.kind_of(span)
        if kind:
            if not openinference.is_known(span):
                self._tally.lose_unknown(f"span kind {kind}", ordinal)
                return
            work = openinference.work(span)
        elif vercel_ai.is_work(span):
            work = vercel_ai.work(span)
        elif otel_genai.is_work(span):
            work = otel_genai.work(span)
        else:
            self._tally.ignore()
            return
        self._describe(work, span, ordinal)
        heard = self._works.get(place)
        if heard is not None:
            # Its log records came first.
            work.inputs, work.outputs = work.inputs or heard.inputs, work.outputs or heard.outputs
            work.system, work.tools = work.system or heard.system, work.tools or heard.tools
        self._works[place] = work
        if work.kind and work.speaks:
            self._tally.keep()
        else:
            self._tally.ignore()

    def log(self, event: Event, ordinal: int) -> None:
        """Take a log record."""
        if not otel_genai.is_known(event):
            self._tally.lose_unknown(f"event {event.name}", ordinal)
            return
        place = (event.trace, event.span or f"record-{event.trace}")
        work = self._works.get(place)
        if work is None:
            work = Work("model", ordinal=ordinal, start=event.time, time=iso(event.time))
            _name(work, event.resource, "", event.trace)
        if otel_genai.hear(event, work):
            work.kind = work.kind or "model"
            self._works[place] = work
            self._tally.keep()
        else:
            self._tally.ignore()

    def works(self) -> list[Work]:
        """What was gathered, each with the agent's run that it is part of; an agent's own word only where nothing inside it spoke."""
        spoken: set[tuple[str, str]] = set()
        self._share_names()
        for place, work in self._works.items():
            runs = self._runs_around(place)
            work.scope = runs[0][1] if runs else ""
            work.agent = work.agent or (self._works[runs[0]].agent if runs else "")
            if work.kind == "model" and work.speaks:
                spoken.update(runs)
                self._lend(work, runs)
        for place, work in self._works.items():
            if work.kind == "agent" and work.speaks and place not in spoken:
                spoken.update(self._runs_around(place))
        self._note_parts()
        return [
            work
            for place, work in self._works.items()
            if work.speaks and (work.kind in ("model", "tool") or (work.kind == "agent" and place not in spoken))
        ]

    def _runs_around(self, place: tuple[str, str]) -> list[tuple[str, str]]:
        """The agents' runs around a span, the innermost first."""
        runs = []
        seen = {place}
        place = (place[0], self._parents.get(place, ""))
        while place in self._parents and place not in seen and len(seen) < 1000:
            seen.add(place)
            if place in self._works and self._works[place].kind == "agent":
                runs.append(place)
            place = (place[0], self._parents[place])
        return runs

    def _share_names(self) -> None:
        """Put works that name no conversation, as the runs of tools, into the one that the rest of their trace names."""
        named: dict[str, str] = {}
        for (trace, _), work in self._works.items():
            if work.named:
                named.setdefault(trace, work.group)
        for (trace, _), work in self._works.items():
            if not work.named and trace in named:
                work.group, work.named = named[trace], True

    def _lend(self, work: Work, runs: list[tuple[str, str]]) -> None:
        """Give a call what only the agent's run says: the instructions and the tools."""
        for run in runs[:1]:
            around = self._works[run]
            work.system = work.system or around.system
            work.tools = work.tools or around.tools

    def _describe(self, work: Work, span: Span, ordinal: int) -> None:
        work.ordinal, work.start, work.time = ordinal, span.start, iso(span.start)
        _name(work, span.resource, span.scope, span.trace)

    def _note_events(self, span: Span) -> None:
        for event in span.events:
            if not otel_genai.is_known(event):
                self._tally.name_unknown(f"span event {event.name}")

    def _note_parts(self) -> None:
        """Name the unknown parts once a work: every later call repeats them."""
        for work in self._works.values():
            for kind in {kind for message in (*work.inputs[-1:], *work.outputs) for kind in message.unknown}:
                self._tally.name_unknown(f"part {kind}")


def _name(work: Work, resource: Tree, scope: str, trace: str) -> None:
    """Say whose work it is: which program's, and in which conversation."""
    service = text_of(look(resource, "service", "name"))
    work.harness = service if service and not service.startswith("unknown_service") else scope
    work.version = text_of(look(resource, "service", "version"))
    work.named = bool(work.group)
    work.group = work.group or trace


OPENINFERENCE = Source("openinference", _is_openinference, partial(_read, format="openinference"))
VERCEL_AI = Source("vercel_ai", _is_vercel, partial(_read, format="vercel_ai"))
OTEL_GENAI = Source("otel_genai", _is_genai, partial(_read, format="otel_genai"))
SOURCES = (OPENINFERENCE, VERCEL_AI, OTEL_GENAI)
"""In the order in which they are asked."""
