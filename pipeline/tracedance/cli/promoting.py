"""`tracedance promote`."""

import sys
from pathlib import Path

import click

from tracedance.cli.output import AS_JSON, STORE, plain, say, say_json
from tracedance.errors import InputError


@click.command("promote")
@click.argument("run")
@click.option("--to", required=True, type=click.Path(file_okay=False), help="Catalogue folder of yours; made where it is not there.")
@click.option("--yes", is_flag=True, help="You have read what is shown and answer for it.")
@STORE
@AS_JSON
def promote_command(run: str, to: str, yes: bool, store_path: str, as_json: bool) -> None:
    """Keep a family that a model wrote for a build: show all that a person must check, and copy it to a catalogue of your own.

    RUN is the folder that 'tracedance build' printed, or its name. Nothing is copied before you agree. From then on the family is used
    with --catalogue DIR like any that you wrote.
    """
    from tracedance.synthesis.promoting import found, promote, told

    made = found(run, Path(store_path))
    lines = list(told(made))
    if not as_json:
        for line in "\n".join(lines).split("\n"):
            say(plain(line, limit=len(line)))  # whole: what a person answers for must not end in three dots
    if not yes and (as_json or not sys.stdin.isatty() or not click.confirm("Have you checked all of this?")):
        raise InputError("Nothing was copied. Read what 'tracedance promote' shows, then give --yes.")
    kept = promote(made, Path(to))
    if as_json:
        say_json({"family": made.id, "to": to, "files": [str(path) for path in kept], "shown": lines})
    else:
        say(f"{made.id} lies in {plain(to)}. Next: tracedance check-family {plain(to)}")
        say(f"Then: tracedance build --family {made.id} --catalogue {plain(to)}")
