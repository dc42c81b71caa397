"""Changes in which an edit fails: it is tried again from memory (offence), the file is looked at first (met), or it only seems so."""

from collections.abc import Callable
from dataclasses import dataclass

from tracedance.synth import prose
from tracedance.synth.memory import core, misremembered
from tracedance.synth.scene import Need, Scene, scene
from tracedance.synth.stage import Stage
from tracedance.synth.stock import Edit
from tracedance.synth.tape import RETRY, Kind, Plant
from tracedance.synth.toolchain import FORMAT, loosen


@dataclass(frozen=True)
class Failed:
    """An edit that has just failed, what it should have been, and what is left to do after it."""

    right: Edit
    tried: Edit
    rest: tuple[Edit, ...]


Cause = Callable[[Stage], Failed]
Ending = Callable[[Stage, Failed], None]


def plain(stage: Stage) -> None:
    """Reads and edits without any mishap."""
    task = stage.task
    others = sorted({edit.path for edit in task.other_edits})
    if stage.rng.random() < 0.5:
        stage.look(stage.say(prose.OPEN, task.source), task.source, *others)
    else:
        stage.look(stage.say(prose.OPEN, task.source), task.source)
        if stage.rng.random() < 0.4:
            stage.act(
                stage.pick(("Who else uses it?", "", "Checking the callers.")),
                stage.hands.search(stage.name(task.source).split(".")[0], "."),
            )
    stage.finish(task.edits, task.say)


def part_read(stage: Stage) -> Failed:
    """Only another part of the file was read, so the old text is a guess."""
    edit = stage.now(stage.task.edits[0])
    lines = stage.text(edit.path).split("\n")
    start = stage.text(edit.path)[: stage.text(edit.path).index(edit.old)].count("\n") + 1
    end = start + edit.old.count("\n")
    part = (1, start - 2) if start - 1 > len(lines) - end else (end + 2, len(lines) - 1)
    stage.act(stage.say(prose.OPEN_PART, edit.path), stage.hands.read(edit.path, *part))
    return fail(stage, edit, stage.task.edits[1:], stage.task.say)


def own_edit(stage: Stage) -> Failed:
    """The agent has just changed the file itself and goes on from memory."""
    first, second, *rest = (stage.now(edit) for edit in stage.task.source_edits)
    stage.look(stage.say(prose.OPEN, first.path), first.path)
    stage.apply(stage.task.say, first)
    return fail(stage, second, [*rest, *stage.task.other_edits], stage.say(prose.MORE, first.path))


def formatter(stage: Stage) -> Failed:
    """The formatter rewrote the file after it was read."""
    at = last_loose(stage)
    edits = stage.task.edits
    stage.look(stage.say(prose.OPEN, stage.task.source), *dict.fromkeys(edit.path for edit in edits))
    for number, edit in enumerate(edits[:at]):
        stage.apply(stage.task.say if number == 0 else stage.say(prose.MORE, edit.path), edit)
    command = FORMAT[stage.project.language]
    remembered = stage.now(edits[at])
    stage.act(
        stage.pick(
            (
                "Formatting before I go on, as the README asks.",
                "Running the formatter in between.",
                f"`{command}` first, the file was not formatted.",
            )
        ),
        stage.hands.shell(command, "Format the sources"),
    )
    return fail(stage, edits[at], edits[at + 1 :], stage.say(prose.TEST_EDIT, edits[at].path), remembered)


