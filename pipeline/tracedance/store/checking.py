"""Reading a whole store again to see that every byte of it is what was written."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import polars as pl

from tracedance.errors import InputError
from tracedance.schema import Session
from tracedance.store import events, sessions
from tracedance.store.benchmarks import read_benchmark
from tracedance.store.durable import sha256_of
from tracedance.store.export import OBJECTS
from tracedance.store.manifest import Part, PartFile
from tracedance.store.store import Shard, Store

Progress = Callable[[int, int, str], None]


@dataclass
class Checked:
    """What a check of a store read, and what is wrong with it."""

    files: int = 0
    bytes: int = 0
    sessions: int = 0
    benchmarks: int = 0
    problems: list[str] = field(default_factory=list)
    """Each names its file and says what is wrong in one sentence."""


def check(store: Store, progress: Progress | None = None) -> Checked:
    """Check every file that the store's state names: its sha256, its CRC-32, every page's checksum, and that counts and digests agree.

    Benchmarks published under the store are checked against their manifests. Damage to `store.json` or the key is raised on opening.
    """
    found = Checked()
    live = {shard.digest: shard for shard in store.shards()}
    parts = store.manifest.parts
    for done, part in enumerate(parts, 1):
        whole = [_file(store, one, found) for one in (part.events, part.sessions)]
        if all(whole):
            found.problems += _part(store, part, live[part.events.digest])
        found.sessions += live[part.events.digest].sessions
        if progress is not None:
            progress(done, len(parts), "verify")
    for table in (*store.manifest.files, *([store.manifest.reserved] if store.manifest.reserved else [])):
        if _file(store, table, found):
            found.problems += _said(partial(store.table, table, ()))
    for folder in benchmarks(store.path):
        found.benchmarks += 1
        found.problems += _said(partial(read_benchmark, folder))
    return found


def benchmarks(store: Path) -> list[Path]:
    """The folders of the benchmarks that were published under a store, whether or not a name still points at them."""
    return sorted(path for path in (store / "benchmarks" / OBJECTS).glob("*") if path.is_dir() and not path.name.startswith("."))


def _file(store: Store, part: PartFile, found: Checked) -> bool:
    """Whether a file is there with the bytes it was written with."""
    path = store.path / "shards" / part.name
    found.files += 1
    try:
        size = path.stat().st_size
        digest = sha256_of(path)
    except OSError as error:
        found.problems.append(f"{str(path)!r} cannot be read ({error.strerror}).")
        return False
    found.bytes += size
    if digest != part.digest:
        found.problems.append(f"{str(path)!r} is not what was written: its sha256 differs from its name and the store's state.")
    return digest == part.digest


def _part(store: Store, part: Part, shard: Shard) -> list[str]:
    """What is wrong inside a shard whose files are whole. Reads every page, and so checks every page's checksum."""
    path = str(shard.path)

    def read() -> Iterator[str]:
        table = store.table(part.sessions, sessions.COLUMNS)
        if len(table) != part.count:
            yield f"{path!r}: {len(table)} sessions where the store's state counts {part.count}."
        rows = {row["id"]: row for row in table.to_dicts()}
        missing = sorted(shard.dead - rows.keys())
        if missing:
            yield f"{path!r}: the store's state counts {len(missing)} sessions as replaced that are not in it."
        for group in range(int(table["group"].max() or 0) + 1 if len(table) else 0):  # type: ignore[arg-type]
            ids = table.filter((pl.col("group") == group) & ~pl.col("id").is_in(sorted(shard.dead)))["id"].to_list()
            frame = store.read(shard, events.COLUMNS, groups=[group])
            seen = {session.id: session for session in store.views(frame, ids, shard)}
            for name in ids:
                if name not in seen:
                    yield f"{path!r}: session {name!r} has no events."
                else:
                    yield from _session(path, seen[name], rows[name])

    return list(_guarded(read))


def _session(path: str, session: Session, row: dict[str, object]) -> Iterator[str]:
    if len(session.turns) != row["turns"] or [turn.index for turn in session.turns] != list(range(len(session.turns))):
        yield f"{path!r}: session {session.id!r} has {len(session.turns)} turns where its row counts {row['turns']}."
    elif sessions.content_digest(session) != row["content_digest"]:
        yield f"{path!r}: session {session.id!r} does not have the content digest of its row."


def _guarded(read: Callable[[], Iterator[str]]) -> Iterator[str]:
    try:
        yield from read()
    except InputError as error:
        yield str(error)


def _said(read: Callable[[], object]) -> list[str]:
    try:
        read()
    except InputError as error:
        return [str(error)]
    return []
