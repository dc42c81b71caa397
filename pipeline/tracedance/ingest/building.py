"""Puts one session together from the pieces that an importer finds, whatever their order in the source."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from re import compile as pattern
from typing import Any

from tracedance.ingest.bounds import code, shallow, shallow_json
from tracedance.ingest.figures import Measuring
from tracedance.ingest.renaming import rename
from tracedance.ingest.shapes import shapes
from tracedance.kit.chain import args_hash, canonical, with_chain
from tracedance.kit.errors import outcome
from tracedance.kit.tools import command, tool_class
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Author, Mark, Session, Setting, Status, ToolCall, ToolDefinition, ToolResult, Turn

_PLAIN_ID = pattern(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_WIPED = ("", "REDACTED")
_ERROR_TEXT = 2048


def plain_id(source: str) -> str:
    """The source's own id where it is plain, else a digest of it; never anything that could act as a path."""
    return source if _PLAIN_ID.fullmatch(source) else sha256(source.encode("utf-8", "replace")).hexdigest()[:32]


def text_of(value: object) -> str:
    """`value` if it is a string, else ""."""
    return value if isinstance(value, str) else ""


@dataclass
class About:
    """What a source says of a session as a whole; strings as found."""

    format: str
    source_id: str = ""
    id: str = ""
    """"" takes the source id."""
    harness: str = ""
    version: str = ""
    setting: Setting = "coding"
    cwd: str = ""
    system: str | None = None
    tools: Sequence[ToolDefinition] | None = None
    parent: str = ""
    labels: Mapping[str, Any] = field(default_factory=dict)


