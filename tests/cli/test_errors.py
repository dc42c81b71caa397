"""A mistake the user can mend is one line and an exit code."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    code = "from tracedance.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT / "pipeline"), "PATH": "/usr/bin:/bin"},
    )


@pytest.mark.parametrize(
    "words, code, says",
    [
        (["biuld"], 2, "Did you mean 'build'"),
        (["show", "failure/edit_retry_without_rereads"], 2, "Did you mean 'failure/edit_retry_without_reread'"),
        (["import", "nowhere"], 2, "nowhere"),
        (["scan", "--store", "nowhere"], 2, "nowhere"),
        (["build", "--family", "no_such", "--store", "nowhere"], 2, "no_such"),
        (["build", "--store", "nowhere"], 2, "Describe a behaviour"),
        (["evaluate", "nowhere", "--model", "offline/source"], 2, "nowhere"),
        (["verify", "nowhere"], 2, "nowhere"),
        (["report", "nowhere"], 2, "nowhere"),
        (["gate", "--baseline", "nowhere:a", "--candidate", "nowhere:b"], 2, "nowhere"),
    ],
)
def test_a_mistake_is_one_line_with_its_exit_code(words: list[str], code: int, says: str, tmp_path: Path) -> None:
    done = run(*words, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert says in done.stderr and "Traceback" not in done.stderr
    assert len([line for line in done.stderr.splitlines() if line.startswith("Error:")]) == 1
    assert not list(tmp_path.iterdir()), "a mistake must leave nothing behind"
