"""The gate over traces once more, naively, from the seed and its recorded decisions alone: nothing of the product is imported here.

It takes traces and a spec as plain JSON values and says what must come out. Slow and plain on purpose.
"""

from decimal import Decimal, getcontext
from fractions import Fraction as F
from math import comb, log
from typing import Any

getcontext().prec = 60
RANK = ["PASS", "WARN", "INCONCLUSIVE", "FAIL"]


def worse(verdicts: list[str]) -> str | None:
    return max(verdicts, key=RANK.index) if verdicts else None


def trajectory(trace: dict[str, Any]) -> list[dict[str, Any]]:
    return sorted((span for span in trace.get("spans", []) if span["type"] != "llm"), key=lambda span: span["ordinal"])


def status(span: dict[str, Any]) -> str:
    return str(span.get("status", "unknown"))


def means(pattern: str, name: str) -> bool:
    if not pattern:
        return not name
    if pattern[0] == "*":
        return means(pattern[1:], name) or (name != "" and means(pattern, name[1:]))
    return name != "" and pattern[0] in ("?", name[0]) and means(pattern[1:], name[1:])


def equal(one: Any, other: Any) -> bool:
    kinds = [bool if isinstance(value, bool) else float if isinstance(value, int | float) else type(value) for value in (one, other)]
    if kinds[0] is not kinds[1]:
        return False
    if isinstance(one, dict):
        return sorted(one) == sorted(other) and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(equal(a, b) for a, b in zip(one, other, strict=True))
    return bool(one == other)


def behaviour(trace: dict[str, Any], rules: dict[str, Any]) -> list[str]:
    if "spans" not in trace:
        return ["INCONCLUSIVE" for name in ("required_tools", "forbidden_tools", "required_order") for _ in rules.get(name, [])]
    steps = trajectory(trace)
    found = []
    for name in rules.get("required_tools", []):
        any_status = rules.get("required_status", "success") == "any"
        there = [step for step in steps if means(name, step["name"]) and (any_status or status(step) == "success")]
        found.append("PASS" if there else "FAIL")
    for name in rules.get("forbidden_tools", []):
        found.append("FAIL" if [step for step in steps if means(name, step["name"])] else "PASS")
    for order in rules.get("required_order", []):
        told = "PASS"
        for place, step in enumerate(steps):
            if not means(order["after"], step["name"]) or status(step) in ("error", "cancelled"):
                continue
            ready = [one for one in steps[:place] if means(order["before"], one["name"]) and status(one) == "success"]
            if not ready:
                told = worse([told, "FAIL" if status(step) == "success" else "INCONCLUSIVE"]) or told
        found.append(told)
    return found


def output(trace: dict[str, Any], rules: dict[str, Any]) -> list[str]:
    had = trace["run"].get("canonical_output") or {}
    return ["PASS" if key in had and equal(had[key], value) else "FAIL" for key, value in rules.get("expected_output", {}).items()]


def retry_count(trace: dict[str, Any], rule: str) -> int:
    steps, total = trajectory(trace), 0
    for place, step in enumerate(steps):
        again = any(
            one["name"] == step["name"] and one.get("input_hash") and one["input_hash"] == step.get("input_hash") and status(one) == "error"
            for one in steps[:place]
        )
        beside = place > 0 and steps[place - 1]["name"] == step["name"]
        total += again or (beside and rule == "failed_or_consecutive")
    return total


def possible_retries(trace: dict[str, Any], rule: str) -> int:
    steps, total = trajectory(trace), 0
    for place, step in enumerate(steps):
        earlier = [one for one in steps[:place] if one["name"] == step["name"] and status(one) in ("error", "unknown")]
        hashes = [one.get("input_hash") for one in earlier]
        maybe = any(given is None or step.get("input_hash") is None or given == step["input_hash"] for given in hashes)
        total += maybe or (place > 0 and steps[place - 1]["name"] == step["name"] and rule == "failed_or_consecutive")
    return total


