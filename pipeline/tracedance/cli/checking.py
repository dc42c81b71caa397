"""`tracedance check-family`."""

from pathlib import Path

import click

from tracedance.cli.output import AS_JSON, TRUST, plain, say, say_json


@click.command("check-family")
@click.argument("folder", metavar="DIR", type=click.Path())
@TRUST
@AS_JSON
def check_family_command(folder: str, as_json: bool) -> None:
    """Name all that is missing or wrong in a catalogue folder of your own, by file and line with the cure.

    DIR holds anchors/ and rubrics/. Files, functions, patterns and levels are looked at, and what the code imports. Each family is run, in
    the sandbox, on its examples, on every example cut off at its decision, and, for its NEEDS, on the examples of all other families;
    its check on each decision of the examples. Exit code 2 if anything is wrong.
    """
    from tracedance.catalogue import families
    from tracedance.catalogue.proving import check

    shipped = [example.session for family in families().values() for example in family.examples]
    found = check(Path(folder), shipped)
    if as_json:
        problems = [{"file": one.file, "line": one.line, "problem": one.what, "cure": one.cure} for one in found.problems]
        say_json({"path": folder, "families": list(found.families), "problems": problems})
    else:
        for one in found.problems:
            place = f"{one.file}:{one.line}" if one.line else one.file
            say(plain(f"{place}: {one.what}. {one.cure}."))
        named = ", ".join(found.families) or "no family"
        if found.problems or found.families:
            say(f"{len(found.problems)} problems in {named}." if found.problems else f"{named}: complete, and the examples hold.")
        else:
            say(f"{plain(folder)} holds no family: anchors/<frame>/ is empty. docs/new-family.md shows the files of one.")
    if found.problems or not found.families:
        raise click.exceptions.Exit(2)
