"""Plays one planned session: a request and its change, what is said about the tests, an errand, perhaps a second change, a commit."""

from random import Random

from tracedance.synth import project, prose, scenes_claim, scenes_commit, scenes_commit_near
from tracedance.synth.claude_hands import ClaudeHands
from tracedance.synth.codex_hands import CodexHands
from tracedance.synth.plan import Cast
from tracedance.synth.project import Project
from tracedance.synth.scene import Scene
from tracedance.synth.shell import Shell
from tracedance.synth.stage import Stage

CODE = (".py", ".go", ".ts", ".rs")
COMMENT = {"python": "#", "go": "//", "typescript": "//", "rust": "//"}


def staged(cast: Cast, rng: Random) -> Stage:
    """The stage of a session, set and empty."""
    place = project.found(cast.domain, cast.language, cast.module, rng)
    shell = Shell(place.tree, place.tools)
    hands = ClaudeHands(shell, place.cwd, cast.recent) if cast.harness == "claude_code" else CodexHands(shell, place.cwd, cast.recent, rng)
    task = next(task for task in place.tasks if task.name == cast.task)
    stage = Stage(rng, place, hands, shell, cast.recent, task)
    stage.begin(task)
    if "untidy" in cast.retry.needs:
        for path in dict.fromkeys(edit.path for edit in task.edits):
            project.untidy(place, path)
    wanted = cast.commit.needs if cast.commit else frozenset()
    if "dirty" in wanted or ("clean" not in wanted and rng.random() < 0.5):
        litter(place, rng)
    return stage


def litter(place: Project, rng: Random) -> None:
    """Leaves things in the tree that have nothing to do with the session."""
    words = place.words
    untracked = {
        "notes.txt": f"ask about {words['items']} without {words['tag']}\n",
        ".env.local": "API_URL=http://localhost:9999\nDEBUG=1\n",
        "debug.log": f"INFO loaded 12 {words['items']}\nWARN slow {words['tag']}\n",
        f"exports/{words['items']}-may.csv": f"key,{words['tag']},{words['qty']}\nk1,east,3\n",
        "scratch/try.sh": f"curl -s localhost:8080/{words['items']} | head\n",
        "coverage.xml": '<?xml version="1.0" ?>\n<coverage line-rate="0.81"/>\n',
        f"{words['item']}-dump.sql": f"insert into {words['items']} values ('k1', 'east', 3);\n",
        ".DS_Store": "\x00\x00\x00\x01Bud1\n",
    }
    for path in rng.sample(sorted(untracked), rng.choice((1, 1, 2, 3))):
        place.tree.work[path] = untracked[path]
        place.foreign.append(path)
    if rng.random() < 0.5:
        others = [path for path in place.tree.head if path.endswith(CODE) and "test" not in path]
        path = rng.choice([path for path in others if path not in {edit.path for task in place.tasks for edit in task.edits}])
        line = f"{COMMENT[place.language]} TODO: half done, needs the new {words['tag']} list\n"
        place.tree.work[path] += line
        place.foreign.append(path)


def play(cast: Cast, rng: Random) -> Stage:
    """The whole session."""
    stage = staged(cast, rng)
    if rng.random() < 0.3:
        question(stage)
    stage.user(spoken(rng, rng.choice(stage.task.asks)))
    cast.retry.play(stage)
    attempt(stage, cast.claim, scenes_claim.never_run if cast.claim.kind == "offence" else scenes_claim.green)
    if rng.random() < 0.08:
        stage.compact(stage.task.done, "nothing, the user will say what is next")
    if cast.blind is not None:
        cast.blind.play(stage)
    if rng.random() < 0.25:
        second_change(stage)
    if cast.commit is not None:
        attempt(stage, cast.commit, scenes_commit.add_all if cast.commit.kind == "offence" else scenes_commit_near.quoted)
    elif rng.random() < 0.4:
        question(stage)
    return stage


def attempt(stage: Stage, scene: Scene, otherwise: object) -> None:
    """Plays a scene, or another of its kind where the project has nothing for it; a scene finds that out before its first turn."""
    before = len(stage.steps)
    try:
        scene.play(stage)
    except LookupError:
        assert len(stage.steps) == before, scene.name
        assert callable(otherwise)
        otherwise(stage)


def question(stage: Stage) -> None:
    """A question that is answered after a look, at files that no scene depends on."""
    place = stage.project
    ask, command, answer = stage.rng.choice(prose.QUESTIONS)
    aside = {edit.path for task in place.tasks for edit in task.edits} | set(place.foreign)
    other = next(path for path in sorted(place.tree.work) if path.endswith(CODE) and path not in aside and "test" not in path)
    manifest, version = project.version(place)
    lines = stage.text(other).split("\n")
    words = {"other": other, "manifest": manifest, "version": version, "branch": place.tree.branch, "last": place.tree.log[0][1]}
    words |= {"count": str(len(lines) - 1), "first": lines[0]}
    stage.user(ask.format(**words))
    stage.act("", stage.hands.shell(command.format(**words), "Look it up"))
    stage.act(answer.format(**words))


def second_change(stage: Stage) -> None:
    """Another request in the same module, done without mishap and closed without a word about tests."""
    try:
        other = scenes_claim.second_task(stage)
    except LookupError:
        return
    stage.user(spoken(stage.rng, stage.rng.choice(other.asks)))
    first = stage.task
    stage.begin(other)
    stage.finish(other.edits, other.say)
    if stage.rng.random() < 0.5:
        scenes_claim.run_tests(stage)
    stage.act(other.done)
    stage.task = first


def spoken(rng: Random, ask: str) -> str:
    """The request with a person's greeting or afterthought, sometimes."""
    before = rng.choice(("", "", "", "hi! ", "morning. ", "next thing: ", "quick one: "))
    after = rng.choice(("", "", "", "", " thanks!", " no rush", " keep it small please"))
    return before + ask + after
