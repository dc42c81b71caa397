"""Parameters that a sentence states in words, for the families that have them, and those that it leaves open."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tracedance.query.figures import NUMBER
from tracedance.schema import FamilyCard

_NUMBER = NUMBER.replace("?P<number>", "?P<n>").replace("?P<scale>", "?P<s>")
_TIMES = (
    rf"\b(?P<more>(?:at least|more than|no fewer than|mindestens|mehr als|al menos|más de|au moins|plus de)\s+)?{_NUMBER}(?: or more)?\s+"
    r"(?:times|mal|veces|fois|(?:identical |failed |earlier |prior |previous )*(?:failures|attempts|tries|errors|versuche|intentos)"
    r"(?: of the (?:very )?same (?:call|command))?)\b"
)
_ATTEMPTS = rf"\b(?P<more>(?:more than)\s+)?{_NUMBER}\s+(?:attempts?|tries|try|failures?|versuchen?|intentos?|essais?)\b"
_OWN_PATHS = r"(?<![\w/])(?P<path>(?:[\w.@*-]+/)+[\w.*@-]*)(?![\w/])"
_BRANCH = r"\b(?P<branch>(?:develop|dev|staging|stable|trunk|release|[\w.-]+/[\w.*-]+))(?: branch(?:es)?)?\b(?=.*\bbranch|$|[ ,.;])"


@dataclass(frozen=True, slots=True)
class Stated:
    """What a sentence says of parameters."""

    values: Mapping[str, Any]
    said: tuple[str, ...]
    """The words that say so."""


def stated(sentence: str, cards: Mapping[str, FamilyCard]) -> Stated:
    """What `sentence` says of the parameters of the families in `cards`."""
    known = {name for card in cards.values() for name in card.parameters}
    values: dict[str, Any] = {}
    said: list[str] = []
    for name, rule, value in _RULES:
        places = list(re.finditer(rule, sentence, re.IGNORECASE)) if name in known and name not in values else []
        if places and (found := value(places)) is not None:
            values[name] = found
            said += [place[0] for place in places]
    if "allowed_paths" in values:
        values["scope_source"] = "fixed"
    return Stated(values, tuple(said))


def missing(sentence: str, families: Mapping[str, FamilyCard], values: Mapping[str, Any]) -> tuple[str, ...]:
    """Parameters that the sentence needs and neither it nor a default gives a value."""
    known = {name for card in families.values() for name in card.parameters}
    fixed = values.get("scope_source") == "fixed" or _FIXED_SCOPE.search(sentence)
    return ("allowed_paths",) if fixed and "allowed_paths" in known and not values.get("allowed_paths") else ()


def left_open(sentence: str) -> str:
    """What a sentence of no family refers to as the user's own without naming it: "our deny list"; "" where it does not."""
    if _GIVEN.search(sentence):
        return ""
    place = _OURS.search(sentence)
    return " ".join(place[0].split()) if place else ""


def _count(places: list[re.Match[str]]) -> int | None:
    place = places[0]
    words = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
    said = place["n"].lower()
    number = words.get(said) or (int(said) if said.isdigit() else None)
    more = (place["more"] or "").lower()
    return None if number is None else number + 1 if re.search(r"more|mehr|más|plus", more) else number


def _paths(places: list[re.Match[str]]) -> list[str]:
    found = dict.fromkeys(place["path"].rstrip(".,;") for place in places)
    return [f"{path}**" if path.endswith("/") else path for path in found]


def _as(value: Any) -> Callable[[list[re.Match[str]]], Any]:
    return lambda places: value


def _words(name: str) -> Callable[[list[re.Match[str]]], Any]:
    return lambda places: list(dict.fromkeys(place[name].strip("`'\"").lower() for place in places))


_ONLY = r"(?:\bonly\b|\bjust\b|\bnur\b|\bsolo\b|\bseulement\b|\bkind of\b)"
_JOBS = {
    "ci": r"CI|GitHub Actions|GitLab|Jenkins|pipelines?|workflows?",
    "background": r"background",
    "batch": r"batch|slurm",
    "container": r"containers?|docker",
}
_CLASSES = {
    "db": r"databases?|SQL",
    "git": r"git",
    "infra": r"infrastructure|terraform|kubectl",
    "fs": r"file(?:[- ]system)?s?",
    "service": r"services?",
}
_GUARDS = {"hook": "hooks?", "permission": "permissions?(?: denials?)?", "sandbox": "sandbox(?:es)?", "branch": "branch protections?"}
_EVIDENCE = {"todo": r"to-?dos?(?: items?| lists?)?", "stub": "stubs?"}


def _only(words: str, after: str = "") -> str:
    return rf"{_ONLY}[^.;]{{0,30}}\b(?:{words}){after}\b|\b(?:{words}){after}\b[^.;]{{0,20}}{_ONLY}"


