"""The plugin for pytest in suites of their own: what it judges, what it leaves alone, what it writes."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

import tracedance.gate.public
from tests.conftest import ROOT, Command
from tracedance.ci import plugin

pytest_plugins = ["pytester"]

WORKBENCH = ROOT / "configs" / "examples" / "workbench"
HEAD = f"""
import json, pytest
BASE, SPEC = {str(WORKBENCH / "base")!r}, {str(WORKBENCH / "refund.yaml")!r}
RIGHT = "classify lookup_order policy_check refund_tool"
OUTPUT = {{"fraud_check_passed": True, "refund_amount": 1200}}
def runs(gate, steps=RIGHT, number=9):
    for _ in range(number):
        with gate.run() as run:
            for step in steps.split():
                run.step(step, given=step)
            run.finish(OUTPUT, canonical=OUTPUT)
marked = pytest.mark.tracedance(spec=SPEC, baseline=BASE)
"""


def suite(pytester: pytest.Pytester, code: str, *words: str) -> pytest.RunResult:
    """A suite run in this process; the plugin is given, so that it makes no difference whether this checkout is installed."""
    pytester.makepyfile(HEAD + code)
    return pytester.runpytest_inprocess("-p", "no:tracedance", "--strict-markers", *words, plugins=[plugin])


def test_each_verdict_ends_a_test_as_it_should(pytester: pytest.Pytester) -> None:
    done = suite(
        pytester,
        """
@marked
def test_passes(behavior_gate): runs(behavior_gate)
@marked
def test_fails(behavior_gate): runs(behavior_gate, "classify lookup_order refund_tool policy_check")
@marked
def test_has_too_few(behavior_gate): runs(behavior_gate, number=3)
@marked
def test_has_none(behavior_gate): pass
@pytest.mark.tracedance(spec="warn.yaml", baseline=BASE)
def test_warns(behavior_gate): runs(behavior_gate, RIGHT + " email", 1)
@pytest.mark.tracedance(block_on_warn=True)
@pytest.mark.tracedance(spec="warn.yaml", baseline=BASE)
def test_warns_and_blocks(behavior_gate): runs(behavior_gate, RIGHT + " email", 1)
@pytest.mark.tracedance(spec="warn.yaml", baseline=BASE, locked=True)
def test_is_not_locked(behavior_gate): runs(behavior_gate)
def test_has_no_spec(behavior_gate): runs(behavior_gate)
"""
        + ("open('warn.yaml', 'w').write('{schema_version: behavior-spec/v0, id: w, thresholds: {path_edit_distance_warn: 0.1}}')"),
        "-rA",
        "--junitxml=j.xml",
    )
    done.assert_outcomes(passed=8, errors=6, warnings=1)
    errors = {line.split("::")[1].split(" ")[0] for line in done.outlines if line.startswith("ERROR ")}
    assert errors == {"test_fails", "test_has_too_few", "test_has_none", "test_warns_and_blocks", "test_is_not_locked", "test_has_no_spec"}
    done.stdout.fnmatch_lines_random(["*policy_check before refund_tool*", "*told no run*", "*is not locked*", "*there is no spec*"])
    verdicts = {
        case.get("name"): prop.get("value")
        for case in ElementTree.parse(pytester.path / "j.xml").iter("testcase")
        for prop in case.iter("property")
        if prop.get("name") == "tracedance_verdict"
    }
    assert verdicts["test_passes"] == "PASS" and verdicts["test_fails"] == "FAIL" and verdicts["test_warns"] == "WARN"


def test_a_test_that_failed_by_itself_is_not_judged(pytester: pytest.Pytester) -> None:
    done = suite(
        pytester,
        """
@marked
def test_breaks(behavior_gate):
    with behavior_gate.run() as run:
        run.step("refund_tool")
        raise ValueError("the agent broke")
""",
        "--tracedance-record=rec",
    )
    done.assert_outcomes(failed=1)
    [trace] = tracedance.gate.public.Trace.read_all(next((pytester.path / "rec").iterdir()) / "runs")
    assert trace.record.run.final_status == "error" and not list((pytester.path / "rec").rglob("gate-report.json"))


def test_a_marker_that_would_judge_nothing_is_refused(pytester: pytest.Pytester) -> None:
    done = suite(
        pytester,
        """
@marked
def test_without_the_fixture(): pass
@pytest.mark.tracedance(spec=SPEC, baseline=BASE, lokced=True)
def test_with_a_slip(behavior_gate): runs(behavior_gate)
""",
    )
    done.assert_outcomes(errors=2)
    done.stdout.fnmatch_lines_random(["*does not use behavior_gate*", "*was given lokced*"])


@pytest.mark.parametrize("on_ci", [True, False])  # pytest does not shorten its summary there
def test_foreign_names_are_no_commands_in_the_log(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, on_ci: bool) -> None:
    monkeypatch.delenv("BUILD_NUMBER", raising=False)
    monkeypatch.setenv("CI", "true") if on_ci else monkeypatch.delenv("CI", raising=False)
    done = suite(
        pytester,
        r"""
@marked
def test_hostile(behavior_gate):
    spec = {"schema_version": "behavior-spec/v0", "id": "h", "invariants": {"required_tools": ["x\n::error::owned ##group\x1b"]}}
    open("spec.yaml", "w").write(json.dumps(spec))
    behavior_gate.contract = "spec.yaml"
    with behavior_gate.run() as run:
        run.step("x")
    behavior_gate.baseline = [{"schema_version": "agent-behavior-trace/v0", "source": {"platform": "x"}, "redaction": {"applied": True},
        "run": {"trace_id": "a"}, "spans": []}]
