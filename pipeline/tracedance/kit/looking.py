"""Calls that look and change nothing, and the objects (paths, ids, hosts) that calls are about."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from tracedance.kit import commands, files, git, testing
from tracedance.kit import linear as re2
from tracedance.kit.memo import once
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.kit.texts import valid, words
from tracedance.schema import ToolCall

_LOOKS = words(
    """
    cat bat ls ll tree grep egrep fgrep rg ag ack find fd head tail less more nl wc file stat du df ps top free uptime pwd whoami id which
    type whereis command printenv env echo printf date uname hostname sort uniq cut tr awk gawk jq yq xxd od diff cmp column basename
    dirname realpath readlink sha256sum md5sum lsof netstat ss dig nslookup ping test [ [[ true false cd man journalctl dmesg sleep wait
    """
)
_GIT_LOOKS = words("status diff log show blame branch remote rev-parse ls-files ls-remote describe reflog shortlog grep config cat-file")
_SUB_LOOKS = words(
    """
    view list ls status get describe logs log show diff checks watch ps inspect images info version help search outdated audit why doc env
    top history events explain
    """
)
_WITH_SUBCOMMAND = words(
    "gh glab kubectl docker podman helm npm pnpm yarn pip pip3 cargo go systemctl terraform aws gcloud az brew apt squeue sacct mise"
)
_READ_VERBS = words(
    """
    get list search read find view check fetch lookup look calculate describe query show count inspect status think verify retrieve load
    browse open download current poll log logs tail history
    """
)
_ACTIONS = ("action", "operation", "method", "subcommand")
"""Arguments by which one tool does several things."""
_NAME = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SQL_LOOK = re2.compile(r"(?is)^\s*(?:select|show|describe|explain|pragma|with|\\d)\b")
_OBJECT = re.compile(r"[\w@~][\w@:/\\.+-]{3,199}", re.ASCII)  # nothing follows the run, so `re` never goes back
_COMMON = words("true false null main master origin HEAD https:// http:// localhost economy")


@once
def looks_only(call: ToolCall) -> bool:
    """Whether the call can only have shown something; where that is not known, it may have changed something."""
    kind = call.tool_class
    if kind in ("read", "search", "web", "ask"):
        return True
    if kind == "shell":
        made = parse(call.cmd)
        return bool(made) and all(_looks(command) for command in made)
    if kind == "db":
        return _SQL_LOOK.search(valid(call.cmd[:2000])) is not None
    asked = _action(call) if kind in ("api", "other", "job", "message") else ""
    if asked:
        return bool(_READ_VERBS.intersection(name_words(asked)[:1]))
    verbs = name_words(call.name)
    if kind == "job":
        return not {"kill", "stop", "write", "create", "cancel"}.intersection(verbs)
    return kind in ("api", "other") and bool(_READ_VERBS.intersection(verbs[:2]))


@once
def may_change(call: ToolCall) -> bool:
    """Whether the call may have changed something that another call would meet: neither a look, nor a plan, nor a run of tests."""
    if call.tool_class == "plan" or looks_only(call):
        return False
    if call.tool_class == "shell":
        return any(not _looks(command) and not testing.is_run(command) for command in parse(call.cmd))
    return True


def name_words(name: str) -> list[str]:
    """The words of a tool's name in order, lower case, without the server that it comes from."""
    return list(_name_words(name))


@lru_cache(maxsize=1_000)
def _name_words(name: str) -> tuple[str, ...]:
    tool = name.rpartition("__")[2] if name.startswith("mcp__") else name
    return tuple(word.lower() for word in _NAME.findall(tool.rpartition(".")[2] or tool)[:20])


@once
def objects(call: ToolCall) -> frozenset[str]:
    """What the call's arguments name: paths (by their last part), ids, addresses. Plain words and short numbers are none."""
    return objects_in(call.cmd if call.tool_class == "shell" else "\n".join(_texts(call.arguments)))


def objects_in(text: str) -> frozenset[str]:
    """The same of any text, of which the first 20,000 characters are read."""
    found = set()
    for token in set(_OBJECT.findall(text[:20_000])):
        plain = token.replace("\\", "/").rstrip(".:,/")
        if plain in _COMMON or not any(sign.isdigit() or sign in "./@:_" for sign in plain):
            continue
        last = plain.rpartition("/")[2] or plain
        if len(last) >= 4:
            found.add(last.lower())
    return frozenset(found)


def shares_object(one: ToolCall, other: ToolCall) -> bool:
    """Whether two calls name a common object."""
    return bool(objects(one) & objects(other))


def verb_words(call: ToolCall) -> list[str]:
    """The words that say what a call does: those of its tool's name, and of the action that a tool for several things is asked for."""
    return [*name_words(call.name), *name_words(_action(call))]


def _action(call: ToolCall) -> str:
    """What a tool that does several things is asked to do, "" where no argument says so."""
    if not any(f'"{key}"' in call.arguments_json[:20_000] for key in _ACTIONS):
        return ""
    named = (call.arguments.get(key) for key in _ACTIONS)
    return next((value[:40] for value in named if isinstance(value, str) and value), "")


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple) and depth < 6:
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item, depth + 1)


def _looks(command: SimpleCommand) -> bool:
    if command.writes or command.appends:
        return all(path == "/dev/null" for path in (*command.writes, *command.appends)) and _looks_by_program(command)
    return _looks_by_program(command)


def _looks_by_program(command: SimpleCommand) -> bool:
    program = command.program
    if not program:
        return True
    if program == "git":
        return git.verb(command)[0] in _GIT_LOOKS
    if program in ("sed", "gsed"):
        return not any(touch.deed in files.CHANGES for touch in files.of_shell(" ".join(command.words)[:2000]))
    if program == "curl":
        return not {"-X", "-d", "--data", "-o", "-O", "-F", "-T", "--request", "--output"}.intersection(command.args)
    if program in _WITH_SUBCOMMAND:
        plain = [arg for arg in command.args if not arg.startswith("-")]
        return bool(_SUB_LOOKS.intersection(plain[:3])) or bool({"--version", "--help", "-h"}.intersection(command.args))
    if {"--version", "--help"}.intersection(command.args):
        return True
    return program in _LOOKS and not commands.inline_code(command)
