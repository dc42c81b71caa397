"""The exam examines: what is planted is there in every encoding, the controls are found, and clean sessions are clean."""

from collections import Counter
from pathlib import Path

from tests.privacy import controls, plant
from tests.privacy.encodings import ENCODINGS
from tests.privacy.find import Finder, report
from tests.privacy.kinds import SECRETS


def test_every_kind_and_encoding_is_planted_and_found_where_nothing_was_redacted(tmp_path: Path) -> None:
    plant.write(tmp_path, 400, seed=3)
    rows = plant.load(tmp_path / plant.PLANTED)
    planted = Counter((row.kind, row.encoding) for row in rows if row.kind in SECRETS)
    assert len(SECRETS) == 25 and len(ENCODINGS) == 8 and set(planted.values()) == {2}
    _, _, seen = report(Finder(rows), [path for path in tmp_path.iterdir() if path.is_dir()])
    assert len(seen) == len(rows)


def test_a_control_is_found_in_each_container_and_encoding() -> None:
    planted, missed = controls.check()
    assert len(planted) == 13 * 8 and not missed


def test_another_seed_shares_no_value(tmp_path: Path) -> None:
    for seed in (1, 2):
        (tmp_path / str(seed)).mkdir()
        plant.write(tmp_path / str(seed), 50, seed)
    _, _, seen = report(Finder(plant.load(tmp_path / "1" / plant.PLANTED)), [tmp_path / "2"])
    assert not seen
