"""What a family's check saw in a turn: the part of it that decides, and the facts that the check looked up.

A check only says a word. The part is found by giving it each call, then each sentence, of the turn alone: the first that gets the same word
on its own is what decided. That costs a check no new duty, so a user's own family explains itself too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, ItemsView, Mapping, Sequence
from typing import Any

from tracedance.kit.claims import sentences
from tracedance.kit.turns import turn_of
from tracedance.schema import Response, Turn

Check = Callable[[Sequence[Turn], Turn, Mapping[str, Any]], str]

PARTS = 40
"""Calls, and sentences, that are tried alone."""
SHOWN = 160
"""Characters of a call, a sentence or a fact that are shown."""
LISTED = 3


class Facts(dict[str, Any]):
    """The facts of a hit, which note the names that a check looks up."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        super().__init__(facts)
        self.plain = dict(facts)
        self.used: dict[str, None] = {}

    def __getitem__(self, name: str) -> Any:
        self.used[name] = None
        return self.plain[name]

    def get(self, name: str, default: Any = None) -> Any:
        """As of a dict."""
        self.used[name] = None
        return self.plain.get(name, default)

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override]
        """As of a dict."""
        self.used.update(dict.fromkeys(self.plain))
        return self.plain.items()


def explain(check: Check, context: Sequence[Turn], response: Response, facts: Facts, word: str) -> str:
    """What in the turn made the check say `word`, and the `facts` it looked up when it did."""
    part = deciding(check, context, response, facts.plain, word) if word != "undecided" else ""
    known = [f"{name} {shown(facts.plain[name])}" for name in facts.used if facts.plain.get(name)]
    checked = f" The check compared it with {', '.join(known)}." if known else ""
    return (f"It saw {part}." if part else f"The turn holds {whole(response)}.") + checked


def deciding(check: Check, context: Sequence[Turn], response: Response, facts: Mapping[str, Any], word: str) -> str:
    """The first call, else the first sentence, that gets the same word alone; "" where only the turn as a whole does."""
    index = context[-1].index + 1 if context else 0
    alone = [response.model_copy(update={"text": "", "tool_calls": (call,)}) for call in response.tool_calls[:PARTS]]
    spoken = sentences(response.text)[:PARTS]
    said = [response.model_copy(update={"text": sentence, "tool_calls": ()}) for sentence in spoken]
    for part in (*alone, *said):
        try:
            if check(context, turn_of(part, index), dict(facts)) == word:
                return whole(part)
        except Exception:
            # The check has decided on the whole; that it fails on a part says nothing about it.
            continue
    return ""


def whole(response: Response) -> str:
    """The calls of a turn, else what it says, in short."""
    calls = [f"{call.name} {shown(call.cmd or call.arguments_json)}" for call in turn_of(response, 0).calls]
    if not calls:
        return f"the sentence {shown(response.text)}" if response.text.strip() else "nothing"
    more = f" and {len(calls) - LISTED} more calls" if len(calls) > LISTED else ""
    return ("the call " if len(calls) == 1 else "the calls ") + ", ".join(calls[:LISTED]) + more


def shown(value: Any) -> str:
    """A value on one line, quoted, and cut where it is long; of a list the first few."""
    if isinstance(value, (list, tuple)):
        more = f" and {len(value) - LISTED} more" if len(value) > LISTED else ""
        return ", ".join(map(shown, value[:LISTED])) + more
    text = " ".join((value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)).split())
    return f"\u201c{text}\u201d" if len(text) <= SHOWN else f"\u201c{text[: SHOWN - 1]}\u2026\u201d"
