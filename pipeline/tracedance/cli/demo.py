"""`tracedance demo`: the main job from end to end, as the other commands do it, on sessions whose answers are known."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tracedance.cli.output import AS_JSON, Progress, progress, say, say_json, show
from tracedance.errors import InputError

if TYPE_CHECKING:
    from tracedance.catalogue import Family
    from tracedance.schema import Place
    from tracedance.store.store import Store

FAMILIES = ("action/unreviewed_commit_contents", "failure/edit_retry_without_reread")
SOURCE, CAREFUL = "offline/source", "offline/careful"


@dataclass(frozen=True)
class Found:
    """How what was found of a family compares with what was planted. Counts of places."""

    family: str
    planted: int
    scanned: int
    right: int
    confirmed: int
    right_confirmed: int

    @property
    def words(self) -> str:
        scanned = f"precision {self.right}/{self.scanned}, recall {self.right}/{self.planted}"
        return (
            f"{self.family}: {scanned}; confirmed by rule: {self.right_confirmed}/{self.confirmed}, {self.right_confirmed}/{self.planted}"
        )


@click.command("demo")
@click.option("--out", type=click.Path(), default="./tracedance-demo", show_default=True, help="Folder in which everything is written.")
@click.option("--sessions", type=click.IntRange(60, 20000), default=96, show_default=True, help="Synthetic sessions to write.")
@click.option("--seed", type=click.IntRange(0), default=7, show_default=True, help="Seed of the synthetic sessions.")
@AS_JSON
def demo_command(out: str, sessions: int, seed: int, as_json: bool) -> None:
    """Run the whole pipeline on synthetic sessions: no key, no network, under a minute.

    Writes sessions with planted behaviour, imports them, builds two benchmarks, evaluates the recorded decision and a scripted
    careful policy, and lets the gate compare them both ways.
    """
    from tracedance.store.durable import locked

    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{str(folder)!r} is a file. Give another folder with --out.")
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder, ".lock", f"Another demo is at work in {str(folder)!r}."):
        claim(folder, {"sessions": sessions, "seed": seed})
        run(folder, (sessions, seed), as_json)


def run(folder: Path, corpus: tuple[int, int], as_json: bool) -> None:
    """The demo in a folder that is held for it; Exit 1 when the verdicts are not those that the planted behaviour asks for."""
    tell: Callable[[object], None] = (lambda said: None) if as_json else show
    with progress() as advance:
        prepare(folder, corpus, advance, tell)
        built = [build(folder, name, advance, tell) for name in FAMILIES]
        summary = evaluate(built, folder, advance, tell)
    found = compare_with_planted(folder)
    verdicts = {"source_after_careful": verdict(folder, CAREFUL, SOURCE), "careful_after_source": verdict(folder, SOURCE, CAREFUL)}
    places = {name: str(folder / name) for name in ("sessions", "store", "benchmarks", "run")}
    places |= {"verdicts": str(folder / "gate-*.json"), "report": str(folder / "run" / "report.html")}
    if as_json:
        say_json({"verdicts": verdicts, "results": summary["results"], "found": [asdict(one) for one in found], "paths": places})
    else:
        say_end(found, verdicts, places)
    if verdicts != {"source_after_careful": "FAIL", "careful_after_source": "PASS"}:
        raise click.exceptions.Exit(1)


def claim(folder: Path, options: dict[str, int]) -> None:
    """Marks the folder as that of a demo with these options; one of other options is not mixed with it."""
    from tracedance.store.export import write

    mark = folder / "demo.json"
    if mark.is_file() and json.loads(mark.read_text("utf-8")) != options:
        raise InputError(f"{str(folder)!r} holds a demo of other options. Give another folder with --out, or remove that one.")
    write(mark, json.dumps(options) + "\n")


def say_end(found: list[Found], verdicts: dict[str, str], places: dict[str, str]) -> None:
    """How it came out, for a person."""
    say("Offences found, against those planted:")
    for one in found:
        say(f"  {one.words}")
    say(f"Gate: {SOURCE} after {CAREFUL}: {verdicts['source_after_careful']}; {CAREFUL} after {SOURCE}: {verdicts['careful_after_source']}")
    say("No model judged these grades: they come from deterministic checks, and both models are self-tests of the product.")
    for name, path in places.items():
        say(f"{name.capitalize():11} {path}")


def prepare(folder: Path, corpus: tuple[int, int], advance: Progress, tell: Callable[[object], None]) -> None:
    """Writes the sessions (number, seed) and imports them."""
    from tracedance.store.importing import import_paths
    from tracedance.synth.corpus import write

    planted = write(folder / "sessions", *corpus)
    tell(f"Wrote {corpus[0]} synthetic sessions with {len(planted.places)} planted places.")
    receipt = import_paths(folder / "store", [folder / "sessions" / name for name in ("claude_code", "codex")], advance)
    counts = receipt.sessions
    lost = f"{receipt.records.lost} of {receipt.records.in_} records lost"
    tell(f"Imported {counts.kept} sessions, {counts.replaced} replaced, {counts.duplicate} already there; {lost}.")


def build(folder: Path, name: str, advance: Progress, tell: Callable[[object], None]) -> Path:
    """Builds one benchmark by rule; returns its folder."""
    from tracedance.construct.build import build
    from tracedance.models.config import load
    from tracedance.query.request import understand
    from tracedance.schema import Request
    from tracedance.store.store import Store

    request = understand(None, (name,), {"minimum": 12, "maximum": 50})
    assert isinstance(request, Request)
    outcome = build(request, Store.open(folder / "store"), load("offline"), folder / "benchmarks", advance)
    if outcome.outcome != "built":
        raise InputError(f"{name}: {outcome.message} Give more --sessions.")
    made = outcome.benchmarks[0]
    tell(f"Built {made.instances} instances of {name}, confirmed by rule.")
    return Path(str(made.path))


def evaluate(benchmarks: list[Path], folder: Path, advance: Progress, tell: Callable[[object], None]) -> dict[str, Any]:
    """Evaluates both scripted models, tells their rates and writes the report; returns the summary."""
    from tracedance.evaluate.run import evaluate
    from tracedance.report.html import render
    from tracedance.report.text import rates_table
    from tracedance.store.beside import seal_outputs
    from tracedance.store.export import write

    summary = evaluate(benchmarks, [SOURCE, CAREFUL], folder / "run", {"profile": "offline"}, advance)
    tell(rates_table(summary))
    write(folder / "run" / "report.html", render(folder / "run"))
    seal_outputs([folder / "run" / "report.html"])
    return summary


def verdict(folder: Path, baseline: str, candidate: str) -> str:
    """Gates one model against the other under the shipped policy; writes the gate report."""
    from tracedance.gate.report import gate, report_json
    from tracedance.gate.runs import resolve
    from tracedance.gate.spec import default_spec
    from tracedance.store.export import write

    report = gate(resolve(f"{folder / 'run'}:{baseline}"), resolve(f"{folder / 'run'}:{candidate}"), default_spec())
    write(folder / f"gate-{report.verdict.lower()}.json", report_json(report))
    return report.verdict


def compare_with_planted(folder: Path) -> list[Found]:
    """Precision and recall of the scan's offending places, one row for each family that these sessions were written for.

    A place is right when an offence of its family was planted at a record of its decision turn.
    """
    from tracedance.catalogue import families
    from tracedance.scan.engine import scan
    from tracedance.store.store import Store

    rows = [json.loads(line) for line in (folder / "sessions" / "planted.jsonl").read_text("utf-8").splitlines()]
    store = Store.open(folder / "store")
    written_for = {row["family"] for row in rows if row["kind"] == "offence"}
    chosen = [family for family in families().values() if family.id in written_for]
    offending = [place for place in scan(store, chosen).places if place.hit.offends]
    return [compare(family, rows, store, [place for place in offending if place.family == family.id]) for family in chosen]


def compare(family: "Family", rows: list[dict[str, Any]], store: "Store", places: list["Place"]) -> Found:
    """One family's places, before and after its guards, against the planted rows."""
    from tracedance.construct.confirm import confirm_by_rule

    planted = {(row["session"], row["line"]) for row in rows if row["kind"] == "offence" and row["family"] == family.id}
    right: set[tuple[str, int]] = set()
    right_confirmed: set[tuple[str, int]] = set()
    confirmed = 0
    for place in places:
        session = store.session(place.session)
        turn = session.turns[place.hit.decision]
        meant = {(source, line) for source, line in planted if source == session.source_id and turn.first <= line <= turn.last}
        right |= meant
        if confirm_by_rule(place, session, family).status == "confirmed":
            confirmed += 1
            right_confirmed |= meant
    return Found(family.id, len(planted), len(places), len(right), confirmed, len(right_confirmed))
