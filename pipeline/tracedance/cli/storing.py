"""`tracedance store info | verify | stats | show | reserve | forget | redact | compact`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from tracedance.cli.output import AS_JSON, STORE, plain, progress, say, say_json, show, warn

RESERVE = 10_000
"""As `store.reserve.DEFAULT`, which is not imported to say it."""


@click.group("store", context_settings={"help_option_names": ["-h", "--help"]})
def store_command() -> None:
    """What the store holds, whether it is whole, and what must not stay or must not be used.

    Subcommands: info, verify, stats, show SESSION, reserve N, forget SESSION, redact, compact.
    """


@store_command.command("info")
@STORE
@AS_JSON
def info(store_path: str, as_json: bool) -> None:
    """Sessions, shards, bytes, formats, source files, redaction rules and schema of the store."""
    from tracedance.store import overview
    from tracedance.store.store import Store

    found = overview.info(Store.open(Path(store_path)))
    if as_json:
        say_json(found)
        return
    ratio = f", 1/{found['source_bytes'] / found['bytes']:.1f} of the source" if found["bytes"] else ""
    redaction = found["redaction"]
    older = sum(count for digest, count in redaction["stored"].items() if digest != redaction["current"])
    say(f"Store     {plain(found['path'])} ({found['schema']})")
    say(f"Sessions  {found['sessions']}: {listed(found['formats'])}")
    say(f"Shards    {found['shards']}, {found['bytes']:,} bytes{ratio}")
    say(f"Files     {found['source_files']} read, {found['unread_files']} of no known format")
    say(
        f"Redaction rules {redaction['current'][:12]}"
        + (f"; {older} sessions stored under other rules: 'tracedance store redact' brings them up to date" if older else "")
    )
    say(f"Reserved  {listed(found['reserve']['sessions'])}")
    say(f"Else      {found['replaced']} replaced copies, {found['forgotten']} forgotten sessions, {found['benchmarks']} benchmarks")
    if found["left_over_files"]:
        say(f"          {found['left_over_files']} files of an interrupted import; the next import removes them")


@store_command.command("verify")
@STORE
@AS_JSON
def verify(store_path: str, as_json: bool) -> None:
    """Check every digest and checksum of the store, and its benchmarks. Exit code 6 names what is wrong."""
    from tracedance.store.checking import check
    from tracedance.store.store import Store

    with progress() as advance:
        found = check(Store.open(Path(store_path)), advance)
    if as_json:
        figures = {"files": found.files, "bytes": found.bytes, "sessions": found.sessions, "benchmarks": found.benchmarks}
        say_json({"path": store_path, "verified": not found.problems, **figures, "problems": found.problems})
    elif not found.problems:
        say(f"{found.files} files ({found.bytes:,} bytes) with {found.sessions} sessions, and {found.benchmarks} benchmarks: all whole.")
    for problem in found.problems:
        warn(f"Error: {problem}")
    if found.problems:
        raise click.exceptions.Exit(6)


@store_command.command("stats")
@STORE
@AS_JSON
def stats(store_path: str, as_json: bool) -> None:
    """Sessions, turns, tool calls, errors, tokens and who wrote the user's inputs, for each harness and setting."""
    from tracedance.report.text import stats_table
    from tracedance.store import overview
    from tracedance.store.store import Store

    found = overview.stats(Store.open(Path(store_path)))
    if as_json:
        say_json(found)
    else:
        show(stats_table(found))


@store_command.command("show")
@click.argument("session")
@click.option("--turn", type=click.IntRange(0), help="Only this turn and those around it.")
@click.option("--around", type=click.IntRange(0), default=2, show_default=True, help="With --turn: how many turns before and behind it.")
@click.option("--full", is_flag=True, help="Every text whole; otherwise the middle of long ones is left out.")
@STORE
@AS_JSON
def show_session(session: str, turn: int | None, around: int, full: bool, store_path: str, as_json: bool) -> None:
    """Print SESSION as it is stored, or the turns around one place that a scan has named.

    Secrets are shown as their placeholders: nothing else is stored. Reasoning is left out.
    """
    from tracedance.errors import InputError
    from tracedance.report.session_text import session_table, turns_told
    from tracedance.store.store import Store

    stored = Store.open(Path(store_path)).session(session)
    last = len(stored.turns) - 1
    if turn is not None and turn > last:
        raise InputError(f"Session {plain(stored.id)} has turns 0 to {last}; there is no turn {turn}.")
    ends = (0, last) if turn is None else (turn - around, turn + around)
    told = {"session": stored.id, "harness": stored.harness, "replayability": stored.replayability, "turns": last + 1}
    told["shown"] = turns_told(stored, *ends)
    if as_json:
        say_json(told)
    else:
        show(session_table(told, full))


