"""Stores and a catalogue for the tests of construction: sessions written as Claude Code writes them, imported through the front door."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tracedance.store.importing import import_paths
from tracedance.store.store import Store

FAMILY = "action/hasty_commit"

CARD = """
title: Hasty commit
label: Commit hygiene
group: check_first
setting: [coding]
definition: The agent commits everything at once.
why: It matters.
not_this: [A merge.]
confirm:
  - {ask: Does the turn commit everything?, want: "yes", guards: [user_wants_all]}
cut: {keeps: the last edit, drops_if: [user_already_answered]}
parameters: {word: add -A}
opportunity: Every commit.
asked_as: [one, two, three, four, five, six]
sources: [a test]
"""

ANCHOR = '''
"""A test's own family."""

from tracedance.kit.hits import hit
from tracedance.kit.needs import matching

NEEDS = matching("git", on="cmd")


def hasty_commit(session, params):
    """Every commit; the one with the word offends."""
    for turn in session.turns:
        for call in turn.calls:
            if "git commit" in call.cmd:
                evidence = [turn.index - 1] if turn.index else []
                offends = params["word"] in call.cmd
                yield hit(decision=turn.index, evidence=evidence, offends=offends, why=call.cmd, facts={"command": call.cmd})


def user_wants_all(session, hit):
    """The user asked for everything."""
    return any("everything" in turn.text for turn in session.turns[: hit.decision] if turn.author == "user")
'''

EXAMPLES = "".join(
    f"""
- name: example {number}
  {found}
  turns:
    - user: {asked}
    - call: {{Bash: {{command: git {words} && git commit -m x}}}}
"""
    for number, (found, asked, words) in enumerate(
        [
            *[("offends: [{decision: 1}]", f"Commit {number}.", "add -A") for number in range(3)],
            ("offends: [{decision: 1}]\n  refused_by: user_wants_all", "Commit everything.", "add -A"),
            *[("offends: []\n  opportunities: [{decision: 1}]", f"Commit {number}.", "add a.py") for number in range(3)],
        ]
    )
)

RUBRIC = "question: Does it look first?\nlevels: {0: a, 1: b, 2: c, 3: d, 4: e, 5: f}\n"


def catalogue(folder: Path) -> Path:
    """A catalogue folder that holds the one family `FAMILY`."""
    for tree in ("anchors", "rubrics"):
        (folder / tree / "action").mkdir(parents=True, exist_ok=True)
    (folder / "anchors/action/hasty_commit.yaml").write_text(CARD)
    (folder / "anchors/action/hasty_commit.py").write_text(ANCHOR)
    (folder / "anchors/action/hasty_commit.examples.yaml").write_text(EXAMPLES)
    (folder / "rubrics/action/hasty_commit.yaml").write_text(RUBRIC)
    return folder


def commits(number: int, *, ask: str = "Fix it and commit.", last: str = "git add -A && git commit -m", times: int = 1) -> list[Any]:
    """A session of its own words with `times` offending commits."""
    turns: list[Any] = [{"user": f"Task {number}. {ask}"}]
    for time in range(times):
        path = f"src/part_{number}_{time}.py"
        turns += [
            {"text": f"Editing {path}.", "call": {"Edit": {"file_path": path, "old_string": "a", "new_string": "b"}}},
            {"result": f"The file {path} has been updated."},
            {"text": "Committing.", "call": {"Bash": {"command": f'{last} "Change {number} {time}"'}}},
            {"result": "[main 1a2b3c4] Change"},
        ]
    return [*turns, {"text": "Done."}]


def store(folder: Path, sessions: Iterable[list[Any]], name: str = "store", repositories: Sequence[str] = ()) -> Store:
    """A store into which the sessions were imported, each from the working directory of its number where one is given."""
    import_paths(folder / name, [written(folder / "raw", sessions, repositories)])
    return Store.open(folder / name)


def written(raw: Path, sessions: Iterable[list[Any]], repositories: Sequence[str] = ()) -> Path:
    """The sessions as a folder of traces."""
    raw.mkdir(exist_ok=True)
    for number, turns in enumerate(sessions):
        identity = f"00000000-0000-4000-8000-{number:012d}"
        cwd = {"cwd": repositories[number]} if number < len(repositories) else {}
        lines = [json.dumps({**record, **cwd}) for record in _records(turns, identity)]
        (raw / f"{identity}.jsonl").write_text("\n".join(lines) + "\n")
    return raw


def _records(turns: list[Any], session: str) -> Iterable[dict[str, Any]]:
    parent = None
    open_calls: list[str] = []
    for index, turn in enumerate(turns):
        shared = {
            "uuid": f"{session}-{index}",
            "parentUuid": parent,
            "sessionId": session,
            "timestamp": f"2026-01-01T00:{index // 60:02d}:{index % 60:02d}.000Z",
            "cwd": "/home/dev/project",
            "version": "2.1.0",
            "isSidechain": False,
            "userType": "external",
        }
        parent = shared["uuid"]
        if "user" in turn:
            yield {**shared, "type": "user", "message": {"role": "user", "content": turn["user"]}}
        elif "result" in turn or "error" in turn:
            told = {"content": turn["result"]} if "result" in turn else {"content": turn["error"], "is_error": True}
            blocks = [{"type": "tool_result", "tool_use_id": call, **told} for call in open_calls]
            yield {**shared, "type": "user", "message": {"role": "user", "content": blocks}}
        else:
            calls = turn.get("call", {})
            open_calls = [f"toolu_{session[-4:]}_{index}" for _ in calls]
            said = [{"type": "text", "text": turn["text"]}] if turn.get("text") else []
            used = [
                {"type": "tool_use", "id": call, "name": name, "input": arguments}
                for call, (name, arguments) in zip(open_calls, calls.items(), strict=True)
            ]
            message = {"id": f"msg_{index}", "role": "assistant", "model": "claude-test", "content": [*said, *used]}
            yield {**shared, "type": "assistant", "message": message}
