"""Which instances make the benchmark: no context twice or nearly so, no repository beyond its share, no more than wanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from tracedance.construct.alike import Kept
from tracedance.construct.order import Caps
from tracedance.construct.run import Worked

DUPLICATE, REPOSITORY_CAP, FULL = "duplicate", "repository_has_its_share", "maximum_reached"
NEAR_DUPLICATE = "near_duplicate"


def chosen(worked: Iterable[Worked], maximum: int, limits: Caps) -> Iterator[Worked]:
    """The rows in their order, with the reason of each instance that is left out."""
    ids: set[str] = set()
    contexts = Kept()
    given: Counter[str] = Counter()
    for row in worked:
        if row.instance is None or row.dropped:
            yield row
        elif row.instance.id in ids:
            yield row.model_copy(update={"dropped": DUPLICATE})
        elif len(ids) >= maximum:
            yield row.model_copy(update={"dropped": FULL})
        elif limits.full(row.place.session, given, len(ids)):
            yield row.model_copy(update={"dropped": REPOSITORY_CAP})
        elif contexts.near(row.instance):
            yield row.model_copy(update={"dropped": NEAR_DUPLICATE})
        else:
            contexts.add(row.instance)
            ids.add(row.instance.id)
            given += limits.count([row.place.session])
            yield row
