"""What an evaluation run says about itself."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from tracedance.schema.record import Exchanged


class RunBenchmark(Exchanged):
    """A benchmark that a run evaluated."""

    name: str
    path: str
    """Where it was read, relative to the run folder, or absolute; only reports look there again."""
    digest: str
    families: tuple[str, ...]
    instances: int
    redaction: tuple[str, ...] = ()
    """Digests of the redaction rules that its instances were stored under."""
    """How many it has: a run that holds fewer is not whole."""


class RunManifest(Exchanged):
    """`run.json` of an evaluation run."""

    schema_: str = Field(alias="schema", default="tracedance.run/v1")
    judged_by: Literal["panel", "rule"]
    mode: Literal["joint", "independent", "rule"]
    profile: str | None = None
    models: tuple[str, ...]
    benchmarks: tuple[RunBenchmark, ...]
    samples: int = Field(default=1, ge=1)
    quorum: int = 3
    seed: int = 0
    judges: tuple[str, ...] = ()
    """The seats; () where no model judges, and in runs of older versions."""
    makers: Mapping[str, str] = {}
    """Who made each model and judge, as told from its name: a judge of a model's own maker is left out of `mean_without_own`."""
    rejudges: str | None = None
    """Where the responses come from: the run, relative to this folder, whose answers were graded anew."""
    digests: Mapping[str, Any] = {}
    parameters: Mapping[str, Any] = {}
    """By purpose and model: the parameters that are `sent`, and those that are `left_out`, with the reason."""
