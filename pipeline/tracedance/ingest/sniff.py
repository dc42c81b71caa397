"""Which importer reads a file: told by content alone, since names and labels beside a file can be wrong."""

from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points

from tracedance.ingest import (
    agentdojo,
    anthropic_messages,
    atif,
    autogen,
    claude_code,
    codex,
    copilot_cli,
    cursor,
    factory_droid,
    gemini_cli,
    hangar,
    inspect_log,
    langchain,
    langfuse,
    langsmith,
    openai_agents,
    openai_calls,
    openai_chat,
    openai_responses,
    opencode,
    pi,
    rjudge,
    swe_agent,
    telemetry,
    who_and_when,
)
from tracedance.ingest.sources import Opening, Source

GROUP = "tracedance.sources"
_MOST_STARTS = 100
"""Lines behind the first at which a session is looked for."""
OURS = (
    claude_code.SOURCE,
    codex.SOURCE,
    copilot_cli.SOURCE,
    opencode.SOURCE,
    gemini_cli.SOURCE,
    pi.SOURCE,
    factory_droid.SOURCE,
    cursor.SOURCE,
    *telemetry.SOURCES,
    inspect_log.SOURCE,
    hangar.SOURCE,
    atif.SOURCE,
    swe_agent.SOURCE,
    agentdojo.SOURCE,
    who_and_when.SOURCE,
    rjudge.SOURCE,
    openai_agents.SOURCE,
    langsmith.SOURCE,
    langfuse.SOURCE,
    langchain.SOURCE,
    autogen.SOURCE,
    anthropic_messages.SOURCE,
    openai_responses.SOURCE,
    openai_calls.SOURCE,
    openai_chat.SOURCE,
)
"""In the order in which they are asked: the most particular first, what is common to many formats last."""


@cache
def sources() -> tuple[Source, ...]:
    """Every importer, those of other packages before ours, so that a more particular one may take what ours would read."""
    added = (entry.load() for entry in entry_points(group=GROUP))
    return (*(source for source in added if isinstance(source, Source)), *OURS)


def sniff(head: bytes) -> Source | None:
    """The importer of a file that begins with `head`, None when no importer knows it."""
    begin = head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    return _recognised(begin) or next(filter(None, map(_recognised, _later(begin))), None)


def _recognised(begin: bytes) -> Source | None:
    opening = Opening(begin)
    return next((source for source in sources() if _recognises(source, opening)), None)


def _later(begin: bytes) -> Iterator[bytes]:
    """The head from each later line on that is a JSON object: garbage may stand before the records of a session."""
    place, tried = begin.find(b"\n") + 1, 0
    while place and tried < _MOST_STARTS:
        end = begin.find(b"\n", place)
        line = begin[place : end if end >= 0 else len(begin)].strip()
        if line[:1] == b"{" and line[-1:] == b"}" and len(line) > 2:
            tried += 1
            yield begin[place:]
        place = end + 1


def _recognises(source: Source, opening: Opening) -> bool:
    """What brings an importer down is not of its format."""
    try:
        return source.recognises(opening)
    except Exception:
        return False
