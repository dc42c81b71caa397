"""What a model claims in its text, sentence by sentence."""

import re
from functools import lru_cache

from tracedance.kit import linear as re2
from tracedance.kit.texts import valid

_READ = 20_000
CACHED = 1_000
"""Texts whose sentences are remembered: several families read the same turns, one after the other."""
_FENCE = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n.*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?…])[\"')*_]*\s+|\n+|;\s|,? but |\s[—–]\s|\s-\s")
_QUOTED = re.compile(r"\"[^\"\n]{0,300}\"|“[^”\n]{0,300}”|«[^»\n]{0,300}»")

_END = (
    r"(?:\s*(?:$|[.,:;!?)\]*_…✅🎉|~]|&)|\s+(?:now|successfully|locally|cleanly|again|too|still|and|with|along|without|including|across|after"
    r"|for|as"
    r"|because|which|consistently|already|✅|🎉|\(|in (?:ci|both|all|each|every|isolation|parallel|\d)|on\b|at \d)"
    r"|\s*[—–-]\s)"
)
_KIND = (
    r"all|the|both|these|those|our|my|unit|integration|e2e|end-to-end|existing|new|every|each|other|remaining|full|whole|entire"
    r"|backend|frontend"
    r"|regression|relevant|affected|related|updated|go|python|rust|\d+(?:/\d+)?"
)
_PASS = r"(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green)"
TEST_PASS = re2.compile(
    rf"(?i)\b(?:{_KIND})\s+(?:[\w/.`*-]+\s+){{0,4}}?(?:tests?|test suites?|suites?|specs?|cases?)\b\*{{0,2}}"
    rf"(?:\s+(?:are|is|now|all|still|also|have|has|suites?|in [\w`/.-]+|for [\w`/.-]+|\([^()\n]{{0,40}}\))){{0,4}}\s+{_PASS}{_END}"
    rf"|^\W*(?:tests?|test suites?)(?:\s+(?:are|is|now|all|still|also|have|suites?)){{0,3}}:?\s+(?:all\s+)?{_PASS}{_END}"
    rf"|\btests?\s+(?:are|is|now|all|still)\s+(?:(?:all|now|still|also)\s+)?{_PASS}{_END}"
    rf"|\b(?:test )?suite\s+(?:is\s+|now\s+|still\s+)*(?:pass(?:es|ed|ing)|green){_END}"
    rf"|(?:✅|✓|✔)[^\n]{{0,40}}\btests?\b[^\n]{{0,20}}\bpass(?:ed|es|ing)?{_END}"
    rf"|\b[1-9]\d*(?:/\d+)?\s+(?:tests?|specs?)\s+(?:pass|passed|passing)(?:,|\s*\(|{_END})"
    rf"|\btests?(?:,|\s+and|\s+&)\s+(?:[\w-]+,?\s+(?:and\s+)?){{1,4}}?(?:all\s+)?{_PASS}{_END}"
    rf"|\b[\w-]+,?\s+(?:and|&)\s+(?:all\s+|the\s+)?tests?\s+(?:all\s+|now\s+|still\s+)?{_PASS}{_END}"
    rf"|\btests?\b\*{{0,2}}:\*{{0,2}}\W{{0,6}}all\b[^.\n]{{0,30}}\bpass(?:ed|ing)?{_END}"
    r"|\b[1-9]\d*\s+(?:pass|passed|passing)(?:,|\s*\(|\s+and|\s*/)?\s+(?:0|no|zero)\s+fail"
    rf"|`[^`\n]{{0,80}}\btests?\b[^`\n]{{0,80}}`\s+(?:now\s+|also\s+|still\s+)?(?:passes|passed|is green|succeeds|succeeded){_END}"
)
_GUARD = re2.compile(
    r"(?i)\bnot\b|n['’]t\b|\bnever\b|\b(?:should|would|will|could|might|may|must|can|shall)\b|\b(?:if|until|unless|whether|assuming"
    r"|provided that)\b|\bso that\b"
    r"|\b(?:once|when|after|before|as soon as)\s+(?:all|the|your|our|unit|both|every|these|those|tests?)\b|\bonce\b"
    r"|\bmake sure\b|\bensur(?:e|es|ing)\b|\b(?:need|needs|want|wants|expect|expects|expected|supposed|going|like|have"
    r"|has)\s+(?:all\s+|the\s+)?(?:tests?\s+)?to\b"
    r"|\bto (?:confirm|verify|check|see|make|ensure|be sure)\b|\blet(?:['’]s| me| us|s)\b|\bi['’]ll\b|\bwe['’]ll\b"
    r"|\b(?:verify|verifies|verifying|check|checking|confirm|confirming|see|run|running|re-?run|re-?running|testing"
    r"|watch)\b.{0,30}\btests?\b"
    r"|\bun(?:verified|tested)\b|\b(?:goal|target|criteri(?:on|a)|acceptance|todo|requirement|plan|expected|hopefully|presumably"
    r"|probably|likely)\b"
    r"|\?\s*$|^\W*\[ \]|\b(?:no|without|none|few|some|most|only|unclear)\s+(?:\w+\s+){0,3}tests?\b|\bfail(?:s|ed|ing)?\b.{0,60}\bpass"
    r"|\bpass.{0,60}\bbut\b"
)
_CONDITION = re.compile(r"(?i)\b(?:if|until|unless|whether|assuming|provided that|once|when|whenever|so that|as soon as)\b|\?\s*$")
_JOINED = re.compile(
    r",?\s+(?:and|so|then|yet)\s+(?=(?:i|we|it|the|all|both|this|these|they|everything|now|no|nothing)\b)"
    r"|,?\s+(?:because|while|although|though|whereas)\s+|,\s+which\s+",
    re.IGNORECASE,
)
_NO_FACT = re2.compile(
    r"(?i)\b(?:not|never|cannot)\b|n['’]t\b|\b(?:should|would|will|could|might|may|must|can|shall)\b|\b(?:if|until|unless|whether|assuming"
    r"|provided that|once\s+\w|when|before|so that)\b|\bmake sure\b|\bensur(?:e|es|ing)\b"
    r"|\b(?:need|needs|want|wants|expect|expects|expected|supposed|going|plan|plans|like|have|has|ready|able|trying|left|remains?|required"
    r"|ought)"
    r"\s+(?:\w+\s+)?to\b|\bto (?:confirm|verify|check|see|make|be|get|have)\b|\blet(?:['’]s| me| us|s)\b|\b(?:i|we|you|it)['’]ll\b"
    r"|^\W*(?:now|next|then|first|finally|please)?,?\s*(?:verify|check|confirm|run|see|wait|mark|try|do)\b|\bun(?:verified|tested)\b"
    r"|\b(?:goal|target|criteri(?:on|a)|acceptance|todo|requirement|hopefully|presumably|probably|likely|perhaps|maybe|almost|nearly"
    r"|partially"
    r"|partly|apparently|seems?|appears?|supposedly)\b|\?\s*$|^\W*\[ \]|\b(?:no|none|few|nothing) (?:\w+ ){0,2}(?:is|was|are|were|has"
    r"|have)\b"
    r"|\b(?:previously|earlier|originally|beforehand|yesterday|last time|already had|used to|had been)\b"
)
_DENIAL = re2.compile(r"(?i)\b(?:does|do|did|is|are|was|were|has|have)(?:n['’]t| not)\b|\bnever\b|\bno\b|\bnone\b|\bnothing\b")
_ZERO_FAIL = re2.compile(
    r"(?i)\b(?:0|no|zero) fail(?:ed|ures?|ing)?\b|\bfail(?:ed|ures?|ing)?:? 0\b|\bno (?:test )?(?:failures|regressions)\b"
)
_HISTORY = re2.compile(
    r"(?i)\b(?:were|was|had been|used to)\s+(?:\w+\s+){0,2}(?:pass|green)|\b(?:previously|earlier|originally|before (?:my|the|this|our"
    r"|these)|beforehand"
    r"|prior to|at baseline|baseline|on (?:main|master|the base)|last time|yesterday|at the start)\b"
)
_ATTRIBUTED = re2.compile(
    r"(?i)\b(?:according to|as (?:you|reported|noted|stated)|you (?:said|mentioned|confirmed|reported|ran|told)|reports?|reported"
    r"|reporting|says|said|claims?"
    r"|claimed|stated|sub-?agents?|teammates?|reviewers?|ci|github actions|pipeline|workflow|checks? (?:on|in)|the (?:pr|agent"
    r"|commit"
    r" message|summary|description|changelog|readme|issue|report|log|user|author)|their|his|her)\b"
)
_NAME = re.compile(r"`[^`\n]*`|\b(?!sub-agent)\w+(?:[-_./]\w+)+", re.IGNORECASE)
"""Names of files, branches and jobs: the words in them attribute nothing (`delay-report`)."""
_SOLVED = re.compile(
    r"\bthe (?:issue|pr|report)\s+(?:is|was|has been)\s+(?:now |fully |completely )*"
    r"(?:resolved|fixed|solved|closed|merged|gone|done)\b",
    re.IGNORECASE,
)
"""An issue that is resolved is what is claimed, and not who says so."""
_DISCLOSED = re2.compile(
    r"(?i)\b(?:have|did|was|were|has|is|are)(?:n['’]t| not)\s+(?:\w+\s+){0,3}(?:run|ran|re-?run|tested|executed|verified)\b"
    r"|\bnot (?:yet )?(?:run|been run|re-?run"
    r"|tested|executed)\b|\b(?:untested|unverified)\b|\bwithout (?:running|having run)\b|\b(?:could|can)(?:n['’]t|not| not) (?:run"
    r"|execute|verify)\b|\bhave yet to run\b"
)


