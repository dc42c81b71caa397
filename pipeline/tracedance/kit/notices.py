"""Results that are nothing but the notice of a failure, where the harness flags none: a refused, unknown or broken call, a lost address.

Only a short text counts, from its very start: the same words in a file, a page or a log are content.
"""

import re

from tracedance.kit import linear as re2

_SHORT = 600
_START = 200
_JSON = re2.compile(
    r'^\s*\{\s*(?:"(?:tool|name|type|id|code|request_id)"\s*:\s*(?:"[^"]*"|\d+)\s*,\s*)?(?:'
    r'"error"\s*:\s*(?:"[^"]|\{)|"(?:ok|success|succeeded|sent|delivered)"\s*:\s*false|"isError"\s*:\s*true|"is_error"\s*:\s*true'
    r'|"errors"\s*:\s*\[\s*[{"]|"status(?:_?code)?"\s*:\s*[45]\d\d\b'
    r'|"status"\s*:\s*"(?:error|forbidden|denied|unauthorized|rejected)"\s*,\s*"(?:error|message|reason|tool|code|detail)")'
)
_CALL = re2.compile(
    r"(?i)^\W{0,3}(?:(?:input)?validation (?:failed|error)|inputvalidationerror|tool input (?:is )?invalid|toolinputerror"
    r"|failed to parse (?:function )?arguments"
    r"|could not parse (?:the )?(?:function )?arguments|(?:schema|argument|parameter) validation|invalid (?:tool )?(?:arguments?"
    r"|parameters?|input)\b"
    r"|missing (?:required )?(?:parameter|argument|property|field)|required (?:parameter|argument|property|field)\b"
    r"|unexpected (?:parameter|argument|property|field|keyword)|unknown (?:parameter|argument|property|field|tool|function|action|method)\b"
    r"|unrecognized (?:parameter|argument|property|key|tool|function|action)|no (?:such )?(?:tool|function|action)\b|model tried to call"
    r"|(?:tool|function|action|method) [`'\"]?[\w.:/-]{1,80}[`'\"]? (?:was |is |does )?(?:not|un(?:known|available))\b"
    r"|[`'\"]?[\w.:/-]{1,80}[`'\"]? is not (?:a valid|an available|a known) (?:tool|function|action)"
    r"|use [`'\"][\w.-]{1,60}[`'\"] instead|argument [`'\"]?[\w.-]{1,60}[`'\"]? (?:is|was) (?:required|missing|not)"
    r"|parameter [`'\"]?[\w.-]{1,60}[`'\"]? (?:is|was) (?:required|missing|not)"
    r"|[^\n]{0,80}\bdo not use [`'\"]?[\w.-]{1,60}[`'\"]?, use\b)"
)
_FORM = re2.compile(
    r"(?i)\b(?:called with invalid (?:arguments|parameters|input)|(?:satisf\w+|match\w*|fit|conform\w* to) the (?:expected |declared "
    r"|tool'?s? |input )?schema"
    r"|must have required property|is a required property|missing required (?:parameter|argument|property|field)|validation failed for tool"
    r"|got an unexpected (?:keyword )?argument|missing \d+ required|nosuchtoolerror|tool_not_found|unsupported (?:custom )?(?:tool )?call: "
    r"|called without (?:an? |its |the )?(?:required )?[`'\"]?\w+)"
)
_PLAIN = re2.compile(
    r"(?i)^\W{0,3}(?:unknown|invalid|unsupported|unrecogni[sz]ed|missing|cannot|can't|could not|couldn't|unable to|failed to|no such"
    r"|not found|rejected"
    r"|illegal|undeliverable|not sent|not delivered|delivery failed|[\w-]{2,30} (?:failed|error)(?: \(|:| -| with)"
    r"|[A-Za-z]\w{2,40}(?:Error|Exception)\b)"
)
_UNKNOWN = re2.compile(
    r"(?i)^(?:[\w./-]{1,60}: |\[?(?:error|fatal|warn)\]?:? |npm (?:err!|error) "
    r"|usage: [^\n]*\n(?:[^\n]*\n)?){0,3}(?:[\w./-]+: )?(?:error: )?"
    r"(?:(?:unknown|unrecogni[sz]ed|illegal|invalid|no such|unexpected|missing) (?:\w+ )?(?:option|flag|switch|sub-?command|command"
    r"|arguments?|script|task|target)\b"
    r"|flag provided but not defined|[`'\"][\w:-]+[`'\"] is not an? \w+ command|no rule to make target"
    r"|command [`'\"][\w:-]+[`'\"] (?:is )?not (?:found|defined))"
)
_CALL_OF_SHELL = re2.compile(
    r"(?i)^\W{0,3}(?:failed to parse (?:function )?arguments|(?:validation failed for|unknown|no such) tool\b"
    r"|unsupported (?:custom )?(?:tool )?call: |model tried to call"
    r"|(?:tool|function) [`'\"]?[\w.:/-]{1,80}[`'\"]? (?:was |is |does )?(?:not|un(?:known|available))\b)"
)
_GUARD = re2.compile(
    r"(?i)^\W{0,3}(?:blocked\b[^\n]{0,12}[:(]|[\w.-]{0,30} ?(?:denied|blocked|forbidden|refused)(?::| by )"
    r"|permission (?:to [^\n]{1,80} )?(?:has been )?denied|access denied|not (?:permitted|allowed|authorized)"
    r"|operation not permitted|policy (?:violation|denies|forbids)|request (?:denied|blocked|rejected)|(?:un)?authori[sz]ed\b"
    r"|forbidden\b|this (?:command|tool|action|operation|call) (?:is|was|has been) (?:blocked|denied|not allowed|forbidden))"
)
_LOST = re2.compile(
    r"(?i)^\W{0,3}(?:(?:web ?)?fetch failed|request failed|failed to (?:fetch|load|open|send|read|connect|deliver)|could not (?:fetch"
    r"|load|open|send|read|connect|deliver|find)"
    r"|(?:http(?:/\d\S*)?|status|error|code)[ :]{1,2}[45]\d\d\b|[45]\d\d (?:client|server) error|[45]\d\d:? (?:bad request"
    r"|unauthori[sz]ed|forbidden|not found|conflict|gone|too many|internal|bad gateway|service)"
    r"|E(?:NOENT|NOTDIR|ACCES|PERM|ISDIR|EXIST|NOTFOUND|CONNREFUSED|CONNRESET|TIMEDOUT|AI_AGAIN|MFILE)\b|(?:the )?(?:file|path"
    r"|directory|folder|document|page) (?:does not exist|not found|was not found)"
    r"|no such (?:file|directory|path|page|entry|record|user|id|key)\b|(?:connection|request|operation|call) timed out|timed? ?out\b"
    r"|gateway timeout|service unavailable|rate.?limit(?:ed)?\b|too many requests)"
)
_PROGRAM = re.compile(
    r"(?:\S*/)?[\w.+-]{1,40}: (?:[^\n]{0,300}: )?(?:No such file or directory|Not a directory|Is a directory|Permission denied"
    r"|Operation not permitted|Directory not empty"
    r"|File exists|Read-only file system|No space left on device|Connection (?:refused|reset[^\n]{0,20}|timed out)|command not found"
    r"|Could not resolve host[^\n]{0,80})\s*",
    re.IGNORECASE,
)


