"""A recorded session as every step reads it: turns, calls and results, light enough to build for each candidate of a scan.

These are plain structs and not pydantic records: a scan builds thousands of turns a second (msgspec makes one three times as fast as a
slotted class), and the bulky texts (arguments, results, reasoning) are fetched from the store only when an anchor asks for them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

Role = Literal["user", "assistant", "tool"]
"""The wire role of a turn. System text is `Session.system`; developer text in the course of a session is a user turn by `harness`."""

Author = Literal["user", "harness", "model", "tool"]
"""Who really wrote a turn. A user-role turn may well be the harness's."""

Setting = Literal["coding", "general_tool_use"]

Replayability = Literal["replayable", "reconstructed", "scan_only"]

ToolClass = Literal[
    "shell", "edit", "write", "read", "search", "web", "api", "db", "message", "plan", "ask", "job", "subagent", "skill", "other"
]

ErrorClass = Literal[
    "cmd_missing",
    "unknown_option",
    "no_such_tool",
    "schema",
    "guard",
    "edit_not_found",
    "edit_not_unique",
    "edit_stale",
    "edit_not_read",
    "no_such_file",
    "not_found",
    "transient",
    "test_fail",
    "other",
]

Status = Literal["ok", "error", "refused", "cancelled", "interrupted"]
"""`error` alone is a failure of the call. `refused` by the user, `cancelled` with a parallel sibling and `interrupted` calls never ran."""

Mark = Literal["", "compaction", "synthetic", "forced", "interrupt"]
"""`compaction`: this turn is the summary that a compacted context starts with. `synthetic`: made by the harness in the model's name.
`forced`: the harness asked for it (summary, title). `interrupt`: the user broke in here."""

Text = str | Callable[[], str]
"""A text, or a function that fetches it from the store."""


def fetch(text: Text) -> str:
    """The text itself."""
    return text if isinstance(text, str) else text()


class ToolResult(msgspec.Struct, eq=False):
    """What came back for one call."""

    call_id: str
    """`ToolCall.id` of its call."""
    raw: Text
    status: Status = "ok"
    """How the call came out."""
    error_class: ErrorClass | None = None
    """Kind of failure; None where the call did not fail."""
    error_text: str = ""
    """First 2 KB of a failed result, "" otherwise."""
    exit_code: int | None = None
    """Of a shell command; None where none was recorded."""
    ordinal: int = 0
    """Source record that holds it."""
    turn: int = -1
    """Index of the tool turn it stands in."""

    @property
    def text(self) -> str:
        """All of the result as the model was shown it; loaded on demand, and kept while the session is."""
        if not isinstance(self.raw, str):
            self.raw = self.raw()
        return self.raw

    @property
    def is_error(self) -> bool:
        """Whether the call ran and failed."""
        return self.status == "error"


class ToolCall(msgspec.Struct, eq=False):
    """One call of an assistant turn, with its result where one was recorded."""

    id: str
    """Unique within the session: importers rewrite repeated ids."""
    name: str
    """The tool's name, as the harness has it: `Bash`, `exec_command`, ..."""
    raw: Text
    tool_class: ToolClass = "other"
    """What kind of tool it is, whatever the harness calls it."""
    cmd: str = ""
    """Shell command, path (several: one a line) or pattern; "" where there is none."""
    args_hash: str = ""
    """blake2b-64 of the canonical arguments, hex."""
    ordinal: int = 0
    """Source record that holds it."""
    turn: int = -1
    """Index of the assistant turn that made it."""
    result: ToolResult | None = None
    """What came back; None where no result was recorded."""
    _parsed: Mapping[str, Any] | None = None
    told: dict[Any, Any] | None = None
    """What readers have found out about it; see `kit.memo`."""

    @property
    def arguments_json(self) -> str:
        """Arguments as JSON text with sorted keys; free text of a custom tool is `{"input": "..."}`."""
        if not isinstance(self.raw, str):
            self.raw = self.raw()
        return self.raw

    @property
    def arguments(self) -> Mapping[str, Any]:
        """Arguments parsed; `{}` where they are no JSON object."""
        if self._parsed is None:
            try:
                parsed = msgspec.json.decode(self.arguments_json)
            except msgspec.DecodeError:
                parsed = {}
            self._parsed = parsed if isinstance(parsed, dict) else {}
        return self._parsed


