"""Copilot CLI's events: which types are read, and what must be known of a whole log before its events are read one by one."""

from typing import Any

import msgspec

from tracedance.ingest.building import text_of
from tracedance.ingest.parts import WIPED, known, listed

_SESSION = """
start resume error idle info warning title_changed model_change mode_changed plan_changed todos_changed permissions_changed
workspace_file_changed context_changed truncation snapshot_rewind shutdown usage_info usage_checkpoint compaction_start task_complete
auto_mode_resolved auto_tier_recommendation auto_tier_switch_failed remote_steerable_changed schedule_created schedule_cancelled
schedule_rearmed autopilot_objective_changed mode_notice_delivered session_limits_changed binary_asset completion_receipt
tools_updated background_tasks_changed skills_loaded custom_agents_updated mcp_servers_loaded mcp_server_status_changed
mcp_server_removed mcp_tools_list_changed extensions_loaded managed_settings_resolved managed_settings_enforced
"""
_OTHER = """
assistant.turn_start assistant.turn_end assistant.intent assistant.usage assistant.idle assistant.message_start assistant.message_delta
assistant.reasoning_delta assistant.streaming_delta assistant.tool_call_delta tool.execution_progress tool.execution_partial_result
tool_search.activated skill.invoked subagent.started subagent.configured subagent.completed subagent.failed subagent.selected
subagent.deselected hook.start hook.end hook.progress permission.requested permission.completed permission.carried_forward
user_input.requested user_input.completed elicitation.requested elicitation.completed external_tool.requested external_tool.completed
sampling.requested sampling.completed mcp.oauth_required mcp.oauth_completed command.queued command.execute command.completed
auto_mode_switch.requested auto_mode_switch.completed exit_plan_mode.requested exit_plan_mode.completed pending_messages.modified
commands.changed capabilities.changed model.call_failure model.call_finished custom.notification
"""
IGNORED = frozenset(f"session.{name}" for name in _SESSION.split()) | frozenset(_OTHER.split())
"""Event types that the model is shown nothing of, or that repeat what others say."""
_READ = """
system.message system.notification user.message assistant.message assistant.reasoning tool.user_requested tool.execution_start
tool.execution_complete session.compaction_complete session.handoff session.context_cleared abort
"""
READ = frozenset(_READ.split())
"""Event types that are read."""


class Line(msgspec.Struct):
    """An event. Fields are `Any`: the file is not ours, and a wrong type must not cost the whole line."""

    type: Any = None
    data: Any = None
    timestamp: Any = None
    agentId: Any = None


class Log:
    """What a log says as a whole: of its session, its calls and its agents."""

    def __init__(self, events: list[tuple[int, Line]]) -> None:
        self.about: dict[str, str] = {}
        self.called: set[str] = set()
        """Ids of the calls that stand in messages."""
        self.prompts: dict[str, str] = {}
        """The prompt of each call that may start a sub-agent."""
        self.refused: set[str] = set()
        """Ids of the calls that the user refused."""
        self._starters: dict[str, str] = {}
        """The call that started each agent."""
        asked: dict[str, str] = {}
        for _, line in events:
            data = line.data if isinstance(line.data, dict) else {}
            call = text_of(data.get("toolCallId"))
            if line.type in ("session.start", "session.resume"):
                self._describe(data)
            elif line.type == "assistant.message":
                self._message(data)
            elif line.type == "subagent.started" and isinstance(line.agentId, str):
                self._starters[line.agentId] = call
            elif line.type == "permission.requested" and isinstance(data.get("permissionRequest"), dict):
                asked[text_of(data.get("requestId"))] = text_of(data["permissionRequest"].get("toolCallId"))
            elif line.type == "permission.completed" and isinstance(data.get("result"), dict):
                kind = text_of(data["result"].get("kind"))
                if kind.startswith("denied-interactively") or kind == "cancelled":
                    self.refused.add(call or asked.get(text_of(data.get("requestId")), ""))
        self.refused -= set(WIPED)

    def agent(self, line: Line) -> str:
        """The call that started the agent an event belongs to, "" for the main one."""
        data = line.data if isinstance(line.data, dict) else {}
        if line.type == "subagent.started":
            return ""
        agent = text_of(line.agentId)
        return known(data.get("parentToolCallId")) or self._starters.get(agent, agent)

    def _describe(self, data: dict[str, Any]) -> None:
        context = data.get("context") if isinstance(data.get("context"), dict) else {}
        for key, value in (
            ("source", known(data.get("sessionId"))),
            ("version", text_of(data.get("copilotVersion"))),
            ("model", text_of(data.get("selectedModel"))),
            ("cwd", text_of(context.get("cwd"))),  # type: ignore[union-attr]
        ):
            if value and key not in self.about:
                self.about[key] = value

    def _message(self, data: dict[str, Any]) -> None:
        for request in listed(data.get("toolRequests")):
            if isinstance(request, dict) and isinstance(request.get("toolCallId"), str):
                self.called.add(request["toolCallId"])
                arguments = request.get("arguments")
                if isinstance(arguments, dict) and isinstance(arguments.get("prompt"), str):
                    self.prompts[request["toolCallId"]] = arguments["prompt"]
