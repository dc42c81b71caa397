"""Policies: the shipped one, and everything that is refused with its place."""

import re
from pathlib import Path

import pytest

from tracedance.errors import InputError
from tracedance.gate.spec import read_spec
from tracedance.schema import BenchmarkResultsSpec

SHIPPED = Path(__file__).resolve().parents[2] / "configs" / "gate.yaml"
HEAD = "schema_version: behavior-spec/v0\nid: mine\n"


def refused(tmp_path: Path, text: str | bytes) -> str:
    path = tmp_path / "p.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(InputError) as caught:
        read_spec(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_shipped_policy_is_the_default_of_every_field() -> None:
    assert read_spec(SHIPPED).benchmark_results == BenchmarkResultsSpec()


def test_every_field_of_the_shipped_policy_has_its_comment() -> None:
    lines = SHIPPED.read_text().splitlines()
    for place, line in enumerate(lines):
        if re.match(r"\s*\w+: \S", line):
            assert lines[place - 1].lstrip().startswith("#"), line
    for field in BenchmarkResultsSpec.model_fields:
        assert f"\n  {field}: " in SHIPPED.read_text()


def test_fields_left_out_have_their_defaults(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(HEAD + "benchmark_results: {alpha: 0.01}\n")
    assert read_spec(tmp_path / "p.yaml").benchmark_results == BenchmarkResultsSpec(alpha=0.01)


def test_an_unknown_field_is_refused_with_its_place_and_the_nearest(tmp_path: Path) -> None:
    said = refused(tmp_path, HEAD + "benchmark_results:\n  alpha: 0.05\n  min_pair: 3\n")
    assert "p.yaml:5:3" in said and "'min_pairs'" in said
    assert "p.yaml:3:1" in refused(tmp_path, HEAD + "invariant: {}\nbenchmark_results: {}\n")


@pytest.mark.parametrize("value", ["0", "1", "-1", "1.5", ".nan", ".inf", "often", "[0.05]", "2026-01-01"])
def test_a_level_out_of_range_is_refused_with_its_place(tmp_path: Path, value: str) -> None:
    assert "p.yaml:4:3" in refused(tmp_path, f"{HEAD}benchmark_results:\n  alpha: {value}\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing\n",
        "- a\n",
        "just text\n",
        HEAD,
        HEAD + "benchmark_results: 7\n",
        HEAD + "benchmark_results: {}\nid: again\n",
        HEAD + "benchmark_results: !!python/object/apply:os.system ['true']\n",
        HEAD + "benchmark_results: !!map {}\n",
        HEAD + "benchmark_results: {" + "a: {" * 40 + "}" * 40 + "}\n",
        HEAD + "benchmark_results: {? [a, b] : 1}\n",
        HEAD + "benchmark_results: {\n",
        HEAD + "benchmark_results: {}\n---\nid: other\n",
        "a: &a [x]\nb: [" + "*a, " * 50 + "]\n",
        HEAD + "benchmark_results: {}\n#" + "x" * 300_000,
        HEAD + "benchmark_results: [" + "1, " * 9000 + "]\n",
        b"\xff\xfe\x00",
        b"id: \x07\n",
        "schema_version: behavior-spec/v1\nid: x\nbenchmark_results: {}\n",
    ],
)
def test_what_is_no_policy_is_refused(tmp_path: Path, text: str | bytes) -> None:
    refused(tmp_path, text)


def test_a_missing_policy_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--spec"):
        read_spec(tmp_path / "none.yaml")
