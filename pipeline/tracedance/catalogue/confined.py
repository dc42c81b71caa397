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
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import ConfigDict, Field, model_validator

from tracedance.errors import InputError
from tracedance.kit.needs import Needs
from tracedance.regular import read_regular
from tracedance.resources import home
from tracedance.schema import Frame, Record

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


class Probed(Record):
    """What the probe of the accepted draft said, as far as a person is told."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    candidates_judged: int = 0
    candidates_confirmed: int = 0
    others_judged: int = 0
    others_confirmed: int = 0


class Figures(Record):
    """What is kept of the accepted round; the rest of it is for people who read the file."""

    model_config = ConfigDict(frozen=True, extra="allow")
    probe: Probed | None = None


class Mark(Record):
    """`synthesised.json`: which family a model wrote, for what, and the files that it consists of."""

    schema_: Literal["tracedance.synthesised/v1"] = Field(alias="schema")
    family: str = Field(pattern=f"^({'|'.join(get_args(Frame))})/[a-z][a-z0-9_]{{1,63}}$")
    query: str
    rounds: int = Field(ge=1)
    reviewed_by_people: bool
    figures: Figures
    files: Mapping[str, Annotated[str, Field(pattern="^[0-9a-f]{64}$")]]
    """Path below the folder -> sha256."""
    digest: str

    @model_validator(mode="after")
    def holds_the_files_of_its_family_alone(self) -> Self:
        anchor, rubric = f"anchors/{self.family}", f"rubrics/{self.family}"
        needed = {f"{anchor}.yaml", f"{anchor}.py", f"{anchor}.examples.yaml", f"{rubric}.yaml"}
        if not needed <= set(self.files) <= {*needed, f"{rubric}.py"}:
            raise ValueError("its files are not those of one family")
        return self


def mark_of(data: bytes) -> dict[str, Any]:
    """A mark's text as plain values in the form of `Mark`. ValueError where it is none."""
    Mark.model_validate_json(data)
    return dict(json.loads(data))


def read_mark(folder: Path) -> dict[str, Any]:
    """What the mark says. InputError (6) where it is damaged."""
    try:
        return mark_of(read_regular(folder / MARK))
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
