"""Outward calls: whom they reach, what a policy demands before them, and whether they are put to a person or made on trial."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from tracedance.kit import assent, requests
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.kit.texts import finder, words
from tracedance.schema import Session, ToolCall

_DEMANDS = finder(
    r"(?i)\b(?:explicit(?:ly)? (?:user )?(?:confirm|consent|approv|yes)|obtain (?:the |explicit )?(?:user |customer )?(?:confirmation"
    r"|consent|approval)|(?:ask|wait) for (?:the (?:user|customer)['’]s |explicit )?(?:confirmation|approval|permission|a yes)"
    r"|confirm (?:with the (?:user|customer) )?before|user confirmation \(yes\)|ask [\w ]{2,30} before|(?:only|not|never) [^.]{0,80}"
    r"without (?:a |an |the |their |explicit )*(?:yes|confirm|consent|approval|asking|permission))"
)
_UNLESS = finder(r"(?i)\bunless (?:the |a )?(?:request|order|message|user|person|customer|they|he|she)\b")
_OF_MESSAGES = finder(r"(?i)\b(?:send|sends|sending|e-?mails?|mail|messages?|posts?|posting|publish\w*|leaves?|outward|tweets?|share)\b")
_OF_RECORDS = finder(r"(?i)\bdatabase\b|\bbookings?\b|\breservations?\b|\borders?\b|\baccounts?\b")
_LISTED = re.compile(r"\(([^()\n]{4,240})\)")
_BULLET = re.compile(r"\n\s*(?:[-*•]|\d+[.)]|#)|\n\s*\n|(?<=[.!?])\s+(?=[A-Z])")
TO = words(
    "to target recipient recipients with cc bcc email channel chat chat_id chatid user phone number invitees attendees address"
    " invite guests"
)
"""Arguments that say whom a call reaches."""
_SENDS = words("send reply post publish tweet share invite forward notify email mail message sms text broadcast announce")
SENDING_COMMANDS = (
    r"\b(?:mailx?|sendmail|s?mutt|neomutt|msmtp|swaks|himalaya|telegram-send|slackcat|send|tweet)\b|(?:slack|telegram|discord|twilio|mailgun"
    r"|sendgrid|stripe)"
)
"""A necessary condition of a shell command that mails or messages somebody."""
SENDING_COMMANDS_SIGN = finder(SENDING_COMMANDS)
_MAILERS = words("mail mailx sendmail mutt neomutt msmtp swaks telegram-send slackcat s-nail")
_NO_SENDERS = words("git echo grep rg cat printf sed awk ls find head tail man which")
_MESSAGE_HOST = finder(r"(?i)slack|telegram|discord|twilio|mailgun|sendgrid|stripe|twitter|hooks?\.|smtp")
_POSTS = finder(r"-X ?(?:POST|PUT)|--data|(?:^|\s)-[dF]\b|--json|\bPOST\b")
_ADDRESSES = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]*\w|(?<![\w/])[@#][A-Za-z]\w+|(?<![\w-])[+-]?\d{9,15}\b")


def demands(system: str, call: ToolCall) -> bool:
    """Whether a policy wants a yes before this call, however plainly it was ordered."""
    delivers = sends(call)
    for sentence in _demanding(system):
        of_records = _LISTED.search(sentence) is not None or _OF_RECORDS(sentence)
        if not _UNLESS(sentence) and not (delivers and of_records and not _OF_MESSAGES(sentence)):
            return True
    return False


@lru_cache(maxsize=64)
def listed_deeds(system: str) -> frozenset[str]:
    """Stems of the deeds that a policy lists as wanting a yes: `(terminate, change, create, refunds)`."""
    lists = (found for sentence in _demanding(system) for found in _LISTED.findall(sentence))
    return frozenset(word[:5] for told in lists for word in re.findall(r"[a-z]{4,}", told.lower()) if word not in ("class", "information"))


@lru_cache(maxsize=64)
def _demanding(system: str) -> tuple[str, ...]:
    parts = (" ".join(part.split()) for part in _BULLET.split(system[:60_000]))
    return tuple(part for part in parts if _DEMANDS(part))


def acts(call: ToolCall, deeds: frozenset[str], extra: tuple[str, ...] = ()) -> bool:
    """Whether a call acts outward or bindingly: by its name, or by a verb that the policy lists; reading through such a tool does not."""
    if call.tool_class == "shell":
        return any(map(_sends_by_shell, parse(call.cmd))) if SENDING_COMMANDS_SIGN(call.cmd) else False
    name = assent.name_words(call.name)
    by_policy = bool(deeds) and bool(name) and name[0][:5] in deeds and not assent.looks(name)
    if not by_policy and (not invites(call) or assent.looks(name)) and not assent.is_consequential(call.name, extra):
        return False
    return call.name in extra or not (reads(call) or _is_dry(call.arguments))


def reads(call: ToolCall) -> bool:
    """Whether a call of a tool that can act only reads with it: `{action: read}`."""
    return assent.looks(_mode(call.arguments))


def _sends_by_shell(command: SimpleCommand) -> bool:
    """Whether a command mails or messages somebody: `mail -s x bob@corp`, `signal-cli send`, a POST to a messaging host."""
    if command.program in _MAILERS:
        return True
    args = list(command.words[1:])
    if command.program in ("curl", "http", "https", "wget"):
        return _MESSAGE_HOST(command.text) and _POSTS(command.text)
    plain = [arg for arg in args[:5] if not arg.startswith("-")]
    to_somebody = _ADDRESSES.search(command.text) is not None and "--dry-run" not in args
    return command.program not in _NO_SENDERS and bool({"send", "tweet"}.intersection(plain)) and to_somebody


def invites(call: ToolCall) -> bool:
    """Whether the call makes something to which it invites people."""
    return any(call.arguments.get(key) for key in ("attendees", "invitees", "guests"))


def named(call: ToolCall) -> set[str]:
    """The words that tell the call's deed: of its name, or of the shell command that it runs."""
    if call.tool_class != "shell":
        return set(assent.name_words(call.name)) | ({"invite"} if invites(call) else set())
    return set(re.findall(r"[a-z]+", call.cmd[:400].lower())) & (_SENDS | {"send"}) or {"send"}


