"""Every instance of a page: its context, what each model answered, who voted how, and how it was found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tracedance.analyse.rates import outcome
from tracedance.report.context import Context, excerpt
from tracedance.report.excerpts import Call, Clip, called, clip
from tracedance.report.quoted import shown_as
from tracedance.schema import Benchmark, CheckRow, Grade, Instance, JudgeScore, Response

CONTEXTS = 600_000
RESPONSES = 700_000
"""Bytes of HTML that all contexts, and all responses with their votes, may take together before each is cut to its least."""
LEAST_CONTEXT = 5_000
LEAST_RESPONSE = 600
"""Bytes that are of use at all: what one context, and one response with its votes, gets on the largest pages."""
MOST_ANSWERS = 9_500
"""Responses that a page shows. Further instances are counted and left to the run's files."""
WORDS = {"passed": "pass", "not_passed": "no pass"}

Key = tuple[str, str, str, int]
"""(benchmark, instance, model, sample)."""
Grades = Mapping[Key, Grade]


@dataclass(frozen=True)
class Vote:
    judge: str
    score: str
    """The score, or why there is none."""
    rationale: Clip
    quotes: tuple[Clip, ...]
    rubric: str = ""
    """The family whose rubric it is by, where a benchmark has two."""


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
    quoted: tuple[str, ...] = ()
    """All that judges quoted, whole: it is marked where it stands in the response. A call's name stands after `CALLS`."""


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

    @property
    def tags(self) -> str:
        """What the filter of a page goes by: `all-pass`, `none-pass`, `split`, `unscored`, `contradiction`."""
        words = {answer.word for answer in self.answers}
        found = ["all-pass"] if words == {"pass"} else ["split"] if "pass" in words else ["none-pass"]
        if words - {"pass", "no pass"}:
            found.append("unscored")
        if any(answer.contradiction for answer in self.answers):
            found.append("contradiction")
        return " ".join(found)


@dataclass(frozen=True)
class Budget:
    """Bytes of HTML that one context and one response may take, and how many responses more are shown at all."""

    context: int
    response: int
    left: list[int] = field(default_factory=lambda: [MOST_ANSWERS])


def budget(instances: int, responses: int) -> Budget:
    """What each gets on a page of so many: enough to be of use, no more than helps a reader."""
    one = max(LEAST_CONTEXT, min(40_000, CONTEXTS // max(1, instances)))
    return Budget(one, max(LEAST_RESPONSE, min(12_000, RESPONSES // max(1, responses))))


def cases(benchmark: Benchmark | None, responses: Sequence[Response], grades: Grades, models: Sequence[str], much: Budget) -> list[Case]:
    """Every instance that the budget allows, in the benchmark's order, else that of the responses; models in the given order."""
    contexts = {item.id: item for item in benchmark.instances} if benchmark else {}
    by_instance: dict[str, list[Response]] = {name: [] for name in contexts}
    for response in responses:
        by_instance.setdefault(response.instance, []).append(response)
    order = {model: place for place, model in enumerate(models)}
    made = []
    for number, (name, rows) in enumerate(by_instance.items(), 1):
        if much.left[0] < len(rows):
            much.left[0] = 0
            break
        much.left[0] -= len(rows)
        item = contexts.get(name)
        rows = sorted(rows, key=lambda row: (order[row.model], row.sample))
        answers = tuple(answer(row, grades.get((row.benchmark, row.instance, row.model, row.sample)), much.response) for row in rows)
        of = item.family if item else next((row.family for row in rows), "")
        found = benchmark.checks.get(name) if benchmark else None
        context = excerpt(item.messages, found.evidence if found else (), much.context) if item else None
        made.append(Case(number, name, of, item, found, context, answers))
    return made


def answer(response: Response, grade: Grade | None, size: int) -> Answer:
    """A response with its grade; half of the budget is the response's, half its votes'."""
    word = "declined" if response.status == "declined" else outcome(response, grade)
    parts = 1 + len(response.tool_calls)
    votes = grade.votes if grade else ()
    return Answer(
        model=response.model,
        sample=response.sample,
        word=WORDS.get(word, word),
        mean=grade.mean if grade else None,
        text=clip(response.text, size // 2 // parts),
        calls=tuple(called(call, size // 2 // parts) for call in response.tool_calls),
        status=response.status,
        why=response.error or (grade.reason if grade else "no grade"),
        votes=tuple(vote(item, size // 2 // len(votes)) for item in votes),
        check=grade.check if grade else None,
        contradiction=bool(grade and grade.contradiction),
        quoted=tuple(dict.fromkeys(part for item in votes for quote in item.quotes for part in shown_as(quote))),
    )


def vote(score: JudgeScore, size: int) -> Vote:
    """A judge's word."""
    said = str(score.score) if score.status == "score" else score.status
    why = score.rationale or score.error
    quotes = tuple(clip(quote, max(80, size // 6)) for quote in score.quotes[:3])
    return Vote(score.judge, said, clip(why, size // 2), quotes, score.rubric)
