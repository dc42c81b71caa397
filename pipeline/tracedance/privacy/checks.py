"""Tests that a value must pass before it counts as a secret: no placeholder, no piece of code, no value known from documentation."""

import math
import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import re2

from tracedance.privacy.known import DOCUMENTED

_UNTRUE = re2.compile(
    r"(?i)^(?:your|my[-_]|the[-_]|some|xxx(?:[^a-z0-9]|x|$)|\*\*\*|\.\.\.|<|\$|%[a-z(_]|\{|\[|change|replace|example|placeholder|redacted|dummy|insert|enter|fake|test[-_]?"
    r"(?:key|token|secret|pass)|pass(?:word|phrase)?s?$|secret$|token$|pw$|none$|null$|nil$|true$|false$|undefined$|string$|required|optional|env[.:]|getenv)"
    r"|\[\[SECRET|\*\*\*|xxxx|\.\.\.|…|redacted|placeholder|_here$|-here$|example$"
)
_CODE = re2.compile(
    r"^(?:process|os|env|config|settings|self|this|args|secrets?|options|opts|props|params|req|request|ctx|app|data|user|form|cfg|conf|state|event|input)\."
    r"|^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|^[A-Za-z_]\w*\(|^[a-z]+(?:[A-Z][a-z]+)+$|^[a-z_]+$|^[A-Z_]+$|^[0-9.:]+$|^[A-Z][a-z]+(?:[A-Z][a-z]+)*$|^[a-z-]+$|^[A-Za-z]+(?:[_/][A-Za-z]+)+$"
)
_LOOK_ALIKE = re2.compile(
    r"^(?:sha(?:1|256|384|512)[-:]|md5[-:]|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$|[0-9a-f]{7,40}$|[0-9a-f]{64}$|https?:|/|\./|~/|@)"
    r"|^\d{4}-\d\d-\d\d|[/\\]\w+\.\w{1,5}$|^(?:toolu|call|msg|req|run|resp|rs|chatcmpl|fc|item|session|org|proj|asst|thread)_"
)
_DIGITS = re.compile(r"\d+")
_RUN = re.compile(r"[A-Za-z0-9]{16,}")
_DIGIT, _LETTER, _SMALL, _CAPITAL, _MARK = (re.compile(form) for form in (r"\d", r"[^\W\d_]", "[a-zà-öø-ÿ]", "[A-ZÀ-ÖØ-Þ]", r"[!@#$%^&*?]"))
_VARIABLE = ("$", "{", "(", "%(", "<", "`", "*", "#{")
_PLACE = ("/", "./", "~", "@", "http://", "https://")
_SEQUENCES = ("0123456789", "1234567890", "abcdefghij", "aaaaaa", "000000", "xxxxxx", "111111")


def entropy(value: str) -> float:
    """Shannon's entropy in bits a character."""
    count = len(value)
    return -sum(found / count * math.log2(found / count) for found in Counter(value).values()) if value else 0.0


def documented(value: str) -> bool:
    """Known from documentation, or made up on sight: no secret whatever its form."""
    low = value.lower()
    return value in DOCUMENTED or low.endswith("example") or "examplekey" in low or any(part in low for part in _SEQUENCES)


def literal(value: str) -> bool:
    """A value itself and no variable, placeholder, number or piece of code (`proxy.token`)."""
    if "." in value and not _DIGIT.search(value):
        return False
    return not _UNTRUE.search(value) and not value.isdigit()


def _mixed(value: str) -> bool:
    """Letters and digits: no word, path or class name."""
    return _DIGIT.search(value) is not None and _LETTER.search(value) is not None


def _three(value: str) -> bool:
    return _DIGIT.search(value) is not None and _cased(value)


def _cased(value: str) -> bool:
    return _SMALL.search(value) is not None and _CAPITAL.search(value) is not None


def _cases(value: str) -> bool:
    """Letters and digits, or small letters and capitals."""
    return _mixed(value) or _cased(value)


def _code(value: str) -> bool:
    """A piece of code or a word; what holds several digits among letters of both cases is neither."""
    drawn = _three(value) and (sum(char.isdigit() for char in value) > 1 or (len(value) >= 12 and entropy(value) >= 3.3))
    return _CODE.search(value) is not None and not drawn and len(_DIGITS.findall(value)) < 3


def dense(value: str) -> bool:
    """A long unbroken stretch of small letters, capitals and digits."""
    return any(_three(match.group()) for match in _RUN.finditer("".join(value.split())))


def _random(value: str) -> bool:
    """As good as never a word or a piece of code: letters and digits, or a mark of the kind that passwords have."""
    if _UNTRUE.search(value) or _code(value) or value.startswith(("./", "~", "@", "--", "http")):
        return False
    if value.startswith("/") and not (len(value) >= 30 and _three(value)):
        return False
    return _mixed(value) or (_MARK.search(value) is not None and _LETTER.search(value) is not None and len(value) >= 8)