@marked
def test_hostile_file(behavior_gate):
    runs(behavior_gate)
    behavior_gate.baseline = "no such\n::error::owned ##[group]"
""",
    )
    done.assert_outcomes(passed=2, errors=2)
    assert done.stdout.str().partition("short test summary")[0].count("owned") == 2
    assert not [line for line in done.outlines if line.strip().startswith("::") or "##[" in line or "\x1b" in line]


def test_what_was_recorded_is_gated_again_to_the_same_bytes(
    pytester: pytest.Pytester, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "@marked\n@pytest.mark.parametrize('way', ['a/b', 'a-b'])\ndef test_agent(behavior_gate, way): runs(behavior_gate, RIGHT)\n"
    suite(pytester, code, "--tracedance-record=rec").assert_outcomes(passed=2)
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    recorded = sorted((pytester.path / "rec").iterdir())
    assert len(recorded) == 2
    for one in recorded:
        words = ["gate", "--spec", WORKBENCH / "refund.yaml", "--baseline", WORKBENCH / "base", "--candidate", one / "runs"]
        assert command(*words, "--out", one / "again.json").code == 0
        assert (one / "again.json").read_bytes() == (one / "gate-report.json").read_bytes()


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    """An environment in which this checkout counts as installed, with the entry points of pyproject.toml."""
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    info = tmp_path / "site" / "tracedance-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tracedance\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("[pytest11]\n" + "".join(f"{name} = {value}\n" for name, value in points.items()))
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(info.parent), str(ROOT / "pipeline"), str(ROOT)])}


def pytest_run(folder: Path, env: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    return subprocess.run(line, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_it_costs_nothing_where_it_is_not_used(installed: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("import sys\ndef pytest_sessionfinish(): print('LOADED', *sys.modules)\n")
    (tmp_path / "test_plain.py").write_text("def test_plain(): pass\n")
    done = pytest_run(tmp_path, installed)
    loaded = done.stdout.partition("LOADED")[2].split()
    assert done.returncode == 0 and "tracedance.ci.plugin" in loaded
    assert {name for name in loaded if name.startswith("tracedance")} == {"tracedance", "tracedance.ci", "tracedance.ci.plugin"}
    assert not {"pydantic", "yaml", "polars", "msgspec", "numpy"} & set(loaded)


def test_workers_do_not_get_in_each_others_way(installed: dict[str, str], tmp_path: Path) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    (tmp_path / "test_many.py").write_text(
        HEAD + "@marked\n@pytest.mark.parametrize('n', range(6))\ndef test_agent(behavior_gate, n):\n"
        "    runs(behavior_gate, RIGHT if n else 'refund_tool')\n"
    )
    done = pytest_run(tmp_path, installed, "-n", "2", "--tracedance-record=rec")
    assert "6 passed, 1 error" in done.stdout, done.stdout
    assert [len(list(one.rglob("run-*.json"))) for one in (tmp_path / "rec").iterdir()] == [9] * 6
    verdicts = sorted('"verdict": "FAIL",\n "wilson"' in path.read_text() for path in (tmp_path / "rec").rglob("gate-report.json"))
    assert verdicts == [False] * 5 + [True]


def test_the_example_suite_fails_for_an_agent_that_pays_first() -> None:
    """That it passes for a careful one, it shows itself: it is collected with all tests."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "pipeline"), str(ROOT)]), "REFUND_AGENT": "hasty"}
    done = pytest_run(ROOT, env, "tests/ci_example")
    assert done.returncode == 1 and "1 failed, 1 passed, 1 error" in done.stdout and "policy_check before refund_tool" in done.stdout


def test_a_gate_that_is_asked_for_while_the_test_runs_is_judged_too(pytester: pytest.Pytester) -> None:
    done = suite(
        pytester,
        """
from tracedance import Contract
def test_has_no_spec(request): runs(request.getfixturevalue("behavior_gate"))
def test_fails(request):
    gate = request.getfixturevalue("behavior_gate")
    gate.contract, gate.baseline = Contract.read(SPEC), BASE
    runs(gate, "classify lookup_order refund_tool policy_check")
def test_has_none(request): request.getfixturevalue("behavior_gate")
def test_passes(request):
    gate = request.getfixturevalue("behavior_gate")
    gate.contract, gate.baseline = Contract.read(SPEC), BASE
    runs(gate)
""",
    )
    done.assert_outcomes(passed=4, errors=3)
    done.stdout.fnmatch_lines(["*there is no spec*", "*FAIL: 9 traces*", "*told no run*"])


def test_blocks_that_raised_and_were_caught_leave_a_warning(pytester: pytest.Pytester) -> None:
    (pytester.path / "plain.yaml").write_text("schema_version: behavior-spec/v0\nid: plain\ninvariants: {max_errors: 0}\n")
    done = suite(
        pytester,
        """
@pytest.mark.tracedance(spec="plain.yaml", baseline=BASE)
def test_caught(behavior_gate):
    runs(behavior_gate, number=8)
    try:
        with behavior_gate.run() as run:
            for step in RIGHT.split():
                run.step(step, given=step)
            raise ValueError("caught")
    except ValueError:
        pass
""",
    )
    done.stdout.fnmatch_lines(["*final_status*"])
