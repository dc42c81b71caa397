"""Whether a call failed, and how: the fail rule and the error classes.

A call failed when its harness says so, or its exit code is not 0; a call that was refused, cancelled or interrupted never ran and did
not fail. Only the two ends of a result are looked at, and only for the texts that the tool's class can produce: error words also stand
in logs, fixtures and diffs.
"""

import re
from typing import Any

import msgspec

from tracedance.kit import linear as re2
from tracedance.kit import notices
from tracedance.kit.exitcodes import says_no
from tracedance.kit.masked import hides_failure
from tracedance.kit.texts import ANSI
from tracedance.schema import ErrorClass, Status, ToolClass

_END = 2048
_NOTICE = 400
"""Notices of the harness stand at the very start of a result."""


def _pattern(text: str) -> Any:
    return re2.compile(f"(?im){text}".encode())


_NOT_RUN = _pattern(r"want to|rejected|declined|dismissed|sibling|cancel|not executed|interrupted|aborted")
"""A word that every notice of the three kinds below holds."""
_REFUSED = _pattern(
    r"^.{0,40}(?:user (?:doesn't|does not) want to (?:proceed|take this action)|tool use was rejected"
    r"|user (?:has )?(?:rejected|declined|dismissed)\b"
    r"|rejected by (?:the )?user)"
)
_CANCELLED = _pattern(r"sibling tool call errored|cancel+ed: parallel tool call|not executed because")
_INTERRUPTED = _pattern(
    r"\[?request interrupted by user|aborted by (?:the )?user|was cancel+ed\b|(?:command|tool call) (?:was )?aborted before completion"
    r"|^tool execution (?:was )?aborted"
)
_SHELL_ALONE = re.compile(r"\s*(?:/\S+/)?(?:ba|z|da|k)?sh: (?:line )?(?:\d+: )?[\w./+-]+: (?:command )?not found\s*\Z")
"""The shell's own words and nothing else: then the command did not run, though no exit code was recorded."""
_EXIT = re.compile(r"(?:^|\n)(?:Exit code:? (\d{1,5})\b|Process exited with code (-?\d{1,5})\b|<exited with exit code (-?\d{1,5})>)")
_LAST = re.compile(r"(?:<exited with exit code (-?\d{1,5})>|[(\[]?(?:Command|Process) exited with code (-?\d{1,5})[)\]]?\.?)\s*\Z")
_RUNNING = re.compile(r"(?:^|\n)Process running with session ID \d")

