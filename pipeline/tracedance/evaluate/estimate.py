"""What an evaluation would cost: every turn's request is made and measured, and not sent. What its ledger holds already is free."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tracedance.evaluate.rendering import context_text
from tracedance.evaluate.respond import Turn, request
from tracedance.models import offline, prompts, replay
from tracedance.models.call import reachable, subject_of
from tracedance.models.config import Models
from tracedance.models.fitting import fit, longest
from tracedance.models.ledger import Ledger, key_of
from tracedance.models.prices import FRAME, largest
from tracedance.models.spending import Expected, estimated

CHARACTERS = 4
A_TURN, A_VOTE = 300, 250
"""Tokens of a next turn and of one judge's words on one turn."""


def estimate(turns: Sequence[Turn], models: Models, seats: Sequence[str], joint: bool, ledger: Path) -> dict[str, Any]:
    """Calls and dollars by stage, role and model."""
    held = _answered(ledger)
    expected = [one for name in dict.fromkeys(turn.model for turn in turns) if (one := _turns_of(name, turns, models, held))]
    groups: dict[tuple[str, str, int], list[Turn]] = {}
    for turn in turns:
        groups.setdefault((turn.benchmark.manifest.name, turn.instance.id, turn.sample), []).append(turn)
    expected += [_votes_of(seat, list(groups.values()), models, joint) for seat in seats] if turns else []
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


def _votes_of(seat: str, groups: Sequence[Sequence[Turn]], models: Models, joint: bool) -> Expected:
    fixed = len(prompts.load("judge").text)
    calls, given, votes, widest = 0, 0, 0, 0
    for group in groups:
        first = group[0]
        rubric = first.benchmark.rubrics[first.instance.family]
        words = fixed + len(context_text(first.instance.messages)) + sum(map(len, rubric.levels.values()))
        sheets = 1 if joint else len(group)
        calls, votes = calls + sheets, votes + len(group)
        given += sheets * words // CHARACTERS + len(group) * A_TURN
        widest = max(widest, 2 * words + len(group) * 4 * A_TURN * CHARACTERS)
    limit = longest(models.endpoint(seat), "judge", models.parameters("judge"))
    return Expected("judge", seat, calls, 2 * calls, given, votes * A_VOTE, (widest + FRAME, limit))


def _answered(path: Path) -> set[str]:
    if not path.exists():
        return set()
    with Ledger(path) as ledger:
        return {key for (key,) in ledger.ask("SELECT key FROM attempt WHERE state = 'answered'")}
