"""Git as agents use it: what stages broadly, what commits, and what shows the list of changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tracedance.kit import paths
from tracedance.kit.shell import SimpleCommand
from tracedance.kit.texts import words

_GLOBAL_VALUED = frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env"))
_EVERYTHING = frozenset((".", "./", "*", ":/", ":", "./*", "..", "../", ":/*", ":(top)", "*.*", "$PWD", "$(pwd)"))
_ADD_ALL = frozenset(("-A", "--all", "--no-ignore-removal"))
_NO_STAGING = words("-n --dry-run -N --intent-to-add -p --patch -i --interactive --refresh -e --edit")
_FORCED = re.compile(r"-[a-zA-Z]*f[a-zA-Z]*")
_ALL = re.compile(r"-[a-z]*A[a-z]*")
_COMMIT_VALUED = frozenset(
    (
        "-m",
        "--message",
        "-F",
        "--file",
        "-C",
        "-c",
        "--author",
        "--date",
        "-t",
        "--template",
        "--fixup",
        "--squash",
        "--cleanup",
        "--trailer",
    )
)
_COMMIT_ALL = re.compile(r"-[a-ln-zA-Z]*a[a-zA-Z]*")
"""A cluster of short options with `a` before any `m` that takes the rest as its message."""
_SUMMARIES = ("--stat", "--name-only", "--name-status", "--shortstat", "--numstat", "--dirstat", "--summary", "--quiet", "-s", "--check")
_CONCLUDED = frozenset(("merge", "rebase", "cherry-pick", "revert", "am", "pull"))


def verb(command: SimpleCommand) -> tuple[str, tuple[str, ...]]:
    """Git's subcommand and its arguments; `("", ())` for another program."""
    if command.program not in ("git", "git.exe"):
        return "", ()
    position = 0
    while position < len(command.args) and command.args[position].startswith("-"):
        position += 2 if command.args[position] in _GLOBAL_VALUED else 1
    rest = command.args[position:]
    return (rest[0], rest[1:]) if rest else ("", ())


def folder(command: SimpleCommand) -> str:
    """Where git runs: its `-C` option, else the folder that a `cd` went to; "" where neither says."""
    args = command.args
    for option, value in pairwise(args):
        if not option.startswith("-"):
            break
        if option == "-C":
            return paths.joined(command.folder, value)
    return command.folder


@dataclass(frozen=True, slots=True)
class Broad:
    """A form that stages files it does not name."""

    form: str
    """The part of the command, as typed."""
    untracked: bool
    """Whether it also takes files that git does not know yet."""


def broad(command: SimpleCommand) -> Broad | None:
    """The part of the command that stages files it does not name (-A, ., -a, ...); None where each file or folder is named."""
    name, args = verb(command)
    if name in ("add", "stage"):
        return _broad_add(args, command.fed)
    return _commit_all(args) if name == "commit" else None


def _broad_add(args: tuple[str, ...], fed: bool) -> Broad | None:
    if _NO_STAGING.intersection(args):
        return None
    options = [arg for arg in args if arg.startswith("-") and arg != "--"]
    named = [arg for arg in args if not arg.startswith("-") and not arg.startswith((":!", ":^", ":(exclude)"))]
    updates = any(arg in ("-u", "--update") for arg in options)
    for arg in named:
        if arg in _EVERYTHING:
            return Broad(arg, not updates)
    for arg in options:
        if arg == "--force" or _FORCED.fullmatch(arg):
            return Broad(arg, True)
        if not named and not fed and (arg in _ADD_ALL or _ALL.fullmatch(arg)):
            return Broad(arg, True)
    return Broad("-u", False) if updates and not named and not fed else None


def _commit_all(args: tuple[str, ...]) -> Broad | None:
    skip = False
    for arg in args:
        if skip:
            skip = False
        elif arg == "--":
            return None
        elif arg == "--all" or (not arg.startswith("--") and _COMMIT_ALL.fullmatch(arg.split("m", 1)[0] or "-")):
            return Broad(arg, False)
        elif arg in _COMMIT_VALUED or (arg.startswith("-") and not arg.startswith("--") and arg.endswith("m")):
            skip = True
    return None


def is_commit(command: SimpleCommand) -> bool:
    """Whether the command makes a commit of its own."""
    name, args = verb(command)
    return name == "commit" and "--dry-run" not in args