_CMD_MISSING = _pattern(
    r"^(?:[^\n:]{0,60}\b(?:sh|bash|env|exec|make|time|nice|sudo|nohup"
    r"|xargs)[^\n:]{0,20}: (?:line )?(?:\d+: )?)?[\w./+-]*[a-z_][\w./+-]*: not found\s*$"
    r"|(?:^|[\s:])[\w./+-]+: command not found\b"
    r"|'[^']{1,80}' is not recognized as (?:an internal|the name)"
    r"|the term '[^']{1,80}' is not recognized|command not found: \S+"
)
_UNKNOWN_OPTION = _pattern(
    r"\b(?:unknown|unrecogni[sz]ed|illegal|no such) (?:option|flag|switch|sub-?command|command|argument)s?\b"
    r"|\binvalid (?:option|flag|subcommand|command)\b|\bunknown command.line option\b"
    r"|['\"`]--?[\w-]{1,80}['\"`] (?:option|flag|switch|argument) (?:does not exist|is not (?:known|supported))"
    r"|\binvalid (?:argument|value) \S{1,80} for \W?--?\w|\bargument --?[\w/-]+: invalid\b"
    r"|unexpected argument '[^']*' found|flag provided but not defined|\bis not a \w+ command\b|missing script:|no rule to make target"
    r"|unknown (?:task|target|(?:\w+ )?command):|\bunknown (?:json )?(?:field|arguments)\b"
    r"|\b(?:command|script|task|recipe|target|session)s? [`'\"][^`'\"\n]{1,80}[`'\"] (?:was |is |does |could )?not (?:found|defined"
    r"|exist|be found)"
    r"|\b(?:task|script|recipe|sessions?) not found\b|unrecogni[sz]ed (?:\w+ )?parameter|\bbad option\b|unknown (?:lifecycle phase"
    r"|compiler option)"
    r"|no plugin found for prefix|does not contain recipe|don't know how to build task|not a valid (?:command|key)\b|\binvalid choice\b"
    r"|unknown (?:\w+ )?(?:subcommand|plugin|environment)|\bno (?:command|step|recipe|task|script) named\b|unknown shorthand flag"
    r"|could not find (?:a )?(?:command|task)|specified command or file was not found|no such (?:task|target|script)\b"
    r"|unexpected token '[\w-]+'$|\bE: invalid operation\b|^\S*python[\d.]*: no module named|failed to spawn: "
    r"|could not determine executable to run"
    r"|requested command \S+ does not exist|\boption:? --?[\w-]+(?::? is|:) unknown|\bno (?:task|recipe|script) \S+ found\b"
    r"|unable to invoke subcommand"
    r"|environments not found in config"
    r"|\bbad options? specified|unknown target '"
)
_NO_TOOL = _pattern(
    r"\bno such tool\b|model tried to call unavailable tool|\bunknown (?:tool|function)\b"
    r"|\b(?:function|action|method) \W?[\w.:-]{1,80}\W? (?:is |was )?not (?:defined|found|available|known)"
    r"|\bunsupported (?:custom )?(?:tool )?call: |NoSuchToolError|\btool_not_found\b|\bno handler for tool\b"
    r"|\b(?:could not|couldn't|cannot) find (?:a |the )?(?:tool|function)\b|\b(?:unrecogni[sz]ed|invalid|undefined) (?:tool"
    r"|function)(?:tool|function)(?: name)?(?:: ?| ?[`'\"]|$)"
    r"|\bunknown (?:action|method)\b|\bno (?:tool|function|action) (?:named|called)\b|is not an? (?:available|known"
    r"|registered) (?:tool|function)"
    r"|\btool\b.{1,80}?\b(?:not found|does not exist|is not available|is not defined|unknown tools?)\b|not a valid tool"
)
_SCHEMA = _pattern(
    r"InputValidationError|\binvalid (?:tool )?(?:arguments|parameters|input)\b|\b(?:missing"
    r"|required) (?:required )?(?:parameter|argument|property|field)s?\b"
    r"|is a required property|unexpected (?:keyword argument|parameter)|invalid input: expected"
    r"|additional properties are not allowed|ToolInputError"
    r"|failed to (?:validate input|parse function arguments)|required parameter `?\w+`? is missing"
    r"|\bparameter `?\w+`? is required|\b(?:to|target) required\b"
    r"|requires a target|input should be\b|validation errors? (?:for|parsing)\b|must have required property|unrecognized key"
    r"|\bvalidation failed (?:for|:)|(?:must|do(?:es)? not|did not) (?:match|fit|conform to|satisfy) (?:the |its )?(?:\w+ )?schema"
    r"|schema validation"
    r"|must (?:be equal to one of|NOT have additional)|unexpected (?:argument|property|field)\b|unknown (?:parameter|property"
    r"|argument|field)\b"
    r"|^use [`'\"][\w.-]+[`'\"] instead of|is not of type\b|is not one of \["
    r"|\bcalled with invalid\b|\bis required\b|\bcalled without\b|must be (?:an? )?(?:string|number|integer|boolean|array|list"
    r"|object)\b|cannot be empty"
    r"|\binvalid (?:type|enum)\b|expected (?:string|number|integer|boolean|array|object), (?:got|received)|\bmissing \d+ required\b"
    r"|\b(?:expected|must be|should be|is not|not) (?:one of|among)\b|\b(?:allowed|valid|accepted|possible) (?:values|options"
    r"|choices)\b|not an? (?:allowed|valid) (?:value|option|choice)"
    r"|unexpected parameter\b|unexpected positional argument|\bmissing field `"
)
_GUARD = _pattern(
    r"permission to use .{1,80} has been denied|blocked (?:by|:).{0,3}(?:hook|policy|safety guard|sandbox|a? ?pre)"
    r"|\bhook\b.{0,40}\b(?:error|blocked|failed|exit(?:ed)?)\b"
    r"|denied by .{1,60}|exec denied|allowlist miss|requires approval|operation not permitted|permission denied|\bEACCES\b"
    r"|\b(?:401|403)\b.{0,20}(?:unauthori[sz]ed|forbidden)|protected branch|\bGH006\b|remote rejected|husky - "
    r"|path outside working dir|^Blocked\b.{0,12}:|\b(?:sandbox|access|request|command) (?:denied|forbidden)\b|\bdeny list\b|\bdenied:"
    r"|not (?:permitted|authori[sz]ed)\b|forbidden by|\bpolicy\b.{0,60}\b(?:forbids|denies|does not allow|blocks)\b|\b(?:status code"
    r"|http|error) 40[13]\b"
)
_NOT_READ = _pattern(r"has not been read (?:yet|in)|must (?:first )?read the file|read it first before writing")
_STALE = _pattern(
    r"(?:has been|was) (?:unexpectedly )?modified(?: since|\. read it again| externally)|unexpectedly modified"
    r"|file (?:has )?changed since"
)
_NOT_UNIQUE = _pattern(
    r"found (?:[2-9]|\d{2,}) (?:matches|occurrences)|multiple (?:occurrences|matches)|\bnot unique\b"
    r"|expected \d+ occurrences?(?:\(s\))?,? but found (?:[2-9]|\d{2,})\b"
)
_NOT_FOUND_TEXT = _pattern(
    r"string to replace (?:was )?not found|string not found in file|old_?string.{0,60}not (?:found|appear)"
    r"|expected \d+ occurrences?(?:\(s\))?,? but found 0\b"
    r"|found 0 (?:matches|occurrences)|no (?:exact )?match(?:es)? found for|could ?n[o']t find (?:the )?(?:exact |old|search|edits\[)"
    r"|hunk .{0,12}failed|patch does not apply|patch failed:|failed to find (?:expected lines|context)"
    r"|no replacement was performed|invalid context \d"
)
_EDIT_PATCH_FAILED = _pattern(
    r"^(?:apply_patch verification failed|failed to (?:apply|find|read)|error(?: applying patch)?:|invalid patch"
    r"|patch (?:failed|does not apply))"
)
_NO_FILE = _pattern(
    r"\bno such file or directory\b|\bENOENT\b|\bfile (?:does not exist|not found)\b|\b(?:path|directory) (?:does not exist"
    r"|not found)\b|cannot find (?:the )?(?:path|file)\b"
)
_NOT_FOUND = _pattern(
    r"\bnot found\b|\b404\b|\bdoes not exist\b|\bno such\b|\bunknown (?:skill|agent|id|revision|target|recipient|channel|chat|user"
    r"|contact|address|account|host)\b|couldn't find\b|did not match any\b"
    r"|\bbad (?:object|revision)\b|\bcould not resolve to an?\b|not a valid object name|\bno pull requests? found\b"
)
_TRANSIENT = _pattern(
    r"timed? ?out\b|\bETIMEDOUT\b|\bECONNRESET\b|\bECONNREFUSED\b|\bEAI_AGAIN\b|socket hang up|connection (?:reset|refused"
    r"|aborted|closed)|temporarily unavailable"
    r"|\b(?:http|status|error|code)\b.{0,12}\b(?:429|502|503|504)\b|rate.?limit|too many requests|overloaded"
    r"|try again later|deadline exceeded|service unavailable"
)
_TEST_FAIL = _pattern(
    r"\b[1-9]\d* failed\b|(?-i:^FAILED\b|test result: FAILED|^FAIL\b|^--- FAIL: )|failures=[1-9]|errors=[1-9]|\bAssertionError\b"
    r"|\b[1-9]\d* failing\b|\b[1-9]\d* failures?\b"
    r"|BUILD FAILURE|^\s*[1-9]\d* fail$|(?-i:^\s*Failed!|\bFailed: +[1-9]|^\s*Failed [\w.]+ \[)"
)

