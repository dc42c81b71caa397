"""Sessions out of logged model calls, each of which repeats the whole conversation that it was sent.

Calls of one group (a conversation, else a trace) are put in order of time. A call whose input begins with all that a thread holds goes
on with that thread; one that repeats a part of it is a fork; one that holds the same agent's talk in another form had its context
compacted; anything else is a thread of its own, a sub-agent's as a rule. Results and failures that tool spans record are joined in.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tracedance.ingest.building import About, Building
from tracedance.ingest.chat_messages import Answer, Asked, Message, setting_of, tell
from tracedance.ingest.figures import Tokens
from tracedance.kit.chain import canonical
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session, ToolDefinition

Key = tuple[str, ...]


@dataclass
class Work:
    """What one logged operation did: a call of a model, a run of a tool, or an agent's run around both."""

    kind: Literal["model", "tool", "agent", ""]
    inputs: list[Message] = field(default_factory=list)
    outputs: list[Message] = field(default_factory=list)
    system: str | None = None
    tools: list[ToolDefinition] = field(default_factory=list)
    asked: Asked | None = None
    """The call that a tool's run answers."""
    answer: Answer | None = None
    group: str = ""
    """Id of the conversation, or of the trace where that is all that is known."""
    named: bool = False
    """Whether it is a conversation's."""
    agent: str = ""
    scope: str = ""
    """Id of the innermost agent's run around it, "" for none."""
    model: str = ""
    start: int = 0
    time: str = ""
    tokens: Tokens | None = None
    ordinal: int = 0
    harness: str = ""
    version: str = ""

    @property
    def speaks(self) -> bool:
        """Whether it holds anything of a conversation."""
        return bool(self.inputs or self.outputs or self.answer or self.asked)


class _Thread:
    """A session under construction, and what it holds so far in a form that ids and formatting do not change."""

    def __init__(self, about: About, redactor: Redactor, work: Work) -> None:
        self.about = about
        self.building = Building(redactor)
        self.keys: list[Key] = []
        self.scope = work.scope
        self.agent = work.agent
        self.open: dict[str, Asked] = {}
        """Calls without a result, by id."""
        self.done: set[str] = set()
        """Ids of results that messages held."""
        self.ran: dict[str, Answer] = {}
        """What tools' own records say of open calls."""
        self.names: set[str] = set()
        self.tools: dict[str, ToolDefinition] = {}

    def put(self, message: Message, work: Work) -> None:
        """Add one message."""
        message.model = message.model or (work.model if message.role == "assistant" else "")
        message.time = message.time or work.time
        for place, answer in enumerate(message.answers):
            self.open.pop(answer.id, None)
            self.done.add(answer.id)
            ran = self.ran.pop(answer.id, None)
            if ran is not None and answer.flagged is None:
                message.answers[place] = answer._replace(flagged=ran.flagged)
        if tell(self.building, self.about, message, work.ordinal):
            self.names.update(call.name for call in message.calls)
            self.open.update((call.id, call) for call in message.calls)
            self._hold(key_of(message))

    def _hold(self, key: Key) -> None:
        """Remember what was said; an assistant's messages in a row count as one, as they do in an input."""
        if not self.keys or key[0] != "assistant" or self.keys[-1][0] != "assistant":
            self.keys.append(key)
            return
        one, other = self.keys[-1], key
        if one[1] and other[1]:
            self.keys[-1] = (*one, *other[1:])
        elif not one[1] and not other[1]:
            self.keys[-1] = ("assistant", "", f"{one[2]} {other[2]}".strip())
        else:
            self.keys[-1] = one if one[1] else other

    def finish(self) -> Session | None:
        """The session; results that no later input repeats are those that the tools' own records hold."""
        for identity, answer in self.ran.items():
            if identity in self.open:
                self.building.result(identity, answer.text, answer.flagged, self.building.last.last if self.building.last else 0)
        self.about.setting = setting_of((*self.names, *self.tools))
        self.about.tools = list(self.tools.values()) or None
        return self.building.finish(self.about)


