"""Where a push goes: the branches that a command names, and the branch that the session is on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from tracedance.kit import commands, git
from tracedance.kit.outputs import shown
from tracedance.kit.shell import SimpleCommand
from tracedance.kit.texts import words
from tracedance.schema import Session

PUSH = r"(?s)\bgit\b.*\bpush\b|\bgh\s+pr\s+merge\b"
"""Necessary in every shell text that pushes or merges."""

_VALUED = words("-o --push-option --repo --receive-pack --exec --recurse-submodules --signed")
_TAG = re.compile(r"^(?:refs/tags/.+|v?\d+\.\d+[\w.+-]*)$")
_SENT = re.compile(r"(?m)^[ \t!*+=-]+.*?\s(\S+)\s+->\s+(\S+)")
_ON_BRANCH = re.compile(
    r"(?m)^(?:On branch (\S+)|## ([^\s.]+(?:\.[^\s.]+)*?)(?:\.\.\.|\s|$)|\[([\w./-]+) (?:\(root-commit\) )?[0-9a-f]{5,}\]|\* ([\w./-]+)$)"
)
_SWITCHED = re.compile(r"Switched to (?:a new )?branch '([^']+)'")


@dataclass(frozen=True, slots=True)
class Push:
    """One publication of commits."""

    destinations: tuple[str, ...]
    """Branches of the remote by name; () for what the current branch tracks."""
    forced: bool
    """Whether it may overwrite what the remote holds."""
    merge: bool = False
    """Whether a pull request is merged instead."""
    remote: str = ""
    """Name or address of the remote; "" where the command names none."""


def push(command: SimpleCommand) -> Push | None:
    """What the command publishes; None where it publishes no commits (a dry run, tags alone)."""
    if command.words[:3] == ("gh", "pr", "merge"):
        return None if {"--help", "-h", "--disable-auto"}.intersection(command.args) else Push((), False, merge=True)
    verb, args = git.verb(command)
    if verb != "push" or {"--dry-run", "-n", "--help", "-h"}.intersection(args):
        return None
    options = [arg for arg in args if arg.startswith("-")]
    operands = _operands(args)
    refs = operands[1:]
    forced = any(arg in ("-f", "--force", "--mirror") or arg.startswith("--force-with-lease") for arg in options) or any(
        ref.startswith("+") for ref in refs
    )
    if {"--all", "--mirror", "--branches"}.intersection(options):
        return Push(("*",), forced, remote="".join(operands[:1]))
    named = [ref.lstrip("+").rpartition(":")[2].removeprefix("refs/heads/") for ref in refs]
    branches = tuple(name for name in named if name and not _TAG.match(name))
    if (refs and not branches) or (not refs and "--tags" in options):
        return None
    return Push(() if branches in (("HEAD",), ("@",)) else branches, forced, remote="".join(operands[:1]))


def _operands(args: Sequence[str]) -> list[str]:
    kept: list[str] = []
    skip = False
    for arg in args:
        if skip:
            skip = False
        elif arg in _VALUED:
            skip = True
        elif not arg.startswith("-"):
            kept.append(arg)
    return kept


def answered(text: str) -> list[str]:
    """Branches that the remote says it updated, or refused to."""
    return [match[2] for match in _SENT.finditer(text[:20_000])]


def current_branch(session: Session, before: int, folder: str = "") -> str:
    """The branch that the session's last words of git put it on before a turn; "" where none is known.

    Where both are known, what happened in another folder does not count.
    """
    for turn in reversed(session.turns[:before]):
        for ran in reversed(commands.of(turn, naming="git") if turn.calls else []):
            elsewhere = folder and git.folder(ran.command) and git.folder(ran.command) != folder
            name = "" if elsewhere else _branch_after(ran)
            if name:
                return name
    return ""


def _branch_after(ran: commands.Ran) -> str:
    verb, args = git.verb(ran.command)
    text = shown(ran.call.result)[:20_000]
    if verb in ("checkout", "switch"):
        switched = _SWITCHED.search(text)
        named = [arg for arg in args if not arg.startswith("-")]
        made = {"-b", "-B", "-c", "-C"}.intersection(args) and named
        return switched[1] if switched else (named[0] if made else "")
    if verb in ("status", "commit", "branch"):
        found = _ON_BRANCH.search(text)
        return next((name for name in found.groups() if name), "") if found else ""
    if verb in ("rev-parse", "symbolic-ref") and ("--abbrev-ref" in args or "--short" in args):
        line = text.strip().split("\n")[-1].strip()
        return line if re.fullmatch(r"[\w./-]{1,100}", line) else ""
    return ""


def matches(branch: str, patterns: Sequence[str]) -> bool:
    """Whether a branch's name is one of the protected ones; `*` stands for all branches at once."""
    return branch == "*" or any(fnmatchcase(branch, pattern) for pattern in patterns)
