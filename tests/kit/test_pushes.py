"""Pushes: what publishes commits, where to, and the branch a session is on."""

import pytest

from tracedance.kit import pushes, sessions
from tracedance.kit.shell import parse
from tracedance.kit.texts import finder


@pytest.mark.parametrize(
    "command, destinations",
    [
        ("git add . && git commit -m x && git push origin main", ("main",)),
        ("git -C repo push --force-with-lease", ()),
        ("gh pr merge 12 --admin", ()),
        ("git push", ()),
        ("git push -u origin HEAD", ()),
        ("git push origin topic:main", ("main",)),
        ("git push origin +HEAD:refs/heads/release/2", ("release/2",)),
        ("git push --all", ("*",)),
        ("git push -o ci.skip origin main", ("main",)),
        ("bash -c 'git push origin main'", ("main",)),
        ("git push origin main v1.2.0", ("main",)),
    ],
)
def test_what_publishes_and_where_to(command: str, destinations: tuple[str, ...]) -> None:
    found = [each for simple in parse(command) if (each := pushes.push(simple)) is not None]
    assert [each.destinations for each in found] == [destinations] and finder(pushes.PUSH)(command)


@pytest.mark.parametrize(
    "command",
    [
        "git push --dry-run origin main",
        "git push -n",
        "git stash",
        "git push origin v1.2.0",
        "git push --tags",
        "echo git push",
        "git stash push",
    ],
)
def test_what_publishes_no_commits(command: str) -> None:
    assert not any(pushes.push(each) for each in parse(command))


@pytest.mark.parametrize(
    "command, result, branch",
    [
        ("git status", "On branch main\nnothing to commit", "main"),
        ("git status -sb", "## topic/a...origin/topic/a [ahead 1]\n M a", "topic/a"),
        ("git commit -m x", "[main 1a2b3c4] x", "main"),
        ("git checkout -b fix/a", "Switched to a new branch 'fix/a'", "fix/a"),
        ("git switch -c fix/b", "", "fix/b"),
        ("git branch", "  main\n* fix/c", "fix/c"),
        ("git rev-parse --abbrev-ref HEAD", "main", "main"),
        ("git log", "main", ""),
    ],
)
def test_the_branch_that_a_session_is_on(command: str, result: str, branch: str) -> None:
    assert pushes.current_branch(sessions.build([{"call": {"Bash": {"command": command}}}, {"result": result}]), 2) == branch


def test_the_remote_says_what_it_updated() -> None:
    assert pushes.answered("To x\n   17d..45f  main -> main\n ! [rejected]  a -> b (fetch first)") == ["main", "b"]
