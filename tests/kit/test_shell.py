"""Shell texts as simple commands: wrappers off, data apart, and any input survives."""

import time

import pytest

from tracedance.kit.shell import SimpleCommand, parse


def lines(command: str) -> list[str]:
    return [each.text for each in parse(command)]


def only(command: str) -> SimpleCommand:
    (found,) = parse(command)
    return found


@pytest.mark.parametrize(
    "command",
    [
        "git add -A",
        "sudo -u dev git add -A",
        "FOO=1 git add -A",
        "env -u HOME FOO=1 git add -A",
        "timeout -k 3 60s git add -A",
        "time nice -n 5 nohup git add -A",
        "bash -lc 'git add -A'",
        "bash -c \"bash -c 'git add -A'\"",
        "bash <<'EOF'\ngit add -A\nEOF",
        "eval 'git add -A'",
        "{ git add -A; } 2>/dev/null",
        "git \\\n  add -A",
        'git "add" -A',
        "echo $(git add -A)",
        "if true; then git add -A; fi",
        "for f in a b; do git add -A; done",
        "rtk git add -A",
    ],
)
def test_wrappers_come_off(command: str) -> None:
    assert "git add -A" in lines(command)


@pytest.mark.parametrize(
    "command",
    [
        "cat > a.sh <<'EOF'\ngit add -A\nEOF",
        "echo 'git add -A'",
        "git commit -m 'git add -A'",
        "# git add -A",
        "python3 - <<X\ngit add -A\nX",
    ],
)
def test_data_is_no_command(command: str) -> None:
    assert "git add -A" not in lines(command)


def test_commands_come_in_the_order_in_which_they_are_written() -> None:
    assert lines("cd /app && git status; git add . || true | tee log\nls") == [
        "cd /app",
        "git status",
        "git add .",
        "true",
        "tee log",
        "ls",
    ]


def test_redirections_and_here_documents_belong_to_their_command() -> None:
    assert only("cat > a.py <<'EOF'\nx = 1\nEOF").writes == ("a.py",)
    assert only("cat <<EOF > a.py\nx = 1\nEOF").heredoc == "x = 1\n"
    assert only("echo hi >> a.log 2>&1").appends == ("a.log",)
    assert only("wc -l < in.txt").reads == ("in.txt",)
    assert only("make > /dev/null 2>&1").writes == ()
    first, second = parse("cat <<'EOF' | tee b.txt\nhi\nEOF")
    assert (first.feeds, second.fed, second.text) == ("tee", True, "tee b.txt")


def test_a_pipe_says_where_output_goes() -> None:
    assert [(each.program, each.feeds, each.fed) for each in parse("cat a | grep b | wc -l")] == [
        ("cat", "grep", False),
        ("grep", "wc", True),
        ("wc", "", True),
    ]


def test_a_folder_entered_before_is_known() -> None:
    assert [each.folder for each in parse("cd /app && cd web && ls; cd - && ls; cd $X && ls")] == [
        "",
        "/app",
        "/app/web",
        "/app/web",
        "",
        "",
        "",
    ]
    assert [each.folder for each in parse("cd /app && bash -c 'cd web && ls'")] == ["", "/app", "/app/web"]


HOSTILE = {
    "a megabyte": "a " * 500_000,
    "substitutions": "$(" * 100_000,
    "parentheses": "(" * 100_000 + ")" * 100_000,
    "unfinished pipeline": "a|" * 100_000,
    "array openings": "a=(" * 50_000,
    "quotes": '"' * 100_001,
    "here-documents": "cat <<A <<B <<C\n" * 20_000,
    "closed here-documents": "cat <<A\n" * 20_000 + "A\n" * 20_000,
    "redirections": "a " + "> x " * 50_000,
    "nul bytes": "git\0 add -A" * 1_000,
    "half a surrogate": "git add \ud800 -A",
    "evals": "eval " * 50_000 + "x",
    "nested shells": 'bash -c "' * 2_000,
    "conditions": "if a; then " * 20_000,
    "backticks": "`" * 99_999,
    "control characters": "\x01\x02\x1b[31m\u202egit add -A",
}


@pytest.mark.parametrize("command", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_texts_are_survived_in_bounded_time(command: str) -> None:
    started = time.process_time()
    assert len(parse(command)) <= 2_000
    assert time.process_time() - started < 5
