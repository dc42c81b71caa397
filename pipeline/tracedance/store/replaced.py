"""What a build put another benchmark in the place of. The former one stays under its digest, where the runs of it find it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tracedance import yamlfile
from tracedance.errors import InputError
from tracedance.store.export import MANIFEST, OBJECTS, published


def pointers(out: Path) -> dict[str, Path]:
    """The published folders behind the names in `out`."""
    found = {}
    for path in sorted(out.iterdir()) if out.is_dir() else ():
        try:
            found[path.name] = published(path)
        except (InputError, OSError):
            continue
    return {name: folder for name, folder in found.items() if folder.parent.name == OBJECTS}


def replaced(before: Mapping[str, Path], built: Iterable[str | None]) -> list[dict[str, Any]]:
    """Of the paths that were built, those that held another benchmark before: what that was, and where it lies now."""
    paths = [Path(path) for path in built if path is not None]
    return [_told(path, before[path.name]) for path in paths if before.get(path.name) not in (None, published(path))]


def _told(path: Path, former: Path) -> dict[str, Any]:
    try:
        about = yamlfile.read(former / MANIFEST, "").values
    except (InputError, OSError):
        about = {}
    return {"path": str(path), "former": str(former), "query": about.get("query"), "instances": about.get("instances")}
