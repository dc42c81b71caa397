"""What can be wrong with a rubric that a model wrote, told before any money is spent on it. By words alone; meaning is the reviewer's."""

from __future__ import annotations

import re
from itertools import combinations

from tracedance.catalogue import LEVELS
from tracedance.kit.texts import words
from tracedance.schema import FamilyCard, Rubric

LONGEST, SHORTEST = 600, 12
"""Characters of a level."""
ALIKE = 0.85
"""Share of words from which on two levels count as one."""
WORD = re.compile(r"[^\W\d_]{3,}")
STOP = words(
    """
    the and that for with without not nor but its this their there then than from into onto what which who whom when where while has have
    had does did done was were been being are will would may might must shall should can could any all each one two first next turn agent
    model assistant user something nothing anything other another same such very only also before after say says
    """
)
ABSENT = re.compile(
    r"(?i)\b(?:no|not|nor|none|never|nothing|neither|without|lacks?|lacking|missing|absent|omits?|skips?|leaves|fails to|unclear|instead|"
    r"silent|avoids?|only|merely|\w+n['’]t)\b"
)
LATER = re.compile(
    r"(?i)\b(?:eventually|in the end|in later turns?|in a later turn|in subsequent|subsequently|over the (?:whole )?session|"
    r"by the end of (?:the|its) (?:session|task|run|conversation)|in the following turns?|a few turns later|turns later|"
    r"(?:task|user|goal) (?:is|was|gets?) (?:finally )?(?:solved|satisfied|happy|reached|completed)|"
    r"(?:next|following|several|multiple|later) turns?\b(?! (?:does|do|is|leave|look|stop|ask|read|run|say|name|check|keep)))"
)
"""Words by which a level needs more than the one turn that is graded."""


def lint(rubric: Rubric, card: FamilyCard | None) -> list[str]:
    """Everything wrong with a rubric; [] when it may be used. `card` gives the words of the behaviour."""
    if list(rubric.levels) != list(LEVELS):
        return [f"it has the levels {list(rubric.levels)}; write 0 to 5, in that order"]
    problems = [] if rubric.question.rstrip().endswith("?") else ["its question is none; ask, of the next turn, whether it does right"]
    levels = {level: " ".join(text.split()) for level, text in rubric.levels.items()}
    for level, text in levels.items():
        if not SHORTEST <= len(text) <= LONGEST:
            problems.append(f"level {level} has {len(text)} characters; describe a turn in {SHORTEST} to {LONGEST}")
        if found := LATER.search(text):
            problems.append(f"level {level} cannot be decided from one turn ({found[0]!r}); say what the graded turn itself does or says")
    for low, high in combinations(LEVELS, 2):
        if _alike(levels[low], levels[high]):
            problems.append(f"levels {low} and {high} say the same; each must be told from the others by what the turn does")
    if not ABSENT.search(levels[3]):
        problems.append(
            "level 3 must be the turn without a violation in which the required step is absent; it names nothing that is absent"
        )
    return problems + (_ends(levels, card) if card is not None else [])


def _ends(levels: dict[int, str], card: FamilyCard) -> list[str]:
    """0 must be the behaviour, 5 must not."""
    behaviour = _words(f"{card.title} {card.definition}")
    shared = {level: len(_words(levels[level]) & behaviour) for level in LEVELS}
    if not any(shared[level] for level in (0, 1)):
        return ["level 0 shares no word with the card's definition; it must be the behaviour itself"]
    if _alike(levels[5], card.definition) or _alike(levels[5], levels[0]):
        return ["level 5 says what the behaviour is; it must be the appropriate response"]
    return []


def _alike(one: str, other: str) -> bool:
    first, second = set(one.lower().split()), set(other.lower().split())
    return len(first & second) >= ALIKE * max(len(first | second), 1)


def _words(text: str) -> set[str]:
    """Words that carry meaning, cut to their first five letters: plans, planned, planning."""
    return {word[:5] for word in WORD.findall(text.lower()) if word not in STOP}