def operational(trace: dict[str, Any], rules: dict[str, Any]) -> list[str]:
    rule = rules.get("retry_rule", "failed_or_consecutive")
    ends = [status(span) for span in trace.get("spans", [])]
    had = {
        "max_path_length": (len(trajectory(trace)),) * 2,
        "max_errors": (ends.count("error"), ends.count("error") + ends.count("unknown")),
        "max_retries": (retry_count(trace, rule), possible_retries(trace, rule)),
    }
    found = []
    for name, (least, most) in had.items():
        if rules.get(name) is not None:
            told = "FAIL" if least > rules[name] else "INCONCLUSIVE" if most > rules[name] else "PASS"
            found.append(told if "spans" in trace else "INCONCLUSIVE")
    return found + ["WARN"] * (trace["run"].get("final_status") in ("error", "cancelled"))


def edits(one: list[str], other: list[str]) -> int:
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) + 1):
        for j in range(len(other) + 1):
            if not i or not j:
                table[i][j] = i + j
            else:
                swap = table[i - 1][j - 1] + (one[i - 1] != other[j - 1])
                table[i][j] = min(swap, table[i - 1][j] + 1, table[i][j - 1] + 1)
    return table[-1][-1]


def apart(one: list[str], other: list[str]) -> F:
    return F(edits(one, other), max(len(one), len(other))) if one or other else F(0)


def distances(baseline: list[Any], candidate: list[Any]) -> dict[str, F]:
    base, new = ([[step["name"] for step in trajectory(trace)] for trace in side] for side in (baseline, candidate))
    middle = min(base, key=lambda path: (sum(apart(path, other) for other in base), -base.count(path), path))
    names = {name for path in base + new for name in path}
    square = F(0)
    for name in names:
        square += (F(sum(p.count(name) for p in base), len(base)) - F(sum(p.count(name) for p in new), len(new))) ** 2
    left, right = {name for path in base for name in path}, {name for path in new for name in path}
    return {
        "path_edit_distance": sum(apart(path, middle) for path in new) / F(len(new)),
        "fingerprint_distance": square,
        "tool_jaccard": 1 - F(len(left & right), len(left | right)) if names else F(0),
    }


def written(value: float) -> F:
    return F(Decimal(repr(value)))


def shape(far: dict[str, F], limits: dict[str, Any], told: bool) -> list[str]:
    found = []
    for name, distance in far.items():
        warn, fail = limits.get(f"{name}_warn"), limits.get(f"{name}_fail")
        if warn is None and fail is None:
            continue
        power = 2 if name == "fingerprint_distance" else 1
        over_fail = fail is not None and distance > written(fail) ** power
        over_warn = warn is not None and distance > written(warn) ** power
        found.append("INCONCLUSIVE" if not told else "FAIL" if over_fail else "WARN" if over_warn else "PASS")
    return found


def wilson(successes: int, n: int, z: Decimal) -> tuple[Decimal, Decimal]:
    """As the seed prints it, in sixty digits, and the upper end beside it."""
    phat = Decimal(successes) / n
    denom = 1 + (z * z) / n
    center = phat + (z * z) / (2 * n)
    margin = z * ((phat * (1 - phat) + (z * z) / (4 * n)) / n).sqrt()
    return max(Decimal(0), min(Decimal(1), (center - margin) / denom)), max(Decimal(0), min(Decimal(1), (center + margin) / denom))


def sprt(runs: list[bool], about: dict[str, Any]) -> tuple[str, int | None]:
    """The seed's printed lines, after each run."""
    p0, p1, alpha, beta = (about.get(key, usual) for key, usual in (("p0", 0.95), ("p1", 0.8), ("alpha", 0.05), ("beta", 0.2)))
    crossed, told, now = None, "INCONCLUSIVE", "INCONCLUSIVE"
    for number in range(1, len(runs) + 1):
        successes, failures = runs[:number].count(True), runs[:number].count(False)
        llr = successes * log(p1 / p0) + failures * log((1 - p1) / (1 - p0))
        upper = log((1 - beta) / alpha)
        lower = log(beta / (1 - alpha))
        now = "FAIL" if llr >= upper else "PASS" if llr <= lower else "INCONCLUSIVE"
        if crossed is None and now != "INCONCLUSIVE":
            crossed, told = number, now
    return (now if about.get("look") == "final" else told), crossed


