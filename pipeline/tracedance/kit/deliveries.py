"""Steps that hand something over to a recipient, whether they did, and whether the next turn makes up for it where they did not."""

import re

from tracedance.kit import commands
from tracedance.kit import linear as re2
from tracedance.kit.looking import looks_only, name_words, objects
from tracedance.kit.needs import Needs, among, matching
from tracedance.kit.outputs import shown
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.kit.texts import valid, words
from tracedance.schema import ToolCall, Turn

_TOOL = r"(?i)send|reply|post|publish|notify|forward|deliver|upload|comment|share|message|tweet|broadcast"
_COMMAND = (
    r"(?is)\bgh\s+(?:pr|issue)\s+(?:comment|review)\b|\bgh\s+(?:release\s+upload|gist\s+create)\b|\b(?:mail|mailx|mutt|sendmail|swaks"
    r"|msmtp|telegram-send)\b"
    r"|\bcurl\b.*(?:-d|--data|-F|-T|--form|--upload-file|--json)|\bscp\b|\baws\s+(?:s3|sns|sqs|sesv?2?)\s|\bgsutil\b|\brclone\b"
    r"|\b(?:sftp|slackcat|ntfy|signal-cli|wormhole|croc|lpr?|neomutt|s-nail|twilio)\b|\bgit\b.*\bsend-email\b|\bglab\s+(?:mr|issue)\s"
)
_VERBS = words("send reply post publish notify forward deliver upload comment share message tweet broadcast")
_NO_DELIVERY = words(
    "get list read search find view fetch check draft drafts create_draft delete edit browser playwright puppeteer chrome mark"
)
_MAILERS = words("mail mailx mutt sendmail swaks msmtp telegram-send scp sftp slackcat ntfy signal-cli wormhole croc lp lpr neomutt s-nail")
_SERVICES = (("sns", "publish"), ("ses", "send-email"), ("sesv2", "send-email"), ("sqs", "send-message"), ("s3", "cp"), ("s3", "sync"))
_HOOK = re2.compile(
    r"(?i)webhook|hooks\.slack|/hooks/|api\.telegram\.org|sendMessage|chat\.postMessage|/messages?\b|/comments?\b|/notify\b"
    r"|discord|mattermost|/rooms?/|matrix|office\.com|ntfy\.sh|pushover|/alerts?\b|/send\b|/mail\b"
)
_BY_SCRIPT = r"(?i)(?:^|[/\s])(?:(?:send|notify|mail|e-?mail|upload|announce)[\w-]*|deliver(?:er)?(?:[_-][\w-]*)?)"
_BY_SCRIPT += r"(?:\.(?:sh|py|m?[jt]s|rb|php|pl)\b|\s|$)"
_SCRIPT = re2.compile(_BY_SCRIPT)
_UPLOAD = re.compile(r"\s(?:-T|--upload-file)\s|\s(?:-F|--form)\s*[\"']?\w+=@")
_UNDELIVERED = re2.compile(
    r"(?im)[\"']?delivered[\"']?\s*[:=]\s*(?:false|0\b)|[\"'](?:ok|success|sent)[\"']\s*:\s*false"
    r"|[\"']?status[\"']?\s*[:=]\s*[\"']?(?:failed|failure|dropped|rejected|undelivered|bounced|not_sent|error)\b"
    r"|\bunknown (?:target|recipient|channel|chat|user)\b|\bnot (?:been )?(?:delivered|sent)\b"
    r"|\bcould not be (?:delivered|sent)\b|\bNO_REPLY\b"
    r"|\bundeliverable\b|\bmessage (?:is )?too (?:long|large)\b|\bpayload too large\b|\bchannel_not_found\b"
    r"|\bno (?:such )?recipients?\b|\bbounced\b|\b(?:message|text|body|attachment|file) (?:is |was )?too (?:long|large|big)\b"
    r"|\b(?:mailbox|inbox|quota) (?:is )?(?:full|unavailable|exceeded)\b|\bover quota\b|\bdelivery (?:has )?failed\b"
    r"|\bfailed to (?:deliver|send|post)\b"
    r"|\b(?:user|recipient|peer|chat|channel|host) (?:is )?(?:not found|unknown|unreachable|not reachable|archived|closed|blocked)\b"
    r"|[\"']delivered(?:_to)?[\"']\s*:\s*(?:\[\s*\]|null)|[\"'](?:failed|rejected|bounced)(?:_recipients)?[\"']\s*:\s*(?:[1-9]|\[\s*[\"'{])"
    r"|\b(?:delivered|sent|posted) to 0\b|\b0 (?:recipients|delivered|sent)\b|^\W*(?:http[/ ]?[\d.]* ?)?[45]\d\d\b"
    r"|^\W*(?:invalid_\w+|no_(?:service|team|text)|channel_is_\w+|channel_not_found|not_in_channel|action_prohibited|timeout|timed out)\W*$"
)
_NOTICE = 400
_THROUGH = re2.compile(
    r"(?im)[\"'](?:ok|success|sent|delivered)[\"']\s*:\s*true|^\W*(?:sent|delivered|posted|ok|done|success\w*|uploaded)\b"
    r"|[\"']status[\"']\s*:\s*[\"'](?:sent|delivered|ok|success|posted)[\"']|\bmessage_?id\b"
)
_TURNED_AWAY = re2.compile(
    r"(?i)\btoo (?:large|big|long)\b|\bexceeds? (?:the |a )?(?:\w+ ){0,3}(?:limit|maximum|size|length)\b|\bexceeds \d|\bmust not exceed\b"
    r"|\b(?:dropped|discarded|suppressed|undelivered|unreachable|offline|opted out|unsubscribed|rejected|refused)\b"
    r"|\bno (?:such|known) (?:user|chat|channel|room|target|agent|session|member|contact|address|recipient)\b|\bnot (?:a member"
    r"|in channel|reachable|found)\b"
    r"|\b(?:could not|cannot|can't|couldn't|unable to|failed to) (?:be )?(?:reach|find|deliver|resolve|send|post|connect|upload)\w*"
    r"|\bno (?:agent|session|subscriber|recipient|listener)s?\b|\bpermanent (?:failure|error)\b|\bnobody\b|\b5\.\d\.\d\b|\baccess ?denied\b"
)
"""How a short answer says it; not where the text was taken, since such an answer may quote it."""
_SAYS_SO = re2.compile(
    r"(?i)\b(?:nothing|none of (?:it|this|them)|no (?:mail|e-?mail|message|reminder|note|file|invitation|comment|notification|one|copy))\b"
    r"(?:\s+\w+){0,4}?\s+(?:sent|gone|delivered|posted|shared|uploaded|forwarded|got|reached|received|arrived|went|published)\b"
    r"|(?:\bnot|n['’]t)\s+(?:yet\s+)?(?:gone|left|out|leave|go|got|get|have (?:it|them)|received?|know)\b"
    r"|(?:\bcannot|n['’]t|\bunable to|\bno way to|\bnot able to)\s+(?:do that|do this|do so|be done)\b"
    r"|\b(?:don['’]t|do not) have (?:a|an|any|the) (?:\w+ ){0,3}(?:tool|way|address|channel|number|access|permission)\b"
    r"|\b(?:tool|channel|program|command)s? (?:is|are|was|were) not (?:one of mine|mine|available|offered|there)\b"
    r"|\bno such (?:tool|channel)\b"
    r"|\b(?:was|is|were|got|it['’]s|came) (?:refused|rejected|bounced|blocked|returned|back undelivered)\b"
    r"|"
    r"(?:\bnot|n['’]t|\bnever|\bunable to|\bfail(?:ed|s|ing)? to|\bcannot)\s+(?:\w+\s+){0,4}?"
    r"(?:send|sent|deliver(?:ed)?|post(?:ed)?|reach(?:ed)?|upload(?:ed)?|publish(?:ed)?|forward(?:ed)?|notif\w+|go through"
    r"|gone through|share[d]?"
    r"|arriv\w+|message[d]?|comment(?:ed)?|be delivered)\b"
    r"|\b(?:undelivered|undeliverable|bounced)\b|\b(?:send|sending|delivery|message|post|comment|upload|mail|e-?mail)\b.{0,60}"
    r"\b(?:fail(?:ed|s|ure)?|was (?:rejected|refused|blocked|denied)|error)\b"
    r"|\b(?:refused|rejected|denied|blocked)\b.{0,60}\b(?:message|post"
    r"|comment|mail|target|upload|send)"
)
_CONTENT = ("body", "text", "message", "content", "html", "comment", "markdown", "caption", "file", "path", "file_path", "attachment")
_CLAIMS = re2.compile(
    r"(?i)\b(?:sent|posted|delivered|forwarded|shared|uploaded|mailed|e-?mailed|informed|told|notified|messaged|commented)\b"
)
_ABOUT_REACHING = words(
    """
    contact contacts user users channel channels member members people person address addresses recipient recipients directory mail message
    messages chat chats target targets log logs status help config team lookup resolve profile customer network
    connection account accounts auth login ping curl ssh dig nslookup which env
    """
)
_TOKEN = re.compile(r"\w{3,}")
_READ = 20_000


