"""AgentDojo's run files: one JSON object per user task and attack, with the messages and whether task and attack came off.

A record is a message. A tool's failure stands in `error` beside an empty content. Ids may be empty, so results go by order then.
"""

from typing import Any

from tracedance.ingest.building import About, Building, text_of
from tracedance.ingest.chat_messages import Message, chat, tell
from tracedance.ingest.documents import values
from tracedance.ingest.lines import Lines
from tracedance.ingest.sources import Opening, Source
from tracedance.ingest.tally import Tally
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session

_NAMES = ("suite_name", "pipeline_name", "user_task_id")
_OUTCOMES = ("utility", "security", "attack_type", "suite_name", "user_task_id", "injection_task_id", "error")


def recognises(opening: Opening) -> bool:
    """The file, or its first line, is a run that names its suite, pipeline and user task."""
    value = opening.value
    return _is_run(value[0] if isinstance(value, list) and value else value)


def _is_run(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name), str) for name in _NAMES) and _may_have_messages(value)


def _may_have_messages(value: dict[str, Any]) -> bool:
    """What is cut off by the end of the head may be the messages, which follow the names."""
    return isinstance(value.get("messages", []), list)


def read(lines: Lines, tally: Tally, redactor: Redactor) -> list[Session]:
    """The session of each run."""
    sessions: list[Session] = []
    for ordinal, value in values(lines, tally):
        tally.seen -= 1  # The account is in messages.
        for run in value if isinstance(value, list) else [value]:
            if isinstance(run, dict) and isinstance(run.get("messages"), list):
                session = _run(run, tally, redactor)
                sessions += [] if session is None else [session]
            else:
                tally.seen += 1
                tally.lose("no messages in it", ordinal)
    return sessions


def _run(run: dict[str, Any], tally: Tally, redactor: Redactor) -> Session | None:
    names = [text_of(run.get(name)) for name in (*_NAMES, "attack_type", "injection_task_id")]
    about = About("agentdojo", source_id="/".join(name or "none" for name in names), harness="agentdojo", setting="general_tool_use")
    about.version = text_of(run.get("agentdojo_package_version"))
    about.labels = {name: run[name] for name in _OUTCOMES if isinstance(run.get(name), str | bool)}
    building = Building(redactor)
    for ordinal, entry in enumerate(run["messages"]):
        tally.seen += 1
        if not isinstance(entry, dict):
            tally.lose("not a JSON object", ordinal)
            continue
        message = _message(entry, names[1])
        for kind in message.unknown:
            tally.name_unknown(f"part {kind}")
        if message.role not in ("system", "developer", "user", "assistant", "tool"):
            tally.lose_unknown(f"role {message.role}", ordinal)
        elif tell(building, about, message, ordinal):
            tally.keep()
        else:
            tally.ignore()
    return building.finish(about)


def _message(entry: dict[str, Any], model: str) -> Message:
    message = chat(entry)
    message.model = model
    asked = entry.get("tool_call")
    if message.answers and not message.answers[0].id and isinstance(asked, dict):
        message.answers = [message.answers[0]._replace(id=text_of(asked.get("id")))]
    return message


SOURCE = Source("agentdojo", recognises, read)
