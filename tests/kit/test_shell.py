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
        "echo . | xargs -n 1 git add -A",
        "find . -name '*.py' -exec git add -A \\;",
        "find . -type d -execdir sh -c 'git add -A' {} +",
        "fd -e py -x git add -A",
        "su - dev -c 'git add -A'",
        "flock -w 5 /tmp/lock git add -A",
        "ssh -p 22 dev@host 'cd /srv && git add -A'",
        "ssh host git add -A",
        "ssh host <<'EOF'\ngit add -A\nEOF",
        "ssh host bash -s <<'EOF'\ngit add -A\nEOF",
        "docker exec -it web bash -lc 'git add -A'",
        "docker run --rm -v /app:/app -w /app node:20 git add -A",
        "docker compose -f dev.yml exec -T web git add -A",
        "kubectl -n prod exec pod/web -c app -- git add -A",
        "sudo docker exec web sudo -u dev git add -A",
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
        "python3 -c 'git add -A'",
        "docker exec web python -c 'git add -A'",
        "ssh host 'echo git add -A'",
        "node -e 'git add -A'",
        "docker build -t x . && docker ps",
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


def test_what_another_program_runs_says_where_it_runs() -> None:
    assert [(each.text, each.inside) for each in parse("cd /app && ssh host 'cd /srv; ls' && ls")] == [
        ("cd /app", ""),
        ("ssh host cd /srv; ls", ""),
        ("cd /srv", "ssh"),
        ("ls", "ssh"),
        ("ls", ""),
    ]
    assert [each.folder for each in parse("cd /app && docker exec web rm -r x && find . -exec rm {} +")] == ["", "/app", "", "/app", "/app"]


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
    "finds": "find . -exec " * 20_000,
    "nested remotes": 'ssh a "' * 2_000,
    "containers": "docker exec a " * 20_000,
    "conditions": "if a; then " * 20_000,
    "backticks": "`" * 99_999,
    "control characters": "\x01\x02\x1b[31m\u202egit add -A",
}


@pytest.mark.parametrize("command", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_texts_are_survived_in_bounded_time(command: str) -> None:
    started = time.process_time()
    assert len(parse(command)) <= 2_000
    assert time.process_time() - started < 5
