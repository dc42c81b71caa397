"""`docs/kit.md`, what anchors may use: written from the kit's own docstrings by `python -m tracedance.catalogue.kit_page`."""

import ast
from collections.abc import Iterator
from importlib.resources import files

from tracedance.catalogue.kit_records import cell, gives, tables

HEAD = """\
# The kit

What anchors, guards and checks can use beside `tracedance.schema`: `from tracedance.kit import commands`, then `commands.of(turn)`.
This page is written from the docstrings of `tracedance/kit` and `tracedance/schema` by `make kit`; change those, not this. First come
the records of a session, which every anchor reads, then what most families use, last what single families rest on. Behind the arrow
stands what a function gives; where that is a record, its fields follow. A field that stands on no list is not there in the sandbox, or
is nothing for an anchor to read.
"""
_RECORDS = """
## The records of a session

`from tracedance.schema import Hit, Session, ToolCall, ToolResult, Turn`. A session is a list of turns from 0 on; an assistant turn makes
calls, and the tool turn behind it brings their results. Each call knows its own result: `call.result`, None where none was recorded."""
_SCHEMA = {"session.py": ("Session", "Turn", "ToolCall", "ToolResult", "ToolDefinition", "ToolShape"), "family.py": ("Hit",)}
"""Files of `tracedance.schema` and the records of them that an anchor meets."""
_FIRST = (
    "hits",
    "needs",
    "commands",
    "shell",
    "git",
    "files",
    "seeing",
    "changes",
    "testing",
    "claims",
    "reports",
    "requests",
    "orders",
    "outputs",
    "outcomes",
    "looking",
    "turns",
    "aftermath",
    "paths",
    "texts",
    "linear",
    "memo",
    "sessions",
)
"""Modules that most families use, in the order in which an author meets them."""
_OURS = frozenset(("chain", "intervals", "tools", "errors", "exitcodes", "exporters", "plain_shell"))
"""What importers and tables use."""


def page() -> str:
    """The page as Markdown."""
    modules = _modules()
    others = sorted(set(modules) - set(_FIRST) - _OURS)
    out = [HEAD + _RECORDS]
    for file, names in _SCHEMA.items():
        out += tables(ast.parse((files("tracedance.schema") / file).read_text(encoding="utf-8")), names)
    out += ["", "## What most families use"]
    for name in _FIRST:
        out += _section(name, modules[name])
    out += ["", "## What single families rest on"]
    for name in others:
        out += _section(name, modules[name])
    return "\n".join(out) + "\n"


def _modules() -> dict[str, ast.Module]:
    folder = files("tracedance.kit")
    return {
        each.name[:-3]: ast.parse(each.read_text(encoding="utf-8"))
        for each in folder.iterdir()
        if each.name.endswith(".py") and each.name != "__init__.py"
    }


def _section(name: str, module: ast.Module) -> Iterator[str]:
    public = [node for node in module.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    yield from ("", f"### {name}", "", cell(_first_line(module)), "")
    if public:
        yield from ("| function | what it tells |", "|---|---|")
        yield from (f"| `{cell(_signature(node))}` | {cell(_first_line(node))} |" for node in public)
    yield from tables(module)


def _signature(node: ast.FunctionDef) -> str:
    """A call as an author writes it, names and defaults, and what it gives."""
    given = node.args
    plain = [argument.arg for argument in (*given.posonlyargs, *given.args)]
    for place, value in enumerate(reversed(given.defaults), start=1):
        plain[-place] += f"={ast.unparse(value)}"
    plain += [f"*{given.vararg.arg}"] if given.vararg else ["*"] if given.kwonlyargs else []
    for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        plain.append(argument.arg + (f"={ast.unparse(default)}" if default is not None else ""))
    return f"{node.name}({', '.join(plain)}) -> {gives(node)}"


def _first_line(node: ast.Module | ast.FunctionDef) -> str:
    return (ast.get_docstring(node) or "").partition("\n")[0]


if __name__ == "__main__":
    print(page(), end="")
