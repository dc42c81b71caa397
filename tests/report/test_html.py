"""The pages, made from real run folders and published benchmarks, and read back with a parser."""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation_runs import FAMILY, benchmark, grade, instance, jsonl, response, seal, two_models
from tests.report.hostile import EVERYTHING
from tracedance.analyse.rates import rates, summary
from tracedance.errors import InputError
from tracedance.gate.report import gate, report_json
from tracedance.gate.runs import resolve
from tracedance.report import html
from tracedance.report.html import read_gate_file, render, render_gate
from tracedance.report.visible import hidden
from tracedance.schema import BenchmarkResultsSpec, CallMade, GateReport, GateSpec, JudgeScore, Message, Rubric, RunBenchmark, RunManifest
from tracedance.store.benchmarks import write_benchmark

HOSTILE = EVERYTHING
TAGS = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "main",
        "nav",
        "section",
        "footer",
        "article",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
    ),
    *(
        "p",
        "ul",
        "ol",
        "li",
        "a",
        "b",
        "span",
        "bdi",
        "div",
        "pre",
        "q",
        "blockquote",
        "strong",
        "wbr",
        "details",
        "summary",
        "dl",
        "dt",
        "dd",
    ),
    *("mark", "label", "input", "select", "option", "button", "output", "script"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "svg", "desc", "line", "rect", "text", "circle"),
}


