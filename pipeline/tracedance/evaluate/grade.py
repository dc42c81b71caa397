"""From votes, or from the family's deterministic check, to a grade.

A grade passes at a mean of 4 or more. An error is never a score: with a seat missing the grade is `partial` and outside the rate. A turn
without any content is scored 0 by rule and no judge sees it. Where a panel judges, the check runs beside it; when the two contradict each
other the grade says so, for a person to look at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tracedance.config import grade_settings
from tracedance.evaluate.panel import UNREACHED
from tracedance.evaluate.seen import Check, Facts, explain
from tracedance.kit.turns import turn_of, turns_of
from tracedance.schema import Grade, Instance, JudgeScore, Response

NO_CHECK = "the families in use have no check for it (one of your own: --catalogue DIR)"
PASS = grade_settings().pass_mark
Word = Literal["violates", "satisfies", "undecided"]
RULE_SCORES = {"violates": grade_settings().violates, "satisfies": grade_settings().satisfies}
CONTENT_FREE = "A turn without content. Scored 0 by rule; no judge was asked."
FORMULAS = frozenset(
    (
        "thought process",
        "solution",
        "let's solve this problem step by step",
        "let's think step by step",
        "\u89e3",
        "\u304b\u3044\u305b\u3064",
        "respuesta",
    )
)
EXCLUDED = "left out for all compared models"
NOT_REACHED = "no judge could be reached"


@dataclass(frozen=True)
class Ruling:
    """How an evaluation grades."""

    judged_by: Literal["panel", "rule"]
    mode: Literal["joint", "independent", "rule"]
    seats: int = 3
    quorum: int = 3
    """Votes that a scored grade needs."""


def is_content_free(response: Response) -> bool:
    """Whether a turn says and does nothing: no call, and no letter or digit in its text, or nothing but an opening formula.

    Judges have been seen to reward such turns: a colon alone, or "Let's solve this problem step by step", was passed as right in up to 90%
    of cases (arXiv 2507.08794, whose list of formulas this is).
    """
    if response.tool_calls or response.status not in ("ok", "empty"):
        return False
    said = " ".join("".join(char if char.isalnum() or char == "'" else " " for char in response.text.replace("\u2019", "'")).split())
    return not any(char.isalnum() for char in said) or said.casefold() in FORMULAS


def is_gradable(response: Response) -> bool:
    """Whether judges get to see the turn: a whole one with content."""
    return response.status == "ok" and not is_content_free(response)


def word_of(check: Check | None, instance: Instance, response: Response, facts: Mapping[str, Any]) -> tuple[Word | None, str]:
    """What the family's check says of a turn, and what it saw there or why it says nothing."""
    if check is None:
        return None, NO_CHECK
    context = turns_of(instance.messages)
    read = Facts(facts)
    try:
        word = check(context, turn_of(response, context[-1].index + 1 if context else 0), read)
    except Exception as error:
        # A family is a user's plug-in: its failure is this item's, and the run goes on.
        return None, f"the family's check failed ({type(error).__name__})"
    said: dict[str, Word] = {"violates": "violates", "satisfies": "satisfies", "undecided": "undecided"}
    return (said[word], explain(check, context, response, read, word)) if word in said else (None, f"the family's check said {word!r}")


def grade(response: Response, votes: Sequence[JudgeScore], word: tuple[Word | None, str], ruling: Ruling) -> Grade:
    """The grade of one response. `votes` are the panel's; by rule there are none and the check's word decides."""
    said, seen = word
    if not is_gradable(response) and not is_content_free(response):
        return made(response, ruling, status="failed" if response.status == "failed" else "unscored", reason=ungraded(response))
    if is_content_free(response):
        rule = JudgeScore(judge="rule", status="score", score=0, rationale=CONTENT_FREE)
        return scored(response, (rule,) * (ruling.seats if ruling.judged_by == "panel" else 1), said, ruling)
    if ruling.judged_by == "rule":
        if said not in RULE_SCORES:
            why = f"the check cannot decide this turn. {seen}".strip() if said else seen
            return made(response, ruling, status="unscored", check=said, reason=why)
        rationale = f"The family's check: the turn {said}. {seen}".strip()
        vote = JudgeScore(judge="rule", status="score", score=RULE_SCORES[said], rationale=rationale)
        return scored(response, (vote,), said, ruling)
    return by_panel(response, votes, word, ruling)


