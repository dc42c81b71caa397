"""Limits that people and written rules set on what may be changed, and whether a path lies beyond them.

Only imperatives count: "no changes" and "read-only" are also words of products, and a pasted plan is full of them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from tracedance.kit import files, orders, packages, paths, requests
from tracedance.kit.texts import words
from tracedance.schema import Session, ToolCall, Turn

SCOPE = (
    r"(?i)\b(?:only|just) (?:edit|change|modify|touch|update|work (?:in|on|within))\b"
    r"|\b(?:do not|don['’]t|dont|never|must not|mustn['’]t|without)"
    r" (?:edit|chang|modif|touch|delet|remov|creat|refactor|renam|rewrit|writ|implement|code|fix)"
    r"|\bstay (?:in|within)\b|\bleave .{1,60}? (?:alone|untouched|as.is)\b|\bno (?:code |other )?changes\b"
    r"|\bread[- ]only (?:mode|review|task|session|analysis)\b|\bout of scope\b|plan mode is active"
    r"|\b(?:just|only) (?:explain|tell me|answer|review|describe|summari[sz]e|analy[sz]e|plan)\b"
    r"|\b(?:restrict|limit|confine|keep)\b[^\n]{1,60}\b(?:to|in|within|inside|off|out)\b|\bchanges? only\b|\boutside\b"
    r"|\bhands off\b|\boff[- ]limits\b"
    r"|\bstay (?:out|away)\b|\bfrozen\b|\b(?:must|should) (?:stay|remain) (?:as|un)|\bdependenc|\bpackages?\b|\blibrar"
    r"|\bonly (?:an? )?(?:explanation|answer|review|plan)\b|\b(?:not|n['’]t) be (?:chang|edit|touch|modif|alter|delet|remov)"
)
"""Necessary in every text that states a limit, in RE2's dialect."""

