"""The benchmark behind a run: found by the digest that the run has written down."""

from hashlib import sha256
from pathlib import Path

from tracedance.errors import InputError
from tracedance.schema import Benchmark, RunBenchmark
from tracedance.store.benchmarks import read_benchmark
from tracedance.store.export import MANIFEST, OBJECTS


def evaluated_benchmark(about: RunBenchmark, run: Path) -> tuple[Benchmark | None, str]:
    """The very benchmark that the run evaluated, or why it is not to be had: moved, rebuilt or edited since."""
    folder = run / about.path
    for path in (folder.parent / OBJECTS / about.digest, folder):
        manifest = path / MANIFEST
        try:
            if manifest.is_file() and sha256(manifest.read_bytes()).hexdigest() == about.digest:
                return read_benchmark(path), ""
        except (InputError, OSError) as error:
            return None, str(error)
    return None, f"The benchmark is no longer at {about.path!r} as it was evaluated, so its contexts and counts are not shown."
