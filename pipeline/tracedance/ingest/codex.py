"""Codex's rollout files: `~/.codex/sessions/Y/M/D/rollout-<time>-<id>.jsonl`, one `{timestamp, type, payload}` a line.

Only `response_item` records are read for content; `event_msg` repeats them. Codex has no turn id: a turn is a run of the model's items with
nothing else between. A compaction becomes one turn of the harness that holds all messages of its `replacement_history`, each under
its role: that, and not the turns before it, is what the model saw from there on. It counts as no new history.
"""

import re
from typing import Any

import msgspec

from tracedance.ingest.authors import by_author, interrupts
from tracedance.ingest.building import About, Building, text_of
from tracedance.ingest.codex_fields import Payload, arguments_of, texts
from tracedance.ingest.known_fields import CODEX
from tracedance.ingest.lines import Lines, Reader
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.kit.chain import canonical
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session, Turn


class Line(msgspec.Struct):
    """One record."""

    timestamp: Any = None
    type: Any = None
    payload: Payload | None = None


IGNORED = frozenset(("event_msg", "world_state", "inter_agent_communication_metadata"))
IGNORED_ITEMS = frozenset(("ghost_snapshot", "compaction", "compaction_summary", "context_compaction", "compaction_trigger", "other"))
_RUNNING = re.compile(r"Process running with session ID (\d{1,12})")
_NO_TEXT = "[A summary of the earlier conversation stood here; the source holds it encrypted only.]"

_TYPES = frozenset(("session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"))
_CUT_LINE = re.compile(
    rb'\{"timestamp":\s?"[^"]{1,40}",\s?"type":\s?"(?:session_meta|response_item|event_msg|turn_context|compacted)",\s?"payload":'
)


def recognises(opening: Opening) -> bool:
    """One of the first lines is a record of Codex's; of a line longer than the head only the beginning can tell."""
    return any(isinstance(record, dict) and _is_record(record) for record in opening.records) or any(
        _CUT_LINE.match(line) for line, record in zip(opening.lines, opening.records, strict=True) if record is None
    )


