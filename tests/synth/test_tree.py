"""The model of a working tree answers as git does."""

from random import Random

import pytest

from tracedance.synth.shell import Shell
from tracedance.synth.toolchain import Toolchain
from tracedance.synth.tree import Tree


@pytest.fixture
def shell() -> Shell:
    tree = Tree({"src/a.py": "one = 1\ntwo = 2\n", "tests/test_a.py": "def test_one():\n    assert True\n"}, ignore=("*.pyc", ".venv"))
    tree.settle("Start")
    return Shell(tree, Toolchain("python", tree, Random(1)))


def test_a_clean_tree_has_no_status(shell: Shell) -> None:
    assert shell.run("git status --short") == ("", 0)
    assert "nothing to commit" in shell.run("git status")[0]


def test_status_names_changes_new_files_and_new_folders(shell: Shell) -> None:
    shell.tree.work |= {"src/a.py": "one = 1\n", "notes.txt": "x\n", "out/a.csv": "x\n", "out/b.csv": "x\n", "src/a.pyc": "x"}
    assert shell.run("git status --short")[0].splitlines() == [" M src/a.py", "?? notes.txt", "?? out/"]


def test_bulk_staging_takes_everything_and_am_only_what_is_tracked(shell: Shell) -> None:
    shell.tree.work |= {"src/a.py": "one = 3\ntwo = 2\n", "notes.txt": "x\n"}
    told, code = shell.run('git commit -am "Change"')
    assert code == 0 and "1 file changed, 1 insertion(+), 1 deletion(-)" in told
    assert shell.run("git status --short")[0] == "?? notes.txt"
    assert "create mode 100644 notes.txt" in shell.run('git add -A && git commit -m "Rest; really && truly"')[0]
    assert shell.run("git log --oneline -1")[0].endswith("Rest; really && truly")


def test_a_heredoc_message_is_one_message(shell: Shell) -> None:
    shell.tree.work["src/a.py"] = "one = 3\n"
    told, code = shell.run("git add src/a.py && git commit -m \"$(cat <<'EOF'\nDon't ask\n\nIt's so.\nEOF\n)\"")
    assert code == 0 and "Don't ask" in told.splitlines()[0]


def test_a_failing_command_ends_the_chain(shell: Shell) -> None:
    assert shell.run("cat nowhere && git add -A") == ("cat: nowhere: No such file or directory", 1)
    assert shell.run("grep -n nothing src/a.py") == ("", 1)


def test_a_pipe_hides_the_failure(shell: Shell) -> None:
    shell.tools.expect("test_one", "src/a.py", "three")
    assert shell.run("pytest -q")[1] == 1
    told, code = shell.run("pytest -q 2>&1 | tail -1")
    assert told.startswith("1 failed") and code == 0


def test_a_test_passes_once_its_text_is_there(shell: Shell) -> None:
    shell.tools.expect("test_one", "src/a.py", "three")
    assert "1 failed" in shell.run("pytest -q")[0]
    shell.tree.work["src/a.py"] += "three = 3\n"
    told, code = shell.run("pytest -q")
    assert code == 0 and "1 passed" in told


def test_sed_changes_what_matches_and_nothing_else(shell: Shell) -> None:
    shell.run("sed -i 's/one = .*/one = 9/' src/a.py")
    shell.run("sed -i 's/absent/present/' src/a.py")
    assert shell.tree.work["src/a.py"] == "one = 9\ntwo = 2\n"


def test_a_command_outside_the_repertoire_is_refused(shell: Shell) -> None:
    with pytest.raises(ValueError, match="does not know"):
        shell.run("curl example.org")