class Reader(HTMLParser):
    """Collects tags, attributes and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.style = self.script = ""
        self.within: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.within.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.within and self.within.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.within and self.within[-1] in ("style", "script"):
            setattr(self, self.within[-1], getattr(self, self.within[-1]) + data)
        else:
            self.text += data

    @property
    def words(self) -> str:
        return " ".join(self.text.split())


def digest_of(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def assert_stands_alone(page: str) -> Reader:
    """No link but to the page itself, nothing fetched, nothing hidden, and a policy that allows exactly the style sheet and our script."""
    reader = Reader(page)
    assert {tag for tag, _ in reader.tags} <= TAGS
    for tag, attributes in reader.tags:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "srcset", "style", "action", "xlink:href")], tag
        assert str(attributes.get("href", "#")).startswith("#")
    assert not [char for char in page if hidden(char)]
    policy = next(attributes["content"] for tag, attributes in reader.tags if attributes.get("http-equiv") == "Content-Security-Policy")
    assert reader.script in ("", (Path(html.__file__).parent / "templates" / "page.js").read_text())
    assert [tag for tag, _ in reader.tags].count("script") == bool(reader.script)
    script = f"; script-src 'sha256-{digest_of(reader.script)}'" if reader.script else ""
    assert policy == f"default-src 'none'; style-src 'sha256-{digest_of(reader.style)}'{script}; base-uri 'none'; form-action 'none'"
    assert "url(" not in reader.style and "@import" not in reader.style
    ids = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    return reader


def full_run(folder: Path, words: Sequence[str], models: Sequence[str] = ("old", "new"), change: Callable[..., Any] = lambda x: x) -> Path:
    """A run with its published benchmark; `change` may alter each record before it is written."""
    items = [change(instance(number=number)) for number in range(len(words))]
    made = benchmark(items)
    found = {"why": "Edits a.py again with the text that was not found.", "evidence": (2,)}
    checks = [change(check.model_copy(update=found)) for check in made.checks.values()]
    manifest, rubrics = change(made.manifest), {FAMILY: change(made.rubrics[FAMILY])}
    path = write_benchmark(manifest, items, checks, rubrics, folder / "benchmarks")
    digest = hashlib.sha256((path / "benchmark.yaml").read_bytes()).hexdigest()
    responses = [change(response(item, model, word)) for item, word in zip(items, words, strict=True) for model in models]
    grades = [change(grade(item, model, word)) for item, word in zip(items, words, strict=True) for model in models]
    run = folder / "run"
    run.mkdir()
    entry = RunBenchmark(name="retry", path="../benchmarks/retry", digest=digest, families=(FAMILY,), instances=len(items))
    about = RunManifest(judged_by="panel", mode="independent", models=tuple(models), benchmarks=(entry,))
    (run / "run.json").write_text(json.dumps(about.model_dump(mode="json", by_alias=True)))
    (run / "responses.jsonl").write_text(jsonl(responses))
    (run / "grades.jsonl").write_text(jsonl(grades))
    results = summary(rates(responses, grades, [made], 1, models))
    (run / "rates.json").write_text(json.dumps({"run": "run", "judged_by": "panel", "results": results}))
    seal(run)
    return run


def poisoned(record: Any) -> Any:
    """The record with hostile text in every field that takes free text."""
    name = type(record).__name__
    if name == "Instance":
        call = CallMade(id="c", name=HOSTILE, arguments=json.dumps({HOSTILE: HOSTILE, "deep": [HOSTILE]}))
        told = (
            Message(role="system", author="system", content=HOSTILE),
            Message(role="user", author="user", content=HOSTILE, turn=0),
            Message(role="assistant", author="model", content=HOSTILE, tool_calls=(call,), turn=1),
            Message(role="tool", author="tool", content=HOSTILE, tool_call_id="c", turn=2),
        )
        return record.model_copy(update={"messages": told, "replay_note": HOSTILE, "harness": HOSTILE, "source_model": HOSTILE})
    if name == "CheckRow":
        return record.model_copy(update={"why": HOSTILE, "confirmed_by": HOSTILE})
    if name == "Manifest":
        return record.model_copy(update={"query": HOSTILE, "dropped": {HOSTILE: 3}, "confirmed_by": (HOSTILE,)})
    if name == "Response":
        call = CallMade(id="c", name=HOSTILE, arguments=HOSTILE)
        return record.model_copy(update={"text": HOSTILE, "tool_calls": (call,), "error": HOSTILE})
    if name == "Grade":
        votes = tuple(
            vote.model_copy(update={"judge": f"{HOSTILE}{seat}", "rationale": HOSTILE, "quotes": (HOSTILE,), "error": HOSTILE})
            for seat, vote in enumerate(record.votes)
        )
        return record.model_copy(update={"votes": votes, "reason": HOSTILE})
    return Rubric(question=HOSTILE, levels=dict.fromkeys(range(6), HOSTILE))


def test_a_page_says_what_was_asked_found_answered_and_judged(tmp_path: Path) -> None:
    words = assert_stands_alone(render(full_run(tmp_path, ["pass", "fail", "near", "partial", "failed", "undecided"]))).words
    for said in (
        "edits retried blindly",
        "Did it read the file?",
        "Level 5 of six.",
        "1 of 3",
        "2 duplicate",
        "1 over budget",
        "String to replace not found in file.",
        "Let me look at the file first.",
        "Reason 1.",
        "look at the file",
        "judge/2",
        "mean 3.67 of 5",
        "503 after 5 tries",
        "Rates are not frequencies",
        "Nothing was executed",
        "a turn that plans or gathers information may be followed by an appropriate one",
        "4 unscored (2 for want of a judge) and 2 failed of 12 responses",
        "Tool definitions inferred from 12 calls",
        "20 candidates = 6 kept + 2 duplicate + 1 over budget + 11 that the benchmark does not account for.",
        "6 instances = 3 compared + 3 left out.",
        "How it was found (construction only: models and judges saw none of this)",
        "Found because: Edits a.py again with the text that was not found. Evidence: turn 2. Confirmed by",
        "so a pass may still fail when run",
        "Tool result evidence turn 2",
        "User request turn 0",
    ):
        assert said in words, said


def test_the_picture_has_a_text_that_says_the_same(tmp_path: Path) -> None:
    page = render(full_run(tmp_path, ["pass", "fail"]))
    assert "old: 50% (1 of 2), 95% interval 9% to 91%" in Reader(page).words
    assert re.search(r'<svg class="intervals" role="img" aria-labelledby="[\w-]+ [\w-]+"', page)


def test_hostile_text_in_every_field_stays_text(tmp_path: Path) -> None:
    run = full_run(tmp_path, ["pass", "fail", "partial", "failed", "undecided"], (HOSTILE, f"2{HOSTILE}"), poisoned)
    reader = assert_stands_alone(render(run))
    assert "<script>alert(1)</script>" in reader.text
    assert "\\u202egnp.exe" in reader.text and "\\u001b[2J" in reader.text
    assert "{{ 7*7 }}" in reader.text


def test_hostile_text_in_a_gate_report_stays_text(tmp_path: Path) -> None:
    run = two_models(tmp_path / "r", ["pass"] * 5, ["fail"] * 5)
    spec = GateSpec(schema_version="behavior-spec/v0", id=HOSTILE, benchmark_results=BenchmarkResultsSpec())
    data = json.loads(report_json(gate(resolve(f"{run}:old"), resolve(f"{run}:new"), spec)))

    def poison(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: poison(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [poison(inner, key) for inner in value]
        fixed = key in ("verdict", "judged_by", "status", "schema_version") or not isinstance(value, str)
        return value if fixed else HOSTILE

    assert "<script>" in assert_stands_alone(render_gate(GateReport.model_validate(poison(data)))).text


def test_an_offline_page_says_that_no_model_judged_and_that_it_is_a_self_test(tmp_path: Path) -> None:
    from tests.evaluation_runs import write_run

    run = write_run(tmp_path / "r", {"offline/source": {FAMILY: ["fail"]}, "offline/careful": {FAMILY: ["pass"]}}, rule=True)
    reader = assert_stands_alone(render(run))
    words = reader.words
    assert "wbr" in {tag for tag, _ in reader.tags} and "wbr" not in words
    assert "No model judged" in words
    assert "Self-test." in words


def test_a_page_whose_benchmark_is_gone_or_changed_says_so(tmp_path: Path) -> None:
    run = full_run(tmp_path, ["pass"])
    data = next((tmp_path / "benchmarks" / ".objects").iterdir()) / "data" / "test.jsonl"
    data.write_text(data.read_text().replace("Editing", "Editinh"))
    assert "edited" in assert_stands_alone(render(run)).words
    run.rename(tmp_path.parent / f"{tmp_path.name}-moved")
    assert "no longer at" in Reader(render(tmp_path.parent / f"{tmp_path.name}-moved")).words


def test_an_unfinished_run_has_no_page(tmp_path: Path) -> None:
    run = full_run(tmp_path, ["pass"])
    (run / "rates.json").unlink()
    with pytest.raises(InputError, match=r"rates\.json"):
        render(run)


def test_the_same_run_gives_the_same_page(tmp_path: Path) -> None:
    run = full_run(tmp_path, ["pass", "fail", "partial"])
    assert render(run) == render(run)


def test_fifty_instances_and_three_models_stay_under_two_megabytes(tmp_path: Path) -> None:
    def long(record: Any) -> Any:
        text = "<&\u202e漢" * 8_000
        if type(record).__name__ == "Instance":
            told = [Message(role="tool", author="tool", content=text, tool_call_id="c", turn=number) for number in range(3)]
            return record.model_copy(update={"messages": tuple(told)})
        if type(record).__name__ == "Response":
            call = CallMade(id="c", name="Edit", arguments=json.dumps({"new_string": text}))
            return record.model_copy(update={"text": text, "tool_calls": (call, call)})
        if type(record).__name__ == "Grade":
            votes = [JudgeScore(**vote.model_dump() | {"rationale": text, "quotes": (text,) * 9}) for vote in record.votes]
            return record.model_copy(update={"votes": tuple(votes)})
        return record

    page = render(full_run(tmp_path, ["pass"] * 50, ("a", "b", "c"), long))
    assert len(page.encode()) <= 2_000_000


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", "[" * 100_000, '{"schema_version": "gate-report/v9"}', "\x00"])
def test_what_is_no_gate_report_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "g.json").write_text(text)
    with pytest.raises(InputError):
        render_gate(read_gate_file(tmp_path / "g.json"))


def test_a_gate_report_file_becomes_a_page(tmp_path: Path) -> None:
    run = two_models(tmp_path / "r", ["pass"] * 6, ["fail"] * 5 + ["undecided"])
    spec = GateSpec(schema_version="behavior-spec/v0", id="mine", benchmark_results=BenchmarkResultsSpec())
    (tmp_path / "g.json").write_text(report_json(gate(resolve(f"{run}:old"), resolve(f"{run}:new"), spec)))
    words = assert_stands_alone(render_gate(read_gate_file(tmp_path / "g.json"))).words
    assert "FAIL" in words and "The candidate lost 5 and gained 0 of 5 pairs" in words and "private reasoning" in words


def test_a_gate_page_says_why_the_instances_were_found_where_their_benchmark_is_given(tmp_path: Path) -> None:
    run = full_run(tmp_path, ["pass", "fail", "failed"], change=lambda record: failing(record))
    spec = GateSpec(schema_version="behavior-spec/v0", id="mine", benchmark_results=BenchmarkResultsSpec())
    report = gate(resolve(f"{run}:old"), resolve(f"{run}:new"), spec)
    assert "Edits a.py again" not in Reader(render_gate(report)).words
    words = assert_stands_alone(render_gate(report, [tmp_path / "benchmarks" / "retry"])).words
    assert "failure/edit_retry_without_reread Edits a.py again with the text that was not found. ✓ pass ✗ no pass" in words


def failing(record: Any) -> Any:
    """The new model's first pass turned into a fail."""
    if type(record).__name__ == "Grade" and record.model == "new" and record.passed:
        votes = tuple(vote.model_copy(update={"score": 1}) for vote in record.votes)
        return record.model_copy(update={"votes": votes, "mean": 1.0, "passed": False})
    return record


