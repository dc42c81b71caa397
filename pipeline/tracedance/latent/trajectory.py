"""From the steps of a run to its `representation-trajectory/v0`."""

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from tracedance.errors import InputError
from tracedance.latent.geometry import curvatures, projected, velocities
from tracedance.latent.model import Looked, OpenModel
from tracedance.schema import RepresentationTrajectory, RepresentedStep

Context = Literal["cumulative", "alone"]
Progress = Callable[[int, int, str], None]
DIGITS = 9
"""Significant digits of a float32: what stands behind them is noise of the machine."""


def trajectory(
    model: OpenModel, steps: Sequence[str], context: Context, progress: Progress = lambda done, total, what: None
) -> RepresentationTrajectory:
    """Reads every step, after those before it (one a line) or alone. InputError where a step is empty."""
    looked: list[Looked] = []
    for place, step in enumerate(steps):
        if not step.strip():
            raise InputError(f"Step {place + 1} is empty. Give every --step a text.")
        progress(place, len(steps), "steps")
        text = "\n".join(steps[: place + 1]) if context == "cumulative" else step
        looked.append(model.look(text, f"Step {place + 1}"))
    states = np.array([[rounded(value) for value in each.state] for each in looked])
    speed = velocities(states)
    points, shares = projected(states)
    return RepresentationTrajectory(
        schema_version="representation-trajectory/v0",
        model=model.name,
        config_hash=model.config_hash,
        layer=model.layer,
        layers=model.layers,
        context=context,
        explained_variance=(rounded(shares[0]), rounded(shares[1])),
        steps=tuple(
            RepresentedStep(
                index=place,
                text_hash=hashlib.sha256(steps[place].encode("utf-8", "replace")).hexdigest(),
                tokens=each.tokens,
                hidden_state=tuple(map(float, states[place])),
                entropy=rounded(each.entropy),
                velocity=None if velocity is None else rounded(velocity),
                curvature=None if curvature is None else rounded(curvature),
                projection=(rounded(points[place][0]), rounded(points[place][1])),
            )
            for place, (each, velocity, curvature) in enumerate(zip(looked, speed, curvatures(speed), strict=True))
        ),
    )


def rounded(value: float) -> float:
    """To `DIGITS` significant digits."""
    return float(f"{value:.{DIGITS}g}")


def trajectory_json(found: RepresentationTrajectory) -> str:
    """The file: a line a number would be long, so vectors stand on one line each."""
    head = found.model_dump(mode="json", exclude={"steps"})
    steps = ",\n".join(f"  {json.dumps(step.model_dump(mode='json'), allow_nan=False)}" for step in found.steps)
    return json.dumps(head, indent=1, allow_nan=False)[:-2] + f',\n "steps": [\n{steps}\n ]\n}}\n'
