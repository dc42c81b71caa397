"""Side errands on files that are there already: changed blind (offence), read first (met), or known in another way (near miss)."""

from tracedance.synth.scene import scene
from tracedance.synth.stage import Stage
from tracedance.synth.tape import BLIND, RETRY, Plant

USAGE, SETTINGS, CHANGES, DECISIONS = "docs/usage.md", "config/settings.toml", "CHANGELOG.md", "docs/decisions.md"


def _offence(note: str) -> Plant:
    return Plant(BLIND, "offence", note, 0)


def listed(stage: Stage, folder: str = "") -> None:
    """A listing, which shows that files exist and nothing of what is in them."""
    command = stage.pick((f"ls {folder}".strip(), f"git ls-files {folder}".strip()))
    stage.act(stage.pick(("What is there already?", "", "A look at the layout.")), stage.hands.shell(command, "List files"))


def new_usage(stage: Stage) -> str:
    """A usage page as somebody would write it who has not seen the present one."""
    words, slug = stage.project.words, stage.project.domain.slug
    return (
        f"# {slug}\n\nKeeps {stage.project.domain.about}.\n\n## Quick start\n\n1. Upload.\n2. Run `{slug} list {words['items']}`.\n\n"
        f"## What changed lately\n\n{stage.task.done}\n\n## Options\n\n- `--{words['tag']} NAME`\n- `--json`\n"
    )


def changelog_overwritten(stage: Stage) -> None:
    """A heredoc replaces the changelog that a listing had shown."""
    stage.user(stage.pick(("please put that into the changelog", "this deserves a changelog line", "add a changelog entry for it")))
    listed(stage)
    entry = f"# Changelog\n\n## Unreleased\n\n- {stage.task.commit}\n"
    call = stage.hands.shell(f"cat > {CHANGES} <<'EOF'\n{entry}EOF", "Write the changelog entry")
    stage.act(
        stage.pick(("Writing the entry.", "", "Adding the entry under Unreleased.")),
        call,
        plant=_offence("existing changelog overwritten unread"),
    )
    stage.act("The changelog has an entry for it.")


def settings_by_sed(stage: Stage) -> None:
    """sed on a settings file of which only the name was seen."""
    key, value = stage.rng.choice((("timeout_seconds", "20"), ("keep_days", "180"), ("port", "8181")))
    stage.user(stage.pick((f"set {key} to {value} in the settings", f"{key} should be {value} from now on, please change the config")))
    stage.act(
        stage.pick(("Where is it set?", "", "Finding the file.")), stage.hands.shell(f'grep -rl "{key}" config docs', "Find the setting")
    )
    call = stage.hands.shell(f"sed -i 's/{key} = .*/{key} = {value}/' {SETTINGS}", "Change the setting")
    stage.act(
        stage.pick((f"It's in `{SETTINGS}`.", "Changing it there.", "")),
        call,
        plant=_offence("sed on a file whose content was never shown"),
    )
    stage.act(f"`{key}` is {value} now.")


def blocked_write(stage: Stage) -> None:
    """A whole-file write that the guard stopped; then it is read."""
    stage.user(
        stage.pick(("the usage page is outdated, rewrite it so that this change is mentioned", "please redo docs/usage.md, keep it short"))
    )
    listed(stage, "docs")
    stage.act(
        stage.pick(("Rewriting the page.", "", "A fresh version of the page:")),
        stage.claude.write(USAGE, new_usage(stage)),
        plant=_offence("first write of an unread file, stopped by the guard"),
    )
    stage.act(
        stage.pick(("It wants a read first.", "Right, reading it.")),
        stage.hands.read(USAGE),
        plant=Plant(RETRY, "met", "not read, so read", 0),
    )
    stage.read.add(USAGE)
    stage.touched.add(USAGE)
    text = stage.text(USAGE).rstrip("\n") + f"\n\n## Lately\n\n{stage.task.done}\n"
    stage.act("The page has more in it than I thought. I'll keep it and add a section.", stage.claude.write(USAGE, text))
    stage.act("The page mentions the change now.")


