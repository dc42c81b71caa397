"""The replies that analyses of single responses read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracedance.analyse.observations import Reply

if TYPE_CHECKING:
    from tracedance.compare.comparison import Comparison


def compared(about: Comparison) -> list[Reply]:
    """The valid replies of compared models to compared instances."""
    kept = {item.key for item in about.complete.items}
    return [
        reply for reply in about.given.replies if reply.valid and reply.model in about.models and (reply.benchmark, reply.instance) in kept
    ]
