"""Families are found by their place; what is incomplete is refused with the cure."""

from pathlib import Path

import pytest

from tracedance.catalogue import families, family, files
from tracedance.errors import InputError
from tracedance.resources import home

NAME = "edit_retry_without_reread"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A catalogue folder of the user's own with one family, `failure/mine`, copied from one of the product's."""
    for tree, ending in (("anchors", ".yaml"), ("anchors", ".py"), ("anchors", ".examples.yaml"), ("rubrics", ".yaml"), ("rubrics", ".py")):
        text = (home() / tree / "failure" / f"{NAME}{ending}").read_text()
        target = tmp_path / tree / "failure" / f"mine{ending}"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text.replace(f"def {NAME}", "def mine"))
    return tmp_path


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_family_answers_to_its_id_and_its_bare_name() -> None:
    assert family("failure/edit_retry_without_reread") is family("edit_retry_without_reread")


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(InputError) as raised:
        family("failure/edit_retry_without_rereads")
    assert str(raised.value) == (
        "No behaviour family is named 'failure/edit_retry_without_rereads'. Did you mean 'failure/edit_retry_without_reread'? "
        "'tracedance families' lists all."
    )


def test_a_folder_of_the_users_own_adds_its_families(folder: Path) -> None:
    known = families([folder])
    assert set(known) == set(families()) | {"failure/mine"}
    hits = [hit for example in known["failure/mine"].examples for hit in known["failure/mine"].find(example.session)]
    assert sum(hit.offends for hit in hits) > 3


def test_an_unknown_parameter_is_refused() -> None:
    example = family(NAME).examples[0]
    with pytest.raises(InputError, match="has no parameter 'times'"):
        list(family(NAME).find(example.session, {"times": 3}))


def test_digests_follow_the_content(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    before = families([folder])["failure/mine"].digests
    other = tmp_path_factory.mktemp("other")
    for path in folder.rglob("*.*"):
        if path.suffix in (".py", ".yaml"):
            target = other / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    assert families([other])["failure/mine"].digests == before
    third = tmp_path_factory.mktemp("third")
    for path in other.rglob("*.*"):
        if path.suffix in (".py", ".yaml"):
            target = third / path.relative_to(other)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    replace(third / "anchors/failure/mine.py", "from memory.", "from memory, again.")
    changed = families([third])["failure/mine"].digests
    assert {name for name in before if changed[name] != before[name]} == {"anchor"}


@pytest.mark.parametrize(
    "file, old, new, said",
    [
        ("anchors/failure/mine.py", "def mine(", "def retry(", "defines no function 'mine'. Write one; its name is that of the file."),
        ("anchors/failure/mine.py", "NEEDS =", "NEED =", "defines no NEEDS"),
        ("anchors/failure/mine.py", 'among("error_class", *REJECTED)', 'matching(r"(?=x)", "cmd")', "in NEEDS does not compile"),
        ("anchors/failure/mine.py", "def tool_fault(", "def _tool_fault(", "has no guard 'tool_fault'"),
        (
            "anchors/failure/mine.py",
            "from typing import Any",
            "from nowhere import Any",
            "imports 'nowhere', which is not there in the sandbox",
        ),
        ("anchors/failure/mine.yaml", "label:", "labels:", "field 'label' is wrong (Field required)"),
        ("anchors/failure/mine.yaml", "group: check_first", "group: other", "field 'group' is wrong"),
        ("anchors/failure/mine.yaml", "definition: >-", "definition: [", "no valid YAML"),
        ("anchors/failure/mine.examples.yaml", "refused_by: tool_fault", "refused_by: another", "guard 'tool_fault' needs an example"),
        ("anchors/failure/mine.examples.yaml", "  opportunities:", "  oportunities:", "is no example. It has a name, turns and any of"),
        (
            "anchors/failure/mine.examples.yaml",
            "- name: goes on with another file",
            "- name: reads the file again after the mismatch",
            "a second example is named",
        ),
        ("anchors/failure/mine.examples.yaml", "  plant: true", "  plant: often", "'plant' is neither true nor false"),
        ("anchors/failure/mine.examples.yaml", "  well:\n    call:", "  well:\n    result:", "'well' is no turn with text, call or calls"),
        ("anchors/failure/mine.examples.yaml", "  well:\n    call:", "  well:\n    calls:", "'well' is no turn with text, call or calls"),
        ("anchors/failure/mine.examples.yaml", "  refused_by: tool", "  plant: true\n  refused_by: tool", "need a decision that stands"),
        ("rubrics/failure/mine.yaml", "  5: ", "  6: ", "A rubric has the levels 0 to 5"),
        ("rubrics/failure/mine.py", "def check(", "def grade(", "defines 'grade'. Rename it 'check'"),
    ],
)
def test_a_wrong_file_is_named_with_what_is_wrong_and_the_cure(folder: Path, file: str, old: str, new: str, said: str) -> None:
    path = folder / file
    replace(path, old, new)
    if "matching(" in new:
        replace(path, "import among", "import among, matching")
    with pytest.raises(InputError) as raised:
        families([folder])
    message = str(raised.value)
    assert said in message and message.startswith(("anchors/failure/mine", "rubrics/failure/mine")) and "\n" not in message


@pytest.mark.parametrize(
    "file, said",
    [
        ("anchors/failure/mine.py", "anchors/failure/mine.py is missing"),
        ("anchors/failure/mine.examples.yaml", "anchors/failure/mine.examples.yaml is missing"),
        ("rubrics/failure/mine.yaml", "rubrics/failure/mine.yaml is missing"),
        ("anchors/failure/mine.yaml", "belongs to no family: anchors/failure/mine.yaml is missing"),
    ],
)
def test_a_missing_file_is_named(folder: Path, file: str, said: str) -> None:
    (folder / file).unlink()
    with pytest.raises(InputError) as raised:
        families([folder])
    assert said in str(raised.value)


def test_a_folder_that_is_no_catalogue_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it has no folder 'anchors'"):
        families([tmp_path])


def test_one_id_in_two_folders_is_refused(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.raises(InputError, match="stands in two catalogue folders"):
        families([folder, home()])


def test_a_coding_in_the_first_lines_turns_no_comment_into_code(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("# coding: raw_unicode_escape\n# \\u000aHIDDEN = True\nSEEN = True\n")
    found = vars(files.execute(path))
    assert found["SEEN"] and "HIDDEN" not in found
