"""Inspect's logs: one JSON document with its samples, or the members of an `.eval` archive, each a document of its own.

A record is a message of a sample or an event of its transcript; of the other documents (header, summaries, reductions, journal) each is
one. The messages of a sample are its main talk. Events add models, times and tools, and the talks that stand in no message: those of
sub-agents, and what a compaction has dropped. Calls that a scorer makes are the evaluation's, not the agent's, and are ignored.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from tracedance.ingest.building import About, Building, text_of
from tracedance.ingest.chat_messages import Message, chat, setting_of, tell
from tracedance.ingest.documents import values
from tracedance.ingest.inspect_events import Transcript
from tracedance.ingest.lines import Lines
from tracedance.ingest.model_calls import Work, key_of, sessions
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.kit.chain import canonical
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session

_SAMPLE = ("messages", "input", "target", "scores")
_OF_PEOPLE = ("input", "operator")
"""What `source` says of messages that people wrote, or would have: the sample's input stands for the user."""


def recognises(opening: Opening) -> bool:
    """The file is a log, a sample, or one of the lists that stand beside samples in an archive."""
    value = opening.value
    if isinstance(value, list) and value:
        first = value[0]
        return isinstance(first, dict) and (_is_sample(first) or ("scorer" in first and isinstance(first.get("samples"), list)))
    return isinstance(value, dict) and (_is_log(value) or _is_sample(value))


def _is_log(value: dict[str, Any]) -> bool:
    about = value.get("eval")
    return isinstance(about, dict) and isinstance(about.get("task"), str) and isinstance(value.get("version"), int)


def _is_sample(value: dict[str, Any]) -> bool:
    return "id" in value and isinstance(value.get("epoch"), int) and any(key in value for key in _SAMPLE)


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The sessions of one document: one a sample, and one for each talk of a sub-agent's in it."""
    found: list[Session] = []
    for ordinal, value in values(lines, tally):
        tally.seen -= 1  # The account is in messages and events.
        for sample, about in _samples(value):
            if sample is None:
                tally.seen += 1
                tally.ignore()
            elif isinstance(sample, dict) and isinstance(sample.get("messages"), list):
                found += _Sample(sample, about, tally, redactor).sessions()
            else:
                tally.seen += 1
                tally.lose("no messages in it", ordinal)
    return found


