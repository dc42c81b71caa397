"""Secrets are replaced before anything is stored: `[[SECRET:rule:hmac8]]`, equal for equal secrets under one store key.

About ten high-precision rules, each with the words that must be near for it to be tried at all. What stands round a secret (`password=`)
stays, so that a reader still sees what was there. Replacing is idempotent: a placeholder is never replaced again.
"""

import hmac
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any

import msgspec
import re2

from tracedance.kit.chain import canonical

_PLACEHOLDER = "[[SECRET:"


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret."""

    name: str
    near: str
    """Alternatives of plain text of which one stands in every text that the rule can match; any case."""
    pattern: str
    """RE2; group `v` is the secret."""
    check: str = ""
    """Name of a further test that the value must pass."""


RULES: tuple[Rule, ...] = (
    Rule(
        "private-key",
        "PRIVATE KEY",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?P<v>(?:[\s\\|→]|[0-9nrt]|Proc-Type:[^\n]*|DEK-Info:[^\n]*|Version:[^\n]*)*"
        r"[A-Za-z0-9+/=]{20,}[A-Za-z0-9+/=\s\\|→]*)",
    ),
    Rule("jwt", "eyJ", r"\b(?P<v>eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})"),
    Rule("aws-key-id", "AKIA|ASIA", r"\b(?P<v>(?:AKIA|ASIA)[0-9A-Z]{16})\b"),
    Rule("aws-secret", "secret", r"(?i)aws_?(?:session_?|secret_?)(?:access_?)?(?:key|token)\W{1,6}(?P<v>[A-Za-z0-9/+=]{40,})"),
    Rule("github-token", "ghp_|gho_|ghu_|ghs_|ghr_|github_pat_", r"\b(?P<v>gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255})"),
    Rule("gitlab-token", "glpat-|gldt-|glrt-", r"\b(?P<v>gl(?:pat|dt|rt)-[A-Za-z0-9_-]{20,})"),
    Rule(
        "slack-token", "xox|hooks.slack.com", r"\b(?P<v>xox[abeoprs]-[A-Za-z0-9-]{10,})|hooks\.slack\.com/services/(?P<w>[A-Za-z0-9/]{20,})"
    ),
    Rule("stripe-key", "k_live_|k_test_|whsec_", r"\b(?P<v>(?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,})"),
    Rule("google-key", "AIza|GOCSPX-|ya29.", r"\b(?P<v>AIza[0-9A-Za-z_-]{35}|GOCSPX-[0-9A-Za-z_-]{20,}|ya29\.[0-9A-Za-z_-]{20,})"),
    Rule("anthropic-key", "sk-ant-", r"\b(?P<v>sk-ant-[A-Za-z0-9_-]{20,})"),
    Rule("openai-key", "sk-", r"\b(?P<v>sk-[A-Za-z0-9_-]{20,})", "mixed"),
    Rule("package-token", "npm_|pypi-|hf_", r"\b(?P<v>npm_[A-Za-z0-9]{36}|pypi-AgE[A-Za-z0-9_-]{40,}|hf_[A-Za-z0-9]{30,})"),
    Rule(
        "auth-header",
        "authorization|bearer",
        r"(?i)\bauthorization\W{1,6}(?:bearer|basic|token|digest)\s+(?P<v>[A-Za-z0-9._~+/=-]{8,})|\bbearer\s+(?P<w>[A-Za-z0-9._~+/=-]{20,})",
        "mixed",
    ),
    Rule(
        "key-header",
        "api-key|auth-token|api_key",
        r"(?i)\bx-(?:api-key|api_key|auth-token)\W{1,6}(?P<v>[A-Za-z0-9._~+/=-]{12,})",
        "literal",
    ),
    Rule("url-credential", "://", r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@\"'`<>]{0,128}:(?P<v>[^\s@/\"'`<>]{3,256})@", "literal"),
    Rule(
        "env-value",
        "secret|token|passw|api_key|apikey|private_key|access_key",
        r"\b(?:[A-Z0-9]+_)*(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|SECRET_?KEY|PRIVATE_?KEY|ACCESS_?KEY|SECRET_KEY_BASE)(?:_[0-9]+)?"
        r"(?:=|: )[\"']?(?P<v>[^\s\"'`;&|<>(){}\[\]$,\\]{8,512})",
        "literal",
    ),
    Rule(
        "assignment",
        "secret|token|passw|api_key|apikey|access_key",
        r"(?i)\b(?:[a-z0-9]+_)*(?:password|passwd|api_?key|secret_?key|client_secret|access_?token|auth_?token|access_?key)"
        r"[\"']?(?:=|:=| = |: ?)[\"']?(?P<v>[A-Za-z0-9+/=_@#%^*!~-]{8,512})",
        "random",
    ),
)
"""Specific rules come first: what one has replaced, a later one leaves alone."""

DIGEST = sha256("\n".join(f"{rule.name}\t{rule.near}\t{rule.pattern}\t{rule.check}" for rule in RULES).encode()).hexdigest()
"""Digest of the rules; stored content carries it."""

_DUMMIES = re2.compile(
    r"(?i)^(?:your|my|the|some|xxx|\*\*\*|\.\.\.|<|\$|%|\{|change|replace|example|placeholder|redacted|dummy|todo|none|null|true|false|undefined|process\.|os\."
    r"|env\.|config\.|settings\.|self\.|this\.|args\.|secrets?\.)|redacted|placeholder|\.\.\.|\*\*\*|\[\[SECRET:|^[a-z_]+$|^[0-9.:]+$"
)
_UNTRUE = re2.compile(
    r"(?i)^(?:your|my|xxx|\*\*\*|\.\.\.|<|\$|%|\{|change|replace|example|placeholder|redacted|dummy|pass(?:word)?$|secret$|token$|pw$)|\[\[SECRET:|\*\*\*"
)


def _mixed(value: str) -> bool:
    """Letters and digits: no word, path or class name."""
    return any(char.isdigit() for char in value) and any(char.isalpha() for char in value)


def _literal(value: str) -> bool:
    """A value itself and no variable, placeholder, number or piece of code (`proxy.token`)."""
    if "." in value and not any(char.isdigit() for char in value):
        return False
    return not _UNTRUE.search(value) and not value.isdigit() and value.lower() not in ("undefined", "none")


def _random(value: str) -> bool:
    """As good as never a word or a piece of code."""
    return _mixed(value) and not _DUMMIES.search(value)


def _words(near: str) -> Any:
    return re2.compile(("(?i)" + "|".join(sorted({re2.escape(word) for word in near.split("|")}))).encode())


_CHECKS: dict[str, Callable[[str], bool]] = {"": lambda _: True, "mixed": _mixed, "literal": _literal, "random": _random}
_PLACEHOLDERS = re2.compile(rb"\[\[SECRET:[a-z-]{1,40}:[0-9a-f]{8}\]\]")
_ANY = _words("|".join([*(rule.near for rule in RULES), "privatekey", "accesskey"]))
_COMPILED = tuple((rule, rule.near.lower().encode().split(b"|"), re2.compile(rule.pattern.encode())) for rule in RULES)

_SECRET_KEY = re2.compile(
    r"^(?:[A-Z0-9]+_)*(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|SECRET_KEY|PRIVATE_KEY|ACCESS_KEY)$"
    r"|(?i)^(?:password|passwd|api_?key|client_?secret|access_?token|auth_?token|secret_?key|private_?key|authorization|x-api-key)$"
)
"""Names of JSON fields whose text value is a secret."""


def find(text: str) -> list[tuple[str, int, int]]:
    """(rule, start, end) of every secret in `text`, in order of position; placeholders are none."""
    data = text.encode("utf-8", "replace")
    if not _ANY.search(data):
        return []
    low = data.lower()
    taken = [match.span() for match in _PLACEHOLDERS.finditer(data)] if _PLACEHOLDER in text else []
    found: list[tuple[str, int, int]] = []
    for rule, near, pattern in _COMPILED:
        if any(word in low for word in near):
            for start, end in _spans(rule, pattern, data):
                if not any(start < other[1] and other[0] < end for other in taken):
                    taken.append((start, end))
                    found.append((rule.name, start, end))
    found.sort(key=lambda item: item[1])
    return found if len(data) == len(text) else [(name, _chars(data, start), _chars(data, end)) for name, start, end in found]


def _spans(rule: Rule, pattern: Any, data: bytes) -> Iterator[tuple[int, int]]:
    for match in pattern.finditer(data):
        start, end = match.span(1)
        if start < 0:
            start, end = match.span(2)
        value = data[start:end].decode("utf-8", "replace")
        if _CHECKS[rule.check](value):
            yield start, end


def _chars(data: bytes, offset: int) -> int:
    return len(data[:offset].decode("utf-8", "replace"))


class Redactor:
    """Replaces secrets under one key; `found` counts them by rule."""

    def __init__(self, key: bytes, active: bool = True) -> None:
        """`active=False` leaves every text as it is (for measuring)."""
        self.found: Counter[str] = Counter()
        self._active = active
        self._mark = lru_cache(maxsize=4096)(lambda rule, secret: f"{_PLACEHOLDER}{rule}:{_code(key, secret)}]]")

    def text(self, text: str) -> str:
        """`text` with each secret replaced."""
        if not self._active or not text:
            return text
        found = find(text)
        if not found:
            return text
        parts: list[str] = []
        position = 0
        for rule, start, end in found:
            parts += (text[position:start], self._replacement(rule, text[start:end]))
            position = end
        return "".join([*parts, text[position:]])

    def suspects(self, text: str) -> bool:
        """Whether `text`, plain or JSON, may hold a secret at all: a quick look for the words that every rule needs."""
        return self._active and _ANY.search(text.encode("utf-8", "replace")) is not None

    def value(self, value: Any) -> Any:
        """A decoded JSON value with secrets replaced in every string and key; texts that are JSON themselves are read as text."""
        if not self._active:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {self.text(key) if isinstance(key, str) else key: self._field(key, item) for key, item in value.items()}
        return value

    def json(self, text: str) -> str:
        """JSON text with secrets replaced leaf by leaf, canonical again; text that is no JSON is treated as text."""
        try:
            return canonical(self.value(msgspec.json.decode(text)))
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return self.text(text)

    def _field(self, key: object, item: Any) -> Any:
        """The value under one key: `{"API_KEY": "..."}` is a secret by its name."""
        cleaned = self.value(item)
        if not isinstance(key, str) or not isinstance(item, str) or cleaned != item:
            return cleaned
        named = len(item) >= 8 and len(key) < 80 and _SECRET_KEY.search(key) is not None
        if named and _literal(item) and not any(char.isspace() for char in item):
            return self._replacement("named-field", item)
        return cleaned

    def _replacement(self, rule: str, secret: str) -> str:
        self.found[rule] += 1
        mark: str = self._mark(rule, secret)
        return mark


def _code(key: bytes, secret: str) -> str:
    """First 8 hex digits of HMAC-SHA256 of the secret alone."""
    return hmac.new(key, secret.encode("utf-8", "replace"), sha256).hexdigest()[:8]
