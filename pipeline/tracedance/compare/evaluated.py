"""The benchmark behind a run: found by the digest that the run has written down, with the rubrics by which the run was graded."""

import json
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from tracedance.errors import InputError
from tracedance.regular import read_regular
from tracedance.schema import Benchmark, Rubric, RunBenchmark
from tracedance.store.benchmarks import read_benchmark
from tracedance.store.export import MANIFEST, OBJECTS

RUBRICS = "rubrics.json"
"""The file of a run that was graded by other rubrics than the benchmarks': those, by family."""


def other_rubrics(run: Path) -> dict[str, Rubric]:
    """The rubrics by which a run was graded in place of the benchmarks' own, by family."""
    try:
        told = json.loads(read_regular(run / RUBRICS))
        return {str(family): Rubric.model_validate_json(json.dumps(rubric)) for family, rubric in told.items()}
    except FileNotFoundError:
        return {}
    except (ValueError, AttributeError, RecursionError, ValidationError):
        raise InputError(f"{str(run / RUBRICS)!r} holds no rubrics. Give the same 'tracedance rejudge' again.", 6) from None


def evaluated_benchmark(about: RunBenchmark, run: Path) -> tuple[Benchmark | None, str]:
    """The very benchmark that the run evaluated, or why it is not to be had: moved, rebuilt or edited since."""
    folder = run / about.path
    for path in (folder.parent / OBJECTS / about.digest, folder):
        manifest = path / MANIFEST
        try:
            if manifest.is_file() and sha256(manifest.read_bytes()).hexdigest() == about.digest:
                found = read_benchmark(path)
                other = {family: rubric for family, rubric in other_rubrics(run).items() if family in found.rubrics}
                return found.model_copy(update={"rubrics": {**found.rubrics, **other}}), ""
        except (InputError, OSError) as error:
            return None, str(error)
    return None, f"The benchmark is no longer at {about.path!r} as it was evaluated, so its contexts and counts are not shown."
