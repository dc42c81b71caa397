"""The rules of a spec that speak of one run: its output, its contract, its budgets."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tracedance.gate.ordered import Filter, Item, Outcome, before, eventually, never, pick
from tracedance.gate.workbench.reading import UNKNOWN, JudgedRun
from tracedance.schema import Invariants, Verdict

OUTPUT, CONTRACT, OPERATIONAL = "output_eval", "behavior_contract", "operational_quality"
LONGEST_NAME = 80
_Count = Callable[[JudgedRun], int]


@dataclass(frozen=True, slots=True)
class Told:
    """What a rule says of one run, with words for all but PASS."""

    verdict: Verdict
    words: str = ""


KEPT = Told("PASS")
NO_STEPS = Told("INCONCLUSIVE", "the trace has no 'spans', so it does not say what was done")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a spec."""

    category: str
    name: str
    judge: Callable[[JudgedRun], Told]


def rules(spec: Invariants) -> list[Rule]:
    """Every rule, in the order of the categories and of the spec; what is asked of steps stays open where a trace tells of none."""
    about_steps = [*_contract(spec), *_budgets(spec)]
    return [*_output(spec), *(Rule(rule.category, rule.name, partial(_if_told, rule.judge)) for rule in about_steps), ENDED]


def retries(run: JudgedRun, rule: str) -> int:
    """How many steps repeat a call: one of the same name and input that failed before, or (`failed_or_consecutive`) the step just before.

    The seed defines no retry. Without a recorded input two calls are not known to be the same, nor without an end that one failed: such
    steps are not counted here, and `most_retries` counts them.
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


def most_retries(run: JudgedRun, rule: str) -> int:
    """`retries` if every input that was not recorded was that of the failed call before, and every end that was not was a failure."""
    failed: dict[str, set[str | None]] = {}
    found, last = 0, None
    for step, content in zip(run.steps, run.inputs, strict=True):
        before = failed.get(step.name, ())
        repeats = bool(before) if content is None else content in before or None in before
        found += repeats or (rule == "failed_or_consecutive" and step.name == last)
        if step.status in ("error", UNKNOWN):
            failed.setdefault(step.name, set()).add(content)
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


def _if_told(judge: Callable[[JudgedRun], Told], run: JudgedRun) -> Told:
    return judge(run) if run.told_steps else NO_STEPS


def _ended(run: JudgedRun) -> Told:
    """How the run ended as a whole. No field of a spec asks for it, so that it never fails; nor does a bad end pass without a word."""
    return Told("WARN", f"the run ended {run.final_status}") if run.final_status in ("error", "cancelled") else KEPT


def shown_name(name: str) -> str:
    """A foreign name, at most so long."""
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}..."


def named(pattern: str) -> Callable[[str], bool]:
    """Whether a name is meant: equal, or matched where the pattern holds `*` or `?`."""
    if "*" not in pattern and "?" not in pattern:
        return pattern.__eq__
    first, *rest = pattern.split("*")
    if not rest:
        return lambda name: len(name) == len(first) and _fits(first, name, 0)
    return partial(_matches, first, rest[:-1], rest[-1])


def _matches(first: str, middle: Sequence[str], last: str, name: str) -> bool:
    """Whether the parts between a pattern's `*` stand in a name in this order. Each is taken where it stands first, which never takes a
    place from a later one: no way back is tried, whatever the name.
    """
    place, end = len(first), len(name) - len(last)
    if end < place or not _fits(first, name, 0) or not _fits(last, name, end):
        return False
    for part in middle:
        place = _first(part, name, place, end) + len(part)
        if place < len(part):
            return False
    return True


def _first(part: str, name: str, start: int, end: int) -> int:
    """Where a part stands first within a name; -1 - its length where nowhere."""
    if "?" not in part:
        found = name.find(part, start, end)
        return found if found >= 0 else -1 - len(part)
    return next((place for place in range(start, end - len(part) + 1) if _fits(part, name, place)), -1 - len(part))


def _fits(part: str, name: str, start: int) -> bool:
    """Whether a part without `*` stands at a place."""
    if "?" not in part:
        return name.startswith(part, start)
    return all(one in ("?", other) for one, other in zip(part, name[start : start + len(part)], strict=True))


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
    rule = spec.retry_rule
    counted: tuple[tuple[str, int | None, _Count, _Count], ...] = (
        ("max_path_length", spec.max_path_length, lambda run: len(run.steps), lambda run: len(run.steps)),
        ("max_errors", spec.max_errors, lambda run: run.errors, lambda run: run.errors + run.open_ends),
        ("max_retries", spec.max_retries, lambda run: retries(run, rule), lambda run: most_retries(run, rule)),
    )
    for name, most, sure, possible in counted:
        if most is not None:
            yield Rule(OPERATIONAL, name, partial(_budget, most, sure, possible))


def _budget(most: int, sure: _Count, possible: _Count, run: JudgedRun) -> Told:
    """A count against its limit: kept only where it is whatever was not recorded, broken only where it is all the same."""
    found = sure(run)
    if found > most:
        return Told("FAIL", f"{found} over {most}")
    if (highest := possible(run)) > most:
        return Told("INCONCLUSIVE", f"up to {highest} over {most}, as ends or inputs of steps were not recorded")
    return KEPT


ENDED = Rule(OPERATIONAL, "final_status", _ended)
