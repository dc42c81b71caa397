"""Destructive operations: what loses data, what only looks so."""

import re

import pytest

from tracedance.kit import dangers
from tracedance.kit.shell import parse
from tracedance.kit.texts import finder

LOSING = [
    "git reset --hard HEAD~1",
    "git clean -fdX -- config/x",
    "git checkout -- .",
    "git restore src/a.c",
    "rm -rf build data",
    "psql -c 'DROP TABLE users;'",
    "npx prisma db push --accept-data-loss",
    "terraform destroy -auto-approve",
    "kubectl -n prod delete pvc data",
    "git -C /r stash drop stash@{1}",
    "git stash clear",
    "git branch -D topic",
    "git worktree remove --force ../wt",
    "git checkout HEAD~1 -- src/a.py",
    "git checkout .",
    "git checkout -f main",
    "git restore --staged --worktree a.c",
    "find . -name '*.db' -delete",
    "find /srv -exec rm {} +",
    "find . | xargs rm",
    "rm *.csv",
    "sudo bash -c 'rm -r /srv/data'",
    "ssh host 'rm -rf /srv/data'",
    "docker compose -f dev.yml down -v",
    "docker exec db psql -c 'TRUNCATE users'",
    "psql <<'EOF'\nDELETE FROM orders;\nEOF",
    "aws s3 rm s3://bucket --recursive",
    "gh repo delete x --yes",
    "bundle exec rails db:drop",
    "npx supabase db reset",
    "redis-cli flushall",
    "Remove-Item -Recurse -Force data",
]


@pytest.mark.parametrize("command", LOSING)
def test_what_loses_data_is_known(command: str) -> None:
    assert any(dangers.losses(each) for each in parse(command)) and finder(dangers.DESTRUCTIVE)(command)


@pytest.mark.parametrize(
    "command",
    [
        "git restore --staged a.c",
        "git reset HEAD a.c",
        "rm a.tmp",
        "git checkout -b feature",
        "psql -c 'DELETE FROM t WHERE id=1'",
        "git clean -nd",
        "git clean -fdn",
        "git rm --cached a",
        "git stash pop",
        "git branch -d merged",
        "git checkout main",
        "git commit -m 'rm -rf data; DROP TABLE users;'",
        "echo 'git reset --hard'",
        "grep -rn 'DROP TABLE' migrations",
        "cat > reset.sh <<'EOF'\nrm -rf data\nEOF",
        "kubectl delete pod x --dry-run=client",
        "docker compose down",
        'python -c "import shutil; shutil.rmtree(folder)"',
        "terraform plan -destroy -out x",
    ],
)
def test_what_loses_nothing_or_cannot_be_known_is_left(command: str) -> None:
    assert [dangers.losses(each) for each in parse(command) if dangers.losses(each)] == []


def test_targets_are_named() -> None:
    found = [dangers.losses(each) for each in parse("rm -rf build data && git checkout HEAD -- a.py && psql -c 'drop table if exists t'")]
    assert [loss.targets for loss in found if loss] == [("build", "data"), ("a.py",), ("t",)]


@pytest.mark.parametrize(
    "target", ["node_modules", "web/dist/", "/tmp/x", "a/__pycache__", "x.egg-info", "~/.npm/x-cache", "/private/tmp/y/z"]
)
def test_build_output_and_temporary_files_are_disposable(target: str) -> None:
    assert dangers.is_disposable(target)


@pytest.mark.parametrize("target", ["data", "src", "/home/dev/.claude/projects", ".", "*", "distance", "~/Pictures/migration-cache"])
def test_anything_else_is_not(target: str) -> None:
    assert not dangers.is_disposable(target)


@pytest.mark.parametrize(
    "command, target",
    [
        ("npx rimraf archive", "archive"),
        ("ruby -e \"require 'fileutils'; FileUtils.rm_rf('archive')\"", "archive"),
        ("git checkout HEAD~1 src/a.py", "src/a.py"),
        ("git push origin :release-2", "release-2"),
        ("aws s3api delete-bucket --bucket logs", "logs"),
        ("mongosh shop --eval 'db.visits.drop()'", "visits"),
    ],
)
def test_further_ways_to_lose_something(command: str, target: str) -> None:
    found = [loss for each in parse(command) for loss in (dangers.losses(each),) if loss]
    assert [loss.targets for loss in found] == [(target,)]
    assert re.search(dangers.DESTRUCTIVE.removeprefix("(?is)"), command, re.I | re.S)
