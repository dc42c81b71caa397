"""What the agent itself brought into being in this session, and may therefore dispose of."""

from collections.abc import Iterable

from tracedance.kit import changes, files, git, paths
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.schema import Session, ToolCall

_MAKERS = frozenset(("mkdir", "cp", "rsync", "tar", "unzip", "touch", "ln", "mktemp", "virtualenv", "install", "createdb", "initdb"))
_NAMED_BY_MAKERS = 400


def made(session: Session, target: str, before: int) -> int | None:
    """The turn before `before` in which a call of this session created `target` (a path, a branch, a volume, a table); None where none did.

    A file that was written into an existing folder does not make the folder.
    """
    if not target or target.startswith("$"):  # a shell variable says nothing outside its own call
        return None
    for call in files.reversed_calls(session, 0, before):
        if files.took_effect(call) and (_wrote(call, target) or (call.tool_class == "shell" and _created(call.cmd, target))):
            return call.turn
    return None


def made_in(command: str, target: str) -> bool:
    """Whether a shell text itself creates the target: `tmp=$(mktemp -d)`, `mkdir x && ... && rm -r x`."""
    if target.startswith("$"):
        name = target.strip("${}\"'").split("/")[0].rstrip("}")
        return f"{name}=$(mktemp" in command or f"{name}=`mktemp" in command
    return _created(command, target)


def _wrote(call: ToolCall, target: str) -> bool:
    written = (touch.path for touch in files.touches(call) if touch.deed == "write")
    return any(paths.same(path, target) for path in written)


def _created(command: str, target: str) -> bool:
    return any(_makes(each, target) for each in parse(command))


def _makes(command: SimpleCommand, target: str) -> bool:
    verb, args = git.verb(command)
    if verb in ("clone", "init", "worktree", "checkout", "switch", "branch", "stash"):
        return _by_git(verb, args, target)
    makes = command.program in _MAKERS or any(
        word in ("create", "init", "new", "venv", "scaffold", "run", "apply") for word in command.args[:4]
    )
    return makes and _named(command.args, command.folder, target)


def _by_git(verb: str, args: tuple[str, ...], target: str) -> bool:
    if verb in ("checkout", "switch", "branch"):
        creates = verb == "branch" or {"-b", "-B", "-c", "-C"}.intersection(args)
        return bool(creates) and target in args and "-D" not in args and "-d" not in args
    if verb == "stash":
        return False
    cloned = [arg for arg in args if not arg.startswith("-")]
    into = cloned[-1].rpartition("/")[2].removesuffix(".git") if verb == "clone" and cloned else ""
    return _named(args, "", target) or (bool(into) and paths.name(target) == into)


def _named(args: Iterable[str], folder: str, target: str) -> bool:
    return any(paths.same(paths.joined(folder, arg), target) for arg in list(args)[:_NAMED_BY_MAKERS] if not arg.startswith("-"))


def own_only(session: Session, path: str, before: int) -> bool:
    """Whether the uncommitted content of a file is the agent's own: it changed it by name, and no list of changes showed it before that."""
    first = next(
        (call for turn in session.turns[:before] for call in turn.calls if any(paths.same(path, each) for each in changes.named(call))),
        None,
    )
    if first is None:
        return False
    shown = (result.text for turn in session.turns[: first.turn] for result in turn.results)
    return not any(f"M {paths.plain(path)}" in text or f"modified:   {paths.plain(path)}" in text for text in shown)
