import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.store.recorded import FIRST_EDIT, SECOND_EDIT, write_session
from tracedance.kit import rows
from tracedance.kit.needs import Both, Needs, Row, among, matching
from tracedance.scan.conditions import Conditions, columns
from tracedance.store.columns import event_columns
from tracedance.store.importing import import_paths
from tracedance.store.store import Store

SESSIONS = {
    "a": [*FIRST_EDIT, *SECOND_EDIT],
    "b": FIRST_EDIT,
    "c": [
        {"user": "Commit it."},
        {"text": "Now.", "call": ("Bash", {"command": "git commit -am x"})},
        {"result": "Exit code 1", "error": True},
    ],
    "d": [{"user": "git commit, please"}, {"text": "Done."}],
}
NEEDS: list[Needs] = [
    among("tool_class", "edit"),
    among("tool", "Bash", "Edit"),
    among("status", "error") & among("tool", "Edit"),
    among("error_class", "edit_not_found") | matching(r"\bgit\s+commit\b", "cmd"),
    matching("(?i)DONE", "text", among("role", "assistant")),
    matching("(?i)commit", "text", among("author", "user")),
    matching("", "cmd", among("tool", "Bash"), among("status", "error")),
    matching("(?i)done", "text") & (matching("Once", "text") | among("kind", "reasoning")),
    matching("String to replace", "err_text"),
    among("tool", "Nothing"),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("needs")
    for name, steps in SESSIONS.items():
        write_session(folder / f"in/{name}.jsonl", name, steps)
    import_paths(folder / "s", [folder / "in"])
    return Store.open(folder / "s")


def _holds(row: Row, event: dict[str, Any]) -> bool:
    value = event.get(row.column)
    found = value in row.values if row.values else value is not None and re.search(row.pattern, value) is not None
    return found and all(_holds(part, event) for part in row.where)


def _meets(needs: Needs, rows: list[dict[str, Any]]) -> bool:
    if isinstance(needs, Row):
        return any(_holds(needs, row) for row in rows)
    met: Iterator[bool] = (_meets(part, rows) for part in needs.parts)
    return all(met) if isinstance(needs, Both) else any(met)


@pytest.mark.parametrize("needs", NEEDS)
def test_columns_answer_as_reading_each_row_would(store: Store, needs: Needs) -> None:
    (shard,) = store.shards()
    asked = Conditions(store.read(shard, sorted({"seq", *columns([needs])})))
    flagged = {asked.ids[place] for place in asked.sessions(needs).nonzero()[0]}
    assert flagged == {name for name in SESSIONS if _meets(needs, pl.DataFrame(event_columns([store.session(name)])).to_dicts())}


def test_a_store_without_sessions_meets_nothing(store: Store, tmp_path: Path) -> None:
    (shard,) = store.shards()
    empty = store.read(shard, ["seq", "tool", "text"]).clear()
    assert Conditions(empty).sessions(among("tool", "Bash") & matching("x", "text", among("tool", "y"))).tolist() == []


@pytest.mark.parametrize("text", ["done", "un done-", "édone", "doneé", "redone", "“done”", "done…", "a\\bc"])
@pytest.mark.parametrize("pattern", [r"\bdone\b", r"(?i)\bDONE", r"\\b", r"done\b"])
def test_word_borders_are_those_of_the_reference(text: str, pattern: str) -> None:
    frame = pl.DataFrame({"session": ["s"], "seq": [0], "text": [text]})
    needs = matching(pattern, "text")
    assert Conditions(frame).sessions(needs).tolist() == [rows.holds(needs, [{"text": text}])]
