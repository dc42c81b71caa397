"""Representation trajectories as the gate takes them: read, named in the ledger, and never asked for a verdict."""

import hashlib
from pathlib import Path

from pydantic import ValidationError

from tracedance.errors import InputError
from tracedance.regular import read_regular
from tracedance.schema import RepresentationTrajectory

CURE = "Write one with 'tracedance latent demo --out FILE', or leave it out: it decides nothing."


def representation_digest(path: Path) -> str:
    """sha256 of a `representation-trajectory/v0` file's bytes; InputError, one line, for anything else."""
    try:
        raw = read_regular(path)
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror}. {CURE}") from None
    try:
        RepresentationTrajectory.model_validate_json(raw, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise InputError(f"{str(path)!r}, {place}: {first['msg']}. {CURE}") from None
    return hashlib.sha256(raw).hexdigest()
