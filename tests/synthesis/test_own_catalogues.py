"""The code of a catalogue folder that is not the product's own runs in the sandbox: in a scan, a build, a grade and in check-family."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command
from tests.construct.stores import FAMILY, catalogue, commits, store
from tracedance.catalogue import confined, families
from tracedance.catalogue.proving import check
from tracedance.resources import home
from tracedance.schema import Hit, Turn

ANCHOR, RUBRIC = "anchors/action/hasty_commit.py", "rubrics/action/hasty_commit.py"
OUTSIDE = """
for kind in object.__subclasses__():
    if kind.__name__ == "_wrap_close":
        kind.__init__.__globals__["system"]("touch {trace}")
"""
"""What no look at the source tells from plain work on classes."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A person's catalogue with one sound family."""
    return catalogue(tmp_path / "mine")


@pytest.fixture
def trust() -> Iterator[None]:
    """The user's word, for one test."""
    confined.trust(True)
    yield
    confined.trust(False)


def add(path: Path, code: str) -> int:
    """Puts code at the end of a file; the line of its first line that holds something."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = path.read_text() if path.exists() else ""
    path.write_text(text + code)
    return len(text.splitlines()) + 1 + (len(code) - len(code.lstrip("\n")))


def said(folder: Path) -> list[tuple[str, int, str]]:
    return [(one.file, one.line, one.what) for one in check(folder).problems]


def sessions(folder: Path) -> Path:
    """A store with commits in it."""
    return store(folder, [commits(number) for number in range(6)]).path


def test_a_sound_family_finds_the_same_in_the_sandbox_as_outside(folder: Path, command: Command, tmp_path: Path) -> None:
    given = sessions(tmp_path)
    shutil.copytree(given, tmp_path / "other")  # a store keeps what was found in it
    words = ("--catalogue", folder, "--family", FAMILY, "--json")
    within, without = command("scan", "--store", given, *words), command("scan", "--store", tmp_path / "other", *words, "--trust-catalogue")
    assert within.code == without.code == 0, within.err + without.err
    assert within.json["families"] == without.json["families"] and within.json["families"][0]["hits"] == 6


@pytest.mark.parametrize("words", [("families",), ("show", FAMILY), ("scan", "--family", FAMILY)], ids=lambda words: words[0])
def test_an_import_that_the_sandbox_does_not_give_is_named_by_file_and_line_with_the_way_out(
    folder: Path, command: Command, tmp_path: Path, words: tuple[str, ...]
) -> None:
    trace = tmp_path / "trace"
    at = add(folder / ANCHOR, f"\nimport os\n\nos.close(os.open({str(trace)!r}, os.O_CREAT))\n")
    place = ("--store", sessions(tmp_path)) if words[0] == "scan" else ()
    done = command(*words, *place, "--catalogue", folder)
    assert done.code == 2 and f"{ANCHOR}:{at}: It imports 'os'" in done.err and "--trust-catalogue" in done.err and not trace.exists()
    assert command(*words, *place, "--catalogue", folder, "--trust-catalogue").code == 0 and trace.exists()
    trace.unlink()
    assert command(*words, *place, "--catalogue", folder).code == 2 and not trace.exists(), "the word holds for one command"


def test_what_no_look_at_the_source_shows_is_stopped_by_the_sandbox(folder: Path, command: Command, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    add(folder / ANCHOR, OUTSIDE.format(trace=trace))
    done = command("scan", "--store", sessions(tmp_path), "--catalogue", folder, "--family", FAMILY)
    assert done.code == 2 and "does not load in the sandbox" in done.err and not trace.exists()
    found = said(folder)
    assert any(file == ANCHOR and "does not load in the sandbox" in what for file, _, what in found) and not trace.exists()


def test_a_check_that_reaches_out_when_it_grades_reaches_nothing(folder: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    inside = OUTSIDE.format(trace=trace).replace("\n", "\n    ")
    add(folder / RUBRIC, f"def check(context, response, facts):{inside}\n    return 'undecided'\n")
    grading = families([folder])[FAMILY].check
    assert grading is not None
    with pytest.raises(Exception, match="system call"):
        grading([], Turn(index=0, role="assistant", author="assistant"), {})
    assert not trace.exists()


def test_a_folder_that_a_model_wrote_gains_nothing_by_the_word(folder: Path, trust: None) -> None:
    (folder / confined.MARK).write_text("{}")
    add(folder / ANCHOR, "\nimport os\n")
    with pytest.raises(Exception, match="does not import 'os'"):
        families([folder])


def test_many_sessions_are_shown_to_one_process(folder: Path) -> None:
    before = children()
    family = families([folder])[FAMILY]
    example = family.examples[0].session
    list(family.find(example))
    started = children() - before
    for _ in range(50):
        list(family.find(example))
    assert children() - before == started and len(started) <= 1


def children() -> set[int]:
    """Processes that this one started."""
    return {int(word) for each in Path("/proc/self/task").iterdir() for word in (each / "children").read_text().split()}


def test_a_guard_answers_about_a_hit_that_was_kept(folder: Path) -> None:
    family = families([folder])[FAMILY]
    kept = [(one, next(iter(family.find(one.session)))) for one in family.examples]
    assert {one.name for one, hit in kept if family.guards["user_wants_all"](one.session, hit)} == {"example 3"}


def test_a_build_by_rule_takes_the_guards_from_the_sandbox(folder: Path, command: Command, tmp_path: Path) -> None:
    line = ("build", "--family", FAMILY, "--catalogue", folder, "--store", sessions(tmp_path), "--min", 1, "--json")
    done = command(*line, "--out", tmp_path / "out")
    assert done.code == 0 and "guard_raised" not in done.out, done.out + done.err


def test_a_build_tells_what_comes_next_and_an_evaluation_that_its_family_is_missed(folder: Path, command: Command, tmp_path: Path) -> None:
    words = ("build", "--family", FAMILY, "--catalogue", folder, "--store", sessions(tmp_path), "--min", 1, "--out", tmp_path / "out")
    said = command(*words).out
    place = said.partition("Next: tracedance evaluate ")[2].split()[0]
    lost = command("evaluate", place, "--model", "offline/source", "--out", tmp_path / "r")
    assert lost.code == 3 and "--catalogue DIR" in lost.err


class Noting(dict[str, Any]):
    """Facts that remember what was looked up."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        super().__init__(facts)
        self.used: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.used.add(name)
        return super().get(name, default)

    def __getitem__(self, name: str) -> Any:
        self.used.add(name)
        return super().__getitem__(name)


