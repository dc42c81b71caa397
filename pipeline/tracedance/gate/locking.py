"""Locks: the digest of a spec beside it, so that `gate --locked` judges by what was agreed and by nothing else."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from tracedance.errors import InputError
from tracedance.gate.report import digest_of
from tracedance.regular import read_regular
from tracedance.schema import GateSpec
from tracedance.schema.record import Record
from tracedance.store.export import write

_LARGEST = 65_536


class SpecLock(Record):
    """`behavior.yaml.lock`."""

    schema_: Literal["tracedance.lock/v1"] = Field(alias="schema")
    spec: str
    """The spec's id."""
    digest: str = Field(pattern="^[0-9a-f]{64}$")
    """As every report carries it in `spec_digest`: of the values. Comments and the order of lines do not count."""


def lock_of(path: Path) -> Path:
    """Where the lock of a spec lies."""
    return path.with_name(f"{path.name}.lock")


def lock(path: Path, spec: GateSpec) -> tuple[str, str | None]:
    """Write the lock of a spec; its digest, and the digest that was locked before where that is another."""
    digest, before = digest_of(spec), None
    with suppress(InputError):
        before = read_lock(path).digest
    write(lock_of(path), json.dumps({"schema": "tracedance.lock/v1", "spec": spec.id, "digest": digest}, indent=1) + "\n")
    return digest, before if before != digest else None


def check_lock(path: Path, spec: GateSpec) -> None:
    """InputError where a spec is not the one that was locked, or was never locked."""
    held, digest = read_lock(path), digest_of(spec)
    if held.digest != digest:
        said = f"{str(path)!r} is not the spec that was locked: its digest is {digest[:12]}, and the lock has {held.digest[:12]}"
        raise InputError(f"{said}. Undo the change, or agree on it and lock it: tracedance contract lock {path}.")


def read_lock(path: Path) -> SpecLock:
    """The lock beside a spec; InputError where there is none that can be read."""
    place = lock_of(path)
    try:
        return SpecLock.model_validate_json(read_regular(place, _LARGEST), strict=True)
    except FileNotFoundError:
        raise InputError(
            f"{str(path)!r} is not locked: there is no {place.name!r} beside it. Lock it: tracedance contract lock {path}."
        ) from None
    except OSError as error:
        raise InputError(
            f"{str(place)!r} cannot be read: {error.strerror}. Lock the spec again: tracedance contract lock {path}."
        ) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        name = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise InputError(f"{str(place)!r}, {name}: {first['msg']}. Lock the spec again: tracedance contract lock {path}.") from None