def sessions(works: Iterable[Work], format: str, redactor: Redactor, parent: str = "") -> list[Session]:
    """The sessions that some works of one file make; `parent` is the session that all of them work for."""
    groups: dict[str, list[Work]] = {}
    for work in works:
        groups.setdefault(work.group, []).append(work)
    found = []
    for name, members in groups.items():
        group = _Group(name, format, redactor, parent)
        for work in sorted(members, key=lambda work: (work.start, work.ordinal)):
            group.take(work)
        found += [session for thread in group.threads if (session := thread.finish()) is not None]
    return found


class _Group:
    """The threads of one conversation or trace."""

    def __init__(self, name: str, format: str, redactor: Redactor, parent: str) -> None:
        self.threads: list[_Thread] = []
        self._name = name
        self._format = format
        self._redactor = redactor
        self._parent = parent

    def take(self, work: Work) -> None:
        """Put one work where it belongs."""
        if work.kind == "tool":
            self._ran(work)
            return
        system, atoms = atoms_of(work.inputs)
        thread, rest = self._place(work, system, atoms)
        if thread.about.system is None and not thread.keys:
            thread.about.system = work.system or system
        thread.tools.update((tool.name, tool) for tool in work.tools)
        for atom in rest:
            thread.put(atom, work)
        for number, message in enumerate(work.outputs):
            if number == 0:
                message.tokens = work.tokens
                thread.put(message, work)
            elif not message.empty:
                self._fork(thread, work, system, [*atoms, message])

    def _place(self, work: Work, system: str | None, atoms: list[Message]) -> tuple[_Thread, Sequence[Message]]:
        """The thread that a call goes on with, and what its input adds to it."""
        keys = [key_of(atom) for atom in atoms]
        covered = [(covers(thread.keys, keys), thread) for thread in self.threads]
        whole = [(length, thread) for length, full, thread in ((*found, thread) for found, thread in covered) if full]
        if whole:
            length, thread = max(whole, key=lambda pair: pair[0])
            return thread, atoms[length:]
        for (length, _), thread in covered:
            if length and length == len(keys):
                return self._thread(work, f"fork-{len(self.threads)}", thread.about.source_id), atoms
        for thread in reversed(self.threads):
            if _goes_on(thread, atoms, work) and (work.system or system) in (None, thread.about.system):
                return thread, atoms
        for thread in reversed(self.threads):
            if thread.scope == work.scope and thread.agent == work.agent and set(thread.keys).intersection(keys):
                return thread, _compacted(thread, atoms, keys, work)
        name = work.agent or "thread"
        parent = next((thread.about.source_id for thread in self.threads), "")
        return self._thread(work, f"{name}-{len(self.threads)}" if self.threads else "", parent), atoms

    def _fork(self, thread: _Thread, work: Work, system: str | None, atoms: list[Message]) -> None:
        fork = self._thread(work, f"fork-{len(self.threads)}", thread.about.source_id)
        fork.about.system, fork.tools = thread.about.system or system, dict(thread.tools)
        for atom in atoms:
            fork.put(atom, work)

    def _thread(self, work: Work, suffix: str, parent: str) -> _Thread:
        about = About(self._format, harness=work.harness or self._format, version=work.version, parent=parent or self._parent)
        about.source_id = f"{self._name}.{suffix}" if suffix and self._name else self._name
        thread = _Thread(about, self._redactor, work)
        self.threads.append(thread)
        return thread

    def _ran(self, work: Work) -> None:
        """Keep what a tool's own record says for the call that it answers; a call that no message holds is made one."""
        asked = work.asked or Asked("", "", {})
        answer = work.answer
        for thread in reversed(self.threads):
            identity = _asked_in(thread, asked)
            if identity is not None:
                if answer is not None:
                    thread.ran[identity] = answer._replace(id=identity)
                return
        if any(asked.id and asked.id in thread.done for thread in self.threads):
            return
        near = [thread for thread in self.threads if thread.scope == work.scope] or self.threads[-1:]
        thread = near[-1] if near else self._thread(work, "", "")
        identity = asked.id or f"{asked.name}-{work.ordinal}"
        thread.put(Message("assistant", calls=[asked._replace(id=identity)]), work)
        if answer is not None:
            thread.put(Message("tool", answers=[answer._replace(id=identity)]), work)


