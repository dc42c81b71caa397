"""No condition of the catalogue hides a hit, on sessions that nobody wrote with an anchor in mind."""

from pathlib import Path

from tracedance.catalogue import families
from tracedance.scan.necessity import check_needs
from tracedance.store.importing import import_paths
from tracedance.store.store import Store
from tracedance.synth.exam import corpus
from tracedance.synth.exam.plan import Wish


def test_conditions_are_necessary_on_sampled_sessions(tmp_path: Path) -> None:
    made = corpus.write(tmp_path / "c", 120, Wish(seed=3, rate=4))
    import_paths(tmp_path / "s", [made.path])
    found = check_needs(Store.open(tmp_path / "s"), families().values(), 60)
    assert found.missed == () and found.checked > 1_000
