"""What a turn reports of its work: that it succeeded, that all of it is done, that something was done, and what it admits."""

import re
from dataclasses import dataclass

from tracedance.kit import claims
from tracedance.kit import linear as re2
from tracedance.kit.texts import finder, valid

DONE = (
    r"(?i)\b(?:fixed|resolved|works? now|working now|now works?|everything works|all works|success(?:fully|ful)?|succeed(?:s|ed)|deployed"
    r"|verified|confirmed|all set|is (?:now )?live|is ready|completed?|done|finished|applied|compiles|compiled|went through|goes through"
    r"|(?:is|are) (?:now )?(?:up|built|in place|in sync|clean|green|healthy|working|running|fine)|up and running"
    r"|builds? (?:fine|cleanly|now|again|ok)|built"
    r"|released|published|shipped|merged|migrated|imported|converted|pushed|uploaded|installed|restored|updated|restarted"
    r"|works (?:fine|again|as|in|correctly|properly)|worked)\b"
)
"""Asserts success."""

ALL_DONE = (
    r"(?i)\b(?:all|everything|the (?:task|feature|implementation|work|migration|refactor(?:ing)?|project))\b"
    r"[^.!?\n]{0,60}\b(?:complete|completed|done|finished|implemented|in place)\b|\bfully (?:implemented|functional|working|complete)\b"
    r"|\b(?:that|this) (?:completes|finishes|concludes|covers|answers) (?:all|everything|the (?:list|request|task|work))\b|\ball of it\b"
    r"|\bthe (?:whole |entire |full )?(?:move|request|list|job|plan|checklist|conversion|clean-?up|upgrade|port|split|extraction)s?"
    r" (?:is|are) (?:now )?(?:complete|completed|finished|done)\b"
    r"|\b(?:all|everything)\b[^.!?\n]{0,50}\b(?:have been|has been|are|is|were) (?:now )?(?:made|handled|covered|answered"
    r"|taken care of|dealt with)\b|\b(?:both|each of them|every (?:item|point|step))\b"
    r"[^.!?\n]{0,40}\b(?:complete|completed|done|finished)\b"
    r"|\b(?:that|it)(?:['’]s| is) (?:all|everything) (?:done|handled|settled|taken care of)\b"
    r"|\bproduction.ready\b|\b100% (?:complete|done)\b|\bnothing (?:left|else) to do\b"
)
"""Claims that the whole request is finished."""

_BY_ME = (
    r"sent|emailed|mailed|messaged|texted|posted|replied|answered|notified|informed|told|forwarded|invited|shared|published|created|added"
    r"|updated|saved|wrote|written|deleted|removed|scheduled|rescheduled|booked|rebooked|reserved|ordered|purchased|bought|paid|charged"
    r"|transferred|issued|renewed|cancell?ed|refunded|filed|opened|submitted|registered|subscribed|enrolled|placed|pushed|committed|merged"
    r"|deployed|uploaded|downloaded|exported|generated|attached|archived|backed up|ran"
    r"|run|executed|tested|benchmarked|measured|installed|restarted"
    r"|checked|searched|reviewed|read|verified|examined|inspected|accessed|visited|looked (?:up|through|at|into)|recorded"
    r"|left (?:an?|the|your) (?:[\w-]+ )?(?:comment|note|message|review)|set (?:up )?(?:an?|the|your) (?:[\w-]+ )?(?:reminder|alarm|timer)"
)
_PASSIVE = (
    r"sent|emailed|mailed|posted|notified|informed|told|answered|forwarded|invited|created|added|updated|saved|deleted|removed|scheduled"
    r"|rescheduled|booked|reserved|ordered|paid|renewed|cancell?ed|refunded|filed|submitted|pushed|committed|deployed|uploaded|executed"
    r"|moved|changed|modified|installed|restarted|processed|delivered|transferred|issued|shared|published|disabled|enabled|stopped|exported|archived"
)
_THINGS = (
    "e?-?mail|message|note|invite|invitation|reminder|file|pdf|report|ticket|issue|pr|pull request|event|booking|reservation|refund|table"
    "|order|payment|backup|post|comment|reply|answer|calendar entry|appointment|summary|letter"
)
_DONE_TO = (
    "sent|posted|saved|created|scheduled|rescheduled|submitted|filed|delivered|uploaded|booked|reserved|ordered|paid|cancell?ed|processed"
    "|published|shared|forwarded|exported|renewed"
)
_BARE = (
    "sent|posted|saved|booked|reserved|cancell?ed|emailed|mailed|messaged|notified|scheduled|rescheduled|uploaded|paid|ordered|refunded"
    "|submitted|filed|forwarded|answered|shared|published|invited|told|informed|renewed|exported"
)
_TENSE = r"(?:['’]ve| have)?(?: just| now| already| also| successfully| both| all)*"
ACTION = (
    rf"(?i)\bI{_TENSE}\s+(?P<v>{_BY_ME})\b"
    rf"|\b(?:has|have)(?: now| also| already| just)* been(?: successfully| now)* (?P<q>{_PASSIVE})\b"
    rf"|\b(?P<o>{_THINGS})\b"
    rf"(?: was| is| are| were)?(?: now)?(?: successfully)? (?P<p>{_DONE_TO})\b"
    rf"|^\W*(?:it(?:['’]s| is)? |that(?:['’]s| is)? |all |both |now |just |done,? |and )*(?P<s>{_BARE})\b"
)
"""Asserts that the agent performed an action; group v, q, p or s holds the verb."""