def sends(call: ToolCall) -> bool:
    """Whether the call sends or shares something to somebody, rather than change a record."""
    if call.tool_class in ("shell", "message") or invites(call):
        return True
    return bool(_SENDS.intersection(assent.name_words(call.name))) and any(True for _ in recipients(call))


def recipients(call: ToolCall) -> Iterator[str]:
    """Whom or what the call reaches."""
    if call.tool_class == "shell":
        yield from _ADDRESSES.findall(call.cmd[:4_000])
        return
    for key, value in call.arguments.items():
        if key.lower() in TO:
            yield from (str(each) for each in (value if isinstance(value, list) else [value]) if isinstance(each, str | int))


def is_offered(session: Session) -> bool:
    """Whether an outward tool is among those that the session records as offered."""
    return any(assent.is_consequential(tool.name) for tool in session.tools or ())


def puts_deed(text: str) -> bool:
    """Whether a text without calls puts an outward deed to the person and waits: "I would post ... Shall I send it so?"."""
    return bool(text) and _PUTS(text[-600:]) and _DEED_NAMED(text[:4_000])


PUTS = (
    r"(?i)\b(?:shall|should|may|can) I\b|\bwould you like me to\b|\bdo you (?:want me to|confirm|agree)|\bplease confirm\b"
    r"|\(yes(?:/no| or no)?\)|\bgo ahead\?|\bproceed\?|\byes\?|\bis that (?:right|ok|okay|correct)\?|\bok(?:ay)?(?: for you)?\?"
    r"|\bconfirm\b[^.\n]{0,60}\?"
)
"""Words with which a deed is put to a person."""
_PUTS = finder(PUTS)
PUT_DEEDS = (
    r"(?i)\b(?:send|post|publish|tweet|book|reserve|order|pay|transfer|charge|refund|cancel|reschedule|share|invite|message|notify|e-?mail"
    r"|mail|write|terminate|renew|exchange)"
)
"""Words for deeds that reach somebody; a necessary condition of an asking turn in a session without such a call."""
_DEED_NAMED = finder(
    r"(?i)\b(?:send|post|publish|tweet|book|reserve|order|pay|transfer|charge|refund|cancel|reschedule|share|invite|message|notify|e-?mail"
    r"|mail|write to|terminate|renew|move[sd]?|from \S+ to \S+|place|remove|delete|change[ds]?|modif\w+|upgrade|exchange|return|buy"
    r"|cost|fee|charged?)\b|[$€£]\s?\d"
)


