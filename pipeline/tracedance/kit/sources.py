"""Sources that a statement says something of, and whether their name or content had come up."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from tracedance.kit import claims, commands, files, git, paths
from tracedance.kit.outputs import shown
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.kit.texts import finder
from tracedance.schema import Session, ToolCall, Turn

PREDICATE = (
    r"(?:contains?|defines?|declares?|shows?|says?|states?|uses?|calls?|returns?|handles?|implements?|sets?|reads?|provides?|includes?"
    r"|describes?|mentions?|lists?|explains?|does not|doesn['’]t|never|lacks?"
    r"|opens?|creates?|caches|stores|pins?|locks?|locked|records?|documents?|specif(?:y|ies)|maps?|points?|registers?|restricts?|loads?|throws?|raises?|checks|validates?|parses?|builds?|exports?|imports?|limits?|caps?|sorts?|writes?"
    r"|sends?|runs?|retries|skips?|ignores?|covers?|requires?|allows?|forbids?|names|keeps?|holds?|takes?|expects?|depends on|configures?"
    r"|enables?|disables?|recommends?|adds?|drops?|reports?|has (?:\d+|an?|no|two|three|several)|is missing|(?:at|on) lines? \d+|line \d+)"
)
"""What is said of a source's content."""
WORDS = rf"(?i)\b{PREDICATE}|:\d"
"""A necessary condition of `said`."""
_SUFFIX = (
    r"(?:py|pyi|ts|tsx|js|jsx|mjs|cjs|go|rs|java|kt|rb|php|c|cc|cpp|h|hpp|cs|swift|scala|sh|bash|sql|md|mdx|rst|txt|json|jsonl|ya?ml|toml"
    r"|ini|cfg"
    r"|conf|env|html|css|scss|xlsx?|vue|svelte|tf|proto|graphql|ipynb|csv|xml|lock|log|pdf|docx|gradle|ex|exs|lua|zig)"
)
_KINDS = (
    "document|contract|ticket|issue|page|doc|spec|invoice|policy|manual|wiki|thread|memo|sheet|report|note|mail|e-?mail|article|runbook"
    "|guide|pr|pull request|rfc|section|chapter"
)
NAMED = rf"https?://|#\d|\w\.(?:[a-z]{{1,7}}|env|ipynb)\b|(?i:\b(?:{_KINDS})\s+[`\"“#*]{{0,2}}[#A-Z0-9])"
"""A necessary condition of naming a source."""
_SOURCE = re.compile(
    rf"(?P<url>https?://[^\s`\"'<>)\]]{{4,300}})"
    rf"|(?i:\b(?P<kind>{_KINDS}))\s+[`\"“#*]{{0,2}}"
    r"(?P<id>#?\d{1,6}(?:\.\d{1,3})*\b|[A-Z][A-Za-z]+-\d+|(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{5,8})\b"
    r"|(?<![\w/&#])(?P<number>#\d{1,6})\b"
    rf"|(?<![\w/.@-])(?P<path>(?:[~.]{{0,2}}/)?(?:[\w.@+-]+/)*[\w.@+-]*\w\.{_SUFFIX})\b(?P<line>:\d+)?(?![\w/])"
)
_READ = 20_000
_names, _predicates = finder(NAMED), finder(WORDS)
_SAID = re.compile(
    rf"(?i)^[`*_)\]:,\s]{{0,6}}(?:\([^)\n]{{0,60}}\)\s*)?(?:of (?:the|our|your) [\w &-]{{3,40}}? )?"
    rf"(?:it |which |that |there |where it |(?:at|on|in) lines? \d+,? )?"
    rf"(?:file |module |page |only |also |still |already |itself "
    rf"|currently )*{PREDICATE}\b"
)
_PREDICATE = re.compile(rf"(?i)\b{PREDICATE}\b")
_INTRODUCED = re.compile(
    r"(?i)(?:^|[\s(])(?:in|according to|per|as seen in|see)\s+(?:the |our |your )?(?:file |page |module )?[`*\[(]{0,3}$"
)
_PRINTED = re.compile(r"\b(?:\w*Warning|\w*Error): |site-packages|dist-packages|!\[[^\]]*\]\(")
"""Lines of a program's output, and pictures."""
_CLAUSE = re.compile(
    r"\s(?:when|whenever|if|unless)\s"
    r"|(?:(?<=\bsays)|(?<=\bsay)|(?<=\bstates)|(?<=\breports)|(?<=\bexplains))\sthat\s"
)
"""What follows tells when that which a source says happens, and hedges nothing: "issue 7 reports that rows are lost when ..."."""
_LISTERS = frozenset(("ls", "find", "fd", "tree", "eza", "exa", "wc", "stat", "file", "du"))


