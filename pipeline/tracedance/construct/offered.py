"""The tools a context is offered with: those recorded, else those inferred from calls seen in its harness, and a sentence that says so."""

import json
from collections.abc import Sequence

from tracedance.kit.replay import why
from tracedance.schema import Session, Tool, ToolDefinition

FOREIGN = "mcp__"
"""Prefix of tools that a user's own servers add: only the sessions that called one are known to have had it."""


def offered(session: Session, inferred: Sequence[ToolDefinition]) -> tuple[Tool, ...]:
    """Tools by name. Inferred ones are the harness's own and, of a user's own servers, those this session called."""
    if session.tools is not None:
        definitions = list(session.tools)
    else:
        own = {call.name for call in session.calls()} | set(session.shapes)
        definitions = [definition for definition in inferred if definition.name in own or not definition.name.startswith(FOREIGN)]
    return tuple(_tool(definition) for definition in sorted(definitions, key=lambda definition: definition.name))


def replay_note(session: Session, tools: Sequence[Tool]) -> str:
    """What was recorded, inferred or absent, and how many calls stand behind what was inferred; in one sentence."""
    calls = sum(tool.inferred_from for tool in tools)
    reason = why(session.system is not None, session.tools is not None, bool(tools))
    if session.tools is not None or not tools:
        return f"{reason} ({len(tools)} tools)."
    return f"{reason} ({len(tools)} tools from {calls:,} calls seen in {session.harness or 'this harness'})."


def _tool(definition: ToolDefinition) -> Tool:
    parameters = json.dumps(definition.parameters, sort_keys=True, ensure_ascii=False)
    return Tool(name=definition.name, description=definition.description, parameters=parameters, inferred_from=definition.inferred_from)
