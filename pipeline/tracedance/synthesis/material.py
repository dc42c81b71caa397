"""What a writer of families is given: the grammar, the kit and the records by signature, and families as they should look."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import tracedance.kit
import tracedance.schema.session
from tracedance.catalogue import Family, family
from tracedance.synthesis import gate, served
from tracedance.synthesis.written import FamilyDraft

MODULES = (
    "hits", "needs", "commands", "shell", "packages", "files", "paths", "changes", "replacing", "outputs", "orders", "guidance", "texts",
    "git", "testing", "exitcodes", "claims", "tools",
)  # fmt: skip
"""Modules of the kit that most anchors need."""
RECORDS = ("ToolResult", "ToolCall", "Turn", "Session")
WITHHELD = frozenset(("raw", "raw_reasoning", "told", "labels", "figures", "path", "source_digest", "offsets", "replayability"))
"""Of the records, what the gate does not let an anchor read, or has no use for it."""
EXAMPLE = "action/push_to_protected_branch"
NONE_RELATED = "(none)"


_PLAIN = ", ".join(name for name in served.GRAMMAR if not name.startswith("tracedance.kit."))
GRAMMAR = f"""Functions, assignments and imports at the top of the file; at most {gate.NODES:,} nodes. No classes, decorators, match, with,
global, async, del, no ** and <<, no numbers above {gate.INTEGER:,}, no names with two underscores in front. Attributes are read, never set.
Imports only from {_PLAIN} and the modules of tracedance.kit.
No files, network, clock, chance or state kept between sessions. Patterns must not backtrack without bound. Bound what is read: a text may
have megabytes, a session thousands of turns."""
"""What the gate allows, in words."""


@cache
def kit() -> str:
    """The records and the kit's public functions: signature and first line of what it says."""
    folder = Path(tracedance.kit.__path__[0])
    records = _records(Path(tracedance.schema.session.__file__))
    modules = [f"tracedance.kit.{name}:\n" + "\n".join(_functions(folder / f"{name}.py")) for name in MODULES]
    return "\n\n".join(["tracedance.schema:\n" + "\n".join(records), *modules])


def _closed(tree: ast.Module) -> Iterator[str]:
    """The values of closed sets: a writer who has to guess them guesses wrong."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and not node.targets[0].id.startswith("_"):
            value = node.value
            if isinstance(value, ast.Subscript) and ast.unparse(value.value) == "Literal":
                yield f"  {node.targets[0].id}: one of {ast.unparse(value.slice).strip('()')}"


def _functions(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text("utf-8"))
    yield from _closed(tree)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
            yield f"  {node.name}({ast.unparse(node.args)}){returns}: {_first_line(node)}"
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield f"  {node.name}({', '.join(_fields(node))}): {_first_line(node)}"


def _records(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text("utf-8"))
    yield from _closed(tree)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name in RECORDS:
            found = [one.name for one in node.body if isinstance(one, ast.FunctionDef) and one.name not in WITHHELD and one.name[0] != "_"]
            yield f"  {node.name}({', '.join(_fields(node))}; {', '.join(found)}): {_first_line(node)}"


def _fields(node: ast.ClassDef) -> list[str]:
    named = [(one.target.id, one) for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
    return [f"{name}: {ast.unparse(one.annotation)}" for name, one in named if not name.startswith("_") and name not in WITHHELD]


def _first_line(node: ast.FunctionDef | ast.ClassDef) -> str:
    return (ast.get_docstring(node) or "").partition("\n")[0]


def shown(files: Sequence[tuple[str, str]]) -> str:
    """Files as one text, each under its name."""
    return "\n\n".join(f"=== {name} ===\n{text.rstrip()}" for name, text in files)


def of_draft(draft: FamilyDraft) -> str:
    """A draft's files as one text."""
    return shown(list(draft.files.items()))


def example() -> str:
    """A shipped family as one text."""
    return shown(_files(family(EXAMPLE)))


def related(ids: Sequence[str]) -> str:
    """The cards and anchors of related families."""
    texts = [shown(_files(family(name))[:2]) for name in ids]
    return "\n\n".join(texts) or NONE_RELATED


def _files(one: Family) -> list[tuple[str, str]]:
    endings = [("anchors", ".yaml"), ("anchors", ".py"), ("anchors", ".examples.yaml"), ("rubrics", ".yaml"), ("rubrics", ".py")]
    names = [f"{tree}/{one.id}{ending}" for tree, ending in endings]
    return [(name, (one.folder / name).read_text("utf-8")) for name in names if (one.folder / name).is_file()]
