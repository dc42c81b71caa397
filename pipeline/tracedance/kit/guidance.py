"""What a failed call's own error tells the agent to do: names to use, names to leave out, numbers to meet. And whether a later call does.

Only concrete advice counts, and only in the first and last lines of the error; findings about code, pointers to help and to logs do not.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tracedance.kit import advice, arguments, demands, paths, testing, unknown
from tracedance.kit import linear as re2
from tracedance.kit.outputs import shown
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.kit.texts import ANSI, words
from tracedance.schema import ToolCall

GUIDANCE = re2.compile(
    r"(?im)\bdid you mean\b|\buse [`'\"]?[\w./-]+[`'\"]? instead\b|\binstead of [`'\"]?[\w./-]+"
    r"|\bmust (?:be|use|include|specify|provide|read|first|set)\b"
    r"|\bshould be (?:one of|an?|the)\b|\binput should be\b|\bexpected one of\b|\bvalid (?:values|options|choices|targets)\b"
    r"|\bavailable (?:tools|options|commands|values|scripts|agents|fields|skills)\b"
    r"|\brequired (?:parameter|property|argument|field)\b|\bmissing (?:required )?(?:parameter|argument|property|field)"
    r"|\bparameter `?\w+`? is required|\bunexpected (?:parameter|argument|keyword)|\bunknown (?:json )?field|\bhint:|\bdo not use\b"
    r"|similar (?:argument|command|subcommand)|\bmost similar\b|\bbut (?:paid|got|received|found|was given)\b"
    r"|\btry (?:running|adding|using|setting|again with)\b"
    r"|\b(?:use|run|try) [`'\"]|\blooks? like \w|\bread it again\b|\bre-?read\b"
    r"|\bplease (?:provide|use|specify|run|add|set|read|rewrite|pass)\b|\bread it first\b|\bto (?:fix|resolve) this\b"
    r"|\brun [`'\"][^`'\"\n]{3,80}[`'\"]|\bwith [`'\"]|\bthe --[\w-]+ (?:flag|option)|\bflag to\b|(?:\b|\\n)use --?\w|\brequires a \w+\."
    r"|\breplace_all\b|\binvalid_type\b|\bunrecognized_keys\b|\bset [A-Z]\w{3,}|\b(?:for example|e\.g\.|such as),? [`'\"]"
    r"|\b(?:with|via|using|specify|pass|add|try|requires?|needs?|without|either) [`'\"]?--?(?:[a-gi-z]|h[a-df-z])|\b(?:must|should"
    r"|cannot) (?:be|not"
    r"|match|have|start)\b"
    r"|(?:use|run|either|it|issue|with|by|command|following|:)[,:]?[ \t]*(?:\n|\\n)(?:[ \t]*(?:\n|\\n))?(?:hint:)?"
    r"[ \t]+(?:\$ )?[a-z./]+ [\w:./-]+"
    r"|['\"`](?:git|npm|pnpm|yarn|pip|cargo|go|bundle|dotnet|mvn|terraform|docker|make|uv|poetry|composer|bin/\w+|swift|apt-get|conda"
    r"|dart|flutter|mix) [a-z]"
    r"|\b(?:passing|pass|provide|supply|overrid\w+)\b.{0,30}--\w|\bneeds to be run\b|environment variable\b"
    r"|\b[A-Z]+_[A-Z_]+\b.{0,4} (?:is|was) (?:not set|missing|required)"
    r"|\brequired (?:option|flag|argument|parameter)|\barguments? (?:is|are|was|were) (?:required|missing)|\bchoose from\b"
    r"|\bpossible values\b|\bexpected '"
    r"|\bplease (?:commit|stash)\b|\bat (?:most|least) \d|\bmaximum\b|\bexceeds?\b|\bis required\b|\bredirect|\bsimilar:"
    r"|\bexpected [`'\"]?\w+_|\buse the \w+"
    r"|\(use -|\bhint:|^hint:|\bnumeric\b|\bgit config\b|\bmeant\b"
    r"|\bonly (?:accepts?|supports?|allows?)\b|\bmust not\b|\bunexpected argument|\bone of\b|\bexpected (?:format|one|type)\b|\bYYYY\b"
    r"|\binstead\b|\b(?:run|execute|use|try) [`'\"]?(?:git|npm|pnpm|yarn|pip|cargo|go|bundle|dotnet|mvn|terraform|docker|make|uv"
    r"|poetry|composer)\b"
)
"""The necessary condition: an error without any of these gives no advice that is read here."""

LOOKS = words("cat less head tail ls find fd tree grep egrep rg ag sed awk which type man file stat jq wc git")
_IDLE = words("cd echo printf true false export set source sleep pwd test [ cat head tail ls grep egrep rg wc sed awk jq tee xargs")
_SEARCHES = words("rg grep egrep ag fd find ack")
_READ_FIRST = re.compile(r"(?i)\bread (?:it|the file) (?:first|before|again)|\bre-?read\b|must (?:first )?read\b")
_BY_OPERAND = words(
    "rm mkdir rmdir mv cp ln chmod chown tar zip unzip ssh scp rsync curl wget touch mvn mvnw gradle gradlew make just python node pytest"
)
_SHORT_FOR = {("npm", "i"): "install", ("npm", "t"): "test", ("cargo", "b"): "build", ("cargo", "t"): "test", ("pnpm", "i"): "install"}
_CODE_FINDING = re.compile(r"^\s*(?:[\w./\\-]+(?::\d+){1,2}[:)\s]|[\w./\\-]+\(\d+,\d+\)|File \"|\s+at |\s*(?:/?\*|//|#|\d+[:|→-]))")
_NEWS = re.compile(r"(?i)\b(?:new(?:er)? version|update available|new release|deprecat\w+ in favor)\b")
_LINES = 15
_LINE = 400

_QUOTED = r"[`'\"‘“]([^`'\"’”\n]{1,80})[`'\"’”]"
_MEANT = re.compile(
    rf"(?i)\bdid you mean:?\s+(?:{_QUOTED}|(-{{0,2}}[\w:./-]+))|most similar \w+ (?:is|are)\s+([\w-]+)|imilar \w+ exists: {_QUOTED}"
    rf"|\bsimilar: (-{{0,2}}[\w:-]+)|\bperhaps you meant:? {_QUOTED}"
)
_INSTEAD = re.compile(rf"(?i)\buse (?:{_QUOTED}|(--?[\w-]+|[\w.-]+)) instead(?: of ([^\n.;]{{1,80}}))?")
_COMMAND = re.compile(rf"(?i)\b(?:run|try|running|using|use|with|execute)\s+{_QUOTED}")
_CHOICES = re.compile(
    r"(?i)\b(?:available|valid|allowed|supported|accepted|possible)\s+(?:\w+\s+)?(?:values|options|choices|targets|agents|fields|commands"
    r"|tools|scripts|types|names|formats|models|skills)(?:\s+are)?\s*:[ \t]*"
    r"|\bchoose from\b[ :(]{0,3}|\bpossible values(?: are)?:[ \t]*|\bexpected (?='[^'\n]+' \|)|\bmust match one of:?[ \t]*"
    r"|\b(?:expected|must be|should be|is not) one of:?[ \t]*|\binput should be\s+(?=')"
)
_AVOID = re.compile(rf"(?i)\bdo not use (?:the )?(?:{_QUOTED}|(--?[\w-]+))")
_NUMBERS = re.compile(
    r"(?i)\b(?:is|must be|should be|expected|requires?|total)\b[^\d\n]{0,20}?(\d+(?:\.\d+)?),?\s+but\s+\w+(?:\s+\w+)?\s+(\d+(?:\.\d+)?)\b"
)
_PROPERTIES = re.compile(r"(?i)\b(?:use|specify|provide|pass|set|adjust|increase|reduce)\b([^\n.;]{3,120})")
_PARAMETERS = re.compile(
    r"(?i)\b(?:use|set|pass|provide|specify)\s+(?:the\s+)?[`'\"]?([a-z]\w+)[`'\"]?(?:\s+(?:and|or)\s+[`'\"]?([a-z]\w+)[`'\"]?)?"
    r"\s+(?:parameters?|fields?|arguments?|to\s+(?:true|false))\b"
)
_EXPECTED = re.compile(r"\bexpected [`'\"]?([a-z]+(?:_[a-z]+)+|[a-z]+[A-Z]\w+)\b")
_GENERIC = re.compile(
    r"(?i)(?:^|\s)(?:--?h(?:elp)?|help|--verbose|-v|--debug|--version|--stacktrace|--info|--scan|--trace)\b|RUST_BACKTRACE"
)
_PUT_IN = re.compile(r"(?i)new|replace(?:ment)?$|replace_with|content$")
_TOKEN = re.compile(r"[\w./:@-]+")
_MOST = 200


@dataclass(frozen=True, slots=True)
class Guidance:
    """What an error prescribes. Following any of `wanted`, or dropping all of `forbidden`, counts as following it."""

    wanted: tuple[str, ...]
    """Words and values to use."""
    forbidden: tuple[str, ...] = ()
    """Words and values to drop."""
    demands: tuple[str, ...] = ()
    """What values must look like, as `demands` reads it; meeting one counts as following."""
    total: tuple[float, float] | None = None
    """(number that the arguments must come to, number that they came to)."""
    said: str = ""
    """The line that says so; for people."""


def of(call: ToolCall, properties: Sequence[str] = ()) -> Guidance | None:
    """The guidance in the error of a failed call; `properties` are the names that its tool is known to take. None where there is none."""
    result = call.result
    if result is None or result.status != "error" or result.error_class in ("guard", "edit_not_found"):
        return None
    if result.error_class == "test_fail" and (testing.call_runs(call) or testing.shows_run(shown(result))):
        return None
    lines = _own_lines(call)
    text = "\n".join(lines)
    if result.error_class in ("edit_not_read", "edit_stale"):
        # Only a look follows this, which every weighing of a turn asks for first.
        return Guidance((), said="read it first") if _READ_FIRST.search(text) else None
    if GUIDANCE.search(text) is None:
        return None
    wanted, forbidden, numbers = _prescribed(text, call, properties)
    looks = tuple(each for each in demands.of(text) if not demands.had(each, call.arguments)) if call.tool_class != "shell" else ()
    if looks:
        wanted = [token for token in wanted if token not in call.arguments]
    wanted = [token for token in dict.fromkeys(wanted) if token not in forbidden and not _GENERIC.search(token)]
    forbidden = list(dict.fromkeys(forbidden)) if any(_uses(token, call) for token in forbidden) else []
    if not wanted and not forbidden and numbers is None and not looks:
        return None
    said = next((line for line in lines if GUIDANCE.search(line)), "")
    return Guidance(tuple(wanted[:_MOST]), tuple(forbidden[:_MOST]), looks, numbers, said.strip()[:200])


def follows(guidance: Guidance, failed: ToolCall, later: ToolCall) -> bool:
    """Whether a later call does something that the error prescribed and the failed call had not done."""
    before, now = failed.arguments, later.arguments
    had = failed.arguments_json
    if any(
        (later.name == token and failed.name != token)
        or (_named_in(token, later) and (not _appears(token, had) or (token in now and now[token] != before.get(token))))
        for token in guidance.wanted
    ):
        return True
    if guidance.total is not None and demands.comes_to(now, guidance.total[0]):
        return True
    if any(demands.met(each, before, now) for each in guidance.demands):
        return True
    return bool(guidance.forbidden) and not any(_uses(token, later) for token in guidance.forbidden)


def attempts(failed: ToolCall, later: ToolCall) -> bool:
    """Whether a later call tries again what the failed one tried: the same tool on the same object, or the same program."""
    if failed.tool_class == "shell" and later.tool_class == "shell":
        return bool(set(_programs(failed)) & set(_programs(later)) or _searched(failed) & _searched(later))
    same_object = not failed.cmd or failed.tool_class in ("skill", "subagent", "search", "web", "db") or failed.cmd == later.cmd
    same_object = same_object or (failed.tool_class in ("read", "edit", "write") and paths.plain(failed.cmd) == paths.plain(later.cmd))
    return failed.name == later.name and same_object


def sought(call: ToolCall) -> dict[str, Any]:
    """An edit's arguments without the text that it puts in."""
    return {key: value for key, value in call.arguments.items() if not _PUT_IN.match(key)}


