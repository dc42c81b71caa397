"""The anchors on real sessions: they raise nothing, and no session without its condition has a hit."""

from pathlib import Path

from tracedance.catalogue import families
from tracedance.ingest.read import files, read
from tracedance.kit import rows
from tracedance.privacy.redactor import Redactor


def test_conditions_are_necessary_on_real_sessions(real_traces: Path) -> None:
    opportunities = dict.fromkeys(families(), 0)
    for path in files([real_traces / "claude_code", real_traces / "codex"]):
        for session in read(path, Redactor(b"k" * 32)).sessions:
            held = rows.rows(session)
            for family in families().values():
                hits = list(family.find(session))
                opportunities[family.id] += len(hits)
                assert not hits or rows.holds(family.needs, held), (family.id, session.id)
    assert all(opportunities.values()), opportunities