_RULES: tuple[tuple[str, str, Callable[[list[re.Match[str]]], Any]], ...] = (
    ("prior_identical_failures", _TIMES, _count),
    ("variant", rf"(?:{_ONLY}[^.;,]{{0,12}})?\b(?:stale|outdated|veraltet\w*|obsolet\w*)\b(?:[^.;,]{{0,20}}{_ONLY})?", _as("stale")),
    ("variant", rf"(?:{_ONLY}[^.;,]{{0,12}})?\bnever[- ](?:ran|run)\b(?=[^.;]{{0,20}}\b(?:kind|variant|form|sort)\b)", _as("never")),
    *(("guards", _only(rule), _as(kind)) for kind, rule in _GUARDS.items()),
    *(("evidence", _only(rule), _as(kind)) for kind, rule in _EVIDENCE.items()),
    *(("form", rf"\b(?:the )?{kind} (?:form|kind|variant|sort)\b", _as(kind)) for kind in ("weak", "strong")),
    *(("job_kinds", _only(rule), _as(kind)) for kind, rule in _JOBS.items()),
    *(("classes", _only(rule, r" (?:commands?|operations?|deletions?|statements?)"), _as([kind])) for kind, rule in _CLASSES.items()),
    ("max_attempts", _ATTEMPTS, _count),
    ("allowed_paths", _OWN_PATHS, _paths),
    ("branches", rf"\b(?:to|into|onto|on)\s+(?:the\s+)?{_BRANCH}", _words("branch")),
    ("force", r"\bany force[- ]?push|\bforce[- ]?push\w* (?:to|of|on) any (?:branch|history)", _as("any")),
    ("any_unrequested_push", r"\b(?:any|whatever|every) (?:unrequested push|push (?:nobody|that nobody|not asked)|branch)", _as(True)),
    (
        "require_rule",
        r"\b(?:although|where|when|even though) (?:a|the|its) (?:rule|rules|instructions?|CLAUDE\.md|AGENTS\.md) (?:demand|require|say)",
        _as(True),
    ),
)
"""Parameter, the words that state it, and its value from their places. The first rule that finds something decides."""

_FIXED_SCOPE = re.compile(
    r"\b(?:our|a|one|the)\s+(?:own\s+)?(?:fixed|configured|preset|predefined|given|certain|specific|particular|agreed)\s+(?:\w+\s+)?"
    r"(?:folder|director|path|area|scope|module|package|list)|\bfixed by (?:us"
    r"|me)\b|\b(?:we|I) (?:have )?(?:fixed|set|configured|defined|specified|list)\b"
    r"|\b(?:our|my|a|the) (?:\w+ )?(?:white|allow|deny|block|black|permit)[- ]?list"
    r"|\b(?:folders?|paths?|director(?:y|ies)|files?|areas?|modules?) (?:that |which )?(?:we|I|you) (?:will |have |'ll "
    r"|would )?(?:specif|provid|defin|giv|gave|cho|set|"
    r"maintain|agree|hand|suppl|permit|allow)\w*"
    r"|\bour (?:\w+ )?(?:allow(?:ed)?[- ]?list|allowed (?:folders?|paths?|director\w+)|permitted (?:folders?|paths?|director\w+)|list of)"
    r"|\bthe (?:folders?|paths?|director(?:y|ies)) (?:that )?(?:we|I) (?:allow|permit|approve|name|list)",
    re.IGNORECASE,
)
_THING = (
    r"(?:lists?|polic(?:y|ies)|guidelines?|conventions?|style ?guides?"
    r"|glossar(?:y|ies)|(?:allow|deny|block|black|white)[- ]?lists?|limits?|"
    r"thresholds?|budgets?|quotas?|versions?|endpoints?|APIs?|templates?|checklists?|naming (?:scheme|rules?)|tables|standards?|rule ?book|"
    r"runbooks?|playbooks?|hosts?|domains?|vendors?|phrases?|words?|terms?|libraries|tools?|commands?|fields?)"
)
_OURS = re.compile(
    rf"\b(?:our|my|the team's|the company's|the house)\s+(?:[\w-]+\s+){{0,3}}{_THING}\b"
    rf"|\b{_THING}\s+(?:version\s+)?(?:that |which )?(?:we|I)(?:'ve| "
    rf"have)?\s+(?:\w+\s+)?(?:maintain|keep|deprecated|forbidden|forbid|banned|ban|approved|"
    r"approve|allow|agreed|defined|set|chose|configured|retired|blocked|list(?:ed)?)\b"
    rf"|\b(?:a certain|a given|a particular|a specific|the agreed|the configured"
    rf"|the maximum|the allowed number of)\s+(?:\w+\s+)?(?:{_THING}|number)\b"
    r"|\bthe (?:maximum|minimum|limit|number|amount|length|size|threshold|deadline) (?:that |which )?(?:we|I)\b"
    r"|\btoo (?:many|few|often|long|large|much)\b",
    re.IGNORECASE,
)
_GIVEN = re.compile(r"[\"“`«']\S[^\"”`»']*[\"”`»']|:\s*\S+|\bv?\d+(?:\.\d+)+\b|(?<!\w)/\w|\w+/\w+|\b[A-Z]{2,}[_-]\w+|\bv\d+\b|https?:")
"""Signs that a value is there: a quotation, a list after a colon, a version, a path, an address."""
