"""The geometry of a trajectory of hidden states."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float64]


def velocities(states: Vectors) -> list[float | None]:
    """L2 distance of each state (steps x width) to the one before; None for the first."""
    moved = np.linalg.norm(np.diff(states, axis=0), axis=1)
    return [None, *map(float, moved)]


def curvatures(velocity: list[float | None]) -> list[float | None]:
    """Change of speed from step to step, a difference of velocities and no angle; None for the first two steps."""
    pairs = zip([None, *velocity], velocity, strict=False)
    return [None if before is None or here is None else here - before for before, here in pairs]


def projected(states: Vectors) -> tuple[Vectors, tuple[float, float]]:
    """First two principal components (steps x 2), and the shares of variance that they hold; 0 where there is no second direction.

    Signs are arbitrary in a PCA: here the largest loading of each component is positive, so that the same states give the same picture.
    """
    centred = states - states.mean(axis=0)
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    # Below rounding there is no direction, and what an SVD gives for it is noise.
    real = sizes > max(states.shape) * np.finfo(np.float32).eps * max(float(np.abs(states).max()), np.finfo(np.float64).tiny)
    found = np.zeros((len(states), 2))
    shares = [0.0, 0.0]
    for place in range(min(2, int(real.sum()))):
        direction: Any = directions[place]
        sign = 1.0 if direction[np.argmax(np.abs(direction))] > 0 else -1.0
        found[:, place] = sign * (centred @ direction)
        shares[place] = float(sizes[place] ** 2 / (sizes**2).sum())
    return found, (shares[0], shares[1])
