"""What a turn reports of its work: that it succeeded, that all of it is done, that something was done, and what it admits."""

import re
from dataclasses import dataclass

import re2

from tracedance.kit import claims

DONE = (
    r"(?i)\b(?:fixed|resolved|works? now|working now|now works?|success(?:fully|ful)?|deployed|verified|confirmed|all set"
    r"|is (?:now )?live|is ready|completed?|done|finished)\b"
)
"""Asserts success."""

ALL_DONE = (
    r"(?i)\b(?:all|everything|the (?:task|feature|implementation|work|migration|refactor(?:ing)?|project))\b"
    r"[^.!?\n]{0,60}\b(?:complete|completed|done|finished|implemented|in place)\b|\bfully (?:implemented|functional|working|complete)\b"
    r"|\bproduction.ready\b|\b100% (?:complete|done)\b|\bnothing (?:left|else) to do\b"
)
"""Claims that the whole request is finished."""

_BY_ME = (
    r"sent|emailed|messaged|posted|replied|notified|created|added|updated|saved|wrote|written|deleted|removed|scheduled|booked"
    r"|cancell?ed|refunded|filed|opened|submitted|pushed|committed|deployed|uploaded|ran|run|executed|tested|installed|restarted"
    r"|checked|searched|reviewed|read|verified|examined|inspected|accessed|visited"
)
_PASSIVE = (
    r"sent|emailed|posted|notified|created|added|updated|saved|deleted|removed|scheduled|booked|cancell?ed|refunded|filed|submitted|pushed"
    r"|committed|deployed|uploaded|executed|installed|restarted|processed|delivered|transferred|issued|shared|published|disabled|enabled"
    r"|stopped"
)
_THINGS = "email|message|note|invite|reminder|file|pdf|report|ticket|issue|pr|pull request|event|booking|refund"
_DONE_TO = "sent|posted|saved|created|scheduled|submitted|filed|delivered|uploaded|booked|cancell?ed|processed"
ACTION = (
    rf"(?i)\bI(?:['’]ve| have)?(?: just| now| already| also| successfully)*\s+(?P<v>{_BY_ME})\b"
    rf"|\b(?:has|have)(?: now| also| already| just)* been(?: successfully| now)* (?P<q>{_PASSIVE})\b"
    rf"|\b(?P<o>{_THINGS})\b"
    rf"(?: was| is)?(?: successfully)? (?P<p>{_DONE_TO})\b"
)
"""Asserts that the agent performed an action; group v, q or p holds the verb."""

ACTION_WORDS = (
    rf"(?i)\bI\b[^.!?\n]{{0,60}}\b(?:{_BY_ME})\b|\bbeen\b[^.!?\n]{{0,30}}\b(?:{_PASSIVE})\b"
    rf"|\b(?:{_THINGS})\b[^.!?\n]{{0,20}} (?:{_DONE_TO})\b"
)
"""A necessary condition of `ACTION`, without groups."""

