"""What a person's family asks for and the sandbox does not give: imports and names, by line, seen without running anything.

It is a courtesy and not the boundary: the worker serves nothing else, whatever the source says.
"""

import ast
import builtins
from collections.abc import Iterator

from tracedance.synthesis import served
from tracedance.synthesis.gate import names_of

_OWN = {"__name__", "__doc__"}


def unserved(source: str) -> list[tuple[int, str]]:
    """(line, sentences with the cure), in order; [] where nothing is amiss. SyntaxError on what is no Python."""
    tree = ast.parse(source)
    found = {problem for node in ast.walk(tree) for problem in _imports(node)}
    known = _bound(tree) | set(served.BUILTINS) | set(served.FOR_CLASSES) | _OWN
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in known and (hasattr(builtins, node.id) or node.id.startswith("__")):
            found.add((node.lineno, f"It uses {node.id!r}, which is not there in the sandbox. Do without it."))
    return sorted(found)


def _imports(node: ast.AST) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Import):
        wanted = [(alias.name, "") for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        wanted = [("." * node.level + (node.module or ""), alias.name) for alias in node.names]
    else:
        return
    for module, name in wanted:
        if module not in served.SERVED:
            yield (
                node.lineno,
                f"It imports {module!r}, which is not there in the sandbox. Use tracedance.kit, tracedance.schema and {_PLAIN}.",
            )
        elif name and name not in names_of(module) and (module, name) != ("__future__", "annotations"):
            yield node.lineno, f"It imports {name!r} from {module}, which is not there in the sandbox. Use what else that module has."


_PLAIN = ", ".join(name for name in served.SERVED if "tracedance" not in name and "_" not in name and "." not in name)


def _bound(tree: ast.AST) -> set[str]:
    """Every name that the source itself gives a value."""
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                names.add(name)
            case ast.alias(name=name, asname=other):
                names.add(other or name.partition(".")[0])
    return names
