"""What a report of evaluation runs shows, gathered from their files; templates and Markdown only lay it out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracedance.analyse.rates import outcome, pass_rate
from tracedance.catalogue import family
from tracedance.compare.comparison import Comparison, Options, read, tables
from tracedance.compare.evaluated import evaluated_benchmark
from tracedance.compare.reading import Given, panel_of
from tracedance.errors import InputError
from tracedance.report.chapters import chapters
from tracedance.report.costs import Cost, costs
from tracedance.report.instances import Budget, Case, Grades, Key, budget, cases
from tracedance.report.judged import Judging, judgings
from tracedance.report.tables import Chapter
from tracedance.schema import Benchmark, FamilyCard, Grade, Manifest, PassRate, Response, Rubric, RunBenchmark

SELF_TESTS = {
    "offline/source": "the decision as it was recorded",
    "offline/careful": "a scripted policy that sees the context alone",
}
STEPS = (
    ("places", "places found by the anchors"),
    ("opportunities", "opportunities: places where the behaviour could have happened"),
    ("candidates", "candidates: places where it did"),
    ("confirmed", "confirmed"),
    ("instances", "instances published"),
)
NOT_BOTH = "how often both could have happened at once is not known, so opportunities are not counted"
NOT_DEFINED = "the family does not define where it could have happened, so opportunities are not counted"
LEVELS = range(6)
STATUSES = "Responses by what they came as. Only an ok one, a turn with text or a call in it, has a first action."
MIXED = "In some of the runs judges graded it from 0 to 5, in others deterministic checks did."


@dataclass(frozen=True)
class FamilyAsked:
    """A family of a benchmark: what it means and how it is graded."""

    id: str
    card: FamilyCard | None
    rubric: Rubric | None
    changed: bool
    """The catalogue's definition is another one by now than that of the benchmark."""


@dataclass(frozen=True)
class Funnel:
    """Candidates = kept + the reasons why the others are not there; `unexplained` is what older benchmarks do not say."""

    steps: tuple[tuple[str, int], ...]
    candidates: int
    kept: int
    dropped: tuple[tuple[str, int], ...]
    unexplained: int


@dataclass(frozen=True)
class Section:
    """One benchmark of the runs."""

    number: int
    name: str
    digest: str
    place: str
    """Where its folder is, as the run has it."""
    query: str | None
    matched_by: str
    trouble: str
    """Why the benchmark could not be read; "" where it could."""
    families: tuple[FamilyAsked, ...]
    funnel: Funnel | None
    confirmed_by: tuple[str, ...]
    rates: tuple[PassRate, ...]
    cases: tuple[Case, ...]
    unshown: int
    """Instances that the page has no room for."""
    reconstructed: int
    """Instances whose tools or system prompt are not as recorded."""


