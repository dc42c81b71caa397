"""Putting small shards together: many small imports leave many small shards, and each costs a scan a file to open."""

from dataclasses import replace
from pathlib import Path

from tracedance.store.durable import locked
from tracedance.store.manifest import Part, StoreManifest, sweep, write_manifest
from tracedance.store.parquet import FILES, PartWriter
from tracedance.store.rewriting import rewrite
from tracedance.store.shards import SHARD_CHARACTERS, SHARD_SESSIONS
from tracedance.store.store import Store


def compact(path: Path) -> tuple[int, int]:
    """Write neighbouring shards that are not full as one, and drop what longer copies replaced. Returns shards before and after.

    Sessions keep their order. What a scan found in them is carried over by `scan.carrying`.
    """
    Store.open(path)
    with locked(path):
        store = Store.open(path)
        sweep(path, store.manifest)
        before = len(store.manifest.parts)
        manifest = store.manifest
        for run in _runs(store):
            fresh = rewrite(store, run)
            manifest = _instead(manifest, run, fresh)
        manifest = _one_table_of_files(store, manifest)
        if manifest != store.manifest:
            write_manifest(path, manifest)
            sweep(path, manifest)
    return before, len(manifest.parts)


def _runs(store: Store) -> list[list[Part]]:
    """Runs of neighbouring parts, each of them worth writing as one."""
    runs: list[list[Part]] = [[]]
    sessions = characters = 0
    for part, shard in zip(store.manifest.parts, store.shards(), strict=True):
        size = int(store.table(part.sessions, ("tokens",))["tokens"].sum()) * 4
        if runs[-1] and (sessions + shard.sessions > SHARD_SESSIONS or characters + size > SHARD_CHARACTERS):
            runs.append([])
            sessions = characters = 0
        runs[-1].append(part)
        sessions, characters = sessions + shard.sessions, characters + size
    return [run for run in runs if len(run) > 1 or any(store.manifest.dead_in(part.events.digest) for part in run)]


def _instead(manifest: StoreManifest, run: list[Part], fresh: Part | None) -> StoreManifest:
    parts = [fresh if part == run[0] else part for part in manifest.parts if part not in run[1:]]
    gone = {part.events.digest for part in run}
    dead = tuple(pair for pair in manifest.dead if pair[0] not in gone)
    return replace(manifest, parts=tuple(part for part in parts if part is not None), dead=dead)


def _one_table_of_files(store: Store, manifest: StoreManifest) -> StoreManifest:
    if len(manifest.files) < 2:
        return manifest
    writer = PartWriter(store.path / "shards", ".files.parquet", FILES)
    table = store.source_files()
    writer.add({name: table[name].to_list() for name in FILES.names})
    return replace(manifest, files=(writer.finish(),))
