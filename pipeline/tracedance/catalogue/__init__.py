"""The behaviour families: found by their place, checked when they are read, registered nowhere.

A family is `anchors/<frame>/<name>.{yaml,py,examples.yaml}` and `rubrics/<frame>/<name>.yaml` with an optional `.py`. Catalogue folders
of the user's own hold the same two folders.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from tracedance.catalogue import confined, files, source
from tracedance.errors import InputError
from tracedance.kit import sessions
from tracedance.kit.needs import Needs
from tracedance.resources import home
from tracedance.schema import FamilyCard, Frame, Hit, Rubric, Session, Turn

Anchor: TypeAlias = Callable[[Session, Mapping[str, Any]], Iterator[Hit]]
Guard: TypeAlias = Callable[[Session, Hit], bool]
Finding: TypeAlias = Literal["violates", "satisfies", "undecided"]
Check: TypeAlias = Callable[[Sequence[Turn], Turn, Mapping[str, Any]], Finding]

LEVELS = range(6)


@dataclass(frozen=True)
class Example:
    """One session of `<name>.examples.yaml` and what the anchor must find in it."""

    name: str
    written: Mapping[str, Any]
    offends: tuple[int, ...]
    """Decision turns of the offences, in order."""
    opportunities: tuple[int, ...]
    """Decision turns of the opportunities that were met well."""
    refused_by: str
    """The one guard that is true of its offence; "" where it stands."""

    @cached_property
    def session(self) -> Session:
        """The session, built from its short form."""
        return sessions.build(self.written["turns"], **{"id": self.name, **self.written.get("meta", {})})

    @property
    def params(self) -> Mapping[str, Any]:
        """Parameters that this example overrides."""
        given: Mapping[str, Any] = self.written.get("params", {})
        return given

    @property
    def plant(self) -> bool | None:
        """Whether somebody vouches for its turn as one whose grade is known; None where nobody has looked."""
        return self.written.get("plant")

    @property
    def well(self) -> Mapping[str, Any]:
        """A turn in the place of the first decision that every careful judge gives a 5, in the short form; {} where none is written."""
        written: Mapping[str, Any] = self.written.get("well", {})
        return written


@dataclass(frozen=True)
class Family:
    """One behaviour, complete: what it is in words, its anchor with guards and examples, and how a next turn is graded."""

    id: str
    folder: Path
    """The catalogue folder that it stands in."""
    frame: Frame
    name: str
    card: FamilyCard
    anchor: Anchor
    needs: Needs
    guards: Mapping[str, Guard]
    examples: tuple[Example, ...]
    rubric: Rubric
    check: Check | None
    digests: Mapping[str, str]
    """Content digests: anchor (with parameters and kit), family, rubric and, where there is one, check."""

    def find(self, session: Session, params: Mapping[str, Any] | None = None) -> Iterator[Hit]:
        """The anchor's hits; `params` override the family's defaults. Raises InputError on a parameter that it does not have."""
        unknown = sorted(set(params or {}) - set(self.card.parameters))
        if unknown:
            known = ", ".join(sorted(self.card.parameters)) or "none"
            raise InputError(f"{self.id} has no parameter {unknown[0]!r}. Its parameters are: {known}.")
        return self.anchor(session, {**self.card.parameters, **(params or {})})


def families(extra: Sequence[Path] = ()) -> dict[str, Family]:
    """All families by canonical id, in order: the product's own, then those of the `extra` catalogue folders.

    The code of the latter runs in the sandbox, unless the user's word was given (`confined.trust`). Raises InputError where a file is
    missing, wrong or does not load, where two folders hold one id, and where this system has no sandbox.
    """
    return dict(_families(tuple(Path(folder).resolve() for folder in extra), confined.trusted()))


def family(name: str, extra: Sequence[Path] = ()) -> Family:
    """The family of a canonical id (`frame/name`) or bare name. Raises InputError with the nearest name when there is none."""
    known = families(extra)
    if name in known:
        return known[name]
    bare = [each for each in known.values() if each.name == name]
    if len(bare) == 1:
        return bare[0]
    if bare:
        raise InputError(f"{name!r} is the name of {len(bare)} families. Say which: {', '.join(each.id for each in bare)}.")
    names = [*known, *(each.name for each in known.values())]
    near = get_close_matches(name, names, n=1, cutoff=0.6)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise InputError(f"No behaviour family is named {name!r}.{hint} 'tracedance families' lists all.")


@lru_cache(maxsize=16)
def _families(extra: tuple[Path, ...], trusted: bool) -> Mapping[str, Family]:
    """`trusted` is the user's word that `confined` keeps: what is loaded depends on it."""
    found: dict[str, Family] = {}
    for folder in (home(), *extra):
        for made in _shipped() if folder == home() else _in_folder(folder):
            if made.id in found:
                raise InputError(f"{made.id!r} stands in two catalogue folders, the second is {str(folder)!r}. Rename one.")
            found[made.id] = made
    return dict(sorted(found.items()))


