"""From the formal contract C = (P, I, G, R) to the spec that the gate runs, with a list of what is lost on the way."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tracedance import yamlfile
from tracedance.errors import InputError
from tracedance.gate.contracts.writing import comment, spec_text
from tracedance.schema import BehaviorContract
from tracedance.schema.behavior_contract import AnyClause

LETTERS = {"P": "preconditions", "I": "invariants", "G": "governance", "R": "recovery"}
NO_RULE = "it has no rule that a machine can check"
SOFT = "it is soft, and a spec's invariants are all hard"
NO_FIELD = "behavior-spec/v0 has no field for it"


@dataclass(frozen=True)
class Unexpressed:
    """A clause, or one rule of it, that the spec does not hold."""

    letter: str
    clause: str
    rule: str | None
    """None stands for the whole clause."""
    says: str
    why: str


@dataclass(frozen=True)
class Compiled:
    """What became of a contract."""

    text: str
    """The spec as YAML."""
    clauses: int
    unexpressed: tuple[Unexpressed, ...]


def read_contract(path: Path) -> BehaviorContract:
    """A contract from its file (JSON or YAML); InputError with file, line and column for anything else."""
    found = yamlfile.read(path, "Write an agent-behavior-contract/v0: docs/agent-behavior-contract.md.", caps=yamlfile.SMALL)
    try:
        return found.strictly(BehaviorContract)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        name = ".".join(str(part) for part in first["loc"]) or "the contract"
        said = first["msg"].removeprefix("Value error, ")
        where = "Each letter has rules of its own: docs/agent-behavior-contract.md."
        raise InputError(f"{found.at(first['loc'])}: {name!r}: {said}. {where}") from None


def compile_contract(contract: BehaviorContract) -> Compiled:
    """The runnable spec of a contract. InputError where no clause can be expressed: such a spec would pass everything."""
    invariants: dict[str, Any] = {}
    lost: list[Unexpressed] = []
    for letter, clause in contract.clauses():
        lost += _take(letter, clause, invariants)
    if not invariants:
        raise InputError(
            f"No clause of the contract {contract.id!r} has a hard rule that a spec can hold. Give one a 'rule', then compile again."
        )
    values: dict[str, Any] = {
        "schema_version": "behavior-spec/v0",
        "id": _spec_id(contract.id),
        "name": contract.name,
        "invariants": invariants,
    }
    if contract.satisfaction is not None:
        values["thresholds"] = {"min_wilson_pass_rate": contract.satisfaction.pass_rate, "violating_runs": "count"}
    clauses = len(list(contract.clauses()))
    head = [f"Compiled from the contract {contract.id!r} by 'tracedance contract compile': change the contract, and compile it again."]
    head += ["Not in this spec, so that no gate checks it:"] if lost else []
    head += [f"  {each.letter} {each.clause}{f' ({each.rule})' if each.rule else ''}: {each.why}" for each in lost]
    return Compiled(spec_text(values, "\n".join(map(comment, head))), clauses, tuple(lost))


def _take(letter: str, clause: AnyClause, invariants: dict[str, Any]) -> list[Unexpressed]:
    """Add a clause's rules to the invariants; what cannot be added."""
    if clause.rule is None or clause.strength == "soft":
        return [Unexpressed(letter, clause.id, None, clause.says, NO_RULE if clause.rule is None else SOFT)]
    given = clause.rule.model_dump(mode="json", exclude_none=True)
    lost = [Unexpressed(letter, clause.id, name, clause.says, NO_FIELD) for name in given if name == "recovers"]
    for name, value in given.items():
        if name != "recovers":
            _add(name, value, invariants, clause.id)
    return lost


def _add(name: str, value: Any, invariants: dict[str, Any], clause: str) -> None:
    """Join one demand to what stands there already: lists grow, of two limits the lower one holds."""
    if name == "order":
        orders = invariants.setdefault("required_order", [])
        orders += [value] if value not in orders else []
    elif name == "expected_output":
        wanted = invariants.setdefault(name, {})
        if twice := next((field for field in value if field in wanted and wanted[field] != value[field]), None):
            raise InputError(f"The clause {clause!r} wants another value of {twice!r} than a clause before it. Mend one of them.")
        wanted.update(value)
    elif isinstance(value, list):
        names = invariants.setdefault(name, [])
        names += [each for each in value if each not in names]
    else:
        invariants[name] = min(value, invariants.get(name, value))


def _spec_id(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name)
