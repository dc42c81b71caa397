"""One family read from its files and checked: a family that loads is complete."""

import ast
import importlib.util
import inspect
import re
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeVar

import re2
from pydantic import BaseModel

import tracedance.kit
import tracedance.schema.session
from tracedance import yamlfile
from tracedance.catalogue import source
from tracedance.catalogue.examples import misformed
from tracedance.errors import InputError
from tracedance.kit.chain import canonical
from tracedance.kit.needs import Both, Either, Needs, Row
from tracedance.kit.rows import patterns
from tracedance.regular import read_regular

Model = TypeVar("Model", bound=BaseModel)

CODE = 512 * 1024
"""Bytes of one Python file at most."""
POSITIVES = 3
"""Examples in which the anchor must find an offence."""
NEAR_MISSES = 3
"""Examples in which it must find none, or whose offence a guard refuses."""

_NAME = re.compile(r"[a-z][a-z0-9_]{1,63}")


def read_yaml(path: Path) -> yamlfile.Document:
    """What a YAML file holds; InputError when it cannot be read."""
    return yamlfile.read(path, "A family has a .yaml, .py and .examples.yaml, and a rubric .yaml.", shown(path))


def read_record(path: Path, kind: type[Model]) -> Model:
    """A YAML file as a record; InputError names the field that is wrong."""
    return read_yaml(path).record(kind, "Correct it.")


def text(path: Path) -> str:
    """What a Python file of a family holds, as UTF-8 whatever coding it names. InputError where that cannot be read."""
    try:
        return read_regular(path, CODE).decode("utf-8")
    except FileNotFoundError:
        raise InputError(f"{shown(path)} is missing. A family has a .yaml, .py and .examples.yaml, and a rubric .yaml.") from None
    except UnicodeDecodeError:
        raise InputError(f"{shown(path)}:1: is no text in UTF-8. Write it so.") from None
    except OSError as error:
        raise InputError(f"{shown(path)}:1: cannot be read ({error.strerror}). Check the path and its permissions.") from None


def read_module(path: Path) -> ModuleType:
    """As `execute`, and whatever it raises is an InputError."""
    try:
        return execute(path)
    except InputError:
        raise
    except Exception as error:  # A family may be anybody's code.
        own = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        at = error.lineno if isinstance(error, SyntaxError) else (own or [1])[-1]
        raise InputError(
            f"{shown(path)}:{at or 1}: cannot be loaded ({type(error).__name__}: {error}). Correct it; it runs when it is read."
        ) from None


def execute(path: Path) -> ModuleType:
    """A Python file loaded by its path, under a name of its own; nothing is registered anywhere. Raises what it raises.

    It is read as UTF-8 whatever coding its first lines name: else a comment, to whoever looked at it, could be code.
    """
    name = f"tracedance_family_{sha256(str(path.resolve()).encode()).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("it is no Python file")
    module = importlib.util.module_from_spec(spec)
    exec(compile(text(path), str(path), "exec", dont_inherit=True), vars(module))
    return module


def function(module: ModuleType, name: str, path: Path) -> Callable[..., Any]:
    """The function of that name which the module defines itself."""
    found = getattr(module, name, None)
    if isinstance(found, FunctionType) and found.__module__ == module.__name__:
        return found
    own = [key for key, value in vars(module).items() if isinstance(value, FunctionType) and value.__module__ == module.__name__]
    public = [key for key in own if not key.startswith("_")]
    if len(public) == 1:
        raise InputError(f"{shown(path)} defines {public[0]!r}. Rename it {name!r}: one name finds anchor, examples and rubric.")
    raise InputError(f"{shown(path)} defines no function {name!r}. Write one; its name is that of the file.")


def anchor_function(module: ModuleType, name: str, path: Path) -> Callable[..., Any]:
    """The anchor: a plain function of (session, params)."""
    found = function(module, name, path)
    if list(inspect.signature(found).parameters) != ["session", "params"]:
        raise InputError(f"{shown(path)}: {name!r} must take exactly (session, params). Change its parameters.")
    return found


def needs(module: ModuleType, path: Path) -> Needs:
    """The anchor's necessary condition."""
    found = getattr(module, "NEEDS", None)
    if not isinstance(found, Row | Both | Either):
        raise InputError(f"{shown(path)} defines no NEEDS. Say there what a session must hold before the anchor is worth running.")
    return found