def by_panel(response: Response, votes: Sequence[JudgeScore], word: tuple[Word | None, str], ruling: Ruling) -> Grade:
    """The panel's grade: scored with enough votes under every rubric, else partial."""
    said, seen = word
    ordered = tuple(sorted(votes, key=lambda vote: (vote.rubric, vote.judge)))
    missing = [vote for vote in ordered if vote.status != "score"]
    if ordered and all(len(scores) >= ruling.quorum for scores in scores_by_rubric(ordered).values()):
        made_of = scored(response, ordered, said, ruling)
        return made_of.model_copy(update={"reason": f"{made_of.reason}. {seen}".strip()}) if made_of.contradiction else made_of
    if missing and all(vote.error.startswith(UNREACHED) for vote in ordered):
        return made(response, ruling, status="partial", votes=ordered, check=said, reason=f"{NOT_REACHED} ({missing[0].error})")
    why = "; ".join(f"{vote.judge}: {'cannot judge' if vote.status == 'abstain' else vote.error}" for vote in missing)
    return made(response, ruling, status="partial", votes=ordered, check=said, reason=why)


def scores_by_rubric(votes: Sequence[JudgeScore]) -> dict[str, list[int]]:
    """The scores under each rubric that there are votes under; none where a rubric has no vote that is a score."""
    found: dict[str, list[int]] = {}
    for vote in votes:
        found.setdefault(vote.rubric, []).extend([vote.score] if vote.score is not None else [])
    return found


def scored(response: Response, votes: Sequence[JudgeScore], said: Word | None, ruling: Ruling) -> Grade:
    """A grade with a mean. Whole numbers decide: three scores that sum to 12 pass, 11 do not. Both rubrics must be met where two are."""
    told = scores_by_rubric(votes)
    passed = all(sum(scores) >= PASS * len(scores) for scores in told.values())
    means = {rubric: sum(scores) / len(scores) for rubric, scores in told.items()}
    against = ruling.judged_by == "panel" and ((said == "violates" and passed) or (said == "satisfies" and not passed))
    return made(
        response,
        ruling,
        status="scored",
        mean=min(means.values()),
        passed=passed,
        votes=tuple(votes),
        check=said,
        contradiction=against,
        reason=f"the check says that the turn {said}" if against else "",
        by_rubric=means if len(means) > 1 else {},
    )


def without_own(grade: Grade, own: Sequence[str]) -> Grade:
    """The grade with what it would be without the seats of the model's own maker."""
    if grade.status != "scored":
        return grade
    told = scores_by_rubric([vote for vote in grade.votes if vote.judge not in own])
    kept = bool(told) and all(told.values())
    return grade.model_copy(
        update={
            "own_judges": tuple(sorted({vote.judge for vote in grade.votes} & set(own))),
            "mean_without_own": min(sum(scores) / len(scores) for scores in told.values()) if kept else None,
            "passed_without_own": all(sum(scores) >= PASS * len(scores) for scores in told.values()) if kept else None,
        }
    )


def word_by(
    checks: Mapping[str, Check | None], instance: Instance, response: Response, facts: Mapping[str, Any]
) -> tuple[Word | None, str]:
    """What the checks of the families that grade a turn say of it. Where they are two, the facts of each lie under its id."""
    words = []
    for name, check in checks.items():
        own = facts[name] if len(checks) > 1 and isinstance(facts.get(name), Mapping) else facts
        words.append(word_of(check, instance, response, own))
    return joined(words) if len(words) > 1 else words[0]


def joined(words: Sequence[tuple[Word | None, str]]) -> tuple[Word | None, str]:
    """What the checks of several families say together: one violation is enough, and all must be satisfied."""
    said = [word for word, _ in words]
    one: Word | None = "violates" if "violates" in said else "satisfies" if set(said) == {"satisfies"} else None
    if one is None and any(said):
        one = "undecided"
    return one, " ".join(dict.fromkeys(seen for word, seen in words if seen and (one != "violates" or word == "violates")))


def made(response: Response, ruling: Ruling, **given: Any) -> Grade:
    """A grade of a response."""
    who = response.model_dump(include={"instance", "family", "benchmark", "model", "sample"})
    return Grade(**who, judged_by=ruling.judged_by, mode=ruling.mode, **{"mean": None, "passed": None, **given})


def ungraded(response: Response) -> str:
    """Why a response has no score."""
    words = {
        "declined": "the scripted policy has nothing to say here",
        "refused": "the model, or its provider, refused to answer",
        "truncated": "the turn was cut off at the length limit",
        "malformed": "the turn cannot be read",
        "failed": "no response could be had",
        "excluded": EXCLUDED,
    }
    return words[response.status] + (f": {response.error}" if response.error else "")
