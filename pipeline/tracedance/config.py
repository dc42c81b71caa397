"""Settings that configs/*.yaml hold, typed and read once. Models, the gate's policy and a query's neighbours have readers of their own."""

from functools import cache
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from tracedance import yamlfile
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
    excerpt_system: int = Field(ge=100)
    excerpt_event: int = Field(ge=100)
    outline: int = Field(ge=1000)
    repository_share: float = Field(gt=0, le=1)
    near_duplicate: float = Field(gt=0, le=1)
    near_duplicate_least: int = Field(ge=1)
    probe: int = Field(ge=0)
    shards_per_step: int = Field(ge=1)
    candidates_per_batch: int = Field(ge=1)
    calls_at_once: int = Field(ge=1)
    synthesis_rounds: int = Field(ge=1)
    synthesis_unfit_drafts: int = Field(ge=1)
    synthesis_sample: int = Field(ge=1)
    synthesis_most_share: float = Field(gt=0, le=1)
    synthesis_probe: int = Field(ge=1)
    synthesis_confirmed: float = Field(gt=0, le=1)
    synthesis_missed: float = Field(ge=0, le=1)
    synthesis_fewest: int = Field(ge=1)


class GradeSettings(Settings):
    """configs/grade.yaml, which explains each field."""

    schema_: Literal["tracedance.grade/v1"] = Field(alias="schema")
    pass_mark: float = Field(ge=0, le=5)
    violates: int = Field(ge=0, le=5)
    satisfies: int = Field(ge=0, le=5)
    probe_low: int = Field(ge=0, le=5)
    probe_high: int = Field(ge=0, le=5)
    tools: int = Field(ge=100)
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
    return yamlfile.read(path, "Install tracedance again.").record(kind, "Put the shipped value back.")
