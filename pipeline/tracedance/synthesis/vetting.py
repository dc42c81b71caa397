"""The safety gate over a draft's code: anchor and check in the grammar for anchors, the check with its own signature."""

from __future__ import annotations

import ast

from tracedance.synthesis import gate
from tracedance.synthesis.written import FamilyDraft

TAKES = ["context", "response", "facts"]


def vetted(draft: FamilyDraft) -> list[str]:
    """Everything that the gate will not have; [] where the code may go to review."""
    found = [f"anchor, line {one.line}: {one.what}" for one in gate.problems(draft.anchor, draft.name)]
    if not draft.check.strip():
        return found
    # The gate wants an anchor: it is given one that does nothing, behind the check.
    stand_in = f"{draft.check}\n\nNEEDS = None\n\n\ndef {draft.name}(session, params):\n    return []\n"
    found += [f"check, line {one.line}: {one.what}" for one in gate.problems(stand_in, draft.name)]
    return found or _signature(draft.check)


def _signature(source: str) -> list[str]:
    made = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.name == "check"]
    if len(made) == 1 and [each.arg for each in made[0].args.args] == TAKES:
        return []
    return ["check: it is one function check(context, response, facts). Define it so, or leave the check out."]
