"""Pages in a real browser: the corpus in every field does nothing, the script only helps, and both colour schemes and paper work."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation_runs import two_models
from tests.report.browser import CHROMIUM, WHY_NOT, Tab, opened, tab
from tests.report.hostile import EVERYTHING
from tests.report.test_html import full_run, poisoned
from tracedance.gate.report import gate, report_json
from tracedance.gate.runs import resolve
from tracedance.report.html import render, render_gate
from tracedance.schema import BenchmarkResultsSpec, GateReport, GateSpec

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=WHY_NOT)

WORDS = ("pass", "fail", "partial", "failed", "undecided")
OPEN_ALL = "document.querySelectorAll('details').forEach(d => d.open = true); document.body.innerText"


def saved(folder: Path, page: str) -> Path:
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    return path


def assert_quiet(page: Path, scripts: bool = True) -> str:
    """No dialog, no request, no error, whatever is opened on the page; returns what a reader sees."""
    seen = opened(page, OPEN_ALL, scripts=scripts)
    assert (seen.dialogs, seen.requests, seen.errors) == ([], [], [])
    return str(seen.values[0])


def test_the_corpus_in_every_field_of_a_run_does_nothing(tmp_path: Path) -> None:
    run = full_run(tmp_path, WORDS, (EVERYTHING, f"2{EVERYTHING}"), poisoned)
    text = assert_quiet(saved(tmp_path, render(run)))
    assert "<script>alert(1)</script>" in text and "\\u202egnp.exe" in text


def test_the_corpus_in_every_field_of_a_gate_report_does_nothing(tmp_path: Path) -> None:
    run = two_models(tmp_path / "r", ["pass"] * 5, ["fail"] * 5)
    spec = GateSpec(schema_version="behavior-spec/v0", id=EVERYTHING, benchmark_results=BenchmarkResultsSpec())
    data = json.loads(report_json(gate(resolve(f"{run}:old"), resolve(f"{run}:new"), spec)))
    for row in data["pairs"]:
        row.update(family=EVERYTHING, benchmark=EVERYTHING)
    data["candidate"]["title"] = EVERYTHING
    assert "<script>alert(1)</script>" in assert_quiet(saved(tmp_path, render_gate(GateReport.model_validate(data))))


def test_without_scripts_a_page_says_all_that_it_says_with_them(tmp_path: Path) -> None:
    page = saved(tmp_path, render(full_run(tmp_path, WORDS)))
    bare = page.read_text().replace("<details", "<details open")
    (tmp_path / "open.html").write_text(bare, encoding="utf-8")
    seen = [
        opened(tmp_path / "open.html", "document.querySelector('main').innerText", scripts=scripts).values[0] for scripts in (True, False)
    ]
    assert "How it was found" in seen[1] and "Search" not in seen[1] and "Search" in seen[0]
    assert set(seen[1].splitlines()) <= set(seen[0].splitlines())


def shown(one: Tab) -> list[bool]:
    """Which instances a reader sees."""
    found: list[bool] = one.value("[...document.querySelectorAll('details.case')].map(d => d.getClientRects().length > 0)")
    return found


def test_instances_are_searched_and_filtered(tmp_path: Path) -> None:
    with tab() as one:
        one.open(saved(tmp_path, render(full_run(tmp_path, ("pass", "fail", "partial")))))
        assert shown(one) == [True, True, True]
        one.value("(() => { const s = document.getElementById('outcome'); s.value = 'none-pass'; s.dispatchEvent(new Event('change')) })()")
        assert shown(one) == [False, True, True]
        said = one.value("document.getElementById('matching').textContent")
        assert said == "2 of 3 shown"
        one.value(
            "new Promise(done => { const s = document.getElementById('find'); s.value = 'FIX BUG 2';"
            " s.dispatchEvent(new Event('input')); setTimeout(done, 400) })"
        )
        assert shown(one) == [False, False, True]
        assert (one.seen.errors, one.seen.requests) == ([], [])


def media(one: Tab, scheme: str) -> Any:
    one.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    return one.value("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]")


def test_a_page_is_dark_where_the_reader_wants_it_and_prints_every_instance(tmp_path: Path) -> None:
    with tab() as one:
        one.open(saved(tmp_path, render(full_run(tmp_path, WORDS))))
        light, dark = media(one, "light"), media(one, "dark")
        assert light[0] == "rgb(251, 250, 247)" and dark[0] == "rgb(20, 22, 26)"
        one.ask("Emulation.setEmulatedMedia", media="print")
        visible = "[...document.querySelectorAll('.how')].map(s => s.getClientRects().length > 0 && s.offsetHeight > 0)"
        assert one.value(visible) == [True] * len(WORDS)
        assert base64.b64decode(one.ask("Page.printToPDF")["data"]).startswith(b"%PDF")
