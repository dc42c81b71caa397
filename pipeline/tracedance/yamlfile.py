"""YAML that people or programs give us, read without trust: bounded, plain, and refused with file, line and column.

No tags, no merge keys, no key twice, no alias inside itself; aliases count as often as they are written out. A date stays the text it is.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from tracedance.errors import InputError
from tracedance.regular import read_regular

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
LONGEST_NUMBER = 40
PREFIX = "tag:yaml.org,2002:"

Model = TypeVar("Model", bound=BaseModel)
Key = Sequence[str | int]


@dataclass(frozen=True)
class Caps:
    """How much of a document is read."""

    bytes: int = 4 * 1024 * 1024
    depth: int = 32
    aliases: int = 16
    parts: int = 200_000


ORDINARY = Caps()
SMALL = Caps(bytes=256 * 1024, depth=12, parts=5000)
"""For what a person writes by hand."""


@dataclass(frozen=True)
class Document:
    """One document: its plain values, and where each stands."""

    values: Any
    root: yaml.Node
    shown: str
    """The file as messages name it."""

    def at(self, key: Key = ()) -> str:
        """file:line:column of the value with these keys, or of the nearest around it."""
        node, mark = self.root, self.root.start_mark
        for part in key:
            found = _inside(node, part)
            if found is None:
                break
            mark, node = found
        return _place(self.shown, mark)

    def record(self, kind: type[Model], cure: str) -> Model:
        """The document as a record, uncoerced: `true` is no number. InputError with the first wrong field."""
        try:
            return self.strictly(kind)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            name = ".".join(str(part) for part in first["loc"]) or "the whole"
            raise InputError(f"{self.at(first['loc'])}: field {name!r} is wrong ({first['msg']}). {cure}") from None

    def strictly(self, kind: type[Model]) -> Model:
        """As `record`, for callers that explain the ValidationError themselves."""
        return kind.model_validate_json(json.dumps(self.values), strict=True)


def read(path: Path, cure: str, shown: str = "", caps: Caps = ORDINARY) -> Document:
    """The document in a file; InputError, with `cure`, where there is none that can be read."""
    try:
        raw = read_regular(path, caps.bytes)
    except FileNotFoundError:
        raise InputError(f"{shown or str(path)} is missing. {cure}") from None
    except OSError as error:
        raise InputError(f"{shown or str(path)!r} cannot be read: {error.strerror}. {cure}") from None
    return parse(raw, shown or str(path), cure, caps)


def parse(raw: bytes, shown: str, cure: str, caps: Caps = ORDINARY) -> Document:
    """As `read`, of bytes; `shown` is how messages name the file."""
    try:
        text = raw.decode("utf-8-sig")
        _check_events(text, shown, caps)
        root = yaml.compose(text, Loader=LOADER)
        if root is None:
            raise InputError(f"{shown!r} is empty. {cure}")
        return Document(_Plain(shown, caps).value(root), root, shown)
    except yaml.MarkedYAMLError as error:
        raise InputError(f"{_place(shown, error.problem_mark)}: no valid YAML: {error.problem}. Mend the line.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"{shown!r} is no valid YAML in UTF-8: {str(error).splitlines()[0]}. Mend the file.") from None


def _check_events(text: str, shown: str, caps: Caps) -> None:
    """Refuses what a document has no need of, before any object is made of it."""
    depth = aliases = 0
    for parts, event in enumerate(yaml.parse(text, Loader=LOADER)):
        aliases += isinstance(event, yaml.AliasEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        tagged = isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent)) and event.tag is not None
        for wrong, what in (
            (tagged, "tags"),
            (aliases > caps.aliases, f"over {caps.aliases} aliases"),
            (depth > caps.depth, f"over {caps.depth} levels"),
            (parts > 2 * caps.parts, f"over {caps.parts} parts"),
        ):
            if wrong:
                raise InputError(f"{_place(shown, event.start_mark)}: such a file has no {what}. Write plain values.")


@dataclass
class _Plain:
    """Makes plain values of nodes."""

    shown: str
    caps: Caps
    parts: int = 0
    open: list[yaml.Node] = field(default_factory=list)
    """The nodes around the one at hand."""

    def value(self, node: yaml.Node) -> Any:
        self.parts += 1
        if isinstance(node, yaml.ScalarNode):
            return self.scalar(node)
        if node in self.open or len(self.open) >= self.caps.depth or self.parts > self.caps.parts:
            raise self.wrong(node, "aliases make it endless, too deep or too long", "Write it out")
        self.open.append(node)
        made = [self.value(each) for each in node.value] if isinstance(node, yaml.SequenceNode) else self.mapping(node)
        self.open.pop()
        return made

    def mapping(self, node: yaml.Node) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        seen = set()
        for name, value in node.value:
            if not isinstance(name, yaml.ScalarNode) or name.tag == f"{PREFIX}merge":
                raise self.wrong(name, "a name must be plain text", "Write 'name: value'")
            if name.value in seen:
                raise self.wrong(name, f"{name.value!r} stands there twice", "Leave one")
            seen.add(name.value)
            made[self.scalar(name)] = self.value(value)
        return made

    def scalar(self, node: yaml.ScalarNode) -> Any:
        make = _MAKERS.get(node.tag.removeprefix(PREFIX))
        if make is None or ":" in node.value:
            return node.value
        try:
            if len(node.value) > LONGEST_NUMBER:
                raise ValueError("too long")
            return make(node)
        except ValueError:
            raise self.wrong(node, "this is no number that can be read", "Write a shorter one, or quotes around a text") from None

    def wrong(self, node: yaml.Node, what: str, cure: str) -> InputError:
        return InputError(f"{_place(self.shown, node.start_mark)}: {what}. {cure}.")


_SCALARS = yaml.constructor.SafeConstructor()
_MAKERS: Mapping[str, Callable[[yaml.ScalarNode], Any]] = {
    "null": lambda node: None,
    "bool": _SCALARS.construct_yaml_bool,
    "int": _SCALARS.construct_yaml_int,
    "float": _SCALARS.construct_yaml_float,
}


def _inside(node: yaml.Node, part: str | int) -> tuple[Any, yaml.Node] | None:
    """The mark and node of one value of a mapping or sequence."""
    if isinstance(node, yaml.MappingNode):
        return next(((name.start_mark, value) for name, value in node.value if name.value == str(part)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part].start_mark, node.value[part]
    return None


def _place(shown: str, mark: Any) -> str:
    return f"{shown}:{mark.line + 1}:{mark.column + 1}" if mark else shown
