"""Who&When: the logs of teams of agents that failed, with people's word on who made the decisive mistake, at which step, and why.

A record is an entry of the history. No call is recorded as one: what a terminal or a browser printed stands as a harness's message. Who
speaks is written before each text, as there is no other place for it; `mistake_turn` is the turn of the step that people named.
"""

import re
from typing import Any

from tracedance.ingest.building import About, Building, text_of
from tracedance.ingest.chat_messages import Message
from tracedance.ingest.documents import values
from tracedance.ingest.lines import Lines
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session

_LABELS = frozenset(
    ("mistake_agent", "mistake_step", "mistake_reason", "is_correct", "is_corrected", "question", "question_ID", "ground_truth", "level")
)
_TERMINAL = re.compile(r"computer_?terminal|code_?executor", re.IGNORECASE)
_TASK = "You are given: (1) a task"
"""How the team's manager hands a task to its experts."""


def recognises(opening: Opening) -> bool:
    """The file is an object with a history of named speakers, and with a step at which somebody saw the mistake or the question asked."""
    value = opening.value
    if not isinstance(value, dict):
        return False
    history = value.get("history")
    first = history[0] if isinstance(history, list) and history else None
    if not isinstance(first, dict) or not isinstance(first.get("content"), str) or not isinstance(first.get("role"), str):
        return False
    return "agent" not in first and ("mistake_agent" in value or "question" in value or "name" in first or _is_human(first))


def _is_human(entry: dict[str, Any]) -> bool:
    return entry.get("role") == "human"


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The session of one file (or of each of its lines)."""
    sessions: list[Session] = []
    for ordinal, value in values(lines, tally):
        tally.seen -= 1  # The account is in entries.
        history = value.get("history") if isinstance(value, dict) else None
        if isinstance(history, list):
            session = _session(value, history, tally, redactor)
            sessions += [] if session is None else [session]
        else:
            tally.seen += 1
            tally.lose("no history in it", ordinal)
    return sessions


def _session(value: dict[str, Any], history: list[Any], tally: Tally, redactor: Redactor) -> Session | None:
    human = any(isinstance(entry, dict) and _is_human(entry) for entry in history)
    about = About("who_and_when", harness="magentic-one" if human else "captain-agent", setting="general_tool_use")
    about.source_id = text_of(value.get("question_ID"))
    prompts = _prompts(value.get("system_prompt"))
    about.system = next(iter(prompts.values())) if len(prompts) == 1 else None
    building = Building(redactor)
    turns: dict[int, int] = {}
    for ordinal, entry in enumerate(history):
        tally.seen += 1
        if not isinstance(entry, dict):
            tally.lose("not a JSON object", ordinal)
        elif _entry(building, entry, ordinal):
            turns[ordinal] = len(turns)
            tally.keep()
        else:
            tally.ignore()
    about.labels = _labels(value, turns) | ({"system_prompts": prompts} if len(prompts) > 1 else {})
    return building.finish(about)


def _entry(building: Building, entry: dict[str, Any], ordinal: int) -> bool:
    """Add one entry as one turn; whether it held anything."""
    message = Message(text_of(entry.get("role")))
    message.take(entry.get("content"))
    text, speaker = message.text, text_of(entry.get("name")) or message.role
    if not text.strip():
        return False
    if _is_human(entry):
        building.say("user", text, ordinal)
    elif ordinal == 0:
        building.say("harness" if text.startswith(_TASK) else "user", text, ordinal)
    elif _TERMINAL.fullmatch(speaker):
        building.say("harness", f"{speaker}: {text}", ordinal)
    else:
        building.add(building.open("", ordinal), f"{speaker}: {text}", ordinal)
    return True


def _prompts(value: Any) -> dict[str, str]:
    """The prompts of the experts by name. No model saw more than its own, so several of them are no system prompt of the session."""
    value = value if isinstance(value, dict) else {"": value}
    return {name: prompt for name, prompt in value.items() if isinstance(prompt, str)}


def _labels(value: dict[str, Any], turns: dict[int, int]) -> dict[str, Any]:
    labels = {name: value[name] for name in sorted(_LABELS) if isinstance(value.get(name), str | bool | int)}
    step = str(labels.get("mistake_step", "")).strip()
    if step.isdecimal() and len(step) < 9 and int(step) in turns:
        labels["mistake_turn"] = turns[int(step)]
    return labels


SOURCE = Source("who_and_when", recognises, read)
