"""What an example of `<name>.examples.yaml` may hold: the form that anything of it is read in, whoever wrote it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from tracedance.kit import sessions
from tracedance.schema import Parameters, Record
from tracedance.schema.session import Setting

KEYS = {"name", "turns", "offends", "opportunities", "refused_by", "meta", "params", "plant", "well"}
FORMS = "user, harness, compaction, text/call/calls, result(s), error"
MOST_TURNS = 10_000

Wrong = tuple[str, tuple[str | int, ...], str]
"""What is wrong, the key of the value that is, and the cure."""
Index = Annotated[int, Field(ge=0, le=MOST_TURNS)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class Decision(Record):
    """A hit that the anchor must find."""

    decision: Index


class Tool(Record):
    """A tool as offered to the model."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    inferred_from: int = Field(default=0, ge=0, le=1_000_000)


class Meta(Record):
    """Fields of the session beside its turns. Its id is the example's name."""

    format: str = ""
    source_id: str = ""
    harness: str = ""
    version: str = ""
    setting: Setting = "coding"
    cwd: str = ""
    system: str | None = None
    tools: tuple[Tool, ...] | None = None
    started: str = ""
    ended: str = ""
    parent: str = ""
    compactions: tuple[Index, ...] = ()


class Written(Record):
    """One example as written. Whether its turns are a session only building it shows."""

    name: Name
    turns: Annotated[tuple[Mapping[str, Any], ...], Field(min_length=1, max_length=MOST_TURNS)]
    offends: tuple[Decision, ...] | None = None
    opportunities: tuple[Decision, ...] | None = None
    refused_by: str = ""
    meta: Meta = Meta()
    params: Parameters = Field(default={})
    plant: Any = None
    well: Any = None


_one = TypeAdapter(Written)


def misformed(values: Sequence[Any]) -> Iterator[Wrong]:
    """Everything in the examples that is not in the form."""
    seen: set[str] = set()
    for place, item in enumerate(values):
        if not isinstance(item, dict) or not {"name", "turns"} <= set(item) <= KEYS:
            yield "is no example", (place,), f"It has a name, turns and any of {', '.join(sorted(KEYS - {'name', 'turns'}))}"
            continue
        wrong = list(_fields(place, item))
        yield from wrong
        if wrong:
            continue
        if item["name"] in seen:
            yield f"a second example is named {item['name']!r}", (place, "name"), "Rename one"
        seen.add(item["name"])
        if problem := known_turn_problem(item):
            yield problem, (place,), "Correct it, or take it out"


def _fields(place: int, item: Mapping[str, Any]) -> Iterator[Wrong]:
    try:
        _one.validate_python(item)
    except ValidationError as error:
        for one in error.errors(include_url=False, include_input=False, include_context=False)[:8]:
            key = one["loc"][0] if one["loc"] else ""
            if key in ("offends", "opportunities"):
                what, cure = f"{key!r} is no list of decisions", "Write '- decision: 3' for each, turns numbered from 0"
            else:
                what, cure = f"field {'.'.join(map(str, one['loc']))!r} is wrong ({one['msg']})", "Correct it"
            yield what, (place, *one["loc"]), cure


def unbuilt(values: Sequence[Mapping[str, Any]]) -> Iterator[Wrong]:
    """Examples in the form whose turns are no session all the same, or that name a decision behind the last turn."""
    for place, item in enumerate(values):
        try:
            built = sessions.build(item["turns"], **{"id": item["name"], **item.get("meta", {})})
        except Exception as error:  # whatever a person or a model may write there
            yield f"its turns are no session ({error})", (place, "turns"), f"Each is one of {FORMS}"
            continue
        for key in ("offends", "opportunities"):
            if any(hit["decision"] >= len(built.turns) for hit in item.get(key) or ()):
                yield f"{key!r} names a turn that is not there", (place, key), f"It has the turns 0 to {len(built.turns) - 1}"


def known_turn_problem(item: Mapping[str, Any]) -> str:
    """What is wrong with what an example says of turns whose grade is known; "" where nothing is."""
    well = item.get("well")
    if not isinstance(item.get("plant", False), bool):
        return "'plant' is neither true nor false"
    if "well" in item and not _is_turn(well):
        return "'well' is no turn with text, call or calls"
    if (well or item.get("plant")) and ("refused_by" in item or not (item.get("offends") or item.get("opportunities"))):
        return "'plant' and 'well' need a decision that stands"
    return ""


def _is_turn(written: Any) -> bool:
    """Whether it is one turn of the model in the short form."""
    if not (isinstance(written, dict) and written and set(written) <= {"text", "call", "calls"}):
        return False
    try:
        sessions.build([written])
    except Exception:  # whatever a person may write there
        return False
    return True
