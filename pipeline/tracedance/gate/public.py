"""`from tracedance import Contract, Trace, gate`: the gate for programs, with the verdicts and the reports of the command."""

import hashlib
import json
import re
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

from tracedance.errors import InputError
from tracedance.gate.locking import check_lock
from tracedance.gate.report import digest_of, judge
from tracedance.gate.representation import representation_digest
from tracedance.gate.sides import Given, given
from tracedance.gate.spec import read_spec
from tracedance.gate.traces import VERSION, check_once, parse_trace, read_trace, trace_files
from tracedance.gate.workbench.reading import JudgedRun, parse_run
from tracedance.schema import BehaviorTrace, GateReport, GateSpec
from tracedance.store.export import write
from tracedance.traces.live import LiveRun
from tracedance.traces.making import Options, trace_json
from tracedance.traces.table import span_table

Runs = Union[str, Path, "Trace", Sequence[Union["Trace", BehaviorTrace, LiveRun, Mapping[str, Any], str, Path]]]
"""A side: a folder of traces, a trace, `RUN:MODEL` of an evaluation run, or runs one by one in their order."""

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True)
class Trace:
    """One run of an agent as its `agent-behavior-trace/v0` file."""

    name: str
    """File name. A gate takes runs in the order in which they are given; files of a folder in that of their names."""
    content: bytes

    @staticmethod
    def read(path: str | Path) -> "Trace":
        """A trace from its file; InputError with the place for anything that is none."""
        return Trace(path_of(path, "trace").name, read_trace(Path(path))).checked(str(path))

    @staticmethod
    def read_all(folder: str | Path) -> list["Trace"]:
        """All traces of a folder, by name."""
        return [Trace.read(path) for path in trace_files(path_of(folder, "folder"))]

    @staticmethod
    def live(trace_id: str, *, scenario_id: str | None = None, environment: str | None = None) -> LiveRun:
        """A run to be recorded while it happens: `wrap` its tools or tell each `step`, then `finish`."""
        return LiveRun(trace_id, scenario_id, environment)

    @staticmethod
    def of(run: "Trace | BehaviorTrace | LiveRun | Mapping[str, Any] | str | Path", name: str | None = None) -> "Trace":
        """A trace of whatever holds one: a live run, a record, a mapping as JSON has it, or a file's path."""
        if isinstance(run, Trace):
            return run if name is None else Trace(name, run.content)
        if isinstance(run, str | Path):
            return Trace.of(Trace.read(run), name)
        if isinstance(run, LiveRun):
            run = run.trace()
        if isinstance(run, BehaviorTrace):
            return Trace(name or file_name(run), trace_json(run).encode())
        if not isinstance(run, Mapping):
            raise InputError(f"A {type(run).__name__} is no run. Give a Trace, a live run, a mapping of {VERSION} or a file's path.")
        content = _as_json(run)
        return Trace(name or file_name(parse_trace(content, "the run").trace), content)

    @staticmethod
    def of_sessions(path: str | Path, *, labels: Sequence[str] = (), canonical: Sequence[str] = (), **about: Any) -> list["Trace"]:
        """The traces of recorded sessions, a file or folder in any format that `tracedance import` reads, by name.

        `labels` and `canonical` as `--bash-tool-labels` and `--canonical-output` of `tracedance trace export`; of `about`, `scenario_id`,
        `environment` and `exported_at`. A warning says how many records could not be read.
        """
        from tracedance.traces.export import export  # what reads sessions costs more to load than all the rest
        from tracedance.traces.labels import Labels

        options = Options(table=span_table(None), labels=Labels(labels), canonical=tuple(canonical), **about)
        with tempfile.TemporaryDirectory() as folder:
            told = export([path_of(path, "path of the sessions")], Path(folder), options)
            if told.records["lost"]:
                warnings.warn(f"{told.records['lost']} of {told.records['in']} records of the sessions could not be read.", stacklevel=2)
            return Trace.read_all(folder)

    @property
    def record(self) -> BehaviorTrace:
        """What it holds."""
        return parse_trace(self.content, self.name).trace

    def checked(self, shown: str = "") -> "Trace":
        """Itself; InputError where it is no trace."""
        parse_trace(self.content, self.name, shown)
        return self

    def write(self, folder: str | Path) -> Path:
        """Its file in a folder; InputError where a secret is found in it."""
        if Path(self.name).name != self.name or "\\" in self.name or self.name.strip() in ("", "..", "."):
            raise InputError(f"{self.name!r} is no file name, so nothing is written to the folder. Name the trace without a folder.")
        place = path_of(folder, "folder") / self.name
        write(place, self.content)
        return place


