"""Which values of a call name something that is to exist already, and whether anything shown before bears them out."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from tracedance.kit import paths
from tracedance.kit.outputs import shown
from tracedance.kit.shell import parse
from tracedance.schema import Session, ToolCall

Sort = Literal["path", "url", "id"]

_READ = 200_000
_END = 4_000
_SHORT = 400
_Q = r"[`'\"‘“]?"
_LOST = re.compile(
    rf"(?mi)(?:can(?:not|'t) (?:access|stat|open file|open|read|find)|open|stat|lstat|scandir) {_Q}(?P<a>[^\s`'\"’”:]+)"
    rf"|(?:^|: ){_Q}(?P<b>[^\s`'\"’”:]+)[`'\"’”]?: (?:No such file|IO error for operation|does not exist|not found)"
    rf"|pathspec {_Q}(?P<c>[^`'\"\n]+)[`'\"’”] did not match|ambiguous argument {_Q}(?P<d>[^`'\"\n]+)[`'\"’”]"
    rf"|\bbad (?:object|revision) {_Q}(?P<g>[^\s`'\"’”]+)|(?:not a valid object name|reference is not a tree|unknown revision"
    rf"|invalid reference):? {_Q}(?P<h>[^\s`'\"’”]+)"
    rf"|could not resolve to an? [\w ]{{2,40}}? with the (?:\w+ )?(?:number|name|id|login) of {_Q}(?P<i>[^\s`'\"’”.]+)"
    rf"|could not resolve host:? {_Q}(?P<j>[^\s`'\"’”;]+)|no matching distribution found for {_Q}(?P<k>[^\s`'\"’”]+)"
    rf"|(?:404|not found)\b[^\n]{{0,60}}?(?:GET|HEAD) https?://[^\s/]+/(?P<l>[^\s`'\"]+)|(?:remote )?(?:branch|tag|image|pod|service"
    rf"|database|relation|bucket|user|role|table|container|volume|job|run|issue|workflow|environment|release|package|repository|crate"
    rf"|module|namespace|secret|topic|queue|key|host)s?:? {_Q}(?P<m>[\w./:@#-]+)[`'\"’”]? (?:was |is |does "
    rf"|could )?not (?:be )?(?:found|exist|known|resolved)"
    rf"|(?:no such|unknown|not found:?|cannot find|couldn't find|could not find) (?:remote |an? |the |any )?(?:branch|tag|image|pod"
    rf"|service|database|bucket|user|role|table|container|volume|job|run|issue|workflow|environment|release|package|repository|crate"
    rf"|module|namespace|remote|ref|object|commit|revision|key)s?:? {_Q}(?P<n>[\w./:@#-]+)"
    rf"|repository {_Q}(?P<o>https?://[^\s`'\"’”]+)[`'\"’”]? not found|HTTP 404:? Not Found \((?P<p>https?://[^\s)]+)\)|(?:no"
    rf"|unknown) (?:run|issue|pull request|release)s? (?:found )?(?:with|for) (?:\w+ )?{_Q}(?P<q>[\w./-]+)"
    rf"|for the ref {_Q}(?P<e>[^\s`'\"(]+)|remote ref {_Q}(?P<f>[^\s`'\"]+)"
)
_MADE = re.compile(r"(?i)cannot create|mkdir:|touch:|tee:|: can't create|failed to create")
_ID = re.compile(r"(?=[^\s]*(?:\d|@))[#@]?[\w.+:@-]{4,200}|#[\w.-]{3,100}|[A-Z]{5,12}|[0-9a-fA-F-]{7,64}")
_NO_ID = re.compile(r"\d{4}-\d\d-\d\d(?:[T ].*)?|\d{1,5}|\d+\.\d+|v?\d+(?:\.\d+)+|\d{1,2}:\d\d.*")
_ID_KEY = re.compile(
    r"(?i)(?:^|_)(?:id|ids|number|email|ref|user|handle|key|slug|branch|sha|uuid|code|account|channel|target|recipient|order|to"
    r"|address|file|document|event|thread)s?$|Id$|ID$"
)
_URL = re.compile(r"https?://\S+")
_WORD = re.compile(r"[\w./@:#+-]{6,200}")
_STAND_IN = re.compile(
    r"(?i)current|latest|last|recent|newest|default|self|me|my|mine|own|active|primary|main|existing|previous|next|first|any|all"
    r"|unknown|none|null|n/?a|tbd|todo"
    r"|user|customer|id|abc\w{0,3}123|12345\w*|x{3,}|test|example|placeholder|<[^>]{1,30}>"
)
"""Words that stand where an id should."""
_STRICT_KEY = re.compile(r"(?i)_(?:id|number|uuid|code)s?$|[a-z]I[dD]$")
_TEST_NAME = re.compile(r"(?i)^(?:test[_-])?(?P<stem>.+?)(?:[._-]?(?:tests?|specs?))?$")
_TESTS = frozenset(("test", "tests", "spec", "specs", "__tests__"))
_ABSENT = re.compile(
    r"(?i)not (?:be )?found|does(?: not|n't) exist|no such|unknown|could(?: not|n't) (?:find|resolve)|cannot find|\b404\b|not match"
)
_IS_PATH = re.compile(r"^[^:@]*/[^:@]*$|^[^:@/]*\.[A-Za-z]\w{0,4}$")
_DIGITS = re.compile(r"\d{5,}")
_TYPO = 2


@dataclass(frozen=True, slots=True)
class Value:
    """A value that names something."""

    text: str
    """The value as the call has it."""
    sort: Sort
    """What it names."""


def referred(call: ToolCall) -> list[Value]:
    """The values of a failed call that, by its error, name nothing there is; values that were to be created are left out."""
    if call.result is None:
        return []
    error = _ends(shown(call.result))
    if call.tool_class == "shell":
        return list(dict.fromkeys(_of_shell(call, error))) or list(dict.fromkeys(_beside(call, error)))
    if call.tool_class in ("read", "edit"):
        return [Value(path, "path") for path in call.cmd.split("\n") if paths.is_literal(path)][:20]
    if call.tool_class == "search":
        path = call.arguments.get("path")
        return [Value(path, "path")] if isinstance(path, str) and paths.is_literal(path) else []
    if call.tool_class == "web":
        return [Value(call.cmd, "url")] if _URL.fullmatch(call.cmd) else []
    return _of_fields(call, error) if call.tool_class in ("api", "db", "message", "other") else []


@dataclass(frozen=True)
class Shown:
    """All that the model had been shown, or had itself used with success, before a turn."""

    session: Session
    """The session that is read."""
    before: int
    """The turn before which it was shown."""

    @cached_property
    def texts(self) -> Sequence[str]:
        """The texts, latest last, lower case."""
        return [text[:_READ].replace("\\", "/").lower() for text in self._texts()]

    @cached_property
    def _offers(self) -> Sequence[str]:
        """System prompt and tools, lower case: what names the words that a field takes."""
        tools = self.session.tools or ()
        return [text.lower() for text in (self.session.system or "", *(f"{tool.description} {tool.parameters}" for tool in tools))]

    def bears_out(self, value: Value) -> bool:
        """Whether the value, or a form that it follows from, stands in something shown.

        A path is borne out by its last two parts together, or by a listing: a call and its result that hold its folder and its bare name.
        A URL counts without its query.
        """
        if value.sort == "path":
            return self._path(paths.plain(value.text).lower())
        text = value.text.lower().lstrip("#@")
        if value.sort == "id" and _STAND_IN.fullmatch(text):
            return any(f'"{text}"' in each or f"'{text}'" in each for each in self._offers)
        if value.sort == "url":
            text = text.partition("?")[0].partition("#")[0].rstrip("/")
        return self._holds(text)

    def nearly(self, value: Value) -> bool:
        """Whether something shown differs from the value by no more than two characters: a slip of the pen."""
        wanted = value.text.lower()
        if len(wanted) < 6 or (value.sort == "id" and _STAND_IN.fullmatch(wanted)):
            return False
        digits = _DIGITS.search(wanted) if value.sort == "id" and not wanted.isdigit() else None
        if digits is not None and wanted.endswith(digits[0]) and any(re.search(rf"_{digits[0]}\b", text) for text in self.texts):
            return True  # The same number behind another prefix.
        words = {word for text in self.texts for word in _WORD.findall(text) if abs(len(word) - len(wanted)) <= _TYPO}
        # A slip leaves one end as it was; only such words are worth comparing letter by letter.
        alike = (word for word in words if word[:3] == wanted[:3] or word[-3:] == wanted[-3:])
        return any(_close(word, wanted) for word in alike)

    def _path(self, path: str) -> bool:
        parts = [part for part in path.split("/") if part not in ("", ".", "..", "~")]
        if not parts:
            return True
        cwd = paths.plain(self.session.cwd).lower()
        if len(parts) == 1 or (cwd and path.rpartition("/")[0] == cwd):
            return self._holds(parts[-1]) or self._tested(parts[-1]) or self._called(parts[-1])
        if self._tested(parts[-1]) or (_TESTS.intersection(parts[:-1]) and self._holds(parts[-1])):
            return True
        folder, name = "/".join(parts[-3:-1]), parts[-1]
        # A name without an ending is a word as any other, unless it has a line to itself.
        bare = re.compile(rf"(?<![/\w.-]){re.escape(name)}(?![\w-])" if "." in name else rf"(?m)(?:^|\s){re.escape(name)}/?$")
        listed = any(name in text and folder in text and bare.search(text) for text in self.texts)
        return listed or self._holds("/".join(parts[-2:]))

    def _called(self, name: str) -> bool:
        """Whether a person spoke of a thing by the name of this file, without its ending."""
        stem = name.rpartition(".")[0]
        if len(stem) < 5 or not re.search(r"[\d_-]", stem):
            return False
        said = (turn.text[-_END:].lower() for turn in self.session.turns[: self.before] if turn.author == "user")
        return any(re.search(rf"(?<![\w-]){re.escape(stem)}(?![\w-])", text) for text in said)

    def _tested(self, name: str) -> bool:
        """Whether a name is that of the tests of a file that was shown: derived by the layout of the repository."""
        bare, _, ending = name.rpartition(".")
        match = _TEST_NAME.fullmatch(bare)
        if match is None or match["stem"] == bare or len(match["stem"]) < 4:
            return False
        return self._holds(f"{match['stem']}.{ending}")

    def _holds(self, text: str) -> bool:
        whole = (
            re.compile(rf"(?<![\w-]){re.escape(text)}(?![\w-])")
            if text[:1].isalnum() and text[-1:].isalnum()
            else re.compile(re.escape(text))
        )
        return any(text in each and whole.search(each) is not None for each in self.texts)

    def _texts(self) -> Iterator[str]:
        session = self.session
        yield from (session.system or "", session.cwd, *(f"{tool.description} {tool.parameters}" for tool in session.tools or ()))
        for turn in session.turns[: self.before]:
            if turn.role == "user":
                yield turn.text
            for call in turn.calls:
                result = call.result
                if result is not None and result.turn < self.before:
                    yield f"{call.arguments_json}\n{shown(result)}" if result.status == "ok" else shown(result)


def _ends(text: str) -> str:
    return text if len(text) <= 2 * _END else f"{text[:_END]}\n{text[-_END:]}"


def _of_shell(call: ToolCall, error: str) -> Iterator[Value]:
    """Operands that the shell's output says are not there, as they stand in the agent's own command."""
    used = [word for command in parse(call.cmd) for word in (*command.words, *command.reads)]
    for line in error.split("\n"):
        if _MADE.search(line):
            continue
        for match in _LOST.finditer(line[:1_000]):
            named = next(group for group in match.groups() if group)
            own = next(
                (
                    word
                    for word in used
                    if named
                    and (
                        word == named
                        or word.endswith(named)
                        or named.endswith("/" + word)
                        or f"={named}" in word
                        or named.endswith("/" + word.lstrip("#"))
                    )
                ),
                "",
            )
            if own and not own.startswith("-") and paths.is_literal(named):
                yield Value(named, "path" if "/" in named or "." in named else "id")


def _beside(call: ToolCall, error: str) -> Iterator[Value]:
    """Operands that look like an identifier and stand on a line that says that something is not there."""
    used = [
        arg for command in parse(call.cmd) for arg in command.args if not arg.startswith("-") and len(arg) >= 4 and paths.is_literal(arg)
    ]
    likely = [arg for arg in used if re.search(r"\d|[/._:@]", arg)]
    for line in error.split("\n"):
        if likely and _ABSENT.search(line[:1_000]) and not _MADE.search(line):
            for arg in likely:
                if arg in line:
                    yield Value(arg, "url" if _URL.fullmatch(arg) else "path" if _IS_PATH.search(arg) else "id")
    if re.search(r"\b404\b", error):
        yield from (Value(arg, "url") for arg in likely if _URL.fullmatch(arg))
    # An answer that names nothing is about the one thing that was asked for.
    numbers = [arg for arg in likely if re.fullmatch(r"#?\d{2,20}|[0-9a-f]{7,40}", arg)]
    if len(numbers) == 1 and len(error) <= _SHORT and _ABSENT.search(error) and not any(arg in error for arg in used):
        yield Value(numbers[0], "id")


def _of_fields(call: ToolCall, error: str) -> list[Value]:
    found = []
    for key, value in call.arguments.items():
        for each in value if isinstance(value, list) else [value]:
            text = str(each) if isinstance(each, str | int) and not isinstance(each, bool) else ""
            if _URL.fullmatch(text):
                found.append(Value(text, "url"))
                continue
            names = _STRICT_KEY.search(key) is not None or (_ID_KEY.search(key) is not None and f'"{text}"' in error)
            stands_in = names and _STAND_IN.fullmatch(text) is not None
            if stands_in or (_ID.fullmatch(text) and not _NO_ID.fullmatch(text) and (_ID_KEY.search(key) or text in error)):
                found.append(Value(text, "id"))
    named = [value for value in found if value.text in error]
    return (named or found)[:20]


def _close(one: str, other: str) -> bool:
    """Whether two words are at most two edits apart."""
    # An edit changes one letter for another at most: words that differ in more are further apart.
    if abs(len(one) - len(other)) > _TYPO or len(set(one) ^ set(other)) > 2 * _TYPO:
        return False
    far = _TYPO + 1
    row = {j: j for j in range(far)}
    for i, left in enumerate(one, 1):  # only places at most two apart can be part of two edits
        previous, row = row, {0: i} if i <= _TYPO else {}
        for j in range(max(1, i - _TYPO), min(len(other), i + _TYPO) + 1):
            row[j] = min(previous.get(j, far) + 1, row.get(j - 1, far) + 1, previous.get(j - 1, far) + (left != other[j - 1]))
        if min(row.values(), default=far) > _TYPO:
            return False
    return row.get(len(other), far) <= _TYPO
