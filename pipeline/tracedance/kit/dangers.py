"""Operations that can lose data for good, read out of shell commands, SQL and calls of services."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tracedance.kit import commands, git, paths
from tracedance.kit.removers import PLACED, Kind
from tracedance.kit.shell import SimpleCommand
from tracedance.kit.texts import words
from tracedance.kit.tools import patch_text
from tracedance.schema import ToolCall

DESTRUCTIVE = (
    r"(?is)\bgit\b.*\b(?:reset\b.*--(?:hard|merge)|clean\b|checkout\b|restore\b|switch\b|stash\b|branch\b|reflog|filter-branch|filter-repo|worktree)"
    r"|\brm\b|-delete\b|\bunlink\b|\bshred\b|\bmkfs|\bof=/dev/|\btruncate\b|Remove-Item|\brmdir\b|\bdel\b|\bdrop|\bdelete\b|\bdeleteMany|reset\b"
    r"|accept-data-loss|\bflush|destroy|uninstall|\bprune\b|\bdown\b|\bs3\b|dropDatabase|delete-|\*\*\* Delete File|\brevert\b|\babandon\b"
    r"|terminate|\bpush\b.*(?:-d\b|--mirror|\s:\S)|rimraf|rmtree|rm_rf|rmSync|removeSync|migrate:fresh|db:wipe|\bclean\b|drop-all|\bdowngrade\b|crontab"
    r"|unpublish|\bpurge\b"
)
"""Necessary in every shell text with a destructive command, in RE2's dialect."""

_SQL = re.compile(
    r"\bDROP\s+(?:TABLE|DATABASE|SCHEMA)\b(?:\s+IF\s+EXISTS)?\s+(?P<dropped>[\w.\"`\[\]]+)?|\bTRUNCATE\s+(?:TABLE\s+)?(?P<emptied>[\w.\"`]+)"
    r"|\bDELETE\s+FROM\s+(?P<deleted>[\w.\"`]+)\s*(?:;|$|\"|'|WHERE\s+(?:1\s*=\s*1|true)\b)|\bdropDatabase\(|\b(?:deleteMany|remove)\(\s*\{\s*\}|\bflush(?:all|db)\b"
    r"|\bALTER\s+TABLE\s+(?P<altered>[\w.\"`]+)\s+DROP\s+(?:COLUMN|PARTITION)\b|\bdb\.(?P<collection>\w+)\.drop\(",
    re.IGNORECASE,
)
_CLIENTS = words(
    """
    psql mysql mariadb sqlite3 sqlite clickhouse clickhouse-client duckdb sqlcmd mongosh mongo redis-cli cqlsh bq snowsql wrangler usql
    """
)
_DELETING = re.compile(
    r"(?:^|[_.\-\s])(?:delete|remove|trash|purge|drop|wipe|destroy|erase|expunge|terminate)(?:$|[_.\-\s])", re.IGNORECASE
)
_DELETED = re.compile(r"^\*\*\* Delete File: (.+)$", re.MULTILINE)
_ADDED = re.compile(r"^\*\*\* (?:Add File|Move to): (.+)$", re.MULTILINE)
_CODE_DELETES = re.compile(
    r"\brmtree\(\s*[\"']([^\"']+)|\brm(?:dir)?Sync\(\s*[\"']([^\"']+)|\bremoveSync\(\s*[\"']([^\"']+)|\brm_rf?\(\s*[\"']([^\"']+)"
)
_FILE = re.compile(r"(?:^|/)[\w-]+(?:\.[\w-]+)*\.(?:[a-z]{1,4}|[a-z]+[0-9])$")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_CLUSTER_F = re.compile(r"-[a-zA-Z]*f[a-zA-Z]*")
_CLUSTER_R = re.compile(r"-[a-zA-Z]*[rR][a-zA-Z]*")
_DRY = words("--dry-run --what-if -WhatIf --dryrun -dryrun --help -h --version")
_DISPOSABLE = words(
    """
    node_modules dist build target out coverage __pycache__ .next .cache .venv venv .turbo .pytest_cache .mypy_cache .ruff_cache .nyc_output
    .parcel-cache .gradle DerivedData obj .nuxt .svelte-kit .vite tmp temp .tox .eggs htmlcov test-results playwright-report
    """
)


