"""The grammar for synthesised anchors, as an allow-list on the syntax tree.

It keeps drafts plain enough to be read, and gives the model that wrote them sentences to mend them by. It is hygiene and not the boundary:
that is the confined process, which holds without it.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel

from tracedance.schema import Hit, Session, ToolCall, ToolDefinition, ToolResult, ToolShape, Turn
from tracedance.synthesis import served

SIZE, NODES, DEPTH, INTEGER, TEXT = 64 << 10, 8_000, 40, 1_000_000, 20_000
"""Bounds: bytes of source, nodes and depth of its tree, a whole number, and the length of a text."""

_LEVEL = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.Assign, ast.AnnAssign)
"""What may stand at the top of the file, besides texts."""
_ALLOWED = (
    ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.While, ast.If,
    ast.Raise, ast.Try, ast.ExceptHandler, ast.Assert, ast.Import, ast.ImportFrom, ast.alias, ast.Expr, ast.Pass, ast.Break, ast.Continue,
    ast.BoolOp, ast.NamedExpr, ast.BinOp, ast.UnaryOp, ast.Lambda, ast.IfExp, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp, ast.comprehension, ast.Yield, ast.YieldFrom, ast.Compare, ast.Call, ast.keyword, ast.FormattedValue, ast.JoinedStr,
    ast.Constant, ast.Attribute, ast.Subscript, ast.Starred, ast.Name, ast.List, ast.Tuple, ast.Slice, ast.expr_context, ast.boolop,
    ast.cmpop, ast.unaryop, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.BitOr, ast.BitAnd, ast.BitXor, ast.RShift,
)  # fmt: skip
_CALLED = {
    ast.ClassDef: "a class", ast.With: "a with block", ast.Match: "a match statement", ast.Global: "global", ast.Nonlocal: "nonlocal",
    ast.AsyncFunctionDef: "an async function", ast.Await: "await", ast.Delete: "del", ast.TryStar: "except*", ast.Pow: "the power operator",
    ast.LShift: "a shift to the left", ast.AsyncFor: "an async loop", ast.AsyncWith: "an async with block",
}  # fmt: skip
_CURES = {
    ast.ClassDef: "use tuples or mappings", ast.Match: "use if", ast.With: "nothing here needs closing", ast.Pow: "multiply",
    ast.Global: "return what is found", ast.Nonlocal: "return what is found", ast.Delete: "build a new value",
}  # fmt: skip
_PLAIN_TYPES = (str, int, float, list, dict, set, frozenset, tuple, re.Pattern, re.Match)
_RECORDS = (Hit, Session, Turn, ToolCall, ToolResult, ToolDefinition, ToolShape)
_WITHHELD = {"format", "format_map", "raw", "raw_reasoning", "told", "labels", "mro"}
"""`format` looks up attributes that no tree shows; the others belong to the records' machinery, or are not for anchors."""
_SAID = 300
"""Characters of one problem: names in a source may be as long as it is."""

