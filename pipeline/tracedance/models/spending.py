"""What a run has spent, by stage, role and model; calls of unknown outcome; and what was estimated, kept beside what it came to.

`usd` is what the providers' own figures come to. `usd_most` counts calls whose outcome or usage is not known for sure at the most that they
can have cost: that is what a budget goes by.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tracedance.errors import InputError
from tracedance.models.budget import BudgetReached
from tracedance.models.config import Models
from tracedance.models.desk import unpriced
from tracedance.models.ledger import Ledger
from tracedance.models.prices import DOLLAR, Price, cost, dollars, most, told
from tracedance.regular import read_regular
from tracedance.schema import Usage
from tracedance.store.durable import write_durably

FILE = "spend.json"
ROLES = {
    "confirm": "fast",
    "domain": "fast",
    "summary": "fast",
    "interpret": "strong",
    "match": "strong",
    "probe": "fast",
    "synthesise": "strong",
    "review": "reviewer",
    "respond": "evaluated",
    "judge": "judge",
}
"""Who does what a stage needs; a stage that is not here is its own role."""
STATES = ("answered", "failed", "unknown")
FIGURES = f"""
    count(*), {", ".join(f"sum(state = '{state}')" for state in STATES)}, sum(input), sum(cached), sum(output), sum(reasoning),
    sum(cost), sum(coalesce(cost, reserved)), sum(cost IS NULL AND reserved IS NULL), sum(doubted)
"""
NAMES = ("attempts", *STATES, "input", "cached", "output", "reasoning", "usd", "usd_most", "unpriced", "doubted")


def spent(ledger: Ledger, run: str = "") -> dict[str, Any]:
    """The account of a run: `total`, and `by` stage, role and model. Amounts in US dollars, null where no price is known."""
    rows = ledger.ask(f"SELECT purpose, name, {FIGURES} FROM attempt WHERE run = ? GROUP BY purpose, name ORDER BY purpose, name", run)
    total = ledger.ask(f"SELECT {FIGURES} FROM attempt WHERE run = ?", run)[0]
    by = [{"stage": row[0], "role": ROLES.get(row[0], row[0]), "model": row[1], **figures(row[2:])} for row in rows]
    return {"total": figures(total), "by": by}


def figures(row: Sequence[Any]) -> dict[str, Any]:
    """One line of an account."""
    found = {name: value or 0 for name, value in zip(NAMES, row, strict=True)}
    whole = found["unpriced"] < found["attempts"] or not found["attempts"]
    return {**found, "usd": dollars(found["usd"]) if whole else None, "usd_most": dollars(found["usd_most"]) if whole else None}


@dataclass(frozen=True)
class Unknown:
    """Calls that were under way when a process died."""

    calls: int
    most: int | None
    """The most that they can have cost, in picodollars; None where a price is unknown."""

    def __str__(self) -> str:
        bound = f"at most {told(self.most)}" if self.most is not None else "at a price that is not known"
        return f"{self.calls:,} call{'s' if self.calls != 1 else ''} of an earlier run may have been paid without an answer ({bound})"


def unknown(ledger: Ledger, run: str) -> Unknown:
    """The calls of a run whose outcome is unknown, those left out that have been answered since."""
    still = "state = 'unknown' AND run = ? AND key NOT IN (SELECT key FROM attempt WHERE state = 'answered')"
    ((calls, amount, unpriced_calls),) = ledger.ask(
        f"SELECT count(*), sum(reserved), sum(reserved IS NULL) FROM attempt WHERE {still}", run
    )
    return Unknown(calls, None if unpriced_calls else int(amount or 0))


def opened(ledger: Ledger, models: Models, run: str, names: Sequence[str]) -> Models:
    """The models under the terms of a run that is about to begin, with what is to become of its calls of unknown outcome decided.

    InputError where a budget meets a model without a price, or where there is nobody to ask.
    """
    terms = replace(models.terms, run=run)
    if terms.max_cost is not None and (lacking := [name for name in dict.fromkeys(names) if models.price(name) is None]):
        raise InputError(unpriced(lacking))
    open_calls = unknown(ledger, run)
    if open_calls.calls:
        terms = replace(terms, on_unknown=_choice(open_calls) if terms.on_unknown == "ask" else terms.on_unknown)
        done = "made again" if terms.on_unknown == "retry" else "left out"
        print(f"{open_calls}; they are {done} (--on-unknown {terms.on_unknown}).", file=sys.stderr, flush=True)
    return replace(models, terms=terms)


def _choice(open_calls: Unknown) -> Any:
    if not sys.stdin.isatty():
        raise InputError(f"{open_calls}. Nobody is there to ask: give --on-unknown retry (may pay twice) or skip.")
    print(f"{open_calls}. Make them again? [y/N] ", end="", file=sys.stderr, flush=True)
    return "retry" if sys.stdin.readline().strip().lower() in ("y", "yes") else "skip"


@contextmanager
def accounted(folder: Path, ledger: Ledger, models: Models, estimate: Mapping[str, Any] | None) -> Iterator[None]:
    """Writes the account of a run however it ends.

    Where it ends at its limit, what the whole was estimated at is said too, and what is spent is of all calls: others were cheap enough
    when the first one was refused.
    """
    try:
        yield
    except BudgetReached as reached:
        told_of = write(folder, ledger, models, estimate)
        whole, paid = told_of["estimate"] or {}, told_of["total"]["usd_most"]
        if whole.get("usd") is not None:
            said = f"The whole was estimated at ${whole['usd']:.4f}, and at most ${whole['usd_most']:.4f}."
            print(said, file=sys.stderr, flush=True)
        raise BudgetReached(reached.limit, max(reached.spent, round((paid or 0) * DOLLAR)), reached.needed) from None
    finally:
        write(folder, ledger, models, estimate)


def account(ledger: Ledger, models: Models, estimate: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The account of the run that the models' terms name."""
    found = spent(ledger, models.terms.run)
    return {"schema": "tracedance.spend/v1", "max_cost": dollars(models.terms.max_cost), **found, "estimate": estimate}