@dataclass(frozen=True, slots=True)
class Loss:
    """What an operation may lose."""

    kind: Kind
    """Where it is kept: `git`, `fs` (files), `db`, `infra` or `service`."""
    form: str
    """The operation in a few words, as typed."""
    targets: tuple[str, ...] = ()
    """What it is done to; () where it names nothing."""


def losses(command: SimpleCommand) -> Loss | None:
    """What the command may lose for good; None where it loses nothing, only tries, or loses what can be had again by name."""
    if command.program in ("git", "git.exe"):
        return _by_git(command)
    return _by_files(command) or _by_code(command) or _by_sql(command) or _by_service_tool(command)


def sql_losses(text: str) -> Loss | None:
    """What a statement may lose: DROP, TRUNCATE, and DELETE without a condition."""
    found = _SQL.search(text)
    if found is None:
        return None
    target = next((found[name] for name in ("dropped", "emptied", "deleted", "altered", "collection") if found[name]), "")
    return Loss("db", " ".join(found[0].split())[:60], (target.strip('"`[]'),) if target else ())


_DEED_KEYS = ("action", "operation", "method", "command")
"""Arguments that say what is done, not to what."""


def call_losses(call: ToolCall) -> Iterator[Loss]:
    """What a call of a tool other than a shell may lose: SQL, a delete of a service, a file deleted by a patch."""
    if call.tool_class == "db":
        found = sql_losses(call.cmd)
        yield from (found,) if found is not None else ()
    elif call.tool_class in ("api", "message", "other") and deletes_by_name(call):
        ids = [str(value) for key, value in call.arguments.items() if key not in _DEED_KEYS and isinstance(value, str | int)]
        yield Loss("service", call.name, tuple(text for text in ids if 0 < len(text) <= 200))
    elif may_patch(call):
        gone = patch_deletes(call)
        yield from (Loss("fs", "a patch that deletes", gone),) if gone else ()


def may_patch(call: ToolCall) -> bool:
    """Whether a call may hold a patch in apply_patch's format; quick, without its arguments."""
    name = call.name.lower()
    return call.tool_class == "edit" and ("patch" in name or name in ("exec", "shell", "exec_command", "bash"))


def patch_deletes(call: ToolCall) -> tuple[str, ...]:
    """Files that a patch deletes and does not add anew elsewhere with the same name."""
    patch = patch_text(call.arguments)
    added = {paths.name(path) for path in _ADDED.findall(patch)}
    return tuple(path for path in map(str.strip, _DELETED.findall(patch)) if paths.name(path) not in added)


def deletes_by_name(call: ToolCall) -> bool:
    """Whether the tool is named for deleting, or its action is."""
    told = (call.arguments.get(key) for key in _DEED_KEYS)
    name = "_".join(name_words(call.name))
    return _DELETING.search(name) is not None or any(isinstance(each, str) and _DELETING.search(each[:40]) is not None for each in told)


_ENDS = (".pyc", ".egg-info", ".tsbuildinfo", ".o", ".log", ".tmp")
_KEPT = words(
    """
    pictures photos documents desktop music movies videos uploads upload data media images assets content attachments backups files storage
    datasets
    """
)
"""Folders of what people or users keep."""
_CACHERS = re.compile(
    r"^(?:build|test|tests|compile|compiler|lint|eslint|stylelint|babel|webpack|rollup|turbo|jest|vitest|vite|parcel|metro|next|nx|swc|tsc?|go|go-build"
    r"|pip|uv|npm|yarn|pnpm|bun|gradle|maven|cargo|ccache|sccache|bazel|docker|buildx?|pytest|mypy|ruff|prettier|deno|ci|gha)[-_.]?(?:\w+[-_.])?caches?$"
)
"""Caches named for the tool that fills them."""


def name_words(tool: str) -> list[str]:
    """The words of a tool's name, lower case: snake, kebab or camel; the server's name left out."""
    return [word for word in re.split(r"[_.\-\s]+", _CAMEL.sub("_", tool.rpartition("__")[2]).lower()) if word]