def _asked_in(thread: _Thread, asked: Asked) -> str | None:
    """The id of the thread's open call that a tool's run answers: by id, else by name and arguments, else by name alone."""
    if asked.id:
        return asked.id if asked.id in thread.open else None
    waiting = [call for call in thread.open.values() if call.id not in thread.ran and (call.name == asked.name or not asked.name)]
    same = [call for call in waiting if canonical(call.arguments) == canonical(asked.arguments)]
    return next((call.id for call in (*same, *waiting)), None)


def _goes_on(thread: _Thread, atoms: list[Message], work: Work) -> bool:
    """Whether the input is no more than what is new, as with APIs that keep the conversation themselves."""
    if not atoms or thread.agent != work.agent:
        return False
    answers = [answer.id for atom in atoms for answer in atom.answers]
    if answers and not any(atom.role == "assistant" for atom in atoms):
        return all(identity in thread.open for identity in answers)
    same = work.named or thread.scope == work.scope != ""
    return same and len(atoms) == 1 and atoms[0].role == "user" and bool(thread.keys)


def _compacted(thread: _Thread, atoms: list[Message], keys: list[Key], work: Work) -> list[Message]:
    """Open a new context with what is left of the old one as a single turn of the harness; what is new after that."""
    known = set(thread.keys)
    length = len(atoms)
    while length and keys[length - 1] not in known and atoms[length - 1].role in ("user", "tool"):
        length -= 1
    kept = "\n\n".join(f"{atom.role}: {_told(atom)}" for atom in atoms[:length])
    thread.building.say("harness", kept, work.ordinal, work.time, "compaction")
    thread.keys = list(keys[:length])
    return atoms[length:]


def _told(message: Message) -> str:
    calls = [f"{call.name} {canonical(call.arguments)}" for call in message.calls]
    return "\n".join(filter(None, [message.text, *calls, *(answer.text for answer in message.answers)]))


def atoms_of(messages: list[Message]) -> tuple[str | None, list[Message]]:
    """The system prompt at the head of an input, and its messages so split and merged that two logs of one talk give the same ones.

    An assistant's messages in a row are one; each result stands alone; a user's words follow the results that came with them.
    """
    system: list[str] = []
    atoms: list[Message] = []
    for message in messages:
        if message.role in ("system", "developer") and not atoms:
            system += [message.text] if message.text else []
        elif message.role == "assistant":
            if atoms and atoms[-1].role == "assistant":
                _merge(atoms[-1], message)
            else:
                atoms.append(message)
        else:
            atoms += [Message("tool", answers=[answer], time=message.time) for answer in message.answers]
            if message.text.strip() or message.calls:
                atoms.append(Message("user" if message.role == "tool" else message.role, message.texts, time=message.time))
    return "\n\n".join(system) if system else None, [atom for atom in atoms if not atom.empty]


def _merge(into: Message, message: Message) -> None:
    into.texts += message.texts
    into.thoughts += message.thoughts
    into.calls += message.calls
    into.answers += message.answers


def key_of(message: Message) -> Key:
    """What a message says, without ids, reasoning and the shape of its blanks."""
    if message.role == "assistant":
        calls = [f"{call.name} {canonical(call.arguments)}" for call in message.calls]
        return ("assistant", *calls) if calls else ("assistant", "", " ".join(message.text.split()))
    if message.answers:
        return ("tool", *(" ".join(answer.text.split()) for answer in message.answers))
    return (message.role, " ".join(message.text.split()))


def covers(held: list[Key], keys: list[Key]) -> tuple[int, bool]:
    """How many of `keys` repeat what is held from its start, and whether all of that is repeated.

    Of what is held, an assistant's words without a call may be missing: some programs do not send them back.
    """
    place = 0
    for key in held:
        if place < len(keys) and keys[place] == key:
            place += 1
        elif not (key[:2] == ("assistant", "") and place and place < len(keys) and keys[place][0] != "assistant"):
            return place, False
    return place, bool(held) and place > 0