@dataclass(frozen=True, slots=True)
class Said:
    """A statement about the content of a source."""

    source: str
    """The file, page or number that is named."""
    statement: str
    """What is said of it."""

    @property
    def is_url(self) -> bool:
        """Whether the source is a web page."""
        return self.source.startswith("http")


def said(text: str) -> list[Said]:
    """Statements, given as facts, that say something of the content of a file or page that they name right before it."""
    return list(_said(text[:_READ])) if _may_name(text) and (not text.isascii() or _predicates(text[:_READ])) else []


@lru_cache(maxsize=claims.CACHED)
def _said(text: str) -> tuple[Said, ...]:
    if _SOURCE.search(text) is None:
        return ()
    parts = (_CLAUSE.split(part, 1)[0] for sentence in claims.sentences(text) for part in claims.conjuncts(sentence))
    return tuple(each for part in parts if claims.is_fact(part, negated=True) for each in _of(part))


def _may_name(text: str) -> bool:
    """A necessary condition of a match of `_SOURCE`. RE2 knows letters of ASCII alone."""
    return not text.isascii() or _names(text[:_READ])


def sources(text: str) -> list[str]:
    """Sources that a text names, in order."""
    return [_name(match) for match in _SOURCE.finditer(text[:_READ])] if _may_name(text) else []


def _name(match: re.Match[str]) -> str:
    return (match["url"] or match["id"] or match["number"] or match["path"]).rstrip(".,:;").lstrip("#")


def _of(statement: str) -> Iterator[Said]:
    if _PRINTED.search(statement):
        return
    for match in _SOURCE.finditer(statement):
        introduced = _INTRODUCED.search(statement[: match.start()]) and _PREDICATE.search(statement[match.end() :])
        if (match["path"] and match["line"]) or introduced or _SAID.match(statement[match.end() :]):
            yield Said(_name(match), statement)


def named_before(session: Session, source: str, before: int) -> int | None:
    """The last turn before `before` in which others brought up the source's name, bare listings of names apart; None where none did.

    The model's own words are nobody's evidence; a call counts by what came back, and by its arguments where something did.
    """
    name = source if source.startswith("http") else paths.name(source)
    number = re.compile(rf"(?<![\d.,]){re.escape(name)}(?!\.?\d)") if name.replace(".", "").isdecimal() else None
    for turn in reversed(session.turns[:before]):
        if turn.role == "user" and name in turn.text and (number is None or number.search(turn.text)) and not _asks_of(turn, name):
            return turn.index
        for call in turn.calls:
            ran = call.result is not None and call.result.turn < before and not lists_names(call)
            told = shown(call.result) if ran else ""
            came_back = name in told and (number is None or number.search(told) is not None)
            if ran and (came_back or (files.took_effect(call) and name in call.arguments_json)):
                return turn.index
    return 0 if session.system and name in session.system else None


def _asks_of(turn: Turn, name: str) -> bool:
    """Whether a person only asks about a source by its name: a short question, which shows nothing of what it holds."""
    if turn.author != "user" or len(turn.text) > 300 or "\n" in turn.text.strip() or f"@{name}" in turn.text:
        return False
    asked = [part for part in re.split(r"(?<=[.!?])\s+", turn.text) if name in part]
    return "@" not in turn.text and all(part.rstrip().endswith("?") for part in asked)


def lists_names(call: ToolCall) -> bool:
    """Whether a call shows names of files and nothing of what they hold."""
    if call.tool_class == "search":
        return re.search(r"(?i)glob|list|^ls$|find", call.name) is not None or call.arguments.get("output_mode") == "files_with_matches"
    simple = parse(call.cmd) if call.tool_class == "shell" else ()
    return bool(simple) and all(_lists(command) for command in simple)


def _lists(command: SimpleCommand) -> bool:
    verb, _ = git.verb(command)
    if verb:
        return verb in ("status", "ls-files", "ls-tree", "branch", "remote") or (
            verb in ("diff", "show", "log") and git.is_summary(command)
        )
    return (
        command.program in _LISTERS
        or command.program in ("cd", "echo", "pwd", "head", "tail", "sort")
        or commands.names_files_only(command)
    )
