"""The sides that `scan_ratio` compares, each run in a process of its own: `python -m tests.bench.scan_sides SIDE FOLDER [FAMILY...]`.

FOLDER holds `raw` (the traces) and `store` (the same traces imported without redaction, so that both sides see the same words).
"""

import gc
import json
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.memory import peak_mb
from tracedance.catalogue import Family, families, family
from tracedance.ingest.read import files, read
from tracedance.kit.hits import decides, hit
from tracedance.kit.needs import Needs, among, matching
from tracedance.privacy.redactor import Redactor
from tracedance.scan.engine import pass_over, scan
from tracedance.scan.outcome import run
from tracedance.scan.remembered import told
from tracedance.schema import FamilyCard, Hit, Place, Session
from tracedance.store import views
from tracedance.store.importing import import_paths
from tracedance.store.store import Store

COMMITS, PLAIN = "rule/commits", "rule/plain"
ALL = among("kind", "text", "call", "result", "reasoning")
"""Of every session: an anchor without a condition."""


@dataclass(frozen=True)
class Rule:
    """What the engine asks of a family, for a rule of this file."""

    id: str
    find_in: Callable[[Session], Iterator[Hit]]
    needs: Needs
    card: FamilyCard = field(default_factory=lambda: family("unchanged_retry").card.model_copy(update={"confirm": (), "parameters": {}}))

    def find(self, session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
        return self.find_in(session)


def commits(session: Session) -> Iterator[Hit]:
    """Every call of Bash that commits."""
    for call in session.calls():
        if call.name == "Bash" and "git commit" in call.cmd:
            yield Hit(decision=call.turn, offends=True, why="commits")


def plain(session: Session) -> Iterator[Hit]:
    """Every turn of the model that calls a tool again which failed the turn before."""
    failed: set[str] = set()
    for turn in session.turns:
        if decides(turn) and turn.calls:
            if failed & {call.name for call in turn.calls}:
                yield hit(decision=turn.index, offends=True, why="calls again what failed")
            failed = {call.name for call in turn.calls if call.result is not None and call.result.is_error}


RULES: dict[str, Any] = {
    COMMITS: Rule(COMMITS, commits, matching("git commit", "cmd", among("tool", "Bash"))),
    PLAIN: Rule(PLAIN, plain, ALL),
}


def chosen(names: Sequence[str]) -> list[Family]:
    """The families of these names; all where none is given."""
    return [RULES[name] if name in RULES else family(name) for name in names] or list(families().values())


def digest(places: Iterable[Place]) -> str:
    """Of what was found, in no order."""
    told = sorted((place.family, place.session, place.hit.decision, place.hit.offends, place.refused_by) for place in places)
    return f"{len(told)}-{sha256(json.dumps(told).encode()).hexdigest()[:16]}"


def naive(folder: Path, names: Sequence[str]) -> dict[str, Any]:
    """json.loads of every line, sessions made of them, and every anchor run on every session.

    Sessions are made by the importers, which do no more than is needed to have the same turns, calls and error classes. `json` alone and
    `anchors` are told apart, so that a ratio can be had with the making of sessions for nothing.
    """
    wanted = chosen(names)
    paths = list(files([folder / "raw"]))
    started = time.process_time()
    for path in paths:
        with open(path, "rb") as lines:
            for line in lines:
                json.loads(line)
    parsed = time.process_time()
    redactor = Redactor(b"0" * 32, active=False)
    spent, places = 0.0, []
    for path in paths:
        for session in read(path, redactor).sessions:
            before = time.process_time()
            for one in wanted:
                places += run(one, session, one.card.parameters)[0]
            spent += time.process_time() - before
    build = time.process_time() - parsed - spent
    return {"json": parsed - started, "build": build, "anchors": spent, "found": digest(places)}


def engine(folder: Path, names: Sequence[str]) -> dict[str, Any]:
    """One pass over the store with an empty cache."""
    wanted = chosen(names)
    started = time.process_time()
    store = Store.open(folder / "store")
    places = [place for shard in store.shards() for result in pass_over(store, shard, wanted, None) for place in result.places]
    return {"cpu": time.process_time() - started, "found": digest(places), "mb": peak_mb()}


def worker(folder: Path, names: Sequence[str]) -> dict[str, Any]:
    """The most memory of a process that passes over shard after shard and hands the results on, as the workers of `--jobs` do."""
    wanted, store = chosen(names), Store.open(folder / "store")
    for shard in store.shards():
        pass_over(store, shard, wanted, None)
    return {"mb": peak_mb()}


def passes(folder: Path, names: Sequence[str]) -> dict[str, Any]:
    """A pass of its own for each family."""
    started = time.process_time()
    places = []
    for one in chosen(names):
        store = Store.open(folder / "store")
        places += [place for shard in store.shards() for result in pass_over(store, shard, [one], None) for place in result.places]
    return {"cpu": time.process_time() - started, "found": digest(places)}


def bare(folder: Path, names: Sequence[str]) -> dict[str, Any]:
    """Only reading what a pass reads: the hot columns of every shard, and the row groups of cold columns that anchors asked for."""
    asked: set[tuple[str, str, int]] = set()
    fetch = Store._cold_text

    def noted(self: Store, shard: Any, column: str, row: int) -> str:
        group = next(number for number, end in enumerate(self.group_ends(shard)) if row < end)
        asked.add((shard.digest, column, group))
        return fetch(self, shard, column, row)

    Store._cold_text = noted  # type: ignore[method-assign]
    engine(folder, names)
    Store._cold_text = fetch  # type: ignore[method-assign]
    started = time.process_time()
    store = Store.open(folder / "store")
    for shard in store.shards():
        store.read(shard, sorted({"seq", *views.NEEDED, "tool_class", "error_class"}))
    hot = time.process_time()
    for shard in store.shards():
        for _, column, group in sorted(key for key in asked if key[0] == shard.digest):
            store.read(shard, [column], [group])
    return {"hot": hot - started, "cpu": time.process_time() - started}


def full(folder: Path, names: Sequence[str]) -> dict[str, Any]:
    """What the command does with an empty cache: a scan and its table."""
    shutil.rmtree(folder / "store" / "cache", ignore_errors=True)
    return again(folder, names)


def again(folder: Path, names: Sequence[str]) -> dict[str, Any]:
    """The same with whatever cache there is: after `full`, nothing is new."""
    wanted = chosen(names)
    gc.freeze()  # as the command does
    started = time.process_time()
    told(Store.open(folder / "store"), wanted)
    return {"cpu": time.process_time() - started}


def jobs(folder: Path, names: Sequence[str]) -> dict[str, Any]:
    """Wall seconds with one process and with two, start-up of the second kind included; and CPU seconds of this process and the workers.

    A worker's CPU is what two free cores would spend at once: where others use the cores, only that says what two processes gain.
    """
    found = {}
    for number in (1, 2):
        shutil.rmtree(folder / "store" / "cache", ignore_errors=True)
        started, mine, whole = time.monotonic(), time.process_time(), spent()
        scan(Store.open(folder / "store"), chosen(names), jobs=number)
        own = time.process_time() - mine
        found |= {str(number): time.monotonic() - started, f"own{number}": own, f"workers{number}": spent() - whole - own}
    return found


def scout(folder: Path, names: Sequence[str]) -> dict[str, Any]:
    """CPU seconds of one programmatic scanner of inspect_scout over its own database of the same sessions; the import is not counted."""
    import asyncio

    from inspect_scout import Result, Transcript, scan_results_df, scanner, transcripts_db, transcripts_from
    from inspect_scout import scan as scout_scan
    from inspect_scout.sources import claude_code

    @scanner(messages="all")
    def committing() -> Any:
        async def look(transcript: Transcript) -> Any:
            found = 0
            for message in transcript.messages:
                for call in getattr(message, "tool_calls", None) or ():
                    found += call.function == "Bash" and "git commit" in str(call.arguments.get("command", ""))
            return Result(value=found)

        return look

    async def fill(place: str) -> None:
        async with transcripts_db(place) as database:
            await database.insert(claude_code(path=folder / "raw"))

    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(fill(f"{scratch}/db"))
        before = spent()
        status = scout_scan([committing()], transcripts_from(f"{scratch}/db"), scans=f"{scratch}/scans", max_processes=1, display="none")
        after = spent()
        frame = scan_results_df(status.location).scanners["committing"]
        values = frame["value"].astype(float)
    return {"cpu": after - before, "transcripts": len(values), "count": int(values.sum())}


def spent() -> float:
    """CPU seconds of this process and its children."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both)


def make(folder: Path, raw: Path) -> None:
    """A folder of the form that the sides read."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "raw").symlink_to(raw.resolve())
    Store.redactor = lambda self, *names: Redactor(self.key, active=False)  # type: ignore[method-assign]
    import_paths(folder / "store", [folder / "raw"])


SIDES = {side.__name__: side for side in (naive, engine, worker, passes, bare, full, again, jobs, scout)}

if __name__ == "__main__":
    print(json.dumps(SIDES[sys.argv[1]](Path(sys.argv[2]), sys.argv[3:])))
