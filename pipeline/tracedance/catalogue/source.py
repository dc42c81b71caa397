"""What a family's code is seen to be without running it: functions, NEEDS and the words of a check, each with its line."""

import ast
from collections.abc import Iterator, Sequence

WORDS = ("violates", "satisfies", "undecided")
"""What a check may say."""
Wrong = tuple[int, str, str]
"""Line, what is wrong, cure."""
TAKES_SESSION = ("session", "params")
TAKES_TURN = ("context", "response", "facts")


def function(tree: ast.Module, name: str, takes: Sequence[str]) -> Wrong | None:
    """Why the file does not define the function `name` of just these parameters; None where it does."""
    made = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if name not in made:
        public = [node for node in made.values() if not node.name.startswith("_")]
        if len(public) == 1:
            return public[0].lineno, f"defines {public[0].name!r}", f"Rename it {name!r}: one name finds anchor, examples and rubric"
        return 1, f"defines no function {name!r}", "Write one; its name is that of the file"
    given = made[name].args
    names = [one.arg for one in (*given.posonlyargs, *given.args)]
    if names != list(takes) or given.vararg or given.kwarg or given.kwonlyargs:
        return made[name].lineno, f"{name!r} takes ({', '.join(names)})", f"It must take exactly ({', '.join(takes)})"
    return None


def anchor(tree: ast.Module, name: str, guards: Sequence[str]) -> Iterator[Wrong]:
    """Why the file is no anchor `name` with these guards."""
    if (wrong := function(tree, name, TAKES_SESSION)) is not None:
        yield wrong
    named = dict(top(tree))
    if "NEEDS" not in named:
        yield 1, "defines no NEEDS", "Say there what a session must hold before the anchor is worth running"
    for guard in guards:
        if guard not in named:
            yield 1, f"has no guard {guard!r}, which the family's questions name", "Define it or take it out there"


def check(tree: ast.Module) -> Iterator[Wrong]:
    """Why the file is no check, and every word that a check may not say."""
    if (wrong := function(tree, "check", TAKES_TURN)) is not None:
        yield wrong
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "check":
            for at, said in _returned(node):
                if said not in WORDS:
                    yield at, f"the check says {said!r}", f"It may say {', '.join(WORDS)}"


def top(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Names that the file defines, imports or assigns at its top, with their lines."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name.partition(".")[0], node.lineno) for alias in node.names)
        else:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
            yield from ((target.id, node.lineno) for target in targets if isinstance(target, ast.Name))


def _returned(function: ast.FunctionDef) -> Iterator[tuple[int, object]]:
    """Constants that the function itself returns."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.Return):
            yield from _constants(node.value, node.lineno)
        elif not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))


def _constants(value: ast.expr | None, line: int) -> Iterator[tuple[int, object]]:
    if value is None:
        yield line, None
    elif isinstance(value, ast.Constant):
        yield line, value.value
    elif isinstance(value, ast.IfExp):
        yield from _constants(value.body, line)
        yield from _constants(value.orelse, line)
