"""Claude Code's session files: `~/.claude/projects/<folder>/<session id>.jsonl`, one record a line, one record per content block."""

import re
from typing import Any

import msgspec

from tracedance.ingest import attachments, branches
from tracedance.ingest.authors import by_author, interrupts, names_harness
from tracedance.ingest.building import About, Building, text_of
from tracedance.ingest.claude_blocks import has_content, shown_text
from tracedance.ingest.known_fields import CLAUDE_CODE
from tracedance.ingest.lines import Lines, Reader
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.kit.chain import canonical
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Mark, Session, Turn


class Message(msgspec.Struct):
    """The API message inside a record. Fields are `Any`: the file is not ours, and a wrong type must not cost the whole line."""

    id: Any = None
    model: Any = None
    content: Any = None
    usage: Any = None


class Line(msgspec.Struct):
    """What is read of a record; everything else, `toolUseResult` with its copies of whole files above all, is skipped unparsed."""

    type: Any = None
    subtype: Any = None
    uuid: Any = None
    parentUuid: Any = msgspec.UNSET
    """None, said in so many words, marks a root."""
    logicalParentUuid: Any = None
    sessionId: Any = None
    agentId: Any = None
    forkedFrom: Any = None
    timestamp: Any = None
    cwd: Any = None
    version: Any = None
    isSidechain: Any = None
    isMeta: Any = None
    origin: Any = None
    """Who wrote it, in newer versions: `{"kind": "human"}`, `{"kind": "task-notification"}`, ..."""
    isCompactSummary: Any = None
    message: Message | None = None
    attachment: Any = None
    content: Any = None


_QUIET = """
progress file-history-snapshot file-history-delta summary last-prompt queue-operation permission-mode ai-title mode custom-title pr-link
bridge-session agent-name agent-color agent-setting task-summary tag worktree-state attribution-snapshot content-replacement
"""
IGNORED = frozenset(_QUIET.split())
"""Record types without content of their own that a model was shown."""

_QUIET_SYSTEM = """
stop_hook_summary turn_duration away_summary compact_boundary api_error microcompact_boundary model_refusal_fallback bridge_status
informational memory_saved agents_killed permission_retry scheduled_task_fire thinking api_metrics
"""
IGNORED_SYSTEM = frozenset(_QUIET_SYSTEM.split())
_READ = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")

_TYPES = frozenset(("user", "assistant", "attachment", "system", "progress", "summary", "file-history-snapshot", "queue-operation"))
_NOTES = frozenset(("permission-mode", "ai-title", "last-prompt", "custom-title", "mode"))
_CUT_LINE = re.compile(
    rb'(?=.{0,400}?"(?:isSidechain|queue-operation)")\{(?:"[^"]{1,60}":\s?(?:"[^"]{0,200}"|null|true|false),\s?){1,12}"sessionId":\s?"[^"]{0,200}"'
)


def recognises(opening: Opening) -> bool:
    """One of the first lines is a record of Claude Code's; of a line longer than the head only the beginning can tell."""
    return any(isinstance(record, dict) and _is_record(record) for record in opening.records) or any(
        _CUT_LINE.match(line) for line, record in zip(opening.lines, opening.records, strict=True) if record is None
    )