def asks_for_help(command: SimpleCommand) -> bool:
    """Whether a command prints what a program accepts, or where it is, instead of doing anything."""
    return bool({"--help", "-h", "help", "--version", "-V"}.intersection(command.args)) or command.program in (
        "man",
        "which",
        "type",
        "whereis",
    )


def investigates(call: ToolCall) -> bool:
    """Whether a call only finds things out: a look, a search, a question, a help page."""
    if call.tool_class in ("read", "search", "ask", "web"):
        return True
    commands = parse(call.cmd) if call.tool_class == "shell" else ()
    doing = [command for command in commands if command.program not in ("cd", "echo", "printf", "true")]
    return bool(doing) and all(asks_for_help(command) or command.program in LOOKS - {"git"} for command in doing)


def _own_lines(call: ToolCall) -> list[str]:
    text = ANSI.sub("", shown(call.result)[:200_000])
    if call.tool_class != "shell":
        return [line[:_LINE] for line in text[:4_000].split("\n")]
    lines = [line[:_LINE] for line in text.split("\n") if line.strip()]
    return [
        line
        for line in (lines if len(lines) <= 2 * _LINES else [*lines[:_LINES], *lines[-_LINES:]])
        if not _CODE_FINDING.match(line) and not _NEWS.search(line)
    ]


