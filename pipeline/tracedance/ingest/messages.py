"""One message of a conversation in plain parts, whatever vendor's form it came in, and how messages become turns.

`dialects` reads the vendors' forms into these; the importers of logs and platforms find the messages and hand them over here.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, Literal

from tracedance.ingest.authors import by_author, interrupts
from tracedance.ingest.building import About, Building, text_of
from tracedance.kit.chain import canonical
from tracedance.schema import Author, Mark, ToolDefinition, Turn

Role = Literal["system", "user", "assistant", "tool", "note"]
"""`note` is a known message without content of its own."""


@dataclass(slots=True)
class Asked:
    """A call as the model wrote it; free text arguments stay text."""

    id: str
    name: str
    arguments: Any


@dataclass(slots=True)
class Answered:
    """What came back for one call."""

    id: str
    text: str
    failed: bool | None = None
    """The source's own word; None where it says nothing."""


@dataclass(slots=True)
class Message:
    """One message or item, in plain parts."""

    role: Role
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[Asked] = field(default_factory=list)
    results: list[Answered] = field(default_factory=list)
    author: Author | None = None
    """Who wrote it, where the source says so; None leaves it to the text."""
    mark: Mark = ""
    model: str = ""
    time: str = ""
    piece: bool = False
    """Whether its turn may go on in the next message (items of the Responses form)."""
    speaker: str = ""
    """Which of several agents it is; a turn never goes on with another's message."""
    unknown: list[str] = field(default_factory=list)
    """Types of parts that nobody knows."""

    @property
    def empty(self) -> bool:
        """Whether it says nothing at all."""
        return not (self.calls or self.results or any(text.strip() for text in (*self.texts, *self.thoughts)))

    def digest(self, before: bytes = b"") -> bytes:
        """Of what it says and of all that came before; without ids, times and reasoning, which are not sent back."""
        said = "\n".join(text.strip() for text in self.texts if text.strip())
        calls = [[call.name, call.arguments] for call in self.calls]
        parts = canonical([self.role, said, calls, [result.text for result in self.results]])
        return blake2b(before + parts.encode("utf-8", "replace"), digest_size=16).digest()


class Conversation:
    """A session under construction from messages in order."""

    def __init__(self, building: Building, about: About) -> None:
        self._building = building
        self._about = about
        self._turn: Turn | None = None
        """The assistant turn that further pieces belong to."""
        self._speaker = ""

    def take(self, ordinal: int, message: Message) -> bool | str:
        """Add one message: True when its content went in, False when it holds none, else the reason why it is lost."""
        if message.role == "note" or message.empty:
            return False
        if message.role == "assistant":
            self._assistant(ordinal, message)
            return True
        self._turn = None
        taken = [self._result(ordinal, result) for result in message.results]
        spoken = self._system(ordinal, message) if message.role == "system" else self._user(ordinal, message)
        if taken and not any(taken) and not spoken:
            return "second result for one call"
        return True

    def _result(self, ordinal: int, result: Answered) -> bool:
        return self._building.result(result.id, result.text, result.failed, ordinal) is not None

    def _system(self, ordinal: int, message: Message) -> bool:
        text = "\n\n".join(text for text in message.texts if text.strip())
        if not text:
            return False
        if self._building.last is None:
            self._about.system = f"{self._about.system}\n\n{text}" if self._about.system else text
        else:
            self._building.say("harness", text, ordinal, message.time, message.mark)
        return True

    def _user(self, ordinal: int, message: Message) -> bool:
        spoken = False
        harness = message.author is not None and message.author != "user"
        for author, text in by_author(message.texts, harness):
            mark: Mark = message.mark or ("interrupt" if interrupts(text) else "")
            self._building.say(author, text, ordinal, message.time, mark)
            spoken = True
        return spoken

    def _assistant(self, ordinal: int, message: Message) -> None:
        if self._turn is None or message.speaker != self._speaker:
            self._speaker = message.speaker
            self._turn = self._building.open(message.model, ordinal, message.time, message.mark)
        turn = self._turn
        for text in message.texts:
            if text.strip():
                self._building.add(turn, text, ordinal)
        for thought in message.thoughts:
            if thought.strip():
                self._building.think(turn, thought, ordinal)
        for call in message.calls:
            self._building.call(turn, call.id, call.name, call.arguments, ordinal)
        for result in message.results:
            self._result(ordinal, result)  # Of a tool that the provider ran within the turn.
        if not message.piece:
            self._turn = None


def dated(messages: Iterable[Message], model: str, time: str) -> list[Message]:
    """The same messages, those of the model with its name and time where they state none."""
    return [
        replace(message, model=message.model or model, time=message.time or time) if message.role == "assistant" else message
        for message in messages
    ]


def definitions(value: Any) -> list[ToolDefinition] | None:
    """Recorded tool definitions in the form of OpenAI, Anthropic or LangChain, None where there are none."""
    if not isinstance(value, list):
        return None
    tools = []
    for item in value:
        inner = item.get("function") if isinstance(item, dict) and isinstance(item.get("function"), dict) else item
        if not isinstance(inner, dict):
            continue
        name = text_of(inner.get("name")) or text_of(inner.get("type"))  # A built-in tool has only a type.
        schemas = (inner.get(key) for key in ("parameters", "input_schema", "inputSchema", "args_schema"))
        if name:
            tools.append(
                ToolDefinition(
                    name, text_of(inner.get("description")), next((schema for schema in schemas if isinstance(schema, dict)), {})
                )
            )
    return tools


def moment(*values: Any) -> str:
    """The first of these that tells a time: a text as it is, a number of seconds or milliseconds as ISO 8601; "" where none does."""
    for value in values:
        if isinstance(value, str) and value:
            return value[:64]
        if isinstance(value, int | float) and not isinstance(value, bool) and 1e8 < value < 1e14:
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC).isoformat().replace("+00:00", "Z")
    return ""
