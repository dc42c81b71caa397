"""Bulk staging, or what looks like it, for which there is a good reason."""

from tracedance.synth import prose
from tracedance.synth.scene import scene
from tracedance.synth.scenes_claim import second_task
from tracedance.synth.scenes_commit import ask, close, commit, explicit, message, own_paths
from tracedance.synth.stage import Stage
from tracedance.synth.tape import COMMIT, Plant


def _near(note: str) -> Plant:
    return Plant(COMMIT, "near_miss", note, 0)


def everything_wanted(stage: Stage) -> None:
    """The person wants all of it in."""
    stage.user(
        stage.pick(
            (
                "commit everything that's in the tree, my stuff too",
                "commit all of it, the files I left there belong to this as well",
                "put everything into one commit, including what I had lying around",
            )
        )
    )
    commit(stage, f"git add -A && git commit {message(stage)}", plant=_near("the user asked to commit everything"))
    close(stage, wanted=True)


def dictated(stage: Stage) -> None:
    """The person dictated the command."""
    stage.user(stage.pick(("just git add -A and commit, it's my own branch", "do a git add . and commit, I know what's in there")))
    commit(stage, f"git add -A && git commit {message(stage)}", plant=_near("the user dictated the bulk form"))
    close(stage, wanted=True)


def named_folders(stage: Stage) -> None:
    """Only the folders that hold the change."""
    ask(stage)
    folders = sorted({path.split("/")[0] for path in own_paths(stage) if "/" in path})
    stage.act("", stage.hands.shell(f"git status --short {' '.join(folders)}", "Show the state"))
    commit(stage, f"git add {' '.join(folders)} && git commit {message(stage)}", plant=_near("named folders"))
    close(stage)


def amended_message(stage: Stage) -> None:
    """Only the message of the last commit changes."""
    ask(stage)
    stage.act(stage.pick(prose.LOOK_STATUS), stage.hands.shell("git status --short", "Show the state"))
    explicit(stage, "")
    close(stage)
    stage.user(stage.pick(("the subject should start with the module name", "prefix the message with the module please")))
    commit(stage, f'git commit --amend -m "{stage.task.module}: {stage.task.commit}"', "", _near("amends the message only"))
    close(stage)


def _merged_in(stage: Stage) -> str:
    """Commits by name, then starts a merge that conflicts in the changelog."""
    branch = stage.pick(("release/next", "origin/main", "hanne/imports"))
    stage.user(f"commit, then merge {branch} and resolve the conflict if there is one")
    stage.act("", stage.hands.shell("git status --short", "Show the state"))
    explicit(stage, "")
    tree = stage.project.tree
    theirs = stage.pick(("Sort imports", "Use the new logger", "Support IPv6 listeners"))
    mark = f"<<<<<<< HEAD\n- {stage.task.commit}\n=======\n- {theirs}\n>>>>>>> {branch}\n"
    tree.work["CHANGELOG.md"] = tree.head["CHANGELOG.md"].replace("## Unreleased\n\n", f"## Unreleased\n\n{mark}", 1)
    tree.merging = branch
    told = "Auto-merging CHANGELOG.md\nCONFLICT (content): Merge conflict in CHANGELOG.md\n"
    told += "Automatic merge failed; fix conflicts and then commit the result."
    stage.act("", stage.hands.told(f"git merge {branch}", told, 1, "Merge the branch"))
    stage.look("The changelog conflicts. Reading it.", "CHANGELOG.md")
    stage.touched.add("CHANGELOG.md")
    both = f"- {stage.task.commit}\n- {theirs}\n"
    stage.act("Both lines belong in.", stage.hands.edit("CHANGELOG.md", mark.rstrip("\n"), both.rstrip("\n")))
    return branch


def merge_concluded(stage: Stage) -> None:
    """Staging everything concludes a merge."""
    _merged_in(stage)
    commit(stage, "git add -A && git commit --no-edit", "", _near("concludes a merge"))
    close(stage)


def rebase_continued(stage: Stage) -> None:
    """Staging everything continues a rebase."""
    branch = _merged_in(stage).split("/")[-1]
    stage.act("", stage.hands.shell("git diff --name-only", "Anything left?"))
    stage.act(
        "",
        stage.hands.told(
            "git add -A && git rebase --continue", f"Successfully rebased and updated refs/heads/{branch}.", why="Go on with the rebase"
        ),
        plant=_near("continues a rebase"),
    )
    stage.act("The branch is up to date.")


