"""Which items of two runs can be compared, and why the others cannot."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tracedance.analyse.rates import outcome
from tracedance.gate.runs import EvaluationRun

ItemKey = tuple[str, str, str]
"""(benchmark digest, family, instance)."""

SCRIPTED = "offline/"
"""How the names of the scripted self-test policies start."""
Outcome = bool | str
"""One sample: True or False for passed, else the word that says why it was not judged."""


ABSENT = ("missing", "without the benchmark")
"""Words that stand for no response at all: the run has the benchmark without the instance, or not the benchmark."""


@dataclass(frozen=True)
class Item:
    """One instance with the samples of both sides, in their order.

    Samples of an instance are alike and no independent evidence, so they make one pair. Both sides are compared over equally many
    judged samples, the first of each: the share of passes over more samples falls between 0 and 1 more often, and would make one side
    look worse although it is not.
    """

    key: ItemKey
    baseline: tuple[Outcome, ...]
    candidate: tuple[Outcome, ...]

    @property
    def family(self) -> str:
        return self.key[1]

    @property
    def compared(self) -> int:
        """Judged samples that each side is compared over; 0 where a side has none."""
        return min(len(judged(self.baseline)), len(judged(self.candidate)))

    @property
    def paired(self) -> bool:
        """Judged on both sides, in at least one sample each."""
        return self.compared > 0

    @property
    def shares(self) -> tuple[Fraction, Fraction]:
        """The shares of passes of baseline and candidate, of a paired item."""
        n = self.compared
        return Fraction(sum(judged(self.baseline)[:n]), n), Fraction(sum(judged(self.candidate)[:n]), n)

    @property
    def declined(self) -> bool:
        """A scripted policy had nothing to say here: neither evidence nor a lack of it."""
        return any(not judged(side) and "declined" in side for side in (self.baseline, self.candidate))

    @property
    def reason(self) -> str:
        """Why it is not paired: the side and what happened there; "" if it is."""
        sides = (("baseline", self.baseline), ("candidate", self.candidate))
        return " and ".join(f"{name} {words(side)}" for name, side in sides if not judged(side))

    def row(self) -> dict[str, Any]:
        """The line of the gate report."""
        benchmark, family, instance = self.key
        both = {"baseline": self.cell(self.baseline), "candidate": self.cell(self.candidate)}
        return {"benchmark": benchmark, "family": family, "instance": instance, **both}

    def cell(self, side: tuple[Outcome, ...]) -> dict[str, int] | str:
        """A side in that line: k of n samples passed, or why none was judged."""
        known = judged(side)
        if not known:
            return words(side)
        shown = known[: self.compared] if self.paired else known
        return {"passed": sum(shown), "samples": len(shown), "judged": len(known), "asked": len(side)}


def judged(side: tuple[Outcome, ...]) -> list[bool]:
    """The samples that were judged."""
    return [sample for sample in side if isinstance(sample, bool)]


def words(side: tuple[Outcome, ...]) -> str:
    """What happened to the samples that were not judged."""
    return " or ".join(sorted({sample for sample in side if isinstance(sample, str)}))


def pair(baseline: tuple[EvaluationRun, str], candidate: tuple[EvaluationRun, str]) -> list[Item]:
    """Every item of either side, in order of its key.

    Benchmarks meet by their content digest: another version may have another rubric, so its grades are no match. An instance that
    stands in several benchmarks counts once, from one that both runs evaluated where there is such a one.
    """
    sides = outcomes(*baseline), outcomes(*candidate)
    known = [{benchmark.digest for benchmark in run.manifest.benchmarks} for run, _ in (baseline, candidate)]
    chosen: dict[tuple[str, str], ItemKey] = {}
    for key in sorted({*sides[0], *sides[1]}, key=lambda key: (not all(key[0] in digests for digests in known), key)):
        chosen.setdefault(key[1:], key)
    return [
        Item(
            key,
            *(side.get(key, ABSENT[:1] if key[0] in digests else ABSENT[1:]) for side, digests in zip(sides, known, strict=True)),
        )
        for key in sorted(chosen.values())
    ]


def outcomes(run: EvaluationRun, model: str) -> dict[ItemKey, tuple[Outcome, ...]]:
    """What became of each of a model's responses in a run: one outcome a sample, in order of the samples."""
    digests = {benchmark.name: benchmark.digest for benchmark in run.manifest.benchmarks}
    grades = {(row.benchmark, row.instance, row.sample): row for row in run.grades if row.model == model}
    found: dict[ItemKey, tuple[Outcome, ...]] = {}
    for response in sorted((row for row in run.responses if row.model == model), key=lambda row: row.sample):
        grade = grades.get((response.benchmark, response.instance, response.sample))
        # Only a scripted policy may be silent without that counting as missing evidence.
        word = "declined" if response.status == "declined" and model.startswith(SCRIPTED) else outcome(response, grade)
        key = (digests[response.benchmark], response.family, response.instance)
        found[key] = (*found.get(key, ()), word == "passed" if word in ("passed", "not_passed") else word)
    return found


def unpaired(items: list[Item]) -> Mapping[str, int]:
    """How many items could not be compared, by reason, in order of the reason."""
    return dict(sorted(Counter(item.reason for item in items if not item.paired).items()))
