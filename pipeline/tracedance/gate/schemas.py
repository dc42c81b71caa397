"""JSON Schemas of the forms that other programs read and write, and the tables of fields in their pages.

`python -m tracedance.gate.schemas docs` brings both up to date (`make schemas`).
"""

import ast
import inspect
import json
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from tracedance.schema import BehaviorContract, BehaviorTrace, GateReport, GateSpec, RepresentationTrajectory

FORMS: dict[str, type[BaseModel]] = {
    "agent-behavior-trace/v0": BehaviorTrace,
    "agent-behavior-contract/v0": BehaviorContract,
    "behavior-spec/v0": GateSpec,
    "gate-report/v0": GateReport,
    "representation-trajectory/v0": RepresentationTrajectory,
}
"""Version string -> record."""
DRAFT = "https://json-schema.org/draft/2020-12/schema"
BEGIN, END = "<!-- fields: written by `make schemas` -->", "<!-- end of fields -->"


def schema_id(form: str) -> str:
    """The form's `$id`: it names a version, and never another one."""
    return f"urn:tracedance:schema:{form.replace('/', ':')}"


def json_schema(form: str) -> dict[str, Any]:
    """The JSON Schema of a form. Where it has no `additionalProperties: false`, unknown fields are allowed."""
    made = FORMS[form].model_json_schema(by_alias=True)
    return {"$schema": DRAFT, "$id": schema_id(form), **made, "title": form}


def schema_file(form: str) -> str:
    """`agent-behavior-trace.v0.json`"""
    return f"{form.replace('/', '.')}.json"


def page_file(form: str) -> str:
    """`agent-behavior-trace.md`"""
    return f"{form.partition('/')[0]}.md"


def schema_text(form: str) -> str:
    """The schema as its file holds it."""
    return json.dumps(json_schema(form), indent=1, ensure_ascii=True) + "\n"


def field_tables(form: str) -> str:
    """Markdown: a table of fields for the form and each record in it, with what the source says of them."""
    made = json_schema(form)
    records = {FORMS[form].__name__: made, **made.get("$defs", {})}
    parts = [f"`$id`: `{schema_id(form)}`, JSON Schema: [schemas/{schema_file(form)}](schemas/{schema_file(form)})"]
    for kind in _records(FORMS[form]):
        schema = records[kind.__name__]
        needed = set(schema.get("required", ()))
        said = docstrings(kind)
        rows = [
            f"| `{name}`{'' if name in needed else ' (optional)'} | {_type(field)} | {' '.join(said.get(name, '').split())} |"
            for name, field in schema.get("properties", {}).items()
        ]
        parts.append("\n".join([f"### {kind.__name__}\n", "| field | type | meaning |", "|---|---|---|", *rows]))
    return "\n\n".join(parts)


def docstrings(kind: type[BaseModel]) -> dict[str, str]:
    """What stands under each field of a record in its source, those of its parents among them."""
    found: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        if issubclass(each, BaseModel) and each is not BaseModel:
            found |= dict(_under_fields(each))
    return found


def _under_fields(kind: type) -> Iterator[tuple[str, str]]:
    body = ast.parse(inspect.getsource(kind)).body[0]
    lines = body.body if isinstance(body, ast.ClassDef) else []
    for field, text in pairwise(lines):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            yield field.target.id.removesuffix("_"), str(ast.literal_eval(text.value))


def _records(kind: type[BaseModel], seen: dict[type[BaseModel], None] | None = None) -> list[type[BaseModel]]:
    """A record and those inside it, in the order in which they are met."""
    seen = {} if seen is None else seen
    seen.setdefault(kind)
    for field in kind.model_fields.values():
        for inner in _inside(field.annotation):
            if inner not in seen:
                _records(inner, seen)
    return list(seen)


def _inside(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in getattr(annotation, "__args__", ()):
        yield from _inside(part)


def _type(field: dict[str, Any]) -> str:
    """A field's type in a few words."""
    if "$ref" in field:
        return str(field["$ref"]).rpartition("/")[2]
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(_type(each) for each in field["anyOf"]))
    if "const" in field or "enum" in field:
        return ", ".join(f"`{value}`" for value in field.get("enum", [field.get("const")]))
    kind = str(field.get("type", "any value"))
    return f"list of {_type(field['items'])}" if kind == "array" and "items" in field else kind


def updated(page: str, form: str) -> str:
    """A page with its tables as they should be. ValueError where it has no place for them."""
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"The page of {form} lacks the lines {BEGIN!r} and {END!r}.")
    return f"{head}{BEGIN}\n\n{field_tables(form)}\n\n{END}{tail}"


def main(docs: Path) -> None:
    """Writes every schema and brings every page up to date."""
    for form in FORMS:
        (docs / "schemas").mkdir(exist_ok=True)
        (docs / "schemas" / schema_file(form)).write_text(schema_text(form))
        page = docs / page_file(form)
        page.write_text(updated(page.read_text(), form))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
