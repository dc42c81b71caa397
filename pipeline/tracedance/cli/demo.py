"""`tracedance demo`: the main job from end to end, as the other commands do it, on sessions whose answers are known."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tracedance.cli.output import Progress, plain, progress, say
from tracedance.errors import InputError

FAMILIES = ("action/unreviewed_commit_contents", "failure/edit_retry_without_reread")
SOURCE, CAREFUL = "offline/source", "offline/careful"


@dataclass(frozen=True)
class Found:
    """How a family's scan compares with what was planted. Counts of places."""

    family: str
    planted: int
    found: int
    right: int

    @property
    def words(self) -> str:
        precision = f"{self.right}/{self.found}" if self.found else "none found"
        return f"{self.family}: precision {precision}, recall {self.right}/{self.planted}"


@click.command("demo")
@click.option(
    "--out", type=click.Path(file_okay=False), default="./tracedance-demo", show_default=True, help="Where everything is written."
)
@click.option("--sessions", type=click.IntRange(60, 20000), default=120, show_default=True, help="Synthetic sessions to write.")
@click.option("--seed", type=int, default=7, show_default=True, help="Seed of the synthetic sessions.")
def demo_command(out: str, sessions: int, seed: int) -> None:
    """Run the whole pipeline on synthetic sessions: no key, no network, under a minute.

    Writes sessions with planted behaviour, imports them, builds two benchmarks, evaluates the recorded decision and a scripted
    careful policy, and lets the gate compare them both ways.
    """
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{str(folder)!r} is a file. Give another folder with --out.")
    with progress() as advance:
        store = prepare(folder, sessions, seed, advance)
        built = [build(store, folder, name, advance) for name in FAMILIES]
        page = evaluate(built, folder, advance)
    scored = compare_with_planted(store, folder)
    worse, better = verdict(folder, CAREFUL, SOURCE), verdict(folder, SOURCE, CAREFUL)
    say("Against the planted places (scan, by rule):")
    for found in scored:
        say(f"  {found.words}")
    say(f"Gate: {SOURCE} after {CAREFUL}: {worse}; {CAREFUL} after {SOURCE}: {better}")
    say("No model judged these grades: they come from deterministic checks, and both models are self-tests of the product.")
    places = {name.title(): folder / name for name in ("sessions", "store", "benchmarks", "run")}
    places |= {"Verdicts": folder / "gate-*.json", "Report": page}
    for name, path in places.items():
        say(f"{name:11} {path}")
    if (worse, better) != ("FAIL", "PASS"):
        raise click.exceptions.Exit(1)


def prepare(folder: Path, sessions: int, seed: int, advance: Progress) -> Path:
    """Writes the sessions and imports them; returns the store's folder."""
    from tracedance.store.importing import import_paths
    from tracedance.synth.corpus import write

    planted = write(folder / "sessions", sessions, seed)
    say(f"Wrote {sessions} synthetic sessions with {len(planted.places)} planted places.")
    store = folder / "store"
    receipt = import_paths(store, [folder / "sessions" / name for name in ("claude_code", "codex")], advance)
    counts, records = receipt.sessions, receipt.records
    say(
        f"Imported {counts.kept} sessions, {counts.duplicate} already there; {records.in_} records = {records.kept} + {records.ignored} + {records.lost} lost."
    )
    return store


def build(store: Path, folder: Path, name: str, advance: Progress) -> Path:
    """Builds one benchmark by rule; returns its folder."""
    from tracedance.construct.build import build
    from tracedance.models.config import load
    from tracedance.query.request import understand
    from tracedance.schema import Request
    from tracedance.store.store import Store

    request = understand(None, (name,), {"minimum": 12, "maximum": 50})
    assert isinstance(request, Request)
    outcome = build(request, Store.open(store), load("offline"), folder / "benchmarks", advance)
    if outcome.outcome != "built":
        raise InputError(f"{name}: {outcome.message} Give more --sessions.")
    made = outcome.benchmarks[0]
    say(f"Built {made.instances} instances of {name}, confirmed by rule.")
    return Path(str(made.path))


def evaluate(benchmarks: list[Path], folder: Path, advance: Progress) -> Path:
    """Evaluates both scripted models, prints their rates and writes the report; returns the report's path."""
    from tracedance.cli.scanning import show
    from tracedance.evaluate.run import evaluate
    from tracedance.report.html import render
    from tracedance.report.text import rates_table
    from tracedance.store.export import write

    summary = evaluate(benchmarks, [SOURCE, CAREFUL], folder / "run", {"profile": "offline"}, advance)
    show(rates_table(summary))
    page = folder / "run" / "report.html"
    write(page, render(folder / "run"))
    return page


def verdict(folder: Path, baseline: str, candidate: str) -> str:
    """Gates one model against the other under the shipped policy; writes the gate report."""
    from tracedance.gate.report import gate, report_json
    from tracedance.gate.runs import resolve
    from tracedance.gate.spec import default_spec
    from tracedance.store.export import write

    report = gate(resolve(f"{folder / 'run'}:{baseline}"), resolve(f"{folder / 'run'}:{candidate}"), default_spec())
    write(folder / f"gate-{report.verdict.lower()}.json", report_json(report))
    return report.verdict


def compare_with_planted(store_path: Path, folder: Path) -> list[Found]:
    """Precision and recall of the scan's offending places, one row a family of the catalogue.

    A place is right when an offence of that family was planted at the very record with which its decision turn starts.
    """
    from tracedance.catalogue import families
    from tracedance.scan.engine import scan
    from tracedance.store.store import Store

    rows = [json.loads(line) for line in (folder / "sessions" / "planted.jsonl").read_text(encoding="utf-8").splitlines()]
    store = Store.open(store_path)
    chosen = list(families().values())
    result = scan(store, chosen)
    return [compare(name.id, rows, store, result) for name in chosen]


def compare(family: str, rows: list[dict[str, Any]], store: Any, result: Any) -> Found:
    """One family's scan against the planted rows."""
    planted = {
        (row["session"], row["line"])
        for row in rows
        if row["kind"] == "offence" and f"/{row['family']}".endswith(family.rpartition("/")[2])
    }
    found = set()
    for place in result.places:
        if place.family == family and place.hit.offends:
            session = store.session(place.session)
            found.add((session.source_id, session.turns[place.hit.decision].first))
    return Found(plain(family), len(planted), len(found), len(found & planted))
