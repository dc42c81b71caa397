"""`tracedance families` and `tracedance show`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tracedance.cli.output import AS_JSON, CATALOGUE, say, say_json

if TYPE_CHECKING:
    from tracedance.catalogue import Family


@click.command("families")
@CATALOGUE
@AS_JSON
def families_command(catalogues: tuple[str, ...], as_json: bool) -> None:
    """List the behaviour families: id, title, capability label, group and frame."""
    from tracedance.catalogue import families

    found = families([Path(folder) for folder in catalogues])
    if as_json:
        say_json({"families": [row(family) for family in found.values()]})
        return
    width = max(len(name) for name in found)
    for family in found.values():
        say(f"{family.id:{width}}  {family.card.title}  ({family.card.label}, {family.card.group.replace('_', ' ')})")


def row(family: "Family") -> dict[str, str]:
    """One family in the stable JSON shape of `families`."""
    return {"id": family.id, "title": family.card.title, "label": family.card.label, "group": family.card.group, "frame": family.frame}


@click.command("show")
@click.argument("name", metavar="FAMILY")
@CATALOGUE
@AS_JSON
def show_command(name: str, catalogues: tuple[str, ...], as_json: bool) -> None:
    """Everything about one family on one screen."""
    from tracedance.catalogue import family

    found = family(name, [Path(folder) for folder in catalogues])
    if as_json:
        say_json(
            row(found)
            | {"card": found.card.model_dump(mode="json"), "rubric": found.rubric.model_dump(mode="json"), "digests": dict(found.digests)}
        )
        return
    for line in lines(found):
        say(line)


def lines(family: "Family") -> list[str]:
    """The screen of `show`."""
    card = family.card
    out = [f"{family.id}: {card.title}", f"{card.label} | {card.group.replace('_', ' ')} | {', '.join(card.setting)}", ""]
    out += [card.definition, "", f"Why it matters: {card.why}", "", "Not this:"]
    out += [f"  - {item}" for item in card.not_this]
    out += ["", f"Opportunity: {card.opportunity or 'not defined, so there is no rate'}", "", "Confirmed when:"]
    for question in card.confirm:
        by_rule = f" [by rule: {', '.join(question.guards)}]" if question.guards else " [needs a model]"
        out.append(f"  - {question.ask} -> {question.want}{by_rule}")
    out += ["", f"The context keeps {card.cut.keeps}."]
    out += [f"  open if: {item}" for item in card.cut.open_if]
    out += [f"  dropped if: {item}" for item in card.cut.drops_if]
    out += ["", f"Rubric: {family.rubric.question}"]
    out += [f"  {level}  {text}" for level, text in sorted(family.rubric.levels.items())]
    out += ["", "A deterministic check of the next turn: " + ("yes" if family.check else "no")]
    if card.parameters:
        out += ["Parameters: " + ", ".join(f"{name} (default {value!r})" for name, value in card.parameters.items())]
    out += ["", "Asked as:"]
    out += [f"  - {phrase}" for phrase in card.asked_as]
    return out