@dataclass(frozen=True)
class Contract:
    """A `behavior-spec/v0`, and whether it was checked against its lock."""

    spec: GateSpec
    locked: bool = False
    path: Path | None = None

    @staticmethod
    def read(path: str | Path, *, locked: bool = False) -> "Contract":
        """A spec from its YAML file; with `locked`, InputError where it is not what `tracedance contract lock` locked."""
        spec = read_spec(path_of(path, "contract"))
        if locked:
            check_lock(Path(path), spec)
        return Contract(spec, locked, Path(path))

    @property
    def digest(self) -> str:
        """As reports and locks have it."""
        return digest_of(self.spec)


def gate(
    *, baseline: Runs, candidate: Runs, contract: Contract | GateSpec | str | Path, representation: str | Path | None = None
) -> GateReport:
    """Judges the candidate against contract and baseline: `.verdict` is PASS, WARN, FAIL or INCONCLUSIVE, `.checks` say why.

    The same runs give the same report as the command does. InputError for what cannot be read or compared.
    """
    if isinstance(contract, GateSpec):
        contract = Contract(contract)
    elif not isinstance(contract, Contract):
        contract = Contract.read(contract)
    advisory = representation_digest(path_of(representation, "representation")) if representation is not None else None
    return judge(side(baseline), side(candidate), contract.spec, contract.locked, advisory)


def _as_json(run: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(run, ensure_ascii=True, indent=1, allow_nan=False).encode() + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"A run is no JSON ({error}). Give a mapping of {VERSION}.") from None


def file_name(trace: BehaviorTrace) -> str:
    """A file's name after a trace's id: the id where it is a plain name, else that and a digest, since ids are foreign text."""
    name = trace.run.trace_id
    return f"{name if _PLAIN.fullmatch(name) else f'run-{hashlib.sha256(name.encode()).hexdigest()[:16]}'}.json"


def path_of(given: object, what: str) -> Path:
    """A path that was given; InputError for what is none."""
    if not isinstance(given, str | Path):
        raise InputError(f"The {what} is a {type(given).__name__}. Give a path.")
    return Path(checked_text(str(given), what))


def checked_text(given: str, what: str) -> str:
    """A name of a place; InputError for an empty one, which would mean the current folder, and for one that no place can have."""
    if not given.strip() or "\0" in given:
        raise InputError(f"The {what} {given!r} is no path. Name a place; '.' is the current folder.")
    return given


def side(runs: Runs) -> Given:
    """One side of a gate."""
    if isinstance(runs, str | Path):
        return given([str(path_of(runs, "side"))] if isinstance(runs, Path) else [checked_text(runs, "side")])
    if isinstance(runs, Mapping | bytes) or not isinstance(runs, Iterable | Trace):
        raise InputError(f"A side is a {type(runs).__name__}. Give a folder of traces, RUN:MODEL, a Trace, or a list of runs.")
    found = [Trace.of(runs)] if isinstance(runs, Trace) else named(runs)
    return Given(traces=judged(found))


def named(runs: Iterable[Any]) -> list[Trace]:
    """Runs one by one; InputError for two under one name."""
    found = [Trace.of(run) for run in runs]
    names = [trace.name for trace in found]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"Two runs of one side are named {name!r}. Give each run an id of its own.")
    return found


def judged(traces: Sequence[Trace]) -> list[JudgedRun]:
    """What the gate reads of them; InputError for a run that is there twice."""
    found = [parse_run(trace.content, Path(trace.name)) for trace in traces]
    check_once(Path(), [(run.file, run.trace_id) for run in found])
    return found