def is_disposable(target: str, exempt: Sequence[str] = ()) -> bool:
    """Whether a path is build output, a cache or temporary: nothing that a person would miss."""
    text = paths.plain(target)
    if paths.is_temporary(f"{text}/") or any(
        text == each.rstrip("/") or text.startswith(each.rstrip("/") + "/") for each in exempt if "/" in each
    ):
        return True
    parts = text.split("/")
    names = _DISPOSABLE | {each.strip("/") for each in exempt}
    return bool(names.intersection(parts)) or parts[-1].lower().endswith(_ENDS) or _is_cache(parts)


def _is_cache(parts: Sequence[str]) -> bool:
    """Whether a path ends in a program's cache; what people keep may be called so too: `uploads/flour-cache` is none."""
    name = parts[-1].lower()
    if not name.endswith(("cache", "caches")) or not _KEPT.isdisjoint(part.lower() for part in parts[:-1]):
        return False
    hidden = any(part.startswith((".", "_")) and part != ".." for part in parts if part != ".")
    return name in ("cache", "caches") or hidden or _CACHERS.search(name) is not None


def _by_git(command: SimpleCommand) -> Loss | None:
    verb, args = git.verb(command)
    options = {arg for arg in args if arg.startswith("-")}
    operands = [arg for arg in args if not arg.startswith("-")]
    if {"-n", "--dry-run", "-p", "--patch", "-i", "--interactive", "--help", "-h"} & options:
        return None
    if verb == "reset" and {"--hard", "--merge"} & options:
        return Loss("git", "git reset --hard")
    if verb == "clean" and ("--force" in options or any(_CLUSTER_F.fullmatch(option) for option in options if not option.startswith("--"))):
        dry = any("n" in option for option in options if not option.startswith("--"))
        ignored = any("x" in option.lower() for option in options if not option.startswith("--"))
        return None if dry else Loss("git", "git clean -x" if ignored else "git clean", tuple(operands))
    if verb in ("checkout", "restore", "switch"):
        return _overwritten(verb, args, options, operands)
    return _forgotten(verb, args, options, operands)


def _overwritten(verb: str, args: tuple[str, ...], options: set[str], operands: list[str]) -> Loss | None:
    """Uncommitted content that a checkout or restore replaces."""
    if verb == "restore":
        staged_only = ("--staged" in options or "-S" in options) and not {"--worktree", "-W"} & options
        return None if staged_only or not operands else Loss("git", "git restore", tuple(operands))
    if {"-f", "--force", "--discard-changes"} & options and not {"-b", "-c", "--orphan"} & options:
        return Loss("git", f"git {verb} --force")
    if verb == "checkout" and "--" in args and args[-1] != "--":
        return Loss("git", "git checkout --", args[args.index("--") + 1 :])
    if verb == "checkout" and operands[-1:] in (["."], ["*"]):
        return Loss("git", "git checkout .", (operands[-1],))
    files = [each for each in operands if _FILE.search(each)]
    created = {"-b", "-B", "--orphan", "-t", "--track"} & options
    return Loss("git", "git checkout --", tuple(files)) if verb == "checkout" and files and not created else None


def _forgotten(verb: str, args: tuple[str, ...], options: set[str], operands: list[str]) -> Loss | None:
    """Stashes, branches, worktrees and history that a command removes."""
    if verb == "stash" and operands[:1] in (["drop"], ["clear"]):
        return Loss("git", f"git stash {operands[0]}", tuple(operands[1:]))
    if verb == "branch" and ("-D" in options or {"--delete", "--force"} <= options):
        return Loss("git", "git branch -D", tuple(operands))
    if verb == "worktree" and operands[:1] == ["remove"] and {"-f", "--force"} & options:
        return Loss("git", "git worktree remove --force", tuple(operands[1:]))
    if verb == "push" and ({"--delete", "-d", "--mirror"} & options or any(each.startswith(":") for each in operands[1:])):
        return Loss("git", "git push --delete", tuple(each.lstrip(":") for each in operands[1:]))
    if (verb == "reflog" and operands[:1] == ["expire"]) or verb in ("filter-branch", "filter-repo"):
        return Loss("git", f"git {verb}")
    return None


