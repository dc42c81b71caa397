"""Writes the demo corpus: invented sessions in the real shapes, and beside them the places that were planted.

`<out>/claude_code/<project>/<session>.jsonl` and `<out>/codex/<year>/<month>/<day>/rollout-<time>-<session>.jsonl` are to be imported;
`<out>/planted.jsonl` has one row for each planted place, sorted by session number and line:
`{session, file, line, call_id, family, kind, note}`, where `line` counts from 0 and is the first record of the decision turn that can be
read (reasoning without text may stand before it), and `kind` is offence, met or near_miss.
"""

import argparse
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from tracedance.errors import InputError
from tracedance.synth import claude_code, codex
from tracedance.synth.marks import Clock, Where, uuid4, uuid7
from tracedance.synth.plan import Cast, casts
from tracedance.synth.scenes import play
from tracedance.synth.sheet import Sheet

SESSIONS = 96
"""Sessions of the demo: enough for well over twelve offences of each of its two families."""
SEED = 20260202
PLANTED = "planted.jsonl"
FOLDERS = ("claude_code", "codex")
_OURS = re.compile(r"^(?:rollout-[\dT-]+-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl$")
"""Names of the session files that a corpus holds."""


@dataclass(frozen=True)
class Places:
    """The rows of planted.jsonl, read anew each time, so that a large corpus need not fit into memory."""

    path: Path
    count: int

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[dict[str, Any]]:
        with self.path.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


@dataclass(frozen=True)
class Planted:
    """What was written."""

    path: Path
    """planted.jsonl"""
    sessions: int
    counts: dict[str, dict[str, int]]
    """Family -> kind -> number of planted places."""

    @property
    def places(self) -> Places:
        return Places(self.path, sum(sum(kinds.values()) for kinds in self.counts.values()))


def write(out: Path, sessions: int = SESSIONS, seed: int = SEED) -> Planted:
    """Writes the corpus; the same arguments give the same bytes. An earlier corpus in `out` is replaced, anything else is left alone.

    InputError: `out` holds other files, or `sessions` is below 1.
    """
    if sessions < 1:
        raise InputError(f"A corpus of {sessions!r} sessions cannot be written. Give at least 1.")
    _clear(out)
    counts: Counter[tuple[str, str]] = Counter()
    unfinished = out / f".{PLANTED}.partial"
    with unfinished.open("w", encoding="utf-8", newline="\n") as planted:
        for cast in islice(casts(seed), sessions):
            for row in _session(out, cast, seed):
                planted.write(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n")
                counts[row["family"], row["kind"]] += 1
    unfinished.replace(out / PLANTED)
    nested: dict[str, dict[str, int]] = {}
    for (family, kind), count in sorted(counts.items()):
        nested.setdefault(family, {})[kind] = count
    return Planted(out / PLANTED, sessions, nested)


def _clear(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    ours = {PLANTED, f".{PLANTED}.partial", *FOLDERS}
    found = {entry.name for entry in out.iterdir()}
    if found - ours or (found and not found & {PLANTED, f".{PLANTED}.partial"}):
        raise InputError(f"The folder {str(out)!r} holds other files. Name an empty folder, or one with an earlier demo corpus.")
    for entry in (entry for folder in FOLDERS for entry in sorted((out / folder).rglob("*"))):
        if not _OURS.search(entry.name) and (entry.is_symlink() or not entry.is_dir()):
            raise InputError(
                f"{str(entry)!r} is no file of the earlier corpus, and nothing was removed. Move it away, or name another folder."
            )
    for folder in FOLDERS:
        shutil.rmtree(out / folder, ignore_errors=True)
    (out / PLANTED).unlink(missing_ok=True)


def _session(out: Path, cast: Cast, seed: int) -> list[dict[str, Any]]:
    """Plays one session and writes its file; its planted places."""
    rng = Random(f"session:{seed}:{cast.number}")
    stage = play(cast, rng)
    ids = Random(f"ids:{seed}:{cast.number}")
    clock = Clock(cast.number, ids)
    claude = cast.harness == "claude_code"
    session = uuid4(ids) if claude else uuid7(ids, clock)
    cwd = stage.project.cwd
    name = f"{cwd.replace('/', '-')}/{session}.jsonl" if claude else f"{clock.folder}/rollout-{clock.stamp}-{session}.jsonl"
    file = f"{cast.harness}/{name}"
    (out / file).parent.mkdir(parents=True, exist_ok=True)
    with (out / file).open("w", encoding="utf-8", newline="\n") as handle:
        sheet = Sheet(handle, session, file)
        if claude:
            version, model = ids.choice(claude_code.RECENT if cast.recent else claude_code.OLD)
            home = Where(session, cwd, stage.project.tree.branch, version, model, cast.recent)
            claude_code.ClaudeWriter(home, sheet, clock, ids).write(stage.steps)
        else:
            version, model = ids.choice(codex.RECENT if cast.recent else codex.OLD)
            codex.CodexWriter(Where(session, cwd, stage.project.tree.branch, version, model, cast.recent), sheet, clock, ids).write(
                stage.steps
            )
    return sheet.planted


def main() -> None:
    """`python -m tracedance.synth.corpus OUT --sessions N --seed S`"""
    parser = argparse.ArgumentParser(description="Write invented agent sessions with planted behaviour.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args()
    planted = write(given.out, given.sessions, given.seed)
    print(json.dumps({"planted": str(planted.path), "sessions": planted.sessions, "counts": planted.counts}))


if __name__ == "__main__":
    main()
