"""Runs the shell commands of an invented session against its tree. It knows what the scenes use and refuses the rest loudly."""

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass

from tracedance.synth.git import Git
from tracedance.synth.toolchain import Toolchain
from tracedance.synth.tree import Tree

Ran = tuple[str, int]
MESSAGE = re.compile(r"\"\$\(cat <<'EOF'\n(.*?)\nEOF\n\)\"", re.S)
HEREDOC = re.compile(r"^cat (>>?) (\S+) <<'EOF'\n(.*)\nEOF$", re.S)


@dataclass
class Shell:
    tree: Tree
    tools: Toolchain

    def run(self, command: str) -> Ran:
        """Output (stdout and stderr together) and exit code of a command line."""
        command = MESSAGE.sub(lambda match: shlex.quote(match[1]), command)
        written = HEREDOC.match(command)
        if written:
            return self._redirect(written[1], written[2], written[3] + "\n")
        told: list[str] = []
        code = 0
        for joint, pipe in _chain(command):
            if (joint == "&&" and code) or (joint == "||" and not code):
                continue
            text, code = self._pipe(pipe)
            told.append(text.rstrip("\n"))
        return "\n".join(text for text in told if text), code

    def _pipe(self, stages: list[str]) -> Ran:
        text, code = "", 0
        for number, stage in enumerate(stages):
            text, code = self._one(stage, text if number else None)
        return text, code

    def _one(self, command: str, fed: str | None) -> Ran:
        command = re.sub(r"\s*(2>&1|2>/dev/null)", "", command).strip()
        ran = self.tools.run(command)
        if ran is not None:
            return ran
        redirect = re.match(r"(.*?)\s*(>>?)\s*(\S+)$", command, re.S)
        if redirect and not command.startswith("git"):
            text, code = self._one(redirect[1], fed)
            return self._redirect(redirect[2], redirect[3], text + "\n") if code == 0 else (text, code)
        name, *args = shlex.split(command)
        if name == "git":
            return Git(self.tree).run(args)
        if name not in COMMANDS:
            raise ValueError(f"The shell of the scenes does not know {command!r}.")
        return COMMANDS[name](self, args, fed)

    def _redirect(self, mark: str, path: str, text: str) -> Ran:
        before = self.tree.work.get(path, "") if mark == ">>" else ""
        self.tree.work[path] = before + text
        return "", 0

    def text_of(self, path: str) -> str | None:
        return self.tree.work.get(path.removeprefix("./"))


def _chain(command: str) -> list[tuple[str, list[str]]]:
    """[(joint before it, stages of the pipe)], split outside quotes."""
    parts = re.findall(r"""(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^'"&|;\\]|&(?!&)|(?<=>)&)+|&&|\|\||\||;""", command)
    chain: list[tuple[str, list[str]]] = [("", [])]
    for part in parts:
        if part in ("&&", "||", ";"):
            chain.append((part, []))
        elif part != "|":
            chain[-1][1].append(part)
    return chain


def _cat(shell: Shell, args: list[str], fed: str | None) -> Ran:
    told, code = [], 0
    for path in [arg for arg in args if not arg.startswith("-")]:
        text = shell.text_of(path)
        told.append(f"cat: {path}: No such file or directory" if text is None else text.rstrip("\n"))
        code = code or int(text is None)
    return "\n".join(told), code


def _sed(shell: Shell, args: list[str], fed: str | None) -> Ran:
    if args[0] == "-n":
        first, last = (int(number) for number in args[1].rstrip("p").split(","))
        text = fed if len(args) == 2 else shell.text_of(args[2])
        return ("sed: can't read", 2) if text is None else ("\n".join(text.splitlines()[first - 1 : last]), 0)
    script, paths = args[1], args[2:]
    mark = script[1]
    _, old, new, flags = script.split(mark)
    pattern = re.compile(old if old.endswith(".*") else re.escape(old))
    for path in paths:
        lines = shell.tree.work[path].split("\n")
        shell.tree.work[path] = "\n".join(pattern.sub(lambda _: new, line, 0 if "g" in flags else 1) for line in lines)
    return "", 0


