"""What several tests share: the command line called as a user calls it, and where real traces lie."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.servers.provider import Provider
from tracedance.cli.main import main

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Done]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs one command line in this process: `command("scan", "--store", path)`."""

    def run(*words: object) -> Done:
        monkeypatch.setattr("sys.argv", ["tracedance", *map(str, words)])
        capsys.readouterr()
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        said = capsys.readouterr()
        return Done(code, said.out, said.err)

    return run


@pytest.fixture(scope="session")
def real_traces() -> Path:
    """The folder of real sessions; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("TRACEDANCE_REAL_TRACES") or ROOT.parent / "shared" / "traces")
    if not folder.is_dir():
        pytest.skip(f"no real traces at {folder}; set TRACEDANCE_REAL_TRACES")
    return folder


@pytest.fixture
def provider() -> Iterator[Provider]:
    """The repository's own model provider, on a free port of this machine."""
    with Provider(0) as server:
        yield server
