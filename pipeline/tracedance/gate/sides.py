"""What the two sides of a gate are given as: a model in an evaluation run, a folder of traces, or one of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tracedance.errors import InputError
from tracedance.gate.runs import RunRef, resolve
from tracedance.gate.traces import VERSION, beside, may_be_trace
from tracedance.gate.workbench.reading import JudgedRun, read_runs
from tracedance.regular import read_regular

RUN_FILES = ("responses.jsonl", "grades.jsonl")
"""What shows a folder without run.json to be an evaluation run, broken off or torn."""


@dataclass(frozen=True)
class Given:
    """One side."""

    run: RunRef | None = None
    traces: Sequence[JudgedRun] | None = None
    """Its runs, in their order."""
    beside: Sequence[str] = ()
    """Files in the folder of traces that look like traces and were not read."""


def given(texts: Sequence[str]) -> Given:
    """A side from what was named on the command line, told apart by what lies there; InputError for a second one of a kind."""
    run: RunRef | None = None
    folder: Path | None = None
    for text in texts:
        path = Path(text)
        if holds_traces(path):
            if folder is not None:
                raise InputError(f"{text!r} is a second folder of traces on one side. Put the traces of a side into one folder.")
            folder = path
        else:
            if run is not None:
                raise InputError(f"{text!r} is a second evaluation run on one side. Give one RUN:MODEL.")
            run = resolve(text)
    return Given(run) if folder is None else Given(run, read_runs(folder), beside(folder))


def holds_traces(path: Path) -> bool:
    """Whether a path is a trace or a folder, if an empty one, of traces rather than an evaluation run, which is told by its run.json."""
    if path.is_file():
        return True
    if not path.is_dir():
        return False
    manifest = path / "run.json"
    if manifest.is_file():
        return VERSION.encode() in read_regular(manifest)
    return any(may_be_trace(each.name) for each in path.iterdir()) or not any((path / name).is_file() for name in RUN_FILES)
