"""Benchmarks on disk: published through the export door, and verified to the byte before anyone uses them."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import yaml
from pydantic import ValidationError

from tracedance import yamlfile
from tracedance.errors import InputError
from tracedance.regular import TABLE, read_regular
from tracedance.schema import Benchmark, CheckRow, Instance, Manifest, Rubric
from tracedance.schema.instance import FileEntry
from tracedance.store import runs
from tracedance.store.card import card
from tracedance.store.export import MANIFEST, publish, published

SCHEMA = "tracedance.benchmark/v1"
DATA = "data/test.jsonl"
CHECKS = "checks.jsonl"
CURE = "Build it again with this version of tracedance."


def write_benchmark(
    manifest: Manifest, instances: Sequence[Instance], checks: Sequence[CheckRow], rubrics: Mapping[str, Rubric], out: Path
) -> Path:
    """Publish a benchmark as `out/<manifest.name>` and return that path.

    `manifest.instances` and `manifest.files` are filled in here; rubrics are by family id. The same content is the same bytes, under the
    same digest.
    """
    manifest = manifest.model_copy(update={"instances": len(instances)})
    data = runs.lines(instances)
    files = {DATA: data, CHECKS: runs.lines(checks), "README.md": card(manifest, instances, data).encode()}
    for family, rubric in rubrics.items():
        text = yaml.safe_dump(rubric.model_dump(mode="json"), sort_keys=True, allow_unicode=True, width=120)
        files[rubric_path(family)] = f"# {manifest.canary}\n{text}".encode()
    entries = tuple(FileEntry(path=path, bytes=len(data), sha256=sha256(data).hexdigest()) for path, data in sorted(files.items()))
    manifest = manifest.model_copy(update={"files": entries})
    files[MANIFEST] = yaml.safe_dump(
        manifest.model_dump(mode="json", by_alias=True), sort_keys=True, allow_unicode=True, width=120
    ).encode()
    return publish(files, out, manifest.name)


def rubric_path(family: str) -> str:
    """Where a family's rubric lies in a benchmark folder."""
    return f"rubrics/{family.replace('/', '__')}.yaml"


def read_benchmark(path: Path | str) -> Benchmark:
    """A benchmark by its pointer or its folder. InputError: none there or newer than us (2), any byte that was not published (6)."""
    folder = published(Path(path))
    manifest = _manifest(folder)
    _verify(folder, manifest)
    try:
        instances = tuple(Instance.model_validate_json(line) for line in _lines(folder / DATA))
        rows = [CheckRow.model_validate_json(line) for line in _lines(folder / CHECKS)]
        rubrics = {family: yamlfile.read(folder / rubric_path(family), CURE).strictly(Rubric) for family in manifest.families}
    except (OSError, ValidationError) as error:
        raise InputError(f"The benchmark {str(path)!r} does not fit its schema. {CURE}") from error
    checks = {row.instance: row for row in rows}
    return Benchmark(path=str(path), manifest=manifest, instances=instances, checks=checks, rubrics=rubrics)


def _manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    try:
        data = read_regular(path, yamlfile.ORDINARY.bytes)
    except OSError as error:
        raise InputError(
            f"{str(folder)!r} is no benchmark: it has no {MANIFEST}. Name the folder that 'tracedance build' printed."
        ) from error
    # The folder is named after its manifest; a copy under another name has only the digests inside to go by.
    if folder.parent.name == ".objects" and sha256(data).hexdigest() != folder.name:
        raise _edited(path)
    found = yamlfile.parse(data, str(path), CURE)
    try:
        schema = found.values["schema"]
        if schema != SCHEMA:
            raise InputError(
                f"{str(folder)!r} has the form {schema!r}, this version reads {SCHEMA!r}. Update tracedance, or build it again."
            )
        return found.strictly(Manifest)
    except (KeyError, TypeError, ValidationError) as error:
        raise _edited(path) from error


def _verify(folder: Path, manifest: Manifest) -> None:
    expected = {entry.path: entry for entry in manifest.files}
    held = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()} - {MANIFEST}
    for name in sorted(held - expected.keys()):
        raise _edited(folder / name)
    for name, entry in sorted(expected.items()):
        path = folder / name
        if name not in held or path.is_symlink() or sha256(read_regular(path, TABLE)).hexdigest() != entry.sha256:
            raise _edited(path)


def _lines(path: Path) -> list[bytes]:
    return [line for line in read_regular(path, TABLE).split(b"\n") if line]


def _edited(path: Path) -> InputError:
    return InputError(f"{str(path)!r} is not what was published (missing, added or edited). Build the benchmark again.", code=6)