def _is_record(record: dict[str, Any]) -> bool:
    kind = record.get("type")
    return isinstance(kind, str) and kind in _TYPES and isinstance(record.get("payload"), dict)


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The one session of a file."""
    reading = _Reading(redactor)
    for ordinal, line in Reader(Line, lines, tally, CODEX):
        used = reading.record(ordinal, line)
        if used is True:
            tally.keep()
        elif used is False:
            tally.ignore()
        elif used.startswith("unknown "):
            tally.lose_unknown(used.removeprefix("unknown "), ordinal)
        else:
            tally.lose(used, ordinal)
    session = reading.building.finish(reading.about)
    return [] if session is None else [session]


class _Reading:
    def __init__(self, redactor: Redactor) -> None:
        self.building = Building(redactor)
        self.about = About("codex", harness="codex")
        self._turn: Turn | None = None
        """The assistant turn that is open; None after anything else came."""
        self._opened: Turn | None = None
        """The assistant turn that was opened last."""
        self._model = ""
        self._running: dict[str, str] = {}
        """Command by the id of the terminal in which it still runs."""
        self._by_agent = False
        """Whether another agent, not a person, speaks in the user's role."""

    def record(self, ordinal: int, line: Line) -> bool | str:
        """Read one record: True when its content went in, False when it holds none, else the reason why it is lost."""
        kind, payload = text_of(line.type), line.payload
        if payload is None:
            return f"unknown {kind or 'record without a type'}" if kind not in _KNOWN else "payload missing or malformed"
        time = text_of(line.timestamp)
        if kind == "response_item":
            return self._item(ordinal, payload, time)
        if kind == "session_meta":
            return self._meta(payload)
        if kind == "turn_context":
            self._model = text_of(payload.model) or self._model
            self.about.cwd = self.about.cwd or text_of(payload.cwd)
            return False
        if kind == "compacted":
            return self._compacted(ordinal, payload, time)
        if kind == "event_msg" and payload.type == "turn_aborted":
            self._interrupted()
        if kind == "event_msg" and payload.type == "token_count":
            self._used(payload.info)
        return False if kind in IGNORED else f"unknown {kind or 'record without a type'}"

    def _meta(self, payload: Payload) -> bool:
        """The first header is the file's own; later ones came with the history of the session that it resumed or forked."""
        about, source = self.about, text_of(payload.id)
        if about.source_id:
            about.parent = about.parent or (source if source != about.source_id else "")
            return False
        about.source_id = source
        about.version = text_of(payload.cli_version)
        about.cwd = about.cwd or text_of(payload.cwd)
        system = payload.base_instructions if payload.base_instructions is not None else payload.instructions
        system = system.get("text") if isinstance(system, dict) else system
        about.system = system if isinstance(system, str) and system else None
        agent = payload.source.get("subagent") if isinstance(payload.source, dict) else None
        spawned = agent.get("thread_spawn") if isinstance(agent, dict) else None
        starter = spawned.get("parent_thread_id") if isinstance(spawned, dict) else None
        about.parent = text_of(payload.forked_from_id) or text_of(payload.parent_thread_id) or text_of(starter)
        self._by_agent = agent is not None
        return True

    def _item(self, ordinal: int, item: Payload, time: str) -> bool | str:
        kind = text_of(item.type)
        if kind == "message":
            return self._message(ordinal, item, time)
        if kind == "reasoning":
            return self._reasoning(ordinal, item, time)
        if kind.endswith("_output"):
            return self._output(ordinal, item, time)
        if kind in _CALLS:
            return self._call(ordinal, item, time)
        if kind == "agent_message":
            return self._say(texts(item.content) or texts(item.message), ordinal, time, harness=True)
        return False if kind in IGNORED_ITEMS else f"unknown response_item {kind}"

    def _open(self, ordinal: int, time: str) -> Turn:
        if self._turn is None:
            self._turn = self._opened = self.building.open(self._model, ordinal, time)
        return self._turn

    def _message(self, ordinal: int, item: Payload, time: str) -> bool | str:
        said = texts(item.content)
        if item.role == "assistant":
            text = "\n\n".join(said)
            if text.strip():
                self.building.add(self._open(ordinal, time), text, ordinal)
            return bool(text.strip())
        if item.role not in ("user", "developer", "system"):
            return "unknown message role"
        return self._say(said, ordinal, time, harness=item.role != "user" or self._by_agent)

    def _say(self, said: list[str], ordinal: int, time: str, harness: bool = False) -> bool:
        spoken = False
        for author, text in by_author(said, harness):
            self._turn = None
            self.building.say(author, text, ordinal, time, "interrupt" if interrupts(text) else "")
            spoken = True
        return spoken

    def _reasoning(self, ordinal: int, item: Payload, time: str) -> bool:
        """Reasoning is mostly encrypted; only what can be read is kept, and it opens the turn either way."""
        text = "\n\n".join(texts(item.summary) + texts(item.content))
        if text.strip():
            self.building.think(self._open(ordinal, time), text, ordinal)
        return bool(text.strip())

    def _call(self, ordinal: int, item: Payload, time: str) -> bool:
        name = text_of(item.name) or _CALLS[text_of(item.type)]
        if text_of(item.namespace):
            name = f"{item.namespace}__{name}" if not text_of(item.namespace).endswith("__") else f"{item.namespace}{name}"
        arguments = arguments_of(item)
        source = text_of(item.call_id) or text_of(item.id)
        turn = self._open(ordinal, time)
        call = self.building.call(turn, source, name, arguments, ordinal)
        self.building.measured.began(turn, ordinal, time)
        if name == "write_stdin" and isinstance(arguments, dict):
            # A poll goes on with an earlier command: it carries that command, so that its result can be read as the command's own.
            call.cmd = self._running.get(str(arguments.get("session_id")), "")
        return True

    def _used(self, info: Any) -> None:
        """Codex counts after each answer of the model, mostly when its calls have come back."""
        last = info.get("last_token_usage") if isinstance(info, dict) else None
        if isinstance(last, dict):
            self.building.measured.used(self._opened, [last.get("input_tokens")], last.get("output_tokens"))

    def _output(self, ordinal: int, item: Payload, time: str) -> bool | str:
        self._turn = None
        output = item.output if item.output is not None else item.content
        text = output if isinstance(output, str) else "\n".join(texts(output)) if isinstance(output, list) else canonical(output)
        source = text_of(item.call_id)
        call = self.building.caller(source)
        result = self.building.result(source, text, None, ordinal)
        self.building.measured.ended(result, time)
        if result is None:
            return "second result for one call"
        running = _RUNNING.search(text[:400])
        if running and call is not None and call.cmd:
            self._running[running[1]] = call.cmd
        return True

    def _compacted(self, ordinal: int, payload: Payload, time: str) -> bool | str:
        self._turn = None
        parts = []
        history = payload.replacement_history if isinstance(payload.replacement_history, list) else []
        for item in history:
            if not isinstance(item, dict):
                continue
            text = "\n\n".join(texts(item.get("content")))
            if text:
                parts.append(f"[{text_of(item.get('role')) or 'model'}]\n{text}")
            elif "encrypted_content" in item:
                parts.append(_NO_TEXT)
        if text_of(payload.message).strip():
            parts.append(text_of(payload.message))
        self.building.say("harness", "\n\n".join(parts) or _NO_TEXT, ordinal, time, "compaction")
        return True

    def _interrupted(self) -> None:
        """Older versions record the interruption as an event alone: the turn that was cut short carries the mark."""
        last = self.building.last
        if last is not None and last.role == "assistant" and not last.mark:
            last.mark = "interrupt"
        self._turn = None


_KNOWN = IGNORED | {"response_item", "session_meta", "turn_context", "compacted"}
_CALLS = {
    "function_call": "function",
    "custom_tool_call": "custom_tool",
    "local_shell_call": "local_shell",
    "web_search_call": "web_search",
    "tool_search_call": "tool_search",
    "image_generation_call": "image_generation",
    "mcp_call": "mcp",
}
"""Types of calls, with the name of the tool where the record has none."""


SOURCE = Source("codex", recognises, read)
