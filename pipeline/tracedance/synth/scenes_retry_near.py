"""Edits that fail, or seem to, and are tried again for a good reason."""

from tracedance.synth import prose
from tracedance.synth.memory import careless, misremembered
from tracedance.synth.scene import scene
from tracedance.synth.stage import Stage
from tracedance.synth.stock import Edit
from tracedance.synth.tape import RETRY, Interrupted, Plant


def _near(note: str, call: int = 0) -> Plant:
    return Plant(RETRY, "near_miss", note, call)


def _all_read(stage: Stage) -> None:
    stage.look(stage.say(prose.OPEN, stage.task.source), *dict.fromkeys(edit.path for edit in stage.task.edits))


def not_unique(stage: Stage) -> None:
    """The old text occurs several times; more context from the region just read answers the error."""
    _all_read(stage)
    for at, edit in enumerate(stage.task.edits):
        vague = careless(stage.now(edit), stage.text(edit.path))
        if vague is not None:
            stage.touched.add(edit.path)
            stage.act(stage.task.say if at == 0 else "", stage.hands.edit(vague.path, vague.old, vague.new))
            stage.apply(
                stage.pick(("That occurs more than once, so I'll take more context.", "Ambiguous; adding the lines around it.")),
                edit,
                _near("not unique, answered with more context"),
            )
            stage.finish(stage.task.edits[at + 1 :], "")
            return
        stage.apply(stage.task.say if at == 0 else stage.say(prose.MORE, edit.path), edit)


def slip_after_reading(stage: Stage) -> None:
    """The region was read and nothing changed since; only the indentation of the old text was off."""
    _all_read(stage)
    edit = stage.now(stage.task.edits[0])
    step = "\t" if "\t" in edit.old else "  "
    slipped = "\n".join(step + line for line in edit.old.split("\n"))
    stage.touched.add(edit.path)
    stage.act(stage.task.say, stage.hands.edit(edit.path, slipped, edit.new))
    stage.apply(
        stage.pick(
            (
                "Indentation slip; same lines with the indentation shown above.",
                "The listing above has them indented differently, copying that.",
            )
        ),
        edit,
        _near("region read after its last change; whitespace slip"),
    )
    stage.finish(stage.task.edits[1:], "")


def refused_edit(stage: Stage) -> None:
    """The person turned the edit down and said what to do instead."""
    _all_read(stage)
    edit = stage.now(stage.task.edits[0])
    wordy = edit.new + "\n"
    before = stage.text(edit.path)
    call = stage.claude.refused(stage.claude.edit(edit.path, edit.old, wordy))
    stage.project.tree.work[edit.path] = before
    stage.claude.know(edit.path)
    stage.touched.add(edit.path)
    stage.act(stage.task.say, call)
    stage.steps.append(Interrupted(during_tool=True))
    stage.user(
        stage.pick(
            (
                "no extra blank line at the end please, otherwise fine",
                "same, but without the trailing empty line",
                "ok but drop that blank line",
            )
        )
    )
    stage.apply(
        stage.pick(("Without the blank line then.", "Same change, tighter.")),
        edit,
        _near("the first edit was refused by the user, not failed"),
    )
    stage.finish(stage.task.edits[1:], "")


def cancelled_edit(stage: Stage) -> None:
    """A parallel command failed and took the edit down with it."""
    _all_read(stage)
    edit = stage.now(stage.task.edits[0])
    arguments = {"replace_all": False, "file_path": stage.claude.at(edit.path), "old_string": edit.old, "new_string": edit.new}
    word = stage.pick(("deprecated", "FIXME", "legacy_"))
    stage.touched.add(edit.path)
    stage.act(
        stage.task.say,
        stage.claude.shell(f'grep -rn "{word}" src internal 2>/dev/null', "Look for leftovers"),
        stage.claude.cancelled("Edit", arguments),
    )
    stage.apply(
        stage.pick(
            ("Nothing found, and the edit was cancelled with it. Applying it now.", "No leftovers. The edit didn't run, so once more.")
        ),
        edit,
        _near("the first edit was cancelled with its sibling"),
    )
    stage.finish(stage.task.edits[1:], "")


