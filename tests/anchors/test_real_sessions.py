"""The anchors on real sessions: they raise nothing, and no session without its condition has a hit."""

from pathlib import Path

from tracedance.catalogue import families
from tracedance.ingest.read import files, read
from tracedance.kit import rows
from tracedance.privacy.redactor import Redactor

UNFED = {
    "action/undeclared_tool_call",
    "failure/delivery_failure_unrecovered",
    "failure/reissue_without_state_check",
}
"""Families for which these sessions, most of them of strong models at coding, hold no opportunity."""


def test_conditions_are_necessary_on_real_sessions(real_traces: Path) -> None:
    opportunities = dict.fromkeys(families(), 0)
    for path in files([real_traces]):
        for session in read(path, Redactor(b"k" * 32)).sessions:
            held = rows.rows(session)
            for family in families().values():
                hits = list(family.find(session))
                opportunities[family.id] += len(hits)
                assert not hits or rows.holds(family.needs, held), (family.id, session.id)
    assert {name for name, count in opportunities.items() if not count} <= UNFED