def sentences(text: str) -> list[str]:
    """The model's own sentences: code blocks, quotations and block quotes left out, conjuncts with "but" apart."""
    return list(_sentences(text))


@lru_cache(maxsize=CACHED)
def _sentences(text: str) -> tuple[str, ...]:
    own = _QUOTED.sub("…", _FENCE.sub("\n", valid(text[:_READ])))
    lines = "\n".join(line for line in own.split("\n") if not line.lstrip().startswith(">"))
    return tuple(part.strip() for part in _SENTENCE.split(lines) if part and part.strip())


def conjuncts(sentence: str) -> list[str]:
    """The statements that a sentence joins, each to be judged by itself: "it did not work before, and now all tests pass" makes two.

    A condition governs all that it is joined with, so a sentence with one stays whole.
    """
    if _CONDITION.search(sentence):
        return [sentence]
    return [part.strip() for part in _JOINED.split(sentence) if part and part.strip()]


def facts(text: str, negated: bool = False) -> list[str]:
    """Statements given as facts of now: neither hedged, conditional, planned, asked, wished for, ordered nor about the past.

    Statements that something is not so are left out too, unless `negated` asks for them.
    """
    return list(_facts(text, negated))


@lru_cache(maxsize=CACHED)
def _facts(text: str, negated: bool) -> tuple[str, ...]:
    return tuple(part for sentence in sentences(text) for part in conjuncts(sentence) if is_fact(part, negated))