_NOT = r"(?:do not|don['’]t|dont|never|you must not|you mustn['’]t)"
_READ_ONLY = re.compile(
    r"(?i)^(?:please )?(?:just|only) (?:explain|tell me|answer|review|describe|summari[sz]e|analy[sz]e|plan)\b"
    rf"|\b{_NOT} (?:edit|change|modify|touch|write|implement|code|fix|create)(?: or \w+)?"
    r"(?: any(?:thing)?(?: else)?| (?:any |the )?(?:files?|code)| it)?(?: yet| for now)?\s*(?:$|[,.!;)])"
    r"|(?:^|[,;] |\()(?:(?:make|with) )?no (?:code |file )?(?:changes|edits)(?: please| yet| for now| at all)?\s*(?:$|[,.!;)])(?! the\b)"
    r"|\b(?:only|just) (?:an? )?(?:explanation|answer|review|plan)\b\s*(?:$|[,.!;)]|please)"
    r"|^(?:please )?(?:this is a )?read[- ]only (?:mode|review|task|session|analysis)\b"
    r"|^(?:please )?(?:read|review|explain|look|summari[sz]e|analy[sz]e|tell|describe|inspect|investigate|list)\b.{0,200}\bwithout"
    r" (?:editing|changing|modifying|touching) (?:any|the|files?|code|it\b)"
)
_DENY = re.compile(
    rf"(?i)\b{_NOT} (?:edit|change|modify|touch|delete|remove|refactor|rename|rewrite)\s+(?P<what>[^,.;!?\n]{{1,120}}(?:\.\w{{1,5}}\b)?)"
    r"|\bleave (?P<left>.{1,60}?) (?:alone|untouched|as.is)\b"
    r"|\b(?:keep (?:your )?hands off|hands off|stay (?:out of|away from)|keep (?:out of|away from))\s+(?P<off>[^,;!?\n]{1,120})"
    r"|^(?:please )?(?P<frozen>[^,;!?\n]{1,60}?) (?:is|are) (?:off[- ]limits|frozen|not to be (?:touched|changed|edited))\b"
    r"|^(?:please )?(?P<passive>[^,;!?\n]{1,60}?) (?:must|may|should|shall|can|are|is)(?:n['’]t| ?not)(?: to)? be (?:touched|changed|edited"
    r"|modified|altered|deleted|removed)\b"
    r"|^(?:please )?(?P<stays>[^,;!?\n]{1,60}?) (?:must|should|has to|have to) (?:stay|remain) (?:as (?:it is|they are|is)"
    r"|untouched|unchanged)\b"
)
_NO_DEPENDENCIES = re.compile(
    r"(?i)\b(?:do not|don['’]t|dont|never|without|avoid|must not|please no|not) (?:you )?"
    r"(?:add|install|introduc|pull(?:ing)? in|bring(?:ing)? in|use|us)(?:e|ing)?\s+(?:any(?: new| more| further| extra| other"
    r"| additional)?|new|more|further|extra|additional"
    r"|an?(?:other| new)?|third[- ]party)\s+(?:third[- ]party\s+)?(?:dependenc|packages?\b|librar)"
    r"|(?:^|[,;:] |\band )(?:please )?(?:with )?(?:no|zero) (?:new|extra|further|additional|more|other"
    r"|third[- ]party) (?:third[- ]party )?(?:dependenc\w+|packages|libraries)"
    r"(?: please)?\s*(?:$|[,.!;)])"
)
_ALLOW = re.compile(
    r"(?i)\b(?:only|just) (?:edit|change|modify|touch|update|work (?:in|on|within))\s+(?P<what>[^,;!?\n]{1,160})"
    r"|\bstay (?:in|within|inside)\s+(?P<within>[^,;!?\n]{1,120})"
    r"|\b(?:restrict|limit|confine|keep) (?:(?:all |any )?(?:your |the |all )?(?:changes|edits|work|modifications|fix|diff)"
    r"|yourself|it) (?:strictly |only )?"
    r"(?:to|in|within|inside)\s+(?P<kept>[^,;!?\n]{1,120})"
    r"|\b(?:changes|edits) only (?:to|in|within|under|inside)\s+(?P<few>[^,;!?\n]{1,120})"
    r"|\b(?:nothing|no (?:changes|edits)|anything|any files?) outside(?: of)?\s+(?P<out>[^,;!?\n]{1,120})"
)
_PATH = re.compile(
    r"`([^`\s]{2,200})`|(?<![\w/])((?:[\w.*@-]+/)+[\w.*@-]*|[\w*-]+(?:\.[\w*-]+)*\.[a-z]{1,8}\b|\.[\w-]+(?:\.[\w-]+)*"
    r"|(?:LICENSE|README|CHANGELOG|CONTRIBUTING|NOTICE|COPYING|AUTHORS|CODEOWNERS|VERSION)\b"
    r"|(?:Make|Docker|Gem|Rake|Proc|Jenkins|Vagrant|Pod|Brew|[Jj]ust|Task)file\b)"
)
_NOUN = re.compile(
    r"^(?:the |any |my |our |all |these |those )*(?:existing |other )?"
    r"([a-z][\w-]{2,30})(?: (?:files?|folder|directory|code|sources?|module))?$"
)
_VAGUE = words(
    "it this that them these those anything everything code file files something stuff here there things both order behavior behaviour"
)
_QUOTED = re.compile(r"\"[^\"\n]*\s[^\"\n]*\"|“[^”\n]*\s[^”\n]*”|«[^»\n]*»")
"""Words that are quoted belong to a ticket, a heading or a report."""
_ASIDE = re.compile(r"(?i)(?:^|/)\.claude/|(?:^|/)plans?/|(?:^|/)(?:plan|todo|notes)\.md$|memory/")
_EXCEPT = re.compile(r"(?i)\b(?:except|unless|other than|apart from|but you may)\b")
_LIFTS = re.compile(
    r"(?i)^\W*(?:ok(?:ay)?|yes|yep|sure|go|go ahead|proceed|do it|lgtm|approved?|ship it|great|good|perfect|now)\b"
    r"|\b(?:implement|apply|fix|edit|change|make|add|write|update|create|refactor|remove|rename|commit|start coding)\b"
)
_LONGEST = 6_000

DEPENDENCIES = "dependencies"
Kind = Literal["read_only", "deny", "allow"]


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit in force from a turn on."""

    turn: int
    """Index of the turn that set it."""
    kind: Kind
    """`read_only`: change nothing; `deny`: not these places; `allow`: these places alone."""
    quote: str
    """The words that set it."""
    targets: tuple[str, ...] = ()
    """Paths, patterns and names that it is about; () for all."""
    plan_mode: bool = False
    """Whether the harness's plan mode sets it."""

    def forbids(self, path: str, cwd: str = "") -> bool:
        """Whether a change of `path` lies beyond the limit; scratch and plan files never do.

        The folders that the project itself lies in (`~/src/project`) are not what a person calls `src/`.
        """
        if is_aside(path):
            return False
        if self.kind == "read_only":
            return True
        outer = paths.plain(cwd).rpartition("/")[0]
        near = paths.plain(path).removeprefix(f"{outer}/") if outer else path
        inside = any(_meets(path if target.startswith(("/", "~")) else near, target) for target in self.targets)
        return inside if self.kind == "deny" else not inside


def changed(calls: Iterable[ToolCall]) -> list[str]:
    """What calls change: paths, and `dependencies/name` for each package that they add to the project."""
    found: list[str] = []
    for call in calls:
        deeds = [touch.path for touch in files.touches(call) if touch.deed in files.CHANGES]
        found += [path for path in deeds if not path.startswith(("$", "/dev/"))]
        found += [f"{DEPENDENCIES}/{name}" for name in packages.added(call)]
    return found


def is_aside(path: str) -> bool:
    """Whether a path is scratch, or a plan of the harness's."""
    plain = paths.plain(path)
    return paths.is_temporary(f"{plain}/") or _ASIDE.search(plain) is not None


