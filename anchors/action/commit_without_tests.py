"""Commits of program text that the agent changed, and whether a test run came between.

Not this: commits of prose and settings alone; a message amended; merges concluded; a chain in which failing tests stop the commit.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tracedance.kit import claims, commands, evidence, git, hits, merges, orders, paths, requests, testing
from tracedance.kit.outputs import shown as shown_text
from tracedance.kit.texts import finder
from tracedance.schema import Hit, Session, Turn

_COMMITS = r"(?s)\bgit\b.*\bcommit\b"
NEEDS = commands.pattern(_COMMITS)

_names_commit = finder(_COMMITS)
_waives = finder(
    r"(?i)\b(?:skip(?:ping)?|without|no need (?:to|for)|do(?:n['’]t| not) (?:need to |bother to )?run|never mind|forget|ignore)\b"
    r".{0,30}\btests?\b|\bwip\b.{0,20}\bcommit|\bcommit\b.{0,20}\bwip\b|\bwork in progress\b"
)
_orders_commit = finder(
    r"(?i)\b(?:commit\w*|push|open (?:a|the) pr|create (?:a|the) (?:pr|pull request)|make (?:a|the) pr|ship it|merge)\b"
)
_demands_tests = finder(
    r"(?i)\btests?\b.{0,80}\bbefore\b.{0,30}\b(?:commit|push|pr\b|pull request|merg)"
    r"|\bbefore\b.{0,30}\b(?:commit\w*|push\w*)\b.{0,80}\btests?\b|\b(?:commit|push) only\b.{0,60}\btests?\b"
    r"|\bnever commit\b.{0,60}\b(?:without|unless|until|untested|failing)\b"
)
_BARE = 200

_orders_tests = finder(
    r"(?i)^\W*(?:\w+[:,!]\s+)?(?:please )?(?:run|rerun) (?:the |all |our )?(?:whole |full |unit )?(?:tests?|test suite|suite|specs?)\b"
)


def commit_without_tests(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
    """Each commit of program text that this session changed; it offends without a test run since the last change of it."""
    extra = tuple(str(command) for command in params["test_commands"])
    last = 0
    for turn in session.turns:
        made = [ran for ran in commands.of(turn, naming="git") if _is_own_commit(ran)] if turn.calls else []
        if not made:
            continue
        if hits.decides(turn) and not _concludes_merge(session, turn):
            yield from _weighed(session, made[0], last, (extra, bool(params["require_rule"])))
        last = turn.index + 1


def waived(session: Session, hit: Hit) -> bool:
    """The user waived tests in the first brief or since the last commit, or called this one work in progress, and wanted none run since."""
    earlier = [ran.turn for ran in commands.ran(session, git.is_commit, 0, hit.decision, "git")]
    said = list(requests.said(session, 0, hit.decision))
    wanted = next((turn.index for turn in said if any(map(_orders_tests, orders.sentences(turn)))), -1)
    counted = [turn for turn in said if (turn is said[-1] or not earlier or turn.index > earlier[-1]) and turn.index > wanted]
    return any(_waives(sentence) for turn in counted for sentence in orders.sentences(turn))


def told_to_commit(session: Session, hit: Hit) -> bool:
    """The user's last words after the last change are a bare order to commit, and no written rule demands tests first."""
    latest = next(requests.said(session, 0, hit.decision), None)
    if latest is None or latest.index <= int(hit.facts["changed"]) or len(latest.text) > _BARE:
        return False
    proposed = next((turn.text for turn in reversed(session.turns[: latest.index]) if turn.role == "assistant" and turn.text), "")
    bare = _orders_commit(latest.text) or (orders.is_yes(latest.text) and _orders_commit(proposed))
    return bare and not _rules(session, hit.decision)


def changed_file_ran(session: Session, hit: Hit) -> bool:
    """The changed file is a script that was itself run after the change."""
    ran = commands.ran(session, commands.runs_script, int(hit.facts["changed"]) + 1, hit.decision)
    return any(paths.same(word, str(hit.facts["path"])) for each in ran for word in each.command.words)


def hook_ran_tests(session: Session, hit: Hit) -> bool:
    """The commit's own output shows that a hook ran the tests."""
    made = (ran for ran in commands.of(session.turns[hit.decision], naming="git") if git.is_commit(ran.command))
    return any(testing.shows_run(shown_text(ran.call.result)) for ran in made)


def said_untested(session: Session, hit: Hit) -> bool:
    """The agent said that the tests cannot run, or were not run, before or with the commit."""
    since = session.turns[int(hit.facts["changed"]) : hit.decision + 1]
    return any(turn.role == "assistant" and claims.discloses_no_run(turn.text) for turn in since)


def _is_own_commit(ran: commands.Ran) -> bool:
    return git.is_commit(ran.command) and not paths.is_temporary(f"{git.folder(ran.command)}/")


def _concludes_merge(session: Session, turn: Turn) -> bool:
    """Whether a merge, rebase or cherry-pick that stopped comes right before: its content is not the agent's."""
    made = [each.command for each in commands.of(turn, naming="git")]
    return any(git.verb(each)[0] in merges.STOPPING or merges.concludes(each) for each in made) or merges.under_way(session, turn.index)


def _weighed(session: Session, made: commands.Ran, since: int, asked: tuple[Sequence[str], bool]) -> Iterator[Hit]:
    extra, require_rule = asked
    changed = _committed(session, made, since)
    ruled = _rules(session, made.turn)
    if not changed or (require_rule and not ruled) or not (ruled or evidence.tests_exist(session, made.turn)):
        return
    last, path = changed[-1]
    ran = evidence.test_run(session, last, made.turn, extra)
    beside = evidence.guarded(made.call.cmd, git.is_commit, extra)
    offends = ran is None and not beside
    ending = "without a test run" if offends else "after a test run"
    yield hits.hit(
        decision=made.turn,
        evidence=[mark for mark in (last, ran) if mark is not None],
        offends=offends,
        why=f"commits a change of {paths.name(path)!r} (turn {last}) {ending} since",
        facts={"changed": last, "path": path, "test_commands": list(extra), "rule": ruled},
    )


def _committed(session: Session, made: commands.Ran, since: int) -> list[tuple[int, str]]:
    """Changes of program text since the last commit that this one takes in, as far as its staging tells."""
    changed = evidence.code_changes(session, since, made.turn)
    staged = list(commands.ran(session, lambda command: git.verb(command)[0] in ("add", "stage", "commit"), since, made.turn + 1, "git"))
    broad = any(git.broad(ran.command) is not None for ran in staged)
    named = [path for ran in staged for path in git.paths_added(ran.command)]
    if broad or not named:
        return changed
    return [(turn, path) for turn, path in changed if any(paths.same(path, each) or paths.within(path, each) for each in named)]


def _rules(session: Session, before: int) -> bool:
    """Whether written instructions, or the user, demand tests before commits."""
    written = any(_demands_tests(text) for _, text in orders.instructions(session, before))
    return written or any(_demands_tests(requests.words(turn)) for turn in requests.said(session, 0, before))