class Turn(msgspec.Struct, eq=False):
    """One step of a session, numbered from 0 over all turns."""

    index: int
    """Its place in `session.turns`."""
    role: Role
    author: Author
    text: str = ""
    """What is said in it, without calls and results."""
    calls: Sequence[ToolCall] = ()
    """Calls that an assistant turn makes, in order."""
    results: Sequence[ToolResult] = ()
    """Results that a tool turn brings, in order."""
    mark: Mark = ""
    model: str = ""
    """The model that made it, as recorded; "" where unknown."""
    time: str = ""
    """ISO 8601 as recorded, "" where unknown."""
    first: int = 0
    """Lowest source ordinal (line or message number, from 0) of its records."""
    last: int = 0
    """Highest source ordinal."""
    chain: str = ""
    """Digest of what this and all earlier turns say; equal in forks that repeat history."""
    raw_reasoning: Text = ""

    @property
    def reasoning(self) -> str:
        """The source model's own reasoning; never part of an instance."""
        return fetch(self.raw_reasoning)


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as offered to the model, in JSON Schema."""

    name: str
    """As calls name it."""
    description: str
    """What the model is told of it."""
    parameters: Mapping[str, Any]
    """JSON Schema of its arguments."""
    inferred_from: int = 0
    """0 when recorded; else the number of calls that the schema was inferred from."""


@dataclass(frozen=True, slots=True)
class ToolShape:
    """What the calls of one tool looked like in one session: the raw material of inferred definitions."""

    calls: int
    """How many there were."""
    properties: Mapping[str, Mapping[str, int]]
    """Property name -> JSON type name -> how many calls had it so."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What the source measured; empty where it measured nothing."""

    durations: Sequence[int | None] = ()
    """Of each call of the session, in order: milliseconds until its result."""
    tokens: Sequence[tuple[int | None, int | None] | None] = ()
    """Of each assistant turn, in order: tokens the model read, cached ones among them, and tokens it made."""


@dataclass(frozen=True, slots=True)
class Session:
    """One recorded agent run, full content."""

    id: str
    """Ours: the source's own id where it is plain, else a digest. Unique within a store; never a path."""
    format: str
    """The importer that read it: claude_code, codex, openai_chat, ..."""
    turns: Sequence[Turn]
    """All turns in order; `turns[i].index == i`."""
    source_id: str = ""
    """The source's own id."""
    harness: str = ""
    """The program that ran the agent."""
    version: str = ""
    """The harness's version."""
    setting: Setting = "coding"
    """What kind of work it is."""
    cwd: str = ""
    """Folder that the agent started in; "" where unknown."""
    system: str | None = None
    """The recorded system prompt; None where the source records none."""
    tools: Sequence[ToolDefinition] | None = None
    """Recorded tool definitions; None where the source records none."""
    shapes: Mapping[str, ToolShape] = field(default_factory=dict)
    """Tool name -> what its calls looked like."""
    started: str = ""
    """ISO 8601 as recorded, "" where unknown."""
    ended: str = ""
    """ISO 8601 as recorded, "" where unknown."""
    parent: str = ""
    """Source id of the session that this one was forked from or works for; "" if none."""
    compactions: Sequence[int] = ()
    """Turn indexes at which a compacted context starts (what the model saw starts there)."""
    labels: Mapping[str, Any] = field(default_factory=dict)
    """What people or an evaluation said of the session, and facts about it that no turn holds, by the source's own names."""
    replaced: Mapping[str, int] = field(default_factory=dict)
    """The redaction's receipt: kinds of what was replaced before storing, and how often."""
    figures: Figures = Figures()
    path: str = ""
    source_digest: str = ""
    """sha256 of the source file's bytes."""
    offsets: Sequence[int] | None = None
    """Known while a file is read: byte offset of each of its records by ordinal, and of the end; None where a record is no line."""

    @property
    def replayability(self) -> Replayability:
        """`replayable` needs both the system prompt and the tool definitions; calls to infer tools from make it `reconstructed`."""
        if self.system is not None and self.tools is not None:
            return "replayable"
        return "reconstructed" if self.tools is not None or self.shapes or self.system is not None else "scan_only"

    @property
    def models(self) -> list[str]:
        """Models that wrote assistant turns, in order of appearance."""
        return list(dict.fromkeys(turn.model for turn in self.turns if turn.model and turn.mark != "synthetic"))

    def calls(self) -> Sequence[ToolCall]:
        """Every call in order."""
        return [call for turn in self.turns for call in turn.calls]

    def context_start(self, before: int) -> int:
        """Index of the first turn the model still saw at turn `before`: the last compaction boundary, else 0."""
        if not self.compactions:
            return 0
        return max((start for start in self.compactions if start <= before), default=0)