def _samples(value: Any) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Each sample with what the log says of the evaluation; None for a document that has none by nature."""
    if isinstance(value, dict) and _is_log(value):
        samples = value.get("samples")
        yield from ((sample, value["eval"]) for sample in (samples if isinstance(samples, list) and samples else [None]))
    elif isinstance(value, dict):
        yield value, {}
    elif isinstance(value, list):
        for item in value:
            listed = isinstance(item, dict) and ("scorer" in item or (_is_sample(item) and "messages" not in item))
            yield None if listed else item, {}
    else:
        yield value, {}


class _Sample:
    """Reads one sample."""

    def __init__(self, sample: dict[str, Any], about: dict[str, Any], tally: Tally, redactor: Redactor) -> None:
        self._sample = sample
        self._tally = tally
        self._redactor = redactor
        self._building = Building(redactor)
        self._events = Transcript(sample)
        self._model = text_of(about.get("model"))
        packages = about.get("packages")
        self._about = About("inspect_eval", harness="inspect_ai")
        self._about.version = text_of(packages.get("inspect_ai")) if isinstance(packages, dict) else ""
        self._about.source_id = text_of(sample.get("uuid")) or _name(sample)
        self._about.labels = _labels(sample, about)
        self._names: set[str] = set()
        self._answered: set[str] = set()

    def sessions(self) -> list[Session]:
        """The main talk, and the talks of those that worked for it."""
        messages = self._sample["messages"]
        told: set[Any] = set()
        marked = any(isinstance(entry, dict) and entry.get("source") in _OF_PEOPLE for entry in messages)
        for ordinal, entry in enumerate(messages):
            self._tally.seen += 1
            if not isinstance(entry, dict):
                self._tally.lose("not a JSON object", ordinal)
                continue
            message = chat(self._events.resolved(entry))
            told.update((text_of(entry.get("id")), key_of(message)))
            if message.role not in ("system", "user", "assistant", "tool"):
                self._tally.lose_unknown(f"role {message.role}", ordinal)
            elif self._message(entry, message, ordinal, marked):
                self._tally.keep()
            else:
                self._tally.ignore()
        told.discard("")
        offered = {tool.name: tool for work, identity in self._events.works if _is_told(work, identity, told) for tool in work.tools}
        # A call that was offered no tools says so: then none is what is recorded.
        self._about.tools = list(offered.values()) if any(_is_told(*call, told) for call in self._events.works) else None
        self._about.setting = setting_of((*offered, *self._names))
        main = self._building.finish(self._about)
        return ([] if main is None else [main]) + self._others(told)

    def _message(self, entry: dict[str, Any], message: Message, ordinal: int, marked: bool) -> bool:
        for kind in message.unknown:
            self._tally.name_unknown(f"part {kind}")
        self._names.update(call.name for call in message.calls)
        made = self._events.made(text_of(entry.get("id")), message)
        message.time = made.time if made else self._events.times.get(message.answers[0].id, "") if message.answers else ""
        if message.role == "assistant":
            message.tokens = made.tokens if made else None
            message.model = message.model or (made.model if made else "") or self._model
        elif message.role == "user" and marked and entry.get("source") not in _OF_PEOPLE and message.text.strip():
            self._building.say("harness", message.text, ordinal)
            return True
        elif message.role == "tool":
            return self._result(entry, message, ordinal)
        return tell(self._building, self._about, message, ordinal)

    def _result(self, entry: dict[str, Any], message: Message, ordinal: int) -> bool:
        error = entry.get("error")
        self._answered.update(answer.id for answer in message.answers)
        for answer in message.answers:
            result = self._building.result(answer.id, answer.text, answer.flagged, ordinal)
            if result is not None and isinstance(error, dict) and error.get("type") == "approval":
                # A person, or a rule in a person's place, did not let the call run.
                self._building.never_ran(result, "refused")
        return True

    def _others(self, told: set[Any]) -> list[Session]:
        """The talks that no message of the sample holds."""
        works: list[Work] = []
        self._tally.seen += self._events.count
        for work, identity in self._events.works:
            if any(not message.empty for message in work.outputs) and not _is_told(work, identity, told):
                works.append(work)
        scopes = {work.scope for work in works}
        works += [run for run in self._events.runs if run.scope in scopes and run.asked and run.asked.id not in self._answered]
        for work in works:
            work.group = f"{self._about.source_id}.{work.agent or 'talk'}"
            work.harness, work.version = self._about.harness, self._about.version
        self._tally.keep(len(works))
        self._tally.ignore(self._events.count - len(works))
        return sessions(works, "inspect_eval", self._redactor, self._about.source_id)


def _is_told(work: Work, identity: str, told: set[Any]) -> bool:
    """Whether a message of the sample holds what came of a call."""
    return identity in told or any(key_of(message) in told for message in work.outputs if not message.empty)


def _name(sample: dict[str, Any]) -> str:
    digest = sha256(canonical([sample.get("id"), sample["messages"]]).encode()).hexdigest()[:8]
    return f"sample-{sample.get('id')}-epoch-{sample.get('epoch')}-{digest}"


def _labels(sample: dict[str, Any], about: dict[str, Any]) -> dict[str, Any]:
    """What the evaluation says of the sample."""
    scores = sample.get("scores")
    values = (
        {name: score["value"] for name, score in scores.items() if isinstance(score, dict) and "value" in score}
        if isinstance(scores, dict)
        else {}
    )
    labels = {"task": text_of(about.get("task")), "sample": sample.get("id"), "epoch": sample.get("epoch")}
    limit = sample.get("limit")
    return (
        {key: value for key, value in labels.items() if isinstance(value, str | int) and value != ""}
        | ({"scores": {name: value for name, value in values.items() if isinstance(value, str | int | float)}} if values else {})
        | ({"limit": text_of(limit.get("type"))} if isinstance(limit, dict) else {})
    )


SOURCE = Source("inspect_eval", recognises, read)
