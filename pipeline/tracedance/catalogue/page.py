"""`docs/catalogue.md`, written from the families: `python -m tracedance.catalogue.page` prints it."""

from collections.abc import Iterable, Iterator

from tracedance.catalogue import Family, families

GROUPS = {
    "valid_call": "Valid calls",
    "check_first": "Check first",
    "handle_failure": "Handle failure",
    "honest_claim": "Honest claims",
}
HEAD = """\
# The catalogue

{count} behaviour families. This page is written from `anchors/` and `rubrics/` by `make catalogue`;
change those, not this. `tracedance show FAMILY` tells more of one.
"""


def page(shown: Iterable[Family]) -> str:
    """The page as Markdown: a list of all, then each family by group."""
    known = list(shown)
    out = [HEAD.format(count=len(known)), "| family | group | in short |", "|---|---|---|"]
    out += [f"| [`{family.id}`](#{family.name}) | {GROUPS[family.card.group]} | {cell(family.card.title)} |" for family in known]
    for group, title in GROUPS.items():
        mine = [family for family in known if family.card.group == group]
        out += ["", f"## {title}"] if mine else []
        for family in mine:
            out += section(family)
    return "\n".join(out) + "\n"


def section(family: Family) -> Iterator[str]:
    """One family."""
    card = family.card
    yield from ("", f'<a id="{family.name}"></a>', f"### {card.title}", "")
    yield f"`{family.id}` · {card.label} · {', '.join(name.replace('_', ' ') for name in card.setting)}"
    yield from ("", " ".join(card.definition.split()), "", f"**Why it matters.** {' '.join(card.why.split())}", "")
    yield f"**Opportunity.** {' '.join((card.opportunity or 'Not defined, so there is no rate.').split())}"
    if card.rate_among:
        yield from ("", f"**The rate** is one among {' '.join(card.rate_among.split())}.")
    yield from ("", "**Not this:**", *(f"- {' '.join(item.split())}" for item in card.not_this), "", "**Confirmed when:**")
    for question in card.confirm:
        how = f"by rule: {', '.join(f'`{guard}`' for guard in question.guards)}" if question.guards else "needs a model or a person"
        yield f"- {' '.join(question.ask.split())} *{question.want}* ({how})"
    yield from ("", f"**The cut** keeps {' '.join(card.cut.keeps.split()).rstrip('.')}.")
    yield from (f"- open if: {' '.join(item.split())}" for item in card.cut.open_if)
    yield from (f"- dropped by rule if: {item.replace('_', ' ')}" for item in card.cut.drops_if)
    yield from ("", f"**Rubric.** {' '.join(family.rubric.question.split())}", "")
    yield from (f"- {level}: {' '.join(text.split())}" for level, text in sorted(family.rubric.levels.items()))
    if card.parameters:
        yield from ("", "**Parameters:** " + ", ".join(f"`{name}` = {value!r}" for name, value in card.parameters.items()))


def cell(text: str) -> str:
    """A text inside a table."""
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    print(page(families().values()), end="")