def _prescribed(text: str, call: ToolCall, properties: Sequence[str]) -> tuple[list[str], list[str], tuple[float, float] | None]:
    wanted = [*_named(_MEANT, text), *(token for token in _named(_COMMAND, text)), *_choices(text)]
    wanted += advice.of_shell(text, call.cmd) if call.tool_class == "shell" else advice.of_tool(text)
    forbidden = [*_named(_AVOID, text), *(unknown.words(text) if call.tool_class == "shell" else [])]
    for match in _INSTEAD.finditer(text):
        wanted.append(match[1] or match[2])
        forbidden += _TOKEN.findall(match[3] or "")
    for fault in arguments.stated(text) if call.tool_class != "shell" else ():
        if fault.kind != "choice" or fault.name not in call.arguments:  # The choices are wanted, and not the field alone.
            (forbidden if fault.kind == "unknown" else wanted).append(fault.name)
    if call.tool_class != "shell":
        wanted += _named(_EXPECTED, text)
    numbers = None
    if call.tool_class not in ("shell", "edit", "write"):
        found = _NUMBERS.search(text)
        numbers = (float(found[1]), float(found[2])) if found else None
    if call.tool_class != "shell":
        wanted += [*_properties(text, properties), *(name for match in _PARAMETERS.finditer(text) for name in match.groups() if name)]
    return [token for token in wanted if len(token) > 1], [token for token in forbidden if len(token) > 1], numbers


