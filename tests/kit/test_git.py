"""What stages broadly, what looks, and what a list of changes says."""

import pytest

from tracedance.kit import git
from tracedance.kit.shell import parse


@pytest.mark.parametrize(
    "command, form, untracked",
    [
        ("git add -A", "-A", True),
        ("git add --all", "--all", True),
        ("git add .", ".", True),
        ("git add *", "*", True),
        ("git add :/", ":/", True),
        ("git add -Av", "-Av", True),
        ("git add . ':!secret'", ".", True),
        ("git -C /repo -c user.name=x add -A", "-A", True),
        ("git stage -A", "-A", True),
        ("git add -f build/", "-f", True),
        ("git add -u", "-u", False),
        ("git add -u .", ".", False),
        ("git commit -a -m x", "-a", False),
        ("git commit -am x", "-am", False),
        ("git commit -qam x", "-qam", False),
        ("git commit --all --amend", "--all", False),
    ],
)
def test_broad_forms(command: str, form: str, untracked: bool) -> None:
    assert git.broad(parse(command)[0]) == git.Broad(form, untracked)


@pytest.mark.parametrize(
    "command",
    [
        "git add src/a.py",
        "git add ./src",
        "git add -A src/",
        "git add -p",
        "git add -n .",
        "git add -N .",
        "git add --verbose a.py b.py",
        "git commit -m 'all'",
        "git commit -m x -- a.py",
        "git commit --amend --no-edit",
        "git commit -ma",
        "git commit -F a",
        "git commit --author -a",
        "git status",
        "hg add .",
        "git ls-files -o | xargs git add",
    ],
)
def test_forms_that_name_what_they_stage(command: str) -> None:
    assert all(git.broad(each) is None for each in parse(command))


@pytest.mark.parametrize(
    "command, looks",
    [
        ("git status", True),
        ("git status --short", True),
        ("git diff", True),
        ("git diff --cached --stat", True),
        ("git diff HEAD --name-only", True),
        ("git ls-files -o --exclude-standard", True),
        ("git add -n .", True),
        ("git status src/a.py", False),
        ("git diff src/a.py", False),
        ("git diff -- README", False),
        ("git diff main...HEAD", False),
        ("git diff --quiet", False),
        ("git log", False),
        ("git ls-files", False),
    ],
)
def test_what_lists_all_changes(command: str, looks: bool) -> None:
    assert git.is_look(parse(command)[0]) is looks


@pytest.mark.parametrize(
    "command, text, found",
    [
        (
            "git status -s",
            " M a.py\nA  b.py\n?? new/\nR  old.py -> c.py",
            [("a.py", True), ("b.py", True), ("new/", False), ("c.py", True)],
        ),
        (
            "git status",
            "On branch main\nChanges not staged for commit:\n  (use ...)\n\tmodified:   a.py\n\tdeleted:    b.py\n\n"
            'Untracked files:\n  (use "git add")\n\tnotes.txt\n\nno changes added',
            [("a.py", True), ("b.py", True), ("notes.txt", False)],
        ),
        ("git status", "On branch main\nnothing to commit, working tree clean", []),
        ("git diff --stat", " src/a.py | 3 +-\n b.bin | Bin 0 -> 9 bytes\n 2 files changed", [("src/a.py", True), ("b.bin", True)]),
        ("git diff", "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n+ M y", [("x.py", True)]),
        ("git ls-files -o", "a.txt\nb.txt", [("a.txt", False), ("b.txt", False)]),
    ],
)
def test_a_list_of_changes_is_read(command: str, text: str, found: list[tuple[str, bool]]) -> None:
    assert [(each.path, each.tracked) for each in git.listed(text, parse(command)[0])] == found
