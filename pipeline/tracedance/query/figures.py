"""Figures, days and names in the conditions of a sentence: `more than 200 turns`, `since March 2026`, `Claude Code`, `over 100k tokens`."""

import re
from calendar import month_abbr
from collections.abc import Mapping
from datetime import date
from typing import Any

WORDS = {
    word: number
    for number, words in enumerate(
        ("zero no", "one single ein eine einen una uno un une", "two zwei dos deux", "three drei tres trois", "four vier", "five funf")
    )
    for word in words.split()
}
WORDS |= {word: number for number, word in enumerate(("six", "seven", "eight", "nine", "ten", "eleven", "twelve"), start=6)}
_SCALE = {"k": 1_000, "thousand": 1_000, "tausend": 1_000, "mil": 1_000, "m": 1_000_000, "million": 1_000_000}
_COMPARE = {
    "gt": r"more than|over|above|exceeding|longer than|beyond|greater than|mehr als|über|länger als|más de|plus de|>",
    "ge": r"at least|no fewer than|no less than|minimum of|mindestens|wenigstens|al menos|au moins|≥|>=",
    "lt": r"fewer than|less than|under|below|shorter than|weniger als|unter|kürzer als|menos de|moins de|<",
    "le": r"at most|up to|no more than|not more than|maximum of|höchstens|bis zu|como máximo|au plus|≤|<=",
    "eq": r"exactly|only|just|precisely|genau|nur|exactamente|solo|exactement|seulement",
}
NUMBER = rf"(?P<number>\d[\d,.']*|{'|'.join(WORDS)})(?:\s*(?P<scale>{'|'.join(_SCALE)})\b)?"
_UNITS = {
    "tokens": r"tokens?(?: of context)?",
    "errors": r"errors?|failures?|failed (?:tool )?calls?|failing calls?|fehlern?|errores|erreurs",
    "calls": r"tool calls?|tool uses?|calls?|werkzeugaufrufen?|llamadas|appels",
    "user": r"user(?:-authored)? (?:turns?|messages?|prompts?)|(?:messages?|turns?|prompts?) (?:by|from|of) the user|prompts?|messages?"
    r"|nachrichten?|mensajes?",
    "turns": r"turns?|steps?|exchanges?|schritten?|turnos|tours",
}
_ANY = "|".join(_COMPARE.values())
_BOUND = re.compile(
    rf"(?:(?P<compare>{_ANY})\s+(?:the\s+)?)?(?<![\w.]){NUMBER}(?P<more>\s+or more|\+| o más| ou plus)?\s*(?:[\w-]+\s+){{0,2}}?"
    rf"(?P<unit>{'|'.join(_UNITS.values())})\b(?P<or>\s+or more)?",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    rf"(?:between|from|zwischen|entre)\s+(\d[\d,.]*k?)\s+(?:and|to|und|y|et|bis)\s+(\d[\d,.]*k?)\s+(?P<unit>{'|'.join(_UNITS.values())})\b",
    re.IGNORECASE,
)
_TURN = re.compile(r"\b(?P<side>after|beyond|past|before|from|nach|ab)\s+(?:the\s+)?turn\s+(?P<number>\d+)\b(?:\s+on\b)?", re.IGNORECASE)
_AT_CUT = re.compile(
    r"\bcontext\b|\bat (?:that|this|the) (?:point|moment|decision|cut|time)\b|\bby (?:then|that point)\b|\bso far\b|\balready\b|"
    r"\bbefore (?:it|that|the)\b|\bup to (?:then|that point)\b|\bkontext\b|\bcontexto\b|\bcontexte\b",
    re.IGNORECASE,
)
_BY_USER = re.compile(r"\buser\b|\bperson\b|\bnutzer\b|\busuario\b|\butilisateur\b", re.IGNORECASE)
_MONTHS = {name.lower(): number for number, name in enumerate(month_abbr) if name} | {"mär": 3, "mai": 5, "okt": 10, "dez": 12}
_MONTH = rf"(?:{'|'.join(_MONTHS)})[a-zä]*"
DAY = rf"(?:\d{{4}}-\d{{2}}(?:-\d{{2}})?|(?:\d{{1,2}}(?:st|nd|rd|th)?\s+)?{_MONTH}\s+\d{{4}}|20\d\d)"
DAYS = re.compile(
    rf"\b(?:recorded |started |dating |made )?(?:(?P<word>since|after|before|until|from|in|of|during|seit|vor|nach|desde|depuis|im)\s+"
    rf"(?P<day>{DAY})(?:\s+(?:on(?:wards?)?|and later))?|between\s+(?P<first>{DAY})\s+and\s+(?P<last>{DAY}))(?!\s*(?:turn|token))\b",
    re.IGNORECASE,
)
HARNESSES: Mapping[str, str] = {
    "claude code": "claude_code",
    "codex": "codex",
    "copilot cli": "copilot_cli",
    "copilot": "copilot_cli",
    "cursor": "cursor",
    "factory droid": "factory_droid",
    "gemini cli": "gemini_cli",
    "openclaw": "openclaw",
    "opencode": "opencode",
    "swe-agent": "swe-agent",
    "langchain": "langchain",
    "langfuse": "langfuse",
    "langsmith": "langsmith",
    "autogen": "autogen",
    "openai agents": "openai_agents",
    "inspect": "inspect_ai",
    "tau-bench": "tau_bench",
}
AMBIGUOUS = ("cursor", "inspect")
"""Harnesses only where they are written as names."""
HARNESS = re.compile(rf"\b({'|'.join(map(re.escape, HARNESSES))})\b", re.IGNORECASE)
MODEL = re.compile(
    r"\b((?:gpt|claude|gemini|qwen|llama|deepseek|glm|kimi|mistral|grok|doubao|sonnet|opus|haiku)(?:-[\w.]+)+|(?:gpt|qwen|kimi)\d[\w.-]*"
    r"|(?:claude )?(?:opus|sonnet|haiku)(?: \d[\d.]*)?|(?:gpt|gemini|deepseek|kimi|grok|llama|qwen) \d[\w.-]*)(?<![.,])",
    re.IGNORECASE,
)
LANGUAGES: Mapping[str, str] = {
    **dict.fromkeys(("english", "englisch", "inglés", "anglais"), "en"),
    **dict.fromkeys(("german", "deutsch", "alemán", "allemand"), "de"),
    **dict.fromkeys(("spanish", "spanisch", "español", "espagnol"), "es"),
    **dict.fromkeys(("french", "französisch", "francés", "français"), "fr"),
    **{
        "italian": "it",
        "portuguese": "pt",
        "dutch": "nl",
        "polish": "pl",
        "russian": "ru",
        "chinese": "zh",
        "japanese": "ja",
        "korean": "ko",
    },
}
LANGUAGE = re.compile(rf"\b(?:in )?({'|'.join(LANGUAGES)})(?:e[nrs]?)?(?:[- ](?:language|speaking|sprachigen?))?\b", re.IGNORECASE)
SETTINGS = re.compile(r"\b(?:(coding|programming|programmier\w*)|(general tool[- ]use|tool[- ]use))\b", re.IGNORECASE)


