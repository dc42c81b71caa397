"""What calls do to files: which they show, change, list or may touch unseen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from tracedance.kit import commands, git, paths
from tracedance.kit.memo import once
from tracedance.kit.outputs import shown
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.kit.texts import words
from tracedance.kit.tools import patch_text, patched_paths
from tracedance.schema import Session, ToolCall

Deed = Literal["look", "search", "edit", "write", "append", "remove", "restore", "format", "script"]
"""`look` shows the file, `search` lines of it. `edit` changes parts, `write` replaces all, `append` adds. `restore` lets git set its
content, `format` a formatter. `script` is program text that mentions files: neither look nor change is known."""

CHANGES: frozenset[Deed] = frozenset(("edit", "write", "append", "remove"))

_LOOKS = words(
    """
    cat bat batcat head tail less more nl tac od xxd jq yq cut sort uniq column strings view awk gawk fold glow
    """
)
_SEARCHES = words("grep egrep fgrep rg ag ack")
_FORMATTERS = words(
    """
    gofmt goimports gofumpt prettier black ruff rustfmt eslint isort biome clang-format shfmt autopep8 stylua
    """
)
_TASKS = words("go cargo npm pnpm yarn bun npx make just mise task hatch uv poetry deno mix terraform dart zig nx turbo")
_REWRITES = frozenset(("sed", "gsed", "perl"))


_PATCHED = re.compile(r"(?m)^\+\+\+ (?:b/)?(\S+)")
"""The files of a unified diff."""


@dataclass(frozen=True, slots=True)
class Touch:
    """One deed on one file by one call."""

    deed: Deed
    """What is done."""
    path: str
    """As written, joined with a `cd` before it; of a `script` its program text."""
    whole: bool = True
    """Whether all of the file is shown or written."""

    def meets(self, path: str) -> bool:
        """Whether this may be a deed on `path`; a script meets each file that it names, a formatter all below its folder."""
        if self.deed == "script":
            return paths.name(path) in self.path
        below = self.deed == "format" and (paths.plain(self.path) == "." or paths.within(path, self.path))
        return below or paths.same(self.path, path)


@once
def touches(call: ToolCall) -> tuple[Touch, ...]:
    """Deeds of a call, in order, whether or not it succeeded."""
    if call.tool_class == "shell":
        return of_shell(call.cmd)
    if call.tool_class == "read":
        return (Touch("look", call.cmd, whole=not _is_partial(call)),)
    if call.tool_class == "write":
        return (Touch("write", call.cmd),) if call.cmd else ()
    if call.tool_class == "edit":
        if "\n" in call.cmd or "patch" in call.name.lower() or call.name.lower() in ("shell", "exec", "exec_command", "bash"):
            return _of_patch(patch_text(call.arguments)) or tuple(Touch("edit", path) for path in call.cmd.split("\n") if path)
        return (Touch("edit", call.cmd),) if call.cmd else ()
    if call.tool_class == "search":
        path = call.arguments.get("path")
        return (Touch("search", path, whole=False),) if isinstance(path, str) and path else ()
    return ()


def failed_path(call: ToolCall) -> str:
    """The file that a failed edit stumbled over: the one that its error names, else the only or first one it touches."""
    named = [touch.path for touch in touches(call) if touch.deed in CHANGES]
    error = call.result.error_text if call.result is not None else ""
    mentioned = [path for path in named if path in error] or [path for path in named if paths.name(path) in error]
    return next(iter(mentioned or named), "")


def took_effect(call: ToolCall) -> bool:
    """Whether the call ran and did not fail (a call without a recorded result is taken to have run)."""
    return call.result is None or call.result.status == "ok" or (call.tool_class == "shell" and call.result.status == "error")


def changed(session: Session, path: str, start: int, before: int) -> int | None:
    """The last turn in `start`..`before` in which a call changed the content of `path`, by whatever means; None if none did."""
    for call in reversed_calls(session, start, before):
        if not took_effect(call):
            continue
        if any(touch.deed not in ("look", "search", "script") and touch.meets(path) for touch in touches(call)):
            return call.turn
        if (
            call.tool_class == "shell"
            and any(git.moves_tree(command) for command in parse(call.cmd))
            and paths.name(path) in shown(call.result)
        ):
            return call.turn
    return None


def reversed_calls(session: Session, start: int, before: int) -> Iterator[ToolCall]:
    """Calls made in turns `start` up to but not including `before`, latest first."""
    for turn in reversed(session.turns[start:before]):
        yield from reversed(turn.calls)


def _is_partial(call: ToolCall) -> bool:
    arguments = call.arguments
    return any(arguments.get(key) for key in ("limit", "offset", "view_range", "start_line", "end_line", "line_count"))


def _of_patch(patch: str) -> tuple[Touch, ...]:
    found: list[Touch] = []
    for path in patched_paths(patch):
        if f"*** Add File: {path}" in patch:
            found.append(Touch("write", path))
        else:
            found.append(Touch("remove" if f"*** Delete File: {path}" in patch else "edit", path))
    return tuple(found)


@lru_cache(maxsize=8_000)
def of_shell(command: str) -> tuple[Touch, ...]:
    """Deeds of a shell command, in order; what it does on another machine is none on files that this one knows."""
    return tuple(touch for simple in parse(command) if simple.inside not in ("ssh", "kubectl", "oc") for touch in _of_simple(simple))


def _of_simple(command: SimpleCommand) -> Iterator[Touch]:
    for deed, path in _deeds(command):
        yield Touch(deed, paths.joined(command.folder, path) if deed != "script" else path, whole=_shows_whole(command))
    for path in command.writes:
        yield Touch("write", paths.joined(command.folder, path))
    for path in command.appends:
        yield Touch("append", paths.joined(command.folder, path))


def _deeds(command: SimpleCommand) -> Iterator[tuple[Deed, str]]:
    program, operands = command.program, [arg for arg in command.args if not arg.startswith("-")]
    rewrites = program in _REWRITES and _in_place(command.args)
    code = "" if rewrites else commands.inline_code(command)
    if code:
        yield "script", code
    elif program == "apply_patch":
        patch = command.heredoc or " ".join(command.args)
        yield from ((touch.deed, touch.path) for touch in _of_patch(patch))
        if "*** Begin Patch" not in patch:
            yield from (("edit", path) for path in operands)
    elif rewrites:
        yield from (("edit", path) for path in _sed_files(command.args))
    elif program in ("patch", "ed", "ex"):
        yield from (("edit", path) for path in (_PATCHED.findall(command.heredoc) or operands[:1]))
    elif program in ("tee", "cp", "mv", "install", "rm", "unlink", "truncate", "git", "dd"):
        yield from _changes_by_program(program, command, operands)
    elif program in _FORMATTERS:
        yield from (("format", path) for path in operands)
    elif _formats(command):
        yield "format", "."
    elif commands.shows_output(command):
        yield from _shown(program, command, operands)


def _shown(program: str, command: SimpleCommand, operands: list[str]) -> Iterator[tuple[Deed, str]]:
    if program in _LOOKS or program in ("diff", "cmp"):
        yield from (("look", path) for path in (*operands, *command.reads))
    elif program in ("sed", "gsed"):
        yield from (("look", path) for path in operands[0 if _has_script_option(command.args) else 1 :])
    elif program in _SEARCHES and not commands.names_files_only(command):
        yield from (("search", path) for path in operands[1:])


def _changes_by_program(program: str, command: SimpleCommand, operands: list[str]) -> Iterator[tuple[Deed, str]]:
    if program == "tee":
        deed: Deed = "append" if "-a" in command.args or "--append" in command.args else "write"
        yield from ((deed, path) for path in operands)
    elif program in ("cp", "install", "mv") and len(operands) >= 2:
        target = operands[-1]
        into = target.rstrip("/") if len(operands) > 2 or target.endswith("/") else ""
        yield from (("write", f"{into}/{paths.name(path)}" if into else target) for path in operands[:-1])
        if program == "mv":
            yield from (("remove", path) for path in operands[:-1])
    elif program in ("rm", "unlink"):
        yield from (("remove", path) for path in operands)
    elif program == "truncate":
        yield from (("write", path) for path in operands[-1:])
    elif program == "dd":
        yield from (("write", arg[3:]) for arg in command.args if arg.startswith("of="))
    elif program == "git":
        yield from _by_git(command)


def _by_git(command: SimpleCommand) -> Iterator[tuple[Deed, str]]:
    verb, args = git.verb(command)
    operands = [arg for arg in args if not arg.startswith("-")]
    if verb in ("checkout", "restore") and not ({"--staged", "-b", "-B"} & set(args)):
        yield from (("restore", path) for path in operands)
    elif verb in ("diff", "show", "blame", "log") and commands.shows_output(command) and not git.is_summary(command):
        yield from (("look", path.rpartition(":")[2]) for path in operands)
    elif verb == "mv" and len(operands) >= 2:
        yield "write", operands[-1]
        yield "remove", operands[0]
    elif verb == "rm":
        yield from (("remove", path) for path in operands)
    elif verb == "apply":
        yield from (("edit", path) for path in _PATCHED.findall(command.heredoc))


def _formats(command: SimpleCommand) -> bool:
    """Whether a task or subcommand formats all there is: `go fmt ./...`, `cargo fmt`, `npm run format`, `make fmt`."""
    return command.program in _TASKS and any(
        arg in ("fmt", "format", "--fix") or arg.endswith((":fix", ":fmt")) for arg in command.args[:4]
    )


def _in_place(args: tuple[str, ...]) -> bool:
    return any(arg.startswith(("-i", "--in-place", "-pi", "-0pi")) or (arg.startswith("-") and "pi" in arg[:6]) for arg in args)


def _has_script_option(args: tuple[str, ...]) -> bool:
    return any(arg in ("-e", "-f") or arg.startswith(("-e", "--expression")) or arg in ("-ne", "-nE", "-pe") for arg in args)


def _sed_files(args: tuple[str, ...]) -> list[str]:
    """File operands of `sed -i`/`perl -pi`: all that is neither option, suffix nor script."""
    rest: list[str] = []
    scripted = skip = False
    for arg in args:
        if skip:
            skip, scripted = False, True
        elif arg in ("-e", "-f", "--expression") or (arg.startswith("-") and arg.endswith("e") and not arg.startswith("--") and "i" in arg):
            skip = True
        elif not arg.startswith("-") and arg:
            rest.append(arg)
    return rest if scripted else rest[1:]


def _shows_whole(command: SimpleCommand) -> bool:
    return command.program not in ("head", "tail", "sed", "gsed", "awk", "gawk", "cut", *_SEARCHES) and command.feeds not in (
        "head",
        "tail",
        "sed",
        "grep",
        "rg",
        "egrep",
    )
