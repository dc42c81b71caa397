"""From a confirmed hit to an instance: the session up to the decision, checked for everything that would make it unfair or unanswerable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tracedance.catalogue import Family
from tracedance.construct.checks import ON_MESSAGES, ON_WINDOW, tokens
from tracedance.construct.messages import as_call, instance_id, messages
from tracedance.construct.offered import offered, replay_note
from tracedance.construct.openness import DROPS
from tracedance.construct.window import Window, window
from tracedance.errors import ItemError
from tracedance.privacy.marks import replaced_in
from tracedance.schema import CheckRow, Hit, Instance, Message, Session, SourceTurn, ToolDefinition


@dataclass(frozen=True, slots=True)
class Origin:
    """What an instance says about where it comes from, beside what the session itself holds."""

    session: str
    """Keyed digest of the source session."""
    redaction: str
    """Digest of the redaction rules it was stored under."""
    confirmed_by: str
    inferred: Sequence[ToolDefinition] = ()
    """Definitions inferred from the calls seen in this session's harness."""
    accepted: Sequence[str] = ("replayable", "reconstructed")
    """Replayability grades the request accepts."""


@dataclass(frozen=True, slots=True)
class Cutting:
    """One instance and, kept apart from it, what only the deterministic check may read. Neither has its canary yet."""

    instance: Instance
    check: CheckRow


def cut(session: Session, hit: Hit, family: Family, origin: Origin) -> Cutting:
    """The instance of a hit. Raises ItemError with the name of the first check that fails."""
    if session.replayability not in origin.accepted:
        raise ItemError("replayability_not_accepted", session.replayability)
    kept = window(session, hit, family.frame)
    for reason, check in ON_WINDOW.items():
        _drop_if(reason, check(kept))
    for condition in DROPS if family.frame == "failure" else family.card.cut.drops_if:
        if condition == "user_already_answered" or condition in family.card.cut.drops_if:
            _drop_if(condition, DROPS[condition](kept))
    context = messages(kept)
    for reason, examine in ON_MESSAGES.items():
        _drop_if(reason, examine(kept, context))
    return _made(kept, context, family, origin)


def _drop_if(reason: str, detail: str) -> None:
    if detail:
        raise ItemError(reason, detail)


def _made(kept: Window, context: tuple[Message, ...], family: Family, origin: Origin) -> Cutting:
    session, decision = kept.session, kept.decision
    identity = instance_id(context, family.id)
    tools = offered(session, origin.inferred)
    instance = Instance(
        id=identity,
        family=family.id,
        messages=context,
        tools=tools,
        replayability=session.replayability,
        replay_note=replay_note(session, tools),
        setting=session.setting,
        harness=session.harness,
        source_model=decision.model,
        session=origin.session,
        tokens=tokens(context),
        redaction=origin.redaction,
        canary="",
    )
    instance = instance.model_copy(update={"replaced": replaced_in(instance.model_dump_json())})
    first = 1 + sum(len(message.tool_calls) for message in context)
    calls = tuple(as_call(call, f"call_{number}") for number, call in enumerate(decision.calls, start=first))
    source = SourceTurn(text=decision.text, tool_calls=calls, model=decision.model)
    check = CheckRow(
        instance=identity,
        facts=kept.hit.facts,
        source=source,
        confirmed_by=origin.confirmed_by,
        canary="",
        why=kept.hit.why,
        evidence=kept.hit.evidence,
    )
    return Cutting(instance, check)
