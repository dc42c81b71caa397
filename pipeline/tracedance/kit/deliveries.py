"""Steps that hand something over to a recipient, whether they did, and whether the next turn makes up for it where they did not."""

import re

import re2

from tracedance.kit.looking import looks_only, name_words
from tracedance.kit.needs import Needs, among, matching
from tracedance.kit.outputs import shown
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.kit.texts import valid, words
from tracedance.schema import ToolCall, Turn

_TOOL = r"(?i)send|reply|post|publish|notify|forward|deliver|upload|comment|share|message|tweet|broadcast"
_COMMAND = (
    r"(?is)\bgh\s+(?:pr|issue)\s+(?:comment|review)\b|\bgh\s+(?:release\s+upload|gist\s+create)\b|\b(?:mail|mailx|mutt|sendmail|swaks|msmtp|telegram-send)\b"
    r"|\bcurl\b.*(?:webhook|hooks|telegram|[Ss]endMessage|postMessage|/messages?|/comments?|/notify)|\bscp\b|\baws\s+s3\s+cp\b|\bgsutil\s+cp\b"
)
_VERBS = words("send reply post publish notify forward deliver upload comment share message tweet broadcast")
_NO_DELIVERY = words(
    "get list read search find view fetch check draft drafts create_draft delete edit browser playwright puppeteer chrome mark"
)
_MAILERS = words("mail mailx mutt sendmail swaks msmtp telegram-send scp")
_HOOK = re2.compile(
    r"(?i)webhook|hooks\.slack|/hooks/|api\.telegram\.org|sendMessage|chat\.postMessage|/messages?\b|/comments?\b|/notify\b"
)
_UNDELIVERED = re2.compile(
    r"(?i)[\"']?delivered[\"']?\s*[:=]\s*(?:false|0\b)|[\"'](?:ok|success|sent)[\"']\s*:\s*false"
    r"|[\"']?status[\"']?\s*[:=]\s*[\"']?(?:failed|failure|dropped|rejected|undelivered|bounced|not_sent|error)\b"
    r"|\bunknown (?:target|recipient|channel|chat|user)\b|\bnot (?:been )?(?:delivered|sent)\b"
    r"|\bcould not be (?:delivered|sent)\b|\bNO_REPLY\b"
    r"|\bundeliverable\b|\bmessage (?:is )?too (?:long|large)\b|\bpayload too large\b|\bchannel_not_found\b"
    r"|\bno (?:such )?recipients?\b|\bbounced\b"
)
_SAYS_SO = re2.compile(
    r"(?i)(?:\bnot|n['’]t|\bnever|\bunable to|\bfail(?:ed|s|ing)? to|\bcannot)\s+(?:\w+\s+){0,4}?"
    r"(?:send|sent|deliver(?:ed)?|post(?:ed)?|reach(?:ed)?|upload(?:ed)?|publish(?:ed)?|forward(?:ed)?|notif\w+|go through"
    r"|gone through|share[d]?"
    r"|arriv\w+|message[d]?|comment(?:ed)?|be delivered)\b"
    r"|\b(?:undelivered|undeliverable|bounced)\b|\b(?:send|sending|delivery|message|post|comment|upload|mail|e-?mail)\b.{0,60}"
    r"\b(?:fail(?:ed|s|ure)?|was (?:rejected|refused|blocked|denied)|error)\b"
    r"|\b(?:refused|rejected|denied|blocked)\b.{0,60}\b(?:message|post"
    r"|comment|mail|target|upload|send)"
)
_READ = 20_000


def delivers() -> Needs:
    """The necessary condition of a delivery."""
    return matching(_TOOL, "tool") | matching(_COMMAND, "cmd", among("tool_class", "shell"))


def is_delivery(call: ToolCall) -> bool:
    """Whether the call hands something to a recipient: messages, mails, posts, comments, uploads. A browser's file dialogue does not."""
    if call.tool_class == "shell":
        return any(_hands_over(command) for command in parse(call.cmd))
    if call.tool_class not in ("message", "api", "other", "web"):
        return False
    verbs = name_words(call.name)
    whole = call.name.lower()
    if _NO_DELIVERY.intersection(verbs) or "browser" in whole or "draft" in whole or looks_only(call):
        return False
    return bool(_VERBS.intersection(verbs)) or call.tool_class == "message"


def undelivered(call: ToolCall, soft: bool = True) -> str:
    """How a delivery failed: its error class, or (with `soft`) what an unflagged result says; "" where it went through."""
    result = call.result
    if result is None or result.status not in ("ok", "error"):
        return ""
    if result.status == "error":
        return result.error_class or "other"
    found = _UNDELIVERED.search(valid(shown(result)[:4000])) if soft else None
    return found[0].strip()[:60] if found is not None else ""


def content(call: ToolCall) -> str:
    """What the call was to hand over: the longest text among its arguments."""
    return max((value for value in call.arguments.values() if isinstance(value, str)), key=len, default="")


def says_undelivered(text: str) -> bool:
    """Whether a text tells its reader that something was not delivered."""
    return _SAYS_SO.search(valid(text[:_READ])) is not None


def repeats(text: str, call: ToolCall) -> bool:
    """Whether a text holds what the call was to hand over, so that its reader has it all the same."""
    sent = " ".join(content(call).split())
    plain = " ".join(text.split())
    pieces = [piece for piece in re.split(r"(?<=[.!?\n])\s", sent) if len(piece) >= 12] or [sent]
    return len(sent) >= 12 and 2 * sum(piece in plain for piece in pieces) >= len(pieces)


def makes_up_for(turn: Turn, call: ToolCall) -> bool:
    """Whether a turn delivers in another way, finds out how, asks, waits for the outcome, or tells that nothing was delivered."""
    if says_undelivered(turn.text) or (turn.text and repeats(turn.text, call)):
        return True
    for made in turn.calls:
        if made.tool_class in ("ask", "job"):
            return True
        if is_delivery(made) and (made.name != call.name or made.args_hash != call.args_hash):
            return True
    others = [made for made in turn.calls if made.tool_class != "plan"]
    return bool(others) and all(looks_only(made) for made in others)


def _hands_over(command: SimpleCommand) -> bool:
    program, args = command.program, command.args
    if program == "gh":
        return args[:2] in (("pr", "comment"), ("issue", "comment"), ("pr", "review"), ("release", "upload"), ("gist", "create"))
    if program == "curl":
        return (
            bool({"-d", "--data", "-F", "-T", "--data-binary", "--json"}.intersection(args))
            and _HOOK.search(valid(command.text)) is not None
        )
    if program in ("aws", "gsutil"):
        return "cp" in args[:2]
    return program in _MAILERS
