"""What the conditions of a sentence limit: properties of the sessions and the field they are about; and what of them is not understood."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from tracedance.query import figures, numerals
from tracedance.schema import TraceProperties

_FIELD = re.compile(
    r"^[\s,;(–—-]*(?:but\s+|and\s+)?(?:only\s+)?(?:in|from|during|for|on"
    r"|within|about|of|bei|en|dans|nur in|aus)?\s*(?:the\s+|our\s+|my\s+)?"
    r"(?P<what>[\w+#./'-]+(?:\s+(?:and\s+|&\s+)?[\w+#./'-]+){0,4}?)[- ]*(?P<noun>sessions?"
    r"|conversations?|runs|traces|tasks|chats|work|projects?|"
    r"repos(?:itories)?|codebases?|sitzungen|gesprächen|projekten|sesiones|conversaciones|proyectos|projets|sessions de travail)"
    r"(?P<about>\s+(?:about|on|concerning|über)\s+[\w\s+#./'-]{2,60})?(?:\s+only|\s+seulement)?[\s.)]*$",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"^[\s,;(–—-]*(?:only\s+)?(?:in|from|for)?\s*(?:sessions?|conversations?|tasks|work)\s+(?:that (?:are|is) |which are )?(?:about|on|"
    r"concerning|dealing with|über|sobre|sur)\s+(?P<what>[\w\s+#./'&-]{2,80}?)(?:\s+only)?[\s.)]*$",
    re.IGNORECASE,
)
_BARE_FIELD = re.compile(
    r"^[\s,;(–—-]*(?:but\s+)?only\s+(?:in|for|on)\s+(?:the\s+)?(?P<what>[A-Z][\w+#./-]*(?:\s+[\w+#./-]+){0,2})[\s.)]*$"
)
_FILLING = re.compile(
    r"\b(?:but|and|or|only|just|in|from|during|for|on|of|with|within|where|when"
    r"|while|in which|that|which|the|a|an|there|were|was|are|is|had|has|have|"
    r"by|then|already|so|far|at|point|moment|time|decision|cut|context|long|short|longer|lengthy|large|big|small|user|person|agent|model|"
    r"wrote|sent|typed|gave|said|writes|wrote|recorded|started|made|using|run|runs|session|sessions|conversations?|traces?|tasks?|chats?|"
    r"work|before|after|this|these|those|it|whole|total|in total|language|speaking|sitzungen|gesprächen|sesiones|conversaciones|mit|nur|wo|"
    r"con|donde|solo|sólo|en|dans|avec|où|der|die|das|nutzer|schrieb|long-context|least|most|than|message|messages|happened|occurred|"
    r"holds?|contains?|contained|held|decided|acted|harness|open|be|been|some|any|into|place|takes?|took)\b|[^\w]",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"\b(long|lengthy|short|large|big|huge|small|old|recent|lange[nr]?|kurze[nr]?|largas|longues)(?:-context)?\b", re.IGNORECASE
)
_NO_FIELD = re.compile(
    r"^(?:all|any|other|such|these|those|some|every|multiple|several|different|separate|earlier|same|real|recorded|the|our)$", re.IGNORECASE
)
SCOPE = re.compile(
    r"\b(?:allowed|permitted|may|supposed|told|asked|limited|restricted)\b.*\b(?:touch|edit|change|modify|folder|files?|director)|"
    r"\b(?:folder|director|path|files?)\b.*\b(?:allowed|permitted|may|supposed|limited|restricted|touched|off limits)\b",
    re.IGNORECASE,
)
"""Conditions that say again what a limit on changes is."""
REMARK = re.compile(r"^\s*(?:e\.?g\.?|i\.?e\.?|for example|such as|like|say|z\.?\s?B\.?|por ejemplo|par exemple)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Limits:
    """What the conditions of a sentence come to."""

    trace: TraceProperties = field(default_factory=TraceProperties)
    domain: str | None = None
    vague: tuple[str, ...] = ()
    """Limits without a figure: "long sessions"."""
    unread: tuple[str, ...] = ()


def read(conditions: Sequence[str]) -> Limits:
    """Read each condition. Where two name a field, the fields are joined."""
    found: dict[str, Any] = {}
    domains, unread, vague = [], [], []
    for condition in conditions:
        if REMARK.match(condition):
            continue
        properties, rest = _properties(condition)
        for name, value in properties.items():
            both = [*found.get(name, []), *value]
            found[name] = {**found.get(name, {}), **value} if isinstance(value, dict) else list(dict.fromkeys(both))
        plain = " ".join(_FILLING.sub(" ", rest).split())
        field = _field(rest if properties else condition)
        if field and plain:
            domains.append(field)
        elif plain and not (properties and len(plain) < 4):
            unread.append(condition)
        elif not properties and (word := _VAGUE.search(condition)):
            vague.append(word[0])
    if found or not vague:
        vague = []
    try:
        return Limits(TraceProperties.model_validate(found), " and ".join(domains) or None, tuple(vague), tuple(unread))
    except ValidationError:  # a day that is none
        return Limits(unread=tuple(conditions))


def left_in(behaviour: str) -> list[str]:
    """Limits that stand among the words of a behaviour: models, harnesses, days, figures of sessions. They limit wherever they stand."""
    found = [place[0] for rule in (figures.MODEL, figures.HARNESS, figures.DAYS) for place in rule.finditer(behaviour)]
    found = [words for words in found if words not in figures.AMBIGUOUS]
    limits, _ = figures.bounds(behaviour)
    wanted = [name for name in limits if name in ("n_turns", "approx_tokens", "context_tokens_at_cut", "cut_turn", "n_user_authored_turns")]
    ends = re.search(r"(?i)\S+\s+only\W*$", behaviour)
    return [*found, *([behaviour] if wanted else []), *([ends[0]] if ends and not any(words in behaviour for words in found) else [])]


_EXCLUDING = re.compile(
    r"(?i)\b(?:exclud\w*|except(?:ing)?|other than|apart from|leav\w+ out|but not|not (?:in|from|on|for|with|using|by)|none of"
    r"|outside(?: of)?|anything but|ohne|außer|ausgenommen|nicht (?:in|aus|mit|von)|sauf|hors|excepto|salvo|menos)\b(?P<what>[^.;]{0,60})"
)
_LEFT_OUT = re.compile(
    r"(?i)(?:[$€£]\s?\d|\b\d+ ?(?:dollars|euros|usd|eur)\b|\b(?:in|during|since|before|after|until) (?:january|february|march|april"
    r"|may|june|july|august|september|october|november|december|spring|summer|autumn|winter)\b(?!\s+\d{4})|\bin (?:calendar )?week \d+"
    r"|\b(?:after|before|between) \d{1,2} ?(?:am|pm)\b"
    r"|\b(?:every|each|jede\w*) (?:second|third|fourth|other|zweite|dritte) \w+|\ba (?:half|third|quarter"
    r"|tenth) of (?:the|all)|\b\d+ ?(?:%|percent\b)"
    r"|\busing (?:only|just) the [\w-]+ tool\b)"
)


def left_unread(sentence: str) -> list[str]:
    """Limits that rules would turn round or pass over: what a sentence excludes, amounts of money, months without a year, weeks, hours."""
    excluded = [place[0].strip() for place in _EXCLUDING.finditer(sentence) if read([place["what"]]).trace != TraceProperties()]
    return [*excluded, *(place[0] for place in _LEFT_OUT.finditer(sentence))]


def names_a_field(condition: str) -> bool:
    """Whether a condition limits sessions to a field, whatever else it says."""
    return bool(_field(condition))


def _properties(condition: str) -> tuple[dict[str, Any], str]:
    limits, rest = figures.bounds(numerals.in_digits(condition, "turns"))
    span, rest = figures.days(rest)
    named, rest = figures.names(rest)
    return {**limits, **({"started": span} if span else {}), **named}, rest


def _field(text: str) -> str:
    """The field that a condition limits sessions to; "" where it names none."""
    text = re.sub(r"(?i)\s*\b(?:with|having|of|over|where|from|in|started|recorded)\s*$", "", text.rstrip(" .,;"))
    place = _ABOUT.match(text) or _FIELD.match(text) or _BARE_FIELD.match(text)
    if place is None:
        return ""
    words = [word for word in place["what"].split() if not _NO_FIELD.match(word)]
    words = [word for word in words if not _VAGUE.fullmatch(word)]
    about = (place.groupdict().get("about") or "").strip()
    said = re.sub(r"(?<=[a-z])-(?=[a-z])", " ", " ".join([*words, about]).strip(" -"))
    return said if any(char.isalpha() for char in said) and not re.fullmatch(r"(?i)(?:only|in|from|nur|the|-|\s)*", said) else ""
