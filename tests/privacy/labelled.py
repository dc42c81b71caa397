"""A small labelled set of ours: lines as they stand in sessions, what in each is sensitive, and lines that only look so.

`python -m tests.privacy.labelled` prints precision and recall by kind. Tokens are drawn by lot with a fixed seed, so that no scanner of
this repository takes one for a finding; `{}` stands where a value is put, and what it is made of stands beside the line.
"""

import argparse
import json
import random
import string
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tracedance.privacy.looking import sensitive

DATA = Path(__file__).with_name("labelled.jsonl")
ALPHABETS = {
    "a": string.ascii_letters + string.digits,
    "u": string.ascii_uppercase + string.digits,
    "h": "0123456789abcdef",
    "l": string.ascii_lowercase,
    "d": string.digits,
    "b": string.ascii_letters + string.digits + "+/",
}


@dataclass
class Rates:
    """What was found of what is sensitive, and of what is not."""

    true: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    lines: list[str] = field(default_factory=list)
    """Each missed value and wrong place, with its line."""

    @property
    def recall(self) -> float:
        return sum(self.true.values()) / max(1, sum(self.true.values()) + sum(self.missed.values()))

    @property
    def precision(self) -> float:
        return sum(self.true.values()) / max(1, sum(self.true.values()) + sum(self.wrong.values()))


def cases() -> Iterator[tuple[str, str, str, str]]:
    """(kind, line, value, another value that may be replaced); kind and value are "" for a line that holds nothing sensitive."""
    rng = random.Random(20)
    for row in map(json.loads, DATA.read_text("utf-8").splitlines()):
        value = drawn(row["value"], rng) if row.get("value") else ""
        yield row.get("kind", ""), row["line"].replace("{}", value), value, row.get("also", "")


def drawn(made_of: str, rng: random.Random) -> str:
    """`AK|IA|u16` is the letters AKIA and sixteen of the alphabet `u`; pieces keep scanners from reading a prefix here."""
    pieces = []
    for piece in made_of.split("|"):
        if len(piece) > 1 and piece[0] in ALPHABETS and piece[1:].isdigit():
            pieces.append("".join(rng.choice(ALPHABETS[piece[0]]) for _ in range(int(piece[1:]))))
        else:
            pieces.append(piece.removeprefix("="))
    return "".join(pieces)


def measure() -> Rates:
    rates = Rates()
    for kind, line, value, also in cases():
        found = sensitive(line)
        start = line.find(value) if value else -1
        covering = [item for item in found if start >= 0 and item.start < start + len(value) and item.end > start]
        whole = start >= 0 and covering and min(item.start for item in covering) <= start
        if whole and (max(item.end for item in covering) >= start + len(value)):
            rates.true[kind] += 1
        elif value:
            rates.missed[kind] += 1
            rates.lines.append(f"missed {kind}: {line[:120]!r}")
        for item in found:
            if item not in covering and line[item.start : item.end] != also:
                rates.wrong[item.rule] += 1
                rates.lines.append(f"wrong  {item.rule}: {line[item.start : item.end][:60]!r} in {line[:100]!r}")
    return rates


def main() -> None:
    argparse.ArgumentParser(description="Precision and recall of the redaction on the labelled set.").parse_args()
    rates = measure()
    print(f"{'kind':20} {'values':>6} {'found':>6}")
    for kind in sorted(rates.true | rates.missed):
        print(f"{kind:20} {rates.true[kind] + rates.missed[kind]:>6} {rates.true[kind]:>6}")
    clean = sum(1 for kind, *_ in cases() if not kind)
    print(f"lines that hold nothing sensitive: {clean}; places wrongly replaced in all lines: {sum(rates.wrong.values())}")
    print(f"recall {rates.recall:.1%}, precision {rates.precision:.1%}")
    print("\n".join(rates.lines))


if __name__ == "__main__":
    main()
