"""Attacks of our own on the sandbox: nothing happens to the host, and each ends with the code that it must end with.

TRACEDANCE_ATTACKS=all tries every one, and after each a sound anchor; the ordinary tests try a few of each kind.
"""

import os
from pathlib import Path

import pytest

from tests.bench.sandbox_ratio import PLAIN
from tests.synthesis.attacks import ATTACKS, Attack
from tests.synthesis.host import SECRET, Host, canaries
from tests.synthesis.sample import SESSIONS, sound
from tracedance.synthesis.frames import Job
from tracedance.synthesis.passes import shown
from tracedance.synthesis.process import Worker
from tracedance.synthesis.sandbox import Draft, Limits, Outcome, run

ALL = os.environ.get("TRACEDANCE_ATTACKS") == "all"
LIMITS = Limits() if ALL else Limits(session_seconds=0.4, memory=384 << 20)
CHOSEN = {
    "reads a file", "deletes a file", "reads the parent's environment", "connects", "signals its parent", "runs a command",
    "makes one huge text", "backtracks", "gives huge facts", "walks subclasses", "answers twice", "remembers sessions",
    "keeps what it saw of a session", "counts the calls of the whole session", "asks a guard what came later", "tells in its facts",
    "raises a session's text", "names a guard that was not asked", "has a condition of large patterns",
}  # fmt: skip
FEW = [attack for attack in ATTACKS if ALL or attack.name in CHOSEN]
UNGATED = [attack for attack in ATTACKS if attack.gated != ("gate",)]


def attempt(attack: Attack, host: Host, *, gated: bool) -> Outcome:
    return run(Draft("bad", attack.source(**host.names), guards=attack.guards, gated=gated), SESSIONS, LIMITS)


def check(attack: Attack, outcome: Outcome, host: Host, codes: tuple[str, ...]) -> None:
    assert host.effects() == []
    assert SECRET not in repr(outcome)
    told = [each.reason for each in outcome.lost] + ([outcome.refusal.message] if outcome.refusal else [])
    assert all(each.isprintable() and len(each) <= 400 and "Change" not in each for each in told), told
    ended = {outcome.refusal.code} if outcome.refusal else set(outcome.by_code) | ({"found"} if outcome.found else set())
    assert len(ended) == 1 and ended <= set(codes), (attack.name, ended, outcome.refusal or outcome.lost[:1])
    print(f"  {next(iter(ended)):18} {outcome.slowest:5.2f} s  {attack.name}")
    if ALL and ended != {"gate"}:
        assert run(sound(), SESSIONS, checks=None).refusal is None


def test_there_are_forty_attacks_and_more() -> None:
    assert len(ATTACKS) >= 40 and len({attack.name for attack in ATTACKS}) == len(ATTACKS)


@pytest.mark.parametrize("attack", FEW, ids=lambda attack: attack.name)
def test_the_boundary_holds_without_the_gate(attack: Attack, tmp_path: Path) -> None:
    with canaries(tmp_path) as host:
        check(attack, attempt(attack, host, gated=False), host, attack.boundary)


@pytest.mark.parametrize("attack", [attack for attack in ATTACKS if attack.gated == ("gate",)], ids=lambda attack: attack.name)
def test_the_gate_refuses_what_is_not_in_the_grammar(attack: Attack, tmp_path: Path) -> None:
    with canaries(tmp_path) as host:
        check(attack, attempt(attack, host, gated=True), host, attack.gated)


@pytest.mark.parametrize("attack", UNGATED if ALL else UNGATED[-3:], ids=lambda attack: attack.name)
def test_what_the_gate_cannot_see_ends_all_the_same(attack: Attack, tmp_path: Path) -> None:
    with canaries(tmp_path) as host:
        check(attack, attempt(attack, host, gated=True), host, attack.gated)


def test_a_sound_anchor_runs_after_them() -> None:
    assert run(sound(), SESSIONS).refusal is None


WORKING = ("makes a file", "deletes a file", "connects", "runs a command", "signals its parent", "walks subclasses")


@pytest.mark.parametrize(
    "attack", [attack for attack in ATTACKS if attack.name in WORKING[: None if ALL else 3]], ids=lambda attack: attack.name
)
def test_the_same_attacks_work_where_nothing_is_confined(attack: Attack, tmp_path: Path) -> None:
    """So that it is the boundary, and no slip of the attack, that keeps the host as it was."""
    with canaries(tmp_path) as host:
        job = Job("bad", attack.source(**host.names), {}, [], 9)
        with Worker(job, LIMITS, PLAIN) as worker:
            worker.ask(shown(SESSIONS[1], LIMITS).data or b"")
        assert host.effects() != []


def test_the_canaries_sing(tmp_path: Path) -> None:
    """What the attacks try does show where it succeeds."""
    import signal
    import socket

    with canaries(tmp_path) as host:
        assert host.effects() == []
        (tmp_path / "new").touch()
        os.kill(os.getpid(), signal.SIGUSR1)
        socket.create_connection(("127.0.0.1", host.names["PORT"])).close()
        assert host.effects() == ["files", "network", "signals"]
