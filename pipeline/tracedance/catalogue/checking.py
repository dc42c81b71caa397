"""A catalogue folder looked at whole: everything that is missing or wrong in its families, each by file and line with the cure."""

import ast
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, get_args

import re2
from pydantic import BaseModel, ValidationError

from tracedance import yamlfile
from tracedance.catalogue import LEVELS, files
from tracedance.errors import InputError
from tracedance.kit import sessions
from tracedance.kit.needs import Both, Either, Row
from tracedance.kit.rows import patterns
from tracedance.schema import FamilyCard, Frame, Rubric

LOOKS_AROUND = ("(?=", "(?!", "(?<=", "(?<!")
FORMS = "user, harness, compaction, text/call/calls, result(s), error"


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
    module: ModuleType | None = None
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
    parts.module = _module(parts, parts.path("anchors", ".py"))
    if parts.module is not None:
        _anchor(parts, parts.module)
    parts.examples = _examples(parts)
    _rubric(parts)
    checking = parts.path("rubrics", ".py")
    if checking.is_file():
        grader = _module(parts, checking)
        if grader is not None:
            _function(parts, checking, grader, "check", ("context", "response", "facts"))
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


def _module(parts: Parts, path: Path) -> ModuleType | None:
    if not path.is_file():
        parts.add(path, 0, "is missing", "A family has a .yaml, .py and .examples.yaml, and a rubric .yaml; write it")
        return None
    try:
        return files.execute(path)
    except SyntaxError as error:
        parts.add(path, error.lineno or 1, f"is no Python ({error.msg})", "Mend the line")
    except Exception as error:  # A family may be anybody's code.
        own = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        parts.add(path, (own or [1])[-1] or 1, f"cannot be loaded ({type(error).__name__}: {error})", "Correct it; it runs when it is read")
    return None


def _anchor(parts: Parts, module: ModuleType) -> None:
    path = parts.path("anchors", ".py")
    _function(parts, path, module, parts.name, ("session", "params"))
    needs = getattr(module, "NEEDS", None)
    if not isinstance(needs, Row | Both | Either):
        parts.add(path, 1, "defines no NEEDS", "Say there what a session must hold before the anchor is worth running")
        needs = None
    quiet = re2.Options()
    quiet.log_errors = False
    for pattern in dict.fromkeys(patterns(needs)) if needs is not None else ():
        try:
            re2.compile(pattern, quiet)
        except re2.error as error:
            around = next((sign for sign in LOOKS_AROUND if sign in pattern), "")
            said = error.args[0].decode() if isinstance(error.args[0], bytes) else error
            what = f"the pattern {pattern!r} in NEEDS looks around ({around})" if around else f"the pattern {pattern!r} in NEEDS: {said}"
            cure = "Leave the look-around out, the anchor itself decides" if around else "Write it plainer"
            parts.add(path, line_of(path, "NEEDS"), what, cure)
    for place, question in enumerate(parts.card.confirm if parts.card is not None else ()):
        for guard in question.guards:
            if not isinstance(getattr(module, guard, None), FunctionType):
                at = line(parts.card_file, ("confirm", place, "guards")) if parts.card_file is not None else 1
                parts.add(
                    parts.path("anchors", ".yaml"), at, f"names the guard {guard!r}, which {path.name} lacks", "Define it or take it out"
                )


def _function(parts: Parts, path: Path, module: ModuleType, name: str, takes: tuple[str, ...]) -> None:
    try:
        found = files.function(module, name, path)
    except InputError as error:
        own = [one for one in ast.parse(path.read_text("utf-8")).body if isinstance(one, ast.FunctionDef) and one.name[0] != "_"]
        parts.add(path, own[0].lineno if len(own) == 1 else 1, *_halves(str(error).removeprefix(files.shown(path)).lstrip(": ")))
        return
    code = found.__code__
    given = code.co_varnames[: code.co_argcount]
    if given != takes:
        parts.add(path, code.co_firstlineno, f"{name!r} takes ({', '.join(given)})", f"It must take exactly ({', '.join(takes)})")


def line_of(path: Path, name: str) -> int:
    """Line at which a module gives `name` its value or defines it; 1 where it does not."""
    for node in ast.parse(path.read_text("utf-8")).body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        if any(isinstance(target, ast.Name) and target.id == name for target in targets) or getattr(node, "name", "") == name:
            return node.lineno
    return 1


def _examples(parts: Parts) -> yamlfile.Document | None:
    path = parts.path("anchors", ".examples.yaml")
    read = _yaml(parts, path)
    if read is None:
        return None
    if not isinstance(read.values, list):
        parts.add(path, 1, "is no list of examples", "Begin each with '- name:'")
        return None
    before = len(parts.problems)
    for what, where, cure in _misformed(read):
        parts.add(path, line(read, where), what, cure)
    sound = len(parts.problems) == before
    if sound:
        for what, where, cure in _lacking(read, [guard for one in (parts.card.confirm if parts.card else ()) for guard in one.guards]):
            parts.add(path, line(read, where), what, cure)
    return read if sound else None


def _misformed(read: yamlfile.Document) -> Iterator[tuple[str, tuple[str | int, ...], str]]:
    seen: set[str] = set()
    for place, item in enumerate(read.values):
        if not isinstance(item, dict) or not {"name", "turns"} <= set(item) <= files.EXAMPLE_KEYS:
            yield "is no example", (place,), f"It has a name, turns and any of {', '.join(sorted(files.EXAMPLE_KEYS - {'name', 'turns'}))}"
            continue
        if item["name"] in seen:
            yield f"a second example is named {item['name']!r}", (place, "name"), "Rename one"
        seen.add(item["name"])
        for key in ("offends", "opportunities"):
            hits = item.get(key) or []
            if not isinstance(hits, list) or not all(isinstance(hit, dict) and isinstance(hit.get("decision"), int) for hit in hits):
                yield f"{key!r} is no list of decisions", (place, key), "Write '- decision: 3' for each, turns numbered from 0"
        if problem := files.known_turn_problem(item):
            yield problem, (place,), "Correct it, or take it out"
        try:
            sessions.build(item["turns"], **{"id": str(item["name"]), **item.get("meta", {})})
        except Exception as error:  # whatever a person may write there
            yield f"its turns are no session ({error})", (place, "turns"), f"Each is one of {FORMS}"


def _lacking(read: yamlfile.Document, guards: Iterable[str]) -> Iterator[tuple[str, tuple[str | int, ...], str]]:
    written: list[Mapping[str, Any]] = read.values
    named_guards = list(guards)
    refused = {item["refused_by"] for item in written if "refused_by" in item}
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
