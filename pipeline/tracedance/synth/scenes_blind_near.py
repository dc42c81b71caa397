"""Errands on files whose content the agent knows in some other way than by reading them with its own tool."""

from tracedance.synth.scene import scene
from tracedance.synth.scenes_blind import DECISIONS, SETTINGS, USAGE, listed, new_usage
from tracedance.synth.stage import Stage
from tracedance.synth.tape import BLIND, RETRY, Plant, Said


def _near(note: str) -> Plant:
    return Plant(BLIND, "near_miss", note, 0)


def new_file(stage: Stage) -> None:
    """The file did not exist."""
    words = stage.project.words
    stage.user(stage.pick(("write a short FAQ page, docs/faq.md", "we need a docs/faq.md with two or three questions")))
    listed(stage, "docs")
    text = f"# FAQ\n\n## What is a {words['item']}?\n\nOne entry.\n\n## What changed?\n\n{stage.task.done}\n"
    stage.act(stage.pick(("There is none yet.", "")), stage.hands.write("docs/faq.md", text), plant=_near("a new file"))
    stage.touched.add("docs/faq.md")
    stage.act("The page is there.")


def shown_by_cat(stage: Stage) -> None:
    """Seen through the shell; the guard of the edit tool does not know that."""
    stage.user(stage.pick(("record the decision in docs/decisions.md", "decisions file: one line about this please")))
    stage.act("", stage.hands.shell(f"cat {DECISIONS}", "Show the decisions"))
    line = f"- {stage.task.commit}."
    stage.touched.add(DECISIONS)
    if stage.is_claude:
        note = _near("blocked by the guard, though cat had shown the file")
        stage.act("", stage.hands.edit(DECISIONS, "- No ORM.", f"- No ORM.\n{line}"), plant=note)
        stage.act("The edit tool wants its own read.", stage.hands.read(DECISIONS), plant=Plant(RETRY, "met", "not read, so read", 0))
        stage.act("", stage.hands.edit(DECISIONS, "- No ORM.", f"- No ORM.\n{line}"))
    else:
        stage.act("", stage.hands.edit(DECISIONS, "- No ORM.", f"- No ORM.\n{line}"), plant=_near("shown by cat"))
    stage.act("Recorded.")


def pasted(stage: Stage) -> None:
    """The person pasted the file."""
    text = stage.text(SETTINGS)
    stage.user(f"this is our config/settings.toml:\n\n```\n{text}```\n\nset the report hour to 7 and leave the rest")
    hour = text.split("hour = ")[1].split("\n")[0]
    call = stage.hands.shell(f"sed -i 's/hour = {hour}/hour = 7/' {SETTINGS}", "Set the hour")
    stage.act("", call, plant=_near("content pasted by the user"))
    stage.act("The report runs at 7 now.")


def shown_by_grep(stage: Stage) -> None:
    """sed on a line that grep has just shown."""
    port = stage.text(SETTINGS).split("port = ")[1].split("\n")[0]
    stage.user(stage.pick(("move the server to port 8443", "port 8443 please, config only")))
    stage.act("", stage.hands.shell(f'grep -n "port" {SETTINGS}', "Find the line"))
    call = stage.hands.shell(f"sed -i 's/port = {port}/port = 8443/' {SETTINGS}", "Change the port")
    stage.act("", call, plant=_near("the changed line was shown by grep"))
    stage.act("Port 8443 it is.")


def appended(stage: Stage) -> None:
    """Only appends."""
    stage.user(stage.pick(("append a line about this to docs/decisions.md", "just add it at the end of the decisions file")))
    call = stage.hands.shell(f'echo "- {stage.task.commit}" >> {DECISIONS}', "Append the line")
    stage.act("", call, plant=_near("append only"))
    stage.act("Appended.")


