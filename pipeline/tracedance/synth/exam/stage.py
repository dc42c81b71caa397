"""Plays a scene: draws its slots, makes up what it leaves open, and gives each call the tools of the session's harness."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from tracedance.synth.exam.script import CHOICE, SLOT, Beat, Mark, Op, Scene, all_scenes
from tracedance.synth.exam.words import Session, Slots
from tracedance.synth.tape import Acted, Call, Compacted, Interrupted, Plant, Said, Step

BEFORE = ("next: ", "hey, ", "one more thing: ", "now, ", "quick one: ", "hi! ", "then: ")
AFTER = (", thanks", " please.", ", thank you!", ". thx", " pls", ". No hurry.", ", when you have a moment")
ALTERNATIVE = " @@ "
NO_FAMILY = "-"
"""What a drawn family is where the draw is no place of it."""
_DOCS = re.compile(r"\.(md|txt|rst)$")


@dataclass(frozen=True)
class Change:
    """An edit or a whole file; `failed` names the way it is rejected, "" where it is not."""

    path: str
    old: str
    new: str
    failed: str = ""


class Hands(Protocol):
    """The tools of a harness: each method gives the call as that harness records it, with what it shows."""

    def shell(self, command: str, shown: str, code: str) -> Call: ...
    def read(self, path: str, shown: str, failed: bool) -> Call: ...
    def search(self, pattern: str, path: str, shown: str) -> Call: ...
    def edit(self, change: Change) -> Call: ...
    def write(self, change: Change) -> Call: ...
    def todo(self, rows: list[str]) -> Call: ...
    def tool(self, name: str, arguments: str, shown: str, mode: str) -> Call: ...
    def job(self, command: str, task: str) -> Call: ...
    def page(self, url: str, shown: str, failed: bool) -> Call: ...
    def split(self, call: Call) -> list[Call]: ...
    def agent(self, title: str, report: str) -> Call: ...


def fill(text: str, slots: Slots, lenient: bool = False) -> str:
    """The text with its choices made and its slots replaced; in code made up from a template, unknown braces stay."""

    def replaced(match: re.Match[str]) -> str:
        try:
            return slots[match[1]]
        except KeyError:
            if lenient:
                return match[0]
            raise

    text = CHOICE.sub(lambda match: slots.rng.choice(match[1].split("^")), text)
    return SLOT.sub(replaced, text)


@cache
def full_name(name: str) -> str:
    """The id of a family that a script names barely."""
    return next(scene.family for scene in all_scenes() if scene.family.partition("/")[2] == name)


class Stage:
    """Collects the steps of one session."""

    def __init__(self, play: Session, hands: Hands) -> None:
        self.play = play
        self.hands = hands
        self.steps: list[Step] = []
        self._left: dict[str, list[tuple[str, str]]] = {}
        """Path -> edits that its made-up text still allows."""

    def perform(self, scene: Scene) -> None:
        """Plays all beats of a scene."""
        slots = Slots(self.play)
        for names, options in scene.draws:
            chosen = self.play.rng.choice(options)
            for name, value in zip(names, chosen, strict=True):
                slots[name] = fill(value.replace("\\n", "\n").replace("\\t", "\t"), slots)
        for number, beat in enumerate(scene.beats):
            step = self._step(scene, beat, slots)
            if number == 0 and isinstance(step, Said) and not step.harness:
                step.text = self._typed(step.text)
            self.steps.append(step)
            if isinstance(step, Acted) and [op.kind for op in beat.ops] == ["T"]:
                step.calls, *later = [[call] for call in self.hands.split(step.calls[0])]
                self.steps += [Acted("", calls) for calls in later]

    def _typed(self, text: str) -> str:
        """A request as people type it: with a word before or after, or without the capital."""
        rng = self.play.rng
        draw = rng.random()
        if draw < 0.15:
            return rng.choice(BEFORE) + text
        if draw < 0.25 and text[-1] not in '?!:;"`':
            return text.rstrip(".") + rng.choice(AFTER)
        return text[0].lower() + text[1:] if draw > 0.9 and text[:2] != "I " else text

    def _step(self, scene: Scene, beat: Beat, slots: Slots) -> Step:
        text = fill("\n".join(beat.text), slots)
        if beat.who in ("user", "harness"):
            return Said(text, harness=beat.who == "harness")
        if beat.who == "compaction":
            return Compacted(text)
        if beat.who == "interrupt":
            return Interrupted(False)
        calls = [self._call(op, slots) for op in beat.ops]
        return Acted(text, calls, plants=[plant for mark in beat.marks for plant in self._plant(scene, mark, slots)])

    def _plant(self, scene: Scene, mark: Mark, slots: Slots) -> Iterator[Plant]:
        kind = mark.kind or scene.kind
        assert kind in ("offence", "met", "near_miss"), f"{scene.name}: {kind}"
        name = fill(mark.family, slots)
        if name != NO_FAMILY:
            yield Plant(full_name(name) if name else scene.family, kind, fill(mark.why, slots))  # type: ignore[arg-type]

    def _call(self, op: Op, slots: Slots) -> Call:
        head = "\n".join(fill(line, slots) for line in (op.head, *op.more))
        shown = None if op.shown is None else fill("\n".join(op.shown), slots)
        if op.kind == "$":
            return self.hands.shell(head, shown or "", slots[op.mode[1:]] if op.mode.startswith("@") else op.mode)
        if op.kind == "r":
            return self._read(head, shown, op.mode, slots)
        if op.kind == "g":
            pattern, _, path = head.partition(" @ ")
            return self.hands.search(pattern, path or ".", shown or "")
        if op.kind in "ew":
            return self._change(op, head, slots)
        if op.kind == "t":
            return self.hands.todo([fill(line, slots) for line in op.new])
        if op.kind == "c":
            name, _, arguments = head.partition(" ")
            return self.hands.tool(name, arguments or "{}", shown or "", op.mode)
        return self._other(op, head, shown, slots)

    def _other(self, op: Op, head: str, shown: str | None, slots: Slots) -> Call:
        if op.kind == "b":
            return self.hands.job(head, slots["task"])
        if op.kind == "f":
            return self.hands.page(head, shown or "", bool(op.mode))
        if op.kind == "p":
            return self.hands.agent(head, shown or "")
        return self._tests(op.mode == "+", head, shown, slots)

    def _tests(self, green: bool, path: str, shown: str | None, slots: Slots) -> Call:
        language = self.play.language
        command = slots["test_one"] if path else slots["test_cmd"]
        output = shown if shown is not None else self.play.rng.choice(language.fields["green" if green else "red"])
        return self.hands.shell(fill(command, slots), fill(output, slots, lenient=True), "" if green else "1")

    def _read(self, path: str, shown: str | None, mode: str, slots: Slots) -> Call:
        if mode == "!":
            return self.hands.read(path, shown or "", failed=True)
        name, _, span = path.partition(":")
        if shown is not None:
            if not span:
                self.play.files.setdefault(path, shown)
            return self.hands.read(path, shown, failed=False)
        text = self.text(name, slots)
        if span:
            first, last = (int(number) for number in span.split("-"))
            text = "\n".join(text.split("\n")[first - 1 : last])
        return self.hands.read(path, text, failed=False)

    def _change(self, op: Op, path: str, slots: Slots) -> Call:
        files = self.play.files
        old, new = (fill("\n".join(lines), slots) for lines in (op.old, op.new))
        if op.kind == "w":
            new = new or self.text(path, slots)
            call = self.hands.write(Change(path, "", new, op.mode.lstrip("!")))
            if not op.mode:
                files[path] = new
            return call
        if not op.old and not op.new:
            old, new = self._made_up(path, slots)
        if op.new and not op.old:
            old, _ = self._made_up(path, slots)
            new = f"{old}\n{new}"
        if not op.mode:
            files[path] = files.get(path, "").replace(old, new, 1)
        return self.hands.edit(Change(path, old, new, op.mode.lstrip("!")))

    def text(self, path: str, slots: Slots) -> str:
        """What the file holds, made up at the first look."""
        if path not in self.play.files:
            self.play.files[path] = self._invented(path, slots)
        return self.play.files[path]

    def _invented(self, path: str, slots: Slots) -> str:
        if _DOCS.search(path):
            return fill(DOCUMENT, slots)
        language, rng = self.play.language, self.play.rng
        templates = language.test_templates if path == slots.get("testf") else language.templates
        lines, left = [], []
        for line in fill(rng.choice(templates), slots, lenient=True).split("\n"):
            before, mark, after = line.partition(ALTERNATIVE)
            lines.append(before)
            if mark:
                left.append((before, after))
        rng.shuffle(left)
        self._left[path] = left
        return "\n".join(lines).rstrip("\n")

    def _made_up(self, path: str, slots: Slots) -> tuple[str, str]:
        """Some edit that fits the file."""
        text = self.text(path, slots)
        left = [pair for pair in self._left.get(path, []) if text.count(pair[0]) == 1]
        if left:
            self._left[path] = left[1:]
            return left[0]
        lines = [line for line in text.split("\n") if line.strip() and text.count(line) == 1]
        last = lines[-1] if lines else ""
        return last, f"{last}\n"


def spoken(steps: Iterable[Step]) -> str:
    """All text of some steps, for a test that looks for what was planted."""
    parts = []
    for step in steps:
        parts.append(step.text if isinstance(step, Said | Acted) else "")
        parts += [f"{call.tool} {call.arguments}" for call in step.calls] if isinstance(step, Acted) else []
    return "\n".join(parts)


DOCUMENT = """# {slug}

Keeps {items} with their {qty} and {tag}.

## Use

- import: reads the {items} of one day
- report: {qty} per {tag}, at most {num} rows

## Notes

The limits were agreed with the people who enter the {items}; ask before changing them."""
