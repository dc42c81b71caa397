"""Folders that tracedance itself wrote, told by a file of ours that names its schema: what they hold was made from sessions."""

import os
import re
from collections.abc import Collection

_MARKS = {
    "store.json": re.compile(rb"\"schema\":\s*\"tracedance\.store/v\d+\""),
    "run.json": re.compile(rb"\"schema\":\s*\"tracedance\.run/v\d+\""),
    "benchmark.yaml": re.compile(rb"(?m)^schema:\s*[\"']?tracedance\.benchmark/v\d+"),
    "request.json": re.compile(rb"\"schema_?\":\s*\"tracedance\.build/v\d+\""),
}


def is_own(folder: str, names: Collection[str]) -> bool:
    """Whether a folder with files of these names is a store, a published benchmark, or the run of an evaluation or a build."""
    return any(name in _MARKS and _says(os.path.join(folder, name), _MARKS[name]) for name in names)


def _says(path: str, mark: re.Pattern[bytes]) -> bool:
    try:
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            return mark.search(file.read(64 << 20)) is not None
    except OSError:
        return False
