"""Plants a control in each kind of container and in each encoding, and looks whether the finder finds it."""

import gzip
import html
import io
import json
import sqlite3
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq

from tests.privacy.encodings import ENCODINGS
from tests.privacy.find import Finder
from tests.privacy.kinds import ALNUM, body
from tests.privacy.plant import Item

Maker = Callable[[Path, str], object]


def _parquet(place: Path, text: str) -> None:
    pq.write_table(pa.table({"text": ["a", text]}), place / "a.parquet", compression="zstd", use_dictionary=False, write_statistics=False)


def _nested(place: Path, text: str) -> None:
    table = pa.table({"rows": [[], [{"key": "k", "blob": text.encode()}]], "names": pa.array(["x", text]).dictionary_encode()})
    pq.write_table(table, place / "b.parquet", compression="zstd", write_statistics=False)


def _sqlite(place: Path, text: str) -> None:
    with sqlite3.connect(place / "a.sqlite") as base:
        base.execute("CREATE TABLE t (a TEXT, b BLOB)")
        base.execute("INSERT INTO t VALUES (?, ?)", ("x", zlib.compress(text.encode())))
    base.close()


def _wal(place: Path, text: str) -> None:
    """A log that nobody has put into its database yet, as after a crash."""
    base = sqlite3.connect(place / "live.sqlite")
    base.execute("PRAGMA journal_mode=WAL")
    base.execute("CREATE TABLE t (a TEXT)")
    base.execute("INSERT INTO t VALUES (?)", (text,))
    base.commit()
    (place / "b.sqlite").write_bytes((place / "live.sqlite").read_bytes())
    (place / "b.sqlite-wal").write_bytes((place / "live.sqlite-wal").read_bytes())
    base.close()
    (place / "live.sqlite").unlink()


def _zip(place: Path, text: str) -> None:
    with zipfile.ZipFile(place / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", text)


def _tar(place: Path, text: str) -> None:
    data = text.encode()
    member = tarfile.TarInfo("a.txt")
    member.size = len(data)
    with tarfile.open(place / "a.tar.gz", "w:gz") as archive:
        archive.addfile(member, io.BytesIO(data))


CONTAINERS: dict[str, Maker] = {
    "text": lambda place, text: (place / "a.log").write_text(text),
    "json": lambda place, text: (place / "a.json").write_text(json.dumps({"a": {"b": text}})),
    "json key": lambda place, text: (place / "a.json").write_text(json.dumps({text: 1})),
    "jsonl": lambda place, text: (place / "a.jsonl").write_text("{}\n" + json.dumps({"arguments": json.dumps({"c": text})}) + "\n"),
    "html": lambda place, text: (place / "a.html").write_text(f"<p>{html.escape(text)}</p>"),
    "gzip": lambda place, text: (place / "a.gz").write_bytes(gzip.compress(text.encode())),
    "zstd": lambda place, text: (place / "a.zst").write_bytes(bytes(pa.Codec("zstd").compress(text.encode(), asbytes=True))),
    "zip": _zip,
    "tar": _tar,
    "parquet": _parquet,
    "parquet nested": _nested,
    "sqlite": _sqlite,
    "sqlite wal": _wal,
}


def check() -> tuple[list[str], list[str]]:
    """Names of all controls, and of those that were not found."""
    rng = Random()
    names, missed = [], []
    for container, make in CONTAINERS.items():
        for encoding, encode in ENCODINGS.items():
            value = body(rng, ALNUM, 24)
            form = encode(f"TOKEN={value} & more", value, rng)
            name = f"{container}, {encoding}"
            names.append(name)
            if not _found(make, Item("control", encoding, value, form)):
                missed.append(name)
    return names, missed


def _found(make: Maker, item: Item) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), item.form)
        return any(found for *_, found in Finder([item]).below(Path(folder)))