def pulled(stage: Stage) -> Failed:
    """A colleague's change came in between reading and editing."""
    task, at = stage.task, last_loose(stage)
    stage.look(stage.say(prose.OPEN, task.source), *dict.fromkeys(edit.path for edit in task.edits))
    stage.act(f"{task.say} Shall I?")
    mate = stage.pick(("Hanne", "Wim", "Bo", "Aino", "Luca"))
    stage.user(
        stage.pick(
            (
                f"yes. pull first, {mate} pushed something",
                f"go ahead. {mate} merged a small thing into {{0}}, get that before you start",
                f"yes please, but git pull before ({mate} was busy)",
            )
        ).format(stage.project.tree.branch)
    )
    remembered = [stage.now(edit) for edit in task.edits]
    stat = stage.tidied()
    stage.project.tree.news = f"Updating {stage.rng.getrandbits(28):07x}..{stage.rng.getrandbits(28):07x}\nFast-forward\n{stat}"
    stage.act(stage.pick(("Pulling.", "", "Getting the latest state.")), stage.hands.shell("git pull", "Pull the latest changes"))
    return fail(stage, task.edits[at], [*task.edits[:at], *task.edits[at + 1 :]], "Now the change.", remembered[at])


def last_loose(stage: Stage) -> int:
    """The last edit whose old text an unformatted file spells differently; never the first edit, unless it is the only one."""
    language = stage.project.language
    found = [at for at, edit in enumerate(stage.task.edits) if loosen(edit.old, language) != edit.old]
    return found[-1]


def fail(stage: Stage, right: Edit, rest: list[Edit] | tuple[Edit, ...], text: str, remembered: Edit | None = None) -> Failed:
    """Tries the edit as it is remembered, in vain."""
    if remembered is None or remembered.old in stage.text(right.path):
        guess = misremembered(stage.text(right.path), right.old, stage.rng)[0]
        remembered = Edit(right.path, guess, right.new)
    call = stage.hands.edit(remembered.path, remembered.old, remembered.new)
    assert call.outcome.status == "error", call.outcome.text
    stage.touched.add(right.path)
    stage.act(text, call)
    return Failed(right, remembered, tuple(rest))


def _offence(note: str) -> Plant:
    return Plant(RETRY, "offence", note, 0)


def _met(note: str) -> Plant:
    return Plant(RETRY, "met", note, 0)


def again(stage: Stage, failed: Failed) -> None:
    """Guesses once more, fails once more, and only then looks."""
    versions = [one for one in misremembered(stage.text(failed.right.path), failed.right.old, stage.rng) if one != failed.tried.old]
    call = stage.hands.edit(failed.right.path, versions[0], failed.right.new)
    stage.act(stage.say(prose.AGAIN), call, plant=_offence("another guess at the old text"))
    look_then_fix(stage, failed, "looked after the second failure")


def shorter(stage: Stage, failed: Failed) -> None:
    """Guesses a smaller old text, and is lucky."""
    short = core(failed.right, stage.text(failed.right.path))
    if short is None:
        again(stage, failed)
        return
    call = stage.hands.edit(short.path, short.old, short.new)
    assert call.outcome.status == "ok", call.outcome.text
    stage.act(stage.say(prose.SHORTER), call, plant=_offence("a smaller match from memory, which happens to fit"))
    stage.finish(failed.rest)


def resend(stage: Stage, failed: Failed) -> None:
    """Sends the very same edit again."""
    call = stage.hands.edit(failed.tried.path, failed.tried.old, failed.tried.new)
    told = "; the error itself named the cure" if "Read it again" in call.outcome.text else ""
    stage.act(stage.say(prose.RESEND), call, plant=_offence(f"the identical edit again{told}"))
    look_then_fix(stage, failed, "looked after the second failure")


def by_sed(stage: Stage, failed: Failed) -> None:
    """Turns to sed with the same wrong idea of the line; nothing matches and nothing changes."""
    text = stage.text(failed.right.path)
    wrong = [line for line in failed.tried.old.split("\n") if line.strip() and line not in text.split("\n") and _plain(line)]
    fresh = [line for line in failed.right.new.split("\n") if line not in failed.right.old.split("\n") and _plain(line) and line.strip()]
    if not wrong or not fresh:
        again(stage, failed)
        return
    call = stage.hands.shell(f"sed -i 's|{wrong[0].strip()}|{fresh[0].strip()}|' {failed.right.path}", "Replace the line")
    if stage.text(failed.right.path) != text:
        stage.project.tree.work[failed.right.path] = text
        again(stage, failed)
        return
    stage.act(stage.say(prose.SED), call, plant=_offence("sed on the same assumption"))
    stage.act(stage.say(("Did that take?", "Checking the result.", "")), stage.hands.read(failed.right.path))
    stage.read.add(failed.right.path)
    stage.apply(stage.say(prose.FIXED), failed.right)
    stage.finish(failed.rest)


