"""The shell commands of turns and sessions, each with the call that ran it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tracedance.kit.needs import Needs, among, matching
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.kit.texts import words
from tracedance.schema import Session, ToolCall, Turn

INTERPRETERS = words(
    """
    python python2 python3 py ipython node deno bun ruby perl php lua Rscript osascript tsx ts-node awk gawk pwsh powershell
    """
)
"""Programs that run a program text of their own; what such a text does to files is unknown."""
_PAGERS = words("head tail cat less more sed grep egrep rg sort nl tee cut awk column bat tr uniq jq fold")


@dataclass(frozen=True, slots=True)
class Ran:
    """A simple command of a call. `turn` is the turn that made the call."""

    turn: int
    """Index of the turn that made the call."""
    call: ToolCall
    """The call whose text holds the command."""
    command: SimpleCommand
    """The command itself: `ran.command.program`, `ran.command.args`."""

    @property
    def seen(self) -> int | None:
        """Turn whose result showed the output; None where none was recorded or the call never ran."""
        result = self.call.result
        return result.turn if result is not None and result.status in ("ok", "error") else None


def of(turn: Turn, naming: str = "") -> list[Ran]:
    """The simple commands of a turn's shell calls, in order; only of calls whose text holds `naming`, which saves parsing the others."""
    calls = (call for call in turn.calls if call.tool_class == "shell" and naming in call.cmd)
    return [Ran(turn.index, call, command) for call in calls for command in parse(call.cmd)]


def ran(
    session: Session, wanted: Callable[[SimpleCommand], bool], start: int = 0, stop: int | None = None, naming: str = ""
) -> Iterator[Ran]:
    """The commands that `wanted` accepts, made in turns `start` up to but not including `stop`; `naming` as in `of`."""
    for turn in session.turns[start:stop]:
        if turn.calls:
            yield from (each for each in of(turn, naming) if wanted(each.command))


def pattern(regex: str) -> Needs:
    """The necessary condition that some shell command matches `regex`."""
    return matching(regex, "cmd", among("tool_class", "shell"))


def shows_output(command: SimpleCommand) -> bool:
    """Whether what the command prints reached the model: not swallowed by a file, a substitution or a counting program."""
    return not command.captured and not command.writes and (not command.feeds or command.feeds in _PAGERS)


def names_files_only(command: SimpleCommand) -> bool:
    """Whether a search prints names or counts and no lines."""
    clusters = [arg for arg in command.args if arg.startswith("-") and not arg.startswith("--")]
    by_letter = any(set("lLc").intersection(cluster) for cluster in clusters if cluster[1:].isalpha())
    return by_letter or bool({"--files-with-matches", "--files-without-match", "--files", "--count"}.intersection(command.args))


def inline_code(command: SimpleCommand) -> str:
    """The program text that an interpreter was given on the command line or in a here-document; "" where there is none."""
    if command.program.rstrip("0123456789.") not in INTERPRETERS:
        return ""
    flagged = next((i for i, word in enumerate(command.args) if word in ("-c", "-e", "-E", "-p", "--eval", "-r", "eval")), None)
    if flagged is not None:
        return " ".join(command.args[flagged + 1 :])
    if command.program in ("awk", "gawk"):
        return ""
    return command.heredoc


def runs_script(command: SimpleCommand) -> bool:
    """Whether the command runs a program of somebody's own: a script by its interpreter or by its path."""
    program = command.program.rstrip("0123456789.")
    if program in INTERPRETERS and program not in ("awk", "gawk"):
        return any(not arg.startswith("-") and "." in arg for arg in command.args[:4]) and "-m" not in command.args
    if program in ("bash", "sh", "zsh", "source"):
        return any(not arg.startswith("-") for arg in command.args)
    return bool(command.words) and command.words[0].startswith(("./", "../", "scripts/", "bin/")) and program not in ("gradlew", "mvnw")
