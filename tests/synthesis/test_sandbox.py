"""What the sandbox makes of drafts: hits of sound ones, and a reason for all others. The run goes on in any case."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.synthesis.sample import HEAD, SESSIONS, sound
from tracedance.kit.needs import among
from tracedance.schema import ToolDefinition
from tracedance.synthesis import plain
from tracedance.synthesis.frames import Job
from tracedance.synthesis.passes import shown
from tracedance.synthesis.process import Worker
from tracedance.synthesis.sandbox import Checks, Draft, Limits, run


def draft(body: str, top: str = "", **options: object) -> Draft:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return Draft("bad", f"{HEAD}{top}\ndef bad(session, params):\n{lines}\n", gated=bool(options.get("gated", True)))


def test_a_sound_anchor_gives_its_hits_and_passes_every_check() -> None:
    outcome = run(sound(), SESSIONS)
    assert outcome.refusal is None and outcome.checked == ("share", "order", "prefix")
    assert {name for name, hits in outcome.hits.items() if hits} == {"s0", "s4", "s8", "s12", "s16", "s20"}
    hit = outcome.hits["s4"][0]
    assert (hit.decision, hit.evidence, hit.offends, hit.why, hit.facts) == (3, (2,), True, "it goes on", {"calls": 1})
    assert outcome.needs == among("tool_class", "edit") and (outcome.lost, outcome.unused, outcome.killed) == ((), 0, 0)


def test_guards_are_asked_of_offending_hits_alone() -> None:
    source = sound().source + '\ndef first(session, hit):\n    return session.id == "s4"\n'
    guarded = Draft("read_after_failure", source, {"offends": True}, guards=("first",))
    outcome = run(guarded, SESSIONS, checks=None)
    assert outcome.found["s4"][0].refused_by == ("first",) and outcome.found["s8"][0].refused_by == ()
    met = Draft("read_after_failure", source, {"offends": False}, guards=("first",))
    assert run(met, SESSIONS, checks=None).found["s4"][0].refused_by == ()


def test_a_session_on_which_the_anchor_raises_is_lost_and_the_others_are_not() -> None:
    outcome = run(draft("if session.id == 's3':\n    raise ValueError('secret words')\nif 0:\n    yield 0"), SESSIONS)
    assert outcome.refusal is None and [(one.session, one.code, one.reason) for one in outcome.lost] == [
        ("s3", "raised", "ValueError in bad, line 8")
    ]
    assert len(outcome.found) == 23


def test_one_kill_costs_one_session_and_two_disable_the_anchor() -> None:
    looping = "if session.id in {0}:\n    while True:\n        pass\nif 0:\n    yield 0"
    limits = Limits(session_seconds=0.3)
    once = run(draft(looping.format("('s3',)")), SESSIONS, limits, checks=None)
    assert once.refusal is None and once.by_code == {"time": 1} and len(once.found) == 23
    twice = run(draft(looping.format("('s3', 's7', 's9')")), SESSIONS, limits, checks=None)
    assert twice.refusal is not None and (twice.refusal.code, twice.refusal.session) == ("two_strikes", "s7")
    assert twice.killed == 2 and twice.found == {} and len(twice.lost) + twice.unused == len(SESSIONS)


def test_a_session_too_large_is_lost_without_a_strike() -> None:
    outcome = run(sound(), SESSIONS[:3], Limits(session_bytes=100))
    assert outcome.by_code == {"too_large": 3} and outcome.refusal is None and outcome.killed == 0


def test_a_source_that_does_not_load_says_why() -> None:
    for source, said in (
        ("def bad(:", "SyntaxError, line 1"),
        (HEAD + "1 / 0", "ZeroDivisionError in <module>, line 5"),
        (HEAD, "it defines no function 'bad'"),
        ("def bad(session, params):\n    yield 0", "it defines no NEEDS"),
    ):
        refusal = run(Draft("bad", source, gated=False), SESSIONS).refusal
        assert refusal is not None and (refusal.code, refusal.message) == ("does_not_load", said)


def test_all_that_it_says_has_room_and_all_its_sessions_have_a_time() -> None:
    """Each answer is within its bounds; the run is not."""
    many = draft("for _ in range(400):\n    yield Hit(decision=1, offends=False, why='', facts={'a': [[]] * 20})")
    refusal = run(many, SESSIONS, Limits(run_memory=20 << 20)).refusal
    assert refusal is not None and (refusal.code, refusal.message) == ("too_much_output", "its hits take more than 20 MiB in all")
    counting = draft("for _ in range(900_000):\n    pass\nif 0:\n    yield 0")
    slow = run(counting, SESSIONS * 4, Limits(session_seconds=9, run_seconds=0, mean_seconds=0.001), checks=None).refusal
    assert slow is not None and slow.code == "too_slow" and "sessions" in slow.message
    assert run(counting, SESSIONS, Limits(session_seconds=9), checks=None).refusal is None


def test_what_is_said_of_a_session_that_was_lost_is_made_of_names_that_are_known() -> None:
    """Neither the session's words nor the anchor's own: an exception may be called anything."""
    named = "raise type('Change_' + session.turns[0].text[:6], (Exception,), {})()"
    everyday = "def within(text):\n    return int(text)\nwithin(session.turns[0].text)\nif 0:\n    yield 0"
    for body, said in (
        (named, "an error in bad, line 7"),
        (everyday, "ValueError in within, line 8"),
        ("[each.nothing for each in session.turns]\nif 0:\n    yield 0", "AttributeError in "),
        ("for each in session.turns:\n    each.nothing\nif 0:\n    yield 0", "AttributeError in bad, line 8: Turn has no 'nothing'"),
        ("yield hits.hit(decision=1, offends=True, why='', facts={'a': hits.hit})", "a fact is no plain value"),
    ):
        lost = run(draft(body, gated=False), SESSIONS[:1], checks=None).lost
        assert len(lost) == 1 and lost[0].reason.startswith(said), lost


def test_prefixes_are_made_of_what_stood_there_alone() -> None:
    whole = SESSIONS[5]
    part = plain.prefix(whole, 3)
    assert whole.shapes["Edit"].calls == 2 and {name: shape.calls for name, shape in part.shapes.items()} == {"Edit": 1}
    assert (part.ended, len(part.turns)) == ("2026-01-01T00:00:02Z", 3) and plain.prefix(whole, 2).turns[1].calls[0].result is None
    guessed = replace(whole, tools=[ToolDefinition("Edit", "", {}, 0), ToolDefinition("Read", "", {}, 9)], parent="p", source_id="q")
    assert [tool.name for tool in plain.prefix(guessed, 3).tools or ()] == ["Edit"]
    other = plain.renamed(guessed, 1)
    assert not {other.id, other.parent, other.source_id} & {"s5", "p", "q", ""} and plain.renamed(whole, 1).parent == ""


def test_an_anchor_that_reads_no_further_than_its_decision_passes_whatever_it_reads_there() -> None:
    reads = (
        "for turn in session.turns:\n"
        "    if turn.calls and turn.calls[0].result is not None and turn.calls[0].result.is_error:\n"
        "        before = sum(len(each.calls) for each in session.turns[:turn.index])\n"
        "        yield hits.hit(decision=turn.index, offends=True, why=turn.time, facts={'before': before, 'system': session.system})"
    )
    outcome = run(draft(reads), SESSIONS)
    assert outcome.refusal is None and sum(map(len, outcome.hits.values())) == 6


def test_an_anchor_sees_no_recorded_outcome_and_no_place_on_disk() -> None:
    told = replace(SESSIONS[0], labels={"reward": 1}, path="/home/someone/trace.jsonl")
    body = "if session.labels or session.path:\n    yield hits.hit(decision=1, offends=True, why=str(session.labels))\nif 0:\n    yield 0"
    assert run(draft(body, gated=False), [told], checks=None).hits == {"s0": ()}


def test_the_share_is_of_offences_that_no_guard_refuses() -> None:
    everywhere = "for turn in session.turns:\n    if hits.decides(turn):\n        yield hits.hit(decision=turn.index, offends={}, why='w')"
    bad = run(draft(everywhere.format("True")), SESSIONS)
    assert bad.refusal is not None and bad.refusal.code == "selects_too_much"
    assert run(draft(everywhere.format("False")), SESSIONS).refusal is None
    assert run(draft(everywhere.format("True")), SESSIONS[:19]).refusal is None  # too few sessions to say so
    assert run(draft(everywhere.format("True")), SESSIONS, checks=Checks(most_share=1.0)).refusal is None


def test_a_worker_outlives_the_thread_that_asked_for_it() -> None:
    made: list[Worker] = []
    job = Job("read_after_failure", sound().source, {"offends": True}, [], 9)
    thread = threading.Thread(target=lambda: made.append(Worker(job, Limits())))
    thread.start()
    thread.join()
    with made[0] as worker:
        assert [len(worker.ask(shown(each, Limits()).data or b"").hits) for each in SESSIONS[:5]] == [1, 0, 0, 0, 1]
        worker.finish()


_KILLED_PARENT = """
import os, sys
from tests.synthesis.sample import HEAD, SESSIONS
from tracedance.synthesis import process
from tracedance.synthesis.frames import Job
source = HEAD + "def bad(session, params):\\n    while True: pass\\n"
worker = process.Worker(Job("bad", source, {}, [], 9), process.Limits())
print(worker._process.pid, flush=True)
sys.stdin.read()
"""


def test_a_worker_dies_with_its_parent() -> None:
    command = [sys.executable, "-c", _KILLED_PARENT]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_paths(), text=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        os.kill(worker, 0)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    until = time.monotonic() + 10
    while _lives(worker) and time.monotonic() < until:
        time.sleep(0.01)
    assert not _lives(worker)


def _lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


_WITHOUT = """
import ctypes, platform, struct, sys
from tracedance.synthesis import seccomp
number = {"landlock": 444, "seccomp": seccomp.MACHINES[platform.machine()][1]["seccomp"]}[sys.argv[1]]
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | 38), (0x06, 0, 0, 0x7FFF0000)]
text = b"".join(struct.pack("=HBBI", *step) for step in steps)
held = ctypes.create_string_buffer(text, len(text))
libc = ctypes.CDLL(None, use_errno=True)
program = seccomp._Program(len(steps), ctypes.cast(held, ctypes.c_void_p))
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0
from tests.synthesis.sample import SESSIONS, sound
from tracedance.synthesis.sandbox import Unavailable, run
try:
    print(run(sound(), SESSIONS))
