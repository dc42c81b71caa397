"""What CI reads of a gate, and what hostile names can do in it: nothing."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.ci.sarif_shape import problems
from tests.conftest import Command
from tests.gate.workbench.test_command import folder, spec_file
from tests.gate.workbench.test_rules import ORDER, run
from tracedance.ci.annotations import annotations, command
from tracedance.ci.junit import junit
from tracedance.ci.markdown import MARKER, MOST_CHARACTERS, markdown
from tracedance.ci.sarif import sarif, uri
from tracedance.ci.telling import blocks, neutral
from tracedance.schema import Category, Check, EvidenceRow, GateReport, Side

HOSTILE = (
    "x\n::error::owned\r\n::set-output name=a::b ##[add-mask]y %0A::stop-commands::z </testcase><evil/> ]]> `code` | a | b |\n\n"
    "# head <script>alert(1)</script> <!-- --> @everyone #1 [click](javascript:alert(1)) ![i](https://evil.example/i) {0} \\ "
    "\x1b[31m\x00\x07\u202e\ud800\ufffe\uffff https://evil.example"
)


def report(*checks: Check, name: str = "p", traces: list[dict[str, Any]] | None = None) -> GateReport:
    return GateReport(
        spec=name,
        spec_digest="0" * 64,
        baseline=Side(model=name, traces=1),
        candidate=Side(model=name, traces=1),
        verdict="FAIL",
        categories=(Category(name="behavior_contract", verdict="FAIL"),),
        checks=checks,
        evidence=(EvidenceRow(source=name, status="used"),),
        traces=tuple(traces or ()),
    )


def check(text: str, verdict: str = "FAIL", **more: Any) -> Check:
    return Check.model_validate({"category": "behavior_contract", "name": f"rule: {text}", "verdict": verdict, "reason": text, **more})


def hostile(text: str) -> GateReport:
    return report(
        check(text), check(text, "WARN"), name=text, traces=[{"side": "candidate", "file": text, "trace_id": text, "violations": [text]}]
    )


@pytest.fixture
def written(command: Command, tmp_path: Path) -> Any:
    """The four forms of a gate on two folders of traces, by the command line."""

    def gate(candidate: list[dict[str, Any]], *more: str, **sections: Any) -> tuple[int, dict[str, str]]:
        sides = folder(tmp_path / "base", [run("policy_check", "refund_tool")]), folder(tmp_path / "cand", candidate)
        spec = spec_file(tmp_path / "s.yaml", **sections)
        files = {name: tmp_path / name for name in ("junit", "sarif", "markdown", "annotations")}
        words = [word for name, path in files.items() for word in (f"--{name}", path)]
        done = command("gate", "--spec", spec, "--baseline", sides[0], "--candidate", sides[1], *words, *more)
        return done.code, {name: path.read_text() for name, path in files.items()}

    return gate


@pytest.mark.parametrize(
    ("steps", "more", "code"),
    [
        (["policy_check", "refund_tool"], [], 0),
        (["refund_tool", "policy_check"], [], 1),
        (["policy_check", "refund_tool", "a", "b"], [], 0),
        (["policy_check", "refund_tool", "a", "b"], ["--block-on-warn"], 1),
    ],
)
def test_a_case_of_junit_fails_exactly_where_the_gate_does(steps: list[str], more: list[str], code: int, written: Any) -> None:
    done, files = written([run(*steps)], *more, invariants=ORDER, thresholds={"path_edit_distance_warn": 0.3})
    root = ElementTree.fromstring(files["junit"])
    assert done == code and (int(root.get("failures", "")) > 0) is (code == 1) and root.get("errors") == "0"
    assert int(root.get("tests", "")) == len(root.findall(".//testcase")) > 0
    assert ("::error " in files["annotations"]) is (code == 1)


def test_missing_evidence_is_an_error_in_junit_and_in_sarif(written: Any) -> None:
    code, files = written([run("policy_check", "refund_tool")], invariants=ORDER, thresholds={"min_runs": 2})
    [error] = ElementTree.fromstring(files["junit"]).findall(".//error")
    assert code == 3 and error.get("type") == "INCONCLUSIVE"
    [result] = json.loads(files["sarif"])["runs"][0]["results"]
    assert result["level"] == "error" and result["ruleId"] == "sample_sufficiency/min_runs"


def test_sarif_holds_a_result_for_each_broken_check_and_trace(written: Any, tmp_path: Path) -> None:
    _, files = written([run("refund_tool"), run("policy_check", "refund_tool", number=1)], invariants=ORDER)
    log = json.loads(files["sarif"])
    assert problems(log) == []
    results = log["runs"][0]["results"]
    assert [(result["level"], result["ruleId"]) for result in results] == [("error", "behavior_contract/required_order"), ("note", "trace")]
    places = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results]
    assert places == [uri(str(tmp_path / "s.yaml"))["uri"], uri(str(tmp_path / "cand" / "run-0.json"))["uri"]]


def test_the_check_of_sarif_sees_what_is_wrong(written: Any) -> None:
    log = json.loads(written([run("refund_tool")], invariants=ORDER)[1]["sarif"])
    for spoil in (
        lambda run: run.pop("tool"),
        lambda run: run["results"][0].pop("message"),
        lambda run: run["results"][0].update(level="fatal"),
        lambda run: run["results"][0].update(ruleIndex=9),
        lambda run: run["results"][0]["locations"][0]["physicalLocation"]["region"].update(startLine=0),
        lambda run: run["results"][0].update(surprise=1),
    ):
        broken = json.loads(json.dumps(log))
        spoil(broken["runs"][0])
        assert problems(broken)


def test_a_form_that_holds_a_secret_is_not_written(command: Command, tmp_path: Path) -> None:
    secret = "ghp_" + "A1b2C3d4" * 4 + "E5f6"
    sides = folder(tmp_path / "a", [run("b")]), folder(tmp_path / "b", [run("c")])
    spec = spec_file(tmp_path / "s.yaml", invariants={"required_tools": [secret]})
    done = command("gate", "--spec", spec, "--baseline", sides[0], "--candidate", sides[1], "--markdown", tmp_path / "m.md")
    assert done.code == 2 and secret not in done.err + done.out and not (tmp_path / "m.md").exists()


texts = st.one_of(st.just(HOSTILE), st.text(max_size=60), st.lists(st.sampled_from(HOSTILE), max_size=60).map("".join))


@given(texts)
@settings(max_examples=60, deadline=None)
def test_foreign_text_stays_text_in_every_form(text: str) -> None:
    one = hostile(text)
    root = ElementTree.fromstring(junit(one))
    assert {element.tag for element in root.iter()} <= {
        "testsuites",
        "testsuite",
        "properties",
        "property",
        "testcase",
        "failure",
        "system-out",
    }
    assert problems(json.loads(sarif(one, text, text))) == []
    lines = list(annotations(one, text))
    assert len(lines) == 2 and all(re.fullmatch(r"::(error|warning) (file=[^,:]*,)?title=[^,:]*::.*", line) for line in lines)
    for said in (*lines, junit(one), markdown(one)):
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\ufffe\uffff\ud800-\udfff]", said)


@given(texts)
@example("` @everyone [x](https://evil.example)")
@example("`` <b> `` **b** ```")
@settings(max_examples=60, deadline=None)
def test_foreign_text_stands_in_code_spans_alone(text: str) -> None:
    """Outside of them the Markdown of any name reads as that of a harmless one: no markup, mention or link can come of it."""
    harmless, spoiled = (list(outside(MarkdownIt("gfm-like", {"linkify": False}).parse(markdown(hostile(each))))) for each in ("x", text))
    assert [said.replace("–", "") for said in spoiled] == [said.replace("–", "") for said in harmless]


def outside(tokens: list[Any]) -> Iterator[str]:
    """What stands outside of code spans: kinds of tokens with their content, texts joined where a span stands between them."""
    for token in tokens:
        if token.children:
            yield "".join(
                child.content if child.type == "text" else f"<{child.type}>" for child in token.children if child.type != "code_inline"
            )
        elif token.type != "inline":
            yield f"{token.type}:{token.content}"


def test_a_table_keeps_its_columns_whatever_a_name_holds() -> None:
    for text in (HOSTILE, "a|b", "a\\|b", "a\\", "`", "``|"):
        tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(markdown(hostile(text)))
        rows = "".join(token.type[0:2] if token.type in ("tr_open", "td_open") else "" for token in tokens).split("tr")[1:]
        assert {row for row in rows if row} <= {"tdtdtdtd", "tdtdtd"}
        assert markdown(hostile(text)).count("\n") == markdown(hostile("x")).count("\n")


def test_no_line_of_an_annotation_can_be_a_second_command() -> None:
    line = command("error", "a,file=b::c", "one\n::add-mask::two ##[group] 100%", "f:1,g")
    assert line == "::error file=f%3A1%2Cg,title=a%2Cfile=b%3A %3Ac::one : :add-mask: :two ## [group] 100%25"
    assert "::" not in neutral(":::::")


def test_a_long_report_fits_a_comment_and_says_what_is_left_out() -> None:
    long = report(
        *(check(f"{number} " + "y" * 500) for number in range(400)),
        traces=[{"side": "candidate", "file": f"{number}.json", "violations": ["z" * 500] * 9} for number in range(300)],
    )
    text = markdown(long)
    assert text.startswith(MARKER) and len(text) <= MOST_CHARACTERS + 100 and "340 more checks" in text
    told = list(annotations(long, "s"))
    assert len(told) == 10 and "391 more checks" in told[-1]


def test_a_check_that_informs_blocks_nothing() -> None:
    told = {verdict: blocks(check("x", verdict, decides=False)) for verdict in ("PASS", "WARN", "FAIL", "INCONCLUSIVE")}
    assert not any(told.values()) and blocks(check("x", "FAIL", decides=False), block_on_warn=True)
