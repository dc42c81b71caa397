"""The rules of a spec that speak of one run: its output, its contract, its budgets."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tracedance.gate.ordered import Filter, Item, Outcome, before, eventually, never, pick
from tracedance.gate.workbench.reading import JudgedRun
from tracedance.schema import Invariants, Verdict

OUTPUT, CONTRACT, OPERATIONAL = "output_eval", "behavior_contract", "operational_quality"
LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Told:
    """What a rule says of one run, with words for all but PASS."""

    verdict: Verdict
    words: str = ""


KEPT = Told("PASS")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a spec."""

    category: str
    name: str
    judge: Callable[[JudgedRun], Told]


def rules(spec: Invariants) -> list[Rule]:
    """Every rule, in the order of the categories and of the spec."""
    return [*_output(spec), *_contract(spec), *_budgets(spec)]


def retries(run: JudgedRun, rule: str) -> int:
    """How many steps repeat a call: one of the same name and input that failed before, or (`failed_or_consecutive`) the step just before.

    The seed defines no retry. Without a recorded input two calls are not known to be the same, so the first part does not apply to them.
    """
    failed: set[tuple[str, str]] = set()
    found, last = 0, None
    for step, content in zip(run.steps, run.inputs, strict=True):
        repeats = content is not None and (step.name, content) in failed
        found += repeats or (rule == "failed_or_consecutive" and step.name == last)
        if step.status == "error" and content is not None:
            failed.add((step.name, content))
        last = step.name
    return found


def same_json(one: Any, other: Any) -> bool:
    """Equality of JSON values: 1 equals 1.0, and neither equals true or "1"."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return type(one) is type(other) and one == other if not _number(one) else _number(other) and one == other


def shown_name(name: str) -> str:
    """A foreign name, at most so long."""
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}..."


def named(pattern: str) -> Callable[[str], bool]:
    """Whether a name is meant: equal, or matched where the pattern holds `*` or `?`."""
    if "*" not in pattern and "?" not in pattern:
        return pattern.__eq__
    parts = {"*": ".*", "?": "."}
    meant = re.compile("".join(parts.get(char) or re.escape(char) for char in pattern), re.DOTALL)
    return lambda name: meant.fullmatch(name) is not None


def _number(value: Any) -> bool:
    return isinstance(value, int | float)


def _output(spec: Invariants) -> Iterator[Rule]:
    for key, wanted in spec.expected_output.items():

        def judge(run: JudgedRun, key: str = key, wanted: Any = wanted) -> Told:
            if run.output is None:
                return Told("FAIL", "no canonical output")
            if key not in run.output:
                return Told("FAIL", "the field is missing")
            return KEPT if same_json(run.output[key], wanted) else Told("FAIL", "another value")

        yield Rule(OUTPUT, f"expected_output.{key}", judge)


def _contract(spec: Invariants) -> Iterator[Rule]:
    for name in spec.required_tools:
        yield Rule(CONTRACT, f"required_tools: {name}", _required(name, spec.required_status))
    for name in spec.forbidden_tools:
        yield Rule(CONTRACT, f"forbidden_tools: {name}", _forbidden(name))
    for order in spec.required_order:
        yield Rule(CONTRACT, f"required_order: {order.before} before {order.after}", _ordered(order.before, order.after))


def _required(name: str, status: str) -> Callable[[JudgedRun], Told]:
    meant = named(name)

    def counts(item: Item) -> bool:
        return (status == "any" or item.status == "success") and meant(item.name)

    def judge(run: JudgedRun) -> Told:
        if eventually(pick(run.steps, counts)).outcome is Outcome.PASS:
            return KEPT
        ends = sorted({item.status for item in run.steps if meant(item.name)})
        return Told("FAIL", f"called without success ({', '.join(ends)})" if ends else "never called")

    return judge


def _forbidden(name: str) -> Callable[[JudgedRun], Told]:
    meant = named(name)

    def judge(run: JudgedRun) -> Told:
        found = never(pick(run.steps, lambda item: meant(item.name)))
        return KEPT if found.outcome is Outcome.PASS else Told("FAIL", f"called {_at(found.items)}")

    return judge


def _ordered(first: str, then: str) -> Callable[[JudgedRun], Told]:
    """Of `first` only success counts. A `then` whose end is unknown may have succeeded: without a `first` before it that stays open."""
    leads, follows = named(first), named(then)
    known = {"success": True, "unknown": None}

    def prior(item: Item) -> bool:
        return item.status == "success" and leads(item.name)

    def consequence(item: Item) -> bool | None:
        return known.get(item.status, False) if follows(item.name) else False

    filters: tuple[Filter, Filter] = prior, consequence

    def judge(run: JudgedRun) -> Told:
        firsts, thens = (pick(run.steps, chosen) for chosen in filters)
        found = before(firsts, thens)
        # Where `then` never happened there is nothing to come before.
        if found.outcome in (Outcome.PASS, Outcome.NOT_APPLICABLE):
            return KEPT
        what = f"no successful {shown_name(first)} before {shown_name(then)} {_at(found.items)}"
        if found.outcome is Outcome.UNKNOWN:
            return Told("INCONCLUSIVE", f"{what}, of which no result was recorded")
        return Told("FAIL", what)

    return judge


def _at(items: tuple[Item, ...]) -> str:
    places = ", ".join(str(item.place) for item in items[:3])
    return f"at ordinal {places}" + (f" and {len(items) - 3} more" if len(items) > 3 else "")


def _budgets(spec: Invariants) -> Iterator[Rule]:
    counted: tuple[tuple[str, int | None, Callable[[JudgedRun], int]], ...] = (
        ("max_path_length", spec.max_path_length, lambda run: len(run.steps)),
        ("max_errors", spec.max_errors, lambda run: run.errors),
        ("max_retries", spec.max_retries, lambda run: retries(run, spec.retry_rule)),
    )
    for name, most, count in counted:
        if most is not None:

            def judge(run: JudgedRun, most: int = most, count: Callable[[JudgedRun], int] = count) -> Told:
                found = count(run)
                return KEPT if found <= most else Told("FAIL", f"{found} over {most}")

            yield Rule(OPERATIONAL, name, judge)
