"""`tracedance queries`: query sets, put to a build, and drafted."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from tracedance.cli.output import AS_JSON, LOCAL_ONLY, PROFILE, STORE, plain, progress, say, say_json
from tracedance.cli.spending import Dollars
from tracedance.errors import InputError
from tracedance.schema import Outcome


@click.group("queries")
def queries_command() -> None:
    """Sentences with what must come of each: run them, or have what they do not cover drafted."""


@queries_command.command("run")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@STORE
@click.option("--out", type=click.Path(file_okay=False), help="Where benchmarks are published.  [default: STORE/benchmarks]")
@click.option("--dry-run", is_flag=True, help="Read and match only; nothing is scanned or built.")
@click.option("--min", "minimum", type=int, help="Fewest instances, where a sentence does not say.")
@click.option("--max-cost", type=Dollars(), help="Dollars that each sentence's build may cost.")
@click.option("--drafts", is_flag=True, help="Take unreviewed drafts, too.")
@LOCAL_ONLY
@PROFILE
@AS_JSON
def run_command(file: str, store_path: str, drafts: bool, as_json: bool, **options: Any) -> None:
    """Put every sentence of FILE to a build: builds fulfilled, rejections right, sentences read as meant."""
    from tracedance.models.meter import line
    from tracedance.queries.files import read
    from tracedance.queries.running import run

    listed = read(Path(file))
    queries = [query for query in listed if drafts or query.reviewed]
    if not queries:
        raise InputError(f"{file!r} holds no reviewed query. Read the drafts and say 'reviewed: true', or give --drafts.")
    with progress(spent=line) as advance:
        given = {**options, "advance": lambda done, total, what: advance(done, total, "the sentence at hand")}
        found = run(queries, lambda text: _outcome(text, store_path, given), advance)
    result = {"file": file, "unreviewed": len(listed) - len(queries), **found}
    if as_json:
        say_json(result)
    else:
        _say(result)


@queries_command.command("draft")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--out", required=True, type=click.Path(dir_okay=False), help="A new file for the drafts.")
@STORE
@LOCAL_ONLY
@PROFILE
@AS_JSON
def draft_command(file: str, out: str, store_path: str, as_json: bool, **options: Any) -> None:
    """Have the model that plays `strong` write sentences for what FILE does not cover. They are marked as unreviewed."""
    from tracedance.catalogue import families
    from tracedance.models.config import load
    from tracedance.models.reach import only_local
    from tracedance.queries import drafting
    from tracedance.queries.files import read
    from tracedance.query.strong import reading

    listed, known = read(Path(file)), list(families().values())
    models = only_local(load(options["profile"]), bool(options["local_only"]), ("strong",))
    with reading(models, Path(store_path), file) as strong:
        if strong is None:
            raise InputError("No model plays the role strong, which writes drafts. 'tracedance doctor' names the key that it lacks.")
        made, left = drafting.drafts(listed, known, strong)
    try:
        with Path(out).open("x", encoding="utf-8") as file_:
            file_.write(drafting.written(made))
    except OSError as error:
        raise InputError(f"{out!r} cannot be written anew ({error.strerror}). Give --out a file that is not there yet.") from error
    result = {"path": out, "drafts": len(made), "left": left}
    if as_json:
        say_json(result)
    else:
        say(f"{len(made)} drafts in {plain(out)}, none of them reviewed; {len(left)} gaps are left.")


def _outcome(text: str, store_path: str, options: Mapping[str, Any]) -> Outcome:
    """The outcome of one sentence. What stops one build stops no other, unless it would stop them all."""
    from tracedance.cli.building import run

    given = {**options, "estimate": False, "on_unknown": "retry", "record": None, "probe": 0}
    try:
        outcome, _ = run(text, (), store_path, given)
    except InputError as error:
        if error.code not in (2, 4):  # a budget is each sentence's own
            raise
        return Outcome(outcome="rejected", message=str(error))
    assert outcome is not None  # there is one wherever no estimate is asked for
    return outcome


def _say(result: Mapping[str, Any]) -> None:
    for row in result["queries"]:
        mark = "right" if row["right"] else "short" if row["short"] else "WRONG"
        wanted = row["expected_code"] or row["expected"]
        said = f"{mark}  {plain(row['id']):<8} {plain(row['kind']):<22} wanted {wanted}, got {row['code'] or row['outcome']}"
        say(said + (f" ({_counted(row)})" if row["short"] else f" ({', '.join(row['misread'])} misread)" if row["misread"] else ""))
    for name, said in (("all", result), *((one["kind"], one) for one in result["by_kind"])):
        shares = ", ".join(f"{label} {said[key]['right']}/{said[key]['of']}" for key, label in LABELS.items() if said[key]["of"])
        short = f", {said['short']} short of sessions" if said["short"] else ""
        say(f"{plain(name) or '(no kind)'}: {shares}{short}")
    if result["unreviewed"]:
        say(f"{result['unreviewed']} unreviewed drafts were left out.")


def _counted(row: Mapping[str, Any]) -> str:
    """How much there was of what a store holds too little of."""
    if row["instances"]:
        made = ", ".join(str(count or 0) for count in row["instances"])
        return f"read as meant; {made} of {row['wanted']} instances: " + ", ".join(f"{row['counts'].get(n, 0)} {n}" for n in FUNNEL)
    return f"read as meant; no family could be proved: {row['counts'].get('candidates', 0)} candidates, none confirmed"


FUNNEL = ("places", "candidates", "confirmed")
LABELS = {"build_targets": "builds", "interpretation": "read as meant", "rejections": "rejections"}
