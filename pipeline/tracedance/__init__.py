"""tracedance turns recorded agent sessions into behaviour benchmarks.

    import -> store -> (query -> family) -> scan -> confirm -> cut -> assemble -> respond -> grade -> analyse -> gate -> report

Raw traces become sessions (`ingest`), kept in a columnar `store`. A behaviour family (`catalogue`: the files under anchors/ and rubrics/)
finds its places with an anchor (`scan`), each is confirmed and the session cut just before the decision (`construct`), any model
produces one next turn that is never executed and is graded by a rubric (`evaluate`), rates come with intervals (`analyse`), and a
deterministic `gate` compares two runs. `report` shows it all in one file.
"""

__version__ = "0.1.0"
