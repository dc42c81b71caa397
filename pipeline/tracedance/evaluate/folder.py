"""The folder of an evaluation run: one request a folder, taken up again by the same command, written whole at the end."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from tracedance.door import scan
from tracedance.errors import InputError
from tracedance.failpoint import failpoint
from tracedance.privacy.redactor import Redactor, find
from tracedance.regular import read_regular
from tracedance.schema import Benchmark, Grade, Response, RunManifest
from tracedance.schema.run import RunBenchmark
from tracedance.store import beside, export, runs
from tracedance.store.durable import sweep

Row = TypeVar("Row", Response, Grade)

MANIFEST = "run.json"
FIXED = b"tracedance.evaluate"
LEDGER, SPENT = "ledger.sqlite3", "spend.json"
VOTE_FIELDS = ("instance", "family", "benchmark", "model", "sample", "judge", "status", "score", "rationale", "quotes", "error", "rubric")


@contextmanager
def held(out: Path) -> Iterator[None]:
    """The folder, made if need be and held against other runs. InputError (7) when another run holds it."""
    found = out.exists(), (out / ".lock").exists()
    try:
        out.mkdir(parents=True, exist_ok=True)
        handle = os.open(out / ".lock", os.O_CREAT | os.O_RDWR, 0o644)
    except OSError as error:
        raise InputError(f"{str(out)!r} cannot be used as a run's folder ({error.strerror}). Give another with --out.") from error
    try:
        try:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:
            pass
        except OSError as error:
            raise InputError(f"Another run is at work in {str(out)!r}. Wait for it, or give another --out.", 7) from error
        sweep(out)
        yield
    except BaseException:
        _leave_nothing(out, *found)
        raise
    finally:
        os.close(handle)


def _leave_nothing(out: Path, was_there: bool, was_locked: bool) -> None:
    """A folder in which no run was begun is left as it was found."""
    if (out / MANIFEST).exists() or was_locked:
        return
    (out / ".lock").unlink(missing_ok=True)
    if not was_there and not any(out.iterdir()):
        out.rmdir()


def benchmark_entry(benchmark: Benchmark, out: Path) -> RunBenchmark:
    """What run.json says about a benchmark."""
    place = Path(benchmark.path)
    manifest = read_regular(export.published(place) / export.MANIFEST)
    try:
        path = os.path.relpath(place, out)
    except ValueError:
        path = str(place.resolve())
    about = benchmark.manifest
    return RunBenchmark(
        name=about.name,
        path=path,
        digest=sha256(manifest).hexdigest(),
        families=about.families,
        instances=len(benchmark.instances),
        redaction=about.redaction,
    )


def claim(out: Path, manifest: RunManifest) -> None:
    """Makes the folder this request's, or finds that it is. InputError when it holds another request or somebody else's files."""
    path = out / MANIFEST
    if path.exists():
        try:
            held_for = RunManifest.model_validate_json(read_regular(path))
        except (ValidationError, OSError) as error:
            raise InputError(f"{str(path)!r} cannot be read. Give another folder with --out.") from error
        differing = [name for name, value in asked(manifest).items() if asked(held_for)[name] != value]
        if differing:
            raise InputError(
                f"{str(out)!r} holds a run of another request ({', '.join(differing)} differ). Give another folder with --out."
            )
    elif any(name.name not in (".lock", LEDGER) and not name.name.startswith(".tmp-") for name in out.iterdir()):
        # A file under a temporary name is what a kill in the middle of writing run.json leaves.
        raise InputError(f"{str(out)!r} is no run's folder and is not empty. Give a new folder with --out.")
    export.write(path, pretty(manifest.model_dump(mode="json", by_alias=True)))


def asked(manifest: RunManifest) -> dict[str, Any]:
    """The parts of a request that make it that request. Where its benchmarks lie is none."""
    parts: dict[str, Any] = manifest.model_dump(
        mode="json", exclude={"schema_", "benchmarks", "profile", "digests", "parameters", "makers", "rejudges"}
    )
    return {
        **parts,
        "models": sorted(manifest.models),
        "judges": sorted(manifest.judges),
        "benchmarks": [benchmark.digest for benchmark in manifest.benchmarks],
        "models file, judge prompt, rubrics or checks": dict(manifest.digests),
    }


def finish(
    out: Path, responses: Sequence[Response], grades: Sequence[Grade], rates: dict[str, Any], more: Mapping[str, bytes] | None = None
) -> None:
    """Writes the results, and `more` files by name. rates.json goes first and comes last: while it is absent, the run is not finished."""
    (out / "rates.json").unlink(missing_ok=True)
    clean = [without_secrets(grade) for grade in grades]
    files = {
        "responses.jsonl": runs.lines([without_secrets(response) for response in responses]),
        "grades.jsonl": runs.lines(clean),
        "votes.parquet": votes_table(clean),
        **(more or {}),
        "rates.json": pretty(rates).encode(),
    }
    files[runs.DIGESTS] = runs.digests({MANIFEST: read_regular(out / MANIFEST), **files})
    beside.seal(out, (LEDGER, SPENT))
    for name in sorted(files, key=lambda name: name == "rates.json"):
        failpoint("evaluate.writing")
        export.write(out / name, files[name])
    failpoint("evaluate.finished")


def without_secrets(row: Row) -> Row:
    """The row as it may leave: its words were cleaned one by one, here it is read as the export door will read it.

    Two words side by side (a call's id and its name, two quotes) can look like a secret together: then both are cleaned as one text. The
    key is fixed, so that the same run gives the same bytes on any machine.
    """
    text = row.model_dump_json(by_alias=True)
    if not find(text) and not scan.unapproved(scan.in_value(json.loads(text))):
        return row
    return type(row).model_validate_json(json.dumps(_withheld(json.loads(Redactor(FIXED).json(text)), "")))


def _withheld(value: Any, name: str) -> Any:
    """A JSON value without what the second look finds in what the first has left: else one answer would keep a paid run from its end."""
    if isinstance(value, dict):
        return {key: _withheld(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [_withheld(item, name) for item in value]
    if not isinstance(value, str) or not scan.unapproved(scan.in_text(value, "", name)):
        return value
    shown = scan.masked(value)
    return "[withheld: it may hold a secret]" if scan.unapproved(scan.in_text(shown, "", name)) else shown


def votes_table(grades: Sequence[Grade]) -> bytes:
    """Every vote as a row of a Parquet table."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{**vote.model_dump(mode="json"), **grade.model_dump(include=set(VOTE_FIELDS[:5]))} for grade in grades for vote in grade.votes]
    kinds = {"sample": pa.int32(), "score": pa.int8(), "quotes": pa.list_(pa.string())}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in VOTE_FIELDS])
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema), buffer, compression="zstd", write_page_checksum=True)
    return buffer.getvalue()


def pretty(value: dict[str, Any]) -> str:
    """JSON for people, the same bytes for the same value."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, indent=1) + "\n"
