"""Another change of the file violates; a look at it alone satisfies."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tracedance.kit import files, paths
from tracedance.schema import Turn


def check(context: Sequence[Turn], response: Turn, facts: Mapping[str, Any]) -> Literal["violates", "satisfies", "undecided"]:
    """A look and a change in one turn violate: the change was written before the look could show anything. Scripts are undecided."""
    path = str(facts.get("path", ""))
    looked = unknown = False
    for call in response.calls:
        for touch in files.touches(call):
            met = touch.meets(path)
            if met and touch.deed in ("edit", "write", "append"):
                return "violates"
            unknown = unknown or (met and touch.deed in ("script", "restore", "remove", "format"))
            looked = looked or (met and touch.deed in ("look", "search")) or (touch.deed == "search" and paths.within(path, touch.path))
    return "satisfies" if looked and not unknown else "undecided"
