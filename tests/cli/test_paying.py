"""Commands that pay: interrupted, on a full disk, side by side, with calls of unknown outcome; what they record can be played."""

import io
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT, Command
from tests.construct.stores import FAMILY, catalogue, commits, store
from tests.evaluate.benchmarks import COMMIT, committing, published
from tests.privacy.planted import secret
from tests.servers import provider as serving
from tests.servers.profiles import profile
from tests.servers.provider import Provider
from tracedance.models import live
from tracedance.models.ledger import Ledger

PLACES = 6
LEDGER = "ledger.sqlite3"


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    return published(tmp_path / "b", COMMIT, [committing(n) for n in range(PLACES)])


def evaluating(bench: Path, base: str, model: str, out: Path, *more: object) -> list[str]:
    moved = {model.replace("-", "_"): base}
    config = profile(bench.parent, base, **moved)
    return [str(word) for word in ("evaluate", bench, "--model", f"t/{model}", "--out", out, "--profile", config, *more)]


def started(words: list[str], **more: object) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'pipeline'}{os.pathsep}{ROOT}"}
    given = [sys.executable, "-m", "tracedance", *words]
    return subprocess.Popen(given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, **more)  # type: ignore[call-overload,no-any-return]


def wait_for(holds: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    while not holds():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


def states(out: Path) -> dict[str, int]:
    with Ledger(out / LEDGER) as ledger:
        return ledger.counts()


def test_ctrl_c_once_finishes_what_is_under_way_and_the_folder_is_nobody_else_s_meanwhile(
    provider: Provider, bench: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "HANG", 15.0)
    live.sdk()  # takes seconds, and the first command shall still be at work when the second begins
    words = evaluating(bench, provider.base, "hang", tmp_path / "r", "--concurrency", 2)
    process = started(words)
    wait_for(lambda: provider.stats().get("hang") == 2, process)
    busy = command(*words)
    assert busy.code == 7 and "Another run is at work" in busy.err
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    said = process.stderr.readline()
    provider.let_go.set()
    said += process.communicate(timeout=60)[1]
    assert process.returncode == 130 and "calls under way are finished" in said and "the same command continues" in said
    assert "Traceback" not in said and states(tmp_path / "r") == {"answered": 2} and provider.stats() == {"hang": 2}
    assert command(*words).code in (0, 3)
    assert provider.stats() == {"hang": PLACES}, "what was finished is not paid again"


@pytest.fixture
def cut_off(provider: Provider, bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An evaluation that was stopped with two calls under way; the words that go on with it."""
    monkeypatch.setattr(serving, "HANG", 15.0)
    words = evaluating(bench, provider.base, "hang", tmp_path / "r", "--concurrency", 2)
    process = started(words)
    wait_for(lambda: provider.stats().get("hang") == 2, process)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None and "Press Ctrl-C again" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and said == "Stopped. Finished work is kept; the same command continues.\n"
    provider.let_go.set()
    return words


def test_ctrl_c_twice_stops_at_once_and_what_was_cut_off_is_dealt_with_as_the_user_says(
    provider: Provider, cut_off: list[str], tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = "2 calls of an earlier run may have been paid without an answer (at a price that is not known)"
    for name in ("retry", "skip", "ask", "yes", "no"):
        shutil.copytree(tmp_path / "r", tmp_path / name)

    def go_on(name: str, choice: str) -> tuple[int, str, int]:
        before = provider.stats()["hang"]
        again = [word if word != str(tmp_path / "r") else str(tmp_path / name) for word in cut_off]
        done = command(*again, "--on-unknown", choice)
        return done.code, done.err, provider.stats()["hang"] - before

    code, said, made = go_on("ask", "ask")
    assert (code, made) == (2, 0) and f"{listed}. Nobody is there to ask: give --on-unknown retry (may pay twice) or skip." in said
    _, said, made = go_on("retry", "retry")
    assert made == PLACES and f"{listed}; they are made again" in said
    _, said, made = go_on("skip", "skip")
    assert made == PLACES - 2 and f"{listed}; they are left out" in said
    errors = [json.loads(line)["error"] for line in (tmp_path / "skip/responses.jsonl").read_text().splitlines()]
    assert sum("an earlier call of unknown outcome" in error for error in errors) == 2
    for answer, expected in (("yes", PLACES), ("no", PLACES - 2)):
        monkeypatch.setattr("sys.stdin", terminal(answer))
        _, said, made = go_on(answer, "ask")
        assert made == expected and "Make them again? [y/N]" in said


def terminal(answer: str) -> io.StringIO:
    """Standard input at which somebody sits and answers."""
    typed = io.StringIO(f"{answer}\n")
    typed.isatty = lambda: True  # type: ignore[method-assign]
    return typed


def test_a_full_disk_is_one_line_and_the_same_command_goes_on_once_there_is_room(
    provider: Provider, bench: Path, tmp_path: Path, command: Command
) -> None:
    words = evaluating(bench, provider.base, "good", tmp_path / "r", "--concurrency", 1)
    process = started(words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (28_672, 28_672)))
    _, said = process.communicate(timeout=120)
    assert process.returncode == 2 and "Traceback" not in said, said
    assert len(said.splitlines()) == 1 and "Finished work is kept" in said and "space" in said
    had = states(tmp_path / "r").get("answered", 0)
    assert 0 < had < PLACES
    paid = provider.stats()["good"]
    assert command(*words).code == 0
    assert provider.stats()["good"] - paid == PLACES - had


def test_a_full_disk_is_told_with_the_path_that_could_not_be_written(bench: Path, tmp_path: Path, command: Command) -> None:
    assert command("evaluate", bench, "--model", "offline/source", "--out", tmp_path / "r", "--profile", "offline").code == 0
    words = ["report", tmp_path / "r", "--out", tmp_path / "page.html"]
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
        done = command(*words)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert done.code == 2 and str(tmp_path / "page.html") in done.err and "free some space, and the same command continues" in done.err
    assert len(done.err.splitlines()) == 1 and command(*words).code == 0


def test_what_was_recorded_is_played_and_what_is_missing_is_named(
    provider: Provider, bench: Path, tmp_path: Path, command: Command
) -> None:
    config = profile(bench.parent, provider.base)
    recorded = tmp_path / "recorded"
    assert command("evaluate", bench, "--model", "t/good", "--out", tmp_path / "r", "--profile", config, "--record", recorded).code == 0
    assert (recorded / "answers.jsonl").stat().st_mode & 0o077 == 0
    played = ["evaluate", bench, "--model", f"replay/{recorded}", "--profile", "offline", "--out"]
    assert command(*played, tmp_path / "p").code == 0
    assert provider.stats() == {"good": PLACES}
    said = [[json.loads(line)["tool_calls"] for line in (tmp_path / run / "responses.jsonl").read_text().splitlines()] for run in "rp"]
    assert said[0] == said[1]
    lines = (recorded / "answers.jsonl").read_text().splitlines()
    gone = json.loads(lines.pop())["request"]
    other = tmp_path / "other"
    other.mkdir()
    (other / "answers.jsonl").write_text("\n".join(lines))
    done = command("evaluate", bench, "--model", f"replay/{other}", "--profile", "offline", "--out", tmp_path / "q")
    assert done.code == 2 and f"holds no answer to request {gone}" in done.err and "Traceback" not in done.err


def test_an_answer_with_a_secret_is_not_recorded_and_that_is_said(
    provider: Provider, bench: Path, tmp_path: Path, command: Command
) -> None:
    value = secret()

    def telling(whole: dict[str, object]) -> dict[str, object]:
        text = json.dumps(whole)
        return (
            dict(json.loads(text.replace("git status --short", f"echo {value}")))
            if "typo" in text or provider.stats()["good"] == 1
            else whole
        )

    provider.stated = telling
    words = evaluating(bench, provider.base, "good", tmp_path / "r", "--record", tmp_path / "recorded", "--concurrency", 1)
    done = command(*words)
    assert f"Not recorded, since they may hold a secret: 1 of {PLACES} answers (" in done.err
    content = (tmp_path / "recorded/answers.jsonl").read_text()
    assert len(content.splitlines()) == PLACES - 1 and value not in content and value not in done.out + done.err


def test_a_build_records_too_and_lists_what_it_does_not_send(provider: Provider, tmp_path: Path, command: Command) -> None:
    catalogue(tmp_path / "catalogue")
    store(tmp_path, [commits(number) for number in range(5)])
    config = profile(tmp_path, provider.base)
    words = [
        "build",
        "--family",
        FAMILY,
        "--store",
        tmp_path / "store",
        "--catalogue",
        tmp_path / "catalogue",
        "--profile",
        config,
        "--probe",
        "0",
    ]
    done = command(*words, "--record", tmp_path / "recorded", "--json")
    assert done.code == 0, done.err
    listed = done.json["parameters"]["confirm"]["t/fast"]
    assert [(item["name"], item["value"]) for item in listed["left_out"]] == [("reasoning_effort", "high")] and listed["sent"]
    assert len((tmp_path / "recorded/answers.jsonl").read_text().splitlines()) == provider.stats()["fast"] == 5
    assert "Not sent to t/fast (confirm): reasoning_effort high" in command(*words).out
    (run,) = (tmp_path / "store/runs").iterdir()
    assert json.loads((run / "parameters.json").read_text()) == done.json["parameters"]
