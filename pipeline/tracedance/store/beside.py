"""Every file of a folder against what was written down of it: what was edited, what is missing, what has come in.

A finished run's results are sealed once and for all in its `digests.json`. What lives on beside them, its account, ledger, labels and
pages, is sealed in `beside.sha256` by each command that writes there (the form of `sha256sum`, which checks it as well). A ledger that is
being written to is taken off the list first, and a comment there says so: where such a command was killed, the file counts as unsealed,
and not as edited. A living file of which the list says nothing at all is a sign that the list was edited.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

from tracedance.errors import InputError
from tracedance.regular import read_regular
from tracedance.store.durable import write_durably

FILE = "beside.sha256"
LIVING = ("ledger.sqlite3", "spend.json", "labels.jsonl", "report.html")
"""What commands write beside a finished run's results."""
OPEN = "# being written: "
"""How a line of the list begins that names a file which is off it for a while."""
WORKING = (".lock",)
SHOWN = 20
"""Files of a kind that an error names."""


@dataclass(frozen=True)
class Differences:
    """Names of files, as seen from their folder."""

    edited: tuple[str, ...]
    missing: tuple[str, ...]
    added: tuple[str, ...]

    def refuse(self, folder: Path, cure: str) -> None:
        """InputError (6) that names them all; nothing where there are none."""
        kinds = {"edited": self.edited, "missing": self.missing, "added": self.added}
        said = [f"{kind}: {_listed(names)}" for kind, names in kinds.items() if names]
        if said:
            raise InputError(f"{str(folder)!r} is not what was written. {'; '.join(said)}. {cure}", 6)


def differences(folder: Path, expected: Mapping[str, str], others: Collection[str] = (), apart: Collection[str] = ()) -> Differences:
    """A folder's files against their digests. `others` may be there or not; nothing below the folders `apart` is looked at."""
    held = set(files_in(folder, apart))
    there = sorted(held & expected.keys())
    return Differences(
        edited=tuple(name for name in there if digest(folder / name) != expected[name]),
        missing=tuple(sorted(expected.keys() - held)),
        added=tuple(sorted(held - expected.keys() - set(others))),
    )


def files_in(folder: Path, apart: Collection[str] = ()) -> Iterator[str]:
    """The names of all that is no folder, links to folders too, but for what lies in the folders `apart`."""
    for place, folders, files in os.walk(folder):
        base = Path(place)
        links = [name for name in folders if (base / name).is_symlink()]
        folders[:] = [name for name in folders if (base / name).relative_to(folder).as_posix() not in apart]
        yield from ((base / name).relative_to(folder).as_posix() for name in (*files, *links))


def digest(path: Path) -> str:
    """The sha256 of a regular file; "" for a link, pipe or device, which is no file that was written."""
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def sealed(run: Path) -> dict[str, str] | None:
    """What is written down of a run's living files; None where nothing was (an older version's run). InputError (6) for a damaged list."""
    try:
        lines = read_regular(run / FILE).decode().splitlines()
        return {name: told for told, name in (line.split("  ", 1) for line in lines if not line.startswith(OPEN))}
    except FileNotFoundError:
        return None
    except ValueError:
        raise InputError(f"{str(run / FILE)!r} is no list of digests: it was edited. Evaluate again into a new folder.", 6) from None


def being_written(run: Path) -> set[str]:
    """Files that are off a run's list since a command writes to them, or was killed while it did."""
    try:
        lines = read_regular(run / FILE).decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return set()
    return {line.removeprefix(OPEN) for line in lines if line.startswith(OPEN)}


def seal(run: Path, names: Iterable[str] = ()) -> None:
    """Writes down a run's living files as they are now, and further files by name; those on the list already stay as they were sealed."""
    told = sealed(run) or {}
    wanted = [name for name in names if (run / name).is_file()]
    _write(run, {**told, **{name: digest(run / name) for name in wanted}}, being_written(run) - {*wanted})


def seal_outputs(paths: Iterable[Path]) -> None:
    """Writes down those files that lie in a run's folder: a command has put them there."""
    for path in paths:
        if (path.parent / "run.json").is_file():
            seal(path.parent, (path.name,))


def unseal(run: Path, names: Collection[str]) -> None:
    """Takes files off a run's list, if it has one, since they are about to change."""
    told = sealed(run)
    if told is not None:
        _write(run, {name: held for name, held in told.items() if name not in names}, being_written(run) | set(names))


def is_as_written(run: Path) -> bool:
    """Whether the list, if there is one, has the form in which it was written, to the byte."""
    told = sealed(run)
    return told is None or read_regular(run / FILE) == _lines(told, being_written(run))


def _write(run: Path, told: Mapping[str, str], changing: Collection[str]) -> None:
    write_durably(run / FILE, _lines(told, changing))


def _lines(told: Mapping[str, str], changing: Collection[str]) -> bytes:
    off = [f"{OPEN}{name}\n" for name in sorted(changing)]
    return "".join([*(f"{held}  {name}\n" for name, held in sorted(told.items())), *off]).encode()


def _listed(names: Collection[str]) -> str:
    first = [repr(name) for name in sorted(names)[:SHOWN]]
    return ", ".join(first) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