def bounds(text: str) -> tuple[dict[str, dict[str, int]], str]:
    """The bounds on figures that `text` names, by property, and what is left of it."""
    found: dict[str, dict[str, int]] = {}
    rest = text
    for rule, reader in ((_TURN, _of_turn), (_BETWEEN, _of_range), (_BOUND, _of_bound)):
        while place := rule.search(rest):
            name, bound = reader(place, text)
            found.setdefault(name, {}).update(bound)
            rest = rest[: place.start()] + " " + rest[place.end() :]
    return found, rest


def days(text: str) -> tuple[dict[str, str], str]:
    """From which day on and before which day `text` says, as ISO dates, and what is left of it."""
    place = DAYS.search(text)
    if place is None:
        return {}, text
    rest = text[: place.start()] + " " + text[place.end() :]
    try:
        if place["first"]:
            return {"ge": _span(place["first"])[0], "lt": _span(place["last"])[1]}, rest
        start, end = _span(place["day"])
    except ValueError:
        return {}, text
    word = place["word"].lower()
    if word in ("since", "from", "seit", "desde", "depuis"):
        return {"ge": start}, rest
    if word in ("after", "nach"):
        return {"ge": end}, rest
    return ({"lt": start} if word in ("before", "vor", "until") else {"ge": start, "lt": end}), rest