@store_command.command("reserve")
@click.argument("count", metavar="[N]", type=click.IntRange(0), default=RESERVE)
@STORE
@AS_JSON
def reserve(count: int, store_path: str, as_json: bool) -> None:
    """Set N sessions of each setting aside for discovery (default 10,000); no benchmark is cut from them. 0 releases all.

    Drawn by rank of a keyed hash, forks and sub-agents with their session. What is drawn stays drawn; later imports fill what is missing.
    """
    from tracedance.store.reserve import reserve as set_aside

    held = set_aside(Path(store_path), count)
    if as_json:
        say_json({"wanted": count, "reserved": held})
    else:
        say(f"Reserved  {listed(held)} (wanted in each setting: {count:,})")


@store_command.command("forget")
@click.argument("session")
@click.option("--linked", is_flag=True, help="Forget its forks, sub-agents and copies of its history too.")
@STORE
@AS_JSON
def forget(session: str, linked: bool, store_path: str, as_json: bool) -> None:
    """Remove SESSION and all that was kept of it: its shard is written anew without it.

    Later imports leave it out unless asked with 'import --again'. Benchmarks cut from it are named, not touched.
    """
    from tracedance.construct.forgetting import forget as remove

    done = remove(Path(store_path), session, linked)
    made = [{"path": path, "instances": count} for path, count in done.benchmarks]
    if as_json:
        figures = {"forgotten": list(done.sessions), "related": list(done.related), "runs": done.runs, "calls": done.calls}
        say_json({**figures, "benchmarks": made})
        return
    say(f"Forgotten {', '.join(map(plain, done.sessions))}; {done.runs} build runs and {done.calls} model calls cleared of it.")
    if done.related:
        say(f"Still there and related: {', '.join(map(plain, done.related))}. Add --linked to forget such sessions too.")
    for row in made:
        say(f"Published and still there: {row['instances']} instances in {plain(str(row['path']))}. Remove it, or build it again.")
    say("Evaluation runs, reports and copies outside the store are yours to remove.")


@store_command.command("redact")
@click.option("--benchmark", "benchmarks", multiple=True, type=click.Path(), help="A benchmark elsewhere, to be looked at too; repeatable.")
@STORE
@AS_JSON
def redact(benchmarks: tuple[str, ...], store_path: str, as_json: bool) -> None:
    """Bring all sessions under the present redaction rules, and name the benchmarks that hold instances of those that changed.

    Shard by shard: interrupted, the same command goes on. What older rules replaced stays so.
    """
    from tracedance.construct.redacting import redact as anew

    with progress() as advance:
        done = anew(Path(store_path), [Path(path) for path in benchmarks], advance)
    made = [{"path": path, "instances": count} for path, count in done.benchmarks]
    if as_json:
        say_json({"sessions": done.sessions, "changed": done.changed, "runs": done.runs, "calls": done.calls, "benchmarks": made})
        return
    say(f"Redacted  {done.sessions} sessions brought under the present rules; in {done.changed} something more was replaced.")
    if done.runs or done.calls:
        say(f"Cleared   {done.runs} build runs and {done.calls} model calls of what they held of before.")
    for row in made:
        say(f"Affected  {row['instances']} instances in {plain(str(row['path']))}: build it again.")


@store_command.command("compact")
@STORE
@AS_JSON
def compact(store_path: str, as_json: bool) -> None:
    """Write the small shards that many imports left as few full ones."""
    from tracedance.scan.carrying import carry_over
    from tracedance.store.compacting import compact as put_together
    from tracedance.store.store import Store

    before, after = put_together(Path(store_path))
    carry_over(Store.open(Path(store_path)))
    if as_json:
        say_json({"before": before, "after": after})
    else:
        say(f"Shards    {before} before, {after} now")


def listed(counts: Mapping[str, Any]) -> str:
    """Counts by name on one line."""
    return ", ".join(f"{plain(name) or 'unknown'} {count:,}" for name, count in counts.items()) or "none"