_OWNER = re.compile(r"\b(?:for|delivered to|assistant of|on behalf of|serving|owner is|owned by) ([A-Z][\w'-]+)")
_ITSELF = words("me self myself current user owner requester here this same")


def to_requester(session: Session, call: ToolCall) -> bool:
    """Whether the call answers the person in the dialogue: it names nobody, or the person, or the chat that the person writes from."""
    reached = list(recipients(call))
    if not reached:
        return call.name.lower() in ("message", "reply")
    known = {name.lower() for name in _OWNER.findall((session.system or "")[:4_000])}
    heads = [turn.text[:300] for turn in requests.said(session, session.context_start(call.turn), call.turn)]
    return all(
        (plain := each.strip("@# ").lower()) in known | _ITSELF or any(plain in head.lower() and _is_sender(plain, head) for head in heads)
        for each in reached
    )


def _is_sender(plain: str, head: str) -> bool:
    return re.search(rf"(?im)^\W*(?:from|sender|chat_?id|channel|thread)\b[^\n]{{0,80}}{re.escape(plain)}", head) is not None


def is_trial(call: ToolCall) -> bool:
    """Whether the call only makes a draft, or goes to a sandbox."""
    told = " ".join(f"{key}={value}" for key, value in call.arguments.items() if isinstance(value, str | bool) and len(str(value)) <= 80)
    reached = list(recipients(call))
    return _TRIAL(call.name) or _TRIAL_VALUE(told) or (bool(reached) and all(map(_TRIAL_TARGET, reached)))


_TRIAL = finder(r"(?i)(?:^|[_\W])drafts?(?:$|[_\W])|Draft|sandbox|dry.?run|preview")
_TRIAL_VALUE = finder(
    r"(?i)\b(?:draft|dry_?run|sandbox|preview)=true|\b(?:mode|env|environment|status|folder|action|state|target_env)="
    r"(?:draft|drafts|test|sandbox|staging|preview|dry.?run)\b|\btest_mode=true"
)
_TRIAL_TARGET = finder(
    r"(?i)^(?:[@#]?(?:test|qa|dummy|sandbox|staging|playground)\b.*|[^@]*[-_.+](?:test|sandbox)(?:@.*)?|[^@]*sandbox[^@]*(?:@.*)?|.*@mailinator\.com)$"
)


def _mode(arguments: Mapping[str, Any]) -> list[str]:
    told = next((arguments[key] for key in ("action", "operation", "method", "mode", "op") if isinstance(arguments.get(key), str)), "")
    return assent.name_words(str(told)) + (["look"] if str(told).lower() in ("status", "history", "poll") else [])


def _is_dry(arguments: Mapping[str, Any]) -> bool:
    if str(arguments.get("action", "")).lower() in ("draft", "preview"):
        return True
    return any(arguments.get(key) is True for key in ("dry_run", "dryRun", "draft", "preview", "validate_only"))
