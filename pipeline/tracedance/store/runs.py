"""Run folders: tables of JSON lines that are appended to, read back and replaced."""

import json
import os
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from pydantic import BaseModel, ValidationError

from tracedance.errors import InputError
from tracedance.regular import TABLE, read_regular
from tracedance.store import beside
from tracedance.store.durable import write_durably

Row = TypeVar("Row", bound=BaseModel)
DIGESTS = "digests.json"
"""The file of a finished run that holds the digest of each of its others."""


def canonical(row: BaseModel | Mapping[str, Any]) -> str:
    """One row as JSON text: sorted keys, text as it is, so that equal rows are equal bytes."""
    data = row.model_dump(mode="json", by_alias=True) if isinstance(row, BaseModel) else row
    return json.dumps(data, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def lines(rows: Iterable[BaseModel | Mapping[str, Any]]) -> bytes:
    """Rows as JSON lines in UTF-8; a lone surrogate, which has no UTF-8 form, becomes `?`."""
    return b"".join(canonical(row).encode("utf-8", "replace") + b"\n" for row in rows)


def append(path: Path, rows: Iterable[BaseModel | Mapping[str, Any]]) -> None:
    """Add rows, durably, at the end; a last line that a crash tore is cut off first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        if file.tell() and not _ends_whole(file):
            file.seek(0)
            file.truncate(_whole(file.read()))
        file.write(lines(rows))
        file.flush()
        os.fsync(file.fileno())


def read(path: Path, kind: type[Row]) -> list[Row]:
    """All whole rows; [] where the file is absent. A torn last line is left out; InputError (6) for damage anywhere else."""
    rows = []
    for number, line in enumerate(_whole_lines(path), 1):
        try:
            rows.append(kind.model_validate_json(line))
        except ValidationError as error:
            raise InputError(f"Line {number} of {str(path)!r} is damaged. Remove the file to have it made again.", code=6) from error
    return rows


def seal(path: Path, rows: Iterable[BaseModel | Mapping[str, Any]]) -> None:
    """Put rows in place of all that the file held, and a last line that is their digest, so that `sealed` tells a file that was changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = lines(rows)
    write_durably(path, data + _seal(path, data))


def is_sealed(path: Path) -> bool:
    """Whether the file is there, to the byte as `seal` wrote it under this name."""
    return _sealed(path) is not None


def sealed(path: Path, kind: type[Row]) -> list[Row] | None:
    """The rows that `seal` wrote; None where the file is absent or not what was written, so that it must be made again."""
    data = _sealed(path)
    if data is None:
        return None
    try:
        return [kind.model_validate_json(line) for line in data.split(b"\n") if line]
    except ValidationError:
        return None


def _sealed(path: Path) -> bytes | None:
    try:
        whole = path.read_bytes()
    except FileNotFoundError:
        return None
    data = whole[: whole.rfind(b"\n", 0, -1) + 1]
    return data if whole == data + _seal(path, data) else None


def _seal(path: Path, data: bytes) -> bytes:
    """The name enters, so that one file does not pass for another."""
    return f"#{sha256(f'{path.parent.name}/{path.name}'.encode() + data).hexdigest()}\n".encode()


def replace(path: Path, rows: Iterable[BaseModel | Mapping[str, Any]]) -> None:
    """Put rows in place of all that the file held, in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_durably(path, lines(rows))


def _whole_lines(path: Path) -> list[bytes]:
    try:
        data = read_regular(path, TABLE)
    except FileNotFoundError:
        return []
    return [line for line in data[: _whole(data)].split(b"\n") if line.strip()]


def _ends_whole(file: BinaryIO) -> bool:
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"


def _whole(data: bytes) -> int:
    """Length of the part that ends with the last whole line."""
    return data.rfind(b"\n") + 1


def digests(files: Mapping[str, bytes]) -> bytes:
    """What `DIGESTS` holds for a finished run of these files, and that a list of those that live on lies beside it."""
    sums = {name: sha256(data).hexdigest() for name, data in sorted(files.items())}
    return _listed({"schema": "tracedance.run_digests/v1", "files": sums, "beside": beside.FILE})


def _listed(held: Mapping[str, Any]) -> bytes:
    return (json.dumps(held, indent=1) + "\n").encode()


def is_as_written(folder: Path) -> bool:
    """Whether `DIGESTS` has the form in which it was written, to the byte."""
    return read_regular(folder / DIGESTS) == _listed(_digests(folder))


def expected(folder: Path) -> dict[str, str]:
    """A finished run's files with their digests. InputError: it is not finished (2), the list is damaged (6)."""
    return {str(name): str(digest) for name, digest in _digests(folder)["files"].items()}


def has_beside(folder: Path) -> bool:
    """Whether the run has a list of what lives on beside its results; those of older versions have none."""
    return _digests(folder).get("beside") == beside.FILE


def _digests(folder: Path) -> dict[str, Any]:
    try:
        held = json.loads(read_regular(folder / DIGESTS))
        held["files"].items()
    except OSError as error:
        raise InputError(f"{str(folder)!r} has no {DIGESTS}: it is not finished. Run 'tracedance evaluate' again: it resumes.") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{str(folder / DIGESTS)!r} is damaged. Run 'tracedance evaluate' again: it resumes.", code=6) from error
    return dict(held)


def verify(folder: Path) -> None:
    """Compare a finished run with its digests. InputError: without any it is not finished (2), a byte that differs (6)."""
    for name, digest in sorted(expected(folder).items()):
        path = folder / Path(name).name
        if not path.is_file() or sha256(read_regular(path, TABLE)).hexdigest() != digest:
            raise InputError(
                f"{str(path)!r} is not what the run wrote (missing or edited). Run 'tracedance evaluate' again: it resumes.", 6
            )
