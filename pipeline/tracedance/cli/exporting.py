"""`tracedance export`."""

from pathlib import Path

import click

from tracedance.cli.output import AS_JSON, plain, say, say_json, warn


@click.command("export")
@click.argument("benchmark", type=click.Path())
@click.option(
    "--to",
    "form",
    type=click.Choice(["openai", "parquet"]),
    required=True,
    help="openai: a chat request a line. parquet: data/test.parquet, which the datasets library loads.",
)
@click.option("--out", required=True, type=click.Path(file_okay=False), help="The folder to write.")
@AS_JSON
def export_command(benchmark: str, form: str, out: str, as_json: bool) -> None:
    """A published benchmark in another tool's form, with its rubrics, card and canary; `tracedance verify` checks it.

    Inspect needs no export: inspect eval tracedance/benchmark -T path=BENCHMARK --model M (pip install "tracedance[inspect]").
    """
    from tracedance.errors import InputError
    from tracedance.exports.folder import export
    from tracedance.outputs import identity
    from tracedance.store.benchmarks import read_benchmark

    if (Path(out) / "benchmark.yaml").exists() or identity(Path(out)) == identity(Path(benchmark)):
        raise InputError(f"--out: {plain(out)!r} is a benchmark, and would be replaced. Give another folder.")
    made = export(read_benchmark(Path(benchmark)), form, Path(out))
    if as_json:
        say_json({"path": str(made.path), "form": form, "instances": made.instances, "left_out": dict(made.left_out)})
    else:
        say(f"{made.instances} instances in {plain(str(made.path))}")
    if made.left_out:
        why = ", ".join(sorted(set(made.left_out.values())))
        warn(f"{len(made.left_out)} instances are left out: no request can be made of them ({why}).")
