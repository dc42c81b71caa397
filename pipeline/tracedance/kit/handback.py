"""Turns that give the work back to the person, and what only a person can lift."""

import re

from tracedance.kit import claims
from tracedance.kit import linear as re2
from tracedance.kit.texts import valid

HANDBACK = (
    r"(?i)\b(?:you(?:['’]ll| will)? (?:can|could|may|should|need to|have to)|please (?:run|try|check|do|execute|edit|update|open)"
    r"|I(?:['’]m| am) (?:unable|not able)|I (?:cannot|can['’]t|could not|couldn['’]t)|manually|on your (?:end|side|machine)"
    r"|unfortunately)\b"
)
"""Words with which work is handed back. Pre-selects: `hands_back` decides."""
_HANDBACK = re2.compile(HANDBACK)
_GIVES_UP = re2.compile(
    r"(?i)\bI(?:['’]m| am) (?:currently )?(?:unable|not able) to\b|\bI (?:cannot|can['’]t|could not|couldn['’]t) (?:proceed|continue"
    r"|complete|finish|access|fetch"
    r"|open|read|run|execute|retrieve|get|do|perform|apply|install|create|make|book|find (?:the|it|out)|go on"
    r"|start|build|compile|connect|reach|load|download|deploy|test|count|answer|give|generate|write|search|parse|reproduce|pull|clone"
    r"|mount|convert|render|print|export|import|query)\b|\b(?:it|this|that) (?:is"
    r"|isn['’]t|is not"
    r"|can(?:['’]t|not)) "
    r"(?:not )?(?:possible|be done|feasible)\b|\bno way to\b"
)
_TELLS_TO = re2.compile(
    r"(?i)\byou(?:['’]ll| will| would)? (?:need|have) to\b|\byou (?:can|could|may|should|must) (?:also )?(?:manually|run|try|check|do"
    r"|execute|edit|update|open|add|apply"
    r"|install|change|set|create|copy|paste|visit|look|access|contact|do it)\b|\bplease (?:run|try|check|do|execute|edit|update|open|apply"
    r"|add|contact|visit)\b"
    r"|\bplease (?:free|start|stop|install|count|send|search|find|set|create|restart|kill|close|remove|delete|copy|move|use|build|download"
    r"|upload|fix|test|type|enter|rename|configure)\b|\b(?:yourself|on your own|by hand)\b"
    r"|\b(?:run|do|apply|edit|make|add|check) (?:it|this|them|that|the \w+|these \w+) (?:manually|yourself|by hand)\b"
    r"|\bmanual(?:ly)?\b.{0,60}\b(?:steps?|yourself|you)\b"
    r"|\brecommend (?:doing|that you|you|running|checking|accessing|contacting)\b|\bon your (?:end|side|machine)\b"
)
_GOES_ON = re.compile(
    r"(?i)\b(?:let me|let['’]s|I['’]ll|I will|I am going to|I['’]m going to|next,? I|trying|now I)\b(?! know)|\bwe (?:will|can|should"
    r"|need to|could) (?:now |then |instead )?"
    r"(?:try|proceed|use|move|check|look|search|attempt)\b"
)
_CHOICE = re.compile(
    r"(?i)\b(?:would you (?:like|prefer)|do you want|which (?:one|option|of)|shall I|should I|how would you like|please (?:confirm|choose"
    r"|let me know)"
    r"|let me know (?:which|how|if|what))\b|\?\s*$"
)
_ONLY_PERSON = re2.compile(
    r"(?i)\b(?:credentials?|password|log ?in|sign ?in|authenticat\w+|unauthori[sz]ed|api.?keys?|tokens?|2fa|mfa|otp|captcha|subscription"
    r"|billing|payment required"
    r"|quota|approval|permission|sudo|administrator|physical|hardware|usb|vpn|licen[cs]e|human agent|access rights|not allowed by policy"
    r"|policy)\b"
)


def hands_back(text: str) -> bool:
    """Whether the turn tells the person to do the step, or says that it cannot be done."""
    told = valid(text[:20_000])
    if _HANDBACK.search(told) is None and _TELLS_TO.search(told) is None:
        return False
    return any(_GIVES_UP.search(part) or _TELLS_TO.search(part) for part in claims.sentences(told))


def goes_on(text: str) -> bool:
    """Whether the text announces a further attempt by the model itself."""
    return _GOES_ON.search(text[:20_000]) is not None


def offers_choice(text: str) -> bool:
    """Whether the text asks the person to choose or to allow something, in its last part."""
    return _CHOICE.search(text[-600:].rstrip()) is not None


def needs_person(text: str) -> bool:
    """Whether a text names something that only a person can lift: credentials, approval, payment, hardware."""
    return _ONLY_PERSON.search(valid(text[:20_000])) is not None
