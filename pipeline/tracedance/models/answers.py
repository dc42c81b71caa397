"""From stored bytes to an answer: a pure function, so that a better reader can go over paid answers again for nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from tracedance.kit import chain
from tracedance.schema import ModelAnswer, Usage

Kind = Literal["ok", "empty", "refused", "truncated", "malformed", "failed"]

CUT = {"length", "max_tokens", "model_length", "continuation", "model_context_window_exceeded"}
FILTERED = {
    "content_filter",
    "content_filtered",
    "refusal",
    "safety",
    "recitation",
    "blocklist",
    "prohibited_content",
    "spii",
    "sensitive",
    "guardrail_intervened",
    "error_toxic",
    "language",
    "other",
}
ENDED = {"", "stop", "tool_calls", "function_call", "end_turn", "stop_sequence", "tool_use", "complete", "tool_call", "eos", "eos_token"}
"""Finish reasons by what they say of an answer, in lower case: cut off, held back, ended by the model. Any other (`error`, `abort`,
`network_error`, one not known) beside an answer without content is the provider's failure."""


def parse(raw: bytes) -> ModelAnswer:
    """Reads one chat completion (OpenAI form, as LiteLLM gives for every provider). Never raises: what cannot be read is `malformed`."""
    try:
        body = json.loads(raw)
        choice = body["choices"][0]
        message = choice["message"]
        text = words(message.get("content"))
        calls, broken = tool_calls(message.get("tool_calls") or ())
    except (ValueError, RecursionError, KeyError, IndexError, TypeError, AttributeError):
        return ModelAnswer(status="malformed", error="the provider's answer is no chat completion")
    finish = stated(choice)
    kind = status(message, finish, bool(text.strip() or calls), broken)
    if kind == "failed":
        broken = f"the provider ended the answer with {finish[:40]!r} and no content"
    return ModelAnswer(
        status=kind,
        text=text,
        tool_calls=tuple(calls),
        finish=finish,
        model_version=str(body.get("model") or ""),
        usage=usage(body.get("usage")),
        error=broken,
    )


def as_it_came(body: bytes) -> bytes | None:
    """A body for `parse` that LiteLLM could not read, though it is a model's answer; None for one that holds no answer.

    To ask again would be to pay again, for what the model chose to say: such a body is a malformed answer, and no failure.
    """
    try:
        return body if isinstance(json.loads(body)["choices"][0]["message"], Mapping) else None
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, IndexError, TypeError):
        return None
    except (ValueError, RecursionError):  # JSON, with a number of over 4,300 digits or nested too deep
        return b"{}"


def status(message: Mapping[str, Any], finish: str, anything: bool, broken: str) -> Kind:
    """Which kind of answer this is. A cut-off answer is `truncated` even where what is left happens to be readable."""
    ended = finish.lower()
    if ended in CUT:
        return "truncated"
    if ended in FILTERED or message.get("refusal") or (message.get("provider_specific_fields") or {}).get("refusal"):
        return "refused"
    if broken:
        return "malformed"
    if not anything and ended not in ENDED:
        return "failed"
    return "ok" if anything else "empty"


def stated(choice: Mapping[str, Any]) -> str:
    """Why the answer ended, in the provider's own word: LiteLLM puts `stop` in place of what it does not know, and keeps the word."""
    mapped = str(choice.get("finish_reason") or "")
    fields = choice.get("provider_specific_fields")
    native = str((fields if isinstance(fields, Mapping) else {}).get("native_finish_reason") or "")
    return native if mapped in ("", "stop") and native else mapped


def words(content: Any) -> str:
    """The text of a message: a string, or parts of which those of type text count."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part.get("type") == "text")


def tool_calls(calls: Any) -> tuple[list[dict[str, str]], str]:
    """The calls with their arguments as canonical JSON text, and what is wrong with the first that is no proper call.

    A call that cannot be read keeps its text, so that a person can see it.
    """
    read, broken = [], ""
    for number, call in enumerate(calls):
        name = str(call["function"].get("name") or "")
        given = call["function"].get("arguments")
        arguments, problem = canonical(given)
        if not name:
            problem = "a tool call without a name"
        broken = broken or problem
        read.append({"id": str(call.get("id") or f"call_{number}"), "name": name, "arguments": arguments})
    return read, broken


def canonical(arguments: Any) -> tuple[str, str]:
    """Arguments as JSON text with sorted keys, or as they came with the reason why they are none."""
    try:
        parsed = json.loads(arguments or "{}") if not isinstance(arguments, Mapping) else arguments
    except (ValueError, RecursionError, TypeError):
        return str(arguments), "tool arguments that are no JSON"
    if not isinstance(parsed, Mapping):
        return str(arguments), "tool arguments that are no JSON object"
    return chain.canonical(parsed), ""


def usage(stated: Any) -> Usage:
    """Token counts as stated; what is absent or absurd stays unknown."""
    if not isinstance(stated, Mapping):
        return Usage()
    given, said = stated.get("prompt_tokens_details"), stated.get("completion_tokens_details")
    return Usage(
        input=count(stated.get("prompt_tokens")),
        cached=count(given.get("cached_tokens")) if isinstance(given, Mapping) else None,
        output=count(stated.get("completion_tokens")),
        reasoning=count(said.get("reasoning_tokens")) if isinstance(said, Mapping) else None,
    )


def count(value: Any) -> int | None:
    """A number of tokens, or None for what is none: `True`, a fraction, a negative, or more than any model takes."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else None
