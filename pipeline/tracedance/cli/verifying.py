"""`tracedance verify`."""

from pathlib import Path
from typing import Any

import click

from tracedance.cli.output import AS_JSON, plain, say, say_json


@click.command("verify")
@click.argument("path", type=click.Path())
@AS_JSON
def verify_command(path: str, as_json: bool) -> None:
    """Check every file of a benchmark, an export, a run or a store again. Exit code 6 for any that was edited, lost or added.

    All are named. Gradings of a run made anew are checked with it; of benchmarks and exports also that every file holds the canary.
    """
    found = checked(Path(path))
    if as_json:
        say_json(found)
    else:
        said = {name: value for name, value in found.items() if name in ("files", "instances", "responses", "sessions")}
        counts = ", ".join(f"{count:,} {name if count != 1 else name.removesuffix('s')}" for name, count in said.items())
        say(f"{plain(str(found['name']))}: {counts} agree with what was written.")
        for what in found.get("unfinished", ()):
            say(f"Not finished, so not checked: {plain(what)}. The same 'tracedance rejudge' takes it up.")
        if left := found.get("unsealed"):
            say(f"Not checked: {plain(', '.join(left))}. No digest of these was kept: a command was cut off, or is older than this.")


def checked(path: Path) -> dict[str, Any]:
    """What lies at a path, once all of it is checked."""
    from tracedance.exports import folder
    from tracedance.store.benchmarks import read_benchmark

    if (path / folder.SEALED).is_file():
        about = folder.verify(path)
        return {"path": str(path), "kind": "export", "name": about["benchmark"], **_counts(len(about["files"]) + 1, about["instances"])}
    if (path / "run.json").is_file():
        from tracedance.compare.verified import verified_run

        return {"path": str(path), "kind": "run", "name": path.resolve().name, **verified_run(path), "verified": True}
    if (path / "store.json").is_file():
        return _store(path)
    benchmark = read_benchmark(path)
    counts = _counts(len(benchmark.manifest.files) + 1, len(benchmark.instances))
    return {"path": benchmark.path, "kind": "benchmark", "name": benchmark.manifest.name, **counts}


def _counts(files: int, instances: int) -> dict[str, Any]:
    return {"files": files, "instances": instances, "verified": True}


def _store(path: Path) -> dict[str, Any]:
    from tracedance.errors import InputError
    from tracedance.store.checking import check
    from tracedance.store.store import Store

    found = check(Store.open(path))
    if found.problems:
        raise InputError(f"{found.problems[0]} 'tracedance store verify' lists all {len(found.problems)}.", 6)
    return {
        "path": str(path),
        "kind": "store",
        "name": path.resolve().name,
        "files": found.files,
        "sessions": found.sessions,
        "verified": True,
    }
