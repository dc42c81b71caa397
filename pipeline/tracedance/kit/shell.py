"""Shell commands as the simple commands they run, parsed with tree-sitter-bash; never executed, never expanded.

Wrappers (`sudo`, `env`, `timeout`, `bash -c`, ...) are taken off, and what `find -exec`, `ssh` and `docker exec` run follows them.
Here-documents and quoted texts are data, the program text of an interpreter (`python -c`) is unknown, and commands inside substitutions,
loops and conditions count. Any input gives an answer: what the grammar cannot read is skipped.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import islice, zip_longest
from typing import NamedTuple

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from tracedance.kit.heredocs import set_aside
from tracedance.kit.quoting import text_of, word
from tracedance.kit.wrappers import carried, inner_script, unwrapped

LIMIT = 32_000
"""Characters of one command that are parsed, here-documents not counted; agents' own stay far below."""
_META = re.compile(r"[|()=<>`]")
_METAS = 2_000
"""Metacharacters that are parsed: the grammar's error recovery is quadratic in them (0.1 s here, 10 s at 16,000)."""
_DEPTH = 4
"""How deep scripts inside scripts (`bash -c "bash -c ..."`) are followed."""
_COMMANDS = 2_000
"""Simple commands kept of one text."""
_WORDS = 2_000
_REDIRECTS = 8
_SHORT = 4_096


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One program with its arguments, as the shell would see them before expansion."""

    words: tuple[str, ...]
    """Program and arguments without quotes; expansions stay as written (`$X`). Empty for a bare redirection."""
    writes: tuple[str, ...] = ()
    """Files that redirections replace."""
    appends: tuple[str, ...] = ()
    """Files that redirections extend."""
    reads: tuple[str, ...] = ()
    """Files that redirections read."""
    heredoc: str = ""
    """Text of its here-document or here-string."""
    folder: str = ""
    """Where an earlier `cd` of the same text went; "" where there was none or it cannot be told."""
    feeds: str = ""
    """Program that the output is piped into, "" if none."""
    fed: bool = False
    """Whether its input comes out of a pipe; with `xargs` its arguments do."""
    captured: bool = False
    """Inside a substitution: its output becomes an argument and is not shown."""
    inside: str = ""
    """Program that carried it to another machine or container (ssh, docker, kubectl, ...); "" where it runs here."""

    @property
    def program(self) -> str:
        """Name of the program without its folder."""
        return self.words[0].rpartition("/")[2] if self.words else ""

    @property
    def args(self) -> tuple[str, ...]:
        """All words after the program."""
        return self.words[1:]

    @property
    def text(self) -> str:
        """The words in one line, at most 200 characters; for people."""
        line = " ".join(" ".join(self.words).split())
        return line if len(line) <= 200 else line[:199] + "…"


class _Place(NamedTuple):
    """A node with what its surroundings say about it; handed down, so that no node ever looks at its siblings."""

    node: Node
    captured: bool = False
    redirects: tuple[Node, ...] = ()
    next: Node | None = None
    """The pipeline's next part."""
    fed: bool = False


@dataclass(slots=True)
class _Walk:
    """What is known on the way through one syntax tree."""

    source: bytes
    depth: int
    heredocs: Mapping[str, str]
    folder: str = ""
    found: list[SimpleCommand] = field(default_factory=list)


def parse(command: str) -> tuple[SimpleCommand, ...]:
    """The simple commands of a shell text, in the order in which they are written. Never raises."""
    return _parse_short(command) if len(command) <= _SHORT else _parse(command, 0)


@lru_cache(maxsize=20_000)
def _parse_short(command: str) -> tuple[SimpleCommand, ...]:
    return _parse(command, 0)


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def _parse(command: str, depth: int) -> tuple[SimpleCommand, ...]:
    text, heredocs = set_aside(command.replace("\0", " ").replace("\r\n", "\n"))
    source = _bounded(text).encode("utf-8", "replace")
    walk = _Walk(source, depth, heredocs)
    for place in _places(_parser().parse(source).root_node):
        walk.found.extend(_simple(place, walk))
        if len(walk.found) >= _COMMANDS:
            break
    return tuple(walk.found[:_COMMANDS])


def _bounded(text: str) -> str:
    text = text[:LIMIT]
    beyond = next(islice(_META.finditer(text), _METAS, None), None)
    return text if beyond is None else text[: beyond.start()]


def _places(root: Node) -> Iterator[_Place]:
    """Nodes that stand for a command (or a bare redirection), in source order."""
    stack = [_Place(root)]
    while stack:
        place = stack.pop()
        node = place.node
        bare = node.type == "redirected_statement" and node.child_by_field_name("body") is None
        if bare or node.type in ("command", "declaration_command"):
            yield place
        if node.named_child_count:
            stack.extend(reversed(list(_inside(place))))