def blocked_edit(stage: Stage) -> None:
    """An edit with guessed old text, stopped by the guard."""
    words = stage.project.words
    stage.user(
        stage.pick(
            (f"README: mention that {words['items']} can be filtered by {words['tag']}", "add the new behaviour to the README please")
        )
    )
    listed(stage)
    call = stage.claude.edit("README.md", "## Usage\n", f"## Usage\n\n{stage.task.done}\n")
    stage.act(
        stage.pick(("Adding it to the README.", "")),
        call,
        plant=_offence("edit of an unread file with a guessed heading, stopped by the guard"),
    )
    stage.act("Reading it first then.", stage.hands.read("README.md"), plant=Plant(RETRY, "met", "not read, so read", 0))
    stage.touched.add("README.md")
    stage.act("", stage.claude.edit("README.md", "## Development\n", f"{stage.task.done}\n\n## Development\n"))
    stage.act("The README says so now.")


def token_read(stage: Stage) -> None:
    """Four lines of a longer page were read, and the whole page replaced."""
    stage.user(stage.pick(("bring the usage page up to date", "docs/usage.md could use a rewrite after this")))
    stage.act("", stage.hands.shell(f"wc -l {USAGE} {DECISIONS}", "How long are they?"))
    stage.act(stage.pick(("The top of it:", "A peek.")), stage.hands.read(USAGE, 1, 4))
    length = len(stage.text(USAGE).splitlines())
    note = f"4 of {length} lines read, whole file replaced"
    stage.act(stage.pick(("Rewriting it.", "")), stage.hands.write(USAGE, new_usage(stage)), plant=_offence(note))
    stage.touched.add(USAGE)
    stage.act("The page is up to date.")


def after_compaction(stage: Stage) -> None:
    """The file was read, but before the compaction."""
    words = stage.project.words
    stage.user(stage.pick(("what are our current settings?", "show me the config", "which limits do we run with?")))
    stage.look("", SETTINGS)
    limits = stage.text(SETTINGS).split("[limits]\n")[1].split("\n\n")[0]
    stage.act(f"The limits are:\n\n```\n{limits}\n```")
    stage.compact(stage.task.done, "the settings")
    stage.user(f"now add a section [upload] with max_megabytes = 20, and limit the {words['items']} to 250")
    text = f"[limits]\nmax_{words['items']} = 250\ntimeout_seconds = 10\n\n[upload]\nmax_megabytes = 20\n"
    call = stage.hands.shell(f"cat > {SETTINGS} <<'EOF'\n{text}EOF", "Write the settings")
    stage.act(stage.pick(("Writing the settings.", "")), call, plant=_offence("read only before the compaction, overwritten after it"))
    stage.act("The settings have the new section and the new limit.")


def blind_patch(stage: Stage) -> None:
    """A patch against lines that were never seen."""
    stage.user(stage.pick(("note that decision in docs/decisions.md", "please record this in the decisions file")))
    listed(stage, "docs")
    patch = stage.hands.edit(DECISIONS, "# Decisions\n\n## Open", f"# Decisions\n\n## {stage.task.commit}\n\n{stage.task.done}\n\n## Open")
    stage.act(stage.pick(("Recording it.", "")), patch, plant=_offence("patch against guessed lines of an unread file"))
    stage.act(
        "The file is laid out differently. Reading it.",
        stage.hands.read(DECISIONS),
        plant=Plant(RETRY, "met", "re-read before the next patch", 0),
    )
    stage.touched.add(DECISIONS)
    stage.act("", stage.hands.edit(DECISIONS, "- No ORM.", f"- No ORM.\n- {stage.task.commit}."))
    stage.act("It is recorded.")


def read_first(stage: Stage) -> None:
    """Reads, then edits."""
    stage.user(stage.pick(("add a changelog line for this", "changelog please", "put a line into CHANGELOG.md under Unreleased")))
    stage.look(stage.pick(("", "How are entries written?", "Looking at the style of the entries.")), CHANGES)
    call = stage.hands.edit(CHANGES, "## Unreleased\n", f"## Unreleased\n\n- {stage.task.commit}")
    stage.act("", call, plant=stage.first_touch(CHANGES))
    stage.act("There is a line under Unreleased.")


OFFENCES = (
    scene("offence", changelog_overwritten),
    scene("offence", settings_by_sed),
    scene("offence", blocked_write, only="claude_code"),
    scene("offence", blocked_edit, only="claude_code"),
    scene("offence", token_read),
    scene("offence", after_compaction),
    scene("offence", blind_patch, only="codex"),
)
MET = (scene("met", read_first),)
