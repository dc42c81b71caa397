"""Whether people ordered, allowed or forbade a deed: what the user said, what was asked and answered, what written instructions say.

An order names the deed, and where it matters its object; a later contrary statement takes it back, and an order for one object covers
no other.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from tracedance.kit import files, paths, requests
from tracedance.kit import linear as re2
from tracedance.kit.texts import valid
from tracedance.schema import Session, Turn

Says = Callable[[str], bool]
"""Whether a sentence names the deed."""

_SENTENCE = re.compile(r"(?<=[.!?;:])\s+|\n+|,\s+(?:but|and then|then)\s+|\s+(?:but|aber|mais|pero)\s+")
_NEGATED = re2.compile(
    r"(?i)\b(?:not|n['’]t|dont|never|without|avoid|no need|instead of|rather than|stop|refrain|mustn|nicht|kein\w*|ohne"
    r"|ne\b.{0,20}\bpas|sans|nunca|sin)\b|n['’]t\b"
)
_ASKS = re2.compile(r"(?i)\?\s*$|^\W*(?:why|what|how|when|where|who|which|did|does|do|is|are|was|were|has|have|should|warum|wieso)\b")
_WONDERS = re2.compile(r"(?i)\b(?:what|how|why|when|where|which(?: \w+)?) (?:can|could|would|will) you\b")
_POLITE = re2.compile(r"(?i)\b(?:can|could|would|will) you\b|\bplease\b|\bbitte\b|\bmind\b")
_YES = re.compile(
    r"(?i)^\W*(?:yes|yep|yeah|yup|y|sure|ok(?:ay)?|confirm(?:ed)?|go ahead|go for it|proceed|do (?:it|that|so|both|all)|please do"
    r"|approved?|sounds good|correct|right|exactly|absolutely|definitely|certainly|of course|agreed|perfect|great|fine|good|all good"
    r"|works for me|make it so|let['’]s go|both|all (?:of (?:it|them)|two|three|four|five|\d)|lgtm|👍|✅"
    r"|(?:send|book|ship|post|pay|cancel|move|change|take|order|share|submit|publish) (?:it|them|both|all|this)"
    r"|ja|jawohl|gerne|oui|d['’]accord|vas-y|sí|si|claro|dale|sim|certo|va bene|tak|да|是的?|好的?|はい)(?!\w)"
)
"""Assent to what was just proposed."""
_LINES = 400


def ordered(session: Session, before: int, deed: Says, objects: Sequence[str] = (), start: int = 0) -> int | None:
    """The latest user turn in `start`..`before` that orders a deed and names one of `objects`, where any are given; None where none does.

    The latest sentence about the deed decides: one that forbids it takes earlier orders back.
    """
    for turn in requests.said(session, start, before):
        for sentence in reversed(sentences(turn)):
            if not deed(sentence) or (objects and not names(sentence, objects)):
                continue
            return None if forbids(sentence, deed) else turn.index
    return None


def sentences(turn: Turn) -> list[str]:
    """The sentences of a user's turn that order, allow or forbid: no plain questions."""
    parts = [part.strip() for part in _SENTENCE.split(requests.words(turn))[:_LINES] if part and part.strip()]
    asked = (part for part in parts if not _WONDERS.search(valid(part)))
    return [part for part in asked if not _ASKS.search(valid(part)) or _POLITE.search(valid(part))]


def forbids(sentence: str, deed: Says) -> bool:
    """Whether a sentence that names a deed forbids or denies it; what its other clauses deny does not matter."""
    clauses = [clause for clause in sentence.split(", ") if deed(clause)] or [sentence]
    return all(_NEGATED.search(valid(clause)) is not None for clause in clauses)


def names(text: str, objects: Sequence[str]) -> bool:
    """Whether a text names one of some objects: a path by its last part, anything else as a whole."""
    low = text.lower()
    return any(part in low for each in objects if len(part := (paths.name(each) or each).strip("'\"").lower()) >= 2)


def assented(session: Session, before: int, about: Says) -> int | None:
    """The turn in which a person agreed to what the agent had asked or proposed: a yes to its last text, or an answer to its ask tool."""
    for call in files.reversed_calls(session, session.context_start(before), before):
        answered = call.tool_class == "ask" and call.result is not None and call.result.status == "ok" and call.result.turn < before
        if answered and about(call.arguments_json) and not declined(call.result.text[:300] if call.result else ""):
            return call.result.turn if call.result else None
    latest = next(requests.said(session, 0, before), None)
    if latest is None or not is_yes(latest.text):
        return None
    asked = next((turn for turn in reversed(session.turns[: latest.index]) if turn.role == "assistant" and turn.text), None)
    return latest.index if asked is not None and about(asked.text) else None


def declined(answer: str) -> bool:
    """Whether an answer to a question of the agent's holds a no."""
    return _NEGATED.search(valid(answer)) is not None or re.search(r"(?i)\b(?:no|cancel|keep)\b", answer) is not None


def is_yes(text: str) -> bool:
    """Whether a message begins by agreeing to what was just proposed."""
    return _YES.match(text[:200]) is not None


def instructions(session: Session, before: int) -> Iterator[tuple[int, str]]:
    """Written instructions in the model's context: the system prompt (as turn -1) and what the harness put in, summaries left out."""
    if session.system:
        yield -1, session.system
    for turn in session.turns[session.context_start(before) : before]:
        if turn.role == "user" and turn.author == "harness" and turn.mark == "":
            yield turn.index, requests.words(turn)


def instructed(session: Session, before: int, deed: Says) -> bool:
    """Whether written instructions prescribe a deed: a line that names it and does not forbid it."""
    return any(
        deed(line) and not forbids(line, deed) for _, text in instructions(session, before) if deed(text) for line in text.split("\n")
    )


def prohibited(session: Session, before: int, deed: Says) -> bool:
    """Whether the user or written instructions forbid a deed in so many words."""
    spoken = any(deed(sentence) and forbids(sentence, deed) for turn in requests.said(session, 0, before) for sentence in sentences(turn))
    return spoken or any(
        deed(line) and forbids(line, deed) for _, text in instructions(session, before) if deed(text) for line in text.split("\n")
    )
