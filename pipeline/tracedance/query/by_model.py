"""A sentence read by the model that plays `strong`: one reading, then for each behaviour three selections, each with a check of its own.

The sentence is data to every prompt. An answer that is not in the form asked for is repaired once; a reading that stays unreadable is left
to the rules. A family is taken only where all three selections and all three checks agree; else it is material for one yet to be written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from tracedance.catalogue import Family, families
from tracedance.errors import ItemError
from tracedance.query import answers, by_rule
from tracedance.query.asked import Asked
from tracedance.query.matching import Matched, matched
from tracedance.query.strong import Strong, Writer, Written, put
from tracedance.query.text import plain
from tracedance.schema import Operator, Outcome, Record, TraceProperties
from tracedance.schema.family import plain_value

UNREADABLE = "The model that reads requests gave no readable answer, twice; rules read the sentence."
MOST = 2
OPEN = ("build", "no_behaviour", "ambiguous_behaviour", "too_many_behaviours", "no_common_decision_point")
"""Readings of a sentence of which a family by name settles what they leave open."""
Verdict = Literal[
    "build",
    "no_behaviour",
    "too_many_behaviours",
    "missing_parameter",
    "ambiguous_behaviour",
    "not_observable",
    "outcome_correctness",
    "per_session_review",
    "harmful",
    "no_common_decision_point",
]
Line = Annotated[str, Field(min_length=1, max_length=600)]
Value = str | int | float | bool | list[str] | list[int]


class Reading(Record):
    """What the interpret prompt asks for."""

    outcome: Verdict
    why: str = Field(max_length=2000)
    behaviours: tuple[Line, ...] = Field(default=(), max_length=12)
    operator: Operator = "single"
    minimum: int | None = None
    maximum: int | None = None
    replayable: bool = False
    domain: str | None = Field(default=None, max_length=200)
    trace: TraceProperties = TraceProperties()
    parameters: Mapping[str, Value] = {}
    missing: tuple[Annotated[str, Field(max_length=200)], ...] = Field(default=(), max_length=12)

    @field_validator("behaviours", "missing")
    @classmethod
    def on_one_line(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(filter(None, map(plain, value)))

    @field_validator("domain")
    @classmethod
    def a_field_on_one_line(cls, value: str | None) -> str | None:
        return plain(value or "") or None

    @model_validator(mode="after")
    def agrees_with_itself(self) -> Reading:
        if self.outcome == "build" and not len(self.behaviours) >= 1:
            raise ValueError("a build needs the behaviours that are asked for")
        if self.outcome == "build" and (len(self.behaviours) == 1) != (self.operator == "single"):
            raise ValueError("one behaviour is 'single', two are 'and' or 'or'")
        return self


def read(sentence: str, known: Mapping[str, Family], strong: Strong, dry_run: bool = False) -> Asked | Outcome:
    """What `sentence` asks of the families in `known` (by id), or why nothing can be made of it. InputError (5): no model answered."""
    reading = _read(sentence, known, strong)
    if not isinstance(reading, Reading):
        return reading
    if reading.outcome != "build" or len(reading.behaviours) > MOST:
        return answers.as_read(_code(reading), reading.why, sentence, reading.behaviours, reading.missing)
    found_for = [matched(behaviour, known, strong) for behaviour in reading.behaviours]
    lacking = [one for one in found_for if not one.family]
    if not lacking:
        return _joined(sentence, reading, [one.family for one in found_for], known)
    if strong.write is None or dry_run:
        to_be_written = strong.write is not None
        cards = {name: one.card for name, one in known.items()}
        return answers.no_family(sentence, found_for, cards, (reading.model_dump(mode="json"), to_be_written))
    return _written(sentence, reading, found_for, known, strong.write)


def settled(sentence: str, known: Mapping[str, Family], strong: Strong, names: Sequence[str]) -> Asked | Outcome:
    """What `sentence` says beside the families `names`, which were named: nothing is matched. InputError (5): no model answered."""
    reading = _read(sentence, known, strong, names)
    if not isinstance(reading, Reading):
        return reading
    if reading.outcome not in OPEN:
        return answers.as_read(_code(reading), reading.why, sentence, reading.behaviours, reading.missing)
    several = reading.model_copy(update={"operator": "or" if reading.operator == "single" else reading.operator})
    return _joined(sentence, several, names, known)


def _read(sentence: str, known: Mapping[str, Family], strong: Strong, names: Sequence[str] = ()) -> Reading | Asked | Outcome:
    """The model's reading; the rules' where it gave none that can be used; a rejection for a size that cannot be."""
    try:
        told = put(strong, "interpret", Reading, {"sentence": sentence, "parameters": _parameters(known)})
    except ItemError:
        return answers.no_sentence("The sentence cannot be put to a model as data. Say it in other words.")
    if told.value is None:
        found = by_rule.read(sentence, {name: one.card for name, one in known.items()}, names)
        return found.model_copy(update={"message": f"{found.message} {UNREADABLE}"}) if isinstance(found, Outcome) else _noted(found)
    return answers.size_that_cannot_be(told.value.minimum, told.value.maximum, sentence) or told.value


def _code(reading: Reading) -> str:
    return "too_many_behaviours" if reading.outcome == "build" else reading.outcome


def _written(sentence: str, reading: Reading, found: Sequence[Matched], known: Mapping[str, Family], write: Writer) -> Asked | Outcome:
    """The request once the families that it lacks are written; the outcome of the first that cannot be."""
    names: list[str] = []
    folders: list[Path] = []
    _, left = fitted(reading.parameters, [known[one.family] for one in found if one.family])
    alone = sum(not one.family for one in found) == 1  # of two that are written nobody knows whose a value is
    given = {name: reading.parameters[name] for name in left} if alone else {}
    told: dict[str, Written | Outcome] = {}
    for one in found:
        if not one.family and one.behaviour not in told:
            told[one.behaviour] = write(one.behaviour, one.related, given)
        made = Written(one.family, Path()) if one.family else told[one.behaviour]
        if isinstance(made, Outcome):
            about = {**made.request, "query": sentence, "interpretation": reading.model_dump(mode="json")}
            return made.model_copy(update={"request": about})
        names.append(made.id)
        folders += [] if one.family or made.catalogue in folders else [made.catalogue]
    asked = _joined(sentence, reading, names, {**known, **families(folders)})
    new = ", ".join(made for made, one in zip(names, found, strict=True) if not one.family)
    note = f"Read by a model, which also wrote {new}: no person has read that."
    return asked if isinstance(asked, Outcome) else replace(asked, catalogues=tuple(map(str, folders)), note=note)


def _joined(sentence: str, reading: Reading, found: Sequence[str], known: Mapping[str, Family]) -> Asked | Outcome:
    """The request of a sentence whose behaviours all are families; a question back where one cannot take a value that is given."""
    names = tuple(dict.fromkeys(found))
    cards = {name: known[name].card for name in names}
    values, strange = fitted(reading.parameters, [known[name] for name in names])
    if strange:
        return answers.unknown_parameters(sentence, strange, cards)
    return Asked(
        families=names,
        by="model",
        sentence=sentence,
        operator=reading.operator if len(names) > 1 else "single",
        minimum=reading.minimum,
        maximum=reading.maximum,
        replayable=reading.replayable,
        domain=reading.domain,
        trace=reading.trace,
        parameters=values,
        note="Read and matched by a model.",
    )


def fitted(given: Mapping[str, Any], families: Sequence[Family]) -> tuple[dict[str, Any], list[str]]:
    """The values in the types of the families' defaults, and the names of those that no family has or that do not fit."""
    defaults = {name: value for one in families for name, value in one.card.parameters.items()}
    values: dict[str, Any] = {}
    strange = []
    for name, value in given.items():
        try:
            values[name] = plain_value(_in_type_of(defaults[name], value))
        except (KeyError, TypeError, ValueError, OverflowError):
            strange.append(name)
    return values, strange


def _in_type_of(default: Any, value: Any) -> Any:
    if isinstance(default, list):
        return [str(one) for one in value] if isinstance(value, list) else [str(value)]
    if isinstance(default, str):
        return ",".join(map(str, value)) if isinstance(value, list) else str(value)
    if isinstance(default, bool) or isinstance(value, bool):
        if type(default) is not type(value):
            raise TypeError
        return value
    made = type(default)(value)
    if isinstance(value, float) and made != value:
        raise ValueError("no whole number")
    return made


def _parameters(known: Mapping[str, Family]) -> str:
    return "\n".join(
        f"- {one.card.title}: " + ", ".join(f"{name} (default {value})" for name, value in one.card.parameters.items())
        for one in known.values()
        if one.card.parameters
    )


def _noted(asked: Asked) -> Asked:
    return replace(asked, note=f"{asked.note} {UNREADABLE}".strip())
