"""JUnit XML: a suite for each category, a case for each check. No times: the same report gives the same bytes."""

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from tracedance.ci.telling import blocks, clean, counted
from tracedance.schema import Check, GateReport


def junit(report: GateReport, block_on_warn: bool = False) -> str:
    """`<failure>` is a FAIL (and a WARN that blocks), `<error>` an INCONCLUSIVE: the evidence is missing, not the behaviour."""
    suites = ET.Element("testsuites", name=f"tracedance gate {clean(report.spec)}")
    for category in report.categories:
        checks = [check for check in report.checks if check.category == category.name]
        if checks:
            suites.append(_suite(report, checks, block_on_warn))
    for name in ("tests", "failures", "errors"):
        suites.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    ET.indent(suites, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def _suite(report: GateReport, checks: Sequence[Check], block_on_warn: bool) -> ET.Element:
    name = clean(checks[0].category)
    suite = ET.Element("testsuite", name=f"tracedance.{name}")
    found = ET.SubElement(suite, "properties")
    for key, value in (("verdict", report.verdict), ("spec_digest", report.spec_digest), ("locked", str(report.locked).lower())):
        ET.SubElement(found, "property", name=key, value=clean(value))
    totals = {"tests": len(checks), "failures": 0, "errors": 0, "skipped": 0}
    for check in checks:
        case = ET.SubElement(suite, "testcase", classname=f"tracedance.{name}", name=clean(check.name), time="0")
        kind = "error" if counted(check) == "INCONCLUSIVE" else "failure"
        if blocks(check, block_on_warn):
            totals[f"{kind}s"] += 1
            ET.SubElement(case, kind, type=counted(check), message=clean(check.reason)).text = clean(check.reason, 4000)
        elif check.verdict != "PASS":
            ET.SubElement(case, "system-out").text = f"{counted(check)}: {clean(check.reason, 4000)}"
    for key, count in totals.items():
        suite.set(key, str(count))
    return suite
