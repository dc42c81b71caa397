"""Are models better, or worse, on contexts that were recorded from models of their own maker?"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from tracedance.analyse.contrasts import Contrast, Values, contrasts
from tracedance.analyse.makers import maker
from tracedance.analyse.observations import UNKNOWN, Matrix


@dataclass(frozen=True)
class SourceEffect:
    """What one maker's contexts do to one model, beyond what they do to all."""

    source: str
    """The maker of the models whose sessions the contexts are from."""
    model: str
    own: bool
    """The model is of that maker."""
    effect: Contrast
    """`difference`: the model's lead over the others on that maker's contexts, minus its lead on all other contexts."""

    @property
    def excluded_disadvantage(self) -> float:
        """Larger disadvantages than this are excluded at 95%; 0 where any is."""
        return max(0.0, -self.effect.low)

    @property
    def excluded_advantage(self) -> float:
        """Larger advantages than this are excluded at 95%."""
        return max(0.0, self.effect.high)


def source_effects(data: Matrix, seed: int) -> list[SourceEffect]:
    """Every source maker with every model, as differences in differences; none where there is one maker or one model alone.

    arXiv 2609.33295, C.4, Table 19: (model minus the mean of the others on the maker's instances) minus the same on the rest. That some
    contexts are harder for all, and that some models are better on all, cancels out.
    """
    makers = [maker(item.source_model) if item.source_model else UNKNOWN for item in data.items]
    named = sorted(Counter(name for name in makers if name != UNKNOWN))
    if len(data.models) < 2 or len(set(makers)) < 2:
        return []
    _, sessions = data.codes(lambda item: item.cluster)
    others = (data.values.sum(axis=1, keepdims=True) - data.values) / (len(data.models) - 1)
    leads = data.values - others
    found: list[SourceEffect] = []
    for source in named:
        inside = np.array([name == source for name in makers], dtype=np.bool_)
        effects = contrasts(Values(leads, sessions, -1.0, 1.0), inside, seed)
        found += [SourceEffect(source, model, maker(model) == source, effect) for model, effect in zip(data.models, effects, strict=True)]
    return found
