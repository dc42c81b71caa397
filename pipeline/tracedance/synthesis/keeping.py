"""The run folder of a synthesis: the request, each round's draft with what became of it, and the family that was accepted."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tracedance.catalogue import families
from tracedance.catalogue.confined import MARK, mark_of
from tracedance.catalogue.files import digest, kit_digest
from tracedance.construct.run import RUNS, code_digest, write_json
from tracedance.models import prompts
from tracedance.regular import read_regular
from tracedance.schema import Record
from tracedance.store import quarantine, runs
from tracedance.store.durable import write_durably
from tracedance.store.store import Store
from tracedance.synthesis.asking import PROMPTS
from tracedance.synthesis.probing import Sampled
from tracedance.synthesis.wanted import SEATS, Desk, SynthesisedFamily, Wanted
from tracedance.synthesis.written import FamilyDraft, write

REQUEST, ACCEPTED, REFUSED = "synthesis.json", "accepted.json", "refused.json"
ROUNDS, FAMILY = "rounds", "family"


class Asked(Record):
    """`synthesis.json`: all that decides what comes of it. Its digest names the run folder."""

    schema_: str = "tracedance.synthesis/v1"
    wanted: Wanted
    shards: tuple[str, ...]
    dead: tuple[str, ...]
    reserved: str
    approved: str
    prompts: Mapping[str, str]
    models: str
    seats: tuple[str, ...]
    families: str
    """Digest of the shipped families."""
    code: str


def started(wanted: Wanted, store: Store, desk: Desk) -> Path:
    """The run folder; the same wish on the same state of the store is the same folder."""
    shards = store.shards()
    asked = Asked(
        wanted=wanted,
        shards=tuple(shard.digest for shard in shards),
        dead=tuple(sorted({name for shard in shards for name in shard.dead})),
        reserved=store.manifest.reserved.digest if store.manifest.reserved else "",
        approved=quarantine.approvals_digest(store.path),
        prompts={name: prompts.load(name).digest for name in PROMPTS},
        models=desk.models.digest,
        seats=tuple(desk.seat(role) for role in SEATS),
        families=digest(*(part for one in families().values() for part in one.digests.values())),
        code=_code(),
    )
    content = runs.canonical(asked)
    path = store.path / RUNS / hashlib.sha256(content.encode()).hexdigest()[:20]
    path.mkdir(parents=True, exist_ok=True)
    write_durably(path / REQUEST, (content + "\n").encode())
    return path


@cache
def _code() -> str:
    own = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
    return digest(*own, code_digest(), kit_digest())


def keep_round(run: Path, number: int, draft: FamilyDraft | None, told: Mapping[str, Any], rows: tuple[Sampled, ...]) -> None:
    """One round: its draft's files, what became of it, and the places that were asked about."""
    folder = run / ROUNDS / f"{number:02d}"
    if draft is not None:
        write(draft, folder)
    runs.replace(folder / "places.jsonl", rows)
    write_json(folder / "round.json", {"schema": "tracedance.synthesis_round/v1", "round": number, **told})


def keep_family(run: Path, wanted: Wanted, draft: FamilyDraft, rounds: int, figures: Mapping[str, Any]) -> SynthesisedFamily:
    """The accepted family as a catalogue folder, with its mark."""
    folder = run / FAMILY
    write(draft, folder)
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in draft.files}
    mark = {
        "schema": "tracedance.synthesised/v1",
        "family": draft.id,
        "query": wanted.query,
        "rounds": rounds,
        "reviewed_by_people": False,
        "figures": dict(figures),
        "files": digests,
        "digest": digest(*(part for item in sorted(digests.items()) for part in item)),
    }
    write_json(folder / MARK, mark)
    write_json(run / ACCEPTED, mark)
    return SynthesisedFamily(draft.id, folder, run, rounds, figures)


def accepted(run: Path) -> SynthesisedFamily | None:
    """The family that an earlier process accepted; None where there is none, where a byte of it was changed, or where it is no family."""
    try:
        mark = mark_of(read_regular(run / ACCEPTED))
        found = {name: hashlib.sha256(read_regular(run / FAMILY / name)).hexdigest() for name in mark["files"]}
        whole = found == mark["files"] and mark_of(read_regular(run / FAMILY / MARK)) == mark
    except (OSError, ValueError):
        return None
    return SynthesisedFamily(mark["family"], run / FAMILY, run, mark["rounds"], mark["figures"]) if whole else None
