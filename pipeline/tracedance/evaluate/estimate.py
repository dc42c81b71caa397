"""What an evaluation would cost: every turn's request is made and measured, and not sent. What its ledger holds already is free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracedance.evaluate.offers import seen_text
from tracedance.evaluate.panel import Sheet
from tracedance.evaluate.plan import Plan
from tracedance.evaluate.respond import Turn, request
from tracedance.models import offline, prompts, replay
from tracedance.models.call import reachable, subject_of
from tracedance.models.config import Models
from tracedance.models.fitting import fit, longest
from tracedance.models.ledger import Ledger, key_of
from tracedance.models.prices import FRAME, largest
from tracedance.models.spending import Expected, estimated
from tracedance.schema import Instance, Rubric

CHARACTERS = 4
A_TURN, A_VOTE = 300, 250
"""Tokens of a next turn and of one judge's words on one turn."""


@dataclass(frozen=True)
class Panel:
    """Who will judge, and the sheets with planted turns."""

    plan: Plan
    planted: Sequence[Sheet]


def estimate(turns: Sequence[Turn], models: Models, panel: Panel, ledger: Path) -> dict[str, Any]:
    """Calls and dollars by stage, role and model."""
    held = _answered(ledger)
    expected = [one for name in dict.fromkeys(turn.model for turn in turns) if (one := _turns_of(name, turns, models, held))]
    groups: dict[tuple[str, str, int], list[Turn]] = {}
    for turn in turns:
        groups.setdefault((turn.benchmark.manifest.name, turn.instance.id, turn.sample), []).append(turn)
    expected += [_votes_of(seat, list(groups.values()), models, panel) for seat in panel.plan.seats] if turns else []
    return estimated(expected, models)


def _turns_of(name: str, turns: Sequence[Turn], models: Models, held: set[str]) -> Expected | None:
    if name.startswith((offline.PREFIX, replay.PREFIX)):
        return None
    endpoint = reachable(name, models)
    calls, given, most = 0, 0, (0, 0)
    for turn in turns:
        if turn.model == name:
            to, asked = fit(endpoint, request(turn, models))
            subject = subject_of(to, asked)
            if key_of(subject) not in held:
                tokens = largest(asked, subject["parameters"])
                calls, given = calls + 1, given + (tokens[0] - FRAME) // CHARACTERS
                most = max(most[0], tokens[0]), max(most[1], tokens[1])
    return Expected("respond", name, calls, calls, given, calls * A_TURN, most)


def _votes_of(seat: str, groups: Sequence[Sequence[Turn]], models: Models, panel: Panel) -> Expected:
    calls, given, votes, widest = 0, 0, 0, 0
    for group in groups:
        first = group[0]
        for rubric in panel.plan.rubrics_of(first).values():
            words = _words(first.instance, rubric)
            sheets = 1 if panel.plan.ruling.mode == "joint" else len(group)
            calls, votes = calls + sheets, votes + len(group)
            given += sheets * words // CHARACTERS + len(group) * A_TURN
            widest = max(widest, 2 * words + len(group) * 4 * A_TURN * CHARACTERS)
    for sheet in panel.planted:
        words = _words(sheet.instance, sheet.rubric)
        calls, votes, given = calls + 1, votes + len(sheet.turns), given + words // CHARACTERS + len(sheet.turns) * A_TURN
    limit = longest(models.endpoint(seat), "judge", models.parameters("judge"))
    return Expected("judge", seat, calls, 2 * calls, given, votes * A_VOTE, (widest + FRAME, limit))


def _words(instance: Instance, rubric: Rubric) -> int:
    """Characters of a sheet without its turns."""
    return len(prompts.load("judge").text) + len(seen_text(instance)) + sum(map(len, rubric.levels.values()))


def _answered(path: Path) -> set[str]:
    if not path.exists():
        return set()
    with Ledger(path) as ledger:
        return {key for (key,) in ledger.ask("SELECT key FROM attempt WHERE state = 'answered'")}
