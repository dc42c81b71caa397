"""How far the candidate's trajectories are from the baseline's: three distances and the first step that differs. All exact fractions."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, takewhile, zip_longest

Path = tuple[str, ...]
"""The names along a trajectory."""
MEDOID_STEPS = 500_000
"""Steps compared at most while a medoid is sought: above it only the most common trajectories are tried."""


DISTANCE_STEPS = 20_000_000
"""The same, while one side's distances to a medoid are taken: beyond it a path's distance is given as the most that it can be."""
ROW = 1000
"""Steps of a path that one row of the table costs about as much as one step for."""


def _cost(one: int, other: int) -> int:
    return other * (one // ROW + 1)


def edit_distance(one: Path, other: Path) -> int:
    """Levenshtein distance, with the columns of the table as bits of one integer.

    Myers 1999, Journal of the ACM 46, p. 395-415, in the form of Hyyrö 2003 for the distance of whole sequences.
    """
    return _distance_to(_masks(one), len(one), other)


def _masks(pattern: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    for place, name in enumerate(pattern):
        found[name] = found.get(name, 0) | 1 << place
    return found


def _distance_to(masks: Mapping[str, int], length: int, text: Path) -> int:
    if not length:
        return len(text)
    full, top = (1 << length) - 1, 1 << (length - 1)
    up, down, score = full, 0, length
    for name in text:
        equal = masks.get(name, 0)
        diagonal = (((equal & up) + up) ^ up) | equal | down
        plus, minus = down | (full & ~(diagonal | up)), up & diagonal
        score += bool(plus & top) - bool(minus & top)
        plus, minus = (plus << 1 | 1) & full, minus << 1 & full
        up, down = minus | (full & ~(diagonal | plus)), plus & diagonal
    return score


@dataclass(frozen=True, slots=True)
class Medoid:
    """The baseline's trajectory with the least sum of distances to all others."""

    path: Path
    tried: int
    """How many of the distinct trajectories were tried: all, unless there is much to compare."""
    distinct: int


def medoid(paths: Iterable[Path]) -> Medoid:
    """Of equal sums the more frequent trajectory, then the first in order of names, is taken. ValueError for no path."""
    times = Counter(paths)
    ranked = sorted(times, key=lambda path: (-times[path], path))
    if not ranked:
        raise ValueError("There is no trajectory to take a medoid of.")
    steps = sum(map(len, ranked)) + len(ranked)
    spent = accumulate(_cost(len(path), steps) for path in ranked)
    tried = ranked[: max(1, sum(1 for _ in takewhile(lambda cost: cost <= MEDOID_STEPS, spent)))]
    if len(tried) == 1:
        return Medoid(tried[0], 1, len(ranked))
    # min() keeps the first of equals.
    return Medoid(min(tried, key=lambda path: _sum_of_distances(path, times)), len(tried), len(ranked))


def _sum_of_distances(path: Path, times: Mapping[Path, int]) -> Fraction:
    """Sum of normalised distances; numerators are added by denominator first, which costs less than adding fractions."""
    masks, length = _masks(path), len(path)
    sums: dict[int, int] = {}
    for other, count in times.items():
        longest = max(length, len(other))
        sums[longest] = sums.get(longest, 0) + count * _distance_to(masks, length, other)
    return sum((Fraction(total, longest) for longest, total in sums.items() if longest), Fraction(0))


def path_distances(paths: Sequence[Path], middle: Path) -> list[Fraction]:
    """The normalised distance of each path to the middle one: Levenshtein / length of the longer, 0 where both are empty."""
    return measured(paths, middle)[0]


def measured(paths: Sequence[Path], middle: Path) -> tuple[list[Fraction], int]:
    """`path_distances`, and for how many of the paths it is only the most that it can be (`DISTANCE_STEPS`)."""
    masks, length = _masks(middle), len(middle)
    known: dict[Path, Fraction] = {middle: Fraction(0)}
    bounded: set[Path] = set()
    left = DISTANCE_STEPS
    for path in paths:
        if path in known:
            continue
        cost = _cost(length, len(path))
        if cost <= left:
            left -= cost
            changes = _distance_to(masks, length, path)
        else:
            bounded.add(path)
            changes = max(length, len(path)) - _in_common(path, middle)
        known[path] = Fraction(changes, max(length, len(path), 1))
    return [known[path] for path in paths], sum(path in bounded for path in paths) if bounded else 0


def _in_common(one: Path, other: Path) -> int:
    """How many steps two paths begin and end with alike: no more than the rest has to be changed."""
    shorter = min(len(one), len(other))
    front = next((place for place in range(shorter) if one[place] != other[place]), shorter)
    back = next((place for place in range(shorter - front) if one[-1 - place] != other[-1 - place]), shorter - front)
    return front + back


def fingerprint_distance_squared(baseline: Sequence[Path], candidate: Sequence[Path]) -> Fraction:
    """The squared Euclidean distance between the mean numbers of calls a run, over all tools."""
    one, other = (Counter(name for path in paths for name in path) for paths in (baseline, candidate))
    return sum(((Fraction(one[name], len(baseline)) - Fraction(other[name], len(candidate))) ** 2 for name in {*one, *other}), Fraction(0))


def root(square: Fraction) -> float:
    """The square root as a number to show."""
    return math.sqrt(square)


def jaccard_distance(baseline: Sequence[Path], candidate: Sequence[Path]) -> Fraction:
    """1 - |common tools| / |all tools| over all runs of each side; 0 where neither used any."""
    one, other = ({name for path in paths for name in path} for paths in (baseline, candidate))
    return 1 - Fraction(len(one & other), len(one | other)) if one | other else Fraction(0)


def common_path(paths: Sequence[Path]) -> tuple[Path, bool]:
    """What the runs have in common, and whether a run that goes on past its end has left it.

    The longest common prefix; where even the first steps differ, the most frequent step at each position (of equals the first by name)
    until most runs have ended.
    """
    prefix: list[str] = []
    for steps in zip(*paths, strict=False):
        if len(set(steps)) > 1:
            break
        prefix.append(steps[0])
    if prefix or not any(paths):
        return tuple(prefix), all(len(path) == len(prefix) for path in paths)
    usual: list[str] = []
    for here in zip_longest(*paths):
        times = Counter(here)
        step = min(times, key=lambda name: (-times[name], name is None, name or ""))
        if step is None:
            return tuple(usual), True
        usual.append(step)
    return tuple(usual), True


def divergent_step(path: Path, common: Path, closed: bool) -> int | None:
    """The first position at which a path leaves the common one; None if it does not. `closed`: going on past its end leaves it."""
    for place, name in enumerate(common):
        if place >= len(path) or path[place] != name:
            return place
    return len(common) if closed and len(path) > len(common) else None