def of_call(text: str) -> bool:
    """Whether a tool's result is the notice of a failed call and nothing else."""
    if len(text) > 4 * _SHORT:
        return False
    data = _start(text)
    if data[:1] == b"{":
        return _JSON.search(data) is not None
    if len(text) > _SHORT:
        return False
    plain = "\n" not in text.strip() and _PLAIN.search(data) is not None
    return plain or any(pattern.search(data) for pattern in (_CALL, _FORM, _GUARD, _LOST))


def of_look(text: str) -> bool:
    """The same of a file or listing, whose content may begin with anything: one line alone."""
    if len(text) > _SHORT or text[:1] == "{":
        return False
    data = _start(text)
    one_line = "\n" not in text.strip() and len(text) <= _SHORT // 2
    if one_line and _CALL.search(re.sub(rb"(?i)^error\W{1,3}", b"", data)):
        return True
    return _FORM.search(data[:120]) is not None or (one_line and any(each.search(data) for each in (_GUARD, _LOST)))


def of_shell(text: str, command: str) -> bool:
    """Whether an output is one by which the harness refuses the command, or the one line of a program that could not do its work."""
    if len(text) > _SHORT:
        return False
    data = _start(text)
    if _CALL_OF_SHELL.search(data) or _GUARD.search(data):
        return True
    line = text.strip()
    if len(text) <= _SHORT and _UNKNOWN.search(data) and not any(sign in command for sign in "|;"):
        return True
    return not any(sign in command for sign in "|;&>") and "\n" not in line and _PROGRAM.fullmatch(line) is not None


def about_call(text: str) -> bool:
    """Whether a text begins as the notice that a call was malformed, or its tool is not there."""
    return _CALL_OF_SHELL.search(_start(text)) is not None


def _start(text: str) -> bytes:
    return text[:_START].lstrip().encode("utf-8", "replace")