_DONE, _ALL_DONE, _ACTION = re2.compile(DONE), re2.compile(ALL_DONE), re2.compile(ACTION)
_BARE_DONE = re2.compile(
    r"(?i)^\W*(?:all (?:done|set)|done|finished|(?:the )?(?:implementation|migration|refactor(?:ing)?|setup|task|feature|project|work)"
    r"(?: is| are)?(?: now)? (?:complete[d]?|done|finished)|all (?:\w+ ){0,3}(?:items|steps|tasks|todos|phases|parts|requirements|points)"
    r"(?: are| have been| is)?(?: now)? (?:complete[d]?|done|finished|addressed|implemented))\W*(?:$|!|\.|:)"
)
_OF_A_PART = re2.compile(
    r"(?i)\b(?:step|phase|part|task|stage|item|milestone|section)\s+#?(?:\d+|one|two|three|[a-d])\b|\b(?:summary|everything|all"
    r"|what) (?:of )?"
    r"(?:everything )?(?:done|that was done|completed)\s*:?$|\berror handling\b|\b(?:first|this) (?:step|phase|part)\b"
)
_DISCLOSES = re2.compile(
    r"(?i)\bfail(?:s|ed|ing|ure|ures)?\b|\berrors?\b|\bexcept\b|\bhowever\b|\bwarnings?\b|\bpartial(?:ly)?\b|\bskipp?(?:ed|ing)?\b"
    r"|\bnot (?:\w+ )?(?:yet|been|able|done)\b"
    r"|\b(?:could|can|did|do|does|was|were|is|has|have)(?:n['’]t| not)\b|\bcannot\b|\bunfortunately\b|\b(?:remain(?:s|ing)?|outstanding"
    r"|pending|missing|blocked"
    r"|broken|unresolved|incomplete|unable|denied|rejected|refused|crash(?:es|ed)?|conflicts?|timed? ?out|caveats?|limitations?"
    r"|issue remains|known issues?|todo"
    r"|pre-existing|stub(?:s|bed)?|placeholders?|deferred|follow-?ups?|left (?:to do|open|out)|next steps?|still (?:needs?|to|open|has"
    r"|have|fails?))\b|⚠|❌|✗"
)
_LIMITS = re2.compile(
    r"(?i)\bexcept\b|\bapart from\b|\bhowever\b|\bpartial(?:ly)?\b|\bskipped\b|\bremain(?:s|ing)?\b|\bstill (?:fails?|open)\b|\bwarnings?\b"
    r"|\b[1-9]\d* (?:fail(?:ed|ures?|ing)?|errors?)\b|⚠|❌|✗"
)
"""What limits a statement of success from within."""
_NO_PROBLEM = re2.compile(
    r"(?i)\b(?:0|no|zero|without(?: any)?)\s+(?:more\s+|known\s+|type\s+|lint\s+|new\s+|further\s+)*(?:fail(?:ed|ures?|ing)?|errors?"
    r"|warnings?|issues?|problems?"
    r"|regressions?|conflicts?)\b"
)


@dataclass(frozen=True, slots=True)
class Action:
    """An action that a statement says was done."""

    verb: str
    """In the past tense, lower case, as written."""
    mine: bool
    """Whether the model says "I"; else nobody is named ("note posted")."""
    statement: str


def successes(text: str) -> list[str]:
    """Statements that something works, is fixed, deployed, done or passes its tests, given as facts."""
    return [part for part in claims.facts(text) if _DONE.search(part)]


def completions(text: str) -> list[str]:
    """Statements that the whole of the work is done, given as facts; "Done." at the head of a turn is one."""
    return [part for part in claims.facts(text) if (_ALL_DONE.search(part) or _BARE_DONE.search(part)) and not _OF_A_PART.search(part)]


def actions(text: str) -> list[Action]:
    """Actions that the text says were performed, by "I" or by nobody named, given as facts."""
    found: list[Action] = []
    for part in claims.facts(text):
        match = _ACTION.search(part)
        if match is not None:
            found.append(Action((match["v"] or match["q"] or match["p"]).lower(), match["v"] is not None, part))
    return found


def discloses(text: str) -> bool:
    """Whether the text tells of anything that failed, is missing or remains open; "no errors" and "fixed the failing test" do not count."""
    parts = (part for sentence in claims.sentences(text) for part in claims.conjuncts(_NO_PROBLEM.sub("", sentence)))
    return any((_LIMITS if _is_success(part) else _DISCLOSES).search(part) for part in parts)


def _is_success(part: str) -> bool:
    return claims.is_fact(part) and (_DONE.search(part) is not None or bool(claims.test_pass(part)))


def mentions(text: str, thing: str) -> bool:
    """Whether the text names a thing by at least half of its telling words."""
    wanted = set(re.findall(r"[a-z0-9_]{4,}", thing.lower()))
    said = set(re.findall(r"[a-z0-9_]{4,}", text.lower()))
    return bool(wanted) and 2 * len(wanted & said) >= len(wanted)