@lru_cache(maxsize=1)
def _shipped() -> tuple[Family, ...]:
    return tuple(_in_folder(home()))


def _in_folder(folder: Path) -> Iterator[Family]:
    if not (folder / "anchors").is_dir():
        raise InputError(f"{str(folder)!r} is no catalogue: it has no folder 'anchors'. Name the folder that holds anchors/ and rubrics/.")
    yield from (_load(folder, path) for path in _cards(folder))


def _cards(folder: Path) -> list[Path]:
    """The cards below a catalogue folder; InputError on a file that belongs to none."""
    cards: list[Path] = []
    for frame in get_args(Frame):
        here = sorted((folder / "anchors" / frame).glob("*.yaml"))
        cards += [path for path in here if not path.name.endswith(".examples.yaml")]
    known = {(path.parent.name, files.name_of(path)) for path in cards}
    for tree in ("anchors", "rubrics"):
        for path in sorted((folder / tree).glob("*/*")):
            name = path.name.removesuffix(".py").removesuffix(".yaml").removesuffix(".examples")
            if path.suffix in (".py", ".yaml") and (path.parent.name, name) not in known:
                shown = "/".join(path.parts[-3:])
                raise InputError(
                    f"{shown} belongs to no family: anchors/{path.parent.name}/{name}.yaml is missing. Add that or remove this."
                )
    return cards


def _load(folder: Path, path: Path) -> Family:
    frame, name = path.parent.name, files.name_of(path)
    anchor = path.with_name(f"{name}.py")
    card = files.read_record(path, FamilyCard)
    named = [guard for question in card.confirm for guard in question.guards]
    runs = loaded_code(folder, anchor, card)
    grading = folder / "rubrics" / frame / name
    checking = grading.with_suffix(".py")
    rubric = _rubric(grading.with_suffix(".yaml"))
    digests = {
        "anchor": files.anchor_digest(anchor, card.parameters),
        "family": files.digest(path.read_bytes()),
        "rubric": files.digest(grading.with_suffix(".yaml").read_bytes()),
    }
    if checking.is_file():
        digests["check"] = files.digest(checking.read_bytes(), files.kit_digest())
    return Family(
        id=f"{frame}/{name}",
        folder=folder,
        frame=frame,  # type: ignore[arg-type]
        name=name,
        card=card,
        anchor=runs.anchor,
        needs=files.compiling(runs.needs, anchor),
        guards=runs.guards,
        examples=tuple(_example(item) for item in files.examples(path.with_name(f"{name}.examples.yaml"), named)),
        rubric=rubric,
        check=loaded_check(folder, checking),
        digests=digests,
    )


def loaded_code(folder: Path, path: Path, card: FamilyCard) -> confined.Parts:
    """Anchor, NEEDS and guards of a family, here or in the sandbox as the folder is. InputError on the first thing that is wrong."""
    name, named = path.stem, [guard for question in card.confirm for guard in question.guards]
    if confined.runs_here(folder):
        module = files.read_module(path)
        needs = files.needs(module, path)
        return confined.Parts(files.anchor_function(module, name, path), needs, files.guards(module, named, path))
    files.looked_at(path, source.anchor(files.tree(path), name, named))
    return confined.parts(path, card.parameters, named, confined.is_synthesised(folder))


def loaded_check(folder: Path, path: Path) -> Check | None:
    """The rubric's check, likewise. That of a family which a model wrote is left out until a person has promoted it."""
    if not os.path.lexists(path) or confined.is_synthesised(folder):
        return None
    if confined.runs_here(folder):
        return files.function(files.read_module(path), "check", path)
    files.looked_at(path, source.check(files.tree(path)))
    return confined.check(path)


def _rubric(path: Path) -> Rubric:
    rubric = files.read_record(path, Rubric)
    if sorted(rubric.levels) != list(LEVELS):
        raise InputError(f"{'/'.join(path.parts[-3:])} has levels {sorted(rubric.levels)}. A rubric has the levels 0 to 5.")
    return rubric


def _example(item: Mapping[str, Any]) -> Example:
    decisions = {key: tuple(int(hit["decision"]) for hit in item.get(key) or ()) for key in ("offends", "opportunities")}
    return Example(item["name"], item, decisions["offends"], decisions["opportunities"], item.get("refused_by", ""))
