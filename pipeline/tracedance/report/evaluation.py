"""What the page of an evaluation run shows, gathered from its files; the template only lays it out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tracedance.analyse.rates import outcome, pass_rate
from tracedance.catalogue import family
from tracedance.compare.evaluated import evaluated_benchmark
from tracedance.errors import InputError
from tracedance.gate.runs import EvaluationRun
from tracedance.report.context import Context, excerpt
from tracedance.report.excerpts import Call, Clip, called, clip
from tracedance.schema import Benchmark, CheckRow, FamilyCard, Grade, Instance, JudgeScore, PassRate, Response, Rubric, RunBenchmark

CONTEXTS = 600_000
RESPONSES = 700_000
"""Bytes of HTML that all contexts, and all responses with their votes, may take together."""

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
WORDS = {"passed": "pass", "not_passed": "no pass"}


@dataclass(frozen=True)
class FamilyAsked:
    """A family of a benchmark: what it means and how it is graded."""

    id: str
    card: FamilyCard | None
    rubric: Rubric | None
    changed: bool
    """The catalogue's definition is another one by now than that of the benchmark."""


@dataclass(frozen=True)
class Vote:
    judge: str
    score: str
    """The score, or why there is none."""
    rationale: Clip
    quotes: tuple[Clip, ...]


@dataclass(frozen=True)
class Answer:
    """One model's response to one instance and what was made of it."""

    model: str
    sample: int
    word: str
    """pass, no pass, unscored, partial, declined or failed."""
    mean: float | None
    text: Clip
    calls: tuple[Call, ...]
    status: str
    why: str
    votes: tuple[Vote, ...]
    check: str | None
    contradiction: bool


@dataclass(frozen=True)
class Case:
    """One instance with everything about it. `meta`, `found` and `context` are None where the benchmark was not to be had."""

    number: int
    id: str
    family: str
    meta: Instance | None
    found: CheckRow | None
    """Why the anchor took the place for the behaviour, and which turns show it."""
    context: Context | None
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class Section:
    """One benchmark of the run."""

    number: int
    name: str
    digest: str
    query: str | None
    trouble: str
    """Why the benchmark could not be read; "" where it could."""
    families: tuple[FamilyAsked, ...]
    funnel: tuple[tuple[str, int], ...]
    dropped: tuple[tuple[str, int], ...]
    confirmed_by: tuple[str, ...]
    rates: tuple[PassRate, ...]
    cases: tuple[Case, ...]
    reconstructed: int
    """Instances whose tools or system prompt are not as recorded."""


def sections(run: EvaluationRun) -> list[Section]:
    """One section per benchmark, in the run's order."""
    grades = {(row.benchmark, row.instance, row.model, row.sample): row for row in run.grades}
    found = []
    for number, asked in enumerate(run.manifest.benchmarks, 1):
        benchmark, trouble = evaluated_benchmark(asked, run.folder)
        mine = [response for response in run.responses if response.benchmark == asked.name]
        found.append(section((number, asked, trouble), benchmark, mine, grades, run))
    return found


def section(
    asked: tuple[int, RunBenchmark, str],
    benchmark: Benchmark | None,
    responses: Sequence[Response],
    grades: Mapping[tuple[str, str, str, int], Grade],
    run: EvaluationRun,
) -> Section:
    """One benchmark's part of the page."""
    number, about, trouble = asked
    manifest = benchmark.manifest if benchmark else None
    cases = gather(benchmark, responses, grades, run)
    return Section(
        number=number,
        name=about.name,
        digest=about.digest,
        query=manifest.query if manifest else None,
        trouble=trouble,
        families=tuple(family_asked(name, benchmark) for name in about.families),
        funnel=tuple((words, manifest.counts[step]) for step, words in STEPS if step in manifest.counts) if manifest else (),
        dropped=tuple(sorted(manifest.dropped.items())) if manifest else (),
        confirmed_by=manifest.confirmed_by if manifest else (),
        rates=tuple(rate(about, model, responses, grades) for model in run.manifest.models),
        cases=cases,
        reconstructed=sum(case.meta is not None and case.meta.replayability != "replayable" for case in cases),
    )


