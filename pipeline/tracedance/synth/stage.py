"""The stage on which scenes play: one project, one agent, and the record of what both sides did."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from tracedance.synth.claude_hands import ClaudeHands
from tracedance.synth.codex_hands import CodexHands
from tracedance.synth.project import Project
from tracedance.synth.prose import EDIT, MORE, SUMMARY, TEST_EDIT, THOUGHTS
from tracedance.synth.shell import Shell
from tracedance.synth.stock import Edit, Task
from tracedance.synth.tape import BLIND, Acted, Call, Compacted, Kind, Plant, Said, Step
from tracedance.synth.toolchain import loosen, tidy


@dataclass
class Stage:
    rng: Random
    project: Project
    hands: ClaudeHands | CodexHands
    shell: Shell
    recent: bool
    task: Task
    steps: list[Step] = field(default_factory=list)
    read: set[str] = field(default_factory=set)
    touched: set[str] = field(default_factory=set)
    """Files this agent changed."""
    begun: set[str] = field(default_factory=set)
    """Names of the tasks that were turned to."""

    @property
    def claude(self) -> ClaudeHands:
        """The hands, where a scene needs a tool that only Claude Code has."""
        assert isinstance(self.hands, ClaudeHands)
        return self.hands

    @property
    def is_claude(self) -> bool:
        return isinstance(self.hands, ClaudeHands)

    def pick(self, bank: Sequence[str], **words: object) -> str:
        """A phrase of the bank, filled."""
        return self.rng.choice(bank).format(**words) if words else self.rng.choice(bank)

    def user(self, text: str) -> None:
        self.steps.append(Said(text))

    def act(self, text: str, *calls: Call, plant: Plant | Sequence[Plant] = (), interleaved: bool = False) -> Acted:
        """One assistant turn."""
        plants = [plant] if isinstance(plant, Plant) else list(plant)
        thought = self.rng.choice(THOUGHTS) if self.rng.random() < 0.3 else ""
        turn = Acted(text, list(calls), thought.format(name=f"`{self.name(self.task.source)}`"), interleaved, plants)
        self.steps.append(turn)
        return turn

    def name(self, path: str) -> str:
        return path.rsplit("/", 1)[-1]

    def text(self, path: str) -> str:
        return self.project.tree.work[path]

    def say(self, bank: Sequence[str], path: str = "") -> str:
        """A phrase about a path."""
        return self.rng.choice(bank).format(path=path, name=self.name(path))

    def look(self, text: str, *paths: str) -> None:
        """Reads whole files in one turn."""
        self.read.update(paths)
        several = len(paths) > 1
        self.act(text, *[self.hands.read(path) for path in paths], interleaved=several and self.is_claude and self.rng.random() < 0.4)

    def now(self, edit: Edit) -> Edit:
        """The edit in the spelling that the file has at this moment."""
        if edit.old in self.text(edit.path):
            return edit
        language = self.project.language
        return Edit(edit.path, loosen(edit.old, language), loosen(edit.new, language))

    def apply(self, text: str, edit: Edit, *plants: Plant) -> None:
        """Carries an edit out, in a turn of its own; the first change of a file that was read is a well-met opportunity."""
        edit = self.now(edit)
        call = self.hands.edit(edit.path, edit.old, edit.new)
        assert call.outcome.status == "ok", call.outcome.text
        self.act(text, call, plant=[*self.first_touch(edit.path), *plants])

    def first_touch(self, path: str, kind: Kind = "met", note: str = "read before its first edit") -> list[Plant]:
        """The plant of the first change of a file that had been read."""
        if path in self.touched or path not in self.read:
            self.touched.add(path)
            return []
        self.touched.add(path)
        return [Plant(BLIND, kind, note, 0)]

    def finish(self, edits: Sequence[Edit], text: str | None = None) -> None:
        """Applies the edits one after the other, reading a file first where that has not happened."""
        for number, edit in enumerate(edits):
            if edit.path not in self.read or (self.is_claude and self.claude.stale(edit.path)):
                self.look(self.say(("Now the tests in `{path}`.", "", "Looking at `{name}` next."), edit.path), edit.path)
            again = number > 0 and edits[number - 1].path == edit.path
            bank = MORE if again else TEST_EDIT if edit.path != self.task.source else EDIT
            self.apply(text if text is not None and number == 0 else self.say(bank, edit.path), edit)

    def begin(self, task: Task) -> None:
        """Turns to a task: the runner learns what its new tests need."""
        self.task = task
        self.begun.add(task.name)
        for name, path, needed in task.tests:
            self.project.tools.expect(name, path, needed)

    def compact(self, done: str, left: str) -> None:
        """The context is replaced by a summary; what was read has to be read again."""
        files = ", ".join(sorted(self.touched)) or "none"
        place, task = self.project, self.task
        about = {"slug": place.domain.slug, "about": place.domain.about, "language": place.language, "tests": place.test_command}
        self.steps.append(Compacted(SUMMARY.format(ask=task.asks[0], say=task.say, done=done, files=files, open=left, **about)))
        self.read.clear()
        if self.is_claude:
            self.claude.forget()

    def tidied(self) -> str:
        """Runs the formatter without a turn, as somebody else did; the stat of what changed."""
        changed = []
        for path, text in self.project.tree.work.items():
            clean = tidy(text, self.project.language) if path in (self.task.source, *[e.path for e in self.task.edits]) else text
            if clean != text:
                count = sum(a != b for a, b in zip(text.split("\n"), clean.split("\n"), strict=False))
                changed.append((path, count))
                for layer in (self.project.tree.work, self.project.tree.head, self.project.tree.index):
                    if path in layer:
                        layer[path] = tidy(layer[path], self.project.language)
        return "\n".join(f" {path} | {2 * count} {'+' * count}{'-' * count}" for path, count in changed)
