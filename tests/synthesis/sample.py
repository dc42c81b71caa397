"""Sessions that drafts are tried on, and a draft that is sound."""

from dataclasses import replace

from msgspec import structs

from tracedance.ingest.shapes import shapes
from tracedance.kit import sessions
from tracedance.schema import Session
from tracedance.synthesis.sandbox import Draft


def session(number: int) -> Session:
    """An edit of one file; a failed one in every fourth session, a second edit in every fifth, `Done.` at the end of every third, and the
    user's thanks in three. Times, the end and the shapes of calls are as importers fill them."""
    turns: list[dict[str, object]] = [
        {"user": f"Change number {number}."},
        {"text": "I edit it.", "call": {"Edit": {"file_path": "/repo/a.py", "old_string": "a", "new_string": str(number)}}},
        {"error": "String to replace not found in file."} if number % 4 == 0 else {"result": "The file was updated."},
        {"text": "I look at it.", "call": {"Read": {"file_path": "/repo/a.py"}}},
        {"result": "a = 1"},
    ]
    if number % 5 == 0:
        turns += [{"call": {"Edit": {"file_path": "/repo/b.py", "old_string": "b", "new_string": "c"}}}, {"result": "Updated."}]
    thanks: list[dict[str, object]] = [{"user": "Thanks."}, {"text": "Gladly."}] if number % 7 == 3 else []
    built = sessions.build([*turns, {"text": "Done." if number % 3 == 0 else "It is changed."}, *thanks], id=f"s{number}")
    timed = [structs.replace(turn, time=f"2026-01-01T00:00:{turn.index:02}Z") for turn in built.turns]
    return replace(built, turns=timed, started=timed[0].time, ended=timed[-1].time, shapes=shapes(built.calls()))


SESSIONS = [session(number) for number in range(24)]
HEAD = """\
from tracedance.kit import hits
from tracedance.kit.needs import among
from tracedance.schema import Hit
NEEDS = among("tool_class", "edit")
"""
SOUND = (
    HEAD
    + """
def read_after_failure(session, params):
    for turn in session.turns[1:]:
        if hits.decides(turn) and any(result.is_error for result in session.turns[turn.index - 1].results):
            facts = {"calls": len(turn.calls)}
            yield hits.hit(decision=turn.index, evidence=[turn.index - 1], offends=params["offends"], why="it goes on", facts=facts)
"""
)


def sound(**params: object) -> Draft:
    """Finds the turn behind each failed edit."""
    return Draft("read_after_failure", SOUND, {"offends": True, **params})
