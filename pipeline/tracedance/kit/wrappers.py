"""Programs that only run another program: taken off, so that `sudo timeout 60 git add -A` reads `git add -A`."""

import re
from collections.abc import Mapping

from tracedance.kit import texts

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
    "flock": "-w --timeout -E",
    "watch": "-n --interval",
    "parallel": "-j --jobs",
    "su-exec": "",
    "gosu": "",
    "xargs": "-I -i -n -L -P -d -s -E -a --max-args --max-procs --delimiter --replace",
}
"""Wrapper -> its options that take a value as the next word."""
_WITH_OPERAND = frozenset(("timeout", "gtimeout", "flock", "su-exec", "gosu"))
"""Wrappers with one operand of their own (a duration, a lock, a user) before the command."""
_SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh", "ash"))
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_COMMAND_FLAG = re.compile(r"-[a-z]*c[a-z]*")
_LAYERS = 10
_SSH_VALUED = texts.words("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w")
_CONTAINERS = frozenset(("docker", "podman", "nerdctl", "docker-compose", "podman-compose"))
_CONTAINER_VALUED = texts.words(
    """
    -e --env --env-file -u --user -w --workdir -v --volume --mount -p --publish --name --network --net --entrypoint --platform -h --hostname
    -l --label --memory -m --cpus --add-host --gpus --ulimit --shm-size --pull --cap-add --cap-drop --device --dns --restart --detach-keys
    --index -f --file --project-directory --profile -c --context -H --host -a --attach --ipc --pid --security-opt --tmpfs --userns
    """
)
_EXECS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))


def unwrapped(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of the program that is run in the end."""
    for _ in range(_LAYERS):
        while words and _ASSIGNMENT.match(words[0]):
            words = words[1:]
        name = words[0].rpartition("/")[2] if words else ""
        if name not in _VALUED or (name == "command" and words[1:2] in (("-v",), ("-V",))):
            break
        rest = _after_options(words[1:], frozenset(_VALUED[name].split()))
        if name in _WITH_OPERAND:
            rest = rest[1:]
        if not rest:
            break
        words = rest
    return words


def carried(words: tuple[str, ...], fed_script: bool = False) -> list[tuple[tuple[str, ...], bool]]:
    """Commands that these words make another program run, each with whether it runs on another machine or in a container.

    `find -exec`, `fd -x`, `su -c`, `ssh host "..."` (a script, as is a here-document for it) and `docker exec|run`, `kubectl exec --`.
    """
    name = words[0].rpartition("/")[2] if words else ""
    if name == "find":
        return [(each, False) for each in _executed(words)]
    if name in ("fd", "fdfind") and (marks := [mark for mark in ("-x", "-X", "--exec", "--exec-batch") if mark in words]):
        return [(words[words.index(marks[0]) + 1 :], False)]
    if name == "su" and "-c" in words:
        return [(("sh", "-c", *words[words.index("-c") + 1 :][:1]), False)]
    if name == "ssh":
        rest = _after_options(words[1:], _SSH_VALUED)[1:]
        rest = _after_options(rest, _SSH_VALUED)
        if fed_script and (not rest or rest[0] in _SHELLS):
            return [(rest or ("sh", "-s"), True)]
        return [(("sh", "-c", " ".join(rest)), True)] if rest else []
    if name in _CONTAINERS:
        return [(rest, True)] if (rest := _in_container(words[1:])) else []
    if name in ("kubectl", "oc") and "exec" in words and "--" in words:
        return [(rest, True)] if (rest := words[words.index("--") + 1 :]) else []
    return []


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


def _executed(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The commands of `find`'s -exec actions."""
    found: list[tuple[str, ...]] = []
    start = -1
    for position, word in enumerate(words):
        if word in _EXECS:
            start = position + 1
        elif start > 0 and word in (";", "+", "\\;"):
            found.append(words[start:position])
            start = -1
    if start > 0:
        found.append(words[start:])
    return [each for each in found if each]


def _in_container(args: tuple[str, ...]) -> tuple[str, ...]:
    """The command after `docker [compose] exec|run [options] CONTAINER`; () where there is none."""
    rest = _after_options(args, _CONTAINER_VALUED)
    if rest[:1] in (("compose",), ("container",)):
        rest = _after_options(rest[1:], _CONTAINER_VALUED)
    if rest[:1] not in (("exec",), ("run",)):
        return ()
    return _after_options(rest[1:], _CONTAINER_VALUED)[1:]
