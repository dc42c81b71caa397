"""A run as it lies there, to the byte: its own files, and every grading made anew in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tracedance.compare.rejudging import FOLDER
from tracedance.gate.runs import check_complete, read_run
from tracedance.store import beside, runs

CURE = "Take away what is not the run's; what is missing or edited is made again by the same 'tracedance evaluate', 'rejudge' or 'report'."
JOURNAL = "ledger.sqlite3-journal"


def verified_run(folder: Path) -> dict[str, Any]:
    """What a run holds, once every file of it is what was written: `files`, `responses`, `rejudged`, `unfinished`, `unsealed`.

    InputError: not finished (2); edited, missing and added files, all named, and rows that contradict each other (6).
    """
    expected = runs.expected(folder)
    living = beside.sealed(folder)
    missing = (beside.FILE,) if living is None and runs.has_beside(folder) else ()
    told = {**expected, **(living or {}), **dict.fromkeys(missing, "")}
    held = list(beside.files_in(folder))
    unlisted = sorted(name for name in beside.LIVING if name in held and name not in told)
    changing = beside.being_written(folder) if runs.has_beside(folder) else {*unlisted}
    unsealed = [name for name in unlisted if name in changing]
    again = sorted(path.parent for path in (folder / FOLDER).glob("*/run.json"))
    apart = [path.relative_to(folder).as_posix() for path in again]
    others = {runs.DIGESTS, beside.FILE, JOURNAL, *beside.WORKING, *unsealed} - {*missing}
    found = beside.differences(folder, told, others, apart)
    whole = beside.is_as_written(folder) and (unlisted == unsealed or bool(missing))
    lists = {runs.DIGESTS: runs.is_as_written(folder), beside.FILE: whole}
    replace(found, edited=(*found.edited, *(name for name, whole in lists.items() if not whole))).refuse(folder, CURE)
    run = read_run(folder)
    check_complete(run)
    finished = [path for path in again if (path / runs.DIGESTS).is_file()]
    inside = [verified_run(path) for path in finished]
    mine = [name for name in beside.files_in(folder, apart) if name not in {JOURNAL, *beside.WORKING, *unsealed}]
    return {
        "files": len(mine) + sum(one["files"] for one in inside),
        "responses": len(run.responses),
        "rejudged": len(inside),
        "unfinished": [str(path) for path in again if path not in finished],
        "unsealed": [str(folder / name) for name in unsealed] + [name for one in inside for name in one["unsealed"]],
    }
