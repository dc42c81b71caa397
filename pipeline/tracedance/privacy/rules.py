"""The rules by which secrets are known, read from `secrets.toml`: each with the words at one of which it is tried, and nowhere else."""

import tomllib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import re2

from tracedance.privacy.checks import CHECKS, documented, entropy

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_ASSIGNED = r"""[\w.-]{0,20}[\s'"]{0,3}(?:=|>|:{1,3}=|:|=>|\?=)[`'"\s=]{0,5}"""
"""What stands between the name of a service and the value that is assigned to it."""
_CUT = r"[A-Za-z0-9_+/=.-]{6,}?(?:\s{0,3}(?:…|\.\.\.|\[trunc|<trunc|\[\.\.\.|\[output)|\.{0,3}\z)"


@dataclass(frozen=True)
class Rule:
    """One way of knowing one kind of secret."""

    name: str
    kind: str
    """`token`, `service` or `named`, as in the file."""
    words: tuple[str, ...]
    """The pattern begins with one of them: in the case given for tokens, in any case else."""
    pattern: str
    """RE2 for what follows the word; the group `v`, where there is one, is the secret, and else all of it, the word too."""
    check: str = ""
    """Name of a test in `checks` that the value must pass."""
    entropy: float = 0.0
    upper: bool = False
    """The word counts in capitals alone."""
    assigned: bool = False
    """Tried only where the word, or a name that it begins, is followed by a mark of assignment."""
    cut: bool = False
    """A shorter value at the end of a text is one that was cut off."""
    needs: tuple[str, ...] = ()
    """What the pattern matches holds one of these, lines joined or not; empty: not known."""
    source: str = "own"

    @property
    def written(self) -> bytes:
        """The whole pattern, word included."""
        start = "|".join(re2.escape(word) for word in sorted(self.words, key=len, reverse=True))
        case = "" if self.kind == "token" else "(?i)"
        return f"{case}(?:{start})(?:{self.pattern})".encode()

    @cached_property
    def regex(self) -> Any:
        """The pattern, to be matched where a word stands."""
        return re2.compile(self.written, _OPTIONS)

    @cached_property
    def cut_regex(self) -> Any:
        """A token that was cut off: at the end of a text, or before the marks that tell so."""
        start = "|".join(re2.escape(word) for word in self.words if len(word) > 3)
        return re2.compile(f"(?P<v>(?:{start}){_CUT})".encode(), _OPTIONS) if self.cut and start else None

    def holds(self, value: str) -> bool:
        """Whether a value that the pattern found is a secret."""
        return _holds(self.check, self.entropy, value)


@lru_cache(maxsize=8192)
def _holds(check: str, least: float, value: str) -> bool:
    return CHECKS[check](value) and (not least or entropy(value) >= least) and not documented(value)


def _read(path: Path) -> tuple[Rule, ...]:
    rows = tomllib.loads(path.read_text("utf-8"))
    rules = []
    for row in rows["token"]:
        words = tuple(row["start"].split("|"))
        rules.append(
            Rule(
                row["id"],
                "token",
                words,
                row["body"],
                row.get("check", ""),
                row.get("entropy", 0.0),
                cut=row.get("cut", True) and "(?P<v>" not in row["body"],
                source=row["source"],
            )
        )
    for row in rows["service"]:
        pattern = rf"""{_ASSIGNED}(?P<v>{row["value"]})(?:[`'"\s;,\\]|\z)"""
        rules.append(Rule(row["id"], "service", tuple(row["name"].split("|")), pattern, "mixed", 3.0, assigned=True, source=row["source"]))
    for row in rows["named"]:
        words = tuple(row["words"] if isinstance(row["words"], list) else row["words"].split("|"))
        more = {name: row.get(name, False) for name in ("upper", "assigned")} | {"needs": tuple(row.get("needs", ()))}
        rules.append(Rule(row["id"], "named", words, row["pattern"], row.get("check", ""), source=row["source"], **more))
    return tuple(rules)


def _digest(folder: Path) -> str:
    """sha256 over the name and content of every file of rules and code in `folder`."""
    whole = sha256()
    for path in sorted(folder.glob("*")):
        if path.suffix in (".py", ".toml"):
            whole.update(f"{path.name}\n".encode() + path.read_bytes().replace(b"\r\n", b"\n"))
    return whole.hexdigest()


RULES = _read(Path(__file__).with_name("secrets.toml"))
"""In the order in which they are tried: what one has found, a later one leaves alone."""

RULES_DIGEST = _digest(Path(__file__).parent)
"""Digest of the rules and of the code that applies them; stored content carries it."""


def _alternatives(words: set[str]) -> str:
    return "|".join(re2.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


_ASSIGNMENTS = {word for rule in RULES if rule.assigned for word in rule.words}
_ANY_CASE = {word for rule in RULES if rule.kind == "named" and not rule.assigned for word in rule.words}
_AS_GIVEN = {word for rule in RULES if rule.kind == "token" for word in rule.words}
_FOLLOWED = r"""[\w.-]*["'\s\]]*(?:[=:>]|,?\s*["']?value["']?\s?[=:])"""
_SPLIT = r"[ \t\\]*\r?\n[ \t]*"
_COMMON = [
    *("AKIA", "ASIA", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "sk_live_", "rk_live_"),
    *("AIza", "sk-ant-", "sk-proj-", "npm_", "pypi-AgE", "hf_", "SG.", "dop_v1_", "doo_v1_", "dor_v1_"),
]
"""First letters of tokens that are looked for with a line's end among them as well."""
_BROKEN = "|".join(re2.escape(word[:place]) + _SPLIT + re2.escape(word[place:]) for word in _COMMON for place in range(1, len(word)))
TRIGGER_PATTERN = (
    f"(?i:{_alternatives(_ANY_CASE)})|{_alternatives(_AS_GIVEN)}|(?i:{_alternatives(_ASSIGNMENTS)}){_FOLLOWED}|{_BROKEN}".encode()
)
TRIGGER = re2.compile(TRIGGER_PATTERN, _OPTIONS)
"""Finds every word of every rule in one pass; see `word_of`."""


@lru_cache(maxsize=4096)
def word_of(hit: bytes) -> tuple[bytes, bool]:
    """The word in what the trigger found, and whether a line's end breaks it."""
    text = hit.decode("utf-8", "replace")
    low = text.lower()
    if low in _ANY_CASE or text in _AS_GIVEN:
        return hit, False
    whole = "".join(text.replace("\\", "").split())
    if "\n" in text and whole in _COMMON:
        return whole.encode(), True
    return hit[: max((len(word) for word in _ASSIGNMENTS if low.startswith(word)), default=len(hit))], False