def _drawn(value: str) -> bool:
    """Letters and digits, or letters whose case changes as in no word or name."""
    changes = sum(a.isupper() != b.isupper() for a, b in pairwise(value)) if value.isalpha() else 0
    return (_mixed(value) and not _UNTRUE.search(value)) or changes > 2 or (changes > 0 and len(value) > 9 and not _code(value))


def _scrambled(value: str) -> bool:
    """Looks drawn by lot: several kinds of characters and no digest, id, path or name."""
    if not _random(value) or _LOOK_ALIKE.search(value):
        return False
    return entropy(value) >= 3 and (_three(value) or sum(char.isdigit() for char in value) >= 3)


def _credential(value: str) -> bool:
    """What may follow `Bearer`: mixed, or a long unbroken stretch of letters of both cases (Base64)."""
    if _UNTRUE.search(value) or value.startswith(("$", "{")):
        return False
    letters = value.rstrip("=")
    return _mixed(value) or (len(letters) >= 16 and letters.isalpha() and letters[1:] not in (letters[1:].lower(), letters[1:].upper()))


def _password(value: str) -> bool:
    """A password where only a password can stand: anything that is no placeholder or variable."""
    return literal(value) and not value.startswith(_VARIABLE) and "${" not in value and not value.endswith("(")


def _userinfo(value: str) -> bool:
    return _password(value) and value.lower() not in ("password", "pass", "passwd", "pw", "secret", "x-oauth-basic", "token", "pwd", "port")


def _argument(value: str) -> bool:
    """What follows an option: no further option, path or word."""
    return _password(value) and not value.startswith(("-", "/", ".", "@", "~")) and (_drawn(value) or _MARK.search(value) is not None)


def _envvalue(value: str) -> bool:
    """What an upper-case name is set to: short values count as well, numbers, code and words of a type do not."""
    if not _password(value) or value.startswith(_PLACE) or (_code(value) and not _pass_phrase(value)):
        return False
    return not re.fullmatch(r"[\d._:/-]+|[A-Z_]+|[A-Za-z_]+\.[A-Za-z_]+", value)


def _pass_phrase(value: str) -> bool:
    """Words with hyphens, as people choose them."""
    return value.count("-") >= 2 and len(value) >= 12


_NAMING = re.compile(
    r"(?i)pass|secret|token|key|hash|field|input|text|type|string|user|auth|confirm|valid|must|reset|login|basic|bcrypt|argon|plain|hidden|column"
    r"|config|value|sample|default|credential|missing|incorrect|optional|forgot|please|should|least|name|client|server|access|[/\\.:(]"
)


def _chosen(value: str) -> bool:
    """A password in quotes: letters alone too, where they are no name of a thing in code."""
    if not _password(value) or _NAMING.search(value):
        return False
    return _drawn(value) or _random(value) or (len(value) >= 9 and value.isascii() and value.isalpha() and value.islower())


def _phrase(value: str) -> bool:
    """Several words as a password, and no message of a program."""
    return _password(value) and not _NAMING.search(value) and not value.endswith((".", "!", "?", ":"))


CHECKS: dict[str, Callable[[str], bool]] = {
    "": lambda value: not _UNTRUE.search(value) or (len(value) >= 40 and dense(value)),
    "mixed": _mixed,
    "mixedcase": _three,
    "cases": _cases,
    "literal": literal,
    "random": _random,
    "drawn": _drawn,
    "scrambled": _scrambled,
    "credential": _credential,
    "password": _password,
    "userinfo": _userinfo,
    "argument": _argument,
    "envvalue": _envvalue,
    "cookie": lambda _: True,
    "tail": lambda _: True,
    "chosen": _chosen,
    "phrase": _phrase,
}


def named_value(value: str) -> bool:
    """Whether the text of a field whose name says that it is secret is so."""
    return len(value) >= 4 and literal(value) and not documented(value) and not any(char.isspace() for char in value)


FIELD = re2.compile(
    r"(?:[A-Z0-9]+_)*(?:SECRET|TOKEN|PASSWORD|PASSWD|PASS|PWD|API_?KEY|SECRET_KEY|PRIVATE_KEY|ACCESS_KEY)"
    r"|(?:[A-Za-z0-9]+[_-])*(?:[a-z0-9]+(?:Password|Passwd|ApiKey|APIKey|ClientSecret|AccessToken|AuthToken|SecretKey|PrivateKey|AccessKey|Secret)"
    r"|(?i:password|passwd|passphrase|api[_-]?key|client[_-]?secret|access[_-]?token|auth[_-]?token|refresh[_-]?token|secret[_-]?key"
    r"|secret[_-]?access[_-]?key|private[_-]?key|authorization|session[_-]?token|identitytoken|cookie|set-cookie|pwd|secret))"
)
"""Names of JSON fields whose text value is a secret."""
