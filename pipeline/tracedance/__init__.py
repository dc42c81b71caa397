"""tracedance turns recorded agent sessions into behaviour benchmarks.

    import -> store -> (query -> family) -> scan -> confirm -> cut -> assemble -> respond -> grade -> analyse -> gate -> report

Raw traces become sessions (`ingest`), kept in a columnar `store`. A behaviour family (`catalogue`: the files under anchors/ and rubrics/)
finds its places with an anchor (`scan`), each is confirmed and the session cut just before the decision (`construct`), any model
produces one next turn that is never executed and is graded by a rubric (`evaluate`), rates come with intervals (`analyse`), and a
deterministic `gate` compares two runs. `report` shows it all in one file.

For programs: `from tracedance import Contract, Trace, gate` (docs/ci.md). Nothing is loaded before it is used.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from tracedance.compare.frames import Results
    from tracedance.gate.public import Contract, Trace, gate

__all__ = ["Contract", "Trace", "__version__", "gate", "results"]
__version__ = "0.1.0"


def __getattr__(name: str) -> "Any":
    if name in ("Contract", "Trace"):
        from tracedance.gate import public

        return getattr(public, name)
    if name == "gate":
        import tracedance.gate

        return tracedance.gate
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def results(*runs: "str | Path", **options: "Any") -> "Results":
    """The tables of finished evaluation runs as pandas frames: responses, votes, leaderboard, pairs, parts, ...

    `runs` are folders that `tracedance evaluate` wrote; `options` are those of `tracedance compare`: seed, pass_rule, models, samples,
    mixed, external, grouping. InputError for what cannot be read or compared.
    """
    from pathlib import Path

    from tracedance.compare.comparison import Options, read
    from tracedance.compare.frames import frames

    return frames(read([Path(run) for run in runs], Options(**options)))
