"""Guards and checks asked in the sandbox about what is given to them.

A worker runs anchors alone. So what a guard or a check is given travels in the session's field `parent`, which nothing else is asked of,
and a few lines behind the source take it out there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol

from tracedance.schema import Hit, Session, Turn

CHECKS, HITS = "tracedance_asks_a_check", "tracedance_asks_a_guard"
_IMPORTS = """

import json as tracedance_json
from tracedance.kit.needs import matching as tracedance_matching
from tracedance.schema import Hit as TracedanceHit

"""
CHECK = f"""{_IMPORTS}
NEEDS = tracedance_matching("x", on="cmd")


class TracedanceFacts(dict):
    def __init__(self, given):
        super().__init__(given)
        self.used = []

    def __getitem__(self, name):
        self.used.append(name)
        return super().__getitem__(name)

    def get(self, name, default=None):
        self.used.append(name)
        return super().get(name, default)

    def items(self):
        self.used.extend(self)
        return super().items()


def {CHECKS}(session, params):
    facts = TracedanceFacts(tracedance_json.loads(session.parent))
    word = check(session.turns[:-1], session.turns[-1], facts)
    if not isinstance(word, str):
        word = repr(word)
    yield TracedanceHit(decision=len(session.turns) - 1, offends=False, why=word[:200], facts={{"used": list(dict.fromkeys(facts.used))}})
"""
HIT = f"""{_IMPORTS}

def {HITS}(session, params):
    given = tracedance_json.loads(session.parent)
    yield TracedanceHit(
        decision=given["decision"], evidence=tuple(given["evidence"]), offends=True, why=given["why"], facts=given["facts"]
    )
"""


def check(ask: Callable[[Session, Mapping[str, Any]], Iterator[Hit]]) -> Callable[..., str]:
    """A check that puts its question through `ask`, a confined anchor of `CHECK`. It raises where that gave no answer."""

    def said(context: Sequence[Turn], response: Turn, facts: Mapping[str, Any]) -> str:
        shown = Session(id="a turn", format="", turns=[*context, response], parent=json.dumps(dict(facts), default=str))
        (hit,) = ask(shown, {})
        for name in hit.facts["used"]:
            facts.get(name)  # whoever noted what is looked up goes on to do so
        return hit.why

    return said


class Asked(Protocol):
    """A confined anchor with guards."""

    def anchor(self, session: Session, params: Mapping[str, Any]) -> Iterator[Hit]: ...
    def guard(self, name: str) -> Callable[[Session, Hit], bool]: ...


class Guards:
    """Guards of hits that were found earlier, or elsewhere: a process of their own, started when the first is asked."""

    def __init__(self, start: Callable[[str, str], Asked]) -> None:
        self._start = start

    @cached_property
    def _asked(self) -> Asked:
        return self._start(HIT, HITS)

    def guard(self, name: str) -> Callable[[Session, Hit], bool]:
        """The guard of that name; it raises where the process gave no answer."""

        def holds(session: Session, hit: Hit) -> bool:
            told = {"decision": hit.decision, "evidence": list(hit.evidence), "why": hit.why, "facts": dict(hit.facts)}
            shown = replace(session, parent=json.dumps(told, default=str))
            (again,) = self._asked.anchor(shown, {})
            return self._asked.guard(name)(shown, again)

        return holds
