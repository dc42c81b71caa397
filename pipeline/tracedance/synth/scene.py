"""What a scene is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tracedance.synth.stage import Stage
from tracedance.synth.tape import Kind

Need = Literal["untidy", "two_edits", "dirty", "clean", "recent", "old", "vague"]
"""untidy: the main file was committed unformatted. two_edits: the task changes its source in two places. dirty, clean: whether somebody
else's changes lie in the tree. recent, old: the version of the harness. vague: an edit of the task can be
anchored on a line that occurs several times."""


@dataclass(frozen=True)
class Scene:
    """A part of a session that decides about one family."""

    name: str
    kind: Kind | Literal["plain"]
    play: Callable[[Stage], None]
    harnesses: tuple[str, ...] = ("claude_code", "codex")
    needs: frozenset[Need] = frozenset()


def scene(kind: Kind | Literal["plain"], play: Callable[[Stage], None], *needs: Need, only: str = "", name: str = "") -> Scene:
    """A scene named like its function."""
    harnesses = (only,) if only else ("claude_code", "codex")
    return Scene(name or play.__name__, kind, play, harnesses, frozenset(needs))
