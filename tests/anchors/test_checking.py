"""`check-family` names every problem of a folder, by file and line with the cure, and finds none in what ships."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.anchors.test_loading import folder, replace
from tests.conftest import Command
from tracedance.catalogue import kit_page, page
from tracedance.catalogue.proving import Checked, check
from tracedance.cli.checking import check_family_command
from tracedance.errors import InputError
from tracedance.resources import home
from tracedance.schema import Cut, FamilyCard, Question

__all__ = ["folder"]
ANCHOR, CARD, EXAMPLES = (f"anchors/failure/mine{ending}" for ending in (".py", ".yaml", ".examples.yaml"))
RUBRIC, CHECK = "rubrics/failure/mine.yaml", "rubrics/failure/mine.py"


def line_of(path: Path, text: str) -> int:
    return next(number for number, line in enumerate(path.read_text().splitlines(), 1) if text in line)


def said(found: Checked) -> list[tuple[str, int, str]]:
    return [(one.file, one.line, one.what) for one in found.problems]


@pytest.mark.parametrize("place", [home(), home() / "configs/examples/family"], ids=["shipped", "worked example"])
def test_what_ships_has_no_problem(place: Path) -> None:
    assert check(place).problems == ()


def test_a_sound_folder_exits_with_0(folder: Path) -> None:
    done = CliRunner().invoke(check_family_command, [str(folder), "--json"])
    assert (done.exit_code, json.loads(done.stdout)["problems"]) == (0, [])


@pytest.mark.parametrize(
    "file, old, new, what",
    [
        (ANCHOR, "def mine(", "def retry(", "defines no function 'mine'"),
        (ANCHOR, "NEEDS =", "NEED =", "defines no NEEDS"),
        (ANCHOR, "from typing import Any", "from nowhere import Any", "imports 'nowhere', which is not there in the sandbox"),
        (ANCHOR, "from typing import Any", "from typing import Any:", "is no Python"),
        (CARD, "group: check_first", "group: other", "field 'group' is wrong"),
        (EXAMPLES, "  opportunities:", "  oportunities:", "is no example"),
        (EXAMPLES, "  plant: true", "  plant: often", "'plant' is neither true nor false"),
        (RUBRIC, "  5: ", "  6: ", "has levels [0, 1, 2, 3, 4, 6]"),
        (CHECK, "def check(", "def grade(", "defines 'grade'"),
    ],
)
def test_a_wrong_file_is_named_with_its_line(folder: Path, file: str, old: str, new: str, what: str) -> None:
    path = folder / file
    at = line_of(path, old)
    replace(path, old, new)
    (first, *_) = [one for one in check(folder).problems if what in one.what]
    assert first.file == file and first.cure
    told = {"defines no": 1, "has levels": line_of(folder / RUBRIC, "levels:"), "is no example": first.line, "'plant'": first.line}
    assert first.line == next((number for words, number in told.items() if words in what), at) > 0


@pytest.mark.parametrize("file", [ANCHOR, CARD, EXAMPLES, RUBRIC])
def test_a_missing_file_has_line_0(folder: Path, file: str) -> None:
    (folder / file).unlink()
    assert (file, 0, "is missing") in said(check(folder))


def test_a_condition_that_looks_around_is_named_as_that(folder: Path) -> None:
    path = folder / ANCHOR
    replace(path, "import among", "import among, matching")
    replace(path, 'among("error_class", *REJECTED)', 'matching(r"(?=x)", "cmd")')
    (one,) = check(folder).problems
    assert "looks around ((?=)" in one.what and one.line == line_of(path, "NEEDS =")


def test_a_condition_that_is_not_necessary_is_found_by_running_it(folder: Path) -> None:
    path = folder / ANCHOR
    replace(path, 'among("error_class", *REJECTED)', 'among("error_class", "guard")')
    found = check(folder).problems
    assert found and all("NEEDS is not necessary" in one.what and one.line == line_of(path, "NEEDS =") for one in found)


def test_an_example_that_does_not_hold_and_a_guard_without_one_are_named(folder: Path) -> None:
    path = folder / EXAMPLES
    text = path.read_text()
    path.write_text(text.replace("  refused_by: tool_fault\n", "", 1))
    whats = [what for _, _, what in said(check(folder))]
    assert any("guard 'tool_fault' has no example" in what for what in whats)


def test_an_anchor_that_reads_what_comes_later_is_caught(folder: Path) -> None:
    path = folder / ANCHOR
    start = line_of(path, "def mine(")
    lines = path.read_text().splitlines()
    body = next(number for number in range(start - 1, len(lines)) if lines[number].rstrip().endswith(":") and number >= start - 1)
    lines.insert(body + 1, "    if len(session.turns) < 7:\n        return")
    path.write_text("\n".join(lines) + "\n")
    assert any("is found otherwise where the session ends with it" in what for _, _, what in said(check(folder)))


def test_all_problems_are_named_and_not_only_the_first(folder: Path) -> None:
    replace(folder / CARD, "label:", "labels:")
    replace(folder / RUBRIC, "  5: ", "  6: ")
    replace(folder / CHECK, "def check(", "def grade(")
    (folder / EXAMPLES).unlink()
    found = check(folder).problems
    assert {one.file for one in found} == {CARD, RUBRIC, CHECK, EXAMPLES}
    assert sum(one.file == CARD for one in found) == 2
    done = CliRunner().invoke(check_family_command, [str(folder)])
    assert done.exit_code == 2 and len(done.stdout.splitlines()) == len(found) + 1


def test_a_folder_that_is_no_catalogue_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no catalogue"):
        check(tmp_path)


def test_the_catalogues_page_is_current() -> None:
    from tracedance.catalogue import families

    assert (home() / "docs" / "catalogue.md").read_text() == page.page(families().values()), "run 'make catalogue'"


def test_the_kits_page_is_current_and_says_something_of_every_function() -> None:
    shown = kit_page.page()
    assert (home() / "docs" / "kit.md").read_text(encoding="utf-8") == shown, "run 'make kit'"
    assert "| `of(turn, naming='') -> list[Ran]` | The simple commands of a turn's shell calls" in shown and "| `verb(command) -> " in shown
    silent = [line for line in shown.splitlines() if line.startswith("| `") and line.rstrip().endswith(" |  |")]
    assert not silent, "give each of these a docstring"


def test_the_family_that_the_guide_shows_is_sound_and_scans_with_its_catalogue(command: Command, tmp_path: Path) -> None:
    guide = (home() / "docs" / "new-family.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```\w+\n# (mine/\S+)\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    assert len(shown) == 4
    for name, text in shown:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = check(tmp_path / "mine")
    assert found.families == ("action/pipes_into_shell",) and not found.problems
    assert command("show", "pipes_into_shell", "--catalogue", tmp_path / "mine").code == 0
    assert command("show", "pipes_into_shell").code == 2


def test_the_guide_names_every_field_of_a_card() -> None:
    guide = (home() / "docs" / "new-family.md").read_text(encoding="utf-8")
    table = guide.partition("## The card")[2].partition("## The anchor")[0]
    fields = {field for kind in (FamilyCard, Question, Cut) for field in kind.model_fields}
    assert not {field for field in fields if f"`{field}`" not in table}


def test_the_kits_page_says_what_the_records_hold_that_anchors_read() -> None:
    shown = kit_page.page()
    for record, fields in {
        "SimpleCommand": ("words", "program", "args", "text", "heredoc"),
        "Ran": ("turn", "call", "command", "seen"),
        "Session": ("turns", "calls()", "context_start(before)"),
        "Turn": ("index", "role", "author", "text", "calls", "results", "mark"),
        "ToolCall": ("name", "tool_class", "cmd", "arguments", "result"),
        "ToolResult": ("text", "status", "is_error", "exit_code"),
        "Hit": ("decision", "offends", "evidence", "why", "facts"),
    }.items():
        table = shown.partition(f"| field of `{record}` |")[2].partition("\n\n")[0]
        assert not [field for field in fields if f"\n| `{field}` | " not in table], record
    assert '`"interrupted"`' in shown and "| `labels` |" not in shown, "the words of a field, and nothing that the sandbox leaves out"
