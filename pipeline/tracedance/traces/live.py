"""A run recorded while it happens: the steps of an agent's own tools, hashed as an exported session's are."""

import dataclasses
import functools
import inspect
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from datetime import date, time
from decimal import Decimal
from pathlib import PurePath
from typing import Any, TypeVar
from uuid import UUID

from tracedance.errors import InputError
from tracedance.privacy.redactor import Redactor
from tracedance.schema import BehaviorTrace, Redaction, Span, SpanAttributes, SpanStatus, SpanType, TraceRun, TraceSource
from tracedance.traces.hashing import TRACE_KEY, Hasher
from tracedance.traces.making import clean_output, plain_name

Tool = TypeVar("Tool", bound=Callable[..., Any])


class LiveRun:
    """One run under way. Nothing of what went in or came out is kept: it is redacted, hashed and let go."""

    def __init__(self, trace_id: str, scenario_id: str | None = None, environment: str | None = None) -> None:
        self.trace_id = trace_id
        self._about = {"scenario_id": scenario_id, "environment": environment}
        self._spans: list[Span] = []
        self._removed: dict[str, None] = {}
        self._end: dict[str, Any] = {}
        self._redactor = Redactor(TRACE_KEY)
        self._hash = Hasher()

    def step(self, name: str, *, type: SpanType = "tool", status: SpanStatus = "success", given: Any = None, result: Any = None) -> None:
        """One step that was taken; `given` went in and `result` came out, where they are known."""
        ordinal, named = len(self._spans), plain_name(name, self._hash)
        hashed = {"input_hash": self._hashed("tool_input", given), "output_hash": self._hashed("tool_output", result)}
        about = SpanAttributes(tool_name=None if type == "llm" else named)
        span_id = f"span_{ordinal}_{(hashed['input_hash'] or '')[:8]}".rstrip("_")
        self._spans.append(Span(span_id=span_id, ordinal=ordinal, type=type, name=named, status=status, attributes=about, **hashed))

    def wrap(self, tool: Tool, *, name: str | None = None, type: SpanType = "tool") -> Tool:
        """The same tool (a function, async or a generator too), each call of which becomes a step: `error` where it raises. The step stands
        where the call began; of a generator, where it was first asked. One that was not read to its end is `cancelled`.
        """
        called = name or str(getattr(tool, "__name__", "tool"))

        def given(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            return {"args": args, **kwargs} if args else kwargs

        if inspect.isgeneratorfunction(tool):

            @functools.wraps(tool)
            def yielding(*args: Any, **kwargs: Any) -> Any:
                return (yield from self._generated(self._begin(called, type, given(args, kwargs)), tool(*args, **kwargs)))

            return yielding  # type: ignore[return-value]

        if inspect.isasyncgenfunction(tool):

            @functools.wraps(tool)
            async def streaming(*args: Any, **kwargs: Any) -> Any:
                async with aclosing(self._streamed(self._begin(called, type, given(args, kwargs)), tool(*args, **kwargs))) as stream:
                    async for item in stream:
                        yield item

            return streaming  # type: ignore[return-value]

        if inspect.iscoroutinefunction(tool):

            @functools.wraps(tool)
            async def waiting(*args: Any, **kwargs: Any) -> Any:
                place = self._begin(called, type, given(args, kwargs))
                return await self._awaited(place, tool(*args, **kwargs))

            return waiting  # type: ignore[return-value]

        @functools.wraps(tool)
        def calling(*args: Any, **kwargs: Any) -> Any:
            place = self._begin(called, type, given(args, kwargs))
            result = tool(*args, **kwargs)
            # What a call hands back may be work that has not begun, whatever kind of callable it was.
            if inspect.iscoroutine(result):
                return self._awaited(place, result)
            if inspect.isgenerator(result):
                return self._generated(place, result)
            if inspect.isasyncgen(result):
                return self._streamed(place, result)
            self._succeeded(place, result)
            return result

        return calling  # type: ignore[return-value]

    def _begin(self, name: str, type: SpanType, given: Any) -> int:
        """A call counts as failed until it has come back."""
        self.step(name, type=type, status="error", given=given)
        return len(self._spans) - 1

    async def _awaited(self, place: int, work: Awaitable[Any]) -> Any:
        result = await work
        self._succeeded(place, result)
        return result

    def _generated(self, place: int, work: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        with self._read(place):
            result = yield from work
        self._succeeded(place, result)
        return result

    async def _streamed(self, place: int, work: AsyncGenerator[Any, Any]) -> AsyncGenerator[Any, Any]:
        with self._read(place):
            async with aclosing(work):
                async for item in work:
                    yield item
        self._succeeded(place, None)

    @contextmanager
    def _read(self, place: int) -> Iterator[None]:
        """While a generator runs its end is not known, and if its reader stops before it has ended it is cancelled."""
        self._spans[place] = self._spans[place].model_copy(update={"status": "unknown"})
        try:
            yield
        except BaseException as error:
            status = "cancelled" if isinstance(error, GeneratorExit) else "error"
            self._spans[place] = self._spans[place].model_copy(update={"status": status})
            raise

    def _succeeded(self, place: int, result: Any) -> None:
        done = {"status": "success", "output_hash": self._hashed("tool_output", result)}
        self._spans[place] = self._spans[place].model_copy(update=done)

    def finish(self, output: Any = None, *, status: SpanStatus = "success", canonical: Sequence[str] = ()) -> None:
        """How the run ended, and what it said; of an output that is a mapping the fields named in `canonical` are kept as they are."""
        allowed = {name: output[name] for name in canonical if name in output} if isinstance(output, Mapping) else None
        try:
            kept = clean_output(json.loads(json.dumps(allowed, allow_nan=False)), self._redactor) if canonical else None
        except (TypeError, ValueError) as error:
            raise InputError(f"A canonical output is no JSON ({error}). Name fields that hold plain values.") from None
        self._end = {"final_status": status, "final_output_hash": self._hashed("final_output", output), "canonical_output": kept}

    def trace(self) -> BehaviorTrace:
        """The trace so far; a run that was not finished ends `unknown`."""
        return BehaviorTrace(
            schema_version="agent-behavior-trace/v0",
            source=TraceSource(platform="live"),
            run=TraceRun(trace_id=self.trace_id, **self._about, **self._end),
            spans=tuple(self._spans),
            redaction=Redaction(applied=True, method=self._hash.method, removed_fields=tuple(self._removed)),
        )

    def _hashed(self, field: str, content: Any) -> str | None:
        """The hash of content after redaction: a text as it is, anything else as canonical JSON; None for what has no plain form."""
        if content is None:
            return None
        self._removed[field] = None
        try:
            text = content if isinstance(content, str) else json.dumps(content, sort_keys=True, ensure_ascii=False, default=_plain)
        except (TypeError, ValueError, RecursionError):
            return None
        return self._hash(self._redactor.text(text))


def _plain(value: Any) -> Any:
    """The plain form of a value that JSON has none for. TypeError where it has none either: a repr may hold an address, which is of the
    process and not of the value.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, PurePath | Decimal | UUID | date | time):
        return str(value)
    raise TypeError(type(value).__name__)
