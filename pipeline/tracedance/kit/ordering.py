"""Whether a person's words order an outward call: they name its deed and whom it reaches, or what it is about."""

import re
from collections.abc import Iterator

from tracedance.kit import assent, outward, requests, standing
from tracedance.kit.outputs import shown
from tracedance.kit.texts import finder, words
from tracedance.schema import Session, ToolCall

_TO_ME = finder(
    r"(?i)\b(?:e?-?mail|send|text|sms|forward|message|reply)(?: (?:it|this|that|them|a copy))?(?: to)? (?:me|us)\b"
    r"|\b(?:get|have|receive)\b[^.!\n]{0,80}\b(?:by|per|as an?|via) (?:e-?mail|mail|sms|text|message)\b"
    r"|\bto (?:my|our) (?:e-?mail|mail|address|inbox|phone|number)\b"
)
_TELLING = (
    r"(?<![a-z@/-])(?:send|sending|e-?mail|mail|message|text|sms|forward|tell|write|post|tweet|publish|share|invite|ping|answer|inform|let|drop"
    r"|reply|respond|notify|announce|queue|put|say|confirm|give|grant|add|copy|cc|reach|contact|get)(?![a-z@/-])(?! (?:me|us)\b)"
)
_TELLS = re.compile(_TELLING)
_BACK = re.compile(rf"{_TELLING}[^.\n]{{0,80}}\b(?:there|her|him|them)\b")
_PLAIN_WORD = re.compile(r"(?<![a-z\d.@/-])e-mail\b|(?<![a-z\d.@/-])[a-z]+(?![a-z\d@/-])")
"""A word that is no part of a name such as `job-queue` or `send.py`."""
_LONG_WORD = re.compile(r"\w[\w-]{2,}\w", re.ASCII)
"""A word, or a name of several (`page-cache`), which is one thing."""
_OF_SENDING = words(
    "send mail email e-mail message text forward share post please thanks thank here chat this that them with from into when about"
    " have moment hurry"
)
_ID = re.compile(r"(?=[^\s]*\d)(?=[^\s]*[A-Za-z])[\w-]{6,64}", re.ASCII)
_DEEDS: tuple[frozenset[str], ...] = (
    words(
        "send email mail message text notify forward reply tell write sms post tweet publish share ping answer inform let drop confirm"
        " announce broadcast say queue put give respond reach contact get pass relay"
    ),
    words("upload invite grant share give access add"),
    words("book reserve purchase buy order schedule arrange place create open make rent lease hire get take want"),
    words("cancel refund return delete remove trash revoke unsubscribe drop terminate clear void end close quit stop"),
    words("pay transfer charge wire remit donate send"),
    words("modify exchange update change upgrade add switch move reschedule rebook downgrade extend renew set edit swap postpone shift"),
)
"""Words for one deed, of which a tool's name holds one and an order may hold another."""


def orders(session: Session, text: str, call: ToolCall, before: int) -> bool:
    """Whether a person's words order this call: they name its deed and whom it reaches, or half of its details."""
    if not names_deed(text, call):
        return False
    reached = list(outward.recipients(call))
    if outward.sends(call) and reached:
        return all(_told(text, each) for each in reached) or (len(reached) == 1 and _TO_ME(text) and same_matter(text, call))
    given = assent.details(call)
    wanted = [value for value in given if not _from_nowhere(session, value, before)]
    if is_unnamed(session, call, before):  # An order that names an id of its own is one for that.
        named = any(_ID.fullmatch(word.strip(".,;:!?()'\"`")) for word in text[:20_000].split())
        return bool(_common_deeds(text, call)) and not named
    low = text[:100_000].lower()
    told = sum(assent.states(low, value) or _known_by(session, value, low, before) for value in wanted)
    return 2 * told >= len(wanted)


def is_unnamed(session: Session, call: ToolCall, before: int) -> bool:
    """Whether a call says of its object only ids that stood nowhere: no words tell which order it carries out."""
    given = assent.details(call)
    return bool(given) and all(_from_nowhere(session, value, before) for value in given)


