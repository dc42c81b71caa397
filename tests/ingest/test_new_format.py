"""The worked example of docs/new-format.md does what the page says: installed as a distribution of its own, its format is imported."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Command
from tracedance.ingest import sniff
from tracedance.store.store import Store

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "new-format.md").read_text()
CODE = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.M | re.S)[0]
SAMPLE = re.findall(r"^```\n(.*?)^```", PAGE, flags=re.M | re.S)[0]
TOML = re.findall(r"^```toml\n(.*?)^```", PAGE, flags=re.M | re.S)[0]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder as pip leaves it: the module, and a .dist-info with its entry points."""
    group, entry = re.findall(r'entry-points\."(.*?)"\]\n(.*)', TOML)[0]
    place = tmp_path / "site"
    about = place / "parrot_traces-1.0.dist-info"
    about.mkdir(parents=True)
    (place / "parrot_traces.py").write_text(CODE)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: parrot-traces\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{group}]\n{entry.replace(chr(34), '')}\n")
    monkeypatch.syspath_prepend(str(place))
    sniff.sources.cache_clear()
    yield
    sniff.sources.cache_clear()


@pytest.mark.usefixtures("installed")
def test_the_example_is_imported_with_its_turns_calls_and_losses(tmp_path: Path, command: Command) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "x.log").write_text(SAMPLE + '{"kind": "squawk", "loud": true}\n{"kind": "ping"')
    done = command("import", tmp_path / "in", "--store", tmp_path / "s", "--json")
    assert done.code == 0
    assert done.json["formats"] == {"parrot": 1}
    assert done.json["records"] == {"in": 8, "kept": 5, "ignored": 1, "lost": 2}
    assert [loss["reason"] for loss in done.json["losses"]] == ["last line cut off", "unknown record type"]
    assert done.json["unknown"] == {"types": {"parrot:squawk": 1}, "fields": {"parrot:loud": 1}}
    session = Store.open(tmp_path / "s").session("s-1")
    assert [(turn.role, turn.text) for turn in session.turns] == [("user", "List the files."), ("assistant", "Looking."), ("tool", "")]
    (call,) = session.calls()
    assert (call.tool_class, call.cmd, call.result is not None and call.result.status) == ("shell", "ls", "ok")
    assert (session.harness, session.cwd, session.models) == ("parrot", "/w", ["macaw-2"])


@pytest.mark.usefixtures("installed")
def test_a_format_of_another_package_is_asked_before_ours() -> None:
    assert [source.name for source in sniff.sources()][:2] == ["parrot", "claude_code"]


def test_without_the_package_the_file_is_of_no_known_format(tmp_path: Path, command: Command) -> None:
    (tmp_path / "x").write_text(SAMPLE)
    assert command("import", tmp_path / "x", "--store", tmp_path / "s").code == 2
