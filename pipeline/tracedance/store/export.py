"""The one door by which content leaves the store: it looks for secrets a last time, and what it lets out appears whole or not at all."""

import os
import re
import shutil
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path, PurePosixPath

from tracedance.door import scan
from tracedance.errors import InputError
from tracedance.outputs import is_stream, refuse_kind, write_through
from tracedance.regular import read_regular
from tracedance.store.durable import sync_folder, write_durably

OBJECTS = ".objects"
MANIFEST = "benchmark.yaml"
_TARGET = re.compile(re.escape(OBJECTS) + r"[/\\][0-9a-f]{64}\s?")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def publish(files: Mapping[str, bytes], out: Path, name: str) -> Path:
    """Publish a folder of files under its content hash, point `out/name` at it in one step, and return that pointer.

    Readers see the old folder or the new one, never a mixture; a crash leaves at most an unreferenced temporary folder. InputError when
    a secret is found (which file and which rule, never the value) or `out/name` is something else's.
    """
    if not _NAME.fullmatch(name):
        raise InputError(f"{name!r} is no name for a published folder. Use letters, digits, '.', '_' and '-', 128 at most.")
    for path, data in sorted(files.items()):
        _refuse_outside(path)
        _refuse_secrets(path, data)
    pointer = out / name
    refuse_others(pointer)
    _store_object(files, out / OBJECTS, _digest(files))
    _point(pointer, PurePosixPath(OBJECTS, _digest(files)))
    return pointer


def refuse_others(pointer: Path) -> None:
    """InputError when what stands at a pointer's name was not put there by `publish`: only our own link or pointer file is replaced."""
    if not os.path.lexists(pointer):
        return
    try:
        target = os.readlink(pointer) if pointer.is_symlink() else pointer.read_text("utf-8") if pointer.stat().st_size < 4096 else ""
    except (OSError, UnicodeDecodeError):
        target = ""
    if not _TARGET.fullmatch(target):
        kind = "link" if pointer.is_symlink() else "folder" if pointer.is_dir() else "file"
        raise InputError(f"{str(pointer)!r} is a {kind} that was not published from here. Move it away, or choose another --out.")


def write(path: Path, data: bytes | str) -> None:
    """Write one file in one step; to a device or pipe, as it is. InputError for a secret in it, and for a place that is no file."""
    content = data.encode("utf-8", "replace") if isinstance(data, str) else data
    _refuse_secrets(str(path), content)
    refuse_kind(path)
    if is_stream(path):
        write_through(path, content)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_durably(path, content)


def published(path: Path) -> Path:
    """The folder behind a pointer, or the folder itself. InputError when there is none."""
    if path.is_dir():
        return path.resolve()
    try:
        target = path.parent / read_regular(path, 4095).decode().strip()
        if target.is_dir() and target.parent.name == OBJECTS:
            return target.resolve()
    except (OSError, ValueError, InputError):
        pass
    raise InputError(f"There is no published folder at {str(path)!r}. Name the folder that 'tracedance build' printed.")


def _digest(files: Mapping[str, bytes]) -> str:
    """sha256 of the manifest, which holds the digest of every other file; of a list of digests where there is no manifest."""
    if MANIFEST in files:
        return sha256(files[MANIFEST]).hexdigest()
    return sha256("".join(f"{sha256(data).hexdigest()}  {path}\n" for path, data in sorted(files.items())).encode()).hexdigest()


def _store_object(files: Mapping[str, bytes], objects: Path, digest: str) -> None:
    target = objects / digest
    if _holds(target, files):
        return
    objects.mkdir(parents=True, exist_ok=True)
    temporary = objects / f".tmp-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        for path, data in files.items():
            place = temporary / path
            place.parent.mkdir(parents=True, exist_ok=True)
            write_durably(place, data)
        sync_folder(temporary)
        if target.exists():
            # Somebody edited the published folder: what belongs under this digest takes its place.
            os.replace(target, temporary.with_name(f"{temporary.name}-edited"))
            shutil.rmtree(temporary.with_name(f"{temporary.name}-edited"))
        os.replace(temporary, target)
        sync_folder(objects)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _holds(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Whether `folder` holds exactly these files."""
    if not folder.is_dir():
        return False
    held = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if not path.is_dir()}
    return held.keys() == files.keys() and all(path.is_file() and path.read_bytes() == files[name] for name, path in held.items())


def _point(pointer: Path, target: PurePosixPath) -> None:
    temporary = pointer.with_name(f".tmp-{os.getpid()}-{os.urandom(4).hex()}")
    try:
        temporary.symlink_to(target, target_is_directory=True)
    except (OSError, NotImplementedError):
        # No symbolic links here: a file of one line says where the folder lies.
        write_durably(pointer, f"{target}\n".encode())
        return
    os.replace(temporary, pointer)
    sync_folder(pointer.parent)


def _refuse_outside(path: str) -> None:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or "\\" in path or any(part in ("..", ".") for part in parts):
        raise InputError(f"{path!r} is no path inside a published folder.")


def _refuse_secrets(path: str, data: bytes) -> None:
    scan.refuse(repr(path), scan.in_file(PurePosixPath(path).name, data), _cure(path))


def _cure(path: str) -> str:
    """What helps depends on where the content comes from."""
    name = PurePosixPath(path).name
    if name in (MANIFEST, "run.json", "rates.json"):
        return "It stands in a name or a query that was given: take it out there."
    if name in ("responses.jsonl", "grades.jsonl", "votes.parquet"):
        return "It comes from a model's answer: give the same command again with another --out, and report this as a fault of tracedance."
    if name.endswith(".html"):
        return "It comes from a benchmark made before this rule was known, or from a name: build the benchmark anew and evaluate it again."
    if "rubrics/" in path or name.endswith((".yaml", ".yml")):
        return "It stands in a file of the catalogue: take it out there."
    return "Import the traces anew, so that it is replaced."
