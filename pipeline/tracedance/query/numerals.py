"""Numbers as people write them, in digits and in words, in English, German, Spanish and French: `1,000`, `a dozen`, `fünfundzwanzig`."""

import re
import unicodedata
from functools import cache

_UNITS = tuple(
    tuple(words.split())
    for words in (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
        "null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn "
        "neunzehn",
        "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho "
        "diecinueve",
        "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf",
    )
)
"""0 to 19 by language."""
_TENS = (
    ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred"),
    ("zwanzig", "dreissig", "vierzig", "funfzig", "sechzig", "siebzig", "achtzig", "neunzig", "hundert"),
    ("veinte", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa", "cien"),
    ("vingt", "trente", "quarante", "cinquante", "soixante", "soixante-dix", "quatre-vingts", "quatre-vingt-dix", "cent"),
)
"""20, 30 ... 100 by language."""
_COLLECTIVE = {"dozen": 12, "dozens": 12, "dutzend": 12, "docena": 12, "docenas": 12, "douzaine": 12, "douzaines": 12, "score": 20}
_COLLECTIVE |= {"dizaine": 10, "decena": 10, "decenas": 10, "quinzaine": 15, "vingtaine": 20, "veintena": 20, "trentaine": 30}
_COLLECTIVE |= {"treintena": 30, "quarantaine": 40, "cinquantaine": 50, "soixantaine": 60, "centaine": 100, "centenar": 100}
_ONE = ("a", "an", "one", "ein", "eine", "einem", "un", "una", "une")
"""Articles that count what follows only before a word such as dozen."""
_OTHER_WORDS = ("once", "cent", "seize", "elf", "null", "dos", "sept", "one", "cinq")
_HALF = ("half a", "half-a", "ein halbes", "halbes", "media", "une demi-")


def number(said: str) -> int:
    """The number that digits are, whatever marks their thousands. ValueError for what is none."""
    return int(re.sub(r"(?<=\d)[,.'’](?=\d{3}\b)", "", said))


def fold(text: str) -> str:
    """Lower case without accents."""
    plain = "".join(char for char in unicodedata.normalize("NFKD", text.casefold().replace("ß", "ss")) if not unicodedata.combining(char))
    return " ".join(plain.split())


DIGITS = r"(?<![\w.,])-?\d{1,3}(?:[,.'’]\d{3})+(?!\w)|(?<![\w.,])-?\d{1,6}(?![\w%]|[.,:]\d)"
"""A rule without groups for a whole number in digits."""


def spelt_in_digits(text: str, units: str) -> tuple[str, list[int]]:
    """`text`, folded letter by letter, with its number words in digits; and for each letter the place in `text` that it stands for.

    Words that are others too (`once`, `cent`) count only before `units`.
    """
    plain = "".join(fold(char)[:1] or char if char != " " else " " for char in text)
    written, places, start = [], list[int](), 0
    for found in _rule(units).finditer(plain):
        digits = str(_words()[found[0]])
        written += [plain[start : found.start()], digits]
        places += [*range(start, found.start()), *[found.start()] * len(digits)]
        start = found.end()
    return "".join([*written, plain[start:]]), [*places, *range(start, len(plain))]


def in_digits(text: str, units: str) -> str:
    """`text` with its number words in digits, else as it is."""
    plain = "".join(fold(char)[:1] or char if char != " " else " " for char in text)
    written, start = [], 0
    for found in _rule(units).finditer(plain):
        written += [text[start : found.start()], str(_words()[found[0]])]
        start = found.end()
    return "".join([*written, text[start:]])


@cache
def _rule(units: str) -> re.Pattern[str]:
    words = "|".join(re.escape(word) for word in sorted(_words(), key=len, reverse=True))
    return re.compile(rf"(?<![\w-])(?!(?:{'|'.join(_OTHER_WORDS)})\b(?!\s+(?:d[e']\s*)?{units}))(?:{words})(?![\w-])")


@cache
def _words() -> dict[str, int]:
    found: dict[str, int] = {}
    for language, (units, tens) in enumerate(zip(_UNITS, _TENS, strict=True)):
        found |= {word: value for value, word in enumerate(units) if value != 1 or language == 0}
        found |= {word: 20 + 10 * at for at, word in enumerate(tens)}
        for at, ten in enumerate(tens[:-1]):
            for value, unit in enumerate(units[1:10], start=1):
                found |= dict.fromkeys(_joined(language, ten, unit, value), 20 + 10 * at + value)
    found |= {f"vingt-{unit}": 20 + value for value, unit in enumerate(_UNITS[3][:10]) if value}
    found |= {word.replace("funf", "fuenf").replace("zwolf", "zwoelf").replace("dreiss", "dreis"): size for word, size in found.items()}
    found |= {"a hundred": 100, "one hundred": 100, "einhundert": 100, "two hundred": 200, "zweihundert": 200}
    for word, size in _COLLECTIVE.items():
        found |= {f"{one} {word}": size for one in _ONE} | {f"{half} {word}": size // 2 for half in _HALF}
        found |= {f"{unit} {word}": size * value for units in _UNITS for value, unit in enumerate(units[:10]) if value > 1}
    return found


def _joined(language: int, ten: str, unit: str, value: int) -> tuple[str, ...]:
    """How a language writes twenty-one to ninety-nine."""
    if language == 0:
        return f"{ten}-{unit}", f"{ten} {unit}"
    if language == 1:
        return (f"{'ein' if value == 1 else unit}und{ten}",)
    if language == 2:
        return f"{ten} y {unit}", f"veinti{unit}" if ten == "veinte" else f"{ten} y {unit}"
    return f"{ten.removesuffix('s')}-{unit}", f"{ten} et {unit}"
