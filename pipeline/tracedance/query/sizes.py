"""How many instances a sentence asks for: `a dozen cases`, `at least 30`, `20-30 blind edits`, `mindestens fünfzig Fälle`.

A number is a size where a word for instances follows it, or where it stands alone or at the head of the sentence and counts nothing else.
All that is said holds at once, so that two sayings that cannot hold together give a minimum above the maximum.
"""

import re
from dataclasses import dataclass
from functools import cache

from tracedance.query import numerals

_KINDS = (
    r"(?:(?:different|distinct|separate|real|good|clear|clean|confirmed|genuine|such|unique|test|solid|verschiedene[nr]?|echte[nr]?"
    r"|diferentes|distintos|reales|differents|reels)\s+){0,2}"
)
UNITS = (
    rf"(?:{_KINDS}(?:instances?|examples?|items?|cases|case|places|samples?|occurrences?|situations?|scenarios?|moments?"
    rf"|data ?points|entries"
    r"|specimens?|hits|instanzen|beispiele?n?|fallen?|faelle?n?|falle?n?|stellen|situationen|vorkommen|stuck|stueck|instancias|ejemplos"
    r"|casos|muestras|situaciones|exemples|cas|occurrences|echantillons|situations)\b)"
)
_FOREIGN = (
    r"(?:(?:[\w-]+\s+){0,2}?(?:turns?|steps?|tokens?|times|mal|veces|fois|attempts?|tries|try|failures?|errors?|messages?|prompts?|calls?"
    r"|retries|retry|lines|minutes?|seconds?|hours?|days?|weeks?|months?|years?|percent|results?|values?|versuche?n?|intentos?|essais?"
    r"|fehlern?|errores|erreurs|schritten?|pasos|nachrichten|dateien|zeilen|turnos|tours)\b|%|k\b|-?(?:turn|step|line)\b)"
)
_LEAST = (
    r"(?:at (?:the )?(?:very )?least|no fewer than|not fewer than|no less than|not less than|(?:a )?minimum(?: of)?"
    r"|min\.?|mindestens|wenigstens"
    r"|al menos|por lo menos|como minimo|(?:un )?minimo(?: de)?|au moins|au minimum|>=|≥)"
)
_MOST = (
    r"(?:at (?:the )?(?:very )?most|up to|no more than|not more than|(?:a )?maximum(?: of)?|max\.?|capped at|limited to"
    r"|hochstens|hoechstens"
    r"|maximal|bis zu|nicht mehr als|como maximo|(?:un )?maximo(?: de)?|a lo sumo|hasta|au plus|au maximum|jusqu'a|pas plus de|<=|≤)"
)
_OVER = r"(?:more than|over|above|upwards of|mehr als|uber|mas de|plus de)"
_UNDER = r"(?:fewer than|less than|under|below|weniger als|unter|menos de|moins de)"
_ABOUT = (
    r"(?:about|around|roughly|approximately|approx\.?|some|exactly|precisely|just|only|etwa|ungefahr|rund|circa|ca\.?|genau|unos|unas"
    r"|alrededor de|aproximadamente|exactamente|environ|exactement|à peu pres)"
)
_ORDER = (
    r"^\W*(?:(?:please|bitte|por favor|i|we|me|us|you|need|want|would|like|could|can|have|give|get|find|collect|build"
    r"|make|show|send|a|an|the"
    r"|benchmark|test ?set|set|dataset|of|with|for|from|and|but|und|aber|y|et|ich|wir|brauche|brauchen|mochte|will"
    r"|hatte|gerne|gern|gib|mir|uns|suche|finde"
    r"|quiero|necesito|dame|busca|je|veux|voudrais|il|faut|nous|donne|moi|ticket|todo|wanted|looking|exactly|about"
    r"|around|roughly|some)\b\W*)*"
)
_ALONE = (
    r"(?=\s*(?:[,;:!?)\]/]|(?:max|min)\b|\.(?!\d)|$|[-–—]\s|(?:and|but|und|aber|y|et|pero|mais|please|bitte|in total|insgesamt"
    r"|altogether|en total|au total"
    r"|of (?:them|these|those))\b))"
)
_IN_A_ROW = re.compile(r"\b(?:in a row|consecutive\w*|successive\w*|hintereinander|nacheinander|seguid[oa]s|de suite|d'affilee)\b")
FEWEST_AT_HEAD = 10
"""A smaller number at the head of a sentence may be part of the behaviour: "three tries of the same call"."""
_VAGUE = re.compile(
    rf"\b(?:(?:a few|several|some|a couple of|many|mehrere|einige|ein paar|varias|algunas|plusieurs"
    rf"|quelques)\s+(?:dozens?|hundreds?|thousands?"
    rf"|dutzend|hundert|docenas|decenas|cientos|dizaines|centaines)|dozens of|hundreds of|thousands of|dutzende|hunderte|tausende"
    rf"|cientos de|decenas de|des (?:dizaines|centaines) d['e]|(?:(?<=^)|(?<=, ))(?:a handful|a couple|a few|several"
    rf"|eine handvoll|ein paar|un punado|une poignee)"
    rf"\s+(?:of\s+|d[e']\s*)?{UNITS}|a handful of|as many (?:{UNITS} )?as possible|so viele wie moglich|tantos como sea posible)"
)


@dataclass(frozen=True, slots=True)
class Size:
    """What a sentence says of its size, and what is left of it."""

    rest: str
    minimum: int | None = None
    maximum: int | None = None
    vague: tuple[str, ...] = ()
    """A number of instances that is no figure: "a few dozen"."""