def no_change(stage: Stage) -> None:
    """Old and new text were the same by mistake."""
    _all_read(stage)
    edit = stage.now(stage.task.edits[0])
    stage.touched.add(edit.path)
    stage.act(stage.task.say, stage.hands.edit(edit.path, edit.old, edit.old))
    stage.apply(
        stage.pick(("I sent the old text twice. The real change:", "Oops, both sides were the same.")),
        edit,
        _near("old and new were equal; no mismatch"),
    )
    stage.finish(stage.task.edits[1:], "")


def wrong_path(stage: Stage) -> None:
    """The path was wrong, not the text."""
    _all_read(stage)
    edit = stage.now(stage.task.edits[0])
    stage.act(stage.task.say, stage.hands.edit("lib/" + stage.name(edit.path), edit.old, edit.new))
    stage.apply(
        stage.pick(("Wrong folder.", "It lives somewhere else, as seen above.")), edit, _near("the path was wrong; the text had been read")
    )
    stage.finish(stage.task.edits[1:], "")


def pasted_region(stage: Stage) -> None:
    """The person steps in after the failure and pastes the lines."""
    edit = stage.now(stage.task.edits[0])
    stage.look(stage.say(prose.OPEN, edit.path), *dict.fromkeys(one.path for one in stage.task.edits))
    guess = misremembered(stage.text(edit.path), edit.old, stage.rng)[0]
    stage.touched.add(edit.path)
    stage.act(stage.task.say, stage.hands.edit(edit.path, guess, edit.new))
    stage.steps.append(Interrupted(during_tool=False))
    stage.user(stage.pick(("it's literally this:", "wait, the block reads", "here, copy from my editor:")) + f"\n\n```\n{edit.old}\n```")
    stage.apply(stage.pick(("Thanks, using exactly that.", "Got it.")), edit, _near("the user pasted the region in between"))
    stage.finish(stage.task.edits[1:], "")


def parallel_read(stage: Stage) -> None:
    """The failing turn read the file beside the edit, so the next edit knows the text."""
    edit = stage.now(stage.task.edits[0])
    others = [path for path in dict.fromkeys(one.path for one in stage.task.edits) if path != edit.path]
    stage.look(stage.say(prose.OPEN, edit.path), edit.path, *others)
    guess = misremembered(stage.text(edit.path), edit.old, stage.rng)[0]
    calls = [stage.hands.read(edit.path), stage.hands.edit(edit.path, guess, edit.new)]
    stage.touched.add(edit.path)
    stage.act(stage.task.say, *calls, interleaved=stage.is_claude)
    stage.apply(stage.say(prose.FIXED), edit, _near("read in the failing turn"))
    stage.finish(stage.task.edits[1:], "")


def own_file(stage: Stage) -> None:
    """A file that the agent wrote itself this session is written whole after a mismatch."""
    _all_read(stage)
    words = stage.project.words
    path = f"docs/notes-{stage.task.name}.md"
    text = f"# {stage.task.commit}\n\n- affects {words['items']} only\n- {stage.task.done}\n"
    stage.finish(stage.task.edits, stage.task.say)
    stage.act("A short note for the reviewers, as the project keeps one per change.", stage.hands.write(path, text))
    wrong = Edit(path, f"- affects all {words['items']}", f"- affects {words['items']} and their {words['tag']}s")
    stage.act("One detail in there is too narrow.", stage.hands.edit(wrong.path, wrong.old, wrong.new))
    better = text.replace(f"- affects {words['items']} only", wrong.new)
    stage.act(
        "I'll write the note again as a whole.",
        stage.hands.write(path, better),
        plant=_near("the agent wrote the whole file itself this session"),
    )


NEAR = (
    scene("near_miss", not_unique, "vague", only="claude_code"),
    scene("near_miss", slip_after_reading, only="claude_code"),
    scene("near_miss", refused_edit, only="claude_code"),
    scene("near_miss", cancelled_edit, only="claude_code"),
    scene("near_miss", no_change, only="claude_code"),
    scene("near_miss", wrong_path),
    scene("near_miss", pasted_region),
    scene("near_miss", parallel_read),
    scene("near_miss", own_file, only="claude_code"),
)
