"""The fields of the records that anchors read, as tables of `docs/kit.md`: from annotations and the docstrings beside them."""

import ast
from collections.abc import Iterable, Iterator, Mapping

UNSEEN = {
    "Session": frozenset(("labels", "replaced", "figures", "path", "source_digest", "offsets")),
    "ToolCall": frozenset(("raw", "told")),
    "ToolResult": frozenset(("raw",)),
    "Turn": frozenset(("raw_reasoning",)),
}
"""What importers and the store use, and what the sandbox does not hand to an anchor."""
Words = Mapping[str, tuple[str, str]]
"""Name of a choice of words -> the words as they are shown, and what its docstring says of them."""


def tables(module: ast.Module, names: Iterable[str] = ()) -> Iterator[str]:
    """Lines of Markdown on the public classes of a module, or on those of `names`, in that order."""
    classes = {node.name: node for node in module.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")}
    words = _words(module)
    for name in names or classes:
        rows = list(_rows(classes[name], words))
        if rows:
            yield from ("", f"**`{name}`**: {_said(classes[name])}", "", f"| field of `{name}` | type | what it is |", "|---|---|---|")
            yield from rows


def _rows(node: ast.ClassDef, words: Words) -> Iterator[str]:
    """One row for each field, property and method that an author may use."""
    following = [*node.body[1:], ast.Pass()]
    for each, after in zip(node.body, following, strict=True):
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            name, kind, told = each.target.id, ast.unparse(each.annotation), _beside(after)
        elif isinstance(each, ast.FunctionDef):
            is_field = any(isinstance(mark, ast.Name) and mark.id.endswith("property") for mark in each.decorator_list)
            given = ", ".join(argument.arg for argument in each.args.args[1:])
            name, kind, told = each.name if is_field else f"{each.name}({given})", gives(each), _said(each)
        else:
            continue
        if not name.startswith("_") and name not in UNSEEN.get(node.name, ()):
            shown, meant = words.get(kind.removesuffix(" | None"), ("", ""))
            kind = shown + (" or None" if kind.endswith(" | None") else "") if shown else f"`{kind}`"
            yield f"| `{cell(name)}` | {cell(kind)} | {cell(' '.join(filter(None, (told, meant))))} |"


def gives(node: ast.FunctionDef) -> str:
    """What a function returns, as annotated."""
    return ast.unparse(node.returns) if node.returns else ""


def cell(text: str) -> str:
    """Text as it may stand in a table."""
    return text.replace("|", "\\|")


def _words(module: ast.Module) -> Words:
    """The module's choices among words (`Status = Literal["ok", ...]`)."""
    found = {}
    for each, after in zip(module.body, [*module.body[1:], ast.Pass()], strict=True):
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name) and ast.unparse(each.value).startswith("Literal["):
            values = ast.literal_eval(each.value.slice) if isinstance(each.value, ast.Subscript) else ()
            found[each.targets[0].id] = (", ".join(f'`"{value}"`' for value in values), _beside(after))
    return found


def _said(node: ast.ClassDef | ast.FunctionDef) -> str:
    return (ast.get_docstring(node) or "").partition("\n")[0]


def _beside(node: ast.stmt) -> str:
    """The docstring of a field or an alias: the text that stands behind it, in one line."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return " ".join(node.value.value.split()) if is_text else ""  # type: ignore[attr-defined]