def rate(about: RunBenchmark, model: str, responses: Sequence[Response], grades: Mapping[tuple[str, str, str, int], Grade]) -> PassRate:
    """The rate as the rows bear it out; the run was checked to state the same."""
    keys = [(row, (row.benchmark, row.instance, row.model, row.sample)) for row in responses if row.model == model]
    return pass_rate(about.name, about.families, model, [(row.instance, outcome(row, grades.get(key))) for row, key in keys])


def gather(
    benchmark: Benchmark | None, responses: Sequence[Response], grades: Mapping[tuple[str, str, str, int], Grade], run: EvaluationRun
) -> tuple[Case, ...]:
    """Every instance, in the benchmark's order, else that of the responses."""
    contexts = {item.id: item for item in benchmark.instances} if benchmark else {}
    by_instance: dict[str, list[Response]] = {name: [] for name in contexts}
    for response in responses:
        by_instance.setdefault(response.instance, []).append(response)
    shown = sum(len({row.instance for row in run.responses if row.benchmark == b.name}) for b in run.manifest.benchmarks)
    budget = share(CONTEXTS, shown, 40_000)
    order = {model: place for place, model in enumerate(run.manifest.models)}
    cases = []
    for number, (name, rows) in enumerate(by_instance.items(), 1):
        item = contexts.get(name)
        rows = sorted(rows, key=lambda row: (order[row.model], row.sample))
        answers = tuple(
            answer(row, grades.get((row.benchmark, row.instance, row.model, row.sample)), share(RESPONSES, len(run.responses)))
            for row in rows
        )
        of = item.family if item else next((row.family for row in rows), "")
        found = benchmark.checks.get(name) if benchmark else None
        context = excerpt(item.messages, found.evidence if found else (), budget) if item else None
        cases.append(Case(number, name, of, item, found, context, answers))
    return tuple(cases)


def share(whole: int, parts: int, most: int = 12_000) -> int:
    """Bytes for one of `parts`: enough to be of use, no more than helps a reader."""
    return max(600, min(most, whole // max(1, parts)))


def answer(response: Response, grade: Grade | None, budget: int) -> Answer:
    """A response with its grade; half of the budget is the response's, half its votes'."""
    word = "declined" if response.status == "declined" else outcome(response, grade)
    parts = 1 + len(response.tool_calls)
    votes = grade.votes if grade else ()
    return Answer(
        model=response.model,
        sample=response.sample,
        word=WORDS.get(word, word),
        mean=grade.mean if grade else None,
        text=clip(response.text, budget // 2 // parts),
        calls=tuple(called(call, budget // 2 // parts) for call in response.tool_calls),
        status=response.status,
        why=response.error or (grade.reason if grade else "no grade"),
        votes=tuple(vote(item, budget // 2 // len(votes)) for item in votes),
        check=grade.check if grade else None,
        contradiction=bool(grade and grade.contradiction),
    )


def vote(score: JudgeScore, budget: int) -> Vote:
    """A judge's word."""
    said = str(score.score) if score.status == "score" else score.status
    why = score.rationale or score.error
    quotes = tuple(clip(quote, max(80, budget // 6)) for quote in score.quotes[:3])
    return Vote(score.judge, said, clip(why, budget // 2), quotes)


def family_asked(name: str, benchmark: Benchmark | None) -> FamilyAsked:
    """A family as the catalogue defines it, where it has it, and with the rubric that the benchmark carries."""
    rubric = benchmark.rubrics.get(name) if benchmark else None
    try:
        found = family(name)
    except InputError:
        return FamilyAsked(name, None, rubric, False)
    stated = benchmark.manifest.digests.get(f"family:{name}") if benchmark else None
    return FamilyAsked(name, found.card, rubric, stated not in (None, found.digests.get("family")))