def delivers() -> Needs:
    """The necessary condition of a delivery."""
    by_shell = among("tool_class", "shell")
    return matching(_TOOL, "tool") | matching(_COMMAND, "cmd", by_shell) | matching(_BY_SCRIPT, "cmd", by_shell)


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
    text = valid(shown(result)[:4000]) if soft else ""
    found = _UNDELIVERED.search(text)
    if found is None and len(text) <= _NOTICE and not _THROUGH.search(text):
        found = _TURNED_AWAY.search(text)
    return found[0].strip()[:60] if found is not None else ""


def content(call: ToolCall) -> str:
    """What the call was to hand over: its text by name, else the longest text among its arguments."""
    named = (call.arguments.get(key) for key in _CONTENT)
    told = next((value for value in named if isinstance(value, str) and value), "")
    return told or max((value for value in call.arguments.values() if isinstance(value, str)), key=len, default="")


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
    if says_undelivered(turn.text) or (turn.text and repeats(turn.text, call) and not _claims(turn.text)):
        return True
    for made in turn.calls:
        if made.tool_class == "shell" and any(each.program == "sleep" for each in parse(made.cmd)):
            return True
        if made.tool_class == "ask" or (made.tool_class == "job" and looks_only(made)):
            return True
        if is_delivery(made) and (made.name != call.name or made.args_hash != call.args_hash) and _same_matter(made, call):
            return True
    others = [made for made in turn.calls if made.tool_class != "plan"]
    return bool(others) and all(looks_only(made) for made in others) and any(_looks_how(made, call) for made in others)


