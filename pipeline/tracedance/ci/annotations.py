"""Annotations of a GitHub workflow: lines that its runner shows beside a file."""

from collections.abc import Iterator

from tracedance.ci.telling import blocks, counted, neutral
from tracedance.schema import GateReport

MOST = 10
"""A step shows ten annotations of a kind."""


def annotations(report: GateReport, spec: str, block_on_warn: bool = False) -> Iterator[str]:
    """A line for each check that blocks, then for each warning; `spec` is the file that they are shown at."""
    for kind, wanted in (("error", True), ("warning", False)):
        found = [check for check in report.checks if counted(check) != "PASS" and blocks(check, block_on_warn) is wanted]
        for check in found[: MOST if len(found) <= MOST else MOST - 1]:
            yield command(kind, f"{counted(check)} {check.name}", check.reason, spec)
        if len(found) > MOST:
            yield command(kind, "tracedance gate", f"{len(found) - MOST + 1} more checks are in the summary.", spec)


def command(kind: str, title: str, said: str, file: str) -> str:
    """One workflow command. Foreign text cannot end its line, its property or itself."""
    about = {"file": file, "title": title}
    properties = ",".join(f"{name}={_property(value)}" for name, value in about.items() if value)
    return f"::{kind} {properties}::{_data(said)}"


def _data(text: str) -> str:
    """Percent first, or what follows would be escaped twice."""
    return neutral(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
