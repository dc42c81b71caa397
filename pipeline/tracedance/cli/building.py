"""`tracedance build`."""

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tracedance.cli.output import AS_JSON, CATALOGUE, LOCAL_ONLY, PROFILE, STORE, Progress, plain, progress, say, say_json, warn
from tracedance.cli.spending import say_estimate, say_keys, say_left_out, say_spend, spending_options
from tracedance.schema import Outcome

if TYPE_CHECKING:
    from tracedance.models.config import Models


def share(value: float | None) -> float | None:
    """The same; NaN passes every comparison of a range and is no share."""
    if value is not None and math.isnan(value):
        raise click.BadParameter("it is no number.")
    return value


@click.command("build")
@click.argument("query", required=False)
@click.option(
    "--family", "names", multiple=True, help="Build from this family; repeatable, one benchmark each. A QUERY beside it gives limits only."
)
@STORE
@click.option("--out", type=click.Path(file_okay=False), help="Where benchmarks are published.  [default: STORE/benchmarks]")
@click.option("--min", "minimum", type=int, help="Fewest instances worth a benchmark.  [default: 5, configs/build.yaml]")
@click.option("--max", "maximum", type=int, help="Most instances to take.  [default: 50, configs/build.yaml]")
@click.option("--replayable", is_flag=True, help="Only sessions whose system prompt and tools were recorded.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Order in which candidates are taken.")
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


def run(query: str | None, names: tuple[str, ...], store_path: str, options: dict[str, Any]) -> tuple[Outcome | None, dict[str, Any]]:
    """Understands the request and builds it: the outcome, `spend` and `parameters`. No outcome where only the `estimate` is wanted.

    With `advance` among the options it tells that, and nobody else, how far it is.
    """
    from tracedance.construct.build import build, foretold, parameters, recorded, spend_of
    from tracedance.models import spending
    from tracedance.models.stopping import draining
    from tracedance.schema import Request
    from tracedance.store.replaced import pointers
    from tracedance.store.store import Store
    from tracedance.synthesis.requesting import understood

    models = _models(options)
    if options["estimate"]:
        return _estimated(query, names, Path(store_path), (options, models))
    with _shown(options) as advance, draining():
        got = understood(query, names, options, (Path(store_path), models, advance))
    money: dict[str, Any] = {"synthesis": got.written} if got.written else {}
    accounts = [*([got.spend] if got.spend else []), *(one["spend"] for one in got.written)]
    if not isinstance(got.request, Request):
        return foretold(got.request, models), {**money, **({"spend": spending.joined(accounts)} if accounts else {})}
    if "advance" not in options:
        click.echo(plain(f"Understood: {got.request.reading}"), err=True)
    store = Store.open(Path(store_path))
    out = Path(str(options["out"])) if options.get("out") else Path(store_path) / "benchmarks"
    before = pointers(out)
    with _shown(options) as advance, draining():
        try:
            outcome = build(got.request, store, got.models, out, advance)
        finally:
            if options["record"]:
                recorded(store, Path(str(options["record"])))
    money |= _replaced(before, outcome)
    if account := spend_of(got.request, store, got.models):
        accounts, money = [*accounts, account], {**money, "parameters": parameters(got.request, got.models)}
    return outcome, {**money, **({"spend": spending.joined(accounts)} if accounts else {})}


def _models(options: dict[str, Any]) -> "Models":
    """The profile's models under the terms that the options set."""
    from tracedance.models.budget import Terms
    from tracedance.models.config import load
    from tracedance.models.reach import only_local

    profile = options.get("profile")
    models = only_local(load(str(profile) if profile else None), bool(options.pop("local_only", False)), ("strong", "reviewer", "fast"))
    return replace(models, terms=Terms(max_cost=options["max_cost"], on_unknown=options["on_unknown"]))


@contextmanager
def _shown(options: Mapping[str, Any]) -> Iterator[Progress]:
    """Who is told how far it is: as the options say, else a bar with what is spent."""
    from tracedance.models.meter import line

    if "advance" in options:
        yield options["advance"]
        return
    with progress(spent=line) as advance:
        yield advance


def _estimated(
    query: str | None, names: tuple[str, ...], store: Path, by: tuple[Mapping[str, Any], "Models"]
) -> tuple[Outcome | None, dict[str, Any]]:
    """What the request would cost, stage by stage. Rules read the sentence: reading it by a model costs, and is estimated too."""
    from tracedance.synthesis.estimating import estimate

    options, models = by
    with _shown(options) as advance:
        found = estimate(query, names, options, (store, models, advance))
    return (found, {}) if isinstance(found, Outcome) else (None, {"estimate": found})


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
        say(f"{built.instances} instance{'s' if built.instances != 1 else ''} of {', '.join(built.families)} {where}")
        if built.private:
            say(f"  held back in {plain(built.private)}: do not publish that folder")
        for reason, count in sorted(built.dropped.items()):
            say(f"  dropped {count}: {plain(reason)}")
        say_confirmation(built.confirmation)
    if paths := " ".join(shlex.quote(built.path) for built in outcome.benchmarks if built.path):
        say(plain(f"Next: tracedance evaluate {paths} --model NAME (of your profile; offline/careful and offline/source need no key)"))


def say_written(written: Sequence[Mapping[str, Any]]) -> None:
    """Families that a model wrote: that no person has read them, and where they lie."""
    for told in written:
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