def _by_files(command: SimpleCommand) -> Loss | None:
    program, args = command.program, command.args
    operands = tuple(arg for arg in args if not arg.startswith("-") and arg != "{}")
    if program in ("rm", "unlink"):
        recursive = any(arg == "--recursive" or (not arg.startswith("--") and _CLUSTER_R.fullmatch(arg)) for arg in args)
        many = command.fed or "{}" in args or any("*" in arg for arg in operands)
        return Loss("fs", "rm -r" if recursive else "rm", operands) if recursive or many else None
    if program == "find" and "-delete" in args:
        start = next((i for i, arg in enumerate(args) if arg.startswith(("-", "(", "!"))), len(args))
        return Loss("fs", "find -delete", args[:start] or (".",))
    if program == "shred" or program.startswith("mkfs"):
        return Loss("fs", program, operands)
    if program == "dd" and any(arg.startswith("of=/dev/") for arg in args):
        return Loss("fs", "dd of=/dev/", tuple(arg[3:] for arg in args if arg.startswith("of=/dev/")))
    if program == "truncate" and {"0", "-s0", "--size=0"} & set(args):
        return Loss("fs", "truncate -s 0", operands[-1:])
    low = {arg.lower() for arg in args}
    if program.lower() == "remove-item" and any(arg.startswith("-r") for arg in low) and "-whatif" not in low:
        return Loss("fs", "Remove-Item -Recurse", operands)
    if program.lower() in ("rmdir", "rd", "del") and "/s" in low:
        return Loss("fs", f"{program} /s", tuple(arg for arg in operands if not arg.startswith("/")))
    return None


def _by_code(command: SimpleCommand) -> Loss | None:
    """Folders that a program text deletes by name, and files that a patch given to a shell does."""
    if command.program == "apply_patch":
        gone = tuple(_DELETED.findall(command.heredoc or " ".join(command.args)))
        return Loss("fs", "a patch that deletes", gone) if gone else None
    code = commands.inline_code(command)
    named = [next(name for name in found if name) for found in _CODE_DELETES.findall(code)] if code else []
    if "rimraf" in command.words[:3]:
        named = [arg for arg in command.args if not arg.startswith("-") and arg != "rimraf"]
    return Loss("fs", "a program that deletes", tuple(named)) if named else None


def _by_sql(command: SimpleCommand) -> Loss | None:
    if command.program == "dropdb":
        return Loss("db", "dropdb", tuple(arg for arg in command.args if not arg.startswith("-")))
    if command.program not in _CLIENTS:
        return None
    return sql_losses("\n".join((*command.args, command.heredoc)))


def _by_service_tool(command: SimpleCommand) -> Loss | None:
    """Tools whose sub-command deletes; also behind `npx`, `pnpm exec`, `python manage.py` and the like."""
    if _DRY.intersection(command.args) or any(arg.startswith("--dry-run") for arg in command.args) or not command.words:
        return None
    task = next((arg for arg in command.args[:4] if re.fullmatch(r"(?:\w+:)?db:(?:drop|reset)(?::\w+)?", arg)), "")
    if task:
        return Loss("db", f"{command.program} {task}")
    named = [word.rpartition("/")[2] for word in command.words[:4]]
    if command.words in (("crontab", "-r"), ("crontab", "-ri")):
        return Loss("infra", "crontab -r")
    if command.program == "aws" and (verb := next((arg for arg in command.args[1:3] if arg.startswith(("delete-", "terminate-"))), "")):
        return Loss("infra", f"aws {verb}", tuple(arg for arg in command.args[2:] if not arg.startswith("-")))
    for kind, programs, verbs, options in PLACED:
        start = next((place for place, word in enumerate(named) if word in programs), None)
        if start is None:
            continue
        rest = command.words[start + 1 :]
        plain = [word for word in rest if not word.startswith("-")]
        place = next((i for i in range(len(plain)) if tuple(plain[i : i + len(verbs)]) == verbs), None)
        if place is not None and place < 5 and set(options) <= set(rest):
            return Loss(kind, " ".join((named[start], *verbs, *options)), tuple(plain[place + len(verbs) :]))
    return None
