"""What makes an anchor of a person's own doubtful, said of a build: it finds its behaviour nearly everywhere, or often fails."""

from __future__ import annotations

from collections.abc import Iterator

from tracedance.config import build_settings
from tracedance.construct.run import Run
from tracedance.construct.steps import scanned
from tracedance.resources import home
from tracedance.scan.outcome import told
from tracedance.store.store import Store

SETTINGS = build_settings()
FEWEST = 20
"""With fewer sessions a share says nothing."""
LOST_SHARE = 0.1
"""Of the sessions, that an anchor may fail on without a word."""


def doubts(run: Run, store: Store) -> Iterator[str]:
    """A sentence for each family that is not shipped and finds its behaviour in too large a share of the sessions of its kind, or fails
    on too many. The shipped ones have been tried on sessions of all kinds."""
    own = [one for one in run.families if one.folder.resolve() != home().resolve()]
    if not own:
        return
    found, table = scanned(run, store), store.sessions().select("id", "setting")
    for one in own:
        every = {name for name, setting in table.iter_rows() if setting in one.card.setting}
        hit = {place.session for place in found.places if place.family == one.id and place.hit.offends and not place.refused_by} & every
        if len(every) >= FEWEST and len(hit) > SETTINGS.synthesis_most_share * len(every):
            yield (
                f"Doubtful: {one.id} finds the behaviour in {len(hit):,} of {len(every):,} sessions. An anchor that is true nearly "
                "everywhere tells no behaviour from another; look at its places with 'tracedance scan --html'."
            )
        lost = [failure.model_dump() for failure in found.failures if failure.family == one.id]
        if len({each["session"] for each in lost}) > LOST_SHARE * len(every):
            yield from (f"Doubtful: {line}." for line in told(lost))
