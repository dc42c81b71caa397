"""Settings that configs/*.yaml hold, typed and read once. Models, the gate's policy and a query's neighbours have readers of their own."""

from functools import cache
from pathlib import Path
from typing import Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tracedance.errors import InputError
from tracedance.resources import data


class Settings(BaseModel):
    """Frozen, and a name that it does not know is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class BuildSettings(Settings):
    """configs/build.yaml, which explains each field."""

    schema_: Literal["tracedance.build/v1"] = Field(alias="schema")
    minimum: int = Field(ge=1)
    maximum: int = Field(ge=1)
    context_tokens: int = Field(ge=1)
    characters_per_token: int = Field(ge=1)
    quoted_share: float = Field(gt=0, le=1)
    quoted_share_late: float = Field(gt=0, le=1)
    quoted_fewest_runs: int = Field(ge=1)
    excerpt: int = Field(ge=1000)
    excerpt_opening: int = Field(ge=100)
    excerpt_event: int = Field(ge=100)
    shards_per_step: int = Field(ge=1)
    candidates_per_batch: int = Field(ge=1)
    calls_at_once: int = Field(ge=1)


class GradeSettings(Settings):
    """configs/grade.yaml, which explains each field."""

    schema_: Literal["tracedance.grade/v1"] = Field(alias="schema")
    pass_mark: float = Field(ge=0, le=5)
    violates: int = Field(ge=0, le=5)
    satisfies: int = Field(ge=0, le=5)
    context: int = Field(ge=1000)
    message: int = Field(ge=100)
    response: int = Field(ge=100)


S = TypeVar("S", bound=Settings)


@cache
def build_settings() -> BuildSettings:
    """How benchmarks are made."""
    return _read(data("configs") / "build.yaml", BuildSettings)


@cache
def grade_settings() -> GradeSettings:
    """How responses are graded."""
    return _read(data("configs") / "grade.yaml", GradeSettings)


def _read(path: Path, kind: type[S]) -> S:
    try:
        return kind.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        raise InputError(f"{path}: {place}: {first['msg']}. Put the shipped value back.") from error
    except (OSError, yaml.YAMLError) as error:
        raise InputError(f"{path} cannot be read: {type(error).__name__}. Install tracedance again.") from error
