"""Rules that changed: stored sessions are brought under them a shard at a time, and what is affected is named."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.conftest import Command
from tests.privacy import plant
from tests.privacy.exam import unredacted
from tests.privacy.find import Finder, report
from tracedance.construct.redacting import redact
from tracedance.privacy.rules import RULES_DIGEST
from tracedance.store import importing, quarantine, redacting
from tracedance.store.checking import check
from tracedance.store.importing import import_paths
from tracedance.store.store import Store

OLDER = "0" * 64


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A store of two shards under rules that replaced nothing."""
    plant.write(tmp_path / "raw" if (tmp_path / "raw").mkdir() is None else tmp_path, 90, seed=5)
    with unredacted(), patch.object(importing, "RULES_DIGEST", OLDER):
        for folder in sorted(path for path in (tmp_path / "raw").iterdir() if path.is_dir()):
            import_paths(tmp_path / "store", [folder])
    return tmp_path / "store"


def test_all_sessions_come_under_the_present_rules_and_keep_their_ids(old: Path) -> None:
    before = Store.open(old).sessions()["id"].to_list()
    finder = Finder(plant.load(old.parent / "raw" / plant.PLANTED))
    leaked = len(report(finder, [old])[2])
    assert redacting.stale(Store.open(old)) == before
    done = redact(old)
    store = Store.open(old)
    assert (done.sessions, store.sessions()["id"].to_list()) == (len(before), before)
    assert set(store.sessions()["redaction_digest"]) == {RULES_DIGEST} and not check(store).problems
    assert len(report(finder, [old])[2]) < 0.2 * leaked
    assert any(store.session(name).replaced for name in before)
    assert redact(old).sessions == 0


def test_the_result_is_what_an_import_under_the_present_rules_gives(old: Path, tmp_path: Path) -> None:
    redact(old)
    import_paths(tmp_path / "fresh", [path for path in sorted((tmp_path / "raw").iterdir()) if path.is_dir()])
    columns = ["id", "turns", "calls", "redaction_digest"]
    assert Store.open(old).sessions().select(columns).equals(Store.open(tmp_path / "fresh").sessions().select(columns))


def test_killed_between_two_shards_it_goes_on_where_it_was(old: Path) -> None:
    script = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom tracedance.store import redacting\n"
        "from tracedance.construct.redacting import redact\nreal = redacting._rewritten\ncalls = []\n"
        "def once(*given):\n    calls.append(1)\n"
        "    os.kill(os.getpid(), signal.SIGKILL) if len(calls) == 2 else None\n    return real(*given)\n"
        "redacting._rewritten = once\nredact(Path(sys.argv[1]))\n"
    )
    ended = subprocess.run([sys.executable, "-c", script, str(old)], env={**os.environ}, check=False)
    assert ended.returncode == -signal.SIGKILL
    store = Store.open(old)
    left = redacting.stale(store)
    assert 0 < len(left) < len(store.sessions()) and not check(store).problems
    assert redact(old).sessions == len(left)
    assert not redacting.stale(Store.open(old)) and not check(Store.open(old)).problems


def test_a_session_with_findings_is_held_until_approved_and_the_approval_is_of_its_content(old: Path) -> None:
    store = Store.open(old)
    row = next(row for row in quarantine.held(store) if not row.approved)
    session = store.session(row.session)
    assert quarantine.is_held(store, session)
    quarantine.approve(old, row.session)
    assert not quarantine.is_held(store, session)
    record = old / quarantine.FOLDER / quarantine.APPROVALS
    assert record.stat().st_mode & 0o077 == 0 and row.findings[0].digest in record.read_text()
    record.write_text(record.read_text().replace(quarantine._contents(store)[row.session], "another"))
    assert quarantine.is_held(store, session)


def test_quarantine_is_listed_where_nothing_can_be_kept_in_the_store(old: Path, command: Command) -> None:
    (old / quarantine.FOLDER).symlink_to(old / "gone" / "away")  # Not even root makes a folder there.
    before = sorted(old.rglob("*"))
    listed = command("quarantine", "list", "--store", old, "--json")
    assert listed.code == 0 and listed.json["sessions"]
    assert sorted(old.rglob("*")) == before


def test_quarantine_is_listed_without_values_and_approved_by_name(old: Path, command: Command) -> None:
    listed = command("quarantine", "list", "--store", old, "--json")
    values = [item.value for item in plant.load(old.parent / "raw" / plant.PLANTED)]
    assert listed.code == 0 and not any(value in listed.out for value in values)
    first = next(row for row in listed.json["sessions"] if not row["approved"])
    assert first["findings"] and {"place", "kind", "digest"} == set(first["findings"][0])
    done = command("quarantine", "approve", first["session"], "--store", old, "--json")
    assert done.code == 0 and done.json["approved"]
    told = command("quarantine", "list", "--store", old)
    assert "approved" in told.out and f"{len(listed.json['sessions']) - 1} sessions in quarantine" in told.out
    assert command("quarantine", "approve", "no-such-session", "--store", old).code == 2
