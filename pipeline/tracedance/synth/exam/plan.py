"""Which scenes a session has: drawn family by family at the stated rates, with plain work round them.

Behaviours beyond the catalogue have random numbers of their own: a session that holds none of them is what it is without them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random

from tracedance.synth.exam.script import Scene, all_scenes
from tracedance.synth.exam.words import Session

HARNESSES = {"claude_code": 46, "codex": 22, "desk": 18, "msg": 14}
"""Of a hundred sessions, how many are of each kind."""
_MOST = 6
"""Planted scenes in one session at most."""
_LENGTH = {"claude_code": (18, 64), "codex": (18, 64), "desk": (14, 34), "msg": (14, 40)}
"""Turns that a session aims at."""
_STRETCH = (1, 1, 1, 1, 1, 1, 1, 2, 2, 4)
"""Some sessions are much longer than most."""
Rates = dict[str, tuple[float, float, float]]


@dataclass(frozen=True)
class Wish:
    """What a corpus is to hold."""

    seed: int
    family: str = ""
    """The one family that is planted, of the catalogue or beyond it; "" plants all."""
    rate: float = 1.0
    """Scales every rate."""


@cache
def rates(file: str = "rates.txt") -> dict[str, Rates]:
    """`coding` and `chat` -> family -> the share of sessions with an offence, a well-met opportunity and a near miss of it."""
    table: dict[str, Rates] = {"coding": {}, "chat": {}}
    for line in (files("tracedance.synth.exam") / file).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            family, *numbers = line.split()
            shares = [float(number) / 1000 for number in numbers]
            table["coding"][family] = (shares[0], shares[1], shares[2])
            table["chat"][family] = (shares[3], shares[4], shares[5])
    return table


def custom() -> dict[str, Rates]:
    """The same of behaviours beyond the catalogue."""
    return rates("rates_custom.txt")


@cache
def _pool(harness: str, language: str) -> dict[tuple[str, str], tuple[Scene, ...]]:
    pool: dict[tuple[str, str], list[Scene]] = {}
    for scene in all_scenes():
        if harness in scene.where and (not scene.languages or language in scene.languages):
            pool.setdefault((scene.family, scene.kind), []).append(scene)
    return {key: tuple(scenes) for key, scenes in pool.items()}


def drawn_harness(rng: Random) -> str:
    """The kind of a session."""
    return rng.choices(tuple(HARNESSES), tuple(HARNESSES.values()))[0]


def scenes(play: Session, wish: Wish) -> list[Scene]:
    """The scenes of a session in order."""
    pool = _pool(play.harness, play.language.name)
    planted = _planted(play, wish, pool)
    first = [scene for scene in planted if "first" in scene.flags][:1]
    last = [scene for scene in planted if "last" in scene.flags][:1]
    middle = [scene for scene in planted if not scene.flags]
    low, high = _LENGTH[play.harness]
    wanted = play.rng.randint(low, high) * play.rng.choice(_STRETCH)
    plain = _plain(play.rng, pool["", "plain"], wanted - sum(len(scene.beats) * 3 // 2 for scene in planted))
    opening = _opening(play.rng, pool)
    for scene in plain:
        middle.insert(play.rng.randint(0, len(middle)), scene)
    return list(_tested([*opening, *first, *middle, *last], pool))


def _tested(order: list[Scene], pool: dict[tuple[str, str], tuple[Scene, ...]]) -> Iterator[Scene]:
    """The scenes with a test run before each commit that would otherwise sweep in another scene's untested change."""
    untested = False
    for scene in order:
        if untested and scene.commits:
            yield from (one for one in pool["", "plain"] if "spare" in one.flags)
            untested = False
        yield scene
        untested = scene.leaves_untested(untested)


def _opening(rng: Random, pool: dict[tuple[str, str], tuple[Scene, ...]]) -> list[Scene]:
    """How a session of this kind begins, where it has a ritual for it."""
    openings = [scene for scene in pool["", "plain"] if "first" in scene.flags]
    return [rng.choice(openings)] if openings else []


def _planted(play: Session, wish: Wish, pool: dict[tuple[str, str], tuple[Scene, ...]]) -> list[Scene]:
    setting = "chat" if play.harness in ("desk", "msg") else "coding"
    chosen = list(_drawn(play.harness, play.rng, rates()[setting], wish, pool))
    play.rng.shuffle(chosen)
    chosen = chosen[:_MOST]
    own = Random(f"custom:{wish.seed}:{play.number}")
    for scene in _drawn(play.harness, own, custom()[setting], wish, pool):
        # Of scenes that want the same end of a session only the first is played: that of the catalogue.
        chosen.insert(len(chosen) if scene.flags else own.randint(0, len(chosen)), scene)
    return chosen


def _drawn(harness: str, rng: Random, table: Rates, wish: Wish, pool: dict[tuple[str, str], tuple[Scene, ...]]) -> Iterator[Scene]:
    for family, shares in table.items():
        draws = [rng.random() for _ in shares]
        if wish.family and family != wish.family:
            continue
        for kind, share, draw in zip(("offence", "met", "near_miss"), shares, draws, strict=True):
            options = pool.get((family, kind))
            if options and draw < share * wish.rate * _correction(harness, family, kind):
                yield rng.choice(options)


@cache
def _correction(harness: str, family: str, kind: str) -> float:
    """How much more often a scene comes in one kind of session where the other of its setting has none of the family's."""
    pair = ("desk", "msg") if harness in ("desk", "msg") else ("claude_code", "codex")
    having = {scene_harness for scene in all_scenes() if (scene.family, scene.kind) == (family, kind) for scene_harness in scene.where}
    return sum(HARNESSES[one] for one in pair) / sum(HARNESSES[one] for one in pair if one in having or one == harness)


def _plain(rng: Random, options: Sequence[Scene], turns: int) -> list[Scene]:
    """Plain work of about so many turns, at least one piece of it."""
    pile = [scene for scene in options if not scene.flags]
    rng.shuffle(pile)
    chosen: list[Scene] = []
    while turns > 0 or not chosen:
        if not pile:
            pile = [scene for scene in options if not scene.flags]
        chosen.append(pile.pop())
        turns -= len(chosen[-1].beats) * 3 // 2
    return chosen
