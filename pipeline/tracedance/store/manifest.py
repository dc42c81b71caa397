"""`store.json`: which files make up the store. What it does not name does not exist, so replacing it is the commit."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from tracedance.errors import InputError
from tracedance.regular import read_regular
from tracedance.store.durable import write_durably

SCHEMA = "tracedance.store/v1"
FILE = "store.json"
_OURS = re.compile(r"tracedance\.store/v\d+")
_PART = re.compile(r"[0-9a-f]{64}(\.[a-z]+)?\.parquet")
_TEMPORARY = re.compile(r"\.tmp-\d+-[0-9a-f]{8}-.*")
_INCIDENTAL = frozenset(("key", "lock", "prefect", ".gitignore", ".DS_Store"))
"""What may lie in a folder that becomes a store: a lock taken, Prefect's own files, what other programs put into every folder."""


@dataclass(frozen=True, slots=True)
class PartFile:
    """One immutable file of the store under `shards/`; its name is its digest and a suffix."""

    name: str
    digest: str
    """sha256 of its bytes."""
    crc: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Part:
    """One shard: event rows and the rows of the sessions table that belong to them."""

    events: PartFile
    sessions: PartFile
    count: int
    """Sessions in it, dead ones included."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A session that must not come back: digests under the store's key, so that they tell nothing of what it was."""

    given: str
    """Of the id its source gave it."""
    head: str
    """Of the chains of its first turns, joined by spaces."""
    redaction: str
    """Digest of the redaction rules it was stored under: under others its chains would differ."""


@dataclass(frozen=True, slots=True)
class StoreManifest:
    """The committed state of a store."""

    parts: tuple[Part, ...] = ()
    files: tuple[PartFile, ...] = ()
    """Parts of the table of source files; a later row about a path wins."""
    dead: tuple[tuple[str, str], ...] = field(default=())
    """(shard digest, session id) of the copies that a longer one has replaced."""
    forgotten: tuple[Forgotten, ...] = ()
    reserve: int = 0
    """Sessions to set aside in each setting; every import draws what is missing."""
    reserved: PartFile | None = None
    """Table of the sessions set aside."""
    key: str = ""
    """sha256 of the key that the store was made with; "" in stores of earlier versions, until they are next written."""

    @property
    def pristine(self) -> bool:
        """Whether nothing was ever stored or forgotten, so that no digest under the key is out yet."""
        return not (self.parts or self.files or self.forgotten)

    def dead_in(self, shard: str) -> frozenset[str]:
        """Ids that no longer count in one shard."""
        return frozenset(session for digest, session in self.dead if digest == shard)

    def names(self) -> set[str]:
        """Every file under `shards/` that belongs to this state."""
        files = [*self.files, *([self.reserved] if self.reserved else [])]
        return {file.name for part in self.parts for file in (part.events, part.sessions)} | {file.name for file in files}

    def with_part(self, part: Part | None, files: PartFile | None, dead: tuple[tuple[str, str], ...]) -> "StoreManifest":
        """This state and one more commit."""
        return replace(
            self,
            parts=(*self.parts, part) if part else self.parts,
            files=(*self.files, files) if files else self.files,
            dead=tuple(sorted({*self.dead, *dead})),
        )

    def with_forgotten(self, forgotten: Iterable[Forgotten]) -> "StoreManifest":
        """This state with these sessions to keep out, in a fixed order."""
        return replace(self, forgotten=tuple(sorted(forgotten, key=lambda one: (one.given, one.head, one.redaction))))


def read_manifest(folder: Path) -> StoreManifest | None:
    """The committed state, None where none was ever committed; InputError where it is newer than us (2) or damaged (6)."""
    path = folder / FILE
    try:
        raw = json.loads(read_regular(path))
        schema = str(raw["schema"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(path) from error
    if not _OURS.fullmatch(schema):
        raise _damaged(path)
    if schema != SCHEMA:
        raise InputError(
            f"The store {str(folder)!r} has the form {schema!r}, this version reads {SCHEMA!r}. Update tracedance, or import anew."
        )
    try:
        if raw.pop("check") != _check(raw):
            raise _damaged(path)
        return StoreManifest(
            parts=tuple(Part(PartFile(**part["events"]), PartFile(**part["sessions"]), part["count"]) for part in raw["parts"]),
            files=tuple(PartFile(**file) for file in raw["files"]),
            dead=tuple((shard, session) for shard, session in raw["dead"]),
            # Absent in stores of the first version.
            forgotten=tuple(Forgotten(**one) for one in raw.get("forgotten", ())),
            reserve=int(raw.get("reserve", 0)),
            reserved=PartFile(**raw["reserved"]) if raw.get("reserved") else None,
            key=str(raw.get("key", "")),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(path) from error


def write_manifest(folder: Path, manifest: StoreManifest) -> None:
    """Commit: from here on `manifest` is what the store holds."""
    raw: dict[str, Any] = json.loads(json.dumps({"schema": SCHEMA, **asdict(manifest)}))
    raw["check"] = _check(raw)
    write_durably(folder / FILE, (json.dumps(raw, sort_keys=True, indent=1, ensure_ascii=False) + "\n").encode())


def sweep(folder: Path, manifest: StoreManifest) -> None:
    """Remove what a command that died left behind: temporary files, and files under `shards/` that `manifest` does not name."""
    named = manifest.names()
    for place in (folder, folder / "shards"):
        for path in place.iterdir():
            left = place.name == "shards" and _PART.fullmatch(path.name) and path.name not in named
            if (left or _TEMPORARY.fullmatch(path.name)) and path.is_file() and not path.is_symlink():
                path.unlink(missing_ok=True)


def holds_remains(folder: Path) -> bool:
    """Whether the folder was a store: parts by our names, or a key and a folder for them. A key alone is one to start a store with."""
    key, shards = folder / "key", folder / "shards"
    try:
        held = [path.name for path in shards.iterdir()]
        return any(_PART.fullmatch(name) for name in held) or (not held and key.is_file() and key.stat().st_size == 32)
    except OSError:
        return False


def refuse_foreign(folder: Path) -> None:
    """InputError for a folder without a state that cannot become a store: one that has lost its state (6), or is somebody else's (2)."""
    if not folder.is_dir():
        if folder.exists() or folder.is_symlink():
            raise InputError(f"{str(folder)!r} is a file, not a folder. Name another place with --store.")
        return
    if holds_remains(folder):
        raise stateless(folder)
    for path in sorted(folder.iterdir()):
        empty = path.name == "shards" and path.is_dir() and not any(path.iterdir())
        if path.name not in _INCIDENTAL and not empty and not _TEMPORARY.fullmatch(path.name):
            said = f"{str(folder)!r} holds other files ({path.name!r}, for one) and is no store."
            raise InputError(f"{said} Name an empty or a new folder with --store; nothing was touched.")
    key = folder / "key"
    if key.exists() and not (key.is_file() and key.stat().st_size == 32):
        raise InputError(f"{str(folder)!r} holds a 'key' that is none of ours. Name an empty or a new folder with --store.")


def stateless(folder: Path) -> InputError:
    """The error for a store whose `store.json` is gone."""
    said = f"{str(folder)!r} was a store, and its {FILE} is missing: what it holds cannot be told. Nothing was touched."
    return InputError(f"{said} Put {FILE} back from a backup, or import into a new store.", code=6)


def _check(raw: Mapping[str, Any]) -> str:
    return sha256(json.dumps(raw, sort_keys=True).encode()).hexdigest()


def _damaged(path: Path) -> InputError:
    return InputError(f"{str(path)!r} is damaged. Put it back from a backup, or remove the store and import again.", code=6)
