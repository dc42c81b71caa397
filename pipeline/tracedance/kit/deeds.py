"""Which calls can have done what a verb says: sent, booked, saved, ran, read."""

import re
from collections.abc import Iterator

from tracedance.kit import commands, git, outward, paths
from tracedance.kit.memo import once
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.kit.texts import words
from tracedance.kit.verdicts import looks_up
from tracedance.schema import Session, ToolCall, ToolClass

_BY_VERB: tuple[tuple[str, frozenset[ToolClass], str], ...] = (
    (
        "sent emailed mailed messaged texted posted replied answered notified informed told forwarded delivered shared published left",
        frozenset(("message",)),
        "send|post|reply|notif|mail|messag|comment|publish|share|invit|forward|answer",
    ),
    (
        "scheduled rescheduled booked rebooked reserved ordered purchased bought paid charged renewed registered subscribed enrolled placed"
        " cancelled canceled refunded processed transferred issued invited",
        frozenset(),
        "",
    ),
    (
        "created generated added updated saved recorded set wrote written deleted removed filed"
        " opened submitted merged exported attached archived backed",
        frozenset(("write", "edit", "message", "db", "job")),
        "",
    ),
    ("disabled enabled stopped", frozenset(("write", "edit", "job")), ""),
    (
        "checked searched reviewed read verified examined inspected accessed visited looked",
        frozenset(("read", "search", "web", "db", "message", "plan", "edit", "write")),
        ".",
    ),
    (
        "pushed committed deployed uploaded downloaded installed restarted ran run executed tested benchmarked measured",
        frozenset(("job",)),
        "run|exec|test|deploy|push|upload|download|install|restart|commit|python|bench|measure",
    ),
)
"""(verbs, tool classes that can do it, words of a tool's name that can do it; "" for any tool that does more than look something up)"""
_OF_VERB = {verb: (kinds, named) for verbs, kinds, named in reversed(_BY_VERB) for verb in verbs.split()}
_LOOKERS = words(
    "cat ls grep egrep rg head tail find fd wc echo pwd cd tree which type file du df stat sort uniq jq less true test printf sed nl bat"
)
_ID = re.compile(
    r"[\w.+-]+@[\w-]+\.[\w.]+|\b(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{5,}\b|\b[\w./~-]*\w\.(?:[a-z]{1,4}|json|yaml|toml"
    r"|jsonl)\b(?!\.\w)"
)
_PROSE_DOTS = frozenset(("e.g", "i.e", "etc.", "vs."))


def performing(session: Session, verb: str, before: int) -> Iterator[ToolCall]:
    """Calls of turns up to and with `before` that can have done it; sub-agents can have done anything."""
    for turn in session.turns[: before + 1]:
        yield from (call for call in turn.calls if performs(call, verb))


def performs(call: ToolCall, verb: str) -> bool:
    """Whether this call can have done what the verb says, whatever came of it."""
    if call.result is not None and call.result.status in ("refused", "cancelled", "interrupted"):
        return False
    if call.tool_class in ("subagent", "skill"):
        return True
    kinds, named = _OF_VERB.get(verb, (frozenset[ToolClass](), ""))
    if call.tool_class == "shell":
        return named == "." or _acts_by_shell(call)
    if named != "." and (looks_up(call.name) or outward.reads(call)) and call.tool_class == "message":
        return False
    if call.tool_class in kinds:
        return True
    if call.tool_class not in ("api", "other", "message", "web", "job", "db"):
        return False
    return (named == "." or not looks_up(call.name)) and re.search(named, call.name, re.IGNORECASE) is not None


def effectful(call: ToolCall) -> bool:
    """Whether the call can have had any effect beyond showing something."""
    return call.tool_class not in ("read", "search", "plan", "ask", "web") and any(
        performs(call, verbs.split()[0]) for verbs, _, _ in _BY_VERB[:4]
    )


def identifiers(statement: str) -> list[str]:
    """What the statement names exactly: addresses, codes, files; a path by its last part."""
    found = (match.strip(".,") for match in _ID.findall(statement))
    return [paths.name(each) for each in found if each.lower() not in _PROSE_DOTS and len(each) > 2]


def concerns(call: ToolCall, names: list[str], since: int = 0) -> bool:
    """Whether the call names one of these, in arguments or result; sub-agents, and scripts from `since` on, may concern anything."""
    if call.tool_class in ("subagent", "skill"):
        return True
    if (
        call.tool_class == "shell"
        and call.turn >= since
        and any(commands.inline_code(command) or commands.runs_script(command) for command in parse(call.cmd))
    ):
        return True
    told = call.arguments_json + (call.result.text[:200_000] if call.result is not None else "")
    return any(name in told for name in names)


@once
def _acts_by_shell(call: ToolCall) -> bool:
    return any(_acts(command) for command in parse(call.cmd))


def _acts(command: SimpleCommand) -> bool:
    verb, _ = git.verb(command)
    if verb:
        return verb not in ("status", "log", "diff", "show", "blame", "branch", "remote", "rev-parse")
    if command.program == "sed" and any(re.match(r"-\w*i|--in-place", arg) for arg in command.args):
        return True
    return command.program not in _LOOKERS or bool(command.writes or command.appends)
