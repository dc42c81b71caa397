"""Values that name something, and whether anything shown bears them out."""

from typing import Any

import pytest

from tracedance.kit import grounding, sessions
from tracedance.kit.grounding import Shown, Sort, Value


@pytest.mark.parametrize(
    ("name", "arguments", "error", "found"),
    [
        ("Read", {"file_path": "/r/a.go"}, "File does not exist.", ["/r/a.go"]),
        ("Grep", {"pattern": "x", "path": "/r/lib"}, "Path does not exist: /r/lib", ["/r/lib"]),
        ("WebFetch", {"url": "https://e.org/x"}, "status code 404", ["https://e.org/x"]),
        ("Bash", {"command": "cat a/b.txt c.txt"}, "Exit code 1\ncat: a/b.txt: No such file or directory", ["a/b.txt"]),
        (
            "Bash",
            {"command": "python tools/run.py"},
            "Exit code 2\npython: can't open file '/r/tools/run.py': [Errno 2] No such file",
            ["/r/tools/run.py"],
        ),
        ("Bash", {"command": "git checkout topic/x1"}, "Exit code 1\nerror: pathspec 'topic/x1' did not match any file(s)", ["topic/x1"]),
        ("Bash", {"command": "make"}, "Exit code 1\ncc: x.c: No such file or directory", []),
        ("Bash", {"command": "echo a > out/x.txt"}, "Exit code 1\nsh: cannot create out/x.txt: No such file or directory", []),
        ("Bash", {"command": "cat *.txt"}, "Exit code 1\ncat: *.txt: No such file or directory", []),
        ("get_user", {"user_id": "kim_lee_1234", "verbose": True}, "Error: user not found", ["kim_lee_1234"]),
        ("get_user", {"name": "Kim", "date": "2024-01-01", "page": 3}, "Error: user not found", []),
    ],
)
def test_values_that_refer_to_something(name: str, arguments: dict[str, Any], error: str, found: list[str]) -> None:
    call = sessions.build([{"user": "Go."}, {"call": {name: arguments}}, {"error": error}]).calls()[0]
    assert [value.text for value in grounding.referred(call)] == found


@pytest.mark.parametrize(
    ("text", "sort", "shown"),
    [
        ("/repo/src/core/loader.ts", "path", True),
        ("src/core/helper.ts", "path", True),
        ("src/other/loader.ts", "path", False),
        ("src/core/unheard.ts", "path", False),
        ("/repo", "path", True),
        ("https://e.org/docs?page=2", "url", True),
        ("https://e.org/docs/more", "url", False),
        ("#W12345", "id", True),
        ("W1234", "id", False),
    ],
)
def test_what_was_shown_bears_values_out(text: str, sort: Sort, shown: bool) -> None:
    turns = [
        {"user": "Order w12345, please. See https://e.org/docs"},
        {"call": {"Bash": {"command": "ls"}}},
        {"result": "/repo/src/core/loader.ts helper.ts"},
        {"text": "So."},
    ]
    assert Shown(sessions.build(turns), 3).bears_out(Value(text, sort)) is shown


@pytest.mark.parametrize(("text", "near"), [("kim.le@e.org", True), ("kim.lee@e.org", True), ("bob.lee@e.org", False), ("kim", False)])
def test_a_slip_is_told_from_an_invention(text: str, near: bool) -> None:
    session = sessions.build([{"user": "Write to kim.lee@e.org"}, {"text": "Yes."}])
    assert Shown(session, 1).nearly(Value(text, "id")) is near
