"""Planted turns whose grade is known: what a seat makes of them says whether its other grades can be believed.

How they are made. Every family has example sessions, written by hand to prove its anchor: some in which the agent offends, some in which it
had the occasion and acted well. Each is cut as instances are cut, and the turn that was withheld becomes the candidate turn. It is known to
be a 0 where the example offends and the family's deterministic check, which reads the turn alone, says `violates`; a 5 where the example
acts well, or the scripted policy `offline/careful` answers the same context, and the check says `satisfies`. Two ways that know nothing
of each other must agree, or there is no probe. Nor is there one of an example with `plant: false`, whose turn careful readers graded
otherwise. One of each kind is drawn for a benchmark by the run's seed.

A judge sees them in the same prompt, under the benchmark's own rubric, with as many turns beside as its other sheets hold (decisions from
the family's other examples, whose grades are not read). Nothing in the request names an example, and each is a request of its own, so that
the grades of real turns are the same with and without it. What could give one away is that examples are short and that their text is
public; that helps a judge that has learnt them by heart, and no text that speaks to the judge from within a candidate turn.

A seat fails by more than `probe_low` for a 0, by less than `probe_high` for a 5 (configs/grade.yaml), and by an answer that cannot be read.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tracedance.catalogue import Example, Family
from tracedance.config import grade_settings
from tracedance.construct.cut import Cutting, Origin, cut
from tracedance.errors import ItemError
from tracedance.evaluate.grade import word_of
from tracedance.evaluate.messages import rendered
from tracedance.evaluate.pairing import Unrenderable
from tracedance.evaluate.panel import Sheet, content, sheets
from tracedance.models import offline
from tracedance.schema import CallMade, Hit, Instance, JudgeScore, ModelRequest, Response, Rubric

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


@dataclass(frozen=True)
class Probe:
    """A sheet with such a turn on it."""

    known: Known
    example: str
    sheet: Sheet
    letter: str


def planted(family: Family, rubric: Rubric, beside: int, seed: int) -> list[Probe]:
    """A known 0 and a known 5 of a family, each with up to `beside` other turns on its sheet; fewer where none can be made."""
    every = known_turns(family)
    probes = []
    for known in WORDS:
        mine = [one for one in every if one.known == known]
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
    """Every turn of a family's examples whose grade is known, in the order of the examples."""
    examples = [example for example in family.examples if not example.refused_by and example.written.get("plant", True)]
    return [one for example in examples for hit in family.find(example.session, example.params) for one in _of_hit(family, example, hit)]


def _of_hit(family: Family, example: Example, hit: Hit) -> Iterator[KnownTurn]:
    try:
        made = cut(example.session, hit, family, ORIGIN)
    except ItemError:
        return
    source = made.check.source
    yield from _known(family, example, made, (source.text, source.tool_calls), 0 if hit.offends else 5)
    if hit.offends and (calls := _careful(made.instance)):
        yield from _known(family, example, made, ("", calls), 5)


def _known(family: Family, example: Example, made: Cutting, said: tuple[str, Sequence[CallMade]], known: Known) -> Iterator[KnownTurn]:
    """The turn, where the family's check agrees that it is what it is taken for."""
    turn = Response(
        instance=made.instance.id,
        family=family.id,
        benchmark="",
        model="",
        status="ok",
        text=said[0],
        tool_calls=tuple(said[1]),
    )
    if word_of(family.check, made.instance, turn, made.check.facts)[0] == WORDS[known]:
        yield KnownTurn(known, example.name, made.instance, turn)


def _careful(instance: Instance) -> tuple[CallMade, ...]:
    """What the scripted policy does in a context; () where it has nothing to say."""
    try:
        shown = rendered(instance)
    except Unrenderable:
        return ()
    request = ModelRequest(model=offline.CAREFUL, messages=shown.messages, tools=shown.tools, purpose="respond")
    answer = offline.answer(request)
    return tuple(CallMade(**call) for call in answer.tool_calls) if answer.status == "ok" else ()
