"""What calls do to files, and when two paths may be one file."""

import pytest

from tracedance.kit import changes, files, paths, replacing, sessions
from tracedance.schema import ToolCall


def shell(command: str) -> list[tuple[str, str]]:
    return [(touch.deed, touch.path) for touch in files.of_shell(command)]


def call(name: str, **arguments: object) -> ToolCall:
    return sessions.build([{"user": "Go."}, {"call": {name: arguments}}]).turns[1].calls[0]


@pytest.mark.parametrize(
    "command, deeds",
    [
        ("cat a.py", [("look", "a.py")]),
        ("cd /app && cat a.py", [("look", "/app/a.py")]),
        ("sed -n 1,5p a.py", [("look", "a.py")]),
        ("sed -i s/a/b/ a.py b.py", [("edit", "a.py"), ("edit", "b.py")]),
        ("sed -i '' -e s/a/b/ a.py", [("edit", "a.py")]),
        ("perl -pi -e s/a/b/ a.py", [("edit", "a.py")]),
        ("grep -n x a.py", [("search", "a.py")]),
        ("cat a.py | wc -l", []),
        ("echo x > a.py", [("write", "a.py")]),
        ("echo x >> a.py", [("append", "a.py")]),
        ("echo x | tee a.py", [("write", "a.py")]),
        ("cp a.py b.py", [("write", "b.py")]),
        ("cp a.py b.py dir/", [("write", "dir/a.py"), ("write", "dir/b.py")]),
        ("mv a.py b.py", [("write", "b.py"), ("remove", "a.py")]),
        ("git mv a.py b.py", [("write", "b.py"), ("remove", "a.py")]),
        ("rm a.py", [("remove", "a.py")]),
        ("git diff a.py", [("look", "a.py")]),
        ("git show HEAD:src/a.py", [("look", "src/a.py")]),
        ("git diff --stat a.py", []),
        ("git checkout -- a.py", [("restore", "a.py")]),
        ("gofmt -w a.go", [("format", "a.go")]),
        ("ls src; find . -name a.py", []),
        ("python3 -c 'print(1)'", [("script", "print(1)")]),
        ("python3 <<'EOF'\nopen('a.py')\nEOF", [("script", "open('a.py')\n")]),
        (
            "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch\nEOF",
            [("edit", "a.py"), ("write", "b.py")],
        ),
    ],
)
def test_deeds_of_shell_commands(command: str, deeds: list[tuple[str, str]]) -> None:
    assert shell(command) == deeds


def test_deeds_of_tools() -> None:
    assert files.touches(call("Read", file_path="a.py"))[0].whole
    assert not files.touches(call("Read", file_path="a.py", limit=5))[0].whole
    assert files.touches(call("Edit", file_path="a.py", old_string="x", new_string="y"))[0].deed == "edit"
    assert files.touches(call("Write", file_path="a.py", content="x"))[0].deed == "write"
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Delete File: b.py\n*** End Patch"
    assert [touch.deed for touch in files.touches(call("apply_patch", input=patch))] == ["edit", "remove"]


@pytest.mark.parametrize(
    "one, other, same",
    [
        ("/repo/src/a.py", "/repo/src/a.py", True),
        ("/repo/src/a.py", "src/a.py", True),
        ("/repo/src/a.py", "./src/a.py", True),
        ("D:\\repo\\src\\a.py", "D:/repo/src/a.py", True),
        ("D:\\repo\\src\\a.py", "src/a.py", True),
        ("/repo/src/a.py", "a.py", True),
        ("/repo/src/a.py", "src/*.py", True),
        ("/private/tmp/a.py", "/tmp/a.py", True),
        ("/repo/src/a.py", "/other/src/a.py", False),
        ("/repo/src/data.py", "a.py", False),
        ("/repo/src/a.py", "lib/a.py", False),
        ("", "a.py", False),
        (".", "a.py", False),
    ],
)
def test_when_two_paths_may_be_one_file(one: str, other: str, same: bool) -> None:
    assert paths.same(one, other) is same and paths.same(other, one) is same


@pytest.mark.parametrize(
    "path, code", [("src/a.py", True), ("a.json", True), ("README.md", False), ("docs/a.py", False), ("/tmp/a.py", False)]
)
def test_what_can_change_how_tests_come_out(path: str, code: bool) -> None:
    assert paths.is_code(path) is code


def test_texts_that_edits_replace() -> None:
    edit = call("Edit", file_path="a.py", old_string="one", new_string="two")
    assert (replacing.old_texts(edit), replacing.new_texts(edit)) == (["one"], ["two"])
    several = call(
        "MultiEdit", file_path="a.py", edits=[{"old_string": "one", "new_string": "two"}, {"old_string": "x", "new_string": "y"}]
    )
    assert replacing.old_texts(several) == ["one", "x"]
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n one\n-two\n+three\n*** Update File: b.py\n@@\n-four\n*** End Patch"
    assert replacing.old_texts(call("apply_patch", input=patch), "a.py") == ["one\ntwo"]


def test_shown_text_is_compared_without_line_numbers() -> None:
    shown = "     7→\tif a:\n     8→\t\tgo()"
    assert replacing.stands_in("\tif a:\n\t\tgo()", shown)
    assert not replacing.stands_in("if a:\n    go()", shown)
    assert replacing.shares_line(["def handler():\n  pass"], "12: def handler():")
    assert not replacing.shares_line(["}\n{"], "}\n{")


@pytest.mark.parametrize(
    "command, makes",
    [
        ("npm install x", True),
        ("npm run build", True),
        ("go mod tidy", True),
        ("make", True),
        ("python3 gen.py", True),
        ("./scripts/gen.sh", True),
        ("git stash pop", True),
        ("curl -O https://example.org/x", True),
        ("python3 -c \"open('a','w').write('')\"", True),
        ("make test", False),
        ("npm test", False),
        ("go build ./...", False),
        ("python3 -c 'print(1)'", False),
        ("python -m pytest", False),
        ("git status", False),
        ("git pull", False),
        ("ls", False),
    ],
)
def test_what_may_make_files_that_it_does_not_name(command: str, makes: bool) -> None:
    assert changes.makes_files(call("Bash", command=command)) is makes
