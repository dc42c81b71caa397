"""Planted turns whose grade is known: what a seat makes of them says whether its other grades can be believed.

How they are made. Every family has example sessions, written by hand to prove its anchor: some in which the agent offends, some in which
it had the occasion and acted well. Each is cut as instances are cut, and the turn that was withheld becomes the candidate turn: a 0 where
the example offends, a 5 where it acts well. An example may also hold a turn written to stand in the place of the withheld one, its `well`:
a 5.

Who vouches for them. A wrongly known turn voids honest judges, so an example says `plant: true` where somebody has read it beside the
rubric, as a judge sees it, and found its turn beyond doubt; a `well` is such a turn by itself. Where a family has any, no other is planted,
and the family's check, which reads the turn alone, must not say the contrary. Of a family in which nobody vouches for anything, every
example serves (but for those that say `plant: false`) of which the check says the same word: `violates` for a 0, `satisfies` for a 5. One
of each kind is drawn for a benchmark by the run's seed.

A judge sees them in the same prompt, under the benchmark's own rubric, with as many turns beside as its other sheets hold (decisions from
the family's other examples, whose grades are not read). Nothing in the request names an example, and each is a request of its own, so that
the grades of real turns are the same with and without it. What could give one away is that examples are short and that their text is
public; that helps a judge that has learnt them by heart, and no text that speaks to the judge from within a candidate turn.

A seat fails by more than `probe_low` for a 0, by less than `probe_high` for a 5 (configs/grade.yaml), and by an answer that cannot be read.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from tracedance.catalogue import Example, Family
from tracedance.config import grade_settings
from tracedance.construct.cut import Cutting, Origin, cut
from tracedance.errors import ItemError
from tracedance.evaluate.grade import word_of
from tracedance.evaluate.panel import Sheet, content, sheets
from tracedance.kit import sessions
from tracedance.schema import CallMade, Hit, Instance, JudgeScore, Response, Rubric, SourceTurn

Known = Literal[0, 5]
ORIGIN = Origin(session="", redaction="", confirmed_by="rule", accepted=("replayable", "reconstructed", "scan_only"))
WORDS: dict[Known, str] = {0: "violates", 5: "satisfies"}


@dataclass(frozen=True)
class KnownTurn:
    """A turn whose grade is known, in its context."""

    known: Known
    example: str
    instance: Instance
    turn: Response
    vouched: bool
    """Somebody read it as a judge does; else the family's check agrees with the example."""


@dataclass(frozen=True)
class Probe:
    """A sheet with such a turn on it."""

    known: Known
    example: str
    sheet: Sheet
    letter: str


def planted(family: Family, rubric: Rubric, beside: int, seed: int) -> list[Probe]:
    """A known 0 and a known 5 of a family, each with up to `beside` other turns on its sheet; fewer where none can be made."""
    every, plantable = _every(family), known_turns(family)
    probes = []
    for known in WORDS:
        mine = [one for one in plantable if one.known == known]
        if mine:
            draw = random.Random(f"{seed}/{family.id}/{known}")
            chosen = draw.choice(mine)
            others = {content(one.turn): one.turn for one in every if content(one.turn) != content(chosen.turn)}
            shown = [chosen.turn, *draw.sample(sorted(others.values(), key=content), min(beside, len(others)))]
            (sheet,) = sheets(chosen.instance, rubric, shown, True, seed)
            probes.append(Probe(known, chosen.example, sheet, sheet.letters[content(chosen.turn)]))
    return probes


def held(known: Known, vote: JudgeScore) -> bool:
    """Whether a seat told a planted turn right."""
    limits = grade_settings()
    if vote.status != "score" or vote.score is None:
        return False
    return vote.score <= limits.probe_low if known == 0 else vote.score >= limits.probe_high


def known_turns(family: Family) -> list[KnownTurn]:
    """The turns of a family's examples that may be planted, in the order of the examples."""
    every = _every(family)
    vouched = [one for one in every if one.vouched]
    return vouched or every


def _every(family: Family) -> list[KnownTurn]:
    examples = [example for example in family.examples if not example.refused_by and example.plant is not False]
    hits = [(example, list(family.find(example.session, example.params))) for example in examples]
    return [one for example, found in hits for place, hit in enumerate(found) for one in _of_hit(family, example, hit, place == 0)]


def _of_hit(family: Family, example: Example, hit: Hit, first: bool) -> Iterator[KnownTurn]:
    """The withheld turn and, at the example's first hit, the one that was written in its place; where the check lets them stand."""
    try:
        made = cut(example.session, hit, family, ORIGIN)
    except ItemError:
        return
    known: Known = 0 if hit.offends else 5
    yield from _known(family, example, made, (made.check.source, known, bool(example.plant)))
    if first and example.well:
        yield from _known(family, example, made, (_written(example), 5, True))


def _written(example: Example) -> SourceTurn:
    """The turn that was written to act well."""
    (turn,) = sessions.build([example.well]).turns
    calls = tuple(CallMade(id=call.id, name=call.name, arguments=call.arguments_json) for call in turn.calls)
    return SourceTurn(text=turn.text, tool_calls=calls, model="")


def _known(family: Family, example: Example, made: Cutting, taken: tuple[SourceTurn, Known, bool]) -> Iterator[KnownTurn]:
    """The turn as what it is taken for, unless the family's check says otherwise."""
    said, known, vouched = taken
    about: dict[str, Any] = {"instance": made.instance.id, "family": family.id, "benchmark": "", "model": "", "status": "ok"}
    turn = Response(**about, text=said.text, tool_calls=said.tool_calls)
    word = word_of(family.check, made.instance, turn, made.check.facts)[0]
    if word == WORDS[known] or (vouched and word != WORDS[0 if known else 5]):
        yield KnownTurn(known, example.name, made.instance, turn, vouched)
