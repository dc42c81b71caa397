"""The provider's books: what it would bill, by request, whatever became of the answer; and faults drawn by chance."""

from __future__ import annotations

import hashlib
import json
import random
import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any

KINDS = ("429", "500", "503", "stall", "reset", "torn", "garbage", "slow")
"""Told to come back at once; broken; busy; silent and then gone; gone after the work; gone in the middle of the answer; no JSON; late."""
BILLED = ("stall", "reset", "torn", "garbage", "slow")


def digest(model: str, messages: Any, tools: Any) -> str:
    """Which request it is: by what is asked of whom."""
    content = json.dumps([model, messages, tools or []], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


class Books:
    """Every call that a provider would bill: one that it answers, or worked for. Refusals are free."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: Counter[str] = Counter()
        self._tokens: Counter[tuple[str, str]] = Counter()
        self._keys: set[str] = set()

    def bill(self, body: Mapping[str, Any], usage: Mapping[str, int], idempotency_key: str = "") -> None:
        """Enters one call; none whose key was entered before."""
        with self._lock:
            if idempotency_key in self._keys:
                return
            self._keys |= {idempotency_key} - {""}
            self._calls[digest(body["model"], body["messages"], body.get("tools"))] += 1
            self._tokens[body["model"], "input"] += usage["prompt_tokens"]
            self._tokens[body["model"], "output"] += usage["completion_tokens"]

    def shown(self) -> dict[str, Any]:
        """`calls` by request, `tokens` by model and kind."""
        with self._lock:
            tokens: dict[str, dict[str, int]] = {}
            for (model, kind), count in sorted(self._tokens.items()):
                tokens.setdefault(model, {})[kind] = count
            return {"calls": dict(sorted(self._calls.items())), "tokens": tokens}

    def dollars(self, prices: Mapping[str, tuple[float, float]]) -> float:
        """The bill, at prices for a million tokens of input and output."""
        with self._lock:
            return sum(count * prices[model][kind == "output"] / 1e6 for (model, kind), count in self._tokens.items())


class Faults:
    """Draws what goes wrong."""

    def __init__(self, share: float = 0.0, seed: int = 0, kinds: tuple[str, ...] = KINDS) -> None:
        self.share, self.kinds = share, kinds
        self.drawn: Counter[str] = Counter()
        self._random = random.Random(seed)
        self._lock = threading.Lock()

    def draw(self) -> str:
        """A kind of fault, "" for none."""
        with self._lock:
            kind = self._random.choice(self.kinds) if self._random.random() < self.share else ""
            self.drawn[kind] += bool(kind)
            return kind
