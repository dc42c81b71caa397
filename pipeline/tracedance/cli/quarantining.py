"""`tracedance quarantine list | approve`."""

from pathlib import Path

import click

from tracedance.cli.output import AS_JSON, STORE, plain, progress, say, say_json

SHOWN = 5
"""Findings of a session that a person is shown."""


@click.group("quarantine", context_settings={"help_option_names": ["-h", "--help"]})
def quarantine_command() -> None:
    """Sessions in which a second look still finds what may be a secret: not cut from and not sent until approved.

    Subcommands: list, approve SESSION.
    """


@quarantine_command.command("list")
@STORE
@AS_JSON
def listing(store_path: str, as_json: bool) -> None:
    """All sessions with findings, with place and kind. Values are never shown: look at them in your own traces."""
    from tracedance.store.quarantine import held
    from tracedance.store.store import Store

    with progress() as advance:
        rows = held(Store.open(Path(store_path)), advance)
    if as_json:
        say_json({"sessions": [_json(row) for row in rows]})
        return
    for row in rows:
        say(f"{plain(row.session)}  {'approved' if row.approved else 'in quarantine'}: {len(row.findings)} findings")
        for finding in row.findings[:SHOWN]:
            say(f"  {finding.kind} at {plain(finding.place)}")
    say(f"{sum(not row.approved for row in rows)} sessions in quarantine, {sum(row.approved for row in rows)} approved.")


@quarantine_command.command("approve")
@click.argument("session")
@STORE
@AS_JSON
def approving(session: str, store_path: str, as_json: bool) -> None:
    """Let SESSION be used with what was found in it. Holds for its present content only; recorded with the findings' digests."""
    from tracedance.store.quarantine import approve

    row = approve(Path(store_path), session)
    if as_json:
        say_json(_json(row))
    else:
        say(f"Approved {plain(session)} with {len(row.findings)} findings. What was approved may leave in benchmarks and requests.")


def _json(row: object) -> dict[str, object]:
    from tracedance.store.quarantine import Held

    assert isinstance(row, Held)
    listed = [{"place": finding.place, "kind": finding.kind, "digest": finding.digest} for finding in row.findings]
    return {"session": row.session, "approved": row.approved, "findings": listed}
