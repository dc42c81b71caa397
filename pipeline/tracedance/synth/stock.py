"""The stock of invented code: modules, and the changes that people ask for in them.

A file of `stock/` holds one module of one language: its source and test files, then tasks. Lines that start with `@@` open a part,
`<<<`, `===` and `>>>` on lines of their own frame an edit. `@item@` and the like stand for words of the project's domain.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

LANGUAGES = ("python", "go", "typescript", "rust")
FOLDER = Path(__file__).parent / "stock"
WORD = re.compile(r"@(\w+)@")


@dataclass(frozen=True)
class Edit:
    path: str
    old: str
    new: str


@dataclass(frozen=True)
class Task:
    """One change: how it is asked for, what is said about it, the edits, and what each new test needs to pass."""

    name: str
    module: str
    asks: tuple[str, ...]
    say: str
    done: str
    commit: str
    body: str
    edits: tuple[Edit, ...]
    tests: tuple[tuple[str, str, str], ...]
    """(test name, path, text that the path must contain for it to pass)."""

    @property
    def source(self) -> str:
        """The path that the first edit changes."""
        return self.edits[0].path

    @property
    def source_edits(self) -> tuple[Edit, ...]:
        return tuple(edit for edit in self.edits if edit.path == self.source)

    @property
    def other_edits(self) -> tuple[Edit, ...]:
        return tuple(edit for edit in self.edits if edit.path != self.source)


@dataclass
class Module:
    name: str
    files: dict[str, str] = field(default_factory=dict)
    tasks: list[Task] = field(default_factory=list)


def fill(text: str, words: Mapping[str, str]) -> str:
    """The text in the words of a domain; a word it does not know stays as it is."""
    return WORD.sub(lambda match: words.get(match[1], match[0]), text)


def _parts(text: str) -> Iterator[tuple[str, str, list[str]]]:
    keyword, argument, lines = "", "", list[str]()
    for line in text.splitlines():
        if line.startswith("@@"):
            if keyword:
                yield keyword, argument, lines
            keyword, _, argument = line[2:].partition(" ")
            lines = []
        else:
            lines.append(line)
    yield keyword, argument, lines


def _edit(path: str, lines: list[str]) -> Edit:
    middle, end = lines.index("==="), lines.index(">>>")
    return Edit(path, "\n".join(lines[1:middle]), "\n".join(lines[middle + 1 : end]))


def _task(name: str, module: str, lines: list[str], edits: list[Edit], tests: list[tuple[str, str, str]]) -> Task:
    said: dict[str, list[str]] = {}
    for line in lines:
        key, _, value = line.partition(": ")
        said.setdefault(key, []).append(value)
    one = {key: said.get(key, [""])[0] for key in ("say", "done", "commit", "body")}
    return Task(name, module, tuple(said["ask"]), one["say"], one["done"], one["commit"], one["body"], tuple(edits), tuple(tests))


def _needs(argument: str, words: Mapping[str, str]) -> tuple[str, str, str]:
    """`name path text`, where the name may hold spaces and the path is the first word with a dot and a slash."""
    match = re.match(r"(.+?) ((?:src|internal)/\S+) (.+)$", argument)
    assert match is not None, argument
    return fill(match[1], words), fill(match[2], words), fill(match[3], words)


def module(language: str, name: str, words: Mapping[str, str]) -> Module:
    """One module in the words of a domain."""
    found = Module(name)
    opened: list[tuple[str, list[str], list[Edit], list[tuple[str, str, str]]]] = []
    for keyword, argument, lines in _parts(_text(language, name)):
        filled = [fill(line, words) for line in lines]
        if keyword == "file":
            found.files[fill(argument, words)] = "\n".join(filled) + "\n"
        elif keyword == "task":
            opened.append((argument, filled, [], []))
        elif keyword == "edit":
            opened[-1][2].append(_edit(fill(argument, words), filled))
        elif keyword == "test":
            opened[-1][3].append(_needs(argument, words))
    found.tasks = [_task(task, name, lines, edits, tests) for task, lines, edits, tests in opened]
    return found


@cache
def _text(language: str, name: str) -> str:
    return (FOLDER / f"{language}_{name}.txt").read_text("utf-8")


@cache
def names(language: str) -> tuple[str, ...]:
    """Modules in stock for a language."""
    return tuple(sorted(path.stem.removeprefix(f"{language}_") for path in FOLDER.glob(f"{language}_*.txt")))
