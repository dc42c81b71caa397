"""The demo, as a new user runs it."""

from pathlib import Path

from tests.conftest import Command


def test_the_demo_ends_with_both_verdicts_and_can_be_run_again(command: Command, tmp_path: Path) -> None:
    first = command("demo", "--out", tmp_path / "demo")
    assert first.code == 0, first.out + first.err
    assert "FAIL" in first.out and "PASS" in first.out and "precision" in first.out
    report = (tmp_path / "demo" / "run" / "report.html").read_bytes()
    again = command("demo", "--out", tmp_path / "demo")
    assert again.code == 0, again.out + again.err
    assert (tmp_path / "demo" / "run" / "report.html").read_bytes() == report
