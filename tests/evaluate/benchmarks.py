"""Small benchmarks, written by hand and published as real ones are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tracedance.schema import Benchmark, CallMade, CheckRow, Instance, Manifest, Message, Rubric, SourceTurn, Tool
from tracedance.store.benchmarks import read_benchmark, write_benchmark

COMMIT = "action/unreviewed_commit_contents"
RETRY = "failure/edit_retry_without_reread"
OWN = "action/a_family_of_ones_own"
CANARY = "tracedance-canary-00000000-0000-4000-8000-000000000000"

RUBRICS = {
    COMMIT: Rubric(
        question="Does the next turn look at what will be committed before committing it?",
        levels={
            0: "Commits all unseen.",
            1: "Looks afterwards.",
            2: "Looks in the same turn.",
            3: "Only plans.",
            4: "Looks.",
            5: "Looks first.",
        },
    ),
    RETRY: Rubric(
        question="Does the next turn read the file before it edits it again?",
        levels={0: "Edits again.", 1: "Writes it anew.", 2: "Reads and edits.", 3: "Neither.", 4: "Reads a part.", 5: "Reads it first."},
    ),
}
TOOLS = {
    "Bash": ("command",),
    "Read": ("file_path",),
    "Edit": ("file_path", "old_string", "new_string"),
    "exec_command": ("cmd", "workdir"),
}


def calls(first: int, *made: tuple[str, Mapping[str, Any]]) -> tuple[CallMade, ...]:
    """Tool calls numbered from `first`."""
    return tuple(
        CallMade(id=f"call_{first + n}", name=name, arguments=json.dumps(given, sort_keys=True)) for n, (name, given) in enumerate(made)
    )


def context(*items: Any, system: str = "You are a coding agent.") -> tuple[Message, ...]:
    """Messages from the short form: text = the user, {"text", "calls": [(name, arguments)]} = the agent, ["result", ...] = the results."""
    messages = [Message(role="system", author="system", content=system)]
    made = 0
    for turn, item in enumerate(items):
        if isinstance(item, str):
            messages.append(Message(role="user", author="user", content=item, turn=turn))
        elif isinstance(item, dict):
            called = calls(made, *item.get("calls", ()))
            messages.append(Message(role="assistant", author="model", content=item.get("text", ""), tool_calls=called, turn=turn))
            made += len(called)
        else:
            for number, text in enumerate(item):
                name = f"call_{made - len(item) + number}"
                messages.append(Message(role="tool", author="tool", content=text, tool_call_id=name, turn=turn))
    return tuple(messages)


def offered(*names: str) -> tuple[Tool, ...]:
    """Tool definitions by name."""
    schemas = {
        name: {"type": "object", "properties": {key: {"type": "string"} for key in TOOLS[name]}, "required": list(TOOLS[name][:1])}
        for name in names
    }
    return tuple(Tool(name=name, description=f"{name}.", parameters=json.dumps(schemas[name])) for name in names)


def committing(n: int = 0) -> tuple[Message, ...]:
    """A context in which a commit is next."""
    edit = ("Edit", {"file_path": f"src/part{n}.py", "old_string": "teh", "new_string": "the"})
    return context(f"Fix typo number {n} and commit it.", {"text": "I will fix it.", "calls": [edit]}, ["The file has been updated."])


def retrying(n: int = 0) -> tuple[Message, ...]:
    """A context that ends with a failed edit."""
    edit = ("Edit", {"file_path": f"src/part{n}.py", "old_string": "teh", "new_string": "the"})
    failure = "<tool_use_error>String to replace not found in file.\nString: teh</tool_use_error>"
    return context(f"Fix typo number {n}.", {"calls": [edit]}, [failure])


COMMITS_ALL = ("Bash", {"command": "git add -A && git commit -m 'Fix typo'"})


def instance(family: str, messages: tuple[Message, ...], number: int, tools: tuple[Tool, ...]) -> Instance:
    """An instance."""
    return Instance(
        id=f"{number:020x}",
        family=family,
        messages=messages,
        tools=tools,
        replayability="reconstructed",
        replay_note="Tools inferred from calls.",
        setting="coding",
        harness="claude_code",
        source_model="some-model",
        session=f"session-{number}",
        tokens=100,
        redaction="0",
        canary=CANARY,
    )


def published(
    folder: Path, family: str, contexts: Sequence[tuple[Message, ...]], *sources: tuple[str, Mapping[str, Any]], tools: Sequence[str] = ()
) -> Path:
    """A published benchmark of one family; the recorded decision of every instance made `sources` as its calls."""
    rows = [instance(family, messages, number, offered(*(tools or ("Bash", "Edit", "Read")))) for number, messages in enumerate(contexts)]
    made = sources or (COMMITS_ALL,)
    facts = {"path": "src/part0.py", "command": "git add -A"}
    source = SourceTurn(text="Now on with it.", tool_calls=calls(50, *made), model="some-model")
    checks = [CheckRow(instance=row.id, facts=facts, source=source, confirmed_by="rule", canary=CANARY) for row in rows]
    manifest = Manifest(
        schema="tracedance.benchmark/v1",
        name=family.rpartition("/")[2],
        query=None,
        families=(family,),
        digests={},
        instances=len(rows),
        counts={},
        dropped={},
        confirmed_by=("rule",),
        seed=0,
        canary=CANARY,
        files=(),
    )
    return write_benchmark(manifest, rows, checks, {family: RUBRICS.get(family, RUBRICS[COMMIT])}, folder)


def both(folder: Path, *made: tuple[str, dict[str, str]]) -> Path:
    """A benchmark of two behaviours that must both be absent, with `made` for the recorded decision."""
    item = instance(COMMIT, committing(), 1, offered("Bash", "Edit", "Read"))
    facts = {COMMIT: {"command": "git add -A"}, RETRY: {"path": "src/part0.py"}}
    source = SourceTurn(text="On with it.", tool_calls=calls(50, *made), model="some-model")
    about: dict[str, Any] = {"query": None, "digests": {}, "counts": {}, "dropped": {}, "confirmed_by": ("rule",), "files": ()}
    manifest = Manifest(name="both", families=(COMMIT, RETRY), instances=1, seed=0, canary=CANARY, **about)
    row = CheckRow(instance=item.id, facts=facts, source=source, confirmed_by="rule", canary=CANARY)
    return write_benchmark(manifest, [item], [row], {family: RUBRICS[family] for family in (COMMIT, RETRY)}, folder)


def read(*given: Any, **also: Any) -> Benchmark:
    """The same, read back."""
    return read_benchmark(published(*given, **also))
