"""`tracedance contract init | lock | diff | compile`."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import click

from tracedance.cli.output import AS_JSON, plain, say, say_json, warn

FILE = click.argument("file", type=click.Path(dir_okay=False))


@click.group("contract", context_settings={"help_option_names": ["-h", "--help"]})
def contract_command() -> None:
    """Behaviour contracts: derive one from good runs, lock it, compare runs, compile a formal one.

    Subcommands: init, lock FILE, diff A B, compile FILE.
    """


@contract_command.command("init")
@click.option("--baseline", required=True, type=click.Path(), help="Folder of traces of runs that were good.")
@click.option("--out", required=True, type=click.Path(dir_okay=False), help="Write the behavior-spec/v0 here.")
@click.option(
    "--require",
    type=click.Choice(["every", "any"]),
    default="every",
    show_default=True,
    help="Require the tools that succeeded in every run, or all that appeared in any.",
)
@click.option("--force", is_flag=True, help="Replace a spec that is there already.")
@AS_JSON
def init(baseline: str, out: str, require: str, force: bool, as_json: bool) -> None:
    """Derive a spec from baseline traces: required tools, path length, errors, retries.

    Order constraints are left to you: no set of runs shows which step must come before which other one.
    """
    from tracedance.errors import InputError
    from tracedance.gate.contracts.deriving import derive
    from tracedance.gate.traces import load_traces
    from tracedance.outputs import is_stream, refuse_outputs
    from tracedance.regular import read_regular
    from tracedance.store.export import write

    refuse_outputs({"--out": Path(out)}, [Path(baseline)], folders=[Path(baseline)])
    traces = load_traces(Path(baseline))
    found = derive(traces, spec_id(out), "any" if require == "any" else "every")
    if Path(out).exists() and not force and not is_stream(Path(out)) and read_regular(Path(out)) != found.text.encode():
        raise InputError(f"{out!r} is there already, perhaps with what a person wrote. Give another --out, or --force to replace it.")
    write(Path(out), found.text)
    told = {name: getattr(found, name) for name in ("runs", "scenarios", "longest", "max_path_length", "max_errors", "max_retries")}
    unknown = dict(sorted(sum((Counter(each.unknown) for each in traces), Counter()).items()))
    if as_json:
        tools = {"required_tools": list(found.required), "used_by_some": dict(found.sometimes)}
        say_json({"path": out, **told, **tools, "unknown_fields": unknown})
        return
    say(f"Runs      {found.runs}, of {found.scenarios} scenario{'s' * (found.scenarios != 1)}")
    required = ", ".join(map(plain, found.required))
    say(f"Required  {required or 'none: no tool succeeded in every run (--require any takes all that appeared)'}")
    say(f"Budgets   path length {found.max_path_length} (longest {found.longest}), errors {found.max_errors}, retries {found.max_retries}")
    if unknown:
        say(f"Unknown   fields that nothing reads: {', '.join(f'{plain(name)} {count}' for name, count in unknown.items())}")
    say("Order     none: write the order constraints yourself, no run shows them")
    say(f"Spec: {plain(out)}. Next: edit it, then tracedance contract lock {plain(out)}")


@contract_command.command("lock")
@FILE
@AS_JSON
def lock_spec(file: str, as_json: bool) -> None:
    """Write the spec's digest beside it, in FILE.lock: 'gate --locked' refuses any other.

    Comments and the order of lines are no part of the digest.
    """
    from tracedance.gate.locking import lock, lock_of
    from tracedance.gate.spec import read_spec

    path = Path(file)
    digest, before = lock(path, spec := read_spec(path))
    if spec.invariants is not None and not spec.invariants.required_order:
        warn("It has no order constraint (invariants.required_order): a run that does the right steps in the wrong order passes.")
    if as_json:
        say_json({"path": str(lock_of(path)), "spec": spec.id, "digest": digest, "before": before})
        return
    say(f"Locked    {plain(spec.id)} at {digest}" + (f", was {before[:12]}" if before else ""))
    say(f"Lock: {plain(str(lock_of(path)))}. Next: tracedance gate --locked --spec {plain(file)} --baseline DIR --candidate DIR")


@contract_command.command("diff")
@click.argument("baseline", type=click.Path())
@click.argument("candidate", type=click.Path())
@AS_JSON
def diff_traces(baseline: str, candidate: str, as_json: bool) -> None:
    """How far the runs of folder CANDIDATE are from those of folder BASELINE. No verdict: exit code 0 whatever it finds."""
    from tracedance.gate.contracts.diffing import diff
    from tracedance.gate.workbench.reading import read_runs

    found = diff(read_runs(Path(baseline)), read_runs(Path(candidate)))
    if as_json:
        say_json(found)
    else:
        say_diff(found)


def say_diff(found: dict[str, Any]) -> None:
    """The distances for a person, and what lies behind them."""
    path = found["path_edit_distance"]
    say(f"Runs         {found['baseline']} baseline, {found['candidate']} candidate")
    if found["unknown_fields"]:
        say(f"Unknown      {found['unknown_fields']} fields that this version does not know and nothing reads")
    own = found["baseline_spread"]
    if found["same_runs"]:
        say("Same         both sides are the same runs, so that nothing differs")
        say(f"Spread       {own['mean']:.3f} mean, {own['max']:.3f} at most, from the middle path (0 same, 1 nothing in common)")
        return
    say(f"Path         {path['mean']:.3f} mean, {path['max']:.3f} at most, from the baseline's middle path (0 same, 1 nothing in common)")
    if path["bounded_runs"]:
        say(f"             of {path['bounded_runs']} runs, too long to compare, the most that it can be")
    say(f"Spread       {own['mean']:.3f} mean, {own['max']:.3f} at most: the baseline's own runs from that path")
    say(f"Fingerprint  {found['fingerprint_distance']:.3f} between the mean numbers of calls a run")
    say(f"Tools        {found['tool_jaccard']:.3f} of all names are used by one side only{only(found)}")
    at = found["first_divergent_step"]
    if at is None:
        say(f"Diverges     nowhere: every candidate run keeps to the baseline's common path of {len(found['common_path'])} steps")
    else:
        instead = ", ".join(f"{'the end' if each['name'] is None else plain(each['name'])} ({each['runs']})" for each in at["candidate"])
        wanted = "the end" if at["baseline"] is None else plain(at["baseline"])
        say(f"Diverges     at step {at['step']}: baseline {wanted}, candidate {instead}")
        say(f"             {found['diverging_runs']} candidate runs leave the baseline's common path")
    for row in found["calls_per_run"]:
        say(f"  {plain(row['name'], 40):<40} {row['baseline']:8.2f} -> {row['candidate']:.2f} calls a run")


def only(found: dict[str, Any]) -> str:
    """Which names those are."""
    parts = [f"{side} only: {', '.join(plain(name) for name in found[f'only_{side}'])}" for side in ("baseline", "candidate")]
    parts = [part for part, side in zip(parts, ("baseline", "candidate"), strict=True) if found[f"only_{side}"]]
    return f" ({'; '.join(parts)})" if parts else ""


@contract_command.command("compile")
@FILE
@click.option("--out", required=True, type=click.Path(dir_okay=False), help="Write the behavior-spec/v0 here.")
@AS_JSON
def compile_file(file: str, out: str, as_json: bool) -> None:
    """Derive the runnable spec of an agent-behavior-contract/v0, C = (P, I, G, R), and list what it cannot hold.

    P preconditions, I invariants, G governance, R recovery.
    """
    from tracedance.gate.contracts.compiling import compile_contract, read_contract
    from tracedance.outputs import refuse_outputs
    from tracedance.store.export import write

    refuse_outputs({"--out": Path(out)}, [Path(file)])
    made = compile_contract(read_contract(Path(file)))
    write(Path(out), made.text)
    lost = [vars(each) for each in made.unexpressed]
    if as_json:
        say_json({"path": out, "clauses": made.clauses, "unexpressed": lost})
        return
    whole = made.clauses - len({each.clause for each in made.unexpressed})
    say(f"Clauses   {made.clauses}: {whole} in the spec, {made.clauses - whole} not or not wholly")
    for each in made.unexpressed:
        rule = f" ({each.rule})" if each.rule else ""
        say(f"  {each.letter} {plain(each.clause)}{rule}: {each.why}. It says: {plain(each.says, 200)}")
    say(f"Spec: {plain(out)}. Next: tracedance contract lock {plain(out)}")


def spec_id(out: str) -> str:
    """A spec's id after its file."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", Path(out).stem).strip("-.") or "behavior"