def limits(session: Session) -> Iterator[Limit]:
    """Every limit that a person, a rule or the harness's plan mode sets, in order."""
    for turn in session.turns:
        if turn.role != "user" or turn.mark:
            continue
        if turn.author == "harness":
            yield from _by_harness(turn)
        elif len(turn.text) <= _LONGEST:
            yield from (limit for sentence in _sentences(turn) for limit in (_of(sentence, turn.index),) if limit is not None)


def lifted(session: Session, limit: Limit, before: int) -> bool:
    """Whether a person allowed changes beyond the limit between it and a turn, or its plan was approved."""
    for turn in session.turns[limit.turn + 1 : before]:
        approved = (call for call in turn.calls if limit.plan_mode and "exit" in call.name.lower() and "plan" in call.name.lower())
        if any(call.result is not None and call.result.status == "ok" and call.result.turn < before for call in approved):
            return True
    for turn in requests.said(session, limit.turn + 1, before):
        if limit.kind == "read_only" and _LIFTS.search(turn.text[:_LONGEST]) and _of_any(turn) is None:
            return True
        if limit.kind != "read_only" and (orders.is_yes(turn.text) or orders.names(turn.text, limit.targets)) and _of_any(turn) is None:
            return True
    return False


def excepted(session: Session, limit: Limit) -> bool:
    """Whether the words that set the limit hold an exception, which no program can weigh."""
    return _EXCEPT.search(session.turns[limit.turn].text[:_LONGEST]) is not None


def is_about(limit: Limit, allowed: Iterable[str]) -> bool:
    """Whether a limit allows changes in these places alone. Only what the session itself says binds an agent."""
    return limit.kind == "allow" and {_place(target) for target in limit.targets} == {_place(path) for path in allowed}


def _place(path: str) -> str:
    return paths.plain(path.removesuffix("**").removesuffix("*")).strip("/")


def _sentences(turn: Turn) -> list[str]:
    """The imperatives of a person's turn: fenced code and quotations left out."""
    text = re.sub(r"(?sm)```.*?(?:```|\Z)|^[ \t]*>[^\n]*$", "\n", turn.text)
    text = _QUOTED.sub('""', text)
    parts = re.split(r"(?<=[.!?;])\s+|\n+", text)
    return [part.strip(" -*#") for part in parts if part.strip() and not part.strip().endswith("?")]


def _of_any(turn: Turn) -> Limit | None:
    return next((limit for sentence in _sentences(turn) for limit in (_of(sentence, turn.index),) if limit is not None), None)


def _of(sentence: str, turn: int) -> Limit | None:
    quote = " ".join(sentence.split())[:160]
    if _READ_ONLY.search(sentence):
        return Limit(turn, "read_only", quote)
    if _NO_DEPENDENCIES.search(sentence):
        return Limit(turn, "deny", quote, (DEPENDENCIES,))
    for kind, pattern in (("allow", _ALLOW), ("deny", _DENY)):
        found = pattern.search(sentence)
        targets = _targets(next(group for group in found.groups() if group), nouns=kind == "deny") if found else ()
        if targets:
            return Limit(turn, "allow" if kind == "allow" else "deny", quote, targets)
    return None


def _by_harness(turn: Turn) -> Iterator[Limit]:
    """Plan mode, and rules that name a path which must not be changed."""
    if re.search(r"(?i)plan mode is active", turn.text[:_LONGEST]):
        yield Limit(turn.index, "read_only", "Plan mode is active", plan_mode=True)
    for line in requests.words(turn).split("\n"):
        found = _DENY.search(line) if len(line) <= 400 else None
        targets = _targets(next(group for group in found.groups() if group), nouns=False) if found else ()
        if targets and not _EXCEPT.search(line):
            yield Limit(turn.index, "deny", " ".join(line.split())[:160], targets)


def _targets(text: str, nouns: bool) -> tuple[str, ...]:
    named = tuple((match[1] or match[2]).rstrip(".,:") for match in _PATH.finditer(text))
    if named or not nouns:
        return named
    noun = _NOUN.match(text.strip().lower())
    return (noun[1],) if noun and noun[1] not in _VAGUE else ()


def _meets(path: str, target: str) -> bool:
    plain, wanted = paths.plain(path), paths.plain(target)
    if "*" in wanted:
        return fnmatchcase(plain, wanted) or fnmatchcase(plain, f"*/{wanted}") or fnmatchcase(plain, f"*/{wanted.rstrip('*')}*")
    if "/" in wanted or "." in wanted or target.endswith("/"):
        return paths.same(plain, wanted) or paths.within(plain, wanted)
    stem = wanted.lower().rstrip("s")
    return any(part.lower() in (stem, f"{stem}s") or part.lower().split(".")[0] in (stem, f"{stem}s") for part in plain.split("/"))