def compiling(needs: Needs, path: Path) -> Needs:
    """The condition; InputError where one of its patterns is none of the scan's dialect (no look-around)."""
    quiet = re2.Options()
    quiet.log_errors = False
    for pattern in patterns(needs):
        try:
            re2.compile(pattern, quiet)
        except re2.error as error:
            said = error.args[0].decode() if isinstance(error.args[0], bytes) else error
            raise InputError(f"{shown(path)}: the pattern {pattern!r} in NEEDS does not compile ({said}). Write it plainer.") from None
    return needs


def tree(path: Path) -> ast.Module:
    """A Python file, read and not executed, as UTF-8 whatever coding it names. InputError, with the line, where it is none."""
    source_text = text(path)
    try:
        return ast.parse(source_text)
    except SyntaxError as error:
        raise InputError(f"{shown(path)}:{error.lineno or 1}: is no Python ({error.msg}). Mend the line.") from None
    except (ValueError, RecursionError, MemoryError):
        raise InputError(f"{shown(path)}:1: cannot be parsed. Write it plainer.") from None


def looked_at(path: Path, found: Iterable[source.Wrong]) -> None:
    """InputError with the first thing that is wrong with a file's code."""
    for _, what, cure in found:
        raise InputError(f"{shown(path)}: {what}. {cure}.")


def guards(module: ModuleType, named: Sequence[str], path: Path) -> dict[str, Callable[..., Any]]:
    """The predicates that the confirmation questions name."""
    missing = [name for name in named if not isinstance(getattr(module, name, None), FunctionType)]
    if missing:
        raise InputError(f"{shown(path)} has no guard {missing[0]!r}, which the family's questions name. Define it or take it out there.")
    return {name: getattr(module, name) for name in named}


def examples(path: Path, guarded: Sequence[str]) -> list[Mapping[str, Any]]:
    """The examples as written, with their forms and numbers checked."""
    read = read_yaml(path)
    if not isinstance(read.values, list):
        raise InputError(f"{shown(path)}: is no list of examples. Begin each with '- name:'.")
    written: list[Mapping[str, Any]] = read.values
    for what, where, cure in misformed(written):
        raise InputError(f"{read.at(where)}: {what}. {cure}.")
    refused = [item["refused_by"] for item in written if "refused_by" in item]
    lone = next((name for name in guarded if name not in refused), None) or next((name for name in refused if name not in guarded), None)
    if lone is not None:
        raise InputError(
            f"{shown(path)}: guard {lone!r} needs an example that it alone refuses, and is named by a question. Add what lacks."
        )
    positives = [item for item in written if item.get("offends") and "refused_by" not in item]
    if len(positives) < POSITIVES or len(written) - len(positives) < NEAR_MISSES or not any(item.get("opportunities") for item in written):
        raise InputError(
            f"{shown(path)} needs at least {POSITIVES} examples that offend, {NEAR_MISSES} near misses and an opportunity met. Add them."
        )
    return written


def name_of(path: Path) -> str:
    """The family's name from its file; InputError when it is not a plain lower-case name."""
    name = path.name.removesuffix(".yaml")
    if not _NAME.fullmatch(name):
        raise InputError(f"{shown(path)}: a family's name is lower case with underscores. Rename the file.")
    return name


def digest(*parts: bytes | str) -> str:
    """sha256 over the parts, each preceded by its length; hex."""
    total = sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(b"%d:" % len(data) + data)
    return total.hexdigest()


def anchor_digest(path: Path, parameters: Mapping[str, Any]) -> str:
    """Of all that decides what an anchor finds: its source, its default parameters and the kit that reads sessions for it."""
    return digest(path.read_bytes(), canonical(dict(parameters)), kit_digest())


def kit_digest() -> str:
    """Of the kit's sources, the session's schema and the shell grammar."""
    folder = Path(inspect.getfile(tracedance.kit)).parent
    files = [*sorted(folder.glob("*.py")), Path(inspect.getfile(tracedance.schema.session))]
    return digest(*(file.read_bytes() for file in files), version("tree-sitter"), version("tree-sitter-bash"))


def shown(path: Path) -> str:
    """The path from its catalogue folder on: `anchors/failure/x.yaml`."""
    return "/".join(path.parts[-3:])
