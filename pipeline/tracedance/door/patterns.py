"""What the second look takes for a secret: tokens that are evident by their shape, and values that stand where a secret stands.

Written from the issuers' own descriptions of their tokens, apart from the rules of redaction. A finding stops an export, so each pattern
is one that ordinary text, digests and identifiers do not meet.
"""

import re
from collections.abc import Iterator

import re2

_EVIDENT = {
    "private key": r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"[\s\\nr]*(?:[A-Za-z-]+:[^\n]*\n)*[\s\\nr]*[A-Za-z0-9+/=]{16,}",
    "json web token": r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{10,}",
    "AWS access key": r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",
    "Google API key": r"AIza[A-Za-z0-9_-]{35}",
    "GitHub token": r"gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
    "GitLab token": r"gl(?:pat|dt|rt|ptt|ft|imt|agent|oas|cbt)-[A-Za-z0-9_-]{20,}",
    "Slack token": r"xox[abeoprs]-[A-Za-z0-9-]{20,}",
    "Slack webhook": r"hooks\.slack\.com/(?:services|workflows)/T[A-Z0-9]{6,}/[AB][A-Z0-9]{6,}/[A-Za-z0-9]{16,}",
    "Stripe key": r"[rs]k_live_[A-Za-z0-9]{16,}",
    "OpenAI key": r"sk-(?:[a-z]{2,10}-)?[A-Za-z0-9_-]{16,}T3BlbkFJ[A-Za-z0-9_-]{16,}",
    "Anthropic key": r"sk-ant-[a-z0-9]{3,8}-[A-Za-z0-9_-]{60,}",
    "Hugging Face token": r"hf_[A-Za-z]{34}",
    "npm token": r"npm_[A-Za-z0-9]{36}",
    "PyPI token": r"pypi-AgE[A-Za-z0-9_-]{50,}",
    "SendGrid key": r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}",
    "DigitalOcean token": r"do[opr]_v1_[a-f0-9]{64}",
    "Telegram bot token": r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b",
    "age key": r"AGE-SECRET-KEY-1[A-Z0-9]{58}",
    "Shopify token": r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    "storage account key": r"(?i:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{40,}={0,2}",
}
_PLACED = {
    "URL with a password": r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/?#:@\"'<>]{0,80}:(?P<v>[^\s/?#@\"'<>]{4,120})@[A-Za-z0-9.\[-]",
    "basic header": r"(?i)\bbasic[ \t]+(?P<v>[A-Za-z0-9+/]{16,}={0,2})",
    "bearer header": r"(?i)\bbearer[ \t]+(?P<v>[A-Za-z0-9._~+/-]{20,}=*)",
    "AWS secret key": r"(?i)aws.{0,12}secret.{0,20}[=:]\W{0,4}(?P<v>[A-Za-z0-9+/]{40})(?:[^A-Za-z0-9+/]|$)",
    "cookie": r"(?i)(?:\bcookie:[^\n]{0,200}?|curl\b[^\n]{0,80} -b ?['\"]?)\b"
    r"(?:[a-z_.-]{0,20}(?:sess|sid|auth|token)[a-z_.-]{0,12})=(?P<v>[A-Za-z0-9%._~+/-]{16,})",
    "password on a command line": r"(?:--password[= ]|sshpass -p ?|curl\b.{0,60} -u ?[\w.@-]{1,60}:"
    r"|mysql(?:dump)?\b.{0,80} -p|redis-cli\b.{0,60} -a )"
    r"[\"']?(?P<v>[A-Za-z0-9+/_.!~-]{8,120})",
    "named value": r"(?i)\b[A-Z0-9_.-]{0,40}(?:password|passwd|pwd|secret|secret_?key|api_?key|auth_?token"
    r"|access_?token|api_?token|private_?key|client_?secret|encryption_?key)"
    r"[\"']?[ \t]{0,2}(?:=|:)[ \t]{0,2}[\"']?(?P<v>[A-Za-z0-9+/_.!~-]{12,200}={0,2})"
    r"(?:[\"'\s,;&}]|$)",
}
_NEAR = re2.compile(
    r"(?i)PRIVATE KEY|eyJ|A[KSBC][IC]A|AIza|gh[pousr]_|github_pat|gl[a-z]{2,5}-|xox|hooks\.slack|k_live_|T3Blbk|sk-ant|hf_"
    r"|npm_|pypi-|SG\.|do[opr]_v1|:AA|AGE-SECRET|shp[a-z]{2}_|AccountKey|AccessKey|://|basic|bearer|secret|cookie|passw|pwd|key|token|sshpass|curl|mysql|redis"
)
_ACROSS_LINES = ("cookie", "AWS secret key", "password on a command line")
"""Placed values that are looked for in joined lines too: what the next line begins with makes no other of them."""
_TOKENS = [(kind, re2.compile(pattern)) for kind, pattern in _EVIDENT.items()]
_VALUES = [(kind, re2.compile(pattern)) for kind, pattern in _PLACED.items()]
_UNTRUE = re.compile(
    r"(?i)example|placeholder|your|change_?me|redacted|dummy|sample|xxxx|\*\*\*|\.\.\.|SECRET:|[${}<>()]|^(?:process|os|env|self|this|config|settings|args)\."
)
_CODE = re.compile(r"^[a-z_]+(?:[A-Z][a-z]+)*\d?$|^[A-Za-z_]+(?:\.[A-Za-z_]\w*)+$|^[\d.:/-]+$")


def secrets(text: str, evident_only: bool) -> Iterator[tuple[str, str, int]]:
    """(kind, value, where it starts) of what looks like a secret."""
    if not _NEAR.search(text):
        return
    for kind, pattern in _TOKENS:
        for match in pattern.finditer(text):
            if not _UNTRUE.search(match.group()):
                yield kind, match.group(), match.start()
    for kind, pattern in _VALUES:
        if evident_only and kind not in _ACROSS_LINES:
            continue
        for match in pattern.finditer(text):
            if random_enough(match.group("v"), 12 if kind == "named value" else 8, kind == "named value"):
                yield kind, match.group("v"), match.start()


def random_enough(value: str, least: int, named: bool = False) -> bool:
    """Letters and digits mixed, and no documented stand-in; under a name neither a variable nor a piece of code."""
    if len(value) < least or _UNTRUE.search(value) or (named and _CODE.search(value)) or len(set(value)) < 6:
        return False
    return any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
