"""Which words of a command were not known."""

import pytest

from tracedance.kit import unknown


@pytest.mark.parametrize(
    ("error", "programs", "words"),
    [
        ("/bin/bash: line 1: python: command not found", ["python"], []),
        ("zsh: command not found: foo", ["foo"], []),
        ("The term 'gcloudx' is not recognized as the name of a cmdlet", ["gcloudx"], []),
        ("sh: 1: ruff: not found", ["ruff"], []),
        ("404 page not found", [], []),
        ("ModuleNotFoundError: No module named 'x'", [], []),
        ("error: unknown option '--list-models'", [], ["--list-models"]),
        ("error: unexpected argument '--foo' found", [], ["--foo"]),
        ('npm error Missing script: "typecheck:all"', [], ["typecheck:all"]),
        ("git: 'pushh' is not a git command. See 'git --help'.", [], ["pushh"]),
        ("make: *** No rule to make target 'lint-all'.  Stop.", [], ["lint-all"]),
        ("cat: illegal option -- A\nusage: cat", [], ["A"]),
        ("Error: unknown flag: --out-format", [], ["--out-format"]),
        ("flag provided but not defined: -verbos", [], ["-verbos"]),
        ('Unknown JSON field: "reviewThreads"', [], ["reviewThreads"]),
        ("unknown shorthand flag: 'q' in -q", [], ["q"]),
        ("  tool run a.yaml --filter x\n" + " " * 18 + "^ Unknown arguments", [], ["--filter"]),
        ("rg: unrecognized flag - ", [], []),
        ("rg: unrecognized flag --no-cache", [], ["--no-cache"]),
        ("OSError: [Errno 22] Invalid argument", [], []),
    ],
)
def test_unknown_words_are_read_from_an_error(error: str, programs: list[str], words: list[str]) -> None:
    assert (unknown.programs(error), unknown.words(error)) == (programs, words)
