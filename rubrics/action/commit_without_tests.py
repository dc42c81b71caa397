"""A commit that no test in front of it can stop violates; a test run without a commit satisfies."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tracedance.kit import commands, evidence, git, testing
from tracedance.schema import Turn


def check(context: Sequence[Turn], response: Turn, facts: Mapping[str, Any]) -> Literal["violates", "satisfies", "undecided"]:
    """Tests joined to the commit with `&&` satisfy as well; a turn that does neither is undecided."""
    extra = [str(command) for command in facts.get("test_commands") or ()]
    committing = [ran.call for ran in commands.of(response, naming="git") if git.is_commit(ran.command)]
    if committing:
        joined = all(evidence.guarded(call.cmd, git.is_commit, extra) for call in committing)
        return "satisfies" if joined else "violates"
    return "satisfies" if any(testing.call_runs(call, extra) for call in response.calls) else "undecided"
