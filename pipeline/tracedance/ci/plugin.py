"""The plugin for pytest: a test makes runs of an agent, and the gate judges them when the test has ended.

Every session of pytest loads this module, so it imports nothing but pytest: the gate is loaded by the first test that asks for it.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tracedance.gate.public import Contract, Runs, Trace
    from tracedance.schema import BehaviorTrace, GateReport
    from tracedance.traces.live import LiveRun

FIXTURE, MARKER = "behavior_gate", "tracedance"
OPTIONS = ("spec", "baseline", "locked", "block_on_warn")
MARKER_HELP = f"{MARKER}(spec, baseline, locked=False, block_on_warn=False): what the fixture {FIXTURE} judges the test's runs by."
_USED = pytest.StashKey[bool]()
"""Set where the fixture was made for the test, however it was asked for."""
_ENDED = pytest.StashKey[bool]()
"""Whether the test itself passed."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--tracedance-record DIR`."""
    group = parser.getgroup("tracedance", "gates over an agent's behaviour")
    group.addoption(
        "--tracedance-record",
        metavar="DIR",
        dest="tracedance_record",
        help=f"Write the runs and the report of each test that uses {FIXTURE} below DIR, to be gated again without the agent.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """The marker's name, for --strict-markers."""
    config.addinivalue_line("markers", MARKER_HELP)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A marker alone would look like a gate and be none."""
    if item.get_closest_marker(MARKER) and FIXTURE not in getattr(item, "fixturenames", ()):
        pytest.fail(f"The test is marked {MARKER} and does not use {FIXTURE}, so nothing would be judged. Add the fixture.", pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keeps, for tests that use the fixture (named, or asked for while they run), whether the test passed."""
    report = yield
    if call.when == "call" and _USED in item.stash:
        item.stash[_ENDED] = report.passed
    return report


class BehaviorGate:
    """What a test tells its runs to."""

    def __init__(self, nodeid: str, options: Mapping[str, Any], root: Path) -> None:
        self.nodeid, self.root = nodeid, root
        self.baseline: Runs | None = options.get("baseline")
        self.contract: Contract | str | Path | None = options.get("spec")
        self.locked: bool = options.get("locked", False)
        self.block_on_warn: bool = options.get("block_on_warn", False)
        self.traces: list[Trace] = []
        self.report: GateReport | None = None
        """What the gate said, once it was asked."""

    def add(self, run: Trace | BehaviorTrace | LiveRun | Mapping[str, Any] | str | Path) -> None:
        """One more run, however it was made; the order counts for the sequential test."""
        from tracedance.gate.public import Trace

        name = f"run-{len(self.traces) + 1:04}.json"
        self.traces.append(Trace.of(self._placed(run) if isinstance(run, str | Path) else run, name).checked())

    def add_sessions(self, path: str | Path, **options: Any) -> None:
        """The runs that lie at a path as recorded sessions, in any format that `tracedance import` reads. Options: `Trace.of_sessions`."""
        from tracedance.gate.public import Trace

        for trace in Trace.of_sessions(self._placed(path), **options):
            self.add(trace)

    @contextmanager
    def run(self, trace_id: str | None = None, **about: Any) -> Iterator[LiveRun]:
        """A run made in the block, added at its end. What the block raises goes on; the run is added with `final_status` error."""
        from tracedance.gate.public import Trace

        live = Trace.live(trace_id or f"{slug(self.nodeid)}-{len(self.traces) + 1:04}", **about)
        try:
            yield live
        except BaseException:
            live.finish(status="error")
            raise
        finally:
            self.add(live)

    def judge(self) -> GateReport:
        """The gate over the runs so far. Called at the end of the test; earlier only by a test that looks at the report."""
        from tracedance.errors import InputError
        from tracedance.gate.public import Contract, gate

        if self.contract is None or self.baseline is None:
            lacking = "spec" if self.contract is None else "baseline"
            raise InputError(f"there is no {lacking}. Give it with @pytest.mark.{MARKER}(spec=..., baseline=...).")
        contract, baseline = self.contract, self.baseline
        if isinstance(contract, str | Path):
            contract = Contract.read(self._placed(contract), locked=self.locked)
        elif self.locked and not contract.locked:
            raise InputError("locked=True is about a spec's file. Give its path, or Contract.read(path, locked=True).")
        if isinstance(baseline, str | Path):
            baseline = self._placed(baseline)
        self.report = gate(baseline=baseline, candidate=self.traces, contract=contract)
        return self.report

    def record(self, folder: Path) -> None:
        """The runs, and the report where there is one, below a folder of the test's own."""
        from tracedance.gate.report import report_json
        from tracedance.store.export import write

        mine = folder / slug(self.nodeid)
        for old in (mine / "runs").glob("run-*.json"):
            old.unlink()
        (mine / "gate-report.json").unlink(missing_ok=True)
        for trace in self.traces:
            trace.write(mine / "runs")
        if self.report is not None:
            write(mine / "gate-report.json", report_json(self.report))

    def _placed(self, path: str | Path) -> Path:
        """Paths are meant from the folder of the test's file, wherever pytest was started; one that is there as given is taken so."""
        below = self.root / path
        return below if below.exists() or not Path(path).exists() else Path(path)


@pytest.fixture
def behavior_gate(request: pytest.FixtureRequest) -> Iterator[BehaviorGate]:
    """Takes the runs that a test makes and gates them when it has ended: FAIL and INCONCLUSIVE fail it, WARN is a warning."""
    given = BehaviorGate(request.node.nodeid, marked(request.node), Path(request.node.path).parent)
    request.node.stash[_USED] = True
    yield given
    passed = request.node.stash.get(_ENDED, False)
    if passed and not given.traces:
        pytest.fail(f"{FIXTURE}: the test told no run, so there is nothing to judge. Use {FIXTURE}.run() or .add().", pytrace=False)
    if mistake := ended(given, passed, request.config.getoption("tracedance_record", None)):
        pytest.fail(f"{FIXTURE}: {mistake}", pytrace=False)
    if passed and given.report is not None:
        conclude(request.node, given.report, given.block_on_warn)


def ended(given: BehaviorGate, passed: bool, folder: str | None) -> str:
    """Judges where the test passed, and records where that was asked for; what is wrong, if anything is.

    The mistake is handed back and not raised on, since pytest prints what an exception came from, names as they are.
    """
    from tracedance.ci.telling import neutral
    from tracedance.errors import InputError

    try:
        if passed:
            given.judge()
        if folder:
            given.record(Path(folder))
    except InputError as error:
        return neutral(str(error), 2000)
    return ""


def marked(node: pytest.Item) -> dict[str, Any]:
    """What the test's markers say; the nearest one wins, name by name."""
    found: dict[str, Any] = {}
    for marker in node.iter_markers(MARKER):
        given = {**dict(zip(OPTIONS, marker.args, strict=False)), **marker.kwargs}
        unknown = sorted(given.keys() - set(OPTIONS))
        if unknown or len(marker.args) > len(OPTIONS):
            said = f"The marker {MARKER} knows {', '.join(OPTIONS)}, and was given {', '.join(unknown) or 'more'}."
            pytest.fail(said, pytrace=False)
        found = given | found
    return found


def conclude(node: pytest.Item, report: GateReport, block_on_warn: bool) -> None:
    """Fails the test, or warns, and leaves verdict and digest in pytest's own reports (--junitxml)."""
    from tracedance.ci.telling import blocks, counted, headline, neutral

    node.user_properties += [("tracedance_verdict", report.verdict), ("tracedance_spec_digest", report.spec_digest)]
    stopped = [check for check in report.checks if blocks(check, block_on_warn)]
    told = stopped or [check for check in report.checks if counted(check) == "WARN"]
    lines = [headline(report), *(f"  {counted(check)} {neutral(check.name, 120)}: {neutral(check.reason)}" for check in told)]
    if stopped or report.verdict in ("FAIL", "INCONCLUSIVE"):
        pytest.fail("\n".join(lines), pytrace=False)
    if report.verdict == "WARN":
        warnings.warn("\n".join(lines), pytest.PytestWarning, stacklevel=1)


def slug(nodeid: str) -> str:
    """A folder's name after a test: plain characters, and a digest that keeps tests apart whose names differ in others."""
    plain = re.sub(r"[^A-Za-z0-9_]+", "-", nodeid).strip("-")[-60:].strip("-")
    return f"{plain}-{hashlib.sha256(nodeid.encode('utf-8', 'replace')).hexdigest()[:8]}"
