"""Calls with an effect outside the session, whose repetition may double it, and results that leave open whether they had it."""

import re
from collections.abc import Mapping
from typing import Any

from tracedance.kit import linear as re2
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
    r"|\bhelm (?:install|upgrade)\b|\b(?:sbatch|qsub|bsub|srun)\b|\bdocker (?:run|compose up)\b|\bnohup\b"
    r"|\b(?:gh|glab) [^;&|\n]{0,80}?\b(?:run|comment|note|create|merge|release|review|upload|dispatches|close|rerun|-X\s?POST|-[fF])\b"
    r"|\b(?:aws|gcloud|az|stripe|twilio|heroku|fly|flyctl|vercel|netlify|doctl|linode-cli|ibmcloud|oci|firebase|wrangler|railway"
    r"|render|argo"
    r"|argocd|airflow|prefect|dagster|temporal|jenkins-cli|circleci|tkn|nomad|sendgrid|mailgun|slack|shopify|hcloud|ansible|faas-cli"
    r"|sam|cdk"
    r"|serverless|sls|eas|kubectl|oc|rabbitmqadmin|nats|redis-cli|celery|databricks|snow|bq|spark-submit|modal|runpodctl|vastai|sky)\b"
    r"[^;&|\n]{0,120}?(?:\b|[-_:])(?:create|run|send|send-email|send-message|publish|submit|deploy|invoke|start|trigger|charge|refund|pay"
    r"|transfer|order|post|insert|launch|enqueue|xadd|[lr]push|put|copy|confirm|capture|release|job|call|cancel|resume|execute"
    r"|up)(?:\b|[-_:])"
    r"|\bhttps? (?:[^;&|\n]{0,80} )?POST\b|\bwget\b[^;&|\n]*--post|\bcurl\b[^;&|\n]*\s(?:-F|--json|--form)\s"
    r"|\b(?:mail|mailx|mutt|sendmail|swaks|msmtp|telegram-send|kafka-console-producer|spark-submit|grpcurl)\b"
    r"|(?:^|[\s/:_-])(?:send|notify|mail|pay|charge|refund|transfer|order|book|submit|trigger|dispatch|broadcast|invite|publish"
    r"|deploy|launch"
    r"|payout|invoice|release|announce|ship|enqueue|remit|disburse)[\w-]*\.(?:sh|py|m?[jt]s|rb|php|pl)\b"
    r"|(?:^|[\s;&])(?:\./|bin/|scripts/|npm run |pnpm |yarn |bun run |make |just |task |rake |php artisan |rails |composer |mix "
    r"|bundle exec rake "
    r"|\S*manage\.py )(?:[\w./-]*[-_:/])?(?:send|notify|mail|pay|charge|refund|transfer|order|book|submit|trigger|dispatch|broadcast|invite"
    r"|publish|deploy|launch|payout|release|announce|ship|enqueue)"
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
    r"|interrupted|\btimeout\b|unexpected EOF|broken pipe|remote end closed|server disconnected|no (?:answer|reply)|\bupstream\b"
    r"|stream error"
    r"|\bEAI_AGAIN\b|internal server error|bad gateway|no response|unknown (?:outcome|state|status)"
)
_ERROR = re2.compile(_DOUBTFUL)
_OPEN = re2.compile(
    r"(?i)[\"']?(?:status|state)[\"']?\s*[:=]\s*[\"']?(?:pending|accepted|unknown|processing|in_progress|queued)\b|\btimed out\b"
    r"|\bno response\b"
    r"|\boutcome (?:is )?unknown\b|\bstill processing\b|\bconnection (?:lost|dropped|reset)\b"
)
_NOTICE = 160
_ALONE = re2.compile(
    r"(?i)^\W*(?:(?:error|http|status|code)\W{0,3})*(?:5\d\d\b|(?:\w+ ?)?time[ds]? ?-?out|request timed|gateway|bad gateway|ECONN"
    r"|ETIMEDOUT|socket hang"
    r"|connection (?:reset|aborted|closed|lost|dropped)|no (?:response|answer|reply)|deadline exceeded|unexpected EOF|EOF\b"
    r"|broken pipe|interrupted"
    r"|service unavailable|internal server error|upstream|the (?:server|service|request|connection) (?:did not|timed|closed|was)"
    r"|(?:read|remote|connect|http|network|server|client)\w*(?:timeout|disconnected|error)\b)"
)
"""A result that is nothing but the notice of a lost answer, where the harness flags none."""
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
_LABELS = words(
    "subject title id request_id requestId client_id reference ref note notes description summary label name priority comment tag"
)
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
    text = valid(shown(result)[:600])
    if result.status != "ok" or (call.tool_class == "shell" and ("\n" in text.strip() or len(text) > _NOTICE)):
        return False
    return (len(text.strip()) <= _NOTICE and _ALONE.search(text) is not None) or (
        call.tool_class != "shell" and _OPEN.search(text) is not None
    )


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
    if one.tool_class != "shell" and _cosmetic(one.arguments, other.arguments):
        return 1.0
    a, b = set(_TOKEN.findall(first[:20_000])), set(_TOKEN.findall(second[:20_000]))
    return len(a & b) / len(a | b) if a | b else 1.0


def _cosmetic(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two sets of arguments differ in nothing but how the thing is called: a subject, a title, an id of the request."""
    changed = [key for key in {*one, *other} if one.get(key) != other.get(key)]
    return len(changed) < len(one) and all(key in _LABELS for key in changed)