_EDIT_RULES: tuple[tuple[ErrorClass, Any], ...] = (
    ("edit_not_read", _NOT_READ),
    ("edit_stale", _STALE),
    ("edit_not_unique", _NOT_UNIQUE),
    ("edit_not_found", _NOT_FOUND_TEXT),
)
_LOOKUP_RULES: tuple[tuple[ErrorClass, Any], ...] = (("no_such_file", _NO_FILE), ("not_found", _NOT_FOUND), ("transient", _TRANSIENT))
_SHELL_RULES: tuple[tuple[ErrorClass, Any], ...] = (
    ("cmd_missing", _CMD_MISSING),
    ("unknown_option", _UNKNOWN_OPTION),
    ("test_fail", _TEST_FAIL),
    ("guard", _GUARD),
    ("no_such_file", _NO_FILE),
    ("transient", _TRANSIENT),
    ("not_found", _NOT_FOUND),
)
_OTHER_RULES: tuple[tuple[ErrorClass, Any], ...] = (("no_such_tool", _NO_TOOL), ("schema", _SCHEMA), ("guard", _GUARD))


def outcome(
    tool_class: ToolClass, text: str, flagged: bool | None, exit_code: int | None, command: str = ""
) -> tuple[Status, ErrorClass | None, int | None]:
    """Status, error class and exit code of one result.

    `flagged` is the harness's own word (None: it says nothing); `exit_code` as recorded beside the text, None to read it from the text.
    With `command`, the exit codes that say "no match" (grep) or "they differ" (diff) are told from failures, and test runs whose failure a
    pipe or `|| true` hides are told from successes.
    """
    status = _never_ran(text, flagged)
    if status is not None:
        return status, None, exit_code
    if exit_code is None and flagged is not False and tool_class in ("shell", "job", "edit"):
        exit_code = exit_code_in(text)
    if not _failed(tool_class, text, flagged, exit_code, command):
        hidden = tool_class == "shell" and hides_failure(command, text)
        return ("error", "test_fail", exit_code) if hidden else ("ok", None, exit_code)
    if command and says_no(command, exit_code, text):
        return "ok", None, exit_code
    return "error", error_class(tool_class, text, exit_code), exit_code