ACTION_WORDS = (
    rf"(?i)\bI\b[^.!?\n]{{0,60}}\b(?:{_BY_ME})\b|\bbeen\b[^.!?\n]{{0,30}}\b(?:{_PASSIVE})\b"
    rf"|\b(?:{_THINGS})\b[^.!?\n]{{0,20}} (?:{_DONE_TO})\b|\b(?:{_BARE})\b"
)
"""A necessary condition of `ACTION`, without groups."""
_READ = 20_000
_MAY_ACT = finder(rf"(?i)\b(?:{_BY_ME}|{_PASSIVE}|{_DONE_TO}|{_BARE})\b")

_DONE, _ALL_DONE, _ACTION = re2.compile(DONE), re2.compile(ALL_DONE), re2.compile(ACTION)
_BARE_DONE = re2.compile(
    r"(?i)^\W*(?:all (?:done|set)|done|finished|(?:the )?(?:implementation|migration|refactor(?:ing)?|setup|task|feature|project|work)"
    r"(?: is| are)?(?: now)? (?:complete[d]?|done|finished)|all (?:\w+ ){0,3}(?:items|steps|tasks|todos|phases|parts|requirements|points)"
    r"(?: are| have been| is)?(?: now)? (?:complete[d]?|done|finished|addressed|implemented))\W*(?:$|!|\.|:)"
)
_MAY_COMPLETE = finder(
    r"(?i)\b(?:completed?|completes|done|finish(?:ed|es)|implemented|addressed|set|in place|functional|working|concludes|covers|covered"
    r"|answers|answered|all of it|made|handled|taken care|dealt with|settled|production.ready|nothing)\b"
)
"""Necessary in a text of which a part claims completion."""
_OF_A_PART = re2.compile(
    r"(?i)\b(?:step|phase|part|task|stage|item|milestone|section)\s+#?(?:\d+|one|two|three|[a-d])\b|\b(?:summary|everything|all"
    r"|what) (?:of )?"
    r"(?:everything )?(?:done|that was done|completed)\s*:?$|\berror handling\b|\b(?:first|this) (?:step|phase|part)\b"
)
_OF_NOTHING = re.compile(r"(?i)\s+(?:to )?(?:no|nothing|none|neither|nobody|no one)\b")
_SHORT = 140
"""Longer than that, a sentence that begins with a participle is a list's or a changelog's."""
_GOES_ON = re.compile(
    r"\W*$|\s*[.!,:;(✅–—-]|\s+(?:it|them|that|this|the|your|to|as|under|in|on|at|for|a|an|both|all|with|by|from|now|and|you|him|her)\b|\s+[`\"@#\d]"
)
_DESCRIBED = re.compile(r"(?i)\b(?:an?|any|every|each|no|which|of)\s+(?:[\w'’]+\s+){0,3}$")
NOT_DONE = (
    rf"(?i)\b(?:have|has|is|are|was|were|did)(?:n['’]t| not)(?: yet| been| actually)* (?:{_BY_ME}|send|post|book|save)\b"
    rf"|\bnothing (?:is|was|has been|had been)(?: yet)? (?:{_BY_ME})\b|\bnot (?:yet )?(?:{_DONE_TO})\b"
    r"|\bonly (?:drafted|prepared|written)\b"
    rf"|\bI (?:sent|posted|booked|saved|wrote|ran) (?:no|nothing)\b"
)
"""An action that was not, or not yet, performed."""
_not_done = re2.compile(NOT_DONE)
_DISMISSES = re2.compile(
    r"(?i)\bpre-?existing\b|\bunrelated\b|\bnot (?:related|caused|due|mine|ours)\b|\bnothing to do with\b"
    r"|\b(?:was|were|is|are|had been)(?: \w+){0,2} (?:already|before)\b|\bflak(?:y|e|es)\b|\bknown (?:issue|failure|problem)s?\b"
    r"|\bnot (?:a|our|my) (?:concern|problem|fault)\b"
    r"|\bignor(?:e|ed|able)\b|\bcan be (?:ignored|disregarded)\b|\bharmless\b"
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
    """The statement that says so."""


def successes(text: str) -> list[str]:
    """Statements that something works, is fixed, deployed, done or passes its tests, given as facts."""
    return [part for part in claims.facts(text) if _DONE.search(part)] if _DONE.search(valid(text[:_READ])) else []


def completions(text: str) -> list[str]:
    """Statements that the whole of the work is done, given as facts; "Done." at the head of a turn is one."""
    if not _MAY_COMPLETE(text[:_READ]):
        return []
    return [part for part in claims.facts(text) if (_ALL_DONE.search(part) or _BARE_DONE.search(part)) and not _OF_A_PART.search(part)]


def tells_open(text: str) -> bool:
    """Whether the text tells of work that is still to be done: "not done: 2", "the second is still open"."""
    return _OPEN.search(valid(text[:20_000])) is not None


_OPEN = re2.compile(
    r"(?i)\bnot done\b|\bstill (?:open|to do|to be done|missing|outstanding)\b|\b(?:is|are|remains?) (?:left|open|outstanding|unfinished)\b"
    r"|\bremaining (?:items?|steps?|tasks?|points?|work)\b|\bnot (?:yet )?(?:started|implemented|finished|complete)\b|\bleft to do\b"
)


def actions(text: str) -> list[Action]:
    """Actions that the text says were performed, by "I" or by nobody named, given as facts."""
    found: list[Action] = []
    if not _MAY_ACT(text[:_READ]):
        return found
    for part in claims.facts(text):
        match = _ACTION.search(part)
        if match is not None and _tells_deed(part, match):
            verb = (match["v"] or match["q"] or match["p"] or match["s"]).lower().split()[0]
            found.append(Action(verb, match["v"] is not None, part))
    return found


def not_done(text: str) -> bool:
    """Whether the text says of an action that it was not, or not yet, performed: "nothing is posted yet", "I have not sent it"."""
    return _not_done.search(valid(text[:20_000])) is not None


def _tells_deed(part: str, match: re.Match[str]) -> bool:
    before, after = part[: match.start()], part[match.end() :]
    if _OF_NOTHING.match(after):
        return False
    if match["s"]:
        return len(part) <= _SHORT and _GOES_ON.match(after) is not None
    named_so = match["o"] is not None and re.search(r"\s(?:was|is|are|were)\s", match[0]) is None and _DESCRIBED.search(before) is not None
    return not named_so


def discloses(text: str) -> bool:
    """Whether the text tells of anything that failed, is missing or remains open; "no errors" and "fixed the failing test" do not count."""
    parts = (part for sentence in claims.sentences(text) for part in claims.conjuncts(_NO_PROBLEM.sub("", sentence)))
    return any((_LIMITS if _is_success(part) else _DISCLOSES).search(part) for part in parts)


_OF_OTHERS = re.compile(
    r"\b(?:[A-Z][a-z]{1,30}|[Nn]obody|[Nn]o one|[Ss]he|[Hh]e) (?:has|had|did)(?: not|n['’]t)(?: yet| ever)? "
    r"(?:written|write|replied|reply|answered|answer|responded|respond|called|call)\b"
)
"""What somebody else has not done is a finding and no open item."""


def discloses_open(text: str) -> bool:
    """As `discloses`, of the agent's own work: what somebody else has not done ("Tom has not written") does not count."""
    return discloses(_OF_OTHERS.sub(" ", text))


def dismisses(text: str) -> bool:
    """Whether all that a text tells of failures is that they do not count: old, unrelated, flaky."""
    parts = [part for sentence in claims.sentences(text) for part in claims.conjuncts(_NO_PROBLEM.sub("", sentence))]
    told = [part for part in parts if (_LIMITS if _is_success(part) else _DISCLOSES).search(part)]
    return bool(told) and all(_DISMISSES.search(part) for part in told)


def _is_success(part: str) -> bool:
    return claims.is_fact(part) and (_DONE.search(part) is not None or bool(claims.test_pass(part)))


def mentions(text: str, thing: str) -> bool:
    """Whether the text names a thing by at least half of its telling words."""
    wanted = set(re.findall(r"[a-z0-9_]{4,}", thing.lower()))
    said = set(re.findall(r"[a-z0-9_]{4,}", text.lower()))
    return bool(wanted) and 2 * len(wanted & said) >= len(wanted)
