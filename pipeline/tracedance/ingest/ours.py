"""What tracedance itself wrote holds no sessions: folders, told by a file of ours that names its schema, and a corpus's list of places."""

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


def is_places(file: str) -> bool:
    """Whether a file is the answer sheet of a synthetic corpus."""
    return os.path.basename(file) == "places.jsonl" and _says(file, _PLACES, at_start=True)


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
