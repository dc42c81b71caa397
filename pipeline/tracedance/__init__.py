"""tracedance turns recorded agent sessions into behaviour benchmarks.

    import -> store -> (query -> family) -> scan -> confirm -> cut -> assemble -> respond -> grade -> analyse -> gate -> report

Raw traces become sessions (`ingest`), kept in a columnar `store`. A behaviour family (`catalogue`: the files under anchors/ and rubrics/)
finds its places with an anchor (`scan`), each is confirmed and the session cut just before the decision (`construct`), any model
produces one next turn that is never executed and is graded by a rubric (`evaluate`), rates come with intervals (`analyse`), and a
deterministic `gate` compares two runs. `report` shows it all in one file.

For programs: `from tracedance import Contract, Trace, gate` (docs/ci.md). Nothing is loaded before it is used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tracedance.gate.public import Contract as Contract
    from tracedance.gate.public import Trace as Trace
    from tracedance.gate.public import gate as gate

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name in ("Contract", "Trace"):
        from tracedance.gate import public

        return getattr(public, name)
    if name == "gate":
        import tracedance.gate

        return tracedance.gate
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
