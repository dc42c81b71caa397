"""`from tracedance import Contract, Trace, gate`, and runs recorded while they happen."""

import asyncio
import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import tracedance.gate.report as reporting
from tests.conftest import ROOT, Command
from tests.test_docs import HEAVY
from tests.traces.recorded import Recorded
from tracedance import Contract, Trace, gate
from tracedance.errors import InputError
from tracedance.schema import GateSpec

WORKBENCH = ROOT / "configs" / "examples" / "workbench"
BASE, SPEC = WORKBENCH / "base", WORKBENCH / "refund.yaml"


@pytest.mark.parametrize("candidate", ["wrong_order", "right_order"])
def test_the_function_says_what_the_command_says(candidate: str, command: Command, tmp_path: Path) -> None:
    words = ["gate", "--spec", SPEC, "--baseline", BASE, "--candidate", WORKBENCH / candidate, "--out", tmp_path / "g.json"]
    command(*words)
    for runs in (WORKBENCH / candidate, str(WORKBENCH / candidate), Trace.read_all(WORKBENCH / candidate)):
        report = gate(baseline=BASE, candidate=runs, contract=Contract.read(SPEC))
        assert reporting.report_json(report) == (tmp_path / "g.json").read_text()


def test_the_name_can_be_called_however_much_is_loaded_before() -> None:
    for first in ("pass", "import tracedance.gate.report"):
        called = f"gate(baseline={str(BASE)!r}, candidate={str(BASE)!r}, contract={str(SPEC)!r})"
        code = f"{first}\nfrom tracedance import Contract, Trace, gate\nprint({called}.verdict)"
        env = {**os.environ, "PYTHONPATH": str(ROOT / "pipeline")}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
        assert done.stdout == "PASS\n"


@pytest.mark.parametrize(
    ("used", "allowed"), [("import tracedance", set()), ("from tracedance import Contract, Trace, gate", {"pydantic"})]
)
def test_a_name_costs_what_it_needs(used: str, allowed: set[str]) -> None:
    code = f"import sys; before = set(sys.modules); {used}; print(*(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(ROOT / "pipeline"), "PATH": ""}
    )
    loaded = set(done.stdout.split())
    assert loaded & set(HEAVY) == allowed and (allowed or {name for name in loaded if name.startswith("tracedance")} == {"tracedance"})


def test_a_name_that_is_not_there_is_said_so() -> None:
    with pytest.raises(ImportError, match="contracts"):
        from tracedance import contracts  # type: ignore[attr-defined]  # noqa: F401


def test_a_lock_is_kept_to(tmp_path: Path, command: Command) -> None:
    spec = tmp_path / "s.yaml"
    spec.write_text(SPEC.read_text())
    with pytest.raises(InputError, match="not locked"):
        Contract.read(spec, locked=True)
    command("contract", "lock", spec)
    contract = Contract.read(spec, locked=True)
    assert gate(baseline=BASE, candidate=BASE, contract=contract).locked and contract.digest in (tmp_path / "s.yaml.lock").read_text()
    assert not gate(baseline=BASE, candidate=BASE, contract=spec).locked


def test_a_live_run_holds_steps_and_hashes_and_nothing_that_was_said() -> None:
    live = Trace.live("r1", scenario_id="refund", environment="ci")

    def lookup(order: str) -> dict[str, str]:
        return {"order": order, "owner": "Ada Lovelace"}

    async def charge(amount: int) -> str:
        raise TimeoutError(f"card of {amount}")

    live.step("assistant_turn", type="llm", given="Refund Ada", result="I look it up")
    assert live.wrap(lookup)("A-17")["owner"] == "Ada Lovelace"
    with pytest.raises(TimeoutError):
        asyncio.run(live.wrap(charge, name="charge_card", type="guardrail")(amount=12))
    live.finish({"refunded": False, "to": "Ada"}, canonical=("refunded",))
    trace = Trace.of(live)
    spans = [(span.type, span.name, span.status) for span in trace.record.spans]
    assert spans == [("llm", "assistant_turn", "success"), ("tool", "lookup", "success"), ("guardrail", "charge_card", "error")]
    assert trace.record.run.canonical_output == {"refunded": False} and trace.record.run.final_status == "success"
    assert not any(said in trace.content for said in (b"Ada", b"A-17", b"look it up"))
    assert trace.record.redaction.removed_fields == ("tool_input", "tool_output", "final_output")