@pytest.mark.parametrize("name", ["action/commit_without_tests", "failure/unchanged_retry", "claim/test_pass_claim_without_run"])
def test_a_check_says_the_same_in_the_sandbox_and_tells_which_facts_it_looked_up(name: str, tmp_path: Path) -> None:
    shipped = families()[name]
    frame, _, bare = name.partition("/")
    for tree in ("anchors", "rubrics"):
        (tmp_path / tree / frame).mkdir(parents=True)
        for path in (home() / tree / frame).glob(f"{bare}.*"):
            shutil.copyfile(path, tmp_path / tree / frame / path.name.replace(bare, "a_copy"))
    anchor = tmp_path / "anchors" / frame / "a_copy.py"
    anchor.write_text(anchor.read_text().replace(f"def {bare}(", "def a_copy("))
    copied = families([tmp_path])[f"{frame}/a_copy"]
    for example in shipped.examples:
        for hit in shipped.find(example.session, example.params):
            assert graded(copied.check, example.session.turns, hit) == graded(shipped.check, example.session.turns, hit), example.name


def graded(grading: Any, turns: Sequence[Turn], hit: Hit) -> tuple[str, set[str]]:
    facts = Noting(json.loads(json.dumps(dict(hit.facts))))
    return grading(turns[: hit.decision], turns[hit.decision], facts), facts.used


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("import subprocess\n", "It imports 'subprocess', which is not there in the sandbox"),
        ("from . import other\n", "It imports '.', which is not there in the sandbox"),
        ("from tracedance.store.store import Store\n", "It imports 'tracedance.store.store', which is not there"),
        ("FOUND = open('/etc/hostname').read()\n", "It uses 'open', which is not there in the sandbox"),
        ("FOUND = __import__('os')\n", "It uses '__import__', which is not there in the sandbox"),
    ],
)
@pytest.mark.parametrize("file", [ANCHOR, RUBRIC])
def test_check_family_names_what_an_anchor_or_a_check_may_not_use(folder: Path, file: str, code: str, what: str) -> None:
    if file == RUBRIC:
        add(folder / RUBRIC, "def check(context, response, facts):\n    return 'undecided'\n")
    at = add(folder / file, code)
    (found,) = said(folder)
    assert found[:2] == (file, at) and what in found[2]


def test_check_family_runs_here_what_the_user_trusts(folder: Path, command: Command) -> None:
    add(folder / ANCHOR, "\nimport os\n\nHERE = os.getpid()\n")
    assert command("check-family", folder).code == 2
    assert command("check-family", folder, "--trust-catalogue").code == 0


def test_a_word_that_a_check_may_not_say_is_named_by_its_line(folder: Path) -> None:
    add(folder / RUBRIC, "def check(context, response, facts):\n    if response.calls:\n        return 'bad'\n    return None\n")
    assert said(folder) == [(RUBRIC, 3, "the check says 'bad'"), (RUBRIC, 4, "the check says None")]


@pytest.mark.parametrize(
    ("body", "what"), [("return 'viol' + 'ated'", "the check says 'violated' of the example"), ("return facts['none']", "the check raises")]
)
@pytest.mark.parametrize("trusted", [False, True])
def test_a_check_is_tried_on_the_decisions_of_the_examples(folder: Path, body: str, what: str, trusted: bool) -> None:
    add(folder / RUBRIC, f"def check(context, response, facts):\n    {body}\n")
    confined.trust(trusted)
    try:
        found = said(folder)
    finally:
        confined.trust(False)
    assert found and all(file == RUBRIC and line == 1 and what in said for file, line, said in found)


