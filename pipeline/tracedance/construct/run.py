"""A build's run folder: what was asked, and the files its steps hand to each other. A step whose file is there has been done.

Steps take paths and numbers, and read everything else from here, so that a flow can run each of them as a task of its own, in any process,
and continue where an earlier one was killed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tracedance.catalogue import Family, family
from tracedance.config import build_settings
from tracedance.construct.confirm import PROMPT, RULE, Confirmer
from tracedance.construct.domain import DOMAIN, SUMMARY
from tracedance.errors import InputError
from tracedance.models import prompts
from tracedance.regular import read_regular
from tracedance.scan.cache import readers_digest
from tracedance.schema import CheckRow, Confirmation, Instance, Place, Record, Request, ToolDefinition
from tracedance.store import quarantine, runs
from tracedance.store.durable import locked, write_durably
from tracedance.store.store import Store

RUNS = "runs"
REQUEST = "request.json"
CANDIDATES, CHECKS, FAILURES, RECEIPT = "candidates.jsonl", "checks.jsonl", "failures.jsonl", "receipt.json"
SHARDS_A_GROUP = build_settings().shards_per_step
JOINT = "+"
"""Between the ids of two families that are wanted at once."""
BATCH = build_settings().candidates_per_batch
"""Candidates confirmed in one batch, each of another session."""


class Asked(Record):
    """`request.json`: all that decides what a build makes. Its digest names the run folder."""

    schema_: str = "tracedance.build/v1"
    request: Request
    shards: tuple[str, ...]
    dead: tuple[str, ...]
    """Sessions that longer copies replaced."""
    reserved: str = ""
    """Digest of the table of sessions set aside, "" where none are."""
    approved: str = ""
    """Digest of what was approved in quarantine, "" where nothing is."""
    digests: Mapping[str, str]
    """Anchor, family, rubric, check and prompt digests by `kind:name`."""
    confirmer: str
    code: str
    """Digest of the code that scans, confirms and cuts."""


class Inferred(Record):
    """The tools of one harness that records none, as its calls show them."""

    harness: str
    tools: tuple[ToolDefinition, ...]


class Confirmed(Record):
    """One candidate of a batch and its confirmation."""

    place: Place
    confirmation: Confirmation


class Worked(Record):
    """One candidate of a batch after the cut."""

    place: Place
    confirmation: Confirmation
    dropped: str = ""
    detail: str = ""
    instance: Instance | None = None
    check: CheckRow | None = None


class Probed(Record):
    """One place of the recall probe and what the confirmer said of it."""

    kind: str
    """`opportunity` or `unknown`; see construct.probe."""
    population: int
    """Places of this kind that it was drawn from."""
    place: Place
    confirmation: Confirmation


class Failure(Record):
    """One row of `failures.jsonl`: an item that could not be handled, where and why. Never content."""

    family: str
    session: str
    turn: int | None
    step: str
    reason: str


@dataclass(frozen=True)
class Run:
    """An opened run folder."""

    path: Path
    asked: Asked

    @property
    def families(self) -> list[Family]:
        """The request's families, from the catalogue."""
        return [family(name, [Path(folder) for folder in self.asked.request.catalogues]) for name in self.asked.request.families]

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """The ids of what is built, one for each benchmark; two families that are wanted at once are one."""
        families = self.asked.request.families
        return (JOINT.join(families),) if self.asked.request.operator == "and" else families

    @property
    def groups(self) -> int:
        """How many groups of shards there are to scan."""
        return -(-len(self.asked.shards) // SHARDS_A_GROUP)

    @property
    def tools(self) -> Path:
        """Where the inferred tools lie."""
        return self.path / "scan" / "tools.jsonl"

    def scanned(self, group: int) -> Path:
        """Where the results of a group of shards lie."""
        return self.path / "scan" / f"{group:05d}.jsonl"

    def batch(self, name: str) -> Path:
        """The candidates of a batch."""
        return self.path / "batches" / f"{name}.jsonl"

    def confirmed(self, name: str) -> Path:
        """The confirmations of a batch."""
        return self.path / "confirmed" / f"{name}.jsonl"

    def cut(self, name: str) -> Path:
        """The instances of a batch, and why there are no more."""
        return self.path / "cut" / f"{name}.jsonl"

    def left_out(self, family_id: str) -> Path:
        """The candidates of a family that lie outside what the request is limited to."""
        return self.path / "scan" / f"outside.{family_id.replace('/', '__')}.jsonl"

    def probed(self, family_id: str) -> Path:
        """What the recall probe of a family gave."""
        return self.path / "probed" / f"{family_id.replace('/', '__')}.jsonl"

    def batches(self, slug: str) -> list[str]:
        """Names of a family's batches, in order; the family by its id or by the slug that batch names start with."""
        start = slug.replace("/", "__") + "."
        return sorted(path.stem for path in (self.path / "batches").glob("*.jsonl") if path.name.startswith(start))


def start(request: Request, store: Store, confirmer: Confirmer) -> Run:
    """The run folder of a request on the store's present state; the same request on the same state is the same folder."""
    draft = Run(store.path, Asked(request=request, shards=(), dead=(), digests={}, confirmer="", code=""))
    digests = {f"{kind}:{one.id}": digest for one in draft.families for kind, digest in one.digests.items()}
    if confirmer.name != RULE:
        used = [PROMPT, *([SUMMARY, DOMAIN] if request.domain is not None else [])]
        digests |= {
            **{f"prompt:{name}": prompts.load(name).digest for name in used},
            f"models:{confirmer.models.profile}": confirmer.models.digest,
        }
    shards = store.shards()
    asked = Asked(
        request=request,
        shards=tuple(shard.digest for shard in shards),
        dead=tuple(sorted({name for shard in shards for name in shard.dead})),
        reserved=store.manifest.reserved.digest if store.manifest.reserved else "",
        approved=quarantine.approvals_digest(store.path),
        digests=digests,
        confirmer=confirmer.name,
        code=code_digest(),
    )
    content = runs.canonical(asked)
    path = store.path / RUNS / hashlib.sha256(content.encode()).hexdigest()[:20]
    if not _is_whole(path):
        path.mkdir(parents=True, exist_ok=True)
        write_durably(path / REQUEST, (content + "\n").encode())
    return Run(path, asked)


@contextmanager
def held(run: Path) -> Iterator[None]:
    """Hold a run folder while its build works; InputError (busy, 7) when another build does the same: both would pay."""
    with locked(run, said=f"Another build of the same request is at work in {str(run)!r}."):
        yield


def reopen(path: Path) -> Run:
    """A run folder by its path. InputError (6): its request is not the one that it is named after."""
    if not _is_whole(path):
        raise InputError(f"{str(path / REQUEST)!r} is missing or damaged. Run the same build again: it makes the file anew.", code=6)
    return Run(path, Asked.model_validate_json(read_regular(path / REQUEST)))


def _is_whole(path: Path) -> bool:
    try:
        return hashlib.sha256((path / REQUEST).read_bytes().removesuffix(b"\n")).hexdigest()[:20] == path.name
    except FileNotFoundError:
        return False


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """One JSON document, in one step."""
    write_durably(path, (json.dumps(value, sort_keys=True, ensure_ascii=False, indent=1) + "\n").encode())


@cache
def code_digest() -> str:
    """Digest of what turns a store into instances, so that nobody has to bump a version when it changes."""
    digest = hashlib.sha256(readers_digest().encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
