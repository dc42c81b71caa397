"""`hangar.trace/v1` exports, in our reading of them (docs/hangar-trace.md): what an agent's runs did, and what became of their job.

A record is an item of a run or an entry of a job. The runs of one session are one talk. What is no part of a talk (approvals, events, test
runs, commits, the kind and times of a call) is kept in the session's labels, each entry with its `ordinal`, which turns carry too.
"""

from collections.abc import Iterator
from typing import Any

from tracedance.ingest.authors import by_author
from tracedance.ingest.building import About, Building, text_of
from tracedance.ingest.chat_messages import Message, definitions, shown, tell
from tracedance.ingest.documents import values
from tracedance.ingest.lines import Lines
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session, Status, Turn

SCHEMA = "hangar.trace/v1"
_FACTS = ("source", "repo", "task_id", "variant", "truncated", "started", "ended", "harness", "harness_version", "model")
_JOB_LISTS = ("events", "test_runs", "commits", "verify")
_JOB_ONES = ("pr", "merge")
_NEVER_RAN: dict[str, Status] = {
    "denied": "refused",
    "refused": "refused",
    "cancelled": "cancelled",
    "canceled": "cancelled",
    "interrupted": "interrupted",
}
_NOTED = frozenset(("approval", "event", "test_run", "commit", "pr", "merge", "verify"))
_MOST = 50_000
"""Entries of one session's labels."""


def recognises(opening: Opening) -> bool:
    """The file, or its first line, says that it is such an export."""
    value = opening.value
    return isinstance(value, dict) and value.get("schema") == SCHEMA


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The sessions of each export in the file."""
    found: list[Session] = []
    for ordinal, value in values(lines, tally):
        tally.seen -= 1  # The account is in items.
        if isinstance(value, dict) and value.get("schema") == SCHEMA:
            found += _Export(value, tally, redactor).sessions()
        else:
            tally.seen += 1
            tally.lose("no hangar.trace/v1 export", ordinal)
    return found


class _Export:
    """Reads one export."""

    def __init__(self, value: dict[str, Any], tally: Tally, redactor: Redactor) -> None:
        self._value = value
        self._tally = tally
        self._redactor = redactor
        self._ordinal = 0
        self._jobs = {text_of(job.get("id")): job for job in _dicts(value.get("jobs", [value.get("job")]))}

    def sessions(self) -> list[Session]:
        """One session for each of the export's, with its runs in their order; a run without one stands alone."""
        talks: dict[str, list[dict[str, Any]]] = {}
        for number, run in enumerate(_dicts(self._value.get("runs"))):
            name = text_of(run.get("session")) or text_of(self._value.get("session")) or text_of(run.get("id")) or f"run-{number}"
            talks.setdefault(name, []).append(run)
        jobs = {name: self._job(job) for name, job in self._jobs.items()}
        found = [self._session(name, runs, jobs) for name, runs in talks.items()]
        if not talks and jobs:
            self._tally.lose("job without a run", self._ordinal, self._unkept(jobs))
        else:
            self._tally.keep(self._unkept(jobs))
        return [session for session in found if session is not None]

    @staticmethod
    def _unkept(jobs: dict[str, dict[str, Any]]) -> int:
        return sum(len(job["entries"]) for job in jobs.values())

    def _job(self, job: dict[str, Any]) -> dict[str, Any]:
        """The facts of a job, and its entries: tests, commits, the pull request, the merge."""
        entries = []
        for kind in _JOB_LISTS:
            listed = job.get(kind)
            entries += [(kind, entry) for entry in (listed if isinstance(listed, list) else [listed]) if entry is not None]
        entries += [(kind, job[kind]) for kind in _JOB_ONES if job.get(kind) is not None]
        self._tally.seen += len(entries)
        return self._facts(job) | {"entries": [{"type": kind.removesuffix("s"), "entry": entry} for kind, entry in entries]}

    def _facts(self, holder: dict[str, Any]) -> dict[str, Any]:
        """What is said of a run or job; what it leaves open, the export says for all."""
        facts = {name: holder.get(name, self._value.get(name)) for name in _FACTS}
        return {name: value for name, value in facts.items() if isinstance(value, str | bool)}

    def _session(self, name: str, runs: list[dict[str, Any]], jobs: dict[str, dict[str, Any]]) -> Session | None:
        first = self._facts(runs[0])
        about = About("hangar", source_id=name, harness=str(first.get("harness") or "hangar"))
        about.version = str(first.get("harness_version") or "")
        about.system = text_of(runs[0].get("system")) or None
        about.tools = definitions(runs[0].get("tools"))
        about.cwd = text_of(runs[0].get("cwd"))
        about.parent = text_of(runs[0].get("parent"))
        talk = _Talk(about, self._redactor)
        told = []
        for run in runs:
            began = self._ordinal
            for item in _ordered(run.get("items")):
                self._item(talk, item, str(self._facts(run).get("model") or ""))
            told.append(
                {"id": text_of(run.get("id")), "job": text_of(run.get("job")), "first": began, "last": self._ordinal - 1} | self._facts(run)
            )
        mine = {text_of(run.get("job")) for run in runs}
        about.labels = {
            "runs": told,
            "items": talk.noted[:_MOST],
            "jobs": {name: job for name, job in jobs.items() if name in mine or len(jobs) == 1},
        }
        return talk.building.finish(about)

    def _item(self, talk: "_Talk", item: Any, model: str) -> None:
        ordinal = self._ordinal
        self._ordinal += 1
        self._tally.seen += 1
        used = talk.item(item, model, ordinal) if isinstance(item, dict) else "not a JSON object"
        self._tally.settle(used, ordinal)


