"""`agent-behavior-contract/v0`: the formal contract C = (P, I, G, R) behind a runnable spec, as people write it.

The seed names the form and the four letters and prints no document. Our reading, after the framework it cites:

P  preconditions: what must have happened before a consequential step.
I  invariants: what holds of every run that counts as done.
G  governance: what the agent may not do, and how much it may spend.
R  recovery: what it does after something failed, and how often it may try.

Each clause says in words what it asks for, and may hold a rule that a machine can check; a rule stands under the letter whose meaning it
has. What no rule says, and the few rules that `behavior-spec/v0` has no field for, `contract compile` lists.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, model_validator

from tracedance.schema.behavior_spec import Order, ToolName
from tracedance.schema.record import Record


class Rule(Record):
    """What of a clause a machine can check: one field at least, each a demand of its own."""

    @model_validator(mode="after")
    def _asks(self) -> Self:
        if all(getattr(self, name) is None for name in type(self).model_fields):
            raise ValueError(f"a rule needs one of {', '.join(type(self).model_fields)}")
        return self


class PreconditionRule(Rule):
    order: Order | None = None
    """No successful `after` without a successful `before` earlier in the run."""


class InvariantRule(Rule):
    required_tools: tuple[ToolName, ...] | None = Field(default=None, min_length=1)
    expected_output: Mapping[str, JsonValue] | None = Field(default=None, min_length=1)
    """Field of the canonical output -> its value."""


class GovernanceRule(Rule):
    forbidden_tools: tuple[ToolName, ...] | None = Field(default=None, min_length=1)
    max_path_length: int | None = Field(default=None, ge=0)
    max_errors: int | None = Field(default=None, ge=0)


class Recovers(Record):
    """After a step of this name failed, a successful `then` follows within so many steps."""

    after_error_of: ToolName
    then: ToolName
    within: int = Field(ge=1)


class RecoveryRule(Rule):
    max_retries: int | None = Field(default=None, ge=0)
    recovers: Recovers | None = None
    """`behavior-spec/v0` has no field for it."""


class Clause(Record):
    """One demand."""

    id: str = Field(min_length=1, max_length=80)
    says: str = Field(min_length=1)
    """The demand in words."""
    strength: Literal["hard", "soft"] = "hard"
    """`soft`: it may be broken where that is made good. A spec's invariants are all hard, so that a soft clause stays out of it."""


class Precondition(Clause):
    rule: PreconditionRule | None = None


class Invariant(Clause):
    rule: InvariantRule | None = None


class GovernanceClause(Clause):
    rule: GovernanceRule | None = None


class RecoveryClause(Clause):
    rule: RecoveryRule | None = None


class Satisfaction(Record):
    """In what share of runs the contract holds, at least; without it, in every run that is judged."""

    pass_rate: Annotated[float, Field(gt=0, lt=1)]


AnyClause = Precondition | Invariant | GovernanceClause | RecoveryClause


class BehaviorContract(Record):
    """The whole contract."""

    schema_version: Literal["agent-behavior-contract/v0"]
    id: str = Field(min_length=1)
    name: str = ""
    preconditions: tuple[Precondition, ...] = ()
    invariants: tuple[Invariant, ...] = ()
    governance: tuple[GovernanceClause, ...] = ()
    recovery: tuple[RecoveryClause, ...] = ()
    satisfaction: Satisfaction | None = None

    @model_validator(mode="after")
    def _clauses(self) -> Self:
        ids = [clause.id for _, clause in self.clauses()]
        if not ids:
            raise ValueError("it has no clause: give preconditions, invariants, governance or recovery")
        if twice := next((name for place, name in enumerate(ids) if name in ids[:place]), None):
            raise ValueError(f"two clauses have the id {twice!r}")
        return self

    def clauses(self) -> Iterator[tuple[str, AnyClause]]:
        """Every clause with its letter, in the order of the letters."""
        parts: tuple[Sequence[AnyClause], ...] = (self.preconditions, self.invariants, self.governance, self.recovery)
        for letter, part in zip("PIGR", parts, strict=True):
            yield from ((letter, clause) for clause in part)
