"""Whose code runs where: the product's own families here, all others in the sandbox.

A user can say of the folders that he names that he trusts their code (`--trust-catalogue`): then it runs here too. What a model wrote, told
by the mark in its folder, never does.
"""

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
from tracedance.resources import home

MARK = "synthesised.json"
"""Stands in the catalogue folder of a synthesised family, beside anchors/ and rubrics/."""
SANDBOX = "tracedance.synthesis.confined"
"""Named and not imported: it stands above the catalogue, and only who has such a family needs it."""
_WORD = {"trusted": False}


@dataclass(frozen=True, slots=True)
class Parts:
    """What of a family is code."""

    anchor: Callable[..., Any]
    needs: Needs
    guards: Mapping[str, Callable[..., Any]]


def trust(given: bool) -> None:
    """The user's word, for this process, on the code of every catalogue folder that he names."""
    _WORD["trusted"] = given


def trusted() -> bool:
    """Whether that word was given."""
    return _WORD["trusted"]


def runs_here(folder: Path) -> bool:
    """Whether the code of a catalogue folder may run in this process."""
    return folder.resolve() == home().resolve() or (trusted() and not is_synthesised(folder))


def is_synthesised(folder: Path) -> bool:
    """Whether a catalogue folder holds a family that a model wrote."""
    return (folder / MARK).is_file()


def read_mark(folder: Path) -> dict[str, Any]:
    """What the mark says. InputError (6) where it is damaged."""
    try:
        return dict(json.loads(read_regular(folder / MARK)))
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise InputError(f"{str(folder / MARK)!r} is damaged. Run the build that wrote the family again.", code=6) from error


def parts(source: Path, parameters: Mapping[str, Any], guards: Sequence[str], by_model: bool) -> Parts:
    """The code of a family as functions that ask a confined process. InputError: it does not load, or nothing can be confined here."""
    confine: Callable[..., Parts] = importlib.import_module(SANDBOX).parts
    return confine(source, parameters, guards, by_model)


def check(source: Path) -> Callable[..., Any]:
    """A rubric's check as a function that asks a confined process. InputError as of `parts`."""
    confine: Callable[..., Callable[..., Any]] = importlib.import_module(SANDBOX).check
    return confine(source)


def ready(folder: Path) -> None:
    """InputError where the folder's code would have to be confined and this system cannot do that."""
    if not runs_here(folder):
        importlib.import_module(SANDBOX).ready(is_synthesised(folder))


def unserved(source: str) -> list[tuple[int, str]]:
    """(line, what) of all that the code asks for and the sandbox does not give."""
    found: list[tuple[int, str]] = importlib.import_module(SANDBOX).unserved(source)
    return found