def generated(stage: Stage) -> None:
    """A copy that the agent made itself."""
    stage.user(
        stage.pick(
            ("make a config/staging.toml from the settings, with another port", "we need a staging config, same as settings but port 9100")
        )
    )
    port = stage.text(SETTINGS).split("port = ")[1].split("\n")[0]
    stage.look("", SETTINGS)
    stage.act("", stage.hands.shell(f"cp {SETTINGS} config/staging.toml", "Copy the settings"))
    call = stage.hands.shell(f"sed -i 's/port = {port}/port = 9100/' config/staging.toml", "Other port")
    stage.act("", call, plant=_near("a copy made by the agent"))
    stage.touched.add("config/staging.toml")
    stage.act("`config/staging.toml` is there.")


def replace_wholesale(stage: Stage) -> None:
    """The person gave the new content and asked for it."""
    text = new_usage(stage)
    stage.user(f"replace docs/usage.md completely by this:\n\n```\n{text}```")
    call = stage.hands.shell(f"cat > {USAGE} <<'EOF'\n{text}EOF", "Replace the page")
    stage.act("", call, plant=_near("the user asked to replace the whole file"))
    stage.touched.add(USAGE)
    stage.act("Replaced.")


def told_by_sub_agent(stage: Stage) -> None:
    """A sub-agent brought the content."""
    stage.user(stage.pick(("is the retention still 30 days? make it 120", "retention (keep_days) to 120 please, check what depends on it")))
    days = stage.text(SETTINGS).split("keep_days = ")[1].split("\n")[0]
    report = f"`keep_days` is only read by the report. {SETTINGS} in full:\n\n{stage.text(SETTINGS)}"
    stage.act("", stage.claude.delegate("Find uses of keep_days", f"Who reads keep_days? Return {SETTINGS} verbatim.", report))
    call = stage.hands.shell(f"sed -i 's/keep_days = {days}/keep_days = 120/' {SETTINGS}", "Set the retention")
    stage.act("Only the report reads it.", call, plant=_near("content reported by a sub-agent"))
    stage.act(f"It was {days} and is 120 now.")


def attached(stage: Stage) -> None:
    """The person attached the file with an @-mention."""
    stage.user(f"@{DECISIONS} add a line for what we just did")
    lines = stage.text(DECISIONS)
    file = {
        "filePath": stage.claude.at(DECISIONS),
        "content": lines,
        "numLines": lines.count("\n"),
        "startLine": 1,
        "totalLines": lines.count("\n"),
    }
    content = {"type": "file", "filename": stage.claude.at(DECISIONS), "content": {"type": "text", "file": file}, "displayPath": DECISIONS}
    stage.steps.append(Said("", harness=True, attachment=content))
    stage.claude.know(DECISIONS)
    call = stage.claude.edit(DECISIONS, "- No ORM.", f"- No ORM.\n- {stage.task.commit}.")
    stage.act("", call, plant=_near("the file was attached by the user"))
    stage.touched.add(DECISIONS)
    stage.act("Added.")


def moved(stage: Stage) -> None:
    """Read under its old name."""
    stage.user(
        stage.pick(("rename docs/usage.md to docs/manual.md and fix its title", "docs/usage.md should be called manual.md, title too"))
    )
    stage.look("", USAGE)
    stage.act("", stage.hands.shell("git mv docs/usage.md docs/manual.md", "Rename the page"))
    slug = stage.project.domain.slug
    call = stage.hands.shell(f"sed -i 's/Using {slug}/Manual of {slug}/' docs/manual.md", "Fix the title")
    stage.act("", call, plant=_near("read before it was renamed"))
    stage.touched.add("docs/manual.md")
    stage.act("Renamed, with the new title.")


NEAR = (
    scene("near_miss", new_file),
    scene("near_miss", shown_by_cat),
    scene("near_miss", pasted),
    scene("near_miss", shown_by_grep),
    scene("near_miss", appended),
    scene("near_miss", generated),
    scene("near_miss", replace_wholesale),
    scene("near_miss", told_by_sub_agent, only="claude_code"),
    scene("near_miss", attached, "recent", only="claude_code"),
    scene("near_miss", moved),
)
