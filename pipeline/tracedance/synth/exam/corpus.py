"""Writes the corpus: `DIR/<kind>/<number>/<session>`, at most a thousand files a folder, and `DIR/places.jsonl`."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tracedance.errors import InputError
from tracedance.synth.exam import plan, worlds
from tracedance.synth.exam.hands_chat import ChatHands
from tracedance.synth.exam.hands_claude import ClaudeHands
from tracedance.synth.exam.hands_codex import CodexHands
from tracedance.synth.exam.plan import Wish
from tracedance.synth.exam.sheet import Sheet
from tracedance.synth.exam.stage import Hands, Stage
from tracedance.synth.exam.words import Session, session
from tracedance.synth.exam.write_chat import ChatWriter
from tracedance.synth.exam.write_claude import ClaudeWriter
from tracedance.synth.exam.write_codex import CodexWriter
from tracedance.synth.marks import Clock
from tracedance.synth.tape import Step

PLACES = "places.jsonl"
UNFINISHED = f".{PLACES}.partial"
MOST = 300_000
IN_A_FOLDER = 1000
FOLDERS = {"claude_code": "claude_code", "codex": "codex", "desk": "chat", "msg": "chat"}
HANDS: dict[str, Callable[[Session], Hands]] = {"claude_code": ClaudeHands, "codex": CodexHands, "desk": ChatHands, "msg": ChatHands}


@dataclass(frozen=True)
class Written:
    """One session as bytes."""

    session: str
    file: str
    """Below the corpus folder."""
    content: bytes
    places: list[dict[str, Any]]
    steps: list[Step]


@dataclass
class Corpus:
    """What was written."""

    path: Path
    sessions: int
    bytes: int
    harnesses: dict[str, int]
    places: dict[str, dict[str, int]]
    """Family -> kind -> count."""


def compose(number: int, wish: Wish) -> Written:
    """Session `number` of a seed, whatever the size of the corpus it stands in."""
    rng = Random(f"exam:{wish.seed}:{number}")
    harness = plan.drawn_harness(rng)
    play = session(number, harness, rng)
    system, tools = worlds.furnish(harness, play.words, rng) if harness in ("desk", "msg") else ("", [])
    play.words["git_branch"] = rng.choice(("main", "main", "develop", "work/" + play.domain.item))
    stage = Stage(play, HANDS[harness](play))
    for scene in plan.scenes(play, wish):
        stage.perform(scene)
    sheet, clock = Sheet(), Clock(number % 400_000, rng)
    folder = f"{FOLDERS[harness]}/{number // IN_A_FOLDER:04}"
    if harness in ("desk", "msg"):
        chat = ChatWriter(play, sheet, clock)
        chat.write(stage.steps)
        content = chat.finish(system, tools)
        return Written(chat.session, f"{folder}/{number:06}.json", content, _rows(chat.session, sheet), stage.steps)
    stamp = clock.stamp
    writer = ClaudeWriter(play, sheet, clock) if harness == "claude_code" else CodexWriter(play, sheet, clock)
    writer.write(stage.steps)
    name = f"{writer.session}.jsonl" if harness == "claude_code" else f"rollout-{stamp}-{writer.session}.jsonl"
    return Written(writer.session, f"{folder}/{name}", sheet.lines(), _rows(writer.session, sheet), stage.steps)


def _rows(name: str, sheet: Sheet) -> list[dict[str, Any]]:
    return [{"session": name, "turn": turn, "family": plant.family, "kind": plant.kind, "why": plant.note} for turn, plant in sheet.places]


def written(sessions: int, wish: Wish) -> Iterator[Written]:
    """The first so many sessions, one at a time."""
    for number in range(sessions):
        yield compose(number, wish)


def write(out: Path, sessions: int, wish: Wish, advance: Callable[[int, int, str], None] = lambda done, total, what: None) -> Corpus:
    """Writes a corpus; the same arguments give the same bytes. An earlier corpus in `out` is replaced.

    InputError: `out` holds something else, the number is out of range, or the family is unknown.
    """
    if not 1 <= sessions <= MOST:
        raise InputError(f"A corpus of {sessions!r} sessions cannot be written. Give 1 to {MOST}.")
    clear(out)
    corpus = Corpus(out, sessions, 0, {}, {})
    counts: Counter[tuple[str, str]] = Counter()
    kinds: Counter[str] = Counter()
    with (out / UNFINISHED).open("wb") as places:
        for done, one in enumerate(written(sessions, wish), 1):
            path = out / one.file
            if not path.parent.is_dir():
                path.parent.mkdir(parents=True)
            path.write_bytes(one.content)
            corpus.bytes += len(one.content)
            kinds[one.file.partition("/")[0]] += 1
            for row in one.places:
                places.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
                counts[row["family"], row["kind"]] += 1
            if done % 50 == 0 or done == sessions:
                advance(done, sessions, "writing sessions")
    (out / UNFINISHED).replace(out / PLACES)
    corpus.harnesses = dict(sorted(kinds.items()))
    for (family, kind), count in sorted(counts.items()):
        corpus.places.setdefault(family, {})[kind] = count
    return corpus


def clear(out: Path) -> None:
    """Makes room for a corpus; only an earlier corpus is ever removed."""
    if out.exists() and not out.is_dir():
        raise InputError(f"{str(out)!r} is a file. Name a folder with --out.")
    out.mkdir(parents=True, exist_ok=True)
    ours = {PLACES, UNFINISHED, *FOLDERS.values()}
    found = {entry.name for entry in out.iterdir()}
    if found - ours or (found and not found & {PLACES, UNFINISHED}):
        raise InputError(f"The folder {str(out)!r} holds other files. Name an empty folder, or one with an earlier corpus.")
    _refuse_foreign(out)
    for folder in set(FOLDERS.values()):
        shutil.rmtree(out / folder, ignore_errors=True)
    (out / PLACES).unlink(missing_ok=True)


_ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_OURS = re.compile(
    rf"(?:claude_code/\d{{4}}/{_ID}\.jsonl|codex/\d{{4}}/rollout-[\dT:.-]+Z?-{_ID}\.jsonl|chat/\d{{4}}/\d{{6}}\.json|[a-z_]+(?:/\d{{4}})?)$"
)
"""Paths below a corpus folder that a corpus writes, its folders among them."""


def _refuse_foreign(out: Path) -> None:
    """InputError before anything is removed where a file below an earlier corpus has no name that a corpus gives."""
    for folder in sorted(set(FOLDERS.values())):
        for entry in (out / folder, *(out / folder).rglob("*")):
            name = entry.relative_to(out).as_posix()
            folded = entry.is_dir() and not entry.is_symlink()
            if entry.is_symlink() or (entry.exists() and (not _OURS.match(name) or folded != ("." not in name))):
                raise InputError(
                    f"{str(entry)!r} is no file of the earlier corpus, and nothing was removed. Move it away, or name another folder."
                )
