"""Families that a model wrote, told by the mark in their folder: their code is never executed here, only in the sandbox."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracedance.errors import InputError
from tracedance.kit.needs import Needs
from tracedance.regular import read_regular

MARK = "synthesised.json"
"""Stands in the catalogue folder of a synthesised family, beside anchors/ and rubrics/."""
SANDBOX = "tracedance.synthesis.confined"
"""Named and not imported: it stands above the catalogue, and only who has such a family needs it."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What of a family is code."""

    anchor: Callable[..., Any]
    needs: Needs
    guards: Mapping[str, Callable[..., Any]]


def is_synthesised(folder: Path) -> bool:
    """Whether a catalogue folder holds a family that a model wrote."""
    return (folder / MARK).is_file()


def read_mark(folder: Path) -> dict[str, Any]:
    """What the mark says. InputError (6) where it is damaged."""
    try:
        return dict(json.loads(read_regular(folder / MARK)))
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"{str(folder / MARK)!r} is damaged. Run the build that wrote the family again.", code=6) from error


def parts(source: Path, name: str, parameters: Mapping[str, Any], guards: Sequence[str]) -> Parts:
    """The code of a family as functions that ask a confined process. InputError: it does not load, or nothing can be confined here."""
    confine: Callable[..., Parts] = importlib.import_module(SANDBOX).parts
    return confine(source, name, parameters, guards)