def _inside(place: _Place) -> Iterator[_Place]:
    node, children = place.node, place.node.named_children
    if node.type in ("command_substitution", "process_substitution"):
        yield from (_Place(child, captured=True) for child in children)
    elif node.type == "pipeline":
        for child, following in zip_longest(children, children[1:]):
            last = following is None
            yield _Place(
                child, place.captured, place.redirects if last else (), place.next if last else following, place.fed or child != children[0]
            )
    elif node.type == "redirected_statement":
        yield from _redirected(place, children)
    elif node.type in ("command", "declaration_command", "heredoc_redirect"):
        yield from (_Place(child, place.captured, fed=child.type == "pipeline") for child in children)
    else:
        # What is said of a list or a loop holds of its last part; what feeds it, of all.
        for child in children:
            last = child == children[-1]
            yield _Place(child, place.captured, place.redirects if last else (), place.next, place.fed)


def _redirected(place: _Place, children: list[Node]) -> Iterator[_Place]:
    own = [child for child in children if child.type.endswith("redirect")]
    beside = [inner for each in own if each.type == "heredoc_redirect" for inner in each.children_by_field_name("redirect")]
    # `cat <<EOF | tee x`: the rest of the pipeline hangs inside the here-document's redirection.
    piped = next((inner for each in own for inner in each.named_children if inner.type == "pipeline"), None)
    for child in children:
        if child in own:
            yield _Place(child, place.captured)
        else:
            yield _Place(child, place.captured, (*place.redirects, *own, *beside)[:_REDIRECTS], piped or place.next, place.fed)


def _simple(place: _Place, walk: _Walk) -> list[SimpleCommand]:
    node, source = place.node, walk.source
    written, appended, read, heredoc = _redirects((*_own_redirects(node), *place.redirects), source)
    command = SimpleCommand(
        words=unwrapped(_words(node, source)),
        writes=written,
        appends=appended,
        reads=read,
        heredoc=walk.heredocs.get(heredoc.strip(), heredoc),
        folder=walk.folder,
        feeds=_first_program(place.next, source),
        fed=place.fed,
        captured=place.captured,
    )
    found = _opened(command, walk.depth)
    if command.program in ("cd", "pushd"):
        walk.folder = _entered(walk.folder, command.args)
    return found if command.words or command.writes or command.appends else []


def _opened(command: SimpleCommand, depth: int) -> list[SimpleCommand]:
    """A shell's script in place of the shell; after a program that runs another command (`find -exec`, `ssh`), that command."""
    script = inner_script(command.words, command.heredoc)
    if script and depth < _DEPTH:
        return [_placed(each, command) for each in _parse(script, depth + 1)]
    found = [command]
    for words, away in carried(command.words, bool(command.heredoc)) if depth < _DEPTH else ():
        elsewhere = command.program if away else command.inside
        inner = replace(command, words=unwrapped(words), inside=elsewhere, folder="" if away else command.folder, writes=(), appends=())
        found += _opened(inner, depth + 1)
    return found


def _placed(inner: SimpleCommand, outer: SimpleCommand) -> SimpleCommand:
    """A command of an inner script, seen from outside."""
    folder = posixpath.join(outer.folder, inner.folder) if inner.folder else outer.folder
    return replace(inner, folder=folder, captured=outer.captured or inner.captured, inside=inner.inside or outer.inside)


def _entered(folder: str, args: tuple[str, ...]) -> str:
    target = next((arg for arg in args if not arg.startswith("-")), "")
    known = target and not target.startswith("~") and "$" not in target and "`" not in target
    return posixpath.normpath(posixpath.join(folder, target)) if known else ""


def _own_redirects(node: Node) -> Iterator[Node]:
    return (child for child in node.named_children[:_WORDS] if child.type.endswith("redirect"))


def _words(node: Node, source: bytes) -> tuple[str, ...]:
    children = [child for child in node.named_children[:_WORDS] if child.type not in ("variable_assignment", "comment")]
    return tuple(word(child, source) for child in children if not child.type.endswith("redirect"))


def _redirects(nodes: Iterable[Node], source: bytes) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], str]:
    """Files replaced, extended and read, and the here-document's text."""
    written: list[str] = []
    appended: list[str] = []
    read: list[str] = []
    heredoc = ""
    for node in nodes:
        if node.type != "file_redirect":
            heredoc = heredoc or _body(node, source)
            continue
        operator = next((child.type for child in node.children if not child.is_named), "")
        target = node.child_by_field_name("destination")
        if target is None or target.type == "number" or operator in (">&", "<&"):
            continue
        path = word(target, source)
        if path and not path.startswith("/dev/"):
            {">>": appended, "&>>": appended, "<": read}.get(operator, written).append(path)
    return tuple(written), tuple(appended), tuple(read), heredoc


def _body(redirect: Node, source: bytes) -> str:
    if redirect.type == "herestring_redirect":
        return word(redirect.named_children[0], source) if redirect.named_children else ""
    return next((text_of(child, source) for child in redirect.named_children if child.type == "heredoc_body"), "")


def _first_program(node: Node | None, source: bytes) -> str:
    for _ in range(20):
        if node is None or node.type == "command":
            break
        node = node.named_children[0] if node.named_child_count else None
    words = unwrapped(_words(node, source)) if node is not None else ()
    return words[0].rpartition("/")[2] if words else ""
