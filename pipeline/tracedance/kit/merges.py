"""Merges, rebases and the like that stopped: whether one is under way, and what concludes it."""

from tracedance.kit import files, git
from tracedance.kit.outputs import shown
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.schema import Session, ToolCall

STOPPING = ("merge", "rebase", "pull", "cherry-pick", "revert")


def concludes(command: SimpleCommand) -> bool:
    """`merge --continue` and the like, or a commit that takes the message which git had prepared for the merge."""
    verb, args = git.verb(command)
    own = {"--amend", "-C", "--fixup", "--squash"}.intersection(args)
    return git.concludes(command) or (verb == "commit" and "--no-edit" in args and not own)


def under_way(session: Session, before: int) -> bool:
    """Whether the last thing that git did before a turn was a merge or the like that stopped at a conflict."""
    for call in files.reversed_calls(session, 0, before):
        verbs = [git.verb(command) for command in parse(call.cmd)] if call.tool_class == "shell" and "git" in call.cmd else []
        if any(verb == "commit" or "--abort" in args or "--continue" in args for verb, args in verbs):
            return False
        if verbs and verbs[-1][0] == "status" and _is_clean(call):
            return False
        if any(verb in STOPPING for verb, _ in verbs):
            return call.result is not None and "conflict" in shown(call.result).lower()
    return False


def _is_clean(call: ToolCall) -> bool:
    """Whether a status showed that nothing is changed: then nothing is under way."""
    text = shown(call.result) if call.result is not None and call.result.status == "ok" else "?"
    text = text.partition("Output:\n")[2] if "\nOutput:\n" in text else text
    return "nothing to commit" in text or not any(line.strip() and not line.startswith("## ") for line in text.split("\n"))
