"""What tracedance itself wrote holds no sessions: folders, told by a file of ours that names its schema, a corpus's list of
places, and exported behaviour traces."""

import os
import re
from collections.abc import Collection

_MARKS = {
    "store.json": re.compile(rb"\"schema\":\s*\"tracedance\.store/v\d+\""),
    "run.json": re.compile(rb"\"schema\":\s*\"tracedance\.run/v\d+\""),
    "benchmark.yaml": re.compile(rb"(?m)^schema:\s*[\"']?tracedance\.benchmark/v\d+"),
    "request.json": re.compile(rb"\"schema_?\":\s*\"tracedance\.build/v\d+\""),
}


_PLACES = re.compile(rb'\{"session": "[^"]{1,200}", "turn": \d+, "family": "(?:action|failure|claim)/[a-z_]+", "kind": "')


_TRACE_NAME = re.compile(r"[0-9a-f]{32}\.json")
_TRACE = re.compile(rb'\{\s*"schema_version":\s*"agent-behavior-trace/v\d+"')


def is_ours(file: str) -> bool:
    """Whether a file is the answer sheet of a synthetic corpus, or a trace that was exported."""
    name = os.path.basename(file)
    mark = _PLACES if name == "places.jsonl" else _TRACE if _TRACE_NAME.fullmatch(name) else None
    return mark is not None and _says(file, mark, at_start=True)


def is_own(folder: str, names: Collection[str]) -> bool:
    """Whether a folder with files of these names is a store, a published benchmark, or the run of an evaluation or a build."""
    return any(name in _MARKS and _says(os.path.join(folder, name), _MARKS[name]) for name in names)


def _says(path: str, mark: re.Pattern[bytes], at_start: bool = False) -> bool:
    try:
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            return (mark.match(file.read(1024)) if at_start else mark.search(file.read(64 << 20))) is not None
    except OSError:
        return False
