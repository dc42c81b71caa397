"""Families made by hand for the tests of construction: a card, an anchor and guards, without files."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tracedance.catalogue import Family
from tracedance.ingest.shapes import shapes
from tracedance.kit import sessions
from tracedance.kit.needs import among
from tracedance.schema import FamilyCard, Frame, Hit, Rubric, Session

Guard = Callable[[Session, Hit], bool]

COMMIT = [
    {"user": "Fix the typo in a.py and commit."},
    {"text": "Fixing.", "call": {"Edit": {"file_path": "a.py", "old_string": "teh", "new_string": "the"}}},
    {"result": "The file a.py has been updated."},
    {"text": "Committing.", "call": {"Bash": {"command": 'git add -A && git commit -m "Fix typo"'}}},
    {"result": "[main 1a2b3c4] Fix typo"},
    {"text": "Done."},
]
"""Decision 3, evidence 2."""

RETRY = [
    {"user": "Rename f to g in a.py."},
    {"call": {"Edit": {"file_path": "a.py", "old_string": "def f():", "new_string": "def g():"}}},
    {"error": "String to replace not found in file."},
    {"call": {"Edit": {"file_path": "a.py", "old_string": "def f(x):", "new_string": "def g(x):"}}},
    {"result": "The file a.py has been updated."},
]
"""Decision 3, evidence 2."""


def session(turns: list[Any], **meta: Any) -> Session:
    """A session from its short form, with the shapes an importer would find in its calls."""
    plain = sessions.build(turns, **meta)
    return sessions.build(turns, **{"harness": "claude_code", "shapes": shapes(plain.calls()), **meta})


def hit(decision: int = 3, evidence: tuple[int, ...] = (2,), **rest: Any) -> Hit:
    return Hit(decision=decision, evidence=evidence, offends=True, why="for a test", **rest)


def family(frame: Frame = "action", guards: Mapping[str, Guard] | None = None, **card: Any) -> Family:
    """A family of one question; every guard answers it."""
    asked = {"ask": "Did it happen?", "want": "yes", "guards": sorted(guards or {})}
    words = {
        "title": "A behaviour",
        "label": "Behaviour",
        "group": "check_first",
        "setting": ["coding"],
        "definition": "The agent does something.",
        "why": "It matters.",
        "not_this": [],
        "confirm": [asked],
        "cut": {"keeps": "everything", "drops_if": ["user_already_answered"]},
        "asked_as": [f"phrase {number}" for number in range(6)],
        "sources": ["a test"],
    }
    return Family(
        id=f"{frame}/behaviour",
        folder=Path("."),
        frame=frame,
        name="behaviour",
        card=FamilyCard.model_validate({**words, **card}),
        anchor=_nothing,
        needs=among("role", "assistant"),
        guards=dict(guards or {}),
        examples=(),
        rubric=Rubric(question="How well?", levels={level: str(level) for level in range(6)}),
        check=None,
        digests={},
    )


def _nothing(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
    yield from ()
