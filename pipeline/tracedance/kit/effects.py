"""Calls with an effect outside the session, whose repetition may double it, and results that leave open whether they had it."""

import re

import re2

from tracedance.kit.looking import looks_only, may_change, name_words
from tracedance.kit.needs import Needs, among, matching
from tracedance.kit.outcomes import TRANSIENT
from tracedance.kit.outputs import shown
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.kit.texts import valid, words
from tracedance.schema import ToolCall

_AMBIG = (
    r"(?im)\bgit\b[^;&|\n]*\bpush\b|\bgh (?:issue|pr|release) create\b|\bcurl\b[^;&|\n]*(?:-X\s*(?:POST|PUT|PATCH|DELETE)|--data|-d\s)"
    r"|\b(?:npm|cargo|twine|gem) (?:publish|upload|push)\b|\b(?:terraform|pulumi) (?:apply|up)\b|\bkubectl (?:apply|create|scale|rollout)\b"
    r"|\bhelm (?:install|upgrade)\b|\b(?:sbatch|qsub)\b|\bdocker (?:run|compose up)\b|\bnohup\b"
)
AMBIG_SIDE_EFFECT = re2.compile(_AMBIG)
"""A shell command that makes an external effect which a repeat would double."""

_TOOL = (
    r"(?i)send|reply|post|publish|tweet|book|reserve|order|purchase|buy|pay|transfer|charge|refund|cancel|modify|exchange|return|schedule"
    r"|invite"
    r"|grant|submit|create|insert|launch|trigger|deploy|start|message|update|add|request"
)
_VERBS = words(
    """
    send reply post publish tweet book reserve order purchase buy pay transfer charge refund cancel modify exchange return schedule invite
    grant submit create insert launch trigger deploy start message update add request
    """
)
_DOUBTFUL = (
    r"(?i)time[ds]? ?-?out|\bETIMEDOUT\b|\bECONN|socket hang up|connection (?:reset|refused|aborted|closed|lost|dropped)"
    r"|temporarily unavailable"
    r"|\b(?:429|500|502|503|504)\b|rate.?limit|too many requests|overloaded|try again later|deadline exceeded|service unavailable"
    r"|interrupted"
    r"|\bEAI_AGAIN\b|internal server error|bad gateway|no response|unknown (?:outcome|state|status)"
)
_ERROR = re2.compile(_DOUBTFUL)
_OPEN = re2.compile(
    r"(?i)[\"']?(?:status|state)[\"']?\s*[:=]\s*[\"']?(?:pending|accepted|unknown|processing|in_progress|queued)\b|\btimed out\b"
    r"|\bno response\b"
    r"|\boutcome (?:is )?unknown\b|\bstill processing\b|\bconnection (?:lost|dropped|reset)\b"
)
_NEVER_ARRIVED = re2.compile(
    r"(?i)connection refused|\bECONNREFUSED\b|\bENOTFOUND\b|\bEAI_AGAIN\b|could not resolve|name or service not known|getaddrinfo"
    r"|no route to host"
    r"|\b429\b|too many requests|rate.?limit|not processed|was not (?:created|sent|executed|applied)|validation|invalid"
    r"|before (?:it was )?sen[dt]"
)
_IDEMPOTENT = re.compile(
    r"(?i)idempoten|\bupsert\b|kubectl\s+apply|terraform\s+apply|pulumi\s+up|helm\s+upgrade|-X\s*(?:PUT|DELETE)|\bgit\b.*\bpush\b"
    r"|if[_ ]not[_ ]exists"
)
_QUOTING = words("echo printf grep rg cat")
_DRY = words("--dry-run -n --help")
_TOKEN = re.compile(r"[\w@.+-]+")


_BY_TOOL = ("api", "message", "other", "db", "job")


def doubtful() -> Needs:
    """The necessary condition of a call with an effect whose outcome is unknown."""
    failed = matching(_DOUBTFUL, "err_text", among("tool_class", "shell"), among("status", "error"))
    return (failed & matching(_AMBIG, "cmd", among("tool_class", "shell"))) | matching(_TOOL, "tool", among("tool_class", *_BY_TOOL))


def has_effect(call: ToolCall) -> bool:
    """Whether the call makes something happen outside that a repeat may make happen twice."""
    if call.tool_class == "shell":
        return AMBIG_SIDE_EFFECT.search(valid(call.cmd[:4000])) is not None and effect(call) is not None
    if call.tool_class not in _BY_TOOL or looks_only(call) or not may_change(call):
        return False
    return call.tool_class == "message" or bool(_VERBS.intersection(name_words(call.name)))


def effect(call: ToolCall) -> SimpleCommand | None:
    """The simple command of a shell call that has the effect: not one that is only quoted, echoed or run dry."""
    for command in parse(call.cmd):
        quoted = command.program in _QUOTING or bool(_DRY.intersection(command.args))
        if not quoted and AMBIG_SIDE_EFFECT.search(valid(command.text)):
            return command
    return None


def outcome_unknown(call: ToolCall) -> bool:
    """Whether the result leaves open if the effect took place: a time-out, a lost connection, a server error, a state yet to come."""
    result = call.result
    if result is None:
        return False
    if result.status == "error":
        return _ERROR.search(valid(result.error_text[:2048])) is not None or TRANSIENT.search(valid(result.error_text[:400])) is not None
    return result.status == "ok" and call.tool_class != "shell" and _OPEN.search(valid(shown(result)[:600])) is not None


def never_arrived(call: ToolCall) -> bool:
    """Whether the result shows that the effect cannot have taken place: the call never got there, or was turned away."""
    return call.result is not None and _NEVER_ARRIVED.search(valid(shown(call.result)[:2000])) is not None


def is_idempotent(call: ToolCall) -> bool:
    """Whether a repeat is harmless by its nature: a key, PUT, a declared state, a push of the same commits."""
    return _IDEMPOTENT.search(call.cmd if call.tool_class == "shell" else call.arguments_json[:20_000]) is not None


def likeness(one: ToolCall, other: ToolCall) -> float:
    """How alike the arguments of two calls of one tool are, 0 to 1 (Jaccard over words); 0 for different tools or programs."""
    if one.name != other.name:
        return 0.0
    if one.args_hash == other.args_hash:
        return 1.0
    first, second = one.arguments_json, other.arguments_json
    if one.tool_class == "shell":
        made, again = effect(one), effect(other)
        if made is None or again is None or made.program != again.program or made.args[:1] != again.args[:1]:
            return 0.0
        first, second = " ".join(made.words), " ".join(again.words)
    a, b = set(_TOKEN.findall(first[:20_000])), set(_TOKEN.findall(second[:20_000]))
    return len(a & b) / len(a | b) if a | b else 1.0
