"""Which kind of step a call is: the rules of configs/spans.yaml, and of a file of the user's before them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

import re2
from pydantic import Field, ValidationError

from tracedance import yamlfile
from tracedance.errors import InputError
from tracedance.kit import git
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.resources import data
from tracedance.schema import SpanType, ToolCall, ToolClass
from tracedance.schema.record import Record

CallType = Literal["tool", "retriever", "memory", "handoff", "guardrail"]
_PATTERNS = ("tool", "path", "command", "only_commands", "label")
_HAVE_A_PATH = ("read", "edit", "write")
_MOST_PATTERN = 1000


class Rule(Record):
    """One line of the table: all conditions that are given must hold. configs/spans.yaml explains each."""

    type: CallType
    class_: tuple[ToolClass, ...] | None = Field(default=None, alias="class", min_length=1)
    tool: str | None = Field(default=None, min_length=1, max_length=_MOST_PATTERN)
    path: str | None = Field(default=None, min_length=1, max_length=_MOST_PATTERN)
    command: str | None = Field(default=None, min_length=1, max_length=_MOST_PATTERN)
    only_commands: str | None = Field(default=None, min_length=1, max_length=_MOST_PATTERN)
    label: str | None = Field(default=None, min_length=1, max_length=_MOST_PATTERN)


class Rules(Record):
    """The file."""

    schema_: Literal["tracedance.spans/v1"] = Field(alias="schema")
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class _Compiled:
    rule: Rule
    patterns: Mapping[str, Any]

    def fits(self, call: ToolCall, label: str) -> bool:
        """Whether all conditions hold."""
        if self.rule.class_ is not None and call.tool_class not in self.rule.class_:
            return False
        return all(pattern_holds(name, pattern, call, label) for name, pattern in self.patterns.items())


class SpanTable:
    """Rules in the order in which they are asked."""

    def __init__(self, rules: Sequence[_Compiled]) -> None:
        self._rules = rules

    def type_of(self, call: ToolCall, label: str = "") -> SpanType:
        """The type of the first rule that fits; `tool` where none does."""
        return next((each.rule.type for each in self._rules if each.fits(call, label)), "tool")


def span_table(own: Path | None = None) -> SpanTable:
    """The shipped table, with the rules of `own` before it. InputError, with file, line and column, for one that is no table."""
    files = [own] if own is not None else []
    return SpanTable([rule for path in (*files, data("configs") / "spans.yaml") for rule in _read(path)])


def pattern_holds(name: str, pattern: Any, call: ToolCall, label: str) -> bool:
    """Whether one condition of a rule holds for a call."""
    if name == "tool":
        return bool(pattern.search(call.name))
    if name == "label":
        return bool(label) and bool(pattern.search(label))
    if name == "path":
        return call.tool_class in _HAVE_A_PATH and any(pattern.search(path) for path in call.cmd.split("\n") if path)
    commands = command_texts(call)
    return bool(commands) and (all if name == "only_commands" else any)(bool(pattern.search(text)) for text in commands)


def command_texts(call: ToolCall) -> Sequence[str]:
    """What a shell call runs, one text for each simple command: program without its folder, then the words that are no prose.

    Words with white space are quoted texts (messages, patterns that are searched for), and what they name is not run: they are left
    out, unless an option that takes code stands before them. Git's options before its verb are left out too, so that `git -C x commit`
    is a `git commit`.
    """
    return _texts(call.cmd) if call.tool_class == "shell" else ()


_CODE = ("-c", "-e", "-lc", "--command", "--eval", "--execute")


@lru_cache(maxsize=4096)
def _texts(command: str) -> tuple[str, ...]:
    return tuple(_text(each) for each in parse(command) if each.words)


def _text(command: SimpleCommand) -> str:
    verb, rest = git.verb(command)
    args = (verb, *rest) if verb else command.args
    kept = [word for before, word in zip(("", *args), args, strict=False) if before in _CODE or not any(char.isspace() for char in word)]
    return " ".join([command.program, *kept])


def _read(path: Path) -> list[_Compiled]:
    found = yamlfile.read(path, "Start from the shipped configs/spans.yaml.", caps=yamlfile.SMALL)
    try:
        rules = found.strictly(Rules).rules
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        name = ".".join(str(part) for part in first["loc"]) or "the whole"
        known = ", ".join(field.alias or key for key, field in Rule.model_fields.items())
        cure = f"Fields of a rule: {known}. Types: {', '.join(get_args(CallType))}."
        raise InputError(f"{found.at(first['loc'])}: {name!r}: {first['msg']}. {cure}") from None
    return [_compiled(rule, found, number) for number, rule in enumerate(rules)]


def _compiled(rule: Rule, found: yamlfile.Document, number: int) -> _Compiled:
    given = {name: pattern for name in _PATTERNS if (pattern := getattr(rule, name)) is not None}
    if not given and rule.class_ is None:
        raise InputError(f"{found.at(('rules', number))}: a rule without a condition would type every call. Add one, or take it out.")
    return _Compiled(rule, {name: compiled(pattern, found.at(("rules", number, name))) for name, pattern in given.items()})


def compiled(pattern: str, place: str) -> Any:
    """A pattern for RE2, which takes time in proportion to the text. InputError, one line, for one that it does not take."""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        said = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else str(error.args[0])
        raise InputError(f"{place}: {pattern!r} is no pattern that RE2 takes: {said}. Mend it; RE2 has no look-around.") from None
