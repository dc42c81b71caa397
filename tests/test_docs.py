"""What must not drift: the documents name every command, and every command line they show is one the program takes."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tracedance.cli.main import COMMANDS, tracedance

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ["README.md", "docs/commands.md"]


@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize("command", COMMANDS)
def test_each_document_names_each_command(document: str, command: str) -> None:
    assert f"tracedance {command}" in (ROOT / document).read_text()


def commands_below(group: str) -> dict[str, click.Command]:
    """The commands of a group of commands, by the words that call them; none for a plain command."""
    made = tracedance.get_command(click.Context(tracedance), group)
    return {f"{group} {name}": command for name, command in made.commands.items()} if isinstance(made, click.Group) else {}


@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize("command", [words for group in COMMANDS for words in commands_below(group)])
def test_each_document_names_each_command_of_a_group(document: str, command: str) -> None:
    assert f"tracedance {command}" in (ROOT / document).read_text()


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_and_option_explains_itself(command: str) -> None:
    made = tracedance.get_command(click.Context(tracedance), command)
    assert made is not None and made.name == command and made.help
    for words, one in {command: made, **commands_below(command)}.items():
        assert one.help, words
        for parameter in one.params:
            assert not isinstance(parameter, click.Option) or parameter.help, f"{words} {parameter.opts} has no help"


def shown_lines() -> list[str]:
    text = (ROOT / "README.md").read_text()
    blocks = re.findall(r"^```\n(.*?)^```", text, flags=re.M | re.S)
    return [line.partition("#")[0].strip() for block in blocks for line in block.splitlines() if line.startswith("tracedance ")]


@pytest.mark.parametrize("line", shown_lines())
def test_the_readme_shows_only_options_that_exist(line: str) -> None:
    words = shlex.split(line)[1:]
    command = tracedance.get_command(click.Context(tracedance), words[0])
    assert command is not None, line
    command = commands_below(words[0]).get(" ".join(words[:2]), command)
    known = {name for parameter in command.params for name in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_make_targets_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make ([a-z-]+)", (ROOT / "README.md").read_text(), flags=re.M):
        assert re.search(rf"^{target}:", makefile, flags=re.M), target


def test_ci_calls_the_readmes_test_command() -> None:
    assert "make test" in (ROOT / ".ci" / "run").read_text()


HEAVY = [
    "litellm",
    "prefect",
    "torch",
    "sentence_transformers",
    "pandas",
    "polars",
    "pyarrow",
    "sklearn",
    "scipy",
    "statsmodels",
    "pydantic",
]


def test_help_loads_none_of_the_heavy_packages() -> None:
    say_help = "from tracedance.cli.main import tracedance; tracedance(['--help'], standalone_mode=False)"
    code = f"import sys\n{say_help}\nprint('LOADED', *sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(ROOT / "pipeline"), "PATH": ""}
    )
    loaded = set(done.stdout.rpartition("LOADED")[2].split())
    assert not loaded & set(HEAVY)
