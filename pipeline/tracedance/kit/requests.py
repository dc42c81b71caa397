"""What the people in a session asked for. Only user-authored turns count; a harness's or a file's words are no authority."""

from collections.abc import Iterator
from functools import lru_cache

from tracedance.kit import linear as re2
from tracedance.kit.texts import valid
from tracedance.schema import Session, Turn

_READ = 20_000
_BARE = re2.compile(
    r"(?i)^\W*(?:(?:please\s+)?(?:continue|go on|go ahead|proceed|keep going|carry on|resume|next|try again|retry|ok(?:ay)?|yes|y|sure"
    r"|do it"
    r"|weiter|mach weiter|continua|continuez?|sigue|继续)[\s,.!]*){1,3}(?:please)?\W*$"
)


def said(session: Session, start: int, before: int) -> Iterator[Turn]:
    """Turns that people wrote in `start` up to but not including `before`, latest first."""
    for turn in reversed(session.turns[start:before]):
        if turn.role == "user" and turn.author == "user" and turn.mark == "":
            yield turn


def words(turn: Turn) -> str:
    """The part of a turn's text that is read for requests: both ends of a very long one."""
    return turn.text if len(turn.text) <= _READ else f"{turn.text[: _READ // 2]}\n{turn.text[-_READ // 2 :]}"


def is_bare_go_on(text: str) -> bool:
    """Whether a message says no more than to go on: such a message leaves a decision open."""
    return len(text) <= 80 and _is_bare(text)


@lru_cache(maxsize=10_000)
def _is_bare(text: str) -> bool:
    return _BARE.search(valid(text)) is not None


def intervened(session: Session, after: int, before: int) -> bool:
    """Whether a person said something of substance, or broke in, between two turns."""
    between = session.turns[after + 1 : before]
    return any(turn.mark == "interrupt" or (turn.author == "user" and not is_bare_go_on(turn.text)) for turn in between)
