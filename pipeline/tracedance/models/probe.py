"""One small question to a model, only when a person asks for it: whether it answers, takes tools, and what to do when it does not.

A probe is a paid call of some twenty tokens. It is in no ledger: nothing but the answer "reached" comes of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tracedance.errors import InputError
from tracedance.models.call import call, reachable
from tracedance.models.config import Models
from tracedance.models.fitting import no_tools
from tracedance.schema import ModelRequest

QUESTION = ({"role": "user", "content": "Answer with the one word: ready"},)
TOOL = {
    "type": "function",
    "function": {
        "name": "note",
        "description": "Notes a word.",
        "parameters": {"type": "object", "properties": {"word": {"type": "string"}}},
    },
}
ROOM = 16
"""Most tokens of the answer; OpenAI refuses less."""
CURES = (
    (r"key was refused|access was refused|api.?key not valid|incorrect api key|invalid x-api-key", "Set {key} to a valid key."),
    (r"no such model|does not exist|is not found", "Check the model's name as the provider spells it, and api_base."),
    (r"no connection", "Start the provider, or correct api_base (an address without a path often lacks /v1)."),
    (r"no answer .* within|lost", "Try again later, or raise timeout in the entry."),
    (r"tool|function", "If it takes no tool calls, write 'tracedance: {{tools: false}}' in its entry and do not evaluate it."),
    (r"too many requests|quota|credit|billing", "Wait, or raise the account's limit."),
)
"""What providers say, in lower case, and what helps."""


@dataclass(frozen=True)
class Probed:
    """What came of a probe."""

    reached: bool
    said: str
    """What was wrong and the cure, one line; "" when the model was reached."""
    version: str = ""
    """The model as the provider names it in its answer."""


def probe(name: str, models: Models) -> Probed:
    """Asks a live model. Never raises for what is wrong with it."""
    try:
        endpoint = reachable(name, models)
        tools = (TOOL,) if endpoint.capabilities.tools is not False else ()
        request = ModelRequest(model=name, messages=QUESTION, tools=tools, parameters={"max_tokens": ROOM}, purpose="probe")
        answer = call(request, models, None)
    except InputError as error:
        return Probed(False, str(error))
    if answer.status == "failed":
        return Probed(False, f"{answer.error}. {cure(answer.error, models.variable(name))}".strip())
    return Probed(True, "" if tools else no_tools(name), answer.model_version)


def cure(said: str, variable: str = "") -> str:
    """What helps against a failure, by what the provider said; "" where nothing is known to."""
    found = next((help for words, help in CURES if re.search(words, said.lower())), "")
    return found.format(key=variable or "the provider's key")