def _plain(line: str) -> bool:
    return not any(mark in line for mark in "|'\\*[]&^$.")


def other_file_too(stage: Stage, failed: Failed) -> None:
    """The next turn edits another file and, beside it, the same file again."""
    others = [edit for edit in failed.rest if edit.path != failed.right.path]
    versions = [one for one in misremembered(stage.text(failed.right.path), failed.right.old, stage.rng) if one != failed.tried.old]
    if not others or others[0].path not in stage.read:
        again(stage, failed)
        return
    other = stage.now(others[0])
    calls = [stage.hands.edit(other.path, other.old, other.new), stage.hands.edit(failed.right.path, versions[0], failed.right.new)]
    stage.touched.add(other.path)
    stage.act(stage.say(prose.AGAIN), *calls, plant=Plant(RETRY, "offence", "another guess beside an edit of a second file", 1))
    left = tuple(edit for edit in failed.rest if edit is not others[0])
    look_then_fix(stage, Failed(failed.right, failed.tried, left), "looked after the second failure")


def look_then_fix(stage: Stage, failed: Failed, note: str = "re-read before the next edit") -> None:
    """Reads the file, then edits with the real text."""
    path = failed.right.path
    stage.act(stage.say(prose.LOOK), stage.hands.read(path), plant=_met(note))
    stage.read.add(path)
    stage.apply(stage.say(prose.FIXED), failed.right)
    stage.finish(failed.rest)


def look_at_region(stage: Stage, failed: Failed) -> None:
    """Reads the region by the shell, a trap for those who count only the read tool."""
    path = failed.right.path
    at = stage.text(path)[: stage.text(path).index(failed.right.old)].count("\n") + 1
    command = stage.pick((f"sed -n '{max(1, at - 4)},{at + 14}p' {path}", f"cat {path}", f"cat {path} | head -{at + 20}"))
    stage.act(
        stage.say(prose.LOOK),
        stage.hands.shell(command, "Show the current lines"),
        plant=Plant(RETRY, "near_miss", "re-read by the shell", 0),
    )
    if stage.is_claude:
        stage.act("", stage.hands.read(path))
    stage.read.add(path)
    stage.apply(stage.say(prose.FIXED), failed.right)
    stage.finish(failed.rest)


def _joined(cause: Cause, ending: Ending) -> Callable[[Stage], None]:
    def play(stage: Stage) -> None:
        ending(stage, cause(stage))

    return play


_NEEDS: dict[Cause, tuple[Need, ...]] = {part_read: (), own_edit: ("two_edits",), formatter: ("untidy",), pulled: ("untidy",)}


def _scene(kind: Kind, cause: Cause, ending: Ending, only: str = "") -> Scene:
    return scene(kind, _joined(cause, ending), *_NEEDS[cause], only=only, name=f"{cause.__name__}_{ending.__name__}")


OFFENCES = (
    *(_scene("offence", cause, ending) for cause in (part_read, own_edit) for ending in (again, shorter, resend, by_sed, other_file_too)),
    *(_scene("offence", cause, ending, "codex") for cause in (formatter, pulled) for ending in (again, shorter, resend)),
    _scene("offence", formatter, resend, "claude_code"),
    _scene("offence", pulled, resend, "claude_code"),
)
MET = tuple(_scene("met", cause, look_then_fix) for cause in (part_read, own_edit, formatter, pulled))
BY_SHELL = tuple(_scene("near_miss", cause, look_at_region) for cause in (part_read, own_edit, formatter))
PLAIN = (scene("plain", plain),)
