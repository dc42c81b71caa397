"""R-Judge cases, as ASSEBench carries them: rounds of user, agent and environment, with people's word on whether the agent was safe.

A record is an entry of a round. The agent's `action` is a text; where it is written as a call (`Name{...}`, `Name: {...}`,
`Name(key=value)`, `Name` and an `Action Input:` line) it is one, and the environment's answer is its result. `goal` is what a judge was
asked about the case, and was shown to no agent.
"""

import ast
import re
from typing import Any

from tracedance.ingest.building import About, Building, text_of
from tracedance.ingest.chat_messages import Message, parsed, shown, tell
from tracedance.ingest.documents import values
from tracedance.ingest.lines import Lines
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session

_CALL = re.compile(r"\s*([A-Za-z_][\w.]{0,80})\s*(?:\n\s*Action Input:|:)?\s*(\{.*\})\s*", re.DOTALL)
_PYTHON = re.compile(r"\s*([A-Za-z_][\w.]{0,80})(\([^\n]*\))\s*")
_LITERAL = 20_000
"""Longest text that is read as a Python literal."""


def recognises(opening: Opening) -> bool:
    """The file, or its first line, is a case: rounds of entries with a role, and a label."""
    value = opening.value
    first = value[0] if isinstance(value, list) and value else value
    rounds = first.get("contents") if isinstance(first, dict) else None
    entry = rounds[0][0] if isinstance(rounds, list) and rounds and isinstance(rounds[0], list) and rounds[0] else None
    return isinstance(entry, dict) and entry.get("role") in ("user", "agent", "environment") and ("label" in first or "profile" in first)


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The session of each case."""
    sessions: list[Session] = []
    for ordinal, value in values(lines, tally):
        tally.seen -= 1  # The account is in entries.
        for case in value if isinstance(value, list) else [value]:
            if isinstance(case, dict) and isinstance(case.get("contents"), list):
                session = _case(case, tally, redactor)
                sessions += [] if session is None else [session]
            else:
                tally.seen += 1
                tally.lose("no rounds in it", ordinal)
    return sessions


def _case(case: dict[str, Any], tally: Tally, redactor: Redactor) -> Session | None:
    about = About("rjudge", harness="rjudge", setting="general_tool_use", system=text_of(case.get("profile")) or None)
    identity = case.get("id")
    about.source_id = f"rjudge-{identity}" if isinstance(identity, str | int) else ""
    about.labels = _labels(case)
    reading = _Reading(about, redactor)
    ordinal = 0
    for entries in case["contents"]:
        for entry in entries if isinstance(entries, list) else [entries]:
            tally.seen += 1
            used = reading.entry(entry, ordinal)
            tally.settle(used, ordinal)
            ordinal += 1
    return reading.building.finish(about)


def _labels(case: dict[str, Any]) -> dict[str, Any]:
    labels = {
        name: case[name] for name in ("label", "risk_description", "scenario", "attack_type") if isinstance(case.get(name), str | int)
    }
    if labels.get("label") in (0, 1):
        labels["safe"] = labels["label"] == 0
    return labels


class _Reading:
    """Reads the entries of one case."""

    def __init__(self, about: About, redactor: Redactor) -> None:
        self.building = Building(redactor)
        self._about = about
        self._asked = ""
        self._count = 0

    def entry(self, entry: Any, ordinal: int) -> bool | str:
        """Read one entry: whether it held anything, or the reason why it is lost."""
        if not isinstance(entry, dict):
            return "not a JSON object"
        role = entry.get("role")
        if role == "agent":
            return self._agent(entry, ordinal)
        asked, self._asked = self._asked, ""
        text = shown(entry.get("content"))
        if role == "environment" and asked and entry.get("content") is not None:
            return self.building.result(asked, text, None, ordinal) is not None
        if role == "environment":
            if text.strip():
                self.building.say("harness", text, ordinal)
            return bool(text.strip())
        if role != "user":
            return f"unknown role {text_of(role)}"
        return tell(self.building, self._about, Message("user", [text]), ordinal)

    def _agent(self, entry: dict[str, Any], ordinal: int) -> bool:
        action = shown(entry.get("action"))
        message = Message("assistant", thoughts=[shown(entry.get("thought"))])
        called = _called(action)
        self._asked = ""
        if called is None:
            message.texts = [action.strip()]
        else:
            self._count += 1
            self._asked = f"action-{self._count}"
            message.call(self._asked, *called)
        return tell(self.building, self._about, message, ordinal)


def _called(action: str) -> tuple[str, Any] | None:
    """Name and arguments of an action that is written as a call."""
    found = _CALL.fullmatch(action)
    if found is not None:
        arguments = parsed(found[2])
        if isinstance(arguments, str):
            arguments = _literal(found[2])
        return found[1], found[2] if arguments is None else arguments
    found = _PYTHON.fullmatch(action)
    return None if found is None else (found[1], _keywords(found[2]))


def _literal(text: str) -> Any:
    """A Python literal, None where it is none."""
    try:
        value = ast.literal_eval(text) if len(text) <= _LITERAL else None
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return value if isinstance(value, dict) and all(isinstance(key, str) for key in value) else None


def _keywords(text: str) -> Any:
    """Keyword arguments as written in a Python call; the text itself where they are no literals."""
    try:
        call = ast.parse(f"f{text}", mode="eval").body if len(text) <= _LITERAL else None
        if isinstance(call, ast.Call) and not call.args and all(keyword.arg for keyword in call.keywords):
            return {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        pass
    return text


SOURCE = Source("rjudge", recognises, read)
