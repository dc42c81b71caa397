"""What a user must switch on so that a source records the system prompt and the tool definitions too: one sentence for each format.

Switches are named as their makers document them; where a format has none, the sentence says what to record beside it.
"""

GATEWAY = "log the requests at an API gateway (request and response JSON hold the system prompt and the tools) and import that log"

EXPORTERS = {
    "claude_code": (
        "Session files never hold the system prompt or the tools. Start Claude Code with CLAUDE_CODE_ENABLE_TELEMETRY=1, "
        f"OTEL_LOGS_EXPORTER=otlp and OTEL_LOG_RAW_API_BODIES=file:DIR and import DIR, or {GATEWAY}."
    ),
    "codex": f"Rollouts hold the system prompt (base_instructions) and never the tools; {GATEWAY} (model_providers.NAME.base_url).",
    "opencode": f"Exports hold neither the system prompt nor the tools; {GATEWAY} (provider.NAME.options.baseURL).",
    "copilot_cli": (
        "Events hold the system prompt and not the tools. Start Copilot CLI with COPILOT_OTEL_ENABLED=true, "
        "COPILOT_OTEL_FILE_EXPORTER_PATH=FILE and OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true and import FILE."
    ),
    "gemini_cli": (
        "Session files hold neither. GEMINI_TELEMETRY_ENABLED=true with GEMINI_TELEMETRY_OUTFILE=FILE and "
        f"GEMINI_TELEMETRY_LOG_PROMPTS=true adds the system prompt; for the tools, {GATEWAY}."
    ),
    "pi": f"Session files hold neither the system prompt nor the tools; {GATEWAY}.",
    "openclaw": f"Session files hold neither the system prompt nor the tools; {GATEWAY}.",
    "cursor": "Transcripts hold neither the system prompt nor the tools, and no switch adds them.",
    "factory_droid": f"Session files hold neither the system prompt nor the tools; {GATEWAY}.",
    "openai_chat": "Keep the request's `tools` beside `messages` in each record, and a first message of role system.",
    "openai_calls": "Log whole requests: `tools` and the system message stand in the request, not in the response.",
    "openai_responses": "Keep the request's `instructions` and `tools` beside its `input` in each record.",
    "openai_agents": (
        "Traces name an agent's tools without their schemas. Leave OPENAI_AGENTS_TRACE_INCLUDE_SENSITIVE_DATA on, and keep the "
        "`instructions` and `tools` of each response in a trace processor of your own."
    ),
    "anthropic_messages": "Log whole requests: `system` and `tools` stand beside `messages`.",
    "langchain": "A dump of messages holds no tools: export runs from LangSmith (extra.invocation_params.tools), or keep them beside it.",
    "langsmith": "Leave LANGSMITH_HIDE_INPUTS unset and export model runs whole: extra.invocation_params.tools holds the tools.",
    "autogen": "A dump of messages holds neither: keep the agent's system_message and its tools' schemas beside it.",
    "langfuse": "Let generations record their whole input, tools included, and export observations with input and output.",
    "otel_genai": (
        "Set OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental and OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY; "
        "gen_ai.tool.definitions is opt-in: switch it on in your instrumentation (some take gen_ai_tool_definitions in the first variable)."
    ),
    "openinference": "Leave OPENINFERENCE_HIDE_INPUTS, OPENINFERENCE_HIDE_INPUT_MESSAGES and OPENINFERENCE_HIDE_LLM_TOOLS off.",
    "vercel_ai": "Turn experimental_telemetry on, recordInputs left true: model spans then hold ai.prompt.messages and ai.prompt.tools.",
    "inspect_eval": "Model events hold messages and tools; --log-model-api (INSPECT_EVAL_LOG_MODEL_API=true) keeps every raw request too.",
    "atif": "Write agent.tool_definitions and a first step of source system into each trajectory.",
    "swe_agent": "Trajectories hold the system prompt in their history and no tool definitions: keep the config's tools beside them.",
    "agentdojo": "Logs hold messages and calls, no tool definitions: dump the suite's tool schemas beside them.",
    "tau_bench": "Results hold the policy as system prompt and no tools: dump the environment's tools_info beside them.",
    "who_and_when": "Histories record neither system prompt nor tool definitions: what tools took is inferred from the calls.",
    "rjudge": "Histories hold no structured calls: they can be searched and not replayed.",
    "hangar": "Add the agent's system prompt and tool definitions to the export.",
}
"""By the importer's name."""

UNKNOWN = f"This format's own files may not hold them: {GATEWAY}."


def advice(format: str) -> str:
    """How to make a format's sessions replayable."""
    return EXPORTERS.get(format, UNKNOWN)
