"""Which sessions belong together: forks and sub-agents with the session they come from, and copies of one history under several ids."""

import polars as pl

COMMON_TURNS = 4
"""So many equal first turns, the model's own among them, are no coincidence."""

FACTS = ("id", "source_id", "parent", "head")
"""Columns of the sessions table that tell it."""


def lineage(table: pl.DataFrame) -> dict[str, str]:
    """For each session of a sessions table (`FACTS`) the id that stands for all it belongs with: their least."""
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        while leader[name] != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    def join(one: str, other: str) -> None:
        first, second = sorted((find(one), find(other)))
        leader[second] = first

    shared: dict[tuple[str, str], str] = {}
    for name, source, parent, head in table.select(FACTS).sort("id").iter_rows():
        leader[name] = name
        chains = head.split(" ")
        marks = [("source", source), ("source", parent), ("chain", chains[COMMON_TURNS - 1] if len(chains) >= COMMON_TURNS else "")]
        for mark in marks:
            if mark[1]:
                join(name, shared.setdefault(mark, name))
    return {name: find(name) for name in leader}
