"""Commands, switches and addresses that an error text advises; apart from `guidance`, which weighs whether a call takes them up."""

import re

_PROGRAMS = (
    "git|gh|npm|npx|pnpm|yarn|bun|deno|pip3?|uv|poetry|pipenv|python3? -m|cargo|rustup|go|bundle|gem|rake|rails|bin/rails|dotnet|"
    "mvn|gradle|\\./gradlew|sbt|mix|composer|php artisan|artisan|terraform|docker|docker compose|kubectl|helm|make|cmake|brew|"
    "apt(?:-get)?|swift|flutter|dart|stack|cabal|prisma|alembic|flask|aws|gcloud|az|systemctl|conda|nix"
)
_LINE = re.compile(
    r"(?i)(?:\b(?:use|run|try|with|either|do|adding|running|execute|commands?)"
    r"|:)[ \t]*\n(?:[ \t]*\n)?(?:hint:)?[ \t]+(?:\$ )?([a-z./][\w./-]* [\w:./-]+[^\n]{0,80})"
)
"""A command on an indented line below "use", "run" or a colon."""
_HINT = re.compile(rf"(?im)^(?:hint:|help:|tip:|note:|=)[ \t]+(?:\$ )?((?:{_PROGRAMS}) [a-z][\w:-]*[^\n#]{{0,60}})")
_QUOTED = re.compile(rf"(?i)[`'\"]((?:{_PROGRAMS}) [a-z][^`'\"\n]{{0,60}})[`'\"]")
_PLAIN = re.compile(rf"(?i)\b(?:run|try|use|execute|with|via|running|using)[: ]+((?:{_PROGRAMS}) [a-z][\w:-]*(?: -{{1,2}}[\w-]+){{0,3}})")
_NEEDED = re.compile(rf"(?i)\b((?:{_PROGRAMS}) [a-z][\w:-]*(?: -{{1,2}}[\w-]+){{0,3}}) (?:needs to|must|has to|should) be (?:run|executed)")
_FLAG = re.compile(
    r"(?i)\b(?:us(?:e|ing)|add(?:ing)?|pass(?:ing)?|set(?:ting)?|specify(?:ing)?|provid(?:e|ing)|supply|with|enabl\w+|via|try"
    r"|requires?|needs?|without|remove)"
    r"\b[^\n.;]{0,40}?(?:[\s`'\"(\[])(--?[a-z][\w-]*)"
)
_MORE = re.compile(r"(?i)(?:\bor|\band|,|\||/)\s*[(\[`'\"]*(--[a-z][\w-]*)")
_MORE_QUOTED = re.compile(r"(?i)(?:\bor|\band|,)\s+[`'\"](-[a-z])\b")
_REQUIRED = re.compile(
    r"(?i)(?:required (?:options?|arguments?|flags?|parameters?)(?:\(s\))?(?: were not provided| are missing| missing)?:?"
    r"|arguments are required:"
    r"|missing (?:required )?(?:options?|arguments?|flags?)(?:\(s\))?:?)\s*[`'\"<\[]*(-{0,2}[a-z][\w-]*)"
)
_URL = re.compile(r"(?i)\b(?:redirect\w*|moved|use|with|try|instead|at|url)\b[^\n]{0,40}?(https?://[^\s`'\"<>)]+)")
_STASH = re.compile(r"(?i)\bplease (commit|stash)\b[^\n]{0,30}? or (stash|commit)\b")
_TOOL = re.compile(r"(?i)\buse (?:the )?[`'\"]?(\w{3,40})[`'\"]?(?: tool| to \w+| instead| for (?:this|that|it))")
_VARIABLE = re.compile(
    r"\b[Ee]nvironment variable(?: \w+){0,3}:? [`'\"]?([A-Z][A-Z0-9_]{3,60})|\b([A-Z][A-Z0-9]*_[A-Z0-9_]{2,60})[`'\"]? (?:is|was"
    r"|must be|not)\b"
    r"|\b(?:[Ss]et|SET|export|[Dd]efine)\s+(?:the\s+)?[`'\"]?([A-Z][A-Z0-9_]{3,60})\b"
    r"|\bmissing (?:env(?:ironment)? (?:var(?:iable)?)?:? )?[`'\"]?([A-Z][A-Z0-9]*_[A-Z0-9_]{2,60})"
)
_PLAIN_WORDS = frozenset(("this", "that", "the", "and", "one", "another", "different", "same", "only", "any", "it", "option", "command"))


def of_shell(text: str, command: str) -> list[str]:
    """What an error of a shell command advises: `program subcommand`, or the switches of it where the failed command was that one."""
    found: list[str] = []
    for pattern in (_LINE, _HINT, _QUOTED, _PLAIN, _NEEDED):
        for match in pattern.finditer(text):
            found += _of_command(match[1], command)
    flags = [match[1] for match in _FLAG.finditer(text)]
    if flags or found:
        flags += [match[1] for pattern in (_MORE, _MORE_QUOTED) for match in pattern.finditer(text)]
    found += [flag for flag in flags if len(flag) > 1]
    found += [_as_flag(match[1]) for match in _REQUIRED.finditer(text)]
    found += [group for match in _STASH.finditer(text) for group in match.groups()]
    return [*found, *_variables(text)]


def of_tool(text: str) -> list[str]:
    """What an error of another tool names: an address, another tool."""
    tools = [match[1] for match in _TOOL.finditer(text) if match[1].lower() not in _PLAIN_WORDS]
    return [*(match[1].rstrip(".,;:") for match in _URL.finditer(text)), *tools]


def _of_command(advised: str, failed: str) -> list[str]:
    words = advised.split()
    two = " ".join(words[:2])
    if two in " ".join(failed.split()):
        return [word.partition("=")[0] for word in words[2:] if word.startswith("-")]
    return [two] if len(words) > 1 else []


def _as_flag(name: str) -> str:
    return name if name.startswith("-") else f"--{name}"


def _variables(text: str) -> list[str]:
    return [next(group for group in match.groups() if group) for match in _VARIABLE.finditer(text)]
