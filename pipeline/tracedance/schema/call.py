"""What goes to a model and what comes back, whichever backend answers."""

from collections.abc import Mapping
from typing import Any, Literal

from tracedance.schema.record import Record


class ModelRequest(Record):
    """One call. Everything that changes the answer is in here, and nothing else."""

    model: str
    """As the user names it: `provider/model`, an alias of models.yaml, `replay/<folder>` or `offline/<name>`."""
    messages: tuple[Mapping[str, Any], ...]
    """OpenAI chat form."""
    tools: tuple[Mapping[str, Any], ...] = ()
    parameters: Mapping[str, Any] = {}
    """temperature, max_tokens, response_format, ..."""
    purpose: Literal["confirm", "respond", "judge", "interpret", "domain", "summary", "synthesise", "review", "probe"]
    sample: int = 0
    template: str = ""
    """Digest of the prompt template it was rendered from; "" where none was."""


class Usage(Record):
    """Token counts as the provider stated them; None where it did not."""

    input: int | None = None
    cached: int | None = None
    """Those of `input` that the provider had read before."""
    output: int | None = None
    reasoning: int | None = None
    """Those of `output` that the model thought and did not say."""


class ModelAnswer(Record):
    """One parsed answer."""

    status: Literal["ok", "empty", "refused", "truncated", "malformed", "failed", "declined"]
    """`failed`: no answer could be had (infrastructure). `declined`: a scripted policy is silent. The rest is the model's doing."""
    text: str = ""
    tool_calls: tuple[Mapping[str, str], ...] = ()
    """{id, name, arguments (JSON text)}."""
    finish: str = ""
    model_version: str = ""
    usage: Usage = Usage()
    error: str = ""
    """One line, without secrets; "" when none."""