def joined(accounts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Several accounts as one: what is done for one command, though it stands in several runs. The estimate is the last one's."""
    rows = [row for one in accounts for row in one["by"]]
    known = sorted({(row["stage"], row["role"], row["model"]) for row in rows})
    by = [
        dict(zip(("stage", "role", "model"), name, strict=True))
        | _summed([row for row in rows if (row["stage"], row["role"], row["model"]) == name])
        for name in known
    ]
    return {**accounts[-1], "total": _summed([one["total"] for one in accounts]), "by": by}


def _summed(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Lines of accounts added up; an amount is null only where none of them has one."""
    asked = [row for row in rows if row["attempts"]] or rows
    found: dict[str, Any] = {}
    for name in NAMES:
        values = [row[name] for row in asked if row[name] is not None]
        found[name] = (round(sum(values), 12) if name.startswith("usd") else sum(values)) if values else None
    return found


def write(folder: Path, ledger: Ledger, models: Models, estimate: Mapping[str, Any] | None) -> dict[str, Any]:
    """Writes the account of a run beside it. The estimate of its first start is kept, later ones know more."""
    path = folder / FILE
    try:
        earlier = json.loads(read_regular(path)).get("estimate")
    except (OSError, ValueError, AttributeError, RecursionError):
        earlier = None
    made = account(ledger, models, earlier or estimate)
    write_durably(path, (json.dumps(made, sort_keys=True, indent=1) + "\n").encode())
    return made


def read(folder: Path) -> dict[str, Any]:
    """The account of a run. InputError where there is none."""
    try:
        return dict(json.loads(read_regular(folder / FILE)))
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise InputError(f"{str(folder / FILE)!r} cannot be read. The same command writes it anew.") from error


@dataclass(frozen=True)
class Expected:
    """What a stage is expected to ask of one model; tokens are of all calls together."""

    stage: str
    model: str
    calls: int
    most_calls: int
    input: int
    output: int
    most: tuple[int, int]
    """The most tokens of one call, in and out."""

    def row(self, price: Price | None) -> dict[str, Any]:
        """The line of an estimate: `usd` as expected, `usd_most` if everything goes as dear as it can."""
        usage = Usage(input=self.input, output=self.output)
        return {
            "stage": self.stage,
            "role": ROLES.get(self.stage, self.stage),
            "model": self.model,
            "calls": self.calls,
            "most_calls": self.most_calls,
            "input": self.input,
            "output": self.output,
            "usd": dollars(cost(price, usage)) if price else None,
            "usd_most": dollars(self.most_calls * most(price, *self.most)) if price else None,
        }


def estimated(expected: Sequence[Expected], models: Models) -> dict[str, Any]:
    """An estimate: its lines and their sums, which are null where a price is unknown."""
    return estimate_of([one.row(models.price(one.model)) for one in expected])


def estimate_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """An estimate of these lines."""
    sums = {key: None if any(row[key] is None for row in rows) else round(sum(row[key] for row in rows), 9) for key in ("usd", "usd_most")}
    lacking = sorted({row["model"] for row in rows if row["usd"] is None})
    return {**sums, "calls": sum(row["calls"] for row in rows), "by": list(rows), "unpriced": lacking}
