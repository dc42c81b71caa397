"""The rules by which secrets are known: high precision, each with the words that must be near for it to be tried at all."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import re2


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret."""

    name: str
    near: str
    """Alternatives of plain text of which one stands in every text that the rule can match; any case."""
    pattern: str
    """RE2; the first group that took part is the secret."""
    check: str = ""
    """Name of a further test that the value must pass."""


_BREAK = r"(?:\r?\n[ \t]{0,4})?"
"""A token may be wrapped over the end of a line where its length is fixed."""


def digest_of_files(folder: Path) -> str:
    """sha256 over the name and content of every file of rules and code in `folder`."""
    whole = sha256()
    for path in sorted(folder.glob("*")):
        if path.suffix in (".py", ".yaml"):
            whole.update(f"{path.name}\n".encode() + path.read_bytes().replace(b"\r\n", b"\n"))
    return whole.hexdigest()


def _wrapped(chars: str, count: int) -> str:
    return f"(?:[{chars}]{_BREAK}){{{count - 1}}}[{chars}]"


TOKENS: tuple[Rule, ...] = (
    Rule("aws-key-id", "AKIA|ASIA", rf"\b(?P<v>(?:AKIA|ASIA){_wrapped('0-9A-Z', 16)})\b"),
    Rule(
        "github-token",
        "ghp_|gho_|ghu_|ghs_|ghr_|github_pat_",
        rf"\b(?P<v>gh[pousr]_[A-Za-z0-9]{{30,255}}|gh[pousr]_{_wrapped('A-Za-z0-9', 36)}|github_pat_[A-Za-z0-9_]{{22,255}})",
    ),
    Rule("gitlab-token", "glpat-|gldt-|glrt-", r"\b(?P<v>gl(?:pat|dt|rt)-[A-Za-z0-9_-]{20,})"),
    Rule(
        "slack-token", "xox|hooks.slack.com", r"\b(?P<v>xox[abeoprs]-[A-Za-z0-9-]{10,})|hooks\.slack\.com/services/(?P<w>[A-Za-z0-9/]{20,})"
    ),
    Rule("stripe-key", "k_live_|k_test_|whsec_", r"\b(?P<v>(?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,})"),
    Rule(
        "google-key",
        "AIza|GOCSPX-|ya29.",
        rf"\b(?P<v>AIza[0-9A-Za-z_-]{{35}}|AIza{_wrapped('0-9A-Za-z_-', 35)}|GOCSPX-[0-9A-Za-z_-]{{20,}}|ya29\.[0-9A-Za-z_-]{{20,}})",
    ),
    Rule("anthropic-key", "sk-ant-", r"\b(?P<v>sk-ant-[A-Za-z0-9_-]{20,})"),
    Rule("openai-key", "sk-", r"\b(?P<v>sk-[A-Za-z0-9_-]{20,})", "mixed"),
    Rule(
        "package-token",
        "npm_|pypi-|hf_",
        rf"\b(?P<v>npm_[A-Za-z0-9]{{36}}|npm_{_wrapped('A-Za-z0-9', 36)}|pypi-AgE[A-Za-z0-9_-]{{40,}}|hf_[A-Za-z0-9]{{30,}})",
    ),
)
"""Tokens that their own first letters show."""

NAMED: tuple[Rule, ...] = (
    Rule(
        "auth-header",
        "authorization|bearer",
        r"(?i)\bauthorization\W{1,6}(?:bearer|basic|token|digest)\s+(?P<v>[A-Za-z0-9._~+/=-]{8,})|\bbearer\s+(?P<w>[A-Za-z0-9._~+/=-]{20,})",
        "credential",
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
        r"(?:(?:=|: )[\"']?|[\"'] ?: ?[\"'])(?P<v>[^\s\"'`;&|<>(){}\[\]$,\\]{8,512})",
        "literal",
    ),
    Rule(
        "assignment",
        "secret|token|passw|api_key|apikey|api-key|access_key|accesskey|access-key",
        r"(?i)(?:password|passwd|api[_-]?key|secret[_-]?key|client[_-]?secret|(?:access|auth|refresh)[_-]?token|access[_-]?key)"
        r"[\"']?(?:=|:=| = |: ?|\s{1,2}:\s{1,2}|%3D)[\"']?(?P<v>[A-Za-z0-9+/=_@#%^*!~-]{8,512})",
        "random",
    ),
)
"""Values that the words before them show."""


