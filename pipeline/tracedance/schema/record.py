"""The two kinds of record: what people write is checked to the letter, what programs exchange is read with tolerance."""

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen record that refuses unknown fields: what people write, and what passes between our own steps."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Exchanged(BaseModel):
    """A frozen record that programs exchange: unknown fields are kept out and can be counted with `unknown_fields`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    schema_name: ClassVar[str] = ""


def unknown_fields(kind: type[BaseModel], data: dict[str, Any]) -> list[str]:
    """Names of the top-level fields of `data` that `kind` does not know, sorted."""
    known = set(kind.model_fields) | {field.alias for field in kind.model_fields.values() if field.alias}
    return sorted(set(data) - known)
