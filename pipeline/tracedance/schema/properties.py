"""Properties of a session, or of its state at the cut, that a request may be limited to."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Literal

from pydantic import SerializerFunctionWrapHandler, field_validator, model_serializer

from tracedance.schema.record import Record
from tracedance.schema.session import Setting

Comparison = Literal["gt", "ge", "lt", "le", "eq"]
Bound = Mapping[Comparison, int]
"""All of it must hold: `{"gt": 200}`, `{"ge": 10, "le": 20}`."""


class TraceProperties(Record):
    """What of a session's own figures a request is limited to; all that is named must hold. Only what is named is written out."""

    n_turns: Mapping[Comparison, int] = {}
    n_user_authored_turns: Mapping[Comparison, int] = {}
    """Turns that a person wrote: what the harness says in the user's role does not count."""
    n_tool_calls: Mapping[Comparison, int] = {}
    approx_tokens: Mapping[Comparison, int] = {}
    """Tokens of the whole session, at four characters each."""
    n_errors: Mapping[Comparison, int] = {}
    """Calls that ran and failed, in the whole session."""
    cut_turn: Mapping[Comparison, int] = {}
    """Turns before the decision."""
    context_tokens_at_cut: Mapping[Comparison, int] = {}
    """Tokens of what the model saw at the decision."""
    n_errors_before_cut: Mapping[Comparison, int] = {}
    """Calls that had failed before the decision, in what the model still saw."""
    harness: tuple[str, ...] = ()
    """One of these recorded it."""
    model: tuple[str, ...] = ()
    """The name of the model that decided, or its beginning, is one of these."""
    tools: tuple[str, ...] = ()
    """Each was called in the session."""
    setting: tuple[Setting, ...] = ()
    started: Mapping[Literal["ge", "lt"], str] = {}
    """Days, `2026-03-01`: from, and before."""
    language: tuple[str, ...] = ()
    """ISO 639-1 code of what the user writes in."""

    @field_validator("started")
    @classmethod
    def are_days(cls, value: Mapping[str, str]) -> Mapping[str, str]:
        for day in value.values():
            date.fromisoformat(day)
        return value

    @property
    def named(self) -> dict[str, Any]:
        """The properties that are limited, with their limits."""
        return {name: getattr(self, name) for name in type(self).model_fields if getattr(self, name)}

    @model_serializer(mode="wrap")
    def only_what_is_named(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in handler(self).items() if value}