def read(sentence: str) -> Size:
    """Take the size out of `sentence`."""
    text, places = numerals.spelt_in_digits(sentence, UNITS)
    left, lows, highs = set(range(len(sentence))), list[int](), list[int]()
    for rule, kind in _rules():
        while found := rule.search(text):
            low, high = _bounds(kind, [numerals.number(said) for said in found.groups() if said])
            if kind == "head" and (_IN_A_ROW.search(text) or high is None or high < FEWEST_AT_HEAD):
                break
            lows += [] if low is None else [low]
            highs += [] if high is None else [high]
            end = places[found.end()] if found.end() < len(places) else len(sentence)
            left -= set(range(places[found.start()] + 1, end))  # one place stays, as a space
            sentence = sentence[: places[found.start()]] + " " + sentence[places[found.start()] + 1 :]
            text, places = text[: found.start()] + " " + text[found.end() :], [*places[: found.start() + 1], *places[found.end() :]]
    vague = tuple(place[0] for place in _VAGUE.finditer(text))
    for place in _VAGUE.finditer(text):
        left -= set(places[place.start() : place.end()])
    rest = "".join(char for at, char in enumerate(sentence) if at in left)
    return Size(rest, max(lows, default=None), min(highs, default=None), vague)


def numbers_in(text: str) -> list[str]:
    """Numbers above one that `text` names, in digits."""
    found = re.findall(numerals.DIGITS, numerals.spelt_in_digits(text, UNITS)[0])
    return [said for said in found if abs(numerals.number(said)) > 1]


def _bounds(kind: str, said: list[int]) -> tuple[int | None, int | None]:
    """Least and most, as the numbers of a rule of that kind mean them."""
    first = said[0]
    if kind == "range":
        return first, said[-1]
    ends: dict[str, tuple[int | None, int | None]] = {
        "least": (first, None),
        "most": (None, first),
        "over": (first + 1, None),
        "under": (None, first - 1),
    }
    return ends.get(kind, (first, first))


@cache
def _rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Rules in the order in which they are tried, with what their numbers mean."""
    one = rf"({numerals.DIGITS})"
    ended = rf"(?:\s+{UNITS}|{_ALONE})"
    foreign = rf"(?!\s*{_FOREIGN})"
    written = (
        (rf"\b(?:between|zwischen|entre)\s+{one}\s+(?:and|und|y|et)\s+{one}{foreign}{ended}", "range"),
        (rf"(?:\b(?:from|von|de|desde)\s+)?{one}\s*(?:to|through|bis|a|hasta)\s*{one}\s+{UNITS}", "range"),
        (rf"(?<![\w.-])(\d{{1,6}})\s*[-–—]\s*(\d{{1,6}})\s+{UNITS}", "range"),
        (rf"{_ORDER}(?!\d{{4}}-\d)(\d{{1,6}})\s*[-–—]\s*(\d{{1,6}})(?=\s+[a-z]){foreign}", "range"),
        (rf"{_ORDER}(?:between|zwischen|entre|from|von|de)?\s*{one}\s*(?:to|bis|a|hasta|and|und|y|et)\s*{one}(?=\s+\w){foreign}", "range"),
        (rf"(?:^|(?<=[\s(,;])){_LEAST}\s*{_ABOUT}?\s*{one}{foreign}{ended}", "least"),
        (rf"(?:^|(?<=[\s(,;])){_MOST}\s*{_ABOUT}?\s*{one}{foreign}{ended}", "most"),
        (rf"{_ORDER}{_LEAST}\s*{one}(?=\s+\w){foreign}", "least"),
        (rf"{_ORDER}{_MOST}\s*{one}(?=\s+\w){foreign}", "most"),
        (rf"\b{_OVER}\s+{one}\s+{UNITS}", "over"),
        (rf"\b{_UNDER}\s+{one}\s+{UNITS}", "under"),
        (rf"{one}\s*(?:\+|or more|oder mehr|o mas|ou plus|at least|minimum|min\b|mindestens)(?:\s+{UNITS}|{_ALONE})", "least"),
        (rf"{one}\s+(?:{UNITS}\s+)?(?:or more|oder mehr|o mas|ou plus|at least|minimum|mindestens){_ALONE}", "least"),
        (rf"{one}\s+(?:{UNITS}\s+)?(?:or fewer|or less|oder weniger|o menos|ou moins|at most|maximum|max|tops|hochstens){_ALONE}", "most"),
        (rf"(?:\b{_ABOUT}\s+)?{one}\s+(?:d[e']\s*|of\s+)?{UNITS}", "exact"),
        (rf"[(,;]?\s*\b(?:n|size|anzahl|grosse|taille|tamano)\s*(?:=|:|of)\s*{one}\s*\)?", "exact"),
        (rf"(?:^|\s)x\s?{one}{_ALONE}", "exact"),
        (rf",\s*(?:{_ABOUT}\s+)?{one}\W*$", "exact"),
        (rf"\b(?:benchmark|test ?set|data ?set|collection|sample|suite)\s+(?:of|with)\s+{_ABOUT}?\s*{one}{foreign}", "exact"),
        (rf"{_ORDER}(?:{_ABOUT}\s+)?{one}(?=\s+[a-z]){foreign}", "head"),
    )
    return tuple((re.compile(rule), kind) for rule, kind in written)