def test_a_gate_page_shows_how_many_samples_passed(tmp_path: Path) -> None:
    run = two_models(tmp_path / "r", ["pass"] * 6, ["pass", "fail", "pass", "fail", "fail", "fail"], samples=2)
    spec = GateSpec(schema_version="behavior-spec/v0", id="mine", benchmark_results=BenchmarkResultsSpec(min_pairs=1))
    words = Reader(render_gate(gate(resolve(f"{run}:old"), resolve(f"{run}:new"), spec))).words
    assert "2 of 2 passed 1 of 2 passed" in words and "✗ 0 of 2 passed" in words


def test_a_gate_report_of_an_earlier_version_still_becomes_a_page(tmp_path: Path) -> None:
    run = two_models(tmp_path / "r", ["pass"] * 5, ["fail"] * 5)
    spec = GateSpec(schema_version="behavior-spec/v0", id="mine", benchmark_results=BenchmarkResultsSpec())
    data = json.loads(report_json(gate(resolve(f"{run}:old"), resolve(f"{run}:new"), spec)))
    for row in data["pairs"]:
        row |= {"sample": 0, "baseline": True, "candidate": False}
    for check in data["checks"]:
        check["facts"].pop("same_share", None)
    assert "✓ pass ✗ no pass" in Reader(render_gate(GateReport.model_validate(data))).words


def test_a_run_of_several_samples_says_what_its_intervals_count(tmp_path: Path) -> None:
    words = Reader(render(two_models(tmp_path / "r", ["pass"] * 3, ["pass", "pass", "fail"], samples=3))).words
    assert "67% (2 of 3 responses to 1 instance)" in words
    assert "n is the number of assessed instances" in words


def test_a_gate_report_whose_pairs_lack_fields_is_refused_in_one_line(tmp_path: Path) -> None:
    run = two_models(tmp_path / "r", ["pass"] * 5, ["fail"] * 5)
    report = json.loads(
        report_json(
            gate(
                resolve(f"{run}:old"),
                resolve(f"{run}:new"),
                GateSpec(schema_version="behavior-spec/v0", id="t", benchmark_results=BenchmarkResultsSpec()),
            )
        )
    )
    del report["pairs"][0]["candidate"]
    (tmp_path / "g.json").write_text(json.dumps(report))
    with pytest.raises(InputError, match="a pair lacks a field"):
        render_gate(read_gate_file(tmp_path / "g.json"))
