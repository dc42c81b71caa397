"""Which instances each analysis used, by id; an analysis names its subset, and several share one."""

from typing import Any

from tracedance.analyse.facets import subset
from tracedance.analyse.observations import Matrix

SAYS = {
    "complete": "every instance with a valid response from every compared model",
    "single": "the same without benchmarks that join two behaviours (AND)",
    "catalogue": "the same without benchmarks that join two behaviours (AND) and without specifications written for one query",
}


class Subsets:
    """The compared instances and the parts of them that analyses use."""

    def __init__(self, complete: Matrix) -> None:
        self.matrices = {name: subset(complete, name) for name in SAYS}

    def __getitem__(self, name: str) -> Matrix:
        return self.matrices[name]

    def told(self) -> dict[str, Any]:
        """Every subset with the ids of its instances by benchmark."""
        found: dict[str, Any] = {}
        for name, data in self.matrices.items():
            ids: dict[str, list[str]] = {}
            for item in data.items:
                ids.setdefault(item.benchmark, []).append(item.instance)
            found[name] = {
                "says": SAYS[name],
                "benchmarks": len(ids),
                "instances": len(data.items),
                "sessions": data.sessions,
                "ids": ids,
            }
        return found