def test_a_check_that_says_another_word_when_asked_again_is_named(folder: Path) -> None:
    add(folder / RUBRIC, "SAID = []\n\n\ndef check(context, response, facts):\n")
    add(folder / RUBRIC, "    SAID.append(1)\n    return 'violates' if len(SAID) % 2 else 'satisfies'\n")
    found = said(folder)
    assert found and all(file == RUBRIC and line == 4 and "another word" in what for file, line, what in found)


def test_an_anchor_that_takes_turns_is_named(folder: Path) -> None:
    add(folder / ANCHOR, "\n\nASKED = []\n_before = hasty_commit\n\n\ndef hasty_commit(session, params):\n    ASKED.append(1)\n")
    add(folder / ANCHOR, "    found = list(_before(session, params))\n    yield from (found if len(ASKED) % 2 else found[:-1])\n")
    assert any(file == ANCHOR and "when it is asked again" in what for file, _, what in said(folder))


def test_an_anchor_that_is_true_of_every_near_miss_is_named(folder: Path) -> None:
    add(folder / ANCHOR, "\n\ndef hasty_commit(session, params):\n    last = session.turns[-1].index\n")
    add(folder / ANCHOR, "    yield hit(decision=last, evidence=[], offends=True, why='always', facts={})\n")
    assert any("in all" in what and "near misses" in what for _, _, what in said(folder))


def test_a_scan_says_once_why_an_anchor_was_stopped_and_on_how_many_sessions(folder: Path, command: Command, tmp_path: Path) -> None:
    stopped = OUTSIDE.format(trace=tmp_path / "trace").replace("\n", "\n    ")
    add(folder / ANCHOR, f"\n\ndef hasty_commit(session, params):{stopped}\n    yield from ()\n")
    done = command("scan", "--store", sessions(tmp_path), "--catalogue", folder, "--family", FAMILY)
    why = "it made a system call that the sandbox does not allow"
    assert [line for line in done.err.splitlines() if FAMILY in line] == [f"{FAMILY} failed on 6 sessions: {why}"]
    assert any(why in what for _, _, what in said(folder)) and not (tmp_path / "trace").exists()


def test_a_build_says_that_an_own_anchor_is_true_nearly_everywhere_or_often_fails(folder: Path, command: Command, tmp_path: Path) -> None:
    given = store(tmp_path, [commits(number) for number in range(20)]).path
    words = ("--store", given, "--family", FAMILY, "--out", tmp_path / "out", "--json")
    told = command("build", *words, "--catalogue", folder).json["message"]
    assert f"Doubtful: {FAMILY} finds the behaviour in 20 of 20 sessions" in told
    add(catalogue(tmp_path / "other") / ANCHOR, "\n\ndef hasty_commit(session, params):\n    yield session.turns[99]\n")
    told = command("build", *words, "--catalogue", tmp_path / "other").json["message"]
    assert f"Doubtful: {FAMILY} failed on 20 sessions: IndexError in hasty_commit" in told


def test_what_is_no_file_of_code_is_said_to_be_none(folder: Path, command: Command) -> None:
    os.mkfifo(folder / RUBRIC)
    assert any(file == RUBRIC and "no regular file" in what for file, _, what in said(folder))
    done = command("families", "--catalogue", folder)
    assert done.code == 2 and "no regular file" in done.err
    (folder / RUBRIC).unlink()
    add(folder / ANCHOR, "#" * 600_000)
    assert any(file == ANCHOR and "has over 524,288 bytes" in what for file, _, what in said(folder))


def test_code_that_does_not_load_is_for_its_writer_to_correct(folder: Path, command: Command) -> None:
    add(folder / ANCHOR, "\n1 / 0\n")
    done = command("families", "--catalogue", folder)
    assert done.code == 2 and done.err.rstrip().endswith("Correct it.")


ELSEWHERE = """
import json, platform, sys, sysconfig
from tracedance.cli.main import main
import tracedance.catalogue.proving, tracedance.cli.checking, tracedance.cli.families, tracedance.synthesis.confined
sys.platform = "darwin"
platform.system = lambda: "Darwin"
for words in json.loads(sys.argv[1]):
    sys.argv = ["tracedance", *words]
    try:
        main()
        code = 0
    except SystemExit as stop:
        code = stop.code or 0
    print("ended with", code, file=sys.stderr)
"""


def test_where_nothing_can_be_confined_the_folder_is_refused_with_the_way_out(folder: Path) -> None:
    lines = [["families", "--catalogue", str(folder)], ["check-family", str(folder)]]
    lines += [[*line, "--trust-catalogue"] for line in lines]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    line = [sys.executable, "-c", ELSEWHERE, json.dumps(lines)]
    done = subprocess.run(line, capture_output=True, text=True, env=env, check=True)
    *refused, families_here, checked_here, rest = done.stderr.split("ended with ")
    assert "Traceback" not in done.stderr and [part[0] for part in (*refused[1:], families_here, checked_here, rest)] == [
        "2",
        "2",
        "0",
        "0",
    ]
    for part in (refused[0], refused[1]):
        assert "it needs Linux" in part and "--trust-catalogue" in part
