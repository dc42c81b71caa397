"""Parameters that a sentence states in words, for the families that have them."""

import re
from collections.abc import Mapping
from typing import Any

from tracedance.schema import FamilyCard

_TIMES = r"\b(?:at least|more than|mindestens|al menos|au moins)?\s*(\d{1,3})(?: or more)? (?:times|mal|veces|fois)\b"
_WORDS: tuple[tuple[str, str, Any], ...] = (
    ("prior_identical_failures", _TIMES, int),
    ("variant", r"\b(stale|outdated)\b", lambda said: "stale"),
    ("job_kinds", r"\b(CI|GitHub Actions|pipelines?)\b.*\bonly\b|\bonly\b.*\b(?:CI|GitHub Actions|pipelines?)\b", lambda said: "ci"),
)


def stated(sentence: str, cards: Mapping[str, FamilyCard]) -> dict[str, Any]:
    """What `sentence` says of the parameters of the families in `cards`."""
    known = {name for card in cards.values() for name in card.parameters}
    found = {name: (re.search(rule, sentence, re.IGNORECASE), value) for name, rule, value in _WORDS if name in known}
    return {name: value(place[1] or "") for name, (place, value) in found.items() if place}