_CODING = re.compile(r"[ \t\f]*#.*?coding[:=]")


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that the grammar does not allow."""

    line: int
    """From 1."""
    what: str
    """A sentence with the cure."""


def problems(source: str, name: str) -> tuple[Problem, ...]:
    """All that keeps a source from being the anchor `name` in the allowed grammar, by line; empty where nothing does."""
    if len(source.encode("utf-8", "replace")) > SIZE:
        return (Problem(1, f"The file is larger than {SIZE:,} bytes. Write less."),)
    if (unseen := _unseen(source)) is not None:
        return (unseen,)
    try:
        tree = ast.parse(source)
        count, depth = _extent(tree)
    except SyntaxError as error:
        return (Problem(error.lineno or 1, f"This is no Python ({_short(error.msg)}). Mend the line."),)
    except (ValueError, RecursionError, MemoryError):
        return (Problem(1, "The file cannot be parsed. Write it plainer."),)
    if count > NODES or depth > DEPTH:
        return (Problem(1, f"The code has {count:,} nodes in {depth} levels; {NODES:,} and {DEPTH} are allowed. Write it plainer."),)
    return tuple(sorted({Problem(each.line, _short(each.what)) for each in _all(tree, name)}))


def _unseen(source: str) -> Problem | None:
    """What makes people, or a reader of files, see another source than the one that is read here.

    Python reads a file by the coding that its first lines name, and editors end lines at more marks than Python: what is a comment here
    could be code there. Marks of direction and of no width show a reviewer what is not there.
    """
    for number, line in enumerate(source.split("\n"), 1):
        if number < 3 and _CODING.match(line):
            return Problem(number, "The file names a coding. It is UTF-8: take the line out.")
        mark = next((each for each in line if not each.isprintable() and each not in "\t\u00a0\u3000"), "")
        if mark:
            return Problem(number, f"The line holds U+{ord(mark):04X}, which is not seen. The file is plain UTF-8: write it as an escape.")
    return None


def _short(what: str) -> str:
    return what if len(what) <= _SAID else f"{what[:_SAID]}..."


def _extent(tree: ast.AST) -> tuple[int, int]:
    """Number of nodes, and levels of the deepest."""
    count, depth = 0, 0
    level: list[ast.AST] = [tree]
    while level:
        count, depth = count + len(level), depth + 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return count, depth


def _all(tree: ast.Module, name: str) -> Iterator[Problem]:
    for node in tree.body:
        if not isinstance(node, _LEVEL) and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            yield Problem(node.lineno, "Only imports, assignments and functions stand at the top of the file. Move this into a function.")
    anchors = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    if len(anchors) != 1 or [each.arg for each in anchors[0].args.args] != ["session", "params"]:
        yield Problem(anchors[0].lineno if anchors else 1, f"The anchor is one function {name}(session, params). Define it so.")
    if "NEEDS" not in {target.id for node in tree.body for target in _targets(node) if isinstance(target, ast.Name)}:
        yield Problem(1, "NEEDS is missing. Say there what a session must hold before the anchor is worth running.")
    known = _bound(tree) | set(served.BUILTINS)
    for around in ast.walk(tree):
        for each in ast.iter_child_nodes(around):  # an operator has no line of its own
            for what in _wrong(each, known):
                yield Problem(getattr(each, "lineno", getattr(around, "lineno", 1)), what)


def _targets(node: ast.AST) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []


def _bound(tree: ast.AST) -> set[str]:
    """Every name that the source itself gives a value."""
    names = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.FunctionDef(name=name) | ast.arg(arg=name) | ast.ExceptHandler(name=str(name)):
                names.add(name)
            case ast.alias(name=name, asname=other):
                names.add(other or name.partition(".")[0])
    return names


def _wrong(node: ast.AST, known: set[str]) -> Iterator[str]:
    if not isinstance(node, _ALLOWED):
        kind = _CALLED.get(type(node), type(node).__name__)
        yield f"An anchor does not use {kind}: {_CURES.get(type(node), 'write it without')}."
    match node:
        case ast.FunctionDef(decorator_list=[_, *_]):
            yield "An anchor does not use decorators. Call the function where it is needed."
        case ast.Import() | ast.ImportFrom():
            yield from _imports(node)
        case ast.Attribute(attr=name, ctx=context):
            if not isinstance(context, ast.Load):
                yield f"An anchor does not set attributes ({name!r}): it changes nothing that it is shown. Build a new value."
            elif name not in attributes():
                yield f"The attribute {name!r} is none that an anchor reads. Use the session's fields and the kit's functions."
        case ast.Name(id=name):
            if name.startswith("__") or (isinstance(node.ctx, ast.Load) and name not in known):
                yield f"The name {name!r} is not known here. Import it from tracedance.kit, or do without."
            elif isinstance(node.ctx, ast.Store) and name in served.BUILTINS:
                yield f"The name {name!r} is Python's own. Choose another."
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int(value)) if abs(value) > INTEGER:
            yield f"The number is larger than {INTEGER:,}. Use a smaller one."
        case ast.Constant(value=str(value)) if len(value) > TEXT:
            yield f"The text is longer than {TEXT:,} characters. Shorten it."


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    if isinstance(node, ast.Import):
        wanted = [(alias.name, "") for alias in node.names]
    elif node.level:
        yield "Relative imports lead nowhere. Name the module in full."
        return
    else:
        wanted = [(node.module or "", alias.name) for alias in node.names]
    for module, name in wanted:
        if module not in served.GRAMMAR:
            yield f"An anchor does not import {module!r}. Use re, json, math, collections, itertools, typing, tracedance.kit and .schema."
        elif name and name not in names_of(module):
            yield f"{module} offers no {name!r} to an anchor. Use what it has."


@cache
def names_of(module: str) -> frozenset[str]:
    """The names that a module has for an anchor."""
    names = set(served.public(module))
    if module == "collections":
        names.add("abc")
    if module == "tracedance.kit":
        names |= {each.rpartition(".")[2] for each in served.KIT}
    return frozenset(names)


@cache
def attributes() -> frozenset[str]:
    """Names that may stand behind a dot: of plain values, of the records, and of what the served modules offer."""
    names: set[str] = set()
    for kind in (*_PLAIN_TYPES, *_RECORDS):
        names |= _fields(kind)
    for module in served.GRAMMAR:
        offered = served.public(module)
        names |= set(names_of(module))
        if module.startswith("tracedance.kit."):
            for value in offered.values():
                if inspect.isclass(value) and value.__module__.startswith("tracedance.kit."):
                    names |= _fields(value)
    names |= {"from_iterable", "most_common", "popleft", "appendleft", "elements", "total", "abc", "kit", "schema"}
    return frozenset(name for name in names if not name.startswith("_")) - _WITHHELD


def _fields(kind: Any) -> set[str]:
    if issubclass(kind, BaseModel):  # what it inherits builds, copies and evaluates
        return set(kind.model_fields)
    return set(dir(kind)) | set(getattr(kind, "__annotations__", ()))
