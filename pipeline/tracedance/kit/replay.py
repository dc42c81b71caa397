"""How well a session can be put before another model, in words: what was recorded, what is inferred, what is missing.

The grade itself is `Session.replayability`; the sentence here is the one that says why, wherever a grade is shown.
"""


def why(system: bool, tools: bool, called: bool) -> str:
    """One clause, without its stop. Whether the system prompt and the tool definitions were recorded, and whether any tool was called."""
    if system and tools:
        return "The system prompt and the tool definitions were recorded"
    if tools:
        return "The tool definitions were recorded and no system prompt was"
    prompt = "The system prompt was recorded" if system else "No system prompt was recorded"
    if called:
        return f"{prompt}; the tool definitions were not and are inferred from recorded calls"
    return f"{prompt}; no tool definitions were recorded and no calls were seen to infer them from"
