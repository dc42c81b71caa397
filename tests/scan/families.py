"""Families written by hand, as plain as an anchor can be."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tracedance.kit.needs import Needs, among
from tracedance.schema import FamilyCard, Hit, Session

Find = Callable[[Session, Mapping[str, Any]], Iterator[Hit]]


def card(opportunity: str | None = "A failed edit.", **parameters: Any) -> FamilyCard:
    """A card with the least that the schema asks for."""
    return FamilyCard.model_validate(
        {
            "title": "t",
            "label": "l",
            "group": "handle_failure",
            "setting": ["coding"],
            "definition": "d",
            "why": "w",
            "not_this": ["n"],
            "confirm": [{"ask": "Is it?", "want": "yes"}],
            "cut": {"keeps": "k"},
            "parameters": parameters,
            "opportunity": opportunity,
            "asked_as": ["a"] * 6,
            "sources": ["s"],
        }
    )


@dataclass
class HandFamily:
    """What the engine asks of a family, and the sessions that it was shown."""

    id: str
    find_in: Find
    needs: Needs = field(default_factory=lambda: among("tool_class", "edit"))
    card: FamilyCard = field(default_factory=card)
    version: str = "1"
    seen: list[str] = field(default_factory=list)

    @property
    def frame(self) -> str:
        return self.id.split("/")[0]

    @property
    def digests(self) -> dict[str, str]:
        return {"anchor": self.version}

    def find(self, session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
        self.seen.append(session.id)
        return self.find_in(session, params)


def after_failed_edits(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
    """Every assistant turn that follows a failed edit; it offends when it edits again."""
    for call in session.calls():
        if call.tool_class == "edit" and call.result is not None and call.result.is_error:
            decision = call.result.turn + 1
            if decision < len(session.turns):
                again = any(next_call.tool_class == "edit" for next_call in session.turns[decision].calls)
                why = f"{call.arguments.get('file_path')} was edited again."
                yield Hit(decision=decision, evidence=(call.turn,), offends=again, why=why)
