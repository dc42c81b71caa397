"""How far apart the trajectories of two sides are. A path is the names of a run's steps in their order.

The workbench's three distances (path, fingerprint, tools) and the first step at which a run leaves the baseline's common path. Nothing
here depends on the order of the runs.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import fsum, sqrt

from rapidfuzz.distance import Levenshtein

Path = tuple[str, ...]

MEDOID_PATHS = 64
"""Distinct paths among which a medoid is looked for: the most frequent, those equally so by their digests. With fewer it is exact."""


@dataclass(frozen=True)
class Distances:
    """The candidate's paths against the baseline's."""

    medoid: Path
    """The baseline path that the others lie nearest to."""
    paths: tuple[float, ...]
    """Of each candidate run, in the order given: normalised Levenshtein distance to the medoid, from 0 to 1."""
    fingerprint: float
    """Euclidean distance of the mean numbers of calls a run, over all names."""
    jaccard: float
    """1 less the share of names that both sides use among those that either uses."""
    common: Path
    divergent: tuple[int | None, ...]
    """Of each candidate run the position, from 0, of the first step off the common path; None where it keeps to it."""

    @property
    def path_mean(self) -> float:
        """Mean over the candidate's runs."""
        return fsum(self.paths) / len(self.paths)

    @property
    def path_max(self) -> float:
        """The run farthest off."""
        return max(self.paths)

    @property
    def first_divergent_step(self) -> int | None:
        """The earliest of any candidate run."""
        return min((step for step in self.divergent if step is not None), default=None)


def distances(baseline: Sequence[Path], candidate: Sequence[Path]) -> Distances:
    """All of them; both sides have at least one run."""
    middle, common = medoid(baseline), common_path(baseline)
    return Distances(
        medoid=middle,
        paths=tuple(path_distances(middle, candidate)),
        fingerprint=fingerprint_distance(baseline, candidate),
        jaccard=jaccard_distance(baseline, candidate),
        common=common,
        divergent=tuple(divergent_step(path, common) for path in candidate),
    )


def path_distances(reference: Path, paths: Iterable[Path]) -> list[float]:
    """Levenshtein distance of each path to the reference, over the length of the longer; 0 where both are empty."""
    numbers: dict[str, int] = {}
    known: dict[Path, float] = {}
    coded = _coded(reference, numbers)
    found = []
    for path in paths:
        if path not in known:
            known[path] = Levenshtein.normalized_distance(coded, _coded(path, numbers))
        found.append(known[path])
    return found


def medoid(paths: Sequence[Path]) -> Path:
    """The path with the least sum of distances to all others; of several the shortest, then the first in the order of its names."""
    counts = Counter(paths)
    chosen = sorted(counts, key=lambda path: (-counts[path], _digest(path)))[:MEDOID_PATHS] if len(counts) > MEDOID_PATHS else list(counts)
    weights = [counts[path] for path in chosen]

    def far(path: Path) -> float:
        return fsum(weight * distance for weight, distance in zip(weights, path_distances(path, chosen), strict=True))

    return min(chosen, key=lambda path: (far(path), len(path), path))


def fingerprint_distance(baseline: Sequence[Path], candidate: Sequence[Path]) -> float:
    """Euclidean distance of the two sides' mean numbers of calls a run."""
    one, other = _mean_counts(baseline), _mean_counts(candidate)
    return sqrt(fsum((one.get(name, 0.0) - other.get(name, 0.0)) ** 2 for name in one.keys() | other.keys()))


def jaccard_distance(baseline: Sequence[Path], candidate: Sequence[Path]) -> float:
    """Of the names that appear at all; 0 where none does on either side."""
    one, other = (set().union(*side) for side in (baseline, candidate))
    return 1 - len(one & other) / len(one | other) if one | other else 0.0


def common_path(paths: Sequence[Path]) -> Path:
    """The longest common prefix of all paths; where there is none, the commonest name at each position that at least half of them reach."""
    first, last = min(paths), max(paths)
    prefix = tuple(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False)))
    if prefix:
        return prefix
    lengths = sorted(len(path) for path in paths)
    reached = lengths[len(lengths) // 2]
    at = (Counter(path[place] for path in paths if len(path) > place) for place in range(reached))
    return tuple(min(names, key=lambda name: (-names[name], name)) for names in at)


def divergent_step(path: Path, common: Path) -> int | None:
    """The first position at which a path does not have the common path's step; None where it has them all."""
    pairs = enumerate(zip(common, path, strict=False))
    return next((place for place, (wanted, had) in pairs if wanted != had), len(path) if len(path) < len(common) else None)


def _mean_counts(paths: Sequence[Path]) -> dict[str, float]:
    counts = Counter(name for path in paths for name in path)
    return {name: count / len(paths) for name, count in counts.items()}


def _coded(path: Path, numbers: dict[str, int]) -> list[int]:
    """Names as numbers: what is compared must not depend on how strings are hashed."""
    return [numbers.setdefault(name, len(numbers)) for name in path]


def _digest(path: Path) -> str:
    return hashlib.sha256("\0".join(path).encode("utf-8", "replace")).hexdigest()
