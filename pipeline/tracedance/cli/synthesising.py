"""`tracedance synth`: invented sessions with known answers, as many as wanted."""

import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tracedance.cli.output import AS_JSON, progress, say, say_json
from tracedance.errors import InputError

if TYPE_CHECKING:
    from tracedance.synth.exam.corpus import Corpus


@click.command("synth")
@click.option("--sessions", type=click.IntRange(1, 300_000), default=1000, show_default=True, help="Sessions to write.")
@click.option(
    "--seed", type=click.IntRange(0), default=7, show_default=True, help="Session i of a seed is the same in a corpus of any size."
)
@click.option("--out", required=True, type=click.Path(), help="Folder of the corpus; an earlier corpus in it is replaced.")
@click.option("--family", default="", help="Plant this family, or behaviour beyond the catalogue (cu_...), only.")
@click.option("--rate", type=click.FloatRange(0, 1000), default=1.0, show_default=True, help="Scale the rates of all planted places.")
@AS_JSON
def synth_command(sessions: int, seed: int, out: str, family: str, rate: float, as_json: bool) -> None:
    """Write synthetic Claude Code, Codex and chat sessions with offences, met opportunities and near misses of every family and
    of six behaviours (cu_...) that no family fits.

    OUT/places.jsonl names each planted place: session, turn, family, kind, why. The same arguments give the same bytes.
    """
    from tracedance.synth.exam import corpus
    from tracedance.synth.exam.plan import Wish

    if math.isnan(rate):  # Compares with no bound of the range.
        raise InputError("--rate nan is no number. Give one from 0 to 1000.")
    wish = Wish(seed, full_name(family) if family else "", rate)
    with progress() as advance:
        made = corpus.write(Path(out), sessions, wish, advance)
    if as_json:
        say_json({**asdict(made), "path": str(made.path)})
    else:
        say_end(made)


def full_name(family: str) -> str:
    """The id of a family that may be given by its bare name; InputError where none is meant."""
    from tracedance.synth.exam.plan import custom, rates

    known = sorted([*rates()["coding"], *custom()["coding"]])
    found = [name for name in known if family in (name, name.partition("/")[2])]
    if not found:
        raise InputError(f"No behaviour family is named {family!r}. 'tracedance families' lists all.")
    return found[0]


def say_end(made: "Corpus") -> None:
    """What was written, a line a family."""
    held = ", ".join(f"{count} {name}" for name, count in made.harnesses.items())
    say(f"{made.sessions} sessions ({held}), {made.bytes / 1e6:,.1f} MB, in {made.path}")
    for family, kinds in made.places.items():
        counts = ", ".join(f"{kinds.get(kind, 0)} {kind.replace('_', ' ')}" for kind in ("offence", "met", "near_miss"))
        say(f"  {family}: {counts}")
    say(f"Where they are: {made.path / 'places.jsonl'}")
