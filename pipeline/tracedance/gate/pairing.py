"""Which items of two runs can be compared, and why the others cannot."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tracedance.analyse.rates import outcome
from tracedance.gate.runs import EvaluationRun

ItemKey = tuple[str, str, str, int]
"""(benchmark digest, family, instance, sample)."""


@dataclass(frozen=True)
class Item:
    """One instance and sample on both sides: True or False for passed, else the word that says why it was not judged."""

    key: ItemKey
    baseline: bool | str
    candidate: bool | str

    @property
    def family(self) -> str:
        return self.key[1]

    @property
    def declined(self) -> bool:
        """A scripted policy had nothing to say here: neither evidence nor a lack of it."""
        return "declined" in (self.baseline, self.candidate)

    @property
    def paired(self) -> bool:
        """Judged on both sides."""
        return isinstance(self.baseline, bool) and isinstance(self.candidate, bool)

    @property
    def reason(self) -> str:
        """Why it is not paired: the side and what happened there; "" if it is."""
        words = [f"{side} {word}" for side, word in (("baseline", self.baseline), ("candidate", self.candidate)) if isinstance(word, str)]
        return " and ".join(words)

    def row(self) -> dict[str, Any]:
        """The line of the gate report."""
        benchmark, family, instance, sample = self.key
        return {
            "benchmark": benchmark,
            "family": family,
            "instance": instance,
            "sample": sample,
            "baseline": self.baseline,
            "candidate": self.candidate,
        }


def pair(baseline: tuple[EvaluationRun, str], candidate: tuple[EvaluationRun, str]) -> list[Item]:
    """Every item of either side, in order of its key.

    Benchmarks meet by their content digest: another version may have another rubric, so its grades are no match. An instance that
    stands in several benchmarks counts once, from one that both runs evaluated where there is such a one.
    """
    sides = outcomes(*baseline), outcomes(*candidate)
    known = [{benchmark.digest for benchmark in run.manifest.benchmarks} for run, _ in (baseline, candidate)]
    chosen: dict[tuple[str, str, int], ItemKey] = {}
    for key in sorted({*sides[0], *sides[1]}, key=lambda key: (not all(key[0] in digests for digests in known), key)):
        chosen.setdefault(key[1:], key)
    return [
        Item(
            key,
            *(
                side.get(key, "missing" if key[0] in digests else "without the benchmark")
                for side, digests in zip(sides, known, strict=True)
            ),
        )
        for key in sorted(chosen.values())
    ]


def outcomes(run: EvaluationRun, model: str) -> dict[ItemKey, bool | str]:
    """What became of each of a model's responses in a run."""
    digests = {benchmark.name: benchmark.digest for benchmark in run.manifest.benchmarks}
    grades = {(row.benchmark, row.instance, row.sample): row for row in run.grades if row.model == model}
    found: dict[ItemKey, bool | str] = {}
    for response in run.responses:
        if response.model == model:
            grade = grades.get((response.benchmark, response.instance, response.sample))
            word = "declined" if response.status == "declined" else outcome(response, grade)
            key = (digests[response.benchmark], response.family, response.instance, response.sample)
            found[key] = word == "passed" if word in ("passed", "not_passed") else word
    return found


def unpaired(items: list[Item]) -> Mapping[str, int]:
    """How many items could not be compared, by reason, in order of the reason."""
    return dict(sorted(Counter(item.reason for item in items if not item.paired).items()))