def _span(said: str) -> tuple[str, str]:
    """First day of what is said, a day, month or year, and the first after it. ValueError for a day that is none."""
    if written := re.fullmatch(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", said):
        year, month, day = int(written[1]), written[2] and int(written[2]), written[3] and int(written[3])
    else:
        *first, name, year_said = said.lower().split()
        year, month, day = int(year_said), _MONTHS[name[:3]], int(re.sub(r"\D", "", first[0])) if first else None
    start = date(year, month or 1, day or 1)
    if day:
        return start.isoformat(), date.fromordinal(start.toordinal() + 1).isoformat()
    after = date(year + 1, 1, 1) if not month or month == 12 else date(year, month + 1, 1)
    return start.isoformat(), after.isoformat()


def _of_bound(place: re.Match[str], text: str) -> tuple[str, dict[str, int]]:
    word = (place["compare"] or "").lower()
    how = next((name for name, rule in _COMPARE.items() if word and re.fullmatch(rule, word)), "eq")
    if place["more"] or place["or"]:
        how = "ge"
    return _property(place["unit"], text), {how: number(place["number"], place["scale"])}


def _of_range(place: re.Match[str], text: str) -> tuple[str, dict[str, int]]:
    first, last = (number(said.rstrip("k"), "k" if said.endswith("k") else None) for said in (place[1], place[2]))
    return _property(place["unit"], text), {"ge": first, "le": last}


def _of_turn(place: re.Match[str], text: str) -> tuple[str, dict[str, int]]:
    side = place["side"].lower()
    return "cut_turn", {"lt" if side == "before" else "ge" if side in ("from", "ab") else "gt": int(place["number"])}


def _property(unit: str, text: str) -> str:
    kind = next(name for name, rule in _UNITS.items() if re.fullmatch(rule, unit, re.IGNORECASE))
    late = _AT_CUT.search(text) is not None
    if kind == "tokens":
        return "context_tokens_at_cut" if late else "approx_tokens"
    if kind == "errors":
        return "n_errors_before_cut" if late else "n_errors"
    if kind == "user" or (kind == "turns" and _BY_USER.search(text)):
        return "n_user_authored_turns"
    return "n_tool_calls" if kind == "calls" else "cut_turn" if late else "n_turns"


def number(said: str, scale: str | None = None) -> int:
    """A number written in digits or as a word, with a scale such as `k`."""
    plain = said.lower().strip(".,'")
    if plain in WORDS:
        return WORDS[plain]
    if scale and re.fullmatch(r"\d+[.,]\d{1,2}", plain):
        return round(float(plain.replace(",", ".")) * _SCALE[scale.lower()])
    return int(re.sub(r"\D", "", plain)) * (_SCALE[scale.lower()] if scale else 1)


def names(text: str) -> tuple[dict[str, Any], str]:
    """Harness, model, setting and language that `text` names, and what is left of it."""
    found: dict[str, Any] = {}

    def take(name: str, value: str) -> str:
        found.setdefault(name, []).append(value)
        return " "

    text = HARNESS.sub(lambda place: take("harness", HARNESSES[place[1].lower()]) if place[1] not in AMBIGUOUS else place[0], text)
    text = MODEL.sub(lambda place: take("model", place[1].lower().replace(" ", "-")), text)
    text = SETTINGS.sub(lambda place: take("setting", "coding" if place[1] else "general_tool_use"), text)
    text = LANGUAGE.sub(lambda place: take("language", LANGUAGES[place[1].lower()]), text)
    return found, text
