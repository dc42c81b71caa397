"""`tracedance contract diff`: two folders of traces side by side, without a spec and without a verdict."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tracedance.gate.workbench.ledger import traces_digest
from tracedance.gate.workbench.reading import JudgedRun
from tracedance.gate.workbench.shape import (
    common_path,
    divergent_step,
    fingerprint_distance_squared,
    jaccard_distance,
    measured,
    medoid,
    path_distances,
    root,
)

MOST_SHIFTED = 10


def diff(baseline: Sequence[JudgedRun], candidate: Sequence[JudgedRun]) -> dict[str, Any]:
    """The distances of `gate`, each candidate run against the baseline's medoid, and what lies behind them."""
    one, other = [run.names for run in baseline], [run.names for run in candidate]
    middle = medoid(one)
    distances, bounded = measured(other, middle.path)
    own = path_distances(one, middle.path)
    common, closed = common_path(one)
    leaves = [divergent_step(path, common, closed) for path in other]
    at = min((step for step in leaves if step is not None), default=None)
    return {
        "baseline": len(one),
        "candidate": len(other),
        "path_edit_distance": {"mean": float(sum(distances) / len(distances)), "max": float(max(distances)), "bounded_runs": bounded},
        "baseline_spread": {"mean": float(sum(own) / len(own)), "max": float(max(own))},
        "same_runs": traces_digest(baseline) == traces_digest(candidate),
        "fingerprint_distance": root(fingerprint_distance_squared(one, other)),
        "tool_jaccard": float(jaccard_distance(one, other)),
        "first_divergent_step": None if at is None else _divergence(at, common, other, leaves),
        "diverging_runs": sum(step is not None for step in leaves),
        "common_path": list(common),
        "medoid": {"path": list(middle.path), "tried": middle.tried, "distinct": middle.distinct},
        "only_baseline": sorted(_names(one) - _names(other)),
        "only_candidate": sorted(_names(other) - _names(one)),
        "calls_per_run": _shifts(one, other),
        "unknown_fields": sum(run.unknown_fields for run in (*baseline, *candidate)),
    }


def _divergence(at: int, common: Sequence[str], paths: Sequence[tuple[str, ...]], leaves: Sequence[int | None]) -> dict[str, Any]:
    """The step, what the baseline does there and what the candidate's runs that leave it there do instead; None is the end of a run."""
    instead = Counter(path[at] if at < len(path) else None for path, step in zip(paths, leaves, strict=True) if step == at)
    ranked = sorted(instead.items(), key=lambda item: (-item[1], item[0] is None, item[0] or ""))
    return {
        "step": at,
        "baseline": common[at] if at < len(common) else None,
        "candidate": [{"name": name, "runs": n} for name, n in ranked],
    }


def _shifts(one: Sequence[tuple[str, ...]], other: Sequence[tuple[str, ...]]) -> list[dict[str, Any]]:
    """The names whose mean number of calls a run changed most."""
    before, after = (Counter(name for path in paths for name in path) for paths in (one, other))
    rows: list[dict[str, Any]] = [
        {"name": name, "baseline": before[name] / len(one), "candidate": after[name] / len(other)} for name in sorted({*before, *after})
    ]
    changed = [row for row in rows if row["baseline"] != row["candidate"]]
    return sorted(changed, key=lambda row: (-abs(row["baseline"] - row["candidate"]), row["name"]))[:MOST_SHIFTED]


def _names(paths: Sequence[tuple[str, ...]]) -> set[str]:
    return set().union(*paths)