def exit_code_in(text: str) -> int | None:
    """The exit code that a shell's result states at its start (or in a JSON envelope); None where it states none or still runs."""
    head = text[:_NOTICE]
    if head.startswith("{"):
        return _envelope_code(text)
    found = _EXIT.search(head)
    if found is None and ("<exited with exit code" in text[-60:] or "exited with code" in text[-60:]):
        found = _LAST.search(text[-60:])
    if found is None or _RUNNING.search(head[: found.start()]):
        return None
    return int(next(group for group in found.groups() if group is not None))


def error_class(tool_class: ToolClass, text: str, exit_code: int | None = None) -> ErrorClass:
    """How a failed call of this tool class failed."""
    if tool_class in ("shell", "job") and exit_code == 127:
        return "cmd_missing"
    head, ends = _ends(_printed(text))
    from_harness = "<tool_use_error>" in text[:40] or tool_class not in ("shell", "job") or notices.about_call(text)
    rules = _OTHER_RULES if from_harness else ()
    for kind, pattern in rules:
        if pattern.search(head):
            return kind
    if tool_class in ("edit", "write"):
        return _earliest(_EDIT_RULES, head) or _first(_LOOKUP_RULES, head)
    if tool_class in ("shell", "job"):
        return _first(_SHELL_RULES, ends)
    return _first(_LOOKUP_RULES, head)


def _first(rules: tuple[tuple[ErrorClass, Any], ...], data: bytes) -> ErrorClass:
    return next((kind for kind, pattern in rules if pattern.search(data)), "other")


def _earliest(rules: tuple[tuple[ErrorClass, Any], ...], data: bytes) -> ErrorClass | None:
    """The class that is named first: what follows may be an echo of the text that was looked for."""
    found = [(match.start(), kind) for kind, pattern in rules if (match := pattern.search(data))]
    return min(found)[1] if found else None


def _ends(text: str) -> tuple[bytes, bytes]:
    """The start of a text, and its start with its end; without terminal colours, as UTF-8."""
    start = text[:_END]
    both = text if len(text) <= 2 * _END else f"{start}\n{text[-_END:]}"
    return _bytes(start), _bytes(both)


def _bytes(text: str) -> bytes:
    return (ANSI.sub("", text) if "\x1b" in text else text).encode("utf-8", "replace")


def _never_ran(text: str, flagged: bool | None) -> Status | None:
    """Why the call never ran, None when it did. A result that the harness calls a success ran, whatever it quotes."""
    if flagged is False or (flagged is None and len(text) > _NOTICE):
        return None
    notice = text[:_NOTICE].encode("utf-8", "replace")
    if not _NOT_RUN.search(notice):
        return None
    if _REFUSED.search(notice):
        return "refused"
    if _CANCELLED.search(notice):
        return "cancelled"
    return "interrupted" if _INTERRUPTED.search(notice) and not _EXIT.search(text[:_NOTICE]) else None


def _failed(tool_class: ToolClass, text: str, flagged: bool | None, exit_code: int | None, command: str) -> bool:
    if flagged is not None:
        return flagged or (exit_code not in (None, 0) and tool_class == "shell")
    if exit_code is not None:
        return exit_code != 0
    if tool_class in ("shell", "job"):
        told = text.startswith(("exec_command failed", "write_stdin failed", "execution error:"))
        alone = len(text) <= _NOTICE and _SHELL_ALONE.match(text) is not None
        return told or alone or notices.of_shell(text, command)
    if tool_class in ("read", "search"):
        return notices.of_look(text)
    if tool_class in ("edit", "write"):
        return _EDIT_PATCH_FAILED.search(text[:_NOTICE].encode("utf-8", "replace")) is not None or notices.of_call(text)
    return text.lstrip()[:5].lower() == "error" or notices.of_call(text)


def _printed(text: str) -> str:
    """What the program printed, where an envelope holds it."""
    if not text.startswith('{"output"'):
        return text
    try:
        return msgspec.json.decode(text, type=_Envelope).output
    except (msgspec.DecodeError, UnicodeEncodeError):
        return text


class _Metadata(msgspec.Struct):
    exit_code: int | None = None


class _Envelope(msgspec.Struct):
    metadata: _Metadata
    output: str = ""


def _envelope_code(text: str) -> int | None:
    try:
        return msgspec.json.decode(text, type=_Envelope).metadata.exit_code
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None