@dataclass(frozen=True)
class Evaluated:
    """All that a report shows."""

    about: Comparison
    found: Mapping[str, Any]
    """The tables of `compare`; see docs/commands.md."""
    chapters: tuple[Chapter, ...]
    """The same, laid out."""
    sections: tuple[Section, ...]
    costs: tuple[Cost, ...]
    scores: Mapping[str, tuple[int, ...]]
    """By model: votes that gave 0, ... 5."""
    actions: Mapping[str, Mapping[str, int]]
    """By model: responses by the class of their first action; one that is empty or not whole has none."""
    statuses: Mapping[str, Mapping[str, int]]
    """By model: all responses by what they came as."""
    contradictions: int
    judging: tuple[Judging, ...]
    """Of each run that a panel judged."""

    @property
    def given(self) -> Given:
        return self.about.given

    @property
    def compared(self) -> set[str]:
        """The compared models, as their runs name them."""
        return {model for (_, model), called in self.given.called.items() if called in self.about.models}

    @property
    def aside(self) -> str:
        """Which models of the runs were not asked for, in a sentence; "" where all were."""
        gone = [model for model in self.given.models if model not in self.about.models]
        return f"Left aside, since others were asked for: {', '.join(gone)}. Nothing here is of them." if gone else ""

    @property
    def headline(self) -> str:
        """How many models, in how many runs, on how many decisions; a model that several runs hold is one."""
        every, compared = {model for _, model in self.given.called}, self.compared
        of = f" of {len(every)}" if len(compared) < len(every) else ""
        runs = f" in {len(self.given.runs)} runs" if len(self.given.runs) > 1 else ""
        cases = sum(len(section.cases) + section.unshown for section in self.sections)
        decisions = "decision" if cases == 1 else "decisions"
        return f"{len(compared)}{of} {'model' if len(every) == 1 else 'models'}{runs} on {cases} recorded {decisions}"

    @property
    def panel(self) -> str:
        """Who graded, in a sentence."""
        seats = {tuple(sorted(panel_of(run))) for run in self.given.runs}
        if any(run.manifest.judged_by == "rule" for run in self.given.runs):
            return "Grades come from deterministic checks: no model judged." if self.given.judged_by_rule else MIXED
        if len(seats) > 1:
            return "Panels of judges graded it from 0 to 5, and they were not the same in every run."
        count = len(seats.pop())
        return f"{'One judge' if count == 1 else f'A panel of {count} judges'} graded it from 0 to 5."


def gathered(folders: Sequence[Path], options: Options | None = None) -> Evaluated:
    """A report's content. InputError for runs that are unreadable, not finished, or not to be compared.

    A benchmark that is gone or was changed since is said to be, and its contexts are left out.
    """
    about = read(folders, options or Options())
    given = about.given
    found = tables(about)
    responses, grades = flattened(given, about.models)
    scores = {model: [0] * len(LEVELS) for model in about.models}
    actions: dict[str, Counter[str]] = {model: Counter() for model in about.models}
    for reply in given.replies:
        if reply.model in scores:
            for score in reply.scores.values():
                scores[reply.model][score] += 1
            if reply.action_class:
                actions[reply.model][reply.action_class] += 1
    return Evaluated(
        about=about,
        found=found,
        chapters=tuple(chapters(found)),
        sections=tuple(sections(given, responses, grades, about.models)),
        costs=tuple(cost for cost in costs(given.runs, given.names, given.called) if cost.model in about.models),
        scores={model: tuple(counts) for model, counts in scores.items()},
        actions=actions,
        statuses=statuses(about.models, responses),
        contradictions=sum(grade.contradiction for grade in grades.values()),
        judging=judgings(given, about.models),
    )


def statuses(models: Sequence[str], responses: Sequence[Response]) -> dict[str, dict[str, int]]:
    """By model, what its responses came as, answers first."""
    told: dict[str, Counter[str]] = {model: Counter() for model in models}
    for row in responses:
        told[row.model][row.status] += 1
    return {model: dict(sorted(counts.items(), key=lambda one: (one[0] != "ok", one[0]))) for model, counts in told.items()}


def flattened(given: Given, models: Sequence[str]) -> tuple[list[Response], dict[Key, Grade]]:
    """The responses and grades of these models in all runs, by the names that models have in the comparison; pooled runs give further
    samples.
    """
    responses: list[Response] = []
    grades: dict[Key, Grade] = {}
    taken: Counter[str] = Counter()
    for run, name in zip(given.runs, given.names, strict=True):
        new = {model: (given.called[name, model], taken[given.called[name, model]]) for model in run.manifest.models}
        for row in run.responses:
            model, offset = new[row.model]
            if model in models:
                responses.append(row.model_copy(update={"model": model, "sample": offset + row.sample}))
        for grade in run.grades:
            model, offset = new[grade.model]
            if model in models:
                grades[grade.benchmark, grade.instance, model, offset + grade.sample] = grade
        taken.update({model: run.manifest.samples for model, _ in new.values()})
    return responses, grades