def _is_record(record: dict[str, Any]) -> bool:
    kind = record.get("type")
    if not isinstance(kind, str):
        return False
    if kind in ("user", "assistant"):
        message = record.get("message")
        return isinstance(message, dict) and "content" in message and ("uuid" in record or "sessionId" in record)
    if kind == "summary":
        return "leafUuid" in record
    if kind == "file-history-snapshot":
        return "snapshot" in record and "messageId" in record
    if kind in _NOTES:
        return isinstance(record.get("sessionId"), str)
    if kind == "queue-operation":
        return "operation" in record and "sessionId" in record
    return kind in _TYPES and "sessionId" in record and "uuid" in record and ("isSidechain" in record or "userType" in record)


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The sessions of one file: the main one, one per rewound branch of it, and one per sub-agent whose records stand in the file."""
    main: list[tuple[int, Line]] = []
    agents: dict[str, list[tuple[int, Line]]] = {}
    seen: set[str] = set()
    for ordinal, line in Reader(Line, lines, tally, CLAUDE_CODE):
        uuid = text_of(line.uuid)
        if uuid and uuid in seen:
            tally.ignore()  # A resumed session repeats records word for word.
            continue
        seen.add(uuid)
        group = agents.setdefault(text_of(line.agentId) or "sidechain", []) if line.isSidechain is True else main
        group.append((ordinal, line))
    sessions = []
    for agent, records in [("", main), *agents.items()]:
        for number, path in enumerate(branches.paths(records, tally)):
            session = _Reading(tally, redactor, agent, number).session(path)
            if session is not None:
                sessions.append(session)
    return sessions


class _Reading:
    """Reads one path of records from its root to its leaf into one session."""

    def __init__(self, tally: Tally, redactor: Redactor, agent: str, branch: int) -> None:
        self._tally = tally
        self._building = Building(redactor)
        self._about = About("claude_code", harness="claude_code")
        self._agent = agent
        self._branch = branch
        self._messages: dict[str, Turn] = {}
        """Assistant turns by message id."""
        self._sources: list[str] = []

    def session(self, path: "branches.Path[Line]") -> Session | None:
        """The session of a path; records that another path has accounted for are not counted again."""
        for ordinal, line, counted in path.records:
            if ordinal in path.starts:
                self._building.start_context()
            used = self._record(ordinal, line)
            if counted:
                self._tally.settle(used, ordinal)
        self._name()
        return self._building.finish(self._about)

    def _record(self, ordinal: int, line: Line) -> bool | str:
        """Read one record: True when its content went in, False when it holds none, else the reason why it is lost."""
        kind = text_of(line.type)
        if kind in IGNORED:
            return False
        self._describe(line)
        if kind == "assistant":
            return self._assistant(ordinal, line)
        if kind == "user":
            return self._user(ordinal, line)
        if kind == "attachment":
            return self._attachment(ordinal, line)
        if kind == "system":
            return self._system(ordinal, line)
        return f"unknown {kind or 'record without a type'}"

    def _describe(self, line: Line) -> None:
        about = self._about
        about.cwd = about.cwd or text_of(line.cwd)
        about.version = text_of(line.version) or about.version
        source = text_of(line.sessionId)
        if source and line.message is not None and source not in self._sources[-1:]:
            self._sources.append(source)
        if isinstance(line.forkedFrom, dict) and not about.parent:
            about.parent = text_of(line.forkedFrom.get("sessionId"))

    def _name(self) -> None:
        """A file's own session is the one of its last records; earlier ids in it are the sessions that it resumed."""
        about, source = self._about, self._sources[-1] if self._sources else ""
        about.source_id = source
        if self._agent or self._branch:
            own = source == f"agent-{self._agent}"  # A sub-agent's file that names itself says nothing of its parent.
            about.parent = "" if own else source
            about.source_id = f"{source}.agent-{self._agent}" if self._agent and not own else source
            about.source_id += f".rewound-{self._branch}" if self._branch else ""
        elif len(self._sources) > 1 and not about.parent:
            about.parent = self._sources[0]

    def _assistant(self, ordinal: int, line: Line) -> bool | str:
        message = line.message
        if message is None:
            return "message missing or malformed"
        content = message.content
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not isinstance(blocks, list):
            return "message missing or malformed"
        pieces = [block for block in blocks if isinstance(block, dict) and has_content(block)]
        if not pieces:
            return False
        turn = self._turn(ordinal, line, message)
        unknown = [kind for block in pieces if (kind := self._piece(turn, block, ordinal))]
        if len(unknown) == len(pieces):
            return f"unknown assistant block {unknown[0]}"
        for kind in unknown:
            self._tally.name_unknown(f"assistant block {kind}")
        self._building.measured.began(turn, ordinal, text_of(line.timestamp))
        if isinstance(message.usage, dict):
            self._building.measured.used(turn, [message.usage.get(name) for name in _READ], message.usage.get("output_tokens"))
        return True

    def _turn(self, ordinal: int, line: Line, message: Message) -> Turn:
        """The turn that a piece belongs to: the one with its message id, though results may have come between."""
        identity = text_of(message.id)
        turn = self._messages.get(identity) if identity else None
        if turn is None:
            mark: Mark = "synthetic" if message.model == "<synthetic>" else ""
            turn = self._building.open(text_of(message.model), ordinal, text_of(line.timestamp), mark)
            if identity:
                self._messages[identity] = turn
        return turn

    def _piece(self, turn: Turn, block: dict[str, Any], ordinal: int) -> str:
        """Add one content block; the type's name when it is unknown, else ""."""
        kind = text_of(block.get("type"))
        if kind == "text":
            self._building.add(turn, text_of(block.get("text")), ordinal)
        elif kind == "thinking":
            self._building.think(turn, text_of(block.get("thinking")), ordinal)
        elif kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
            self._building.call(turn, text_of(block.get("id")), text_of(block.get("name")), block.get("input"), ordinal)
        elif kind.endswith("_tool_result"):
            self._building.result(text_of(block.get("tool_use_id")), canonical(block.get("content")), None, ordinal)
        else:
            return kind or "without a type"
        return ""

    def _user(self, ordinal: int, line: Line) -> bool | str:
        if line.message is None:
            return "message missing or malformed"
        content = line.message.content
        blocks: list[Any] = content if isinstance(content, list) else [content]
        results = [block for block in blocks if isinstance(block, dict) and block.get("type") == "tool_result"]
        texts = [text for block in blocks if isinstance(block, dict | str) and (text := shown_text(block))]
        taken = [self._result(block, ordinal, text_of(line.timestamp)) for block in results]
        if line.isCompactSummary is True:
            self._building.say("harness", "\n\n".join(texts), ordinal, text_of(line.timestamp), "compaction")
            return True
        harness = line.isMeta is True or bool(self._agent) or names_harness(line.origin)
        spoken = self._say(texts, ordinal, line, harness)
        if taken and not any(taken) and not spoken:
            return "second result for one call"
        return bool(taken or spoken)

    def _result(self, block: dict[str, Any], ordinal: int, time: str) -> bool:
        content = block.get("content")
        parts: list[Any] = content if isinstance(content, list) else [content]
        text = "\n".join(shown_text(part) for part in parts if isinstance(part, dict | str))
        result = self._building.result(text_of(block.get("tool_use_id")), text, block.get("is_error") is True, ordinal)
        self._building.measured.ended(result, time)
        return result is not None

    def _say(self, texts: list[str], ordinal: int, line: Line, harness: bool = False) -> bool:
        """Add texts of the user's role, by author; whether there were any."""
        spoken = False
        for author, text in by_author(texts, harness):
            self._building.say(author, text, ordinal, text_of(line.timestamp), "interrupt" if interrupts(text) else "")
            spoken = True
        return spoken

    def _attachment(self, ordinal: int, line: Line) -> bool | str:
        attachment = line.attachment
        if not isinstance(attachment, dict):
            return "message missing or malformed"
        if attachment.get("type") == "queued_command":
            return self._say(attachments.queued(attachment), ordinal, line, harness=attachment.get("commandMode") == "task-notification")
        text = attachments.shown(attachment)
        if text is None:
            return f"unknown attachment {text_of(attachment.get('type'))}"
        return self._say([text], ordinal, line, harness=True)

    def _system(self, ordinal: int, line: Line) -> bool | str:
        kind = text_of(line.subtype)
        if kind == "compact_boundary":
            self._building.start_context()
        if kind == "local_command":
            return self._say([text_of(line.content)], ordinal, line, harness=True)
        return False if kind in IGNORED_SYSTEM else f"unknown system {kind}"


SOURCE = Source("claude_code", recognises, read)
