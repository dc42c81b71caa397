"""Reads scene scripts: what happens in a part of a session, free of any harness.

One scene, a line a thing:

    # offence invented_script @coding lang=python,go last    kind, name, where it can be played, conditions
    = a,b 1 ; 2 ^ 3 ; 4                a draw of slots: (a, b) is (1, 2) or (3, 4)
    U text        H text        A text a person, the harness, an assistant turn; `. text` goes on with it
    $ command     $1 command           a shell call of that turn, with its exit code; `> text` goes on with the command
    r path        g pattern @ path     a look at a file, a search
    e path        w path               an edit (`- old`, `+ new`), a whole file (`+ text`); e!nf, e!nu, e!stale, e!nr and w!nr are rejected
    t             c tool {json}        a to-do list (`+ [x] item`), a call of a named tool (c! flags an error)
    b command     f url   p title      a job in the background, a page, a sub-agent
    T+ path       T- path              a test run that passes, one that fails
    | text                             what the call showed
    C summary     I                    the context was compacted, the person broke in
    @ why                              this assistant turn is the planted place; `@family:kind why` plants another one,
                                                       `@{slot}:kind why` one of the family drawn, and none where `-` is drawn

`{slot}` is replaced, `[[a^b]]` is a choice. Where nothing is shown for a read, an edit or a test run, the stage makes it up.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

KINDS = ("offence", "met", "near_miss", "plain")
_SAID = {"U": "user", "H": "harness", "A": "assistant", "C": "compaction", "I": "interrupt"}
_OPS = frozenset("$rgewtcbfpT")


@dataclass(slots=True)
class Op:
    """One call as written."""

    kind: str
    mode: str
    """What follows the letter: an exit code, `!` with the way it fails, + or -."""
    head: str
    more: list[str] = field(default_factory=list)
    """Lines that go on with the head."""
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    shown: list[str] | None = None
    """What came back; None where the stage makes it up."""


@dataclass(slots=True)
class Mark:
    """A planted place; family and kind are the scene's own where they are empty."""

    why: str
    family: str = ""
    kind: str = ""


@dataclass(slots=True)
class Beat:
    """One turn as written."""

    who: str
    text: list[str]
    ops: list[Op] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)


@dataclass(slots=True)
class Scene:
    """A part of a session."""

    family: str
    kind: str
    name: str
    where: frozenset[str]
    flags: frozenset[str]
    languages: frozenset[str]
    draws: list[tuple[list[str], list[list[str]]]] = field(default_factory=list)
    beats: list[Beat] = field(default_factory=list)

    def leaves_untested(self, untested: bool) -> bool:
        """Whether code lies changed and untested after the scene, where it did or did not before."""
        for op in self.ops():
            if op.kind == "T":
                untested = untested and op.mode != "+"
            elif op.kind in "ew" or (op.kind == "$" and "sed -i" in op.head):
                untested = True
        return untested

    def ops(self) -> Iterator[Op]:
        """All its calls in order."""
        return (op for beat in self.beats for op in beat.ops)

    @property
    def commits(self) -> bool:
        """Whether a commit is made in it."""
        return any("git commit" in op.head for op in self.ops())


class ScriptError(ValueError):
    """A line of a script cannot be read; says which."""


def parse(text: str, family: str) -> Iterator[Scene]:
    """The scenes of a script; ScriptError names the first line that means nothing."""
    scene: Scene | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if not line or line.startswith(";"):
            continue
        try:
            if line.startswith("# "):
                if scene is not None:
                    yield scene
                scene = _header(line[2:].split(), family)
            elif scene is None:
                raise ScriptError("a scene starts with '# '")
            else:
                _line(scene, line)
        except (ScriptError, IndexError, ValueError) as problem:
            raise ScriptError(f"{family}, line {number}: {problem}: {line!r}") from problem
    if scene is not None:
        yield scene


def _header(words: list[str], family: str) -> Scene:
    kind, name, *rest = words
    if kind not in KINDS:
        raise ScriptError(f"unknown kind {kind!r}")
    where = {one for word in rest if word.startswith("@") for one in word[1:].split(",")}
    if "coding" in where:
        where = where - {"coding"} | {"claude_code", "codex"}
    languages = {one for word in rest if word.startswith("lang=") for one in word[5:].split(",")}
    flags = {word for word in rest if not word.startswith(("@", "lang="))}
    if not where or flags - {"first", "last", "spare"}:
        raise ScriptError("a scene says where it is played, and whether first or last")
    return Scene(family, kind, name, frozenset(where), frozenset(flags), frozenset(languages))


def _line(scene: Scene, line: str) -> None:
    token, _, rest = line.partition(" ")
    if token == "=":
        names, _, options = rest.partition(" ")
        slots = names.split(",")
        values = [[value.strip() for value in option.split(" ; ")] for option in options.split(" ^ ")]
        if any(len(value) != len(slots) for value in values):
            raise ScriptError(f"each option gives {len(slots)} values")
        scene.draws.append((slots, values))
    elif token in _SAID:
        scene.beats.append(Beat(_SAID[token], [rest]))
    elif token[0] == "@":
        family, _, kind = token[1:].partition(":")
        scene.beats[-1].marks.append(Mark(rest, family, kind))
    elif token[0] in ".>-+|":
        _goes_on(scene.beats[-1], token[0], rest if len(token) == 1 else line[1:])
    elif token[0] in _OPS and scene.beats[-1].who == "assistant":
        scene.beats[-1].ops.append(Op(token[0], token[1:], rest))
    else:
        raise ScriptError("unknown mark")


def _goes_on(beat: Beat, mark: str, rest: str) -> None:
    if mark == ".":
        beat.text.append(rest)
        return
    op = beat.ops[-1]
    if mark == "|":
        op.shown = [*(op.shown or ()), rest]
    else:
        {">": op.more, "-": op.old, "+": op.new}[mark].append(rest)


@cache
def load(folder_name: str = "scenes") -> tuple[Scene, ...]:
    """All scenes of a folder: those of a family first, plain work last. `scenes` are the catalogue's, `custom` those beyond it."""
    folder = files("tracedance.synth.exam") / folder_name
    scripts = sorted((one for one in folder.iterdir() if one.name.endswith(".txt")), key=lambda one: one.name)
    return tuple(scene for one in scripts for scene in parse(one.read_text(encoding="utf-8"), family_of(one.name)))


def all_scenes() -> tuple[Scene, ...]:
    """Those of the catalogue and plain work, then those beyond it."""
    return (*load(), *load("custom"))


def family_of(filename: str) -> str:
    """`action.secret_exposure.txt` -> `action/secret_exposure`; plain work has no family."""
    frame, _, name = filename.removesuffix(".txt").partition(".")
    return "" if frame == "plain" else f"{frame}/{name}"


CHOICE = re.compile(r"\[\[(.*?)\]\]", re.S)
SLOT = re.compile(r"(?<!%)\{([a-zA-Z_]+\d*)\}")
