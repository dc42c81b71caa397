"""A call to the recorded name, or to one that is not on a recorded list, violates; calls to tools of that list alone satisfy."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tracedance.schema import Turn

_PRETENDED = re.compile(
    r"<(?:tool_calls?|invoke|function(?:_calls)?)\b"
    r"|\"(?:tool|function|name)\"\s*:\s*\"\w+\"\s*,\s*\"(?:arguments|parameters|input)\""
)
"""Text that looks like a call."""


def check(context: Sequence[Turn], response: Turn, facts: Mapping[str, Any]) -> Literal["violates", "satisfies", "undecided"]:
    """Without a recorded list any other name may be on offer: undecided. So is a turn without calls, or with text that looks like one."""
    names = [call.name for call in response.calls]
    declared = facts.get("declared")
    if any(name == facts.get("tool") or (declared is not None and name not in declared) for name in names):
        return "violates"
    return "satisfies" if names and declared is not None and not _PRETENDED.search(response.text) else "undecided"
