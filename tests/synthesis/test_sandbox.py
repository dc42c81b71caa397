"""Drafts of anchors in the sandbox."""

from tracedance.kit import sessions
from tracedance.schema import Session


def session(number: int) -> Session:
    """An edit of one file; a failed one in every fourth session, a second edit in every fifth, and `Done.` at the end of every third."""
    turns = [
        {"user": f"Change number {number}."},
        {"text": "I edit it.", "call": {"Edit": {"file_path": "/repo/a.py", "old_string": "a", "new_string": str(number)}}},
        {"error": "String to replace not found in file."} if number % 4 == 0 else {"result": "The file was updated."},
        {"text": "I look at it.", "call": {"Read": {"file_path": "/repo/a.py"}}},
        {"result": "a = 1"},
    ]
    if number % 5 == 0:
        turns += [{"call": {"Edit": {"file_path": "/repo/b.py", "old_string": "b", "new_string": "c"}}}, {"result": "Updated."}]
    return sessions.build([*turns, {"text": "Done." if number % 3 == 0 else "It is changed."}], id=f"s{number}")


SESSIONS = [session(number) for number in range(24)]
