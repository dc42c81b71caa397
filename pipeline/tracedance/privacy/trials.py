"""What is tried at a word of the rules, and the cheap looks that spare most words the trial of every rule."""

from dataclasses import dataclass
from typing import Any

import re2

from tracedance.privacy.rules import RULES, Rule

REACH = 1024
"""Bytes from its word on that a rule looks at."""
REACHES = {"private-key": 32_768, "cookie": 2048}
WINDOW = 1200
"""Bytes from its word on in which lines are joined."""
_OFTEN, _FEW = 64, 2
"""How often a word is met before its rules are looked at together, and how many rules are tried one by one all the same."""

Pairs = tuple[tuple[Rule, int], ...]
"""Rules, each with where in the word its own word begins."""


@dataclass
class Trial:
    """The rules of one word, in the order in which they are tried."""

    pairs: Pairs
    needs: tuple[bytes, ...]
    """Where not one of them follows within `WINDOW` no rule matches; empty: not known."""
    others: Pairs
    """What is tried though the screen shows nothing: rules that begin within the word, look further or know cut tokens."""
    _met: int = 0
    _screen: Any = None

    def at(self, data: bytes, start: int, reach: int) -> Pairs:
        """The rules that may match at `start`: all, or, where one look at them together shows nothing, the others."""
        if self.others is self.pairs:
            return self.pairs
        if self._screen is None:
            if self._met < _OFTEN:
                self._met += 1
                return self.pairs
            self._screen = _together([rule for rule, _ in self.pairs if (rule, 0) not in self.others])
        shown = self._screen.match(data, start, min(len(data), start + reach))
        return self.pairs if shown else self.others

    def hopeless(self, data: bytes, start: int) -> bool:
        """Whether no rule can match at `start`, lines joined or not."""
        return not self.pairs or (bool(self.needs) and all(data.find(need, start, start + WINDOW) < 0 for need in self.needs))


def _together(rules: list[Rule]) -> Any:
    """One pattern that matches where any of the rules' does, with nothing captured. Compiled late: most words are seldom met."""
    options = re2.Options()
    options.log_errors, options.never_capture = False, True
    options.max_mem = 32 << 20
    return re2.compile(b"|".join(b"(?:" + rule.written.replace(b"(?P<v>", b"(").replace(b"(?P<w>", b"(") + b")" for rule in rules), options)


_BY_FIRST: dict[str, list[tuple[str, int]]] = {}
for _number, _rule in enumerate(RULES):
    for _word in _rule.words:
        _BY_FIRST.setdefault(_word[0].lower(), []).append((_word.lower(), _number))


def _tried_at(hit: str) -> Pairs:
    """The rules to try where the trigger found `hit`, each with where in it its word begins: words may lie in one another and overlap."""
    tried = set()
    for place in range(len(hit)):
        rest = hit[place:]
        for word, number in _BY_FIRST.get(rest[0], ()):
            if rest.startswith(word) or (len(rest) > 2 and word.startswith(rest)):
                tried.add((number, place))
    return tuple((RULES[number], place) for number, place in sorted(tried))


def _others(pairs: Pairs) -> Pairs:
    screened = [(rule, place) for rule, place in pairs if not place and not rule.cut and rule.name not in REACHES]
    return tuple(pair for pair in pairs if pair not in screened) if len(screened) > _FEW else pairs


TRIALS: dict[bytes, Trial] = {}
"""By word."""


def trial(hit: bytes) -> Trial:
    """What is tried where the trigger found the word `hit`."""
    found = TRIALS.get(hit)
    if found is None:
        text = hit.decode("utf-8", "replace")
        pairs = tuple(pair for pair in _tried_at(text.lower()) if text.isupper() or not pair[0].upper)
        known = all(rule.needs for rule, _ in pairs)
        needs = tuple(dict.fromkeys(need.encode() for rule, _ in pairs for need in rule.needs)) if known else ()
        found = TRIALS[hit] = Trial(pairs, needs, _others(pairs))
    return found
