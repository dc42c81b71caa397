"""Failures that no flag tells: what a result's text says beside its exit code. And errors that may pass by themselves."""

from typing import Any

from tracedance.kit import deliveries
from tracedance.kit import linear as re2
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
_SQL = re2.compile(
    r"(?im)\bquery ok\b.*\b(?:0 rows affected\b|[1-9]\d* warnings?\b)|\b0 rows? (?:were )?(?:affected|updated|inserted|deleted|copied"
    r"|changed)\b"
    r"|^(?:UPDATE|DELETE|MERGE|COPY|SELECT INTO|INSERT 0) 0\s*$|\brows matched: 0\b|\b(?:matched|modified|inserted|deleted"
    r"|n_?modified)_?count[\"']?\s*: 0\b"
    r"|\b(?:matched|modified|affected|updated)[: ]+0\b|\baffected_?rows[\"']?\s*[:=] ?0\b|^(?:psql:.*: )?(?:ERROR|FATAL):? .*"
    r"|^Error: .*|^Parse error.*|\bROLLBACK\s*$"
)
_SQL_CLIENTS = (
    r"\b(?:psql|mysql|mariadb|sqlite3|sqlcmd|clickhouse(?:-client)?|duckdb|cockroach sql|mongosh|cqlsh|bq query|usql|mycli|pgcli)\b"
)
SQL_CLIENT = re2.compile(_SQL_CLIENTS)
"""A command that speaks to a database by its own program."""
_DOING = (
    _SQL_CLIENTS
    + r"|\b(?:build|install|compile|make|migrat\w*|merge|rebase|cherry-pick|pull|push|apply|patch|rsync|import|load|deploy|publish"
    r"|restore|seed|sync|upgrade|ansible-playbook|helm|kubectl|terraform|am|stash|copy|cp|upload|ingest|backfill|convert|export|dump"
    r"|update)\b"
)
_DOES = re2.compile(_DOING)
_VERDICT = re2.compile(
    r"(?m)\bCONFLICT \(|^Automatic merge failed|\bhunks? FAILED\b|^Patch failed at|\bBUILD FAIL(?:ED|URE)\b|^[Bb]uild failed\b"
    r"|^make(?:\[\d\])?: \*\*\* |\bnpm ERR!"
    r"|\bcould not compile\b|\bUPGRADE FAILED\b|^Error from server|^rsync error:|^An error occurred \(|\bfailed=[1-9]|\bunreachable=[1-9]"
    r"|^(?:ERROR|Error|FATAL|fatal|error): (?:failed|could not|cannot|unable)\b|\bfailed to solve\b|\b[1-9]\d* (?:files?|rows?"
    r"|records?|items?|migrations?|documents?|objects?)"
    r" (?:have |were |was )?(?:failed|rejected)\b|(?i:\b(?:imported|copied|updated|inserted|loaded|migrated|uploaded|synced|restored"
    r"|processed|converted|wrote|written"
    r"|exported|applied|changed) 0 (?:of [1-9]\d* )?\w+|\b0 (?:of [1-9]\d* )?(?:rows?|records?|files?|items?|documents?|objects?"
    r"|users?|entries)"
    r" (?:were |have been )?(?:imported|copied|updated|inserted|loaded|migrated|uploaded|synced|restored|processed|converted|written"
    r"|exported|applied))"
    r"|\bMigration \S+ failed\b|\b[Rr]olled back\b|^Traceback \(most recent call last"
)
_CHANGING = (
    r"(?i)update|create|insert|delete|set|apply|save|write|import|sync|publish|deploy|cancel|book|change|modify"
    r"|transfer|pay|refund|submit|upload|run|move"
)
_FIELDS = re2.compile(
    r"(?i)[\"'](?:updated|affected|matched|modified|changed|inserted|deleted|imported|saved|rows_?affected|affected_?rows|modified_?count"
    r"|matched_?count|succeeded)[\"']\s*:\s*0\b|[\"'](?:status|state|result|outcome)[\"']\s*:\s*[\"'](?:failed|failure|error|rejected"
    r"|declined|aborted|rolled_back|denied"
    r"|not_\w+)[\"']|[\"'](?:ok|success|succeeded|saved|applied|updated)[\"']\s*:\s*false\b|[\"']failed[\"']\s*:\s*(?:[1-9]"
    r"|\[\s*[\"'{]|true)"
    r"|^\W*(?:UPDATE|DELETE) 0\W*$|^\W*0 (?:rows?|records?|entries|documents?) (?:were )?(?:affected|updated|changed|imported"
    r"|inserted|deleted|saved)"
)
_NAMED = re2.compile(
    r"(?i)\b(?:fail\w*|error\w*|issues?|problems?|missing|instead|retry\w*|fix\w*|conflict\w*|warnings?|broke\w*|unable|can(?:no|')t|"
    r"did ?n[o']t|does ?n[o']t|not \w+|no such|without|unfortunately|however|skipp?\w*|oops|hmm)\b",
)
_REASON = re2.compile(
    r"(?i)\b(?:because|since|unrelated|pre-?existing|not (?:caused|related|due|from|our|my)|known|expected|harmless"
    r"|no such (?:thing|option|flag|command|task)|ignor\w*|benign|flak\w+"
    r"|already (?:failing|broken|exist\w*)|later|afterwards|instead|anyway|for now|environment|sandbox"
    r"|to (?:see|check|find out|learn) (?:whether|if|how|what|why)|(?:previous|earlier|old|existing|cached|last) (?:version|build"
    r"|copy|install\w*|image)"
    r"|what (?:was|is|had been) (?:there|installed|built|left))\b",
)
_END = 1500
_READ = 20_000


def hides_failures() -> Needs:
    """The necessary condition of `soft_failure`."""
    shell = among("tool_class", "shell")
    return (
        matching(_HIDDEN, "cmd", shell)
        | matching(_DOING, "cmd", shell)
        | among("tool_class", "db", "message")
        | matching(_CHANGING, "tool")
    )


def soft_failure(call: ToolCall) -> str:
    """The line by which a call's result shows that its step failed although nothing flags it; "" where none does.

    Of shell commands mostly those count whose exit code a pipe or a further command hides, and only the end of their output; a test run is
    judged by its summary alone, since green runs print errors too. Where no exit code is hidden, only a plain verdict counts.
    """
    result = call.result
    if result is None or result.status != "ok" or looks_only(call):
        return ""
    if call.tool_class == "message":
        return deliveries.undelivered(call)
    if call.tool_class in ("api", "other"):
        text = shown(result)
        found = _FIELDS.search(valid(text[:2000])) if len(text) <= 4000 else None
        return found[0].strip()[:80] if found is not None else ""
    if call.tool_class not in ("shell", "db"):
        return ""
    text = shown(result)[-_END:]
    text = valid(ANSI.sub("", text) if "\x1b" in text else text)
    pattern = _SQL if call.tool_class == "db" else _pattern(call, text)
    found = pattern.search(text) if pattern is not None else None
    return found[0].strip()[:80] if found is not None else ""


def _pattern(call: ToolCall, text: str) -> Any:
    """What a failed step looks like in the output of this command; None where nothing would be told."""
    command = valid(call.cmd[:4000])
    if _HANDLED.search(command):
        return None
    if SQL_CLIENT.search(command):
        return _SQL
    if _HIDING.search(command):
        return _TESTS_FAILED if shows_run(text) else _BROKE
    return _VERDICT if _DOES.search(command) and not shows_run(text) else None


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
