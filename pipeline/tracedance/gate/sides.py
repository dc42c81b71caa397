"""What the two sides of a gate are given as: a model in an evaluation run, a folder of traces, or one of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tracedance.errors import InputError
from tracedance.gate.runs import RunRef, resolve
from tracedance.gate.traces import VERSION
from tracedance.gate.workbench.reading import JudgedRun, read_runs
from tracedance.regular import read_regular


@dataclass(frozen=True)
class Given:
    """One side."""

    run: RunRef | None = None
    traces: Sequence[JudgedRun] | None = None
    """Its runs, in their order."""


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
    return Given(run, read_runs(folder) if folder is not None else None)


def holds_traces(path: Path) -> bool:
    """Whether a path is a trace or a folder of traces rather than an evaluation run, which is told by its run.json."""
    if path.is_file():
        return True
    if not path.is_dir():
        return False
    manifest = path / "run.json"
    return VERSION.encode() in read_regular(manifest) if manifest.is_file() else any(path.glob("*.json"))