def sections(given: Given, responses: Sequence[Response], grades: Grades, models: Sequence[str]) -> list[Section]:
    """One section per benchmark, in the order of the runs."""
    asked: dict[str, tuple[RunBenchmark, Path]] = {}
    for run in given.runs:
        for about in run.manifest.benchmarks:
            asked.setdefault(about.name, (about, run.folder))
    much = budget(len({(row.benchmark, row.instance) for row in responses}), len(responses))
    rows: dict[str, list[Response]] = {name: [] for name in asked}
    for row in responses:
        rows[row.benchmark].append(row)
    return [
        section((number, *asked[name]), rows[name], grades, models, much)  # each benchmark is read, shown and let go in its turn
        for number, name in enumerate(asked, 1)
    ]


def section(
    asked: tuple[int, RunBenchmark, Path], responses: Sequence[Response], grades: Grades, models: Sequence[str], much: Budget
) -> Section:
    """One benchmark's part of a report."""
    number, about, folder = asked
    benchmark, trouble = evaluated_benchmark(about, folder)
    manifest = benchmark.manifest if benchmark else None
    shown = tuple(cases(benchmark, responses, grades, models, much))
    every = {row.instance for row in responses} | ({item.id for item in benchmark.instances} if benchmark else set())
    return Section(
        number=number,
        name=about.name,
        digest=about.digest,
        place=about.path,
        query=manifest.query if manifest else None,
        matched_by=manifest.matched_by if manifest else "",
        trouble=trouble,
        families=tuple(family_asked(name, benchmark) for name in about.families),
        funnel=funnel(benchmark) if benchmark else None,
        confirmed_by=manifest.confirmed_by if manifest else (),
        rates=tuple(rate(about, model, responses, grades) for model in models if any(row.model == model for row in responses)),
        cases=shown,
        unshown=len(every) - len(shown),
        reconstructed=sum(item.replayability != "replayable" for item in benchmark.instances) if benchmark else 0,
    )


def funnel(benchmark: Benchmark) -> Funnel | None:
    """Where a benchmark's instances come from, with the account of every candidate."""
    manifest = benchmark.manifest
    counts = manifest.counts
    steps = tuple((words, counts[step]) for step, words in steps_of(manifest) if step in counts)
    if not steps:
        return None
    kept = counts.get("instances", manifest.instances)
    gone = Counter(manifest.dropped) + Counter({"no usable answer of the confirmer": counts.get("failed", 0)})
    candidates = counts.get("candidates", kept + gone.total())
    return Funnel(steps, candidates, kept, tuple(sorted(gone.items())), candidates - kept - gone.total())


def steps_of(manifest: Manifest) -> Sequence[tuple[str, str]]:
    """The steps of a funnel that a benchmark has: where opportunities are not counted, it says why in their place."""
    joint = len(manifest.families) > 1
    if not joint and (manifest.counts.get("opportunities") or not manifest.counts.get("candidates")):
        return STEPS
    words = f"places where both behaviours are; {NOT_BOTH}" if joint else f"places found by the anchors; {NOT_DEFINED}"
    return [("places", words), *STEPS[2:]]


def rate(about: RunBenchmark, model: str, responses: Sequence[Response], grades: Grades) -> PassRate:
    """The rate as the rows bear it out; the run was checked to state the same."""
    keys = [(row, (row.benchmark, row.instance, row.model, row.sample)) for row in responses if row.model == model]
    return pass_rate(about.name, about.families, model, [(row.instance, outcome(row, grades.get(key))) for row, key in keys])


def family_asked(name: str, benchmark: Benchmark | None) -> FamilyAsked:
    """A family as the catalogue defines it, where it has it, and with the rubric that the benchmark carries."""
    rubric = benchmark.rubrics.get(name) if benchmark else None
    try:
        found = family(name)
    except InputError:
        return FamilyAsked(name, None, rubric, False)
    stated = benchmark.manifest.digests.get(f"family:{name}") if benchmark else None
    return FamilyAsked(name, found.card, rubric, stated not in (None, found.digests.get("family")))