class Building:
    """A session under construction. Every string passes the redactor here, before any digest is taken.

    Results join the turn of their call wherever they come from: the tool turn stands right after the whole assistant turn, as the
    model's interface demands, and each result keeps its own source ordinal.
    """

    def __init__(self, redactor: Redactor) -> None:
        self.measured = Measuring()
        self._whole = redactor
        self._redactor = redactor.session()
        self._redactor.found = Counter()
        self._clean = self._redactor.text
        self._turns: list[Turn] = []
        self._results: dict[int, list[ToolResult]] = {}
        """Results by position of their assistant turn in `_turns`."""
        self._calls: dict[str, list[ToolCall]] = {}
        """Calls without a result by source id, in order."""
        self._early: dict[str, tuple[Turn, ToolResult, bool | None]] = {}
        """Results that came before any call with their source id; some harnesses write them out of order."""
        self._ids: set[str] = set()
        self._starts: list[int] = []
        """Positions in `_turns` at which a context starts."""

    def say(self, author: Author, text: str, ordinal: int, time: str = "", mark: Mark = "") -> Turn:
        """Add a user-role turn."""
        turn = Turn(len(self._turns), "user", author, self._clean(text), mark=mark, time=self._clean(time), first=ordinal, last=ordinal)
        if mark == "compaction":
            self.start_context()
        self._turns.append(turn)
        return turn

    def start_context(self) -> None:
        """The model's context starts with the next turn."""
        if self._turns and len(self._turns) not in self._starts:
            self._starts.append(len(self._turns))

    def open(self, model: str, ordinal: int, time: str = "", mark: Mark = "") -> Turn:
        """Add an assistant turn; pieces are added to it with `add`, `think` and `call`."""
        turn = Turn(len(self._turns), "assistant", "model", calls=[], model=self._clean(model), mark=mark, time=self._clean(time))
        turn.first = turn.last = ordinal
        self._turns.append(turn)
        return turn

    def add(self, turn: Turn, text: str, ordinal: int) -> None:
        """Add visible text to an assistant turn."""
        text = self._clean(text)
        turn.text = f"{turn.text}\n\n{text}" if turn.text else text
        turn.last = max(turn.last, ordinal)

    def think(self, turn: Turn, text: str, ordinal: int) -> None:
        """Add reasoning to an assistant turn."""
        text = self._clean(text)
        turn.raw_reasoning = f"{turn.reasoning}\n\n{text}" if turn.reasoning else text
        turn.last = max(turn.last, ordinal)

    def call(self, turn: Turn, source_id: str, name: str, arguments: object, ordinal: int) -> ToolCall:
        """Add a call to an assistant turn; free text arguments become `{"input": text}`."""
        plain = arguments if isinstance(arguments, dict) else {"input": arguments}
        text = canonical(plain)
        if (bounded := shallow_json(plain, text)) is not plain:
            plain = bounded
            text = canonical(plain)
        clean = self._redactor.value(plain)
        if clean != plain:
            plain, text = clean, canonical(clean)
        name = self._clean(name)
        kind = tool_class(name, plain)
        early = self._early.pop(source_id, None)
        identity = early[1].call_id if early else self._unique(source_id)
        call = ToolCall(identity, name, text, kind, self._clean(command(name, kind, plain)), args_hash(text), ordinal, turn.index)
        call._parsed = plain
        assert isinstance(turn.calls, list)
        turn.calls.append(call)
        turn.last = max(turn.last, ordinal)
        self._calls.setdefault(source_id, []).append(call)
        if early:
            self._claim(source_id, call, early)
        return call

    def caller(self, source_id: str) -> ToolCall | None:
        """The call that a result with this id answers: of several, the first unanswered one of the latest turn."""
        waiting = self._calls.get(source_id)
        if not waiting:
            return None
        place = len(waiting) - 1
        while place and waiting[place - 1].turn == waiting[-1].turn:
            place -= 1
        return waiting[place]

    def result(self, source_id: str, text: str, flagged: bool | None, ordinal: int, exit_code: int | None = None) -> ToolResult | None:
        """Add a result to the turn of its call, or as an orphan where no call is known; None when its call has its result already."""
        call = self.caller(source_id)
        if call is None and source_id in self._calls:
            return None
        result = ToolResult(call.id if call else self._unique(source_id), self._clean(text), exit_code=exit_code, ordinal=ordinal)
        _judge(result, call, flagged)
        if call is None:
            self._orphan(source_id, result, flagged)
        else:
            self._join(source_id, call, result)
        return result

    def never_ran(self, result: ToolResult, status: Status) -> None:
        """The source says outright that this call was refused, cancelled or interrupted, whatever its text looks like."""
        result.status, result.error_class, result.error_text = status, None, ""

    def interrupted(self) -> None:
        """The user broke in here and the source has no message that says so: the assistant turn that was cut short carries the mark."""
        last = self.last
        if last is not None and last.role == "assistant" and not last.mark:
            last.mark = "interrupt"

    @property
    def last(self) -> Turn | None:
        """The turn added last, results aside."""
        return self._turns[-1] if self._turns else None

    def finish(self, about: About) -> Session | None:
        """The session; None when there is no turn in it."""
        turns = self._laid_out()
        if not turns:
            return None
        source, cwd = self._clean(about.source_id), self._clean(about.cwd)
        system = None if about.system is None else self._clean(about.system)
        if self._redactor.names:
            rename(turns, self._redactor.named)
        with_chain(turns)
        times = sorted(turn.time for turn in turns if turn.time)
        session = Session(
            id=plain_id(self._clean(about.id) or source or f"{about.format}-{turns[-1].chain}"),
            format=about.format,
            turns=turns,
            source_id=source,
            harness=self._clean(about.harness),
            version=self._clean(about.version),
            setting=about.setting,
            cwd=cwd,
            system=system,
            tools=None if about.tools is None else [self._defined(tool) for tool in about.tools],
            shapes=shapes(call for turn in turns for call in turn.calls),
            started=times[0] if times else "",
            ended=times[-1] if times else "",
            parent=self._clean(about.parent),
            compactions=self._compactions,
            labels=self._redacted(about.labels),
            figures=self.measured.figures(turns),
        )
        self._whole.found.update(self._redactor.found)
        return replace(session, replaced=dict(sorted(self._redactor.found.items())))

    def _laid_out(self) -> list[Turn]:
        """Turns in their final order and numbering, each assistant turn followed by its tool turn."""
        turns: list[Turn] = []
        self._compactions: list[int] = []
        starts = set(self._starts)
        for position, turn in enumerate(self._turns):
            if position in starts:
                self._compactions.append(len(turns))
            if turn.role == "tool" and not turn.results:
                continue  # All its results found their calls.
            turns.append(turn)
            results = self._results.get(position)
            if results:
                turns.append(_tool_turn(turn, results))
        for index, turn in enumerate(turns):
            turn.index = index
            for call in turn.calls:
                call.turn = index
            for result in turn.results:
                result.turn = index
        return turns

    def _join(self, source_id: str, call: ToolCall, result: ToolResult) -> None:
        call.result = result
        self._calls[source_id].remove(call)
        self._results.setdefault(call.turn, []).append(result)

    def _orphan(self, source_id: str, result: ToolResult, flagged: bool | None) -> None:
        last = self.last
        if last is None or last.role != "tool":
            last = Turn(len(self._turns), "tool", "tool", results=[], first=result.ordinal)
            self._turns.append(last)
        assert isinstance(last.results, list)
        last.results.append(result)
        last.last = result.ordinal
        if source_id not in _WIPED:
            self._early[source_id] = (last, result, flagged)

    def _claim(self, source_id: str, call: ToolCall, early: tuple[Turn, ToolResult, bool | None]) -> None:
        """Give a call the result that came before it."""
        turn, result, flagged = early
        assert isinstance(turn.results, list)
        turn.results.remove(result)
        _judge(result, call, flagged)
        self._join(source_id, call, result)

    def _unique(self, source_id: str) -> str:
        identity = self._clean(source_id)
        if identity in _WIPED or identity in self._ids:
            identity = next(name for number in range(len(self._ids), 10**12) if (name := f"{identity or 'call'}-{number}") not in self._ids)
        self._ids.add(identity)
        return identity

    def _defined(self, tool: ToolDefinition) -> ToolDefinition:
        parameters = self._redacted(tool.parameters)
        return ToolDefinition(self._clean(tool.name), self._clean(tool.description), parameters, tool.inferred_from)

    def _redacted(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """A JSON object with secrets replaced; what is nested too deeply is kept as text."""
        cleaned: dict[str, Any] = self._redactor.value(shallow(dict(value)))
        return cleaned


def _judge(result: ToolResult, call: ToolCall | None, flagged: bool | None) -> None:
    """Set status, error class, exit code and error text of a result."""
    kind, said = (call.tool_class, call.cmd) if call else ("other", "")
    text = result.text
    result.status, result.error_class, found = outcome(kind, text, flagged, result.exit_code, said)
    result.exit_code = code(found)
    result.error_text = text[:_ERROR_TEXT] if result.status == "error" else ""


def _tool_turn(turn: Turn, results: list[ToolResult]) -> Turn:
    """The tool turn of an assistant turn: its results in the order of the calls."""
    if len(results) == 1:
        ordinal = results[0].ordinal
        return Turn(0, "tool", "tool", results=results, time=turn.time, first=ordinal, last=ordinal)
    order = {call.id: place for place, call in enumerate(turn.calls)}
    ordinals = [result.ordinal for result in results]
    tools = Turn(0, "tool", "tool", time=turn.time, first=min(ordinals), last=max(ordinals))
    tools.results = sorted(results, key=lambda result: order.get(result.call_id, len(order)))
    return tools