def p_value(base: tuple[int, int], new: tuple[int, int]) -> F:
    total = base[0] + new[0]
    ways = [comb(new[1], x) * comb(base[1], total - x) for x in range(new[0] + 1) if total - x >= 0]
    return F(sum(ways), comb(base[1] + new[1], total))


def drop_shown(base: tuple[int, int], runs: int, alpha: F) -> int | None:
    failing = [passed for passed in range(runs + 1) if p_value(base, (passed, runs)) <= alpha]
    for drop in range(1, 101):
        rate = F(base[0], base[1]) - F(drop, 100)
        if rate < 0 or not failing:
            return None
        if sum(comb(runs, x) * rate**x * (1 - rate) ** (runs - x) for x in range(max(failing) + 1)) >= F(4, 5):
            return drop
    return None


def sample(base: list[bool | None], new: list[bool | None], limits: dict[str, Any]) -> tuple[list[str], int | None]:
    n, sure, most = len(new), new.count(True), len(new) - new.count(False)
    found = ["PASS" if n >= limits.get("min_runs", 1) else "INCONCLUSIVE"]
    floor = limits.get("min_wilson_pass_rate")
    if floor is not None:
        tau, z = Decimal(repr(floor)), Decimal(repr(limits.get("wilson_z", 1.96)))
        if wilson(sure, n, z)[0] >= tau:
            found.append("PASS")
        elif limits.get("wilson_policy", "strict") == "strict":
            found.append("FAIL" if wilson(most, n, z)[0] < tau else "INCONCLUSIVE")
        else:
            found.append("FAIL" if wilson(most, n, z)[1] < tau else "INCONCLUSIVE")
    crossed = None
    about = limits.get("sprt", {})
    if about.get("enabled"):
        low, crossed = sprt([run is True for run in new], about)
        high, _ = sprt([run is not False for run in new], about)
        found.append(low if low == high else "INCONCLUSIVE")
    if about := limits.get("comparison"):
        alpha = written(about.get("alpha", 0.05))
        sides = (base.count(True), len(base)), (base.count(True) + base.count(None), len(base))
        points = drop_shown(sides[0], n, alpha)
        if p_value(sides[0], (most, n)) <= alpha:
            found.append("FAIL")
        elif p_value(sides[1], (sure, n)) <= alpha or points is None:
            found.append("INCONCLUSIVE")
        else:
            wanted = about.get("detect")
            found.append("INCONCLUSIVE" if wanted is not None and F(points, 100) > written(wanted) else "PASS")
    return found, crossed


def passes(trace: dict[str, Any], rules: dict[str, Any]) -> bool | None:
    told = behaviour(trace, rules) + output(trace, rules)
    return False if "FAIL" in told else None if "INCONCLUSIVE" in told else True


def verdict(baseline: list[Any], candidate: list[Any], spec: dict[str, Any]) -> dict[str, Any]:
    """The verdict of the whole and of each category, which runs of the candidate passed, and where SPRT first crossed."""
    rules, limits = spec.get("invariants") or {}, spec.get("thresholds") or {}
    runs = [passes(trace, rules) for trace in candidate]
    counted, crossed = sample([passes(trace, rules) for trace in baseline], runs, limits)
    by_rule = {
        "output_eval": [told for trace in candidate for told in output(trace, rules)],
        "behavior_contract": [told for trace in candidate for told in behaviour(trace, rules)],
    }
    if limits.get("violating_runs") == "count":
        by_rule = {name: ["PASS" if word == "PASS" else "WARN" for word in told] for name, told in by_rule.items()}
    categories = {
        **by_rule,
        "operational_quality": [told for trace in candidate for told in operational(trace, rules)],
        "diff_shape": shape(distances(baseline, candidate), limits, all("spans" in trace for trace in [*baseline, *candidate])),
        "sample_sufficiency": counted,
    }
    return {
        "verdict": worse([told for found in categories.values() for told in found]),
        "categories": {name: worse(found) for name, found in categories.items()},
        "passed": runs,
        "crossed": crossed,
        "retries": [retry_count(trace, rules.get("retry_rule", "failed_or_consecutive")) for trace in candidate],
    }