def _grep(shell: Shell, args: list[str], fed: str | None) -> Ran:
    flags, plain, after = "", [], 0
    waiting = False
    for arg in args:
        if waiting:
            after, waiting = int(arg), False
        elif arg in ("-A", "-C"):
            waiting = True
        elif arg.startswith("-"):
            flags += arg[1:]
        else:
            plain.append(arg)
    pattern, names = plain[0].replace("\\", ""), plain[1:]
    paths = [
        path
        for path in sorted(shell.tree.work)
        if not names or any(path == n or path.startswith(n.rstrip("/") + "/") or n == "." for n in names)
    ]
    single = len(names) == 1 and names[0] in shell.tree.work
    told: list[str] = []
    for path in paths if fed is None else ["-"]:
        lines = (shell.tree.work[path] if fed is None else fed).splitlines()
        hits = [at for at, line in enumerate(lines) if any(one in line for one in pattern.split("|"))]
        if "l" in flags and hits:
            told.append(path)
            continue
        shown = sorted({at + more for at in hits for more in range(after + 1) if at + more < len(lines)})
        for at in shown:
            mark = ":" if at in hits else "-"
            told.append(("" if single or fed is not None else path + mark) + (f"{at + 1}{mark}" if "n" in flags else "") + lines[at])
    return "\n".join(told), int(not told)


def _ls(shell: Shell, args: list[str], fed: str | None) -> Ran:
    names = [arg.rstrip("/") for arg in args if not arg.startswith("-")] or ["."]
    told, code = [], 0
    for name in names:
        if name in shell.tree.work:
            told.append(name)
            continue
        prefix = "" if name == "." else name + "/"
        below = {path[len(prefix) :].split("/")[0] for path in shell.tree.work if path.startswith(prefix)}
        shown = sorted(entry for entry in below if not entry.startswith(".") or any(arg.startswith("-") and "a" in arg for arg in args))
        told += shown if below else [f"ls: {name}: No such file or directory"]
        code = code or int(not below)
    return "\n".join(told), code


def _head(shell: Shell, args: list[str], fed: str | None) -> Ran:
    count, path = _count(args)
    text = fed if path is None else shell.text_of(path)
    return "\n".join((text or "").splitlines()[:count]), 0


def _tail(shell: Shell, args: list[str], fed: str | None) -> Ran:
    count, path = _count(args)
    text = fed if path is None else shell.text_of(path)
    return "\n".join((text or "").splitlines()[-count:]), 0


def _count(args: list[str]) -> tuple[int, str | None]:
    numbers = [int(arg.lstrip("-")) for arg in args if arg.lstrip("-").isdigit()]
    paths = [arg for arg in args if not arg.startswith("-") and not arg.isdigit()]
    return (numbers or [10])[0], paths[0] if paths else None


def _wc(shell: Shell, args: list[str], fed: str | None) -> Ran:
    paths = [arg for arg in args if not arg.startswith("-")]
    if not paths:
        return str(len((fed or "").splitlines())), 0
    return "\n".join(f"{len((shell.text_of(path) or '').splitlines()):>8} {path}" for path in paths), 0


def _move(shell: Shell, args: list[str], fed: str | None) -> Ran:
    shell.tree.work[args[1]] = shell.tree.work.pop(args[0])
    return "", 0


def _copy(shell: Shell, args: list[str], fed: str | None) -> Ran:
    shell.tree.work[args[1]] = shell.tree.work[args[0]]
    return "", 0


def _echo(shell: Shell, args: list[str], fed: str | None) -> Ran:
    return " ".join(args), 0


def _nothing(shell: Shell, args: list[str], fed: str | None) -> Ran:
    return "", 0


COMMANDS: dict[str, Callable[[Shell, list[str], str | None], Ran]] = {
    "cat": _cat,
    "sed": _sed,
    "grep": _grep,
    "rg": _grep,
    "ls": _ls,
    "head": _head,
    "tail": _tail,
    "wc": _wc,
    "mv": _move,
    "cp": _copy,
    "echo": _echo,
    "cd": _nothing,
    "mkdir": _nothing,
    "chmod": _nothing,
}
