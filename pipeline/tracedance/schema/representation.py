"""`representation-trajectory/v0`: how an open model's hidden state moves along the steps of a run. Advisory, always."""

from typing import Literal

from pydantic import Field, model_validator

from tracedance.schema.record import Exchanged


class RepresentedStep(Exchanged):
    """One step of the trajectory. The text of a step is not kept."""

    index: int = Field(ge=0)
    text_hash: str
    """SHA-256 of the step's text."""
    tokens: int = Field(ge=1)
    """Tokens that the model read: of this step, and of those before it where the context is cumulative."""
    hidden_state: tuple[float, ...] = Field(min_length=1)
    """The layer's vector at the last token."""
    entropy: float = Field(ge=0)
    """Of the next token's distribution, in nats."""
    velocity: float | None = Field(default=None, ge=0)
    """L2 distance to the hidden state of the step before; null for the first step."""
    curvature: float | None = None
    """Velocity minus that of the step before, a difference of speeds; null for the first two steps."""
    projection: tuple[float, float]
    """First two principal components over the steps."""


class RepresentationTrajectory(Exchanged):
    """The hidden states of one open-weight model over the steps of one run."""

    schema_version: Literal["representation-trajectory/v0"]
    model: str
    """A name on the hub; `local` for a folder, whose path is nobody's business."""
    weights: Literal["open"] = "open"
    """Only models whose weights run on this machine can be looked into: never a hosted one."""
    config_hash: str
    """SHA-256 of the model's configuration."""
    layer: int = Field(ge=0)
    """Index among the hidden states: 0 is the embedding, `layers` the last block's output."""
    layers: int = Field(ge=1)
    """Blocks of the model."""
    context: Literal["cumulative", "alone"]
    """Whether the model read a step after all steps before it, or by itself."""
    units: Literal["nats"] = "nats"
    """Of the entropies."""
    explained_variance: tuple[float, float]
    """Shares of the variance that the two components hold."""
    steps: tuple[RepresentedStep, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _fits(self) -> "RepresentationTrajectory":
        if len({len(step.hidden_state) for step in self.steps}) > 1:
            raise ValueError("hidden states of different lengths")
        if [step.index for step in self.steps] != list(range(len(self.steps))):
            raise ValueError("steps are not numbered 0, 1, 2, ...")
        return self
