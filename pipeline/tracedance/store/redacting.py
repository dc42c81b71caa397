"""Redaction anew: when the rules have changed, stored sessions are brought under the new ones, a shard at a time.

Each shard is committed whole, so that whatever ends this, every session is under the old rules or under the new, and the next run goes on
with the shards that are left. What was replaced stays replaced: only reading the source again could bring it back.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import msgspec
import polars as pl
from msgspec import structs

from tracedance.ingest.renaming import rename
from tracedance.kit.chain import args_hash, canonical, with_chain
from tracedance.privacy.presidio import NAMED
from tracedance.privacy.redactor import Redactor
from tracedance.privacy.rules import RULES_DIGEST
from tracedance.schema import Session, ToolCall, ToolDefinition, ToolResult, Turn
from tracedance.store import sessions, views
from tracedance.store.manifest import Part, PartFile, write_manifest
from tracedance.store.parquet import FILES, PartWriter, columns_of
from tracedance.store.shards import ShardWriter
from tracedance.store.store import Store

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Redacted:
    """What a redaction anew did."""

    sessions: tuple[str, ...]
    """All that were brought under the present rules."""
    changed: tuple[str, ...]
    """Those of them in which something more was replaced."""


def stale(store: Store) -> list[str]:
    """Live sessions that are stored under other rules than the present ones, by id."""
    table = store.live(("id", "redaction_digest"))
    return sorted(table.filter(pl.col("redaction_digest").str.strip_suffix(NAMED) != RULES_DIGEST)["id"].to_list())


def redact(store: Store, progress: Progress | None = None) -> Redacted:
    """Bring every shard under the present rules and commit each. To be called under the store's lock; `sweep` removes what was replaced."""
    waiting = set(stale(store))
    if not waiting:
        return Redacted((), ())
    redactor = store.redactor()
    table = store.live(("id", "shard"))
    parts = [part for part in store.manifest.parts if waiting & set(table.filter(pl.col("shard") == part.events.digest)["id"].to_list())]
    manifest = replace(store.manifest, files=_files(store, redactor))
    changed: list[str] = []
    for number, part in enumerate(parts, 1):
        fresh, touched = _rewritten(store, part, redactor)
        changed += touched
        listed = tuple(fresh if one is part else one for one in manifest.parts if one is not part or fresh is not None)
        dead = tuple(pair for pair in manifest.dead if pair[0] != part.events.digest)
        manifest = replace(manifest, parts=tuple(one for one in listed if one is not None), dead=dead)
        write_manifest(store.path, manifest)
        if progress is not None:
            progress(number, len(parts), "redact anew")
    return Redacted(tuple(sorted(waiting)), tuple(sorted(changed)))


def _rewritten(store: Store, part: Part, redactor: Redactor) -> tuple[Part | None, list[str]]:
    """The live sessions of a part under the present rules, as a new part, and which of them changed."""
    shard = next(shard for shard in store.shards() if shard.digest == part.events.digest)
    rows = {row["id"]: row for row in store.table(part.sessions, sessions.COLUMNS).to_dicts() if row["id"] not in shard.dead}
    if not rows:
        return None, []
    writer = ShardWriter(store.path / "shards")
    touched: list[str] = []
    try:
        for group in sorted({row["group"] for row in rows.values()}):
            ids = [name for name, row in rows.items() if row["group"] == group]
            frame = store.read(shard, views.NEEDED, groups=[group])
            made = []
            for session in store.views(frame, ids, shard):
                clean = redacted(session, redactor)
                row = sessions.row(clean, rows[session.id]["given_id"], RULES_DIGEST)
                made.append((clean, row))
                if row["content_digest"] != rows[session.id]["content_digest"]:
                    touched.append(session.id)
            writer.add_group(made)
        return writer.finish(), touched
    except BaseException:
        writer.discard()
        raise


def redacted(session: Session, whole: Redactor) -> Session:
    """A stored session under the present rules; its receipt adds what is replaced now to what was before."""
    redactor = whole.session()
    redactor.found = Counter()
    clean = redactor.text
    turns = [_turn(turn, redactor) for turn in session.turns]
    answers = {result.call_id: result for turn in turns for result in turn.results}
    for turn in turns:
        for call in turn.calls:
            call.result = answers.get(call.id)
    texts: dict[str, Any] = {name: clean(getattr(session, name)) for name in ("source_id", "harness", "version", "cwd", "parent", "path")}
    system = None if session.system is None else clean(session.system)
    tools = None if session.tools is None else [_tool(tool, redactor) for tool in session.tools]
    shapes = {clean(name): shape for name, shape in session.shapes.items()}
    labels: Mapping[str, Any] = redactor.value(dict(session.labels))
    name = clean(session.id)
    identity = session.id if name == session.id else sha256(name.encode()).hexdigest()[:32]
    if redactor.names:
        rename(turns, redactor.named)
    with_chain(turns)
    receipt = dict(sorted((Counter(session.replaced) + redactor.found).items()))
    about: dict[str, Any] = {
        "id": identity,
        "turns": turns,
        "system": system,
        "tools": tools,
        "shapes": shapes,
        "labels": labels,
        "replaced": receipt,
    }
    return replace(session, **about, **texts)


def _turn(turn: Turn, redactor: Redactor) -> Turn:
    clean = redactor.text
    fresh = structs.replace(turn, text=clean(turn.text), model=clean(turn.model), raw_reasoning=clean(turn.reasoning))
    fresh.calls = [_call(call, redactor) for call in turn.calls]
    fresh.results = [_result(result, redactor) for result in turn.results]
    return fresh


def _call(call: ToolCall, redactor: Redactor) -> ToolCall:
    plain = dict(call.arguments)
    clean = redactor.value(plain)
    arguments = call.arguments_json if clean == plain else canonical(clean)
    made = ToolCall(redactor.text(call.id), redactor.text(call.name), arguments, call.tool_class, redactor.text(call.cmd))
    made.args_hash, made.ordinal, made.turn = args_hash(arguments), call.ordinal, call.turn
    return made


def _result(result: ToolResult, redactor: Redactor) -> ToolResult:
    return structs.replace(
        result, call_id=redactor.text(result.call_id), raw=redactor.text(result.text), error_text=redactor.text(result.error_text)
    )


def _tool(tool: ToolDefinition, redactor: Redactor) -> ToolDefinition:
    return replace(
        tool, name=redactor.text(tool.name), description=redactor.text(tool.description), parameters=redactor.value(dict(tool.parameters))
    )


def _files(store: Store, redactor: Redactor) -> tuple[PartFile, ...]:
    """The table of source files, whose paths and accounts are texts too, as one part under the present rules."""
    rows = store.source_files().to_dicts()
    if not rows:
        return ()
    for row in rows:
        row["path"] = redactor.text(row["path"])
        row["account"] = _account(row["account"], redactor)
    writer = PartWriter(store.path / "shards", ".files.parquet", FILES)
    writer.add(columns_of(rows, FILES.names))
    return (writer.finish(),)


def _account(text: str | None, redactor: Redactor) -> str | None:
    if not text:
        return text
    try:
        cleaned = redactor.value(msgspec.json.decode(text))
    except msgspec.DecodeError:
        return redactor.text(text)
    return msgspec.json.encode(cleaned).decode()
