"""The gate: verdicts on runs and evaluations, from files alone.

`from tracedance import gate` is meant to be called, and a package of that name takes the place of any function once it is loaded: so the
package itself can be called.
"""

import sys
from types import ModuleType
from typing import Any


class _Called(ModuleType):
    """The package as the function `public.gate`."""

    def __call__(self, **sides: Any) -> Any:
        from tracedance.gate.public import gate

        return gate(**sides)


sys.modules[__name__].__class__ = _Called
