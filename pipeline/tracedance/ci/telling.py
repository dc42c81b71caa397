"""What all forms share: which checks block, and foreign text with nothing in it that a reader would obey."""

from tracedance.report.visible import code, one_line
from tracedance.schema import Check, GateReport, Verdict

MOST = 600
"""Characters of one foreign text."""


def counted(check: Check) -> Verdict:
    """What a check adds to the whole: one that informs adds WARN at most, and nothing where it could not tell."""
    if check.decides:
        return check.verdict
    return "WARN" if check.verdict in ("WARN", "FAIL") else "PASS"


def blocks(check: Check, block_on_warn: bool = False) -> bool:
    """Whether a check stops what it was asked about. Some check does exactly where the gate's exit code is not 0."""
    return counted(check) in ("FAIL", "INCONCLUSIVE") or (block_on_warn and counted(check) == "WARN")


def clean(text: str, limit: int = MOST) -> str:
    """Foreign text on one line: control, bidi and format characters as codes, and those that XML has no place for."""
    return "".join(code(char) if char in "\ufffe\uffff" else char for char in one_line(text, limit))


def neutral(text: str, limit: int = MOST) -> str:
    """`clean`, and no workflow command: a runner obeys `::` at the start of a line and `##[` anywhere in it."""
    return clean(text, limit).replace("::", ": :").replace("::", ": :").replace("##[", "## [")


def headline(report: GateReport) -> str:
    """The whole in one line."""
    return (
        f"{report.verdict}: {clean(report.candidate.title, 80)} against {clean(report.baseline.title, 80)}, policy {clean(report.spec, 60)}"
    )
