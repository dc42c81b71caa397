"""Programs that only run another program: taken off, so that `sudo timeout 60 git add -A` reads `git add -A`."""

import re
from collections.abc import Mapping

_VALUED: Mapping[str, str] = {
    "sudo": "-u --user -g --group -h --host -p --prompt -C --chdir -D -R -T -U",
    "doas": "-u -C",
    "env": "-u --unset -C --chdir",
    "timeout": "-k --kill-after -s --signal",
    "gtimeout": "-k --kill-after -s --signal",
    "nice": "-n --adjustment",
    "ionice": "-c -n -p",
    "stdbuf": "-i -o -e",
    "nohup": "",
    "time": "-f -o",
    "setsid": "",
    "command": "",
    "builtin": "",
    "exec": "-a",
    "unbuffer": "",
    "caffeinate": "-t -w",
    "chronic": "",
    "rtk": "",
    "xargs": "-I -i -n -L -P -d -s -E -a --max-args --max-procs --delimiter --replace",
}
"""Wrapper -> its options that take a value as the next word."""
_WITH_DURATION = frozenset(("timeout", "gtimeout"))
_SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh", "ash"))
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_COMMAND_FLAG = re.compile(r"-[a-z]*c[a-z]*")
_LAYERS = 10


def unwrapped(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of the program that is run in the end."""
    for _ in range(_LAYERS):
        while words and _ASSIGNMENT.match(words[0]):
            words = words[1:]
        name = words[0].rpartition("/")[2] if words else ""
        if name not in _VALUED or (name == "command" and words[1:2] in (("-v",), ("-V",))):
            break
        rest = _after_options(words[1:], frozenset(_VALUED[name].split()))
        if name in _WITH_DURATION:
            rest = rest[1:]
        if not rest:
            break
        words = rest
    return words


def inner_script(words: tuple[str, ...], heredoc: str) -> str:
    """The shell text that these words run: `bash -lc TEXT`, `eval TEXT`, `bash <<EOF`; "" where there is none."""
    name = words[0].rpartition("/")[2] if words else ""
    if name == "eval":
        return " ".join(words[1:])
    if name not in _SHELLS:
        return ""
    for position, word in enumerate(words[1:], 1):
        if not word.startswith(("-", "+")):
            return ""
        if _COMMAND_FLAG.fullmatch(word):
            return next((text for text in words[position + 1 :] if not text.startswith("-")), "")
        if word == "-s":
            break
    return heredoc


def _after_options(words: tuple[str, ...], valued: frozenset[str]) -> tuple[str, ...]:
    position = 0
    while position < len(words) and words[position].startswith("-") and len(words[position]) > 1:
        if words[position] == "--":
            return words[position + 1 :]
        position += 2 if words[position] in valued else 1
    return words[position:]