def _claims(text: str) -> bool:
    return _CLAIMS.search(valid(text[:_READ])) is not None


def _same_matter(made: ToolCall, call: ToolCall) -> bool:
    """Whether another delivery is of the same content, or goes to the same recipient."""
    if "shell" in (made.tool_class, call.tool_class) or objects(made) & objects(call):
        return True
    one, other = set(_TOKEN.findall(content(made)[:_READ].lower())), set(_TOKEN.findall(content(call)[:_READ].lower()))
    return not one or not other or 3 * len(one & other) >= min(len(one), len(other))


def _looks_how(made: ToolCall, call: ToolCall) -> bool:
    """Whether a look is about what was not delivered, or about how its recipient is reached."""
    if made.tool_class == call.tool_class == "shell" and {each.program for each in parse(made.cmd)} & {
        each.program for each in parse(call.cmd)
    }:
        return True
    if (made.name == call.name and made.tool_class != "shell") or objects(made) & objects(call):
        return True
    given = frozenset(word.lower() for word in _TOKEN.findall(made.arguments_json[:2000]))
    return bool(_ABOUT_REACHING & (given | {*name_words(made.name)}) or {*_TOKEN.findall(content(call)[:2000].lower())} & given)


def _hands_over(command: SimpleCommand) -> bool:
    program, args = command.program, command.args
    if program == "gh":
        return args[:2] in (("pr", "comment"), ("issue", "comment"), ("pr", "review"), ("release", "upload"), ("gist", "create"))
    if program == "curl":
        sends = bool({"-d", "--data", "-F", "-T", "--data-binary", "--data-raw", "--form", "--upload-file", "--json"}.intersection(args))
        return sends and (_HOOK.search(valid(command.text)) is not None or _UPLOAD.search(command.text) is not None)
    if program == "aws":
        return args[:2] in _SERVICES
    if program in ("gsutil", "rclone"):
        return bool({"cp", "copy", "rsync", "copyto"}.intersection(args[:2]))
    if program == "glab":
        return args[:1] in (("mr",), ("issue",)) and bool({"note", "comment"}.intersection(args[1:2]))
    if program == "twilio":
        return any("messages:create" in arg for arg in args[:2])
    if program == "git":
        return "send-email" in args[:3]
    if commands.runs_script(command) and _SCRIPT.search(valid(" ".join(command.words[:4])[:500])):
        return True
    return program in _MAILERS
