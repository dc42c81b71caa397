"""A catalogue folder looked at whole: everything that is missing or wrong in its families, each by file and line with the cure."""

import ast
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, get_args

import re2
from pydantic import BaseModel, ValidationError

from tracedance import yamlfile
from tracedance.catalogue import LEVELS, confined, files, loaded_check, loaded_code, source
from tracedance.catalogue.examples import misformed, unbuilt
from tracedance.errors import InputError
from tracedance.kit.needs import Needs
from tracedance.kit.rows import patterns
from tracedance.schema import FamilyCard, Frame, Rubric

LOOKS_AROUND = ("(?=", "(?!", "(?<=", "(?<!")
Code = TypeVar("Code")


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that is missing or wrong."""

    file: str
    """From the catalogue folder on."""
    line: int
    """From 1; 0 where the file is not there."""
    what: str
    cure: str


@dataclass
class Parts:
    """A family as far as it could be read; `problems` say why a part is absent."""

    folder: Path
    frame: str
    name: str
    card: FamilyCard | None = None
    card_file: yamlfile.Document | None = None
    code: confined.Parts | None = None
    check: Callable[..., Any] | None = None
    examples: yamlfile.Document | None = None
    problems: list[Problem] = field(default_factory=list)

    @property
    def id(self) -> str:
        return f"{self.frame}/{self.name}"

    def path(self, tree: str, ending: str) -> Path:
        """A file of the family."""
        return self.folder / tree / self.frame / f"{self.name}{ending}"

    def add(self, path: Path, line: int, what: str, cure: str) -> None:
        """Remember a problem."""
        self.problems.append(Problem(files.shown(path), line, what, cure))


def named(folder: Path) -> list[tuple[str, str]]:
    """(frame, name) of every family that some file of the folder belongs to; InputError where it is no catalogue."""
    if not (folder / "anchors").is_dir() and not (folder / "rubrics").is_dir():
        raise InputError(f"{str(folder)!r} is no catalogue: it has no folder 'anchors'. Name the folder that holds anchors/ and rubrics/.")
    found = set()
    for tree in ("anchors", "rubrics"):
        for path in (folder / tree).glob("*/*"):
            if path.suffix in (".py", ".yaml") and path.name != "__init__.py":
                stem = path.name.removesuffix(".py").removesuffix(".yaml").removesuffix(".examples")
                found.add((path.parent.name, stem))
    return sorted(found)


def read_parts(folder: Path, frame: str, name: str) -> Parts:
    """Every file of a family, read as far as it goes."""
    parts = Parts(folder, frame, name)
    if frame not in get_args(Frame):
        parts.add(parts.path("anchors", ".yaml"), 0, f"{frame!r} is no frame", f"Use one of {', '.join(get_args(Frame))} as the folder")
    parts.card_file, card = _record(parts, parts.path("anchors", ".yaml"), FamilyCard)
    parts.card = card if isinstance(card, FamilyCard) else None
    parts.examples = _examples(parts)
    _rubric(parts)
    _code(parts)
    return parts


def _yaml(parts: Parts, path: Path) -> yamlfile.Document | None:
    if not path.is_file():
        parts.add(path, 0, "is missing", "A family has a .yaml, .py and .examples.yaml, and a rubric .yaml; write it")
        return None
    try:
        return files.read_yaml(path)
    except InputError as error:
        said = str(error)
        place, _, rest = said.partition(": ")
        number = place.removeprefix(files.shown(path)).strip(":").partition(":")[0]
        what, cure = _halves(rest if number.isdigit() else said)
        parts.add(path, int(number) if number.isdigit() else 1, what, cure)
        return None


def _record(parts: Parts, path: Path, kind: type[BaseModel]) -> tuple[yamlfile.Document | None, BaseModel | None]:
    read = _yaml(parts, path)
    if read is None:
        return None, None
    try:
        return read, read.strictly(kind)
    except ValidationError as error:
        for one in error.errors(include_url=False, include_input=False, include_context=False):
            name = ".".join(str(part) for part in one["loc"]) or "the whole"
            parts.add(path, line(read, one["loc"]), f"field {name!r} is wrong ({one['msg']})", "Correct it")
        return read, None


def line(read: yamlfile.Document, key: Sequence[str | int]) -> int:
    """Line of a value, or of the nearest around it."""
    return int(read.at(key).rsplit(":", 2)[1])


def _code(parts: Parts) -> None:
    """Anchor and check looked at, and loaded where there is nothing wrong with them."""
    path = parts.path("anchors", ".py")
    if (tree := _tree(parts, path)) is not None:
        _guards(parts, path, tree)
        if _sound(parts, path, (*source.anchor(tree, parts.name, ()), *_unserved(parts.folder, path))) and parts.card is not None:
            parts.code = _loaded(parts, path, partial(loaded_code, parts.folder, path, parts.card))
        if parts.code is not None:
            _conditions(parts, path, parts.code.needs)
    grading = parts.path("rubrics", ".py")
    tree = _tree(parts, grading) if os.path.lexists(grading) else None
    if tree is not None and _sound(parts, grading, (*source.check(tree), *_unserved(parts.folder, grading))):
        parts.check = _loaded(parts, grading, partial(loaded_check, parts.folder, grading))


def _guards(parts: Parts, path: Path, tree: ast.Module) -> None:
    there = dict(source.top(tree))
    for place, question in enumerate(parts.card.confirm if parts.card is not None else ()):
        for guard in question.guards:
            if guard not in there and parts.card_file is not None:
                at = line(parts.card_file, ("confirm", place, "guards"))
                what = f"names the guard {guard!r}, which {path.name} lacks"
                parts.add(parts.path("anchors", ".yaml"), at, what, "Define it or take it out")


def _tree(parts: Parts, path: Path) -> ast.Module | None:
    if not os.path.lexists(path):
        parts.add(path, 0, "is missing", "A family has a .yaml, .py and .examples.yaml, and a rubric .yaml; write it")
        return None
    try:
        return files.tree(path)
    except InputError as error:
        _told(parts, path, str(error))
        return None


def _sound(parts: Parts, path: Path, found: Iterable[source.Wrong]) -> bool:
    before = len(parts.problems)
    for at, what, cure in found:
        parts.add(path, at, what, cure)
    return len(parts.problems) == before


def _unserved(folder: Path, path: Path) -> Iterator[source.Wrong]:
    """What the sandbox does not give; nothing where the code does not run there."""
    if not confined.runs_here(folder):
        for at, said in confined.unserved(files.text(path)):
            what, cure = _halves(said)
            yield at, what, f"{cure}, or give --trust-catalogue where the code is your own"


def _loaded(parts: Parts, path: Path, load: Callable[[], Code]) -> Code | None:
    try:
        return load()
    except InputError as error:
        _told(parts, path, str(error))
        return None


def _told(parts: Parts, path: Path, message: str) -> None:
    """A problem from a message of ours that begins with the file and, maybe, the line."""
    said = message.removeprefix(files.shown(path)).lstrip(": ")
    number, _, rest = said.partition(": ")
    inside = re.search(r"\bline (\d+)\b", said)
    at = int(number) if number.isdigit() else int(inside[1]) if inside else 1
    parts.add(path, at, *_halves(rest if number.isdigit() else said))


def _conditions(parts: Parts, path: Path, needs: Needs) -> None:
    quiet = re2.Options()
    quiet.log_errors = False
    for pattern in dict.fromkeys(patterns(needs)):
        try:
            re2.compile(pattern, quiet)
        except re2.error as error:
            around = next((sign for sign in LOOKS_AROUND if sign in pattern), "")
            said = error.args[0].decode() if isinstance(error.args[0], bytes) else error
            what = f"the pattern {pattern!r} in NEEDS looks around ({around})" if around else f"the pattern {pattern!r} in NEEDS: {said}"
            cure = "Leave the look-around out, the anchor itself decides" if around else "Write it plainer"
            parts.add(path, line_of(path, "NEEDS"), what, cure)


def line_of(path: Path, name: str) -> int:
    """Line at which a module gives `name` its value or defines it; 1 where it does not."""
    return dict(source.top(ast.parse(files.text(path)))).get(name, 1)


def _examples(parts: Parts) -> yamlfile.Document | None:
    path = parts.path("anchors", ".examples.yaml")
    read = _yaml(parts, path)
    if read is None:
        return None
    if not isinstance(read.values, list):
        parts.add(path, 1, "is no list of examples", "Begin each with '- name:'")
        return None
    before = len(parts.problems)
    for what, where, cure in misformed(read.values):
        parts.add(path, line(read, where), what, cure)
    if len(parts.problems) == before:
        for what, where, cure in unbuilt(read.values):
            parts.add(path, line(read, where), what, cure)
    sound = len(parts.problems) == before
    if sound:
        named_guards = [guard for one in parts.card.confirm for guard in one.guards] if parts.card is not None else None
        for what, where, cure in _lacking(read, named_guards):
            parts.add(path, line(read, where), what, cure)
    return read if sound else None


def _lacking(read: yamlfile.Document, guards: Sequence[str] | None) -> Iterator[tuple[str, tuple[str | int, ...], str]]:
    """What the examples lack together; `guards` are those that the card names, None where it cannot be read."""
    written: list[Mapping[str, Any]] = read.values
    refused = {item["refused_by"] for item in written if "refused_by" in item}
    named_guards = sorted(refused) if guards is None else guards
    for guard in named_guards:
        if guard not in refused:
            yield f"guard {guard!r} has no example", (), "Add an offence that it alone refuses, with 'refused_by'"
    for place, item in enumerate(written):
        if "refused_by" in item and item["refused_by"] not in named_guards:
            yield f"no question names the guard {item['refused_by']!r}", (place, "refused_by"), "Name it under a question, or correct it"
    offending = sum(bool(item.get("offends")) and "refused_by" not in item for item in written)
    for count, least, what in (
        (offending, files.POSITIVES, "offences that no guard refuses"),
        (len(written) - offending, files.NEAR_MISSES, "near misses"),
        (sum(bool(item.get("opportunities")) for item in written), 1, "opportunities that were met well"),
    ):
        if count < least:
            yield f"holds {count} {what}", (), f"Have at least {least}"


def _rubric(parts: Parts) -> None:
    path = parts.path("rubrics", ".yaml")
    read, rubric = _record(parts, path, Rubric)
    if read is not None and isinstance(rubric, Rubric) and sorted(rubric.levels) != list(LEVELS):
        parts.add(path, line(read, ("levels",)), f"has levels {sorted(rubric.levels)}", "A rubric has the levels 0 to 5")


def _halves(said: str) -> tuple[str, str]:
    """What is wrong and the cure, of a message of ours."""
    what, _, cure = said.rstrip(".").partition(". ")
    return what, cure or "Correct it"
