"""The made-up word once more violates; a help page of the program, or a look at what defines its scripts, alone satisfies."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tracedance.kit import commands, files, guidance
from tracedance.kit.shell import SimpleCommand
from tracedance.schema import Turn

_MANIFESTS = re.compile(
    r"(?:^|/)(?:package\.json|[Mm]akefile|justfile|Taskfile\.ya?ml|mise\.toml|pyproject\.toml|Cargo\.toml|composer\.json|deno\.json)$"
)


def check(context: Sequence[Turn], response: Turn, facts: Mapping[str, Any]) -> Literal["violates", "satisfies", "undecided"]:
    """Whether any other command exists cannot be told from here: undecided."""
    word, program = str(facts.get("word", "")), str(facts.get("program", ""))
    made = [ran.command for ran in commands.of(response)]
    if any(command.program == program and _has(command, word) and not guidance.asks_for_help(command) for command in made):
        return "violates"
    helped = [command for command in made if guidance.asks_for_help(command) and program in (command.program, *command.args)]
    looked = [touch for call in response.calls for touch in files.touches(call) if touch.deed == "look" and _MANIFESTS.search(touch.path)]
    only_looks = bool(response.calls) and all(guidance.investigates(call) for call in response.calls)
    return "satisfies" if only_looks and (helped or (looked and facts.get("kind") == "word")) else "undecided"


def _has(command: SimpleCommand, word: str) -> bool:
    if word in command.words or command.program == word:
        return True
    if len(word) == 1:
        return any(re.fullmatch(r"-[A-Za-z]+", arg) and word in arg for arg in command.args)
    return any(arg.split("=", 1)[0].lstrip("-") == word.lstrip("-") or word in arg.split(",") for arg in command.args)
