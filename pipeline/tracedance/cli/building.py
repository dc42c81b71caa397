"""`tracedance build`."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from tracedance.cli.output import AS_JSON, CATALOGUE, LOCAL_ONLY, PROFILE, STORE, plain, progress, say, say_json, warn
from tracedance.cli.spending import say_estimate, say_keys, say_left_out, say_spend, spending_options
from tracedance.schema import Outcome


def share(value: float | None) -> float | None:
    """The same; NaN passes every comparison of a range and is no share."""
    if value is not None and math.isnan(value):
        raise click.BadParameter("it is no number.")
    return value


@click.command("build")
@click.argument("query", required=False)
@click.option("--family", "names", multiple=True, help="Build from this family instead of a sentence; repeatable, one benchmark each.")
@STORE
@click.option("--out", type=click.Path(file_okay=False), help="Where benchmarks are published.  [default: STORE/benchmarks]")
@click.option("--min", "minimum", type=int, help="Fewest instances worth a benchmark.  [default: 5, configs/build.yaml]")
@click.option("--max", "maximum", type=int, help="Most instances to take.  [default: 50, configs/build.yaml]")
@click.option("--replayable", is_flag=True, help="Only sessions whose system prompt and tools were recorded.")
@click.option("--seed", type=int, default=0, show_default=True, help="Order in which candidates are taken.")
@click.option("--domain", help="Only sessions about this field, in your words; a model reads a summary of each.")
@click.option(
    "--probe", type=int, help="Places of each of two kinds that go to the model to bound recall.  [default: 20, configs/build.yaml]"
)
@click.option(
    "--private-share",
    type=click.FloatRange(0, 0.9),
    callback=lambda _context, _option, value: share(value),
    help="Part of the instances to hold back, drawn by id under the store's key, as a benchmark of their own: NAME.private.",
)
@click.option("--dry-run", is_flag=True, help="Interpret and match only; nothing is scanned.")
@LOCAL_ONLY
@spending_options
@PROFILE
@CATALOGUE
@AS_JSON
def build_command(query: str | None, names: tuple[str, ...], store_path: str, as_json: bool, **options: object) -> None:
    """Build a benchmark for the behaviour that QUERY describes, from the store's sessions.

    Ends with a benchmark, a question back, or a rejection with its reason and the next command.
    """
    outcome, money = run(query, names, store_path, options)
    if as_json:
        say_json({**outcome_json(outcome), **money} if isinstance(outcome, Outcome) else money)
    elif isinstance(outcome, Outcome):
        say_outcome(outcome)
        say_left_out(money.get("parameters", {}))
        if outcome.counts:
            say_keys(options.get("profile"), "fast", "Confirmed by rule")
        say_written(money.get("synthesis", ()))
        say_spend(money.get("spend"))
    else:
        say_estimate(money["estimate"])
    if outcome is None:
        return
    if outcome.outcome in ("rejected", "clarify"):
        raise click.exceptions.Exit(3)


def run(query: str | None, names: tuple[str, ...], store_path: str, options: dict[str, object]) -> tuple[Outcome | None, dict[str, Any]]:
    """Understands the request and builds it: the outcome, `spend` and `parameters`. No outcome where only the `estimate` is wanted."""
    from tracedance.construct.build import build, estimate, parameters, recorded, spend_of
    from tracedance.models.budget import Terms
    from tracedance.models.config import load
    from tracedance.models.meter import line
    from tracedance.models.reach import only_local
    from tracedance.models.stopping import draining
    from tracedance.query.request import understand
    from tracedance.query.strong import reading
    from tracedance.schema import Request
    from tracedance.store.replaced import pointers
    from tracedance.store.store import Store
    from tracedance.synthesis.requesting import Writing
    from tracedance.synthesis.wanted import able

    profile = options.get("profile")
    models = only_local(load(str(profile) if profile else None), bool(options.pop("local_only", False)), ("strong", "reviewer", "fast"))
    terms: Any = {"max_cost": options["max_cost"], "on_unknown": options["on_unknown"]}
    models = replace(models, terms=Terms(**terms))
    asks = query is not None and not options["estimate"]
    with progress(spent=line) as advance, draining(), reading(models, Path(store_path), query if asks else None) as strong:
        writing = Writing(Path(store_path), models, strong.ledger if strong else None, options, advance)
        understood = understand(query, names, options, replace(strong, write=writing) if strong and able(models) else strong)
    wrote: dict[str, Any] = {"synthesis": writing.told} if writing.told else {}
    models = writing.left
    if not isinstance(understood, Request):
        return understood, wrote
    if not options.get("quiet"):
        click.echo(plain(f"Understood: {understood.reading}"), err=True)
    store = Store.open(Path(store_path))
    out = Path(str(options["out"])) if options.get("out") else Path(store_path) / "benchmarks"
    with progress(spent=line) as advance, draining():
        if options["estimate"]:
            return None, {"estimate": estimate(understood, store, models, advance)}
        before = pointers(out)
        try:
            outcome = build(understood, store, models, out, advance)
        finally:
            if options["record"]:
                recorded(store, Path(str(options["record"])))
    wrote |= _replaced(before, outcome)
    account = spend_of(understood, store, models)
    return outcome, {**wrote, **({"spend": account, "parameters": parameters(understood, models)} if account else {})}


def _replaced(before: Mapping[str, Path], outcome: Outcome) -> dict[str, Any]:
    """`replaced`, where a name stood for another benchmark until now: said on standard error, too."""
    from tracedance.store.replaced import replaced

    told = replaced(before, (path for built in outcome.benchmarks for path in (built.path, built.private)))
    for one in told:
        asked = f", asked for: {one['query']}" if one["query"] else ""
        former = f"The former ({one['instances']} instances{asked}) lies in {one['former']}, where runs of it find it."
        warn(plain(f"{one['path']} is another benchmark than before. {former} To keep both by name, give another --out."))
    return {"replaced": told} if told else {}


def outcome_json(outcome: Outcome) -> dict[str, object]:
    """The outcome in its stable JSON shape."""
    return outcome.model_dump(mode="json")


def say_outcome(outcome: Outcome) -> None:
    """The outcome for a person. A rejected sentence is told the nearest families, far off as they may be, with their scores."""
    code = f" ({outcome.reason})" if outcome.reason else ""
    say(f"{outcome.outcome}{code}: {plain(outcome.message)}" if code else plain(outcome.message))
    possible = outcome.request.get("families", ())
    others = outcome.reason in ("no_family_matches", "insufficient_yield")
    if others and outcome.nearest:
        say("Nearest families:" if outcome.reason == "insufficient_yield" else "Nearest families, none near enough:")
    for near in (one for one in outcome.nearest if one.family in possible or others):
        say(f"  {near.family}: {near.title} ({near.score:.2f})")
    for built in (one for one in outcome.benchmarks if one.instances is not None):
        where = f"in {plain(built.path)}" if built.path else "found; none published"
        say(f"{built.instances} instances of {', '.join(built.families)} {where}")
        if built.private:
            say(f"  held back in {plain(built.private)}: do not publish that folder")
        for reason, count in sorted(built.dropped.items()):
            say(f"  dropped {count}: {plain(reason)}")
        say_confirmation(built.confirmation)


def say_written(written: Sequence[Mapping[str, Any]]) -> None:
    """Families that a model wrote: that no person has read them, where they lie, and what they cost."""
    for told in written:
        say_spend(told["spend"])
        if not told["family"]:
            continue
        say(f"{plain(told['family'])} was written by a model in {told['rounds']} drafts and read by no person.")
        say(f"Read it and keep it: tracedance promote {plain(told['run'])} --to DIR")


def say_confirmation(told: Mapping[str, Any]) -> None:
    """How candidates were spread, and what confirming them and the recall probe say of the anchor."""
    if not told:
        return
    order, taken = told["order"], told["order"]["instances"]
    spread = ", ".join(f"{plain(name) or 'unnamed'} {count}" for name, count in taken["harnesses"].items())
    where = f"{taken['sessions']} sessions, {taken['repositories']} repositories ({spread or 'no harness'})"
    say(f"  from {where}; order from seed {order['seed']}")
    if precision := told["precision"]:
        unsure = f", {precision['cannot_tell']} of them cannot tell" if precision["cannot_tell"] else ""
        say(f"  precision of the anchor {_share(precision)}: {precision['confirmed']} confirmed of {precision['judged']} judged{unsure}")
    if recall := told["recall"]:
        kinds = ", ".join(f"{one['occurrences']} in {one['answered']} of {one['population']:,} {one['kind']}" for one in recall["kinds"])
        say(f"  recall of the anchor {_share(recall)}: missed by it {kinds}{'; ' + recall['note'] if recall['note'] else ''}")
    elif told["note"]:
        say(f"  recall {told['note']}")


def _share(figure: Mapping[str, Any]) -> str:
    if figure["share"] is None:
        return "unknown"
    return f"{figure['share']:.2f} [{figure['interval'][0]:.2f}, {figure['interval'][1]:.2f}]"
