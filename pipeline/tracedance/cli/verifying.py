"""`tracedance verify`."""

from pathlib import Path

import click

from tracedance.cli.output import AS_JSON, plain, say, say_json


@click.command("verify")
@click.argument("path", type=click.Path())
@AS_JSON
def verify_command(path: str, as_json: bool) -> None:
    """Check every digest of a benchmark again. Exit code 6 when a byte differs."""
    from tracedance.store.benchmarks import read_benchmark

    benchmark = read_benchmark(Path(path))
    if as_json:
        say_json({"path": benchmark.path, "name": benchmark.manifest.name, "instances": len(benchmark.instances), "verified": True})
    else:
        files, instances = len(benchmark.manifest.files), len(benchmark.instances)
        say(f"{plain(benchmark.manifest.name)}: {files} files and {instances} instances agree with the manifest.")
