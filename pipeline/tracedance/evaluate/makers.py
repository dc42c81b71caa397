"""Which judges are of an evaluated model's own maker: they are known to favour their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tracedance.analyse.makers import maker
from tracedance.errors import InputError
from tracedance.models import offline, replay
from tracedance.models.config import Models
from tracedance.schema import Response


def of(names: Iterable[str], models: Models) -> dict[str, str]:
    """The maker of each model or judge by name."""
    return {name: maker_of(name, models) for name in sorted(set(names))}


def maker_of(name: str, models: Models) -> str:
    """The maker of one: by its own name, else by the LiteLLM id that the name stands for, less the route to it; else the name itself."""
    for text in (name, _model(name, models).rpartition("/")[2]):
        if text and maker(text) != text.lower():
            return maker(text)
    return name.lower()


def own(response: Response, seats: Sequence[str], makers: Mapping[str, str]) -> tuple[str, ...]:
    """The seats of the maker of a response's model; of a recorded turn, of the model that was recorded."""
    recorded = response.model == offline.SOURCE or response.model.startswith(replay.PREFIX)
    mine = maker(response.model_version) if recorded and response.model_version else makers[response.model]
    return tuple(seat for seat in seats if makers[seat] == mine)


def warnings(evaluated: Sequence[str], seats: Sequence[str], made: Mapping[str, str]) -> list[str]:
    """What a reader should know of who judges whom, a sentence each."""
    said = []
    for model in evaluated:
        mine = [seat for seat in seats if made[seat] == made[model]]
        if mine:
            said.append(
                f"{', '.join(mine)} judges {model} and is of the same maker ({made[model]}). "
                "Every grade also says what it is without that seat."
            )
    shared = sorted({made[seat] for seat in seats if sum(made[other] == made[seat] for other in seats) > 1})
    if shared:
        said.append(f"Several judges are of one maker ({', '.join(shared)}): their errors go together. Take seats of three makers.")
    if seats and len(seats) < 3:
        said.append(f"The panel has {len(seats)} of three seats.")
    return said


def _model(name: str, models: Models) -> str:
    if name.startswith((offline.PREFIX, replay.PREFIX)):
        return ""
    try:
        return models.endpoint(name).model
    except InputError:
        return ""
