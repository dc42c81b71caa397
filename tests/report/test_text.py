"""Terminal tables show figures and reasons, and obey nothing that a trace says."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from tests.evaluation_runs import two_models
from tracedance.gate.report import gate
from tracedance.gate.runs import resolve
from tracedance.report.text import gate_table, rates_table
from tracedance.schema import BenchmarkResultsSpec, GateSpec

EVIL = "[bold red]x[/] [link=http://evil]y[/link] \x1b[2J\x1b]0;t\x07\u202e\x9b"


def printed(renderable: object, width: int = 160) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=False, color_system=None)
    console.print(renderable)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert not set("\x1b\x07\u202e\x9b") & set(text)
    return str(text)


def result(**values: object) -> dict[str, object]:
    row = {"benchmark": EVIL, "families": ["f"], "model": EVIL, "assessed": 0, "passed": 0, "pass_rate": None, "interval": None}
    return {**row, "unscored": 4, "failed": 1, **values}


def test_rates_are_printed_with_what_is_outside_them() -> None:
    rows = [result(), result(model="offline/careful", assessed=8, passed=6, pass_rate=0.75, interval=[0.41, 0.93])]
    text = printed(rates_table({"run": "r", "judged_by": "rule", "results": rows}))
    assert "6/8" in text and "75%" in text and "41% to 93%" in text
    assert "no model judged" in text and "self-tests" in text
    assert "[bold red]x" in text and "\\u001b[2J" in text


def test_a_panels_rates_do_not_say_that_no_model_judged() -> None:
    assert "panel" in printed(rates_table({"run": "r", "judged_by": "panel", "results": [result()]}))


def test_checks_that_contradict_a_panel_stand_under_its_rates() -> None:
    told = {"run": "r", "judged_by": "panel", "results": [result()], "judging": {"checks": {"compared": 8, "contradictions": 8}}}
    said = "contradict the panel on 8 of 8 responses that both decide; no grade is changed by it"
    assert said in " ".join(printed(rates_table(told)).split())
    told["judging"] = {"checks": {"compared": 8, "contradictions": 0}}
    assert "contradict" not in printed(rates_table(told))


def test_a_verdict_is_printed_with_every_reason(tmp_path: Path) -> None:
    run = two_models(tmp_path / "r", ["pass"] * 5, ["fail"] * 5)
    spec = GateSpec(schema_version="behavior-spec/v0", id=EVIL, benchmark_results=BenchmarkResultsSpec())
    text = printed(gate_table(gate(resolve(f"{run}:old"), resolve(f"{run}:new"), spec)))
    assert text.startswith("FAIL") and "lost 5 and gained 0 of 5 pairs" in text


NARROW = (60, 40)


@pytest.mark.parametrize("width", NARROW)
def test_no_name_and_no_figure_is_split_where_the_terminal_is_narrow(width: int, tmp_path: Path) -> None:
    run = two_models(tmp_path / "r", ["pass"] * 5, ["fail"] * 5)
    spec = GateSpec(schema_version="behavior-spec/v0", id="mine", benchmark_results=BenchmarkResultsSpec())
    rows = [
        result(
            benchmark="edit_retry_without_reread",
            model="anthropic/claude-opus-4-8",
            assessed=8,
            passed=6,
            pass_rate=0.75,
            interval=[0.41, 0.93],
        )
    ]
    said = {
        "gate": (gate_table(gate(resolve(f"{run}:old"), resolve(f"{run}:new"), spec)), "failure/edit_retry_without_reread", "p = 0.031,"),
        "rates": (rates_table({"run": "r", "judged_by": "panel", "results": rows}), "anthropic/claude-opus-4-8", "interval 41% to 93%"),
    }
    for renderable, name, figure in said.values():
        text = printed(renderable, width)
        assert name in text and figure in " ".join(text.split())
        assert max(map(len, text.splitlines())) <= width


def test_a_wide_terminal_gets_a_table() -> None:
    text = printed(rates_table({"run": "r", "judged_by": "panel", "results": [result(model="m", benchmark="b")]}), 80)
    assert "Benchmark, model" in text and "Unscored" in text