def test_steps_with_equal_arguments_have_equal_hashes_and_secrets_are_hashed_redacted() -> None:
    @dataclass
    class Order:
        number: str

    live = Trace.live("r")
    for given in ({"a": 1, "b": 2}, {"b": 2, "a": 1}, Order("x"), Order("x"), Order("y"), object()):
        live.step("t", given=given)
    hashes = [span.input_hash for span in live.trace().spans]
    assert hashes[0] == hashes[1] != hashes[2] == hashes[3] != hashes[4] and hashes[5] is None
    secret = "ghp_" + "A1b2C3d4" * 4 + "E5f6"
    live.step("t", given=secret)
    assert live.trace().spans[-1].input_hash not in (None, hashlib.sha256(secret.encode()).hexdigest())


def test_a_failed_call_made_again_is_a_retry() -> None:
    live, calls = Trace.live("r"), []

    def flaky() -> str:
        calls.append(1)
        if len(calls) == 1:
            raise OSError
        return "ok"

    tool = live.wrap(flaky)
    with pytest.raises(OSError):
        tool()
    tool()
    spec = {"schema_version": "behavior-spec/v0", "id": "r", "invariants": {"max_retries": 0}}
    report = gate(baseline=BASE, candidate=[live], contract=GateSpec.model_validate(spec))
    assert report.verdict == "FAIL" and report.traces[-1]["retries"] == 1


def test_recorded_sessions_become_traces(tmp_path: Path) -> None:
    source = Recorded().user("Go").run("c1", "git commit -m x").write(tmp_path / "in.jsonl")
    [trace] = Trace.of_sessions(source, labels=["commit=git commit"], scenario_id="s")
    assert "commit" in [span.name for span in trace.record.spans] and trace.record.run.scenario_id == "s"
    assert trace.write(tmp_path / "t").read_bytes() == trace.content


def test_what_is_no_run_is_refused_in_one_line(tmp_path: Path) -> None:
    good = json.loads((BASE / "run-01.json").read_text())
    for runs, said in (
        ([3], "is no run"),
        ([good, good], "named 'base-01.json'"),
        ([{**good, "schema_version": "agent-behavior-trace/v9"}], "schema_version"),
        ([{**good, "spans": float("nan")}], "no JSON"),
        ([tmp_path / "gone.json"], "cannot be read"),
        ([], "has no trace"),
        (tmp_path / "gone", "gone"),
    ):
        with pytest.raises(InputError, match=said) as refused:
            gate(baseline=BASE, candidate=runs, contract=SPEC)  # type: ignore[arg-type]
        assert "\n" not in str(refused.value)


def test_ids_of_foreign_runs_are_no_paths(tmp_path: Path) -> None:
    trace = Trace.of({**json.loads((BASE / "run-01.json").read_text()), "run": {"trace_id": "../../etc/x\n"}})
    assert trace.write(tmp_path / "t").parent == tmp_path / "t" and "/" not in trace.name


def test_tools_that_yield_are_recorded_by_how_they_end() -> None:
    live = Trace.live("generators")

    def some(fail: bool):  # type: ignore[no-untyped-def]
        got = yield 1
        if fail:
            raise ValueError("later")
        return got

    async def stream(fail: bool):  # type: ignore[no-untyped-def]
        yield 1
        if fail:
            raise ValueError("later")

    class Called:
        async def __call__(self) -> None:
            raise ValueError("later")

    tool, flow = live.wrap(some), live.wrap(stream)
    assert list(tool(False)) == [1]
    with pytest.raises(ValueError):
        list(tool(True))
    broken_off = tool(False)
    next(broken_off)
    broken_off.close()

    async def read(fail: bool) -> list[int]:
        return [item async for item in flow(fail)]

    async def stop() -> None:
        left = flow(False)
        await anext(left)
        await left.aclose()

    assert asyncio.run(read(False)) == [1]
    for odd in (read(True), live.wrap(Called(), name="called")()):
        with pytest.raises(ValueError):
            asyncio.run(odd)
    asyncio.run(stop())
    with pytest.raises(ValueError):
        list(live.wrap(lambda: some(True), name="handed back")())
    ends = [(span.name, span.status) for span in live.trace().spans]
    assert ends == [
        ("some", "success"), ("some", "error"), ("some", "cancelled"), ("stream", "success"), ("called", "error"),
        ("stream", "error"), ("stream", "cancelled"), ("name-" + hashlib.sha256(b"handed back").hexdigest()[:16], "error"),
    ]  # fmt: skip
