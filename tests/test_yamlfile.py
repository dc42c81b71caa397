"""YAML from people: what is refused, with its place, before it costs anything; and that a file is a file."""

import os
from pathlib import Path

import pytest

from tracedance import catalogue
from tracedance.errors import InputError
from tracedance.gate.runs import read_run
from tracedance.gate.spec import read_spec
from tracedance.models.config import load
from tracedance.report.html import read_gate_file
from tracedance.store.benchmarks import read_benchmark

LAUGHS = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12))
FEW_LAUGHS = "a0: &a0 [" + "x," * 4000 + "]\n" + "".join(f"a{i}: &a{i} [*a{i - 1},*a{i - 1}]\n" for i in range(1, 9))
BOMB = "schema: tracedance.models/v1\nmodel_list:\n  - model_name: a/b\n    litellm_params: {model: openai/x}\n    model_info:\n"
HOSTILE = {
    "deep": "a: " + "[" * 3000 + "]" * 3000,
    "deep by blocks": "\n".join("  " * i + "a:" for i in range(1500)),
    "bomb": LAUGHS,
    "bomb of few aliases": FEW_LAUGHS,
    "bomb in free values": BOMB + "".join(f"      {line}\n" for line in LAUGHS.splitlines()),
    "list in itself": "&a [*a]",
    "mapping in itself": "&a {x: *a}",
    "impossible date": "schema: 2024-99-99",
    "endless integer": "schema: " + "9" * 6000,
    "integer that is none": "schema: !!int abc",
    "time that is none": "schema: !!timestamp abc",
    "code": '!!python/object/apply:os.system ["false"]',
    "merge": "x: &x {a: 1}\ny: {<<: *x}",
    "broken number": "schema: 0b_",
    "lone surrogate": 'schema: "\\ud800"',
    "key of keys": "? {a: 1}\n: b",
    "twice": "schema: a\nschema: b",
    "two documents": "a: 1\n---\nb: 2",
    "not text": b"\xff\xfea\x00",
    "too long": "a: " + "x" * 5_000_000,
    "nothing": "",
    "a number": "5",
    "endless float": "schema: " + "9" * 6000 + ".0",
}


def through_profile(path: Path) -> None:
    load(str(path))


def through_card(path: Path) -> None:
    for tree in ("anchors", "rubrics"):
        (path.parent / tree / "action").mkdir(parents=True, exist_ok=True)
    os.replace(path, path.parent / "anchors/action/mine.yaml")
    catalogue.families([path.parent])


def through_benchmark(path: Path) -> None:
    (path.parent / "b").mkdir()
    os.replace(path, path.parent / "b/benchmark.yaml")
    read_benchmark(path.parent / "b")


DOORS = [read_spec, through_profile, through_card, through_benchmark]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_yaml_is_one_line_that_names_the_file(tmp_path: Path, door, text: str | bytes) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "p.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as caught:
        door(path)
    assert (
        "\n" not in str(caught.value)
        and str(tmp_path) in str(caught.value).replace("anchors/action", str(tmp_path))
        and len(str(caught.value)) < 500
    )


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_what_is_no_file_is_refused_and_never_waited_for(tmp_path: Path, door, kind: str) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "p.yaml"
    os.mkfifo(path) if kind == "pipe" else path.mkdir()
    with pytest.raises(InputError, match="no regular file"):
        door(path)


@pytest.mark.parametrize("read", [read_benchmark, read_gate_file, read_run])
def test_a_pipe_in_place_of_anything_read_is_refused(tmp_path: Path, read) -> None:  # type: ignore[no-untyped-def]
    os.mkfifo(tmp_path / "run.json")
    with pytest.raises(InputError):
        read(tmp_path if read is read_run else tmp_path / "run.json")


@pytest.mark.parametrize("value", ["true", '"5"', "5.5", "1e3", "'5'"])
def test_a_number_of_another_type_is_no_number(tmp_path: Path, value: str) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(f"schema_version: behavior-spec/v0\nid: x\nbenchmark_results:\n  min_pairs: {value}\n")
    with pytest.raises(InputError, match=r"p\.yaml:4:3"):
        read_spec(path)