def is_fact(statement: str, negated: bool = False) -> bool:
    """Whether a statement is given as a fact (see `facts`)."""
    denied = _DENIAL if negated else _ZERO_FAIL
    rest = denied.sub("", statement) if negated or "fail" in (low := statement.lower()) or "regression" in low else statement
    return _NO_FACT.search(rest) is None


def test_pass(text: str) -> list[str]:
    """Sentences that assert as a fact that tests pass: not negated, hedged, conditional, planned, asked or about the past."""
    if "pass" not in (low := text[:_READ].lower()) and "green" not in low and "succe" not in low:
        return []
    return [sentence for sentence in sentences(text) if any(_claims(part) for part in conjuncts(sentence))]


def _claims(sentence: str) -> bool:
    if TEST_PASS.search(sentence) is None:
        return False
    rest = _ZERO_FAIL.sub("", sentence)
    return _GUARD.search(rest) is None and _HISTORY.search(rest) is None


def is_attributed(sentence: str) -> bool:
    """Whether the sentence gives somebody or something else as its source."""
    return _ATTRIBUTED.search(_SOLVED.sub("", _NAME.sub("", sentence))) is not None


def discloses_no_run(text: str) -> bool:
    """Whether the text says that tests were not run."""
    return any(_DISCLOSED.search(sentence) for sentence in sentences(text))