def _inside(rule: Rule) -> Rule:
    """The same token where word characters that are no part of it stand before it."""
    if rule.name == "aws-key-id":
        return replace(rule, pattern=rule.pattern.removeprefix(r"\b"), check="mixed")
    if rule.name == "openai-key":
        return replace(rule, pattern=r"(?P<v>sk-(?:[a-z0-9]{2,12}-)?[A-Za-z0-9_]{20,}[A-Za-z0-9_-]*)", check="dense")
    return replace(rule, pattern=rule.pattern.removeprefix(r"\b"), check="dense")


RULES: tuple[Rule, ...] = (
    Rule(
        "private-key",
        "PRIVATE KEY",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?P<v>(?:[\s\\|→]|[0-9nrt]|Proc-Type:[^\n]*|DEK-Info:[^\n]*|Version:[^\n]*)*"
        r"[A-Za-z0-9+/=]{20,}[A-Za-z0-9+/=\s\\|→]*)",
    ),
    Rule("jwt", "eyJ", r"(?P<v>eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})"),
    Rule("aws-secret", "secret|session", r"(?i)aws_?(?:session_?|secret_?)(?:access_?)?(?:key|token)\W{1,6}(?P<v>[A-Za-z0-9/+=]{40,})"),
    *TOKENS,
    *(_inside(rule) for rule in TOKENS),
    *NAMED,
)
"""Specific rules come first: what one has replaced, a later one leaves alone. Inside a word a token must be random beyond doubt."""

RULES_DIGEST = digest_of_files(Path(__file__).parent)
"""Digest of the rules and of the code that applies them; stored content carries it."""

_DUMMIES = re2.compile(
    r"(?i)^(?:your|my|the|some|xxx|\*\*\*|\.\.\.|<|\$|%|\{|change|replace|example|placeholder|redacted|dummy|todo|none|null|true|false|undefined|process\.|os\."
    r"|env\.|config\.|settings\.|self\.|this\.|args\.|secrets?\.)|redacted|placeholder|\.\.\.|\*\*\*|\[\[SECRET:|^[a-z_]+$|^[0-9.:]+$"
)
_UNTRUE = re2.compile(
    r"(?i)^(?:your|my|xxx|\*\*\*|\.\.\.|<|\$|%|\{|change|replace|example|placeholder|redacted|dummy|pass(?:word)?$|secret$|token$|pw$)|\[\[SECRET:|\*\*\*"
)
_RUN = re2.compile(r"[A-Za-z0-9]{16,}")


def _mixed(value: str) -> bool:
    """Letters and digits: no word, path or class name."""
    return any(char.isdigit() for char in value) and any(char.isalpha() for char in value)


def literal(value: str) -> bool:
    """A value itself and no variable, placeholder, number or piece of code (`proxy.token`)."""
    if "." in value and not any(char.isdigit() for char in value):
        return False
    return not _UNTRUE.search(value) and not value.isdigit() and value.lower() not in ("undefined", "none")


def _random(value: str) -> bool:
    """As good as never a word or a piece of code."""
    return _mixed(value) and not _DUMMIES.search(value)


def _three(value: str) -> bool:
    return any(char.isdigit() for char in value) and any(char.islower() for char in value) and any(char.isupper() for char in value)


def _dense(value: str) -> bool:
    """A long unbroken stretch of small letters, capitals and digits."""
    return any(_three(match.group()) for match in _RUN.finditer("".join(value.split())))


def _credential(value: str) -> bool:
    """What may follow `Bearer`: mixed, or a long unbroken stretch of letters of both cases (Base64)."""
    return _mixed(value) or (len(value) >= 16 and value.isalpha() and value[1:] not in (value[1:].lower(), value[1:].upper()))


CHECKS: dict[str, Callable[[str], bool]] = {
    "": lambda _: True,
    "mixed": _mixed,
    "literal": literal,
    "random": _random,
    "dense": _dense,
    "credential": _credential,
}


def words(near: str) -> Any:
    """A pattern of plain words, any case."""
    return re2.compile(("(?i)" + "|".join(sorted({re2.escape(word) for word in near.split("|")}))).encode())


FIELD = re2.compile(
    r"^(?:[A-Z0-9]+_)*(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|SECRET_KEY|PRIVATE_KEY|ACCESS_KEY)$"
    r"|^(?:[A-Za-z0-9]+[_-])*(?:[a-z0-9]+(?:Password|Passwd|ApiKey|APIKey|ClientSecret|AccessToken|AuthToken|SecretKey|PrivateKey|AccessKey|Secret)"
    r"|(?i:password|passwd|api[_-]?key|client[_-]?secret|access[_-]?token|auth[_-]?token|refresh[_-]?token|secret[_-]?key|secret[_-]?access[_-]?key"
    r"|private[_-]?key|authorization))$"
)
"""Names of JSON fields whose text value is a secret."""