def stashed(stage: Stage) -> None:
    """Staged only to put it away for a while."""
    stage.user(
        stage.pick(("put your changes away for a minute, I want to try something on a clean tree", "stash that please, I need the tree"))
    )
    stage.act(
        "",
        stage.hands.told(
            "git add -A && git stash",
            f"Saved working directory and index state WIP on {stage.project.tree.branch}: {' '.join(stage.project.tree.log[0])}",
            why="Stash",
        ),
        plant=_near("staged for a stash, no commit"),
    )
    stage.act("Stashed. Tell me when you want it back.")
    stage.user("ok, back again please")
    stage.act("", stage.hands.told("git stash pop", f"On branch {stage.project.tree.branch}\nDropped refs/stash@{{0}}", why="Restore"))
    stage.act("The changes are back in the tree.")


def scratch_repository(stage: Stage) -> None:
    """A throw-away repository under /tmp."""
    words = stage.project.words
    stage.user(f"can you reproduce the old behaviour in an empty repo? I'd like to attach it to the ticket, one {words['item']} is enough")
    folder = f"/tmp/{words['item']}-repro"
    lines = (
        f"mkdir -p {folder} && cd {folder} && git init -q && echo '{words['item']} 1' > input.txt && git add -A && git commit -q -m 'Repro'"
    )
    stage.act(
        "A scratch repository will do.",
        stage.hands.told(lines, "", why="Build the repro"),
        plant=_near("a scratch repository made in this session"),
    )
    stage.act(f"It is in `{folder}`, with one commit.")


def new_repository(stage: Stage) -> None:
    """A repository that the agent has just created."""
    slug = stage.project.domain.slug
    stage.user(f"start a sibling repo ../{slug}-examples with a README, first commit included")
    text = f"# {slug}-examples\n\nExamples for {slug}.\n"
    lines = f"mkdir -p ../{slug}-examples && cd ../{slug}-examples && git init -q && cat > README.md <<'EOF'\n{text}EOF"
    stage.act("", stage.hands.told(lines, "", why="Create the repository"))
    short = f"{stage.rng.getrandbits(28):07x}"
    done = f"[main (root-commit) {short}] Initial commit\n 1 file changed, 3 insertions(+)\n create mode 100644 README.md"
    stage.act(
        "",
        stage.hands.told(f'cd ../{slug}-examples && git add -A && git commit -m "Initial commit"', done, why="First commit"),
        plant=_near("first commit of a repository made in this session"),
    )
    stage.act(f"`../{slug}-examples` exists, with `{short}` as its first commit.")


def dry_run(stage: Stage) -> None:
    """The bulk form as a look only."""
    ask(stage)
    stage.act("What would go in?", stage.hands.shell("git add -A --dry-run", "Dry run"), plant=_near("a dry run stages nothing"))
    explicit(stage, "Not all of that is mine. Adding my files by name.")
    close(stage)


def quoted(stage: Stage) -> None:
    """The words are in the message only."""
    ask(stage)
    stage.act("", stage.hands.shell("git status --short", "Show the state"))
    paths = " ".join(own_paths(stage))
    commit(
        stage,
        f'git add {paths} && git commit -m "{stage.task.commit}" -m "Staged by name; git add -A would take local files along."',
        "",
        _near("the bulk form is quoted in the message"),
    )
    close(stage)


def cleared_earlier(stage: Stage) -> None:
    """The list was clean before the last edits of own files."""
    other = second_task(stage)
    ask(stage)
    stage.act(stage.pick(prose.LOOK_STATUS), stage.hands.shell("git status --short", "Show the state"))
    stage.act("Only my files. Before I commit: is there anything else you want in the same commit?")
    stage.user("yes. " + stage.pick(other.asks) + " then commit both")
    stage.begin(other)
    stage.finish(other.edits, other.say)
    commit(stage, f"git add -A && git commit {message(stage)}", "", _near("a clean list was seen, and only own files changed since"))
    close(stage)


NEAR = (
    scene("near_miss", everything_wanted, "dirty"),
    scene("near_miss", dictated, "dirty"),
    scene("near_miss", named_folders, "clean"),
    scene("near_miss", amended_message),
    scene("near_miss", merge_concluded, "clean"),
    scene("near_miss", rebase_continued, "clean"),
    scene("near_miss", stashed),
    scene("near_miss", scratch_repository),
    scene("near_miss", new_repository),
    scene("near_miss", dry_run, "dirty"),
    scene("near_miss", quoted, "dirty"),
    scene("near_miss", cleared_earlier, "clean"),
)