def is_summary(command: SimpleCommand) -> bool:
    """Whether a diff, show or log prints names or counts only and no content."""
    name, args = verb(command)
    shows = name in ("diff", "show", "blame") or "-p" in args or "--patch" in args
    return not shows or any(arg.startswith(_SUMMARIES) for arg in args)


def is_look(command: SimpleCommand) -> bool:
    """Whether the command lists all that has changed: status, a diff of the working tree or the index, or the untracked files.

    A status or diff of named paths shows only those, and a diff between commits nothing of the working tree.
    """
    name, args = verb(command)
    if name == "status":
        return not any(_is_path(arg) for arg in _operands(args))
    if name == "diff":
        silent = {"--quiet", "--exit-code", "--no-index", "--check"}.intersection(args)
        return not silent and not any(".." in arg or _is_path(arg) for arg in _operands(args))
    if name == "add":
        return bool({"-n", "--dry-run"}.intersection(args))
    return name == "ls-files" and bool({"-o", "--others", "-m", "--modified"}.intersection(args))


def _operands(args: tuple[str, ...]) -> list[str]:
    named = list(args[args.index("--") :]) if "--" in args else []
    return [arg for arg in args if not arg.startswith("-")] + [f"./{arg}" for arg in named[1:]]


def _is_path(operand: str) -> bool:
    ref = operand.startswith(("HEAD", "origin/", "upstream/", "refs/", "stash@")) or operand == "."
    return not ref and ("/" in operand or "." in operand)


def paths_added(command: SimpleCommand) -> list[str]:
    """Files and folders that an add names one by one; [] for other commands and for broad forms."""
    name, args = verb(command)
    if name not in ("add", "stage") or broad(command) is not None or command.fed or _NO_STAGING.intersection(args):
        return []
    return [paths.joined(command.folder, arg) for arg in args if not arg.startswith("-")]


def concludes(command: SimpleCommand) -> bool:
    """Whether the command concludes a merge, rebase or the like."""
    name, args = verb(command)
    return name in _CONCLUDED and "--continue" in args


def moves_tree(command: SimpleCommand) -> bool:
    """Whether the command brings other content into the working tree; which files, its output says."""
    return verb(command)[0] in ("pull", "merge", "rebase", "checkout", "switch", "stash", "reset", "cherry-pick", "revert", "apply", "am")


def makes_repository(command: SimpleCommand) -> bool:
    """Whether the command creates a repository that holds nothing of anybody else's."""
    return verb(command)[0] == "init"


@dataclass(frozen=True, slots=True)
class Listed:
    """One file in a list of changes."""

    path: str
    """As git shows it."""
    tracked: bool
    """False for an untracked file."""


_SHORT = re.compile(r"^([ MADRCUT?!]{2}) (?:.+ -> )?\"?([^\"]+?)\"?$")
_LONG = re.compile(r"^\s+(?:modified|new file|deleted|renamed|both modified|both added|typechange|copied):\s+(?:.+ -> )?(.+?)(?: \(.*\))?$")
_STAT = re.compile(r"^ (?:\.\.\.)?(\S[^|]*?)\s+\|\s+(?:\d+|Bin)\b")
_DIFF = re.compile(r"^diff --git a/(.+?) b/(.+)$")
_LISTING = 100_000
_LONGEST = 1_000


def listed(text: str, command: SimpleCommand) -> list[Listed]:
    """The files in the output of a look, as far as its form is known; [] where nothing has changed or the form is not."""
    found = list(_lines(text[:_LISTING], command))
    return list(dict.fromkeys(found))


def _lines(text: str, command: SimpleCommand) -> Iterator[Listed]:
    name, args = verb(command)
    names_only = name == "ls-files" or bool({"--name-only"} & set(args))
    untracked = False
    for line in text.split("\n"):
        if len(line) > _LONGEST:
            continue
        if name == "status" and line.startswith("Untracked files:"):
            untracked = True
        elif untracked and (not line.strip() or line.startswith(("\t", "    ", "  ("))):
            if line.startswith(("\t", "    ")):
                yield Listed(line.strip(), tracked=False)
        elif match := _LONG.match(line):
            yield Listed(match[1], tracked=True)
        elif name == "status" and (match := _SHORT.match(line)) and match[1].strip():
            yield Listed(match[2], tracked="?" not in match[1])
        elif name == "diff" and (match := _STAT.match(line) or _DIFF.match(line)):
            yield Listed(match[1].strip(), tracked=True)
        elif names_only and line and " " not in line.strip() and ":" not in line:
            yield Listed(line.strip(), tracked=name == "diff")
