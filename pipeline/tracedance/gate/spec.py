"""Policies as people write them: `behavior-spec/v0` in YAML, read without trust and refused with file, line and column."""

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from tracedance.errors import InputError
from tracedance.resources import data
from tracedance.schema import BenchmarkResultsSpec, GateSpec

MAX_BYTES = 256 * 1024
MAX_DEPTH = 12
MAX_ALIASES = 16
MAX_NODES = 5000

Key = tuple[str | int, ...]


def default_spec() -> GateSpec:
    """The policy that is shipped as configs/gate.yaml."""
    return read_spec(data("configs") / "gate.yaml")


def read_spec(path: Path) -> GateSpec:
    """A policy from its file; InputError with the place for anything that is not exactly a policy."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"The policy {str(path)!r} cannot be read: {error.strerror}. Give a behavior-spec/v0 file with --spec.") from None
    if len(raw) > MAX_BYTES:
        raise InputError(f"The policy {str(path)!r} has {len(raw)} bytes and at most {MAX_BYTES} are read. Make it shorter.")
    values, marks = document(raw, path)
    try:
        return GateSpec.model_validate(values)
    except ValidationError as error:
        raise InputError(explain(error, marks, path)) from None


def document(raw: bytes, path: Path) -> tuple[Any, dict[Key, yaml.Mark]]:
    """The plain values of one YAML document and the place of each; no tags, few aliases, bounded depth, no key twice."""
    try:
        text = raw.decode("utf-8")
        check_events(text, path)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        if node is None:
            raise InputError(f"The policy {str(path)!r} is empty. Start from the shipped configs/gate.yaml.")
        marks = dict(places(node, (), path))
        return yaml.safe_load(text), marks
    except yaml.MarkedYAMLError as error:
        raise InputError(f"{at(path, error.problem_mark)}: no valid YAML: {error.problem}. Mend the line.") from None
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"The policy {str(path)!r} is no valid YAML in UTF-8: {str(error).splitlines()[0]}. Mend the file.") from None


def check_events(text: str, path: Path) -> None:
    """Refuses what a policy has no need of, before any object is made of it."""
    depth = aliases = nodes = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        nodes += 1
        aliases += isinstance(event, yaml.AliasEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        tagged = isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent)) and event.tag is not None
        for wrong, what in ((tagged, "tags"), (aliases > MAX_ALIASES, f"over {MAX_ALIASES} aliases"), (depth > MAX_DEPTH, "such depth")):
            if wrong:
                raise InputError(f"{at(path, event.start_mark)}: a policy has no {what}. Write plain values.")
    if nodes > MAX_NODES:
        raise InputError(f"The policy {str(path)!r} has {nodes} parts and at most {MAX_NODES} are read. Make it shorter.")


def places(node: yaml.Node, key: Key, path: Path) -> Iterator[tuple[Key, yaml.Mark]]:
    """The place of every value, by its keys; a key that stands twice is refused."""
    yield key, node.start_mark
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for name, value in node.value:
            if not isinstance(name, yaml.ScalarNode):
                raise InputError(f"{at(path, name.start_mark)}: a name must be plain text. Write 'name: value'.")
            if name.value in seen:
                raise InputError(f"{at(path, name.start_mark)}: {name.value!r} stands there twice. Leave one.")
            seen.add(name.value)
            for inner, mark in places(value, (*key, str(name.value)), path):
                yield inner, name.start_mark if inner == (*key, name.value) else mark
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from places(value, (*key, index), path)


def explain(error: ValidationError, marks: dict[Key, yaml.Mark], path: Path) -> str:
    """The first thing wrong, where it is and what would be right."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    key = first["loc"]
    known = BenchmarkResultsSpec.model_fields if key[:1] == ("benchmark_results",) and len(key) > 1 else GateSpec.model_fields
    place = next((marks[key[:end]] for end in range(len(key), -1, -1) if key[:end] in marks), None)
    name = ".".join(str(part) for part in key)
    if first["type"] == "extra_forbidden":
        near = difflib.get_close_matches(str(key[-1]), known, n=1)
        cure = f"Did you mean {near[0]!r}?" if near else f"Fields there: {', '.join(known)}."
        return f"{at(path, place)}: no field is named {name!r}. {cure}"
    return f"{at(path, place)}: {name or 'the policy'!r}: {first['msg']}. See the shipped configs/gate.yaml."


def at(path: Path, mark: Any) -> str:
    """file:line:column."""
    return f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
