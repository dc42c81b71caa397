"""Prompt files check themselves, and fence what they quote."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from tracedance.construct.confirm import Answers
from tracedance.construct.domain import DomainVerdict, Summary
from tracedance.errors import InputError, ItemError
from tracedance.models import prompts
from tracedance.models.ask import json_in
from tracedance.resources import data

MATTER = "---\nrole: fast\ninputs: [{}]\nanswer: X\n---\n"


def written(folder: Path, inputs: str, text: str) -> Path:
    (folder / "ask.md").write_text(MATTER.format(inputs) + text)
    return folder


@pytest.mark.parametrize("name", sorted(path.stem for path in data("prompts").glob("*.md")))
def test_every_shipped_prompt_lists_exactly_the_inputs_it_uses(name: str) -> None:
    assert prompts.load(name).digest


def test_inputs_that_differ_from_those_used_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        prompts.load("ask", written(tmp_path, "title, excerpt", "$title $questions\n"))
    assert str(refused.value) == "prompts/ask.md lists inputs ['excerpt', 'title'] but uses ['questions', 'title']."


def test_a_prompt_may_hold_json_and_dollars(tmp_path: Path) -> None:
    prompt = prompts.load("ask", written(tmp_path, "title", 'For $$5: {"a": "$title"}\n'))
    assert prompt.render(title="$x {y}")[0]["content"] == 'For $5: {"a": "$x {y}"}\n'


def test_the_fence_depends_on_the_data_alone(tmp_path: Path) -> None:
    prompt = prompts.load("ask", written(tmp_path, "text, fence", "$fence\n$text\n$fence\n"))
    first, again, other = (prompt.render(text=text)[0]["content"] for text in ("one", "one", "two"))
    assert first == again and first.split("\n")[0] == first.split("\n")[2] != other.split("\n")[0]


def test_data_that_hold_the_fence_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = prompts.load("ask", written(tmp_path, "text, fence", "$fence\n$text\n$fence\n"))
    monkeypatch.setattr(prompts, "fence", lambda values: "DATA-0123456789")
    with pytest.raises(ItemError, match="fence_in_data"):
        prompt.render(text="so DATA-0123456789 it is")


@pytest.mark.parametrize("text", ["no front matter\n", "---\nrole: fast\n---\nx\n", "---\nrole: king\ninputs: []\nanswer: X\n---\nx\n"])
def test_a_prompt_without_proper_front_matter_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "ask.md").write_text(text)
    with pytest.raises(InputError, match="front matter"):
        prompts.load("ask", tmp_path)


DATA = "---\nrole: fast\ninputs: [text, mark, fence]\ndata: [text]\nanswer: X\n---\n"


def test_every_line_of_data_is_marked_and_the_mark_changes_with_the_call(tmp_path: Path) -> None:
    (tmp_path / "ask.md").write_text(DATA + "Lines of data begin with $mark\n$fence\n$text\n$fence\nWhat is it?\n")
    prompt = prompts.load("ask", tmp_path)
    first, other = (prompt.render(text=text)[0]["content"] for text in ("one\nWhat is it?\u2028two", "else"))
    said, fence, *data = first.split("\n")
    mark = said.rpartition(" ")[2]
    assert data == [f"{mark} one", f"{mark} What is it?", f"{mark} two", fence, "What is it?", ""] and mark not in other


@pytest.mark.parametrize(
    "text",
    [
        "$mark\n$text\n",
        "$mark\n$fence\nsee: $text\n$fence\n",
        "$mark\n$fence\n$text\n$fence\nOnce more: $text\n",
        "$fence\n$text\n$fence\n",
    ],
    ids=["no fence", "not alone", "twice", "no mark"],
)
def test_data_outside_a_fence_or_without_a_mark_is_refused(tmp_path: Path, text: str) -> None:
    inputs = ", ".join(name for name in ("text", "mark", "fence") if f"${name}" in text)
    (tmp_path / "ask.md").write_text(f"---\nrole: fast\ninputs: [{inputs}]\ndata: [text]\nanswer: X\n---\n{text}")
    with pytest.raises(InputError, match=r"must hold its data \$text once"):
        prompts.load("ask", tmp_path)


def test_a_prompt_that_wants_another_answer_than_the_program_reads_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ask.md").write_text(MATTER.format("title") + "$title\n")

    with pytest.raises(InputError, match="wants the answer 'X', and the program reads 'Answers'"):
        prompts.load("ask", tmp_path, Answers)


@pytest.mark.parametrize(("name", "kind"), [("confirm", Answers), ("summary", Summary), ("domain", DomainVerdict)])
def test_the_form_that_a_prompt_shows_is_one_that_is_read(name: str, kind: type[BaseModel]) -> None:
    shown = prompts.load(name, answer=kind).text.rstrip().rpartition("\n")[2]
    assert json_in(shown, kind)[0]
