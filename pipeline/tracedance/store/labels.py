"""Where people's labels lie: beside what they are about and no part of its digests, since they come after it and grow.

A run's are in its folder, as `labels.jsonl`; a benchmark's lie beside it, as `NAME.labels.jsonl`, for a published folder takes no file.
Of a run that grades another's responses anew they lie with that other: they are of the responses.
"""

import json
import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tracedance.errors import InputError
from tracedance.failpoint import failpoint
from tracedance.regular import TABLE, read_regular
from tracedance.schema import Label, LabelKind, Response
from tracedance.store import beside, export, runs

FILE = "labels.jsonl"
NEW_LINE = b"\n"
RUN = "run.json"


def place(folder: Path) -> Path:
    """The file of labels that belongs to a benchmark, or to a run: that of the run whose responses it grades, while that is to be had."""
    if (folder / RUN).is_file():
        return answered_in(folder) / FILE
    return folder.with_name(f"{folder.name}.{FILE}")


def answered_in(folder: Path) -> Path:
    """The run that got the responses which a run grades: itself, or the one whose responses it grades anew, if that still holds them."""
    seen = [folder]
    while True:
        source = _told(seen[-1] / RUN).get("rejudges")
        if not isinstance(source, str):
            return seen[-1]
        further = Path(os.path.normpath(seen[-1] / source))
        if further in seen or not _responses(further) or _responses(further) != _responses(folder):
            return seen[-1]
        seen.append(further)


def _responses(folder: Path) -> Any:
    """The digest of a finished run's responses; None where there is no such run."""
    files = _told(folder / runs.DIGESTS).get("files")
    return files.get("responses.jsonl") if isinstance(files, dict) and (folder / RUN).is_file() else None


def _told(path: Path) -> dict[str, Any]:
    """A JSON object; {} for anything else."""
    try:
        told = json.loads(read_regular(path))
    except (OSError, ValueError, RecursionError, InputError):
        return {}
    return told if isinstance(told, dict) else {}


def held(folder: Path, anew: bool = False) -> tuple[Label, ...]:
    """The labels of a run or a benchmark; () without any. InputError (6) for a file that is not what was imported.

    A regraded run also keeps those that older versions put into its own folder; a newer word of the same rater goes before them. With
    `anew` the file may have been moved away, to import its sheets again.
    """
    path, own = place(folder), folder / FILE
    older = _read(own, anew) if own.is_file() and own.resolve() != path.resolve() and (folder / RUN).is_file() else ()
    return tuple({(label.rater, label.item): label for label in (*older, *_read(path, anew))}.values())


def _read(path: Path, anew: bool) -> tuple[Label, ...]:
    try:
        data = read_regular(path, TABLE)
    except FileNotFoundError:
        data = b""
    if data or not anew:
        _check_seal(path)
    if data and not data.endswith(b"\n"):
        raise _refused(path, f"its line {data.count(NEW_LINE) + 1} is cut off")
    found: dict[tuple[str, str], Label] = {}
    for number, line in enumerate(data.split(NEW_LINE)[:-1], 1):
        try:
            label = Label.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise _refused(path, f"line {number}: {f'{where}: ' if where else ''}{first['msg'].removeprefix('Value error, ')}") from None
        if (label.rater, label.item) in found:
            raise _refused(path, f"line {number} repeats the item and rater of another")
        found[label.rater, label.item] = label
    return tuple(found.values())


def _check_seal(path: Path) -> None:
    """Refuses a run's labels that are not those which its list of digests has; of a benchmark's there is no list."""
    run = path.parent
    if path.name != FILE or not (run / runs.DIGESTS).is_file() or not runs.has_beside(run):
        return
    told = (beside.sealed(run) or {}).get(FILE)
    if told is None and (not path.exists() or FILE in beside.being_written(run)):
        return
    if told is None:
        raise _refused(path, f"{beside.FILE} does not list it: one of the two was edited")
    if told != beside.digest(path):
        raise _refused(path, "it was edited, or lost, since it was written")


def _refused(path: Path, problem: str) -> InputError:
    cure = "Move it away, and import the sheets again with 'tracedance labels import'."
    return InputError(f"{str(path)!r} is not what was imported: {problem}. {cure}", 6)


def keep(folder: Path, labels: Iterable[Label]) -> Path:
    """Puts labels in place of those of a run or benchmark, sorted, through the export door: the same labels are the same bytes."""
    path = place(folder)
    ordered = sorted(labels, key=lambda label: (label.kind, label.item, label.rater))
    if path.name == FILE:
        beside.unseal(path.parent, (FILE,))
    failpoint("labels.writing")
    try:
        export.write(path, runs.lines(ordered))
        failpoint("labels.written")
    finally:
        beside.seal_outputs([path])
    return path


def item_id(kind: LabelKind, *parts: Any) -> str:
    """Digest of what is labelled. Its first letters keep a spreadsheet from reading it as a number."""
    text = json.dumps([kind, *parts], sort_keys=True, ensure_ascii=True)
    return f"{kind}-{sha256(text.encode()).hexdigest()[:20]}"


def response_id(digest: str, response: Response) -> str:
    """The item of a response to an instance of the benchmark `digest`; another turn in its place is another item."""
    calls = [[call.name, call.arguments] for call in response.tool_calls]
    return item_id("response", digest, response.instance, response.model, response.sample, response.text, calls)
