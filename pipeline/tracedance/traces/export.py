"""`tracedance trace export`: sessions of a store or of raw files, each written as one trace through the export door."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tracedance.errors import InputError
from tracedance.ingest import read as reading
from tracedance.privacy.redactor import Redactor
from tracedance.schema import BehaviorTrace, RecordCounts, Session
from tracedance.store import views
from tracedance.store.export import write
from tracedance.store.manifest import read_manifest
from tracedance.store.store import Store
from tracedance.traces.hashing import TRACE_KEY
from tracedance.traces.making import Options, make_trace, trace_json

Progress = Callable[[int, int, str], None]


@dataclass
class Exported:
    """What an export did: sessions = traces + copies + empty."""

    sessions: int = 0
    copies: int = 0
    """Sessions that a longer copy of the same run took the place of."""
    empty: int = 0
    """Sessions in which the agent does nothing."""
    traces: dict[str, int] = field(default_factory=dict)
    """Spans by file name."""
    types: dict[str, Counter[str]] = field(default_factory=dict)
    """The same by type."""
    labels: dict[str, Counter[str]] = field(default_factory=dict)
    """Those that a label names."""
    several: int = 0
    """Calls that more than one label fits."""
    unused: Sequence[str] = ()
    """Labels that no call got."""
    others: int = 0
    """Traces in the folder that this export did not write."""
    records: Counter[str] = field(default_factory=Counter)
    """in, kept, ignored, lost of raw sources."""
    losses: list[tuple[str, int, str]] = field(default_factory=list)
    """(reason, how many, place of the first)."""


def export(sources: Sequence[Path], out: Path, options: Options, progress: Progress = lambda done, total, what: None) -> Exported:
    """Write the trace of every session of the sources to `out`, named by its id. InputError: nothing to read, no session, no folder."""
    if out.exists() and not out.is_dir():
        raise InputError(f"{str(out)!r} is no folder. Give a folder for the traces with --out.")
    told = Exported()
    for session in _sessions(sources, options, told, progress):
        told.sessions += 1
        _take(make_trace(session, options), out, told)
    if not told.traces:
        raise InputError(
            "No session with a step of an agent was found there. Check the path; 'tracedance import --help' shows what is read."
        )
    told.several, told.unused = options.labels.several, options.labels.unused
    told.others = sum(path.name not in told.traces for path in out.glob("*.json"))
    return told


def _take(trace: BehaviorTrace, out: Path, told: Exported) -> None:
    """Write a trace, unless a longer copy of its run was written already."""
    if not trace.spans:
        told.empty += 1
        return
    name = f"{trace.run.trace_id}.json"
    if name in told.traces:
        told.copies += 1
        if told.traces[name] >= len(trace.spans):
            return
    write(out / name, trace_json(trace))
    told.traces[name] = len(trace.spans)
    told.types[name] = Counter(span.type for span in trace.spans)
    told.labels[name] = Counter(span.name for span in trace.spans if span.attributes.tool_name not in (None, span.name))


def _sessions(sources: Sequence[Path], options: Options, told: Exported, progress: Progress) -> Iterator[Session]:
    for source in sources:
        if source.is_dir() and read_manifest(source) is not None:
            yield from _stored(source, progress)
        else:
            yield from _raw(source, options, told, progress)


def _stored(path: Path, progress: Progress) -> Iterator[Session]:
    """Sessions of a store, in the order of their ids within a shard."""
    store = Store.open(path)
    shards = store.shards()
    for done, shard in enumerate(shards):
        progress(done, len(shards), "shards")
        frame = store.read(shard, views.NEEDED)
        ids = sorted(frame["session"].unique().to_list()) if len(frame) else []
        yield from store.views(frame, ids, shard)


def _raw(source: Path, options: Options, told: Exported, progress: Progress) -> Iterator[Session]:
    files = list(reading.files([source]))
    for done, path in enumerate(files):
        progress(done, len(files), "files")
        found = reading.read(path, Redactor(options.hasher.key or TRACE_KEY))
        _account(found.counts, found.losses, told)
        yield from found.sessions


def _account(counts: RecordCounts, losses: Sequence[tuple[str, int, str]], told: Exported) -> None:
    told.records.update({"in": counts.in_, "kept": counts.kept, "ignored": counts.ignored, "lost": counts.lost})
    told.losses.extend(losses)
