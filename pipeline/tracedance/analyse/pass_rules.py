"""When three scores are a pass: the default, the alternatives that a ranking should survive, and single judges."""

from collections.abc import Mapping, Sequence
from functools import partial

from tracedance.analyse.observations import Reply, Rule

DEFAULT = "mean4"
BY_RULE = "rule"
"""The seat of a score that no judge gave: a turn without content, or a deterministic check."""


def as_graded(reply: Reply) -> bool | None:
    """What the grade says, which is exact where two rubrics must be met."""
    return reply.passed


def mean_at_least(mark: int, reply: Reply) -> bool | None:
    """Whole numbers decide: three scores that sum to 12 have a mean of 4, 11 (3.67) do not."""
    return _mean(mark, list(reply.scores.values()))


def all_at_least(mark: int, reply: Reply) -> bool | None:
    """Every seat."""
    return all(score >= mark for score in reply.scores.values()) if reply.scores else None


def majority_at_least(mark: int, reply: Reply) -> bool | None:
    """More than half of the seats."""
    return 2 * sum(score >= mark for score in reply.scores.values()) > len(reply.scores) if reply.scores else None


def one_judge(judge: str, mark: int, reply: Reply) -> bool | None:
    """What a single seat says; a score given by rule is what every seat would have had to say."""
    score = reply.scores.get(judge, reply.scores.get(BY_RULE))
    return None if score is None else score >= mark


def without_judges(judges: frozenset[str], mark: int, reply: Reply) -> bool | None:
    """The mean of the other seats (leave-own-judge-out)."""
    return _mean(mark, [score for judge, score in reply.scores.items() if judge not in judges])


def _mean(mark: int, scores: Sequence[int]) -> bool | None:
    return sum(scores) >= mark * len(scores) if scores else None


RULES: Mapping[str, tuple[Rule, str]] = {
    "mean4": (as_graded, "the mean of the scores is at least 4"),
    "mean3": (partial(mean_at_least, 3), "the mean of the scores is at least 3"),
    "all4": (partial(all_at_least, 4), "every score is at least 4"),
    "majority": (partial(majority_at_least, 4), "more than half of the scores are at least 4"),
}
"""Name -> (rule, its sentence). The four of the paper's robustness check (arXiv 2609.33295, C.2, Table 17)."""


def judges_of(replies: Sequence[Reply]) -> tuple[str, ...]:
    """Every seat that scored, sorted; what was scored by rule has none."""
    return tuple(sorted({judge for reply in replies for judge in reply.scores} - {BY_RULE}))


def single_judges(judges: Sequence[str]) -> dict[str, Rule]:
    """One rule a judge."""
    return {judge: partial(one_judge, judge, 4) for judge in judges}
