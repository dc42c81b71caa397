"""Failures that no flag tells: what a result's text says beside its exit code. And errors that may pass by themselves."""

import re2

from tracedance.kit.looking import looks_only
from tracedance.kit.needs import Needs, among, matching
from tracedance.kit.outputs import shown
from tracedance.kit.testing import shows_run
from tracedance.kit.texts import ANSI, valid
from tracedance.schema import ToolCall

TRANSIENT = re2.compile(
    r"(?im)timed? ?out|\bETIMEDOUT\b|\bECONNRESET\b|\bECONNREFUSED\b|\bEAI_AGAIN\b|socket hang up"
    r"|connection (?:reset|refused|aborted|closed)|temporarily unavailable|\b(?:429|502|503|504)\b"
    r"|rate.?limit|too many requests|overloaded|try again later|deadline exceeded"
    r"|service unavailable"
)
"""The error may pass by itself, or leaves open whether the call took effect. Wide: numbers alone may mean anything."""
SOFT_FAIL = re2.compile(
    r"(?im)\b[1-9]\d* (?:warnings?|errors?|failed|conflicts?)\b|\b0 (?:rows? (?:affected|updated|inserted|deleted)|files? changed|results?"
    r"|matches)\b|\bCONFLICT\b|Traceback \(most recent call last\)|^\s*(?:error|fatal|panic):|\bnot delivered\b"
    r"|[\"']?delivered[\"']?\s*[:=]\s*false"
)
"""A logical failure in a text that nothing flags. Wide: a candidate's mark, not a verdict."""

_HIDDEN = r"(?is)(?:test|lint|build|check|install|compile|tsc|make|migrat|merge|rebase|cherry-pick|pull|deploy|publish|commit).*[|;\n]"
_HIDING = re2.compile(_HIDDEN)
_HANDLED = re2.compile(r"\|\|\s*(?:echo|true|:|printf|exit 0)\b|\|\|\s*:")
_TESTS_FAILED = re2.compile(
    r"(?im)\b[1-9]\d* (?:failed|failing|failures?)\b|^\s*[1-9]\d* fail\s*$|^FAIL\b|^FAILED\b|^--- FAIL: |test result: FAILED"
)
_BROKE = re2.compile(
    r"(?m)^(?:[\w.-]+: )?(?:[Ee]rror|[Ff]atal|[Pp]anic|npm ERR!|npm error|ERROR):? |\bCONFLICT \(|^Traceback \(most recent|^\w*Error: "
    r"|\b[Ff]ound [1-9]\d* errors?\b|\bexited with code [1-9]|^make: \*\*\* |\bcommand not found$|^Automatic merge failed"
)
_SQL = re2.compile(r"(?i)\bquery ok\b.*\b(?:0 rows affected\b|[1-9]\d* warnings?\b)|\b0 rows (?:affected|updated|inserted|deleted)\b")
_NAMED = re2.compile(
    r"(?i)\b(?:fail\w*|error\w*|issues?|problems?|missing|instead|retry\w*|fix\w*|conflict\w*|warnings?|broke\w*|unable|can(?:no|')t|"
    r"did ?n[o']t|does ?n[o']t|not \w+|without|unfortunately|however|skipp?\w*|oops|hmm)\b",
)
_REASON = re2.compile(
    r"(?i)\b(?:because|since|unrelated|pre-?existing|not (?:caused|related|due|from|our|my)|known|expected|harmless|ignor\w*|benign|flak\w+"
    r"|already (?:failing|broken|exist\w*)|later|afterwards|instead|anyway|for now|environment|sandbox)\b",
)
_END = 1500
_READ = 20_000


def hides_failures() -> Needs:
    """The necessary condition of `soft_failure`."""
    return matching(_HIDDEN, "cmd", among("tool_class", "shell")) | among("tool_class", "db")


def soft_failure(call: ToolCall) -> str:
    """The line by which a call's result shows that its step failed although nothing flags it; "" where none does.

    Of shell commands only those count whose exit code a pipe or a further command hides, and only the end of their output; a test run is
    judged by its summary alone, since green runs print errors too.
    """
    result = call.result
    if result is None or result.status != "ok" or call.tool_class not in ("shell", "db"):
        return ""
    if call.tool_class == "shell" and (_HIDING.search(valid(call.cmd[:4000])) is None or _HANDLED.search(valid(call.cmd[:4000]))):
        return ""
    if looks_only(call):
        return ""
    text = shown(result)[-_END:]
    text = valid(ANSI.sub("", text) if "\x1b" in text else text)
    pattern = _SQL if call.tool_class == "db" else _TESTS_FAILED if shows_run(text) else _BROKE
    found = pattern.search(text)
    return found[0].strip()[:80] if found is not None else ""


def failure(call: ToolCall) -> str:
    """How a call failed, flagged (its error class) or not (the line that shows it); "" where it did not fail or never ran."""
    result = call.result
    if result is not None and result.status == "error":
        return result.error_class or "other"
    return soft_failure(call)


def names_failure(text: str) -> bool:
    """Whether the model's text says that something went wrong."""
    return _NAMED.search(valid(text[:_READ])) is not None


def explains_failure(text: str) -> bool:
    """Whether the text says so and gives a reason to go on, or what is done about it."""
    return names_failure(text) and _REASON.search(valid(text[:_READ])) is not None