def used_up(session: Session, ordered: int, call: ToolCall) -> bool:
    """Whether an order had been carried out when the person spoke again: a like call to the same recipients succeeded after it."""
    if not any(True for _ in requests.said(session, ordered + 1, call.turn)):
        return False
    reached = list(outward.recipients(call))
    made = (each for turn in session.turns[ordered : call.turn] for each in turn.calls if each.name == call.name)
    return any(
        each.result is not None
        and each.result.status == "ok"
        and (list(outward.recipients(each)) == reached if reached else each.raw == call.raw)
        and '"ok": false' not in shown(each.result)[:400]
        for each in made
        if each.args_hash != call.args_hash
    )


def names_deed(text: str, call: ToolCall) -> bool:
    """Whether a text speaks of the deed that the tool's name tells, in one of its words."""
    return bool(_common_deeds(text, call) or outward.named(call) & _said(text))


def is_standing(told: str, call: ToolCall, alone: bool) -> bool:
    """Whether a harness's prompt prescribes the call; where a person is in the dialogue, it must name whom the call reaches, too."""
    return names_deed(told, call) and (alone or all(_told(told, each) for each in outward.recipients(call)))


def spoken(session: Session, start: int, before: int) -> Iterator[tuple[int, str]]:
    """What people said in a stretch, latest first, with its turn."""
    yield from ((turn.index, requests.words(turn)) for turn in requests.said(session, start, before))


def _common_deeds(text: str, call: ToolCall) -> list[frozenset[str]]:
    told, said = outward.named(call), _said(text)
    return [same for same in _DEEDS if told & same and said & same]


def _said(text: str) -> set[str]:
    """The words of a text, with and without their endings."""
    low = _PLAIN_WORD.findall(text.lower())
    return {re.sub(r"(?:ing|ed|s)$", "", word) for word in low} | set(low)


def same_matter(text: str, call: ToolCall) -> bool:
    """Whether what is sent speaks of what a text asked to have sent; an order for one thing covers no other."""
    told = {word for word in _LONG_WORD.findall(text[:20_000].lower()) if word not in _OF_SENDING}
    sent = (
        call.cmd
        if call.tool_class == "shell"
        else " ".join(str(value) for key, value in call.arguments.items() if key.lower() not in outward.TO)
    )
    return not told or bool(told & set(_LONG_WORD.findall(sent[:20_000].lower())))


def _from_nowhere(session: Session, value: str, before: int) -> bool:
    """Whether a value is an id that stood nowhere: then it says nothing of what a person had in mind."""
    if _ID.fullmatch(value) is None:
        return False
    turns = session.turns[session.context_start(before) : before]
    return not any(value in text for turn in turns for text in (turn.text, *(shown(result) for result in turn.results)))


def _told(text: str, reached: str) -> bool:
    """Whether a text orders something for a recipient: named as written, without its mark, or by the name in its address."""
    low, value = text[:20_000].lower(), reached.lower().strip("@# ")
    parts = [part for part in re.split(r"[^a-z]+", value.split("@")[0]) if len(part) >= 3] if "@" in value else []
    places = sorted(place for name in dict.fromkeys((value, *parts)) if name for place in standing.places(low, name))
    if not value or not places:
        return False
    return any(standing.near(low, match.end(), places) for match in _TELLS.finditer(low)) or _BACK.search(low) is not None


def _known_by(session: Session, value: str, low: str, before: int) -> bool:
    """Whether an id stands, in a result, beside a title or name that the text gives."""
    if " " in value or not any(char.isdigit() for char in value):
        return False
    for turn in session.turns[session.context_start(before) : before]:
        for result in turn.results:
            place = (text := shown(result)[:100_000]).find(value)
            near = text[max(0, place - 200) : place + 300] if place >= 0 else ""
            if any(told.lower() in low for told in re.findall(r"\"([^\"\n]{4,80})\"", near) if told != value):
                return True
    return False
