"""Benchmarks on disk: published through the export door, and verified to the byte before anyone uses them."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import yaml
from pydantic import ValidationError

from tracedance import yamlfile
from tracedance.door import scan
from tracedance.errors import InputError
from tracedance.regular import TABLE, read_regular
from tracedance.schema import Benchmark, CheckRow, Instance, Manifest, Rubric
from tracedance.schema.instance import FileEntry
from tracedance.store import beside, runs
from tracedance.store.card import DATA, card
from tracedance.store.export import MANIFEST, publish, published

SCHEMA = "tracedance.benchmark/v1"
CHECKS = "checks.jsonl"
SEAL = "digest: "
CURE = "Build it again with this version of tracedance."


def write_benchmark(
    manifest: Manifest, instances: Sequence[Instance], checks: Sequence[CheckRow], rubrics: Mapping[str, Rubric], out: Path
) -> Path:
    """Publish a benchmark as `out/<manifest.name>` and return that path.

    `manifest.instances` and `manifest.files` are filled in here; rubrics are by family id. The same content is the same bytes, under the
    same digest.
    """
    return publish_contents(contents(manifest, instances, checks, rubrics), out)


Contents = tuple[Manifest, dict[str, bytes]]


def contents(manifest: Manifest, instances: Sequence[Instance], checks: Sequence[CheckRow], rubrics: Mapping[str, Rubric]) -> Contents:
    """The manifest with what it says of the instances, and every file of the benchmark but that."""
    manifest = manifest.model_copy(update={"instances": len(instances), **_receipt(instances)})
    data = runs.lines(instances)
    files = {DATA: data, CHECKS: runs.lines(checks), "README.md": _utf8(card(manifest, instances, data))}
    for family, rubric in rubrics.items():
        text = yaml.safe_dump(rubric.model_dump(mode="json"), sort_keys=True, allow_unicode=True, width=120)
        files[rubric_path(family)] = _utf8(f"# {manifest.canary}\n{text}")
    return manifest, files


def publish_contents(made: Contents, out: Path) -> Path:
    """Publish files under their manifest, which lists and seals them here."""
    manifest, files = made
    entries = tuple(FileEntry(path=path, bytes=len(data), sha256=sha256(data).hexdigest()) for path, data in sorted(files.items()))
    manifest = manifest.model_copy(update={"files": entries})
    text = yaml.safe_dump(manifest.model_dump(mode="json", by_alias=True), sort_keys=True, allow_unicode=True, width=120)
    return publish({**files, MANIFEST: sealed(_utf8(text))}, out, manifest.name)


def _utf8(text: str) -> bytes:
    """The text's bytes; a lone surrogate, as a shell hands over what is no UTF-8, becomes `?`."""
    return text.encode("utf-8", "replace")


def _receipt(instances: Sequence[Instance]) -> dict[str, object]:
    """What redaction did to the instances, and which findings in them a person has let pass."""
    counts: Counter[str] = Counter()
    for instance in instances:
        counts.update(instance.replaced)
    passed = scan.approved_in(runs.lines(instances).decode())
    return {"redaction": tuple(sorted({one.redaction for one in instances})), "replaced": dict(sorted(counts.items())), "approved": passed}


def sealed(manifest: bytes) -> bytes:
    """The manifest's text and, as its last line, the digest of all before: so that a copy under any name tells an edit too."""
    return manifest + f"{SEAL}{sha256(manifest).hexdigest()}\n".encode()


def rubric_path(family: str) -> str:
    """Where a family's rubric lies in a benchmark folder."""
    return f"rubrics/{family.replace('/', '__')}.yaml"


def read_benchmark(path: Path | str) -> Benchmark:
    """A benchmark by its pointer or its folder. InputError: none there or newer than us (2), any byte that was not published (6)."""
    folder = published(Path(path))
    manifest = _manifest(folder)
    _verify(folder, manifest)
    scan.approve(manifest.approved)
    try:
        instances = tuple(Instance.model_validate_json(line) for line in _lines(folder / DATA))
        rows = [CheckRow.model_validate_json(line) for line in _lines(folder / CHECKS)]
        rubrics = {family: yamlfile.read(folder / rubric_path(family), CURE).strictly(Rubric) for family in manifest.families}
    except (OSError, ValidationError) as error:
        raise InputError(f"The benchmark {str(path)!r} does not fit its schema. {CURE}") from error
    checks = {row.instance: row for row in rows}
    if problem := _oddity(manifest, instances, rows):
        raise InputError(f"The benchmark {str(path)!r} contradicts itself: {problem}. {CURE}", code=6)
    return Benchmark(path=str(path), manifest=manifest, instances=instances, checks=checks, rubrics=rubrics)


def _oddity(manifest: Manifest, instances: Sequence[Instance], rows: Sequence[CheckRow]) -> str:
    """What is wrong with a benchmark whose digests are right, since anybody can write one; "" if nothing is."""
    ids = [instance.id for instance in instances]
    if len(ids) != manifest.instances:
        return f"it has {len(ids)} instances and its manifest says {manifest.instances}"
    if len(set(ids)) < len(ids) or sorted(row.instance for row in rows) != sorted(ids):
        return "its instances and their check rows are not one for one"
    if any(instance.family not in manifest.families for instance in instances):
        return "it has an instance of a family that its manifest does not name"
    if {manifest.canary} != {*(item.canary for item in instances), *(row.canary for row in rows), manifest.canary}:
        return "one of its rows does not hold its canary"
    texts = [tool.parameters for instance in instances for tool in instance.tools]
    texts += [call.arguments for instance in instances for message in instance.messages for call in message.tool_calls]
    texts += [call.arguments for row in rows for call in row.source.tool_calls]
    return "" if all(map(_is_object, set(texts))) else "a tool's schema or a call's arguments are no JSON object"


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    try:
        data = read_regular(path, yamlfile.ORDINARY.bytes)
    except OSError as error:
        raise InputError(
            f"{str(folder)!r} is no benchmark: it has no {MANIFEST}. Name the folder that 'tracedance build' printed."
        ) from error
    if sealed(data[: max(0, data.rfind(SEAL.encode()))]) != data:
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
    expected = {entry.path: entry.sha256 for entry in manifest.files}
    beside.differences(folder, expected, (MANIFEST,)).refuse(folder, "Build the benchmark again.")
    for name in sorted(expected):
        content = read_regular(folder / name, TABLE)
        if content and manifest.canary.encode() not in content:
            raise InputError(f"{str(folder / name)!r} does not hold the benchmark's canary. {CURE}", code=6)


def _lines(path: Path) -> list[bytes]:
    return [line for line in read_regular(path, TABLE).split(b"\n") if line]


def _edited(path: Path) -> InputError:
    return InputError(f"{str(path)!r} is not what was published (missing, added or edited). Build the benchmark again.", code=6)
