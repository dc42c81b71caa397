"""Redaction anew over a whole store: its sessions, what builds and model calls have kept of them, and which benchmarks are of old rules."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tracedance.construct.build import LEDGER
from tracedance.construct.forgetting import WORK, made_from
from tracedance.construct.run import CANDIDATES, CHECKS, FAILURES, RUNS
from tracedance.models.ledger import Ledger
from tracedance.privacy.redactor import find
from tracedance.scan.cache import forget_shards_but
from tracedance.store import redacting
from tracedance.store.durable import locked
from tracedance.store.manifest import read_manifest, sweep
from tracedance.store.store import Store


@dataclass(frozen=True, slots=True)
class Anew:
    """What became of everything."""

    sessions: int
    """Brought under the present rules."""
    changed: int
    """In which something more was replaced."""
    runs: int
    """Build runs whose working files were removed: they held the texts of before."""
    calls: int
    """Model calls struck from the store's ledger, because their requests hold what the rules now replace."""
    benchmarks: tuple[tuple[str, int], ...]
    """Benchmarks with instances of sessions that changed, and how many instances."""


def redact(path: Path, benchmarks: Sequence[Path] = (), progress: redacting.Progress | None = None) -> Anew:
    """Bring the store at `path` under the present rules; a store that is under them already is left alone.

    Killed at any moment it goes on where it was, and no session is ever half redacted. InputError: another command is writing (7).
    """
    Store.open(path)
    with locked(path):
        store = Store.open(path)
        sweep(path, store.manifest)
        made = redacting.redact(store, progress)
        if not made.sessions:
            return Anew(0, 0, 0, 0, ())
        worked = [_strip(run) for run in sorted((path / RUNS).glob("*")) if run.is_dir()]
        calls = _strike(path / LEDGER)
        manifest = read_manifest(path)
        assert manifest is not None
        sweep(path, manifest)
        forget_shards_but(path, [part.events.digest for part in manifest.parts])
        affected = made_from(store, made.changed, benchmarks)
    return Anew(len(made.sessions), len(made.changed), sum(worked), calls, tuple(affected))


def _strip(run: Path) -> bool:
    """Remove what a run holds of the sessions' texts; its request and receipt stay."""
    kept = [run / name for name in (*WORK, CANDIDATES, CHECKS, FAILURES)]
    there = [path for path in kept if path.exists()]
    for path in there:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return bool(there)


def _strike(ledger: Path) -> int:
    if not ledger.exists():
        return 0
    with Ledger(ledger) as opened:
        return opened.forget(lambda request: bool(find(request)))
