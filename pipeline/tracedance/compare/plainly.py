"""Figures as they are written down: the same bytes wherever they were computed."""

import math
from typing import Any

import numpy as np

DIGITS = 6


def rounded(value: Any) -> Any:
    """A JSON value with floats at six digits; what is no number is null, and minus zero is zero."""
    if isinstance(value, dict):
        return {str(name): rounded(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    if isinstance(value, float | np.floating):
        return round(float(value), DIGITS) + 0.0 if math.isfinite(value) else None
    return value
