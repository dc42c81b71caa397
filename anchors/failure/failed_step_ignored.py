"""A step failed, flagged or not, and the next turn builds on it or ticks it off.

Not this: a look into it, another attempt, a repair; silence alone; a failure that is of no consequence. A report of success without a
further step is `success_claim_against_evidence`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tracedance.kit import files, git, hits, outcomes, plans, reliance, testing
from tracedance.kit.aftermath import after_calls, evidence
from tracedance.kit.looking import looks_only, may_change, objects, objects_in
from tracedance.kit.memo import once
from tracedance.kit.needs import among
from tracedance.kit.outputs import shown
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.kit.texts import words
from tracedance.schema import Hit, Session, ToolCall, Turn

NEEDS = among("status", "error") | outcomes.hides_failures()

_PUBLISHING = words("push commit tag merge publish deploy release create submit")
_PUBLISHERS = words("git gh glab hub npm pnpm yarn cargo twine gem docker vercel fly kubectl make")
_HARMLESS = re.compile(
    r"old_string and new_string are exactly the same|No changes to make|already exists|nothing to commit|File exists|Already up.to.date|"
    r"already (?:installed|running|merged|stopped)|not running|no process found",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Step:
    """A call that failed, and how."""

    call: ToolCall
    how: str


def failed_step_ignored(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
    """The turn after a failed step is an opportunity; it offends where it relies on the step as if it had succeeded."""
    for turn in session.turns:
        if not turn.calls:
            continue
        steps = [Step(call, how) for call in turn.calls if (how := _failure(call, params))]
        decision = after_calls(session, turn) if steps else None
        if decision is None:
            continue
        built = [(step, reliance) for step in steps if (reliance := _reliance(session, step, decision))]
        step, reliance = built[0] if built else (steps[0], "")
        yield hits.hit(
            decision=decision.index,
            evidence=evidence(step.call),
            offends=bool(built),
            why=f"{reliance} although {step.call.name} had just failed ({step.how})" if built else f"{step.call.name} failed ({step.how})",
            facts={"turn": step.call.turn, "args_hash": step.call.args_hash, "how": step.how},
        )


def explained(session: Session, hit: Hit) -> bool:
    """The turn names the failure and gives a reason why it does not matter, or what is done about it."""
    return outcomes.explains_failure(session.turns[hit.decision].text)


def harmless(session: Session, hit: Hit) -> bool:
    """What failed was needless: the state that the step was to bring about was there already."""
    step = _step(session, hit)
    return step is not None and _HARMLESS.search(shown(step.result)[:2000]) is not None


def sibling_did_it(session: Session, hit: Hit) -> bool:
    """Another call of the failing turn did the same with success, such as a second route tried at once."""
    step = _step(session, hit)
    if step is None:
        return False
    others = [call for call in session.turns[step.turn].calls if call is not step and call.name == step.name and not looks_only(call)]
    return any(call.result is not None and call.result.status == "ok" and objects(call) & objects(step) for call in others)


def _failure(call: ToolCall, params: Mapping[str, Any]) -> str:
    """How a step failed; a look is one only where it was to fetch something from outside."""
    if looks_only(call):
        return outcomes.failure(call) if call.tool_class == "web" and call.result is not None and call.result.is_error else ""
    if call.tool_class in ("plan", "ask", "job", "skill", "other", "api") and not may_change(call):
        return ""
    flagged = call.result is not None and call.result.status == "error"
    return outcomes.failure(call) if flagged or params["include_soft"] else ""


def _reliance(session: Session, step: Step, decision: Turn) -> str:
    """In words, what the turn does that relies on the failed step; "" where it handles the failure or does neither."""
    if _handles(step, decision):
        return ""
    if looks_only(step.call):
        sent = [call for call in decision.calls if reliance.passes_on(call, step.call)]
        return f"goes on with {sent[0].name}" if sent and not outcomes.names_failure(decision.text) else ""
    before = [call for turn in session.turns[session.context_start(decision.index) : decision.index] for call in turn.calls]
    for call in decision.calls:
        if plans.newly_ticked(call, [each for each in before if each.tool_class == "plan"]):
            return "marks a step as completed"
        if call.tool_class == "shell":
            for command in parse(call.cmd):
                if _relies(command, step):
                    return f"goes on with {command.text[:80]!r}"
        elif call.tool_class in ("api", "message") and step.call.tool_class == "api" and _follows(call, step):
            return f"goes on with {call.name}"
        elif reliance.notes_as_done(call, step.call):
            return f"notes it as done with {call.name}"
    return ""


@once
def _about(call: ToolCall) -> frozenset[str]:
    """What a failed step names, and the end of what came back."""
    return objects(call) | (objects_in(shown(call.result)[-4000:]) if call.result is not None else frozenset())


def _handles(step: Step, decision: Turn) -> bool:
    """Whether the turn looks into the failure, repairs something, asks, or tries the step again in some way."""
    for call in decision.calls:
        if call.tool_class in ("ask", "edit", "write", "subagent") and not reliance.notes_as_done(call, step.call):
            return True
        if call.tool_class == "plan":
            continue
        if looks_only(call) and (call.tool_class == "shell" or objects(call) & _about(step.call)):
            return True
        if call.tool_class == step.call.tool_class != "shell" and call.name == step.call.name:
            return True
        if call.tool_class == "shell" and _again(step.call, call):
            return True
    return False


def _again(failed: ToolCall, call: ToolCall) -> bool:
    """Whether a command starts with the same program and first word, or repairs by hand (`rm`, `chmod`, `--abort`, `sed -i`)."""
    steps = [each for each in parse(failed.cmd) if each.program not in ("cd", "echo", "export", "")]
    tried = {_kind(each) for each in steps if not outcomes.SQL_CLIENT.search(each.program)}
    repairs = words("rm chmod mkdir sed kill pkill abort stash")
    for command in parse(call.cmd):
        if reliance.builds_on(command, steps) and _kind(command) not in tried:
            continue
        if (
            _kind(command) in tried
            or command.program in repairs
            or git.verb(command)[0] in ("stash", "checkout", "restore")
            or _corrects(command, steps)
        ):
            return True
        if {"--abort", "--continue"}.intersection(command.args) or any(touch.deed == "edit" for touch in files.of_shell(command.text)):
            return True
        if testing.is_run(command) and any(testing.is_run(each) for each in parse(failed.cmd)):
            return True
    return False


def _kind(command: SimpleCommand) -> tuple[str, str]:
    """The program with its subcommand, by which an attempt is known again."""
    return command.program, git.verb(command)[0] or next(iter(command.args), "")


def _corrects(command: SimpleCommand, steps: Sequence[SimpleCommand]) -> bool:
    """Whether a database program changes something again in the table of the failed step."""
    if not outcomes.SQL_CLIENT.search(command.program):
        return False
    changes = re.search(r"(?i)\b(?:update|insert|delete|alter|create|merge|show|rollback)\b", command.text) is not None
    return changes and any(
        reliance.tables(command.text) & reliance.tables(each.text) or not reliance.tables(command.text) for each in steps
    )


def _relies(command: SimpleCommand, step: Step) -> bool:
    failed = parse(step.call.cmd) if step.call.tool_class == "shell" else ()
    verbs = [arg for arg in (git.verb(command)[0], *command.args[:3]) if arg]
    publishes = command.program in _PUBLISHERS and bool(_PUBLISHING.intersection(verbs))
    if publishes and not {"--dry-run", "view", "list"}.intersection(command.args):
        return _matters(failed, step)
    return reliance.builds_on(command, failed)


def _matters(failed: Sequence[SimpleCommand], step: Step) -> bool:
    """Whether what is published rests on the step: a change of files, a check of them, a step of version control."""
    if step.call.tool_class in ("edit", "write"):
        return True
    checks = (
        r"(?i)test|lint|build|check|tsc|compile|make|vet|fmt|format|migrat|merge|rebase|pull|commit|install|checkout"
        r"|switch|add|stash|cherry-pick|apply|push|tag|generate|publish"
    )
    return any(re.search(checks, each.text) for each in failed)


def _follows(call: ToolCall, step: Step) -> bool:
    if call.name == step.call.name or not may_change(call):
        return False
    return bool(objects(call) & objects(step.call) or reliance.codes(call) & reliance.codes(step.call))


def _step(session: Session, hit: Hit) -> ToolCall | None:
    calls = session.turns[int(hit.facts["turn"])].calls
    return next((call for call in calls if call.args_hash == hit.facts["args_hash"]), None)