except Unavailable as error:
    print("refused:", error)
"""


@pytest.mark.parametrize(("part", "said"), [("landlock", "this kernel has no landlock"), ("seccomp", "seccomp does not take the filter")])
def test_where_a_part_of_the_boundary_is_missing_nothing_runs(part: str, said: str) -> None:
    """A kernel without it, made by a filter that answers the call with ENOSYS."""
    done = subprocess.run([sys.executable, "-c", _WITHOUT, part], env=_paths(), capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"refused: The sandbox cannot run here: {said}") and "run nowhere else" in done.stdout


_ELSEWHERE = """
import sys
sys.modules["resource"] = sys.modules["fcntl"] = None
from tests.synthesis.sample import SESSIONS, sound
from tracedance.synthesis.sandbox import Unavailable, run
sys.platform = "win32"
try:
    print(run(sound(), SESSIONS))
except Unavailable as error:
    print("refused:", error)
"""


def test_elsewhere_nothing_runs() -> None:
    """An interpreter that says it is another system's, and lacks what only Unix has."""
    done = subprocess.run([sys.executable, "-c", _ELSEWHERE], env=_paths(), capture_output=True, text=True, check=True)
    assert done.stdout.startswith("refused: The sandbox cannot run here: it needs Linux")


def _paths() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{ROOT / 'pipeline'}:{ROOT}"}