def _named(pattern: re.Pattern[str], text: str) -> list[str]:
    return [next(group for group in match.groups() if group) for match in pattern.finditer(text)]


def _choices(text: str) -> list[str]:
    """What a list of allowed values holds: the rest of its line, or the indented lines that follow."""
    found: list[str] = []
    for match in _CHOICES.finditer(text):
        rest = text[match.end() : match.end() + 3_000]
        line, _, below = rest.partition("\n")
        if line.strip():
            found += _TOKEN.findall(line)
        else:
            found += [token for each in _indented(below) for token in _TOKEN.findall(each)[:1]]
    return [token.strip(".:") for token in found]


def _indented(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        if not line.startswith((" ", "\t", "-", "*")):
            return
        yield line


def _properties(text: str, properties: Sequence[str]) -> list[str]:
    told = " ".join(match[1] for match in _PROPERTIES.finditer(text))
    return [name for name in properties if len(name) > 2 and _appears(name, told)]


def _uses(token: str, call: ToolCall) -> bool:
    """Whether a call uses what a word names: its tool, a field, a whole value, or a word of its command."""
    if call.tool_class == "shell":
        return _appears(token, call.arguments_json)
    return call.name == token or token in call.arguments or any(str(value) == token for value in call.arguments.values())


def _named_in(token: str, call: ToolCall) -> bool:
    """Whether a call holds a word: anywhere in a command, elsewhere a plain one as a field, a value or within a text of few words."""
    if not _appears(token, call.arguments_json):
        return False
    if call.tool_class in ("shell", "edit", "write") or not token.isalpha():
        return True
    texts = [text for value in call.arguments.values() for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]
    prose = any(_appears(token, text) for text in texts if text != token)
    return not prose or token in call.arguments or token in texts


def _appears(token: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(token)}(?![\w-])", text) is not None


def _searched(call: ToolCall) -> set[tuple[str, str]]:
    """(program, word) of a shell call that does nothing but search."""
    doing = [command for command in parse(call.cmd) if command.program != "cd"]
    only = doing if all(command.program in _SEARCHES for command in doing) else []
    return {(each.program, arg) for each in only for arg in each.args if not arg.startswith("-") and len(arg) > 2}


def _programs(call: ToolCall) -> list[tuple[str, str]]:
    """(program, subcommand) of what a shell call does; for programs without subcommands, with each of its operands."""
    doing = [command for command in parse(call.cmd) if command.program and command.program not in _IDLE]
    found: list[tuple[str, str]] = []
    for command in doing[:50]:
        program = command.program.rstrip("0123456789.") or command.program
        operands = [arg for arg in command.args if not arg.startswith("-")][:20]
        if program in _BY_OPERAND:
            found += [(program, paths.plain(arg)) for arg in operands] or [(program, "")]
        else:
            operands = [_SHORT_FOR.get((program, operands[0]), operands[0]), *operands[1:]] if operands else []
            found.append((program, paths.plain(operands[0]) if operands and "/" in operands[0] else (operands or [""])[0]))
    return found