class _Talk:
    """Reads the items of a session's runs."""

    def __init__(self, about: About, redactor: Redactor) -> None:
        self.building = Building(redactor)
        self.noted: list[dict[str, Any]] = []
        """What no turn holds."""
        self._about = about
        self._ends = ""
        """When the last call of the open turn ended; a call that began before is its sibling."""

    def item(self, item: dict[str, Any], model: str, ordinal: int) -> bool | str:
        """Read one item: True when it went in, False when it holds nothing, else the reason why it is lost."""
        kind = text_of(item.get("type"))
        if kind == "message":
            message = Message(text_of(item.get("role")), model=text_of(item.get("model")) or model, time=_time(item))
            message.take(item.get("text", item.get("content")))
            self._ends = ""
            return tell(self.building, self._about, message, ordinal) if message.role in _ROLES else f"unknown role {message.role}"
        if kind == "tool_call":
            return self._call(item, model, ordinal)
        if kind == "steer":
            self.noted.append({"type": kind, "ordinal": ordinal, "time": _time(item), "by": text_of(item.get("by"))})
            return self._steer(item, ordinal)
        if kind in _NOTED:
            self.noted.append({**item, "ordinal": ordinal})
            return True
        return f"unknown {kind or 'item without a type'}"

    def _steer(self, item: dict[str, Any], ordinal: int) -> bool:
        spoken = False
        for author, text in by_author([shown(item.get("text", item.get("content")))]):
            self.building.say(author, text, ordinal, _time(item))
            spoken = True
        return spoken

    def _call(self, item: dict[str, Any], model: str, ordinal: int) -> bool:
        identity, status = text_of(item.get("id")) or f"call-{ordinal}", text_of(item.get("status"))
        began, ended = text_of(item.get("started")), text_of(item.get("ended"))
        turn = self._turn(began, model, ordinal)
        call = self.building.call(turn, identity, text_of(item.get("name")), item.get("input", {}), ordinal)
        self._ends = max(self._ends, ended)
        self.noted.append(
            {"type": "tool_call", "ordinal": ordinal, "call": call.id, "started": began, "ended": ended}
            | {name: item[name] for name in ("kind", "ops") if name in item}
        )
        code = item.get("exit_code")
        code = code if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 2**31 else None
        if item.get("output") is None and not status:
            return True
        flagged = {"ok": False, "error": True}.get(status)
        result = self.building.result(identity, shown(item.get("output")), flagged, ordinal, code)
        if result is not None and status in _NEVER_RAN:
            self.building.never_ran(result, _NEVER_RAN[status])
        return True

    def _turn(self, began: str, model: str, ordinal: int) -> Turn:
        """The turn that a call belongs to: that of the words just said, or of a call that it overlaps; else a new one."""
        last = self.building.last
        if last is not None and last.role == "assistant" and (not last.calls or (began and began < self._ends)):
            return last
        self._ends = ""
        return self.building.open(model, ordinal, began)


_ROLES = ("system", "developer", "user", "assistant")


def _ordered(items: Any) -> Iterator[Any]:
    """Items by their number where all have one, else as they stand."""
    items = items if isinstance(items, list) else []
    numbered = all(isinstance(item, dict) and isinstance(item.get("seq"), int) for item in items)
    yield from sorted(items, key=lambda item: item["seq"]) if numbered else items


def _time(item: dict[str, Any]) -> str:
    return text_of(item.get("time")) or text_of(item.get("started"))


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


SOURCE = Source("hangar", recognises, read)
