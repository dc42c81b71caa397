"""Where people's labels lie: beside what they are about and no part of its digests, since they come after it and grow.

A run's are in its folder, as `labels.jsonl`; a benchmark's lie beside it, as `NAME.labels.jsonl`, for a published folder takes no file.
"""

import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from tracedance.errors import InputError
from tracedance.schema import Label, LabelKind, Response
from tracedance.store import export, runs

FILE = "labels.jsonl"


def place(folder: Path) -> Path:
    """The file of labels that belongs to a run's folder, or to a benchmark."""
    if (folder / "run.json").is_file():
        return folder / FILE
    return folder.with_name(f"{folder.name}.{FILE}")


def held(folder: Path) -> tuple[Label, ...]:
    """The labels of a run or a benchmark; () without any. InputError (6) for a damaged file."""
    path = place(folder)
    try:
        return tuple(runs.read(path, Label))
    except InputError as error:
        cure = "Move it away, and import the sheets again with 'tracedance labels import'."
        raise InputError(f"{str(path)!r} cannot be read: a line of it is damaged. {cure}", error.code) from None


def keep(folder: Path, labels: Iterable[Label]) -> Path:
    """Puts labels in place of those of a run or benchmark, sorted, through the export door: the same labels are the same bytes."""
    path = place(folder)
    ordered = sorted(labels, key=lambda label: (label.kind, label.item, label.rater))
    export.write(path, runs.lines(ordered))
    return path


def item_id(kind: LabelKind, *parts: Any) -> str:
    """Digest of what is labelled. Its first letters keep a spreadsheet from reading it as a number."""
    text = json.dumps([kind, *parts], sort_keys=True, ensure_ascii=True)
    return f"{kind}-{sha256(text.encode()).hexdigest()[:20]}"


def response_id(digest: str, response: Response) -> str:
    """The item of a response to an instance of the benchmark `digest`; another turn in its place is another item."""
    calls = [[call.name, call.arguments] for call in response.tool_calls]
    return item_id("response", digest, response.instance, response.model, response.sample, response.text, calls)
