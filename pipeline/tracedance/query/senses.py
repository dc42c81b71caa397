"""What a sentence must say to ask for a behaviour: configs/senses.yaml names for each the ways of saying it, in concepts.

A sentence about a behaviour says all that one of its ways asks for. Where one behaviour's way is part of another's, the fuller one
is meant; where two remain, the sentence is about both, or about neither for certain.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from tracedance import yamlfile
from tracedance.errors import InputError
from tracedance.query.concepts import DENIED, concepts, is_known, is_light, telling
from tracedance.resources import data

FILE = "senses.yaml"
UNKNOWN = 0.5
"""Weight of a word that no list has, as something else that the sentence may be about."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way of saying a behaviour."""

    needs: tuple[frozenset[str], ...]
    """Of each, one must be said."""
    bars: frozenset[str]
    """None of these may be said."""
    only: bool = False
    """Nothing else may be said that the behaviour's wordings do not say."""

    def found(self, said: frozenset[str]) -> frozenset[str]:
        """The concepts of `said` by which this way is met; empty if it is not."""
        if said & self.bars or not _said(self, said):
            return frozenset()
        return said & frozenset[str]().union(*self.needs)


def met(said: frozenset[str], vocabulary: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """The behaviours that `said` asks for, each with the concepts that say so.

    `vocabulary` holds what each behaviour's wordings say, by its id."""
    names = {name.split("/")[-1]: name for name in vocabulary}
    found: dict[str, frozenset[str]] = {}
    for bare, ways in senses().items():
        name = names.get(bare, bare)
        reasons = [why for way in ways if (why := way.found(said)) and _fits(way, why, said - why - vocabulary.get(name, frozenset()))]
        if reasons:
            found[name] = max(reasons, key=len)
    return {name: why for name, why in found.items() if not any(why < other for other in found.values())}


def beside(said: frozenset[str], why: frozenset[str], vocabulary: frozenset[str]) -> frozenset[str]:
    """What a sentence says beside the behaviour that it asks for, `why`, and what could change it: whatever else it denies, and what
    another behaviour turns on."""
    foreign = said - why - vocabulary
    return frozenset(name for name in foreign if name.startswith(DENIED) or name in telling())


def names(sentence: str, known: Iterable[str]) -> list[str]:
    """The families of `known` that `sentence` may ask for at once with others: what bars a way is not looked at."""
    said = concepts(sentence)
    ids = {name.split("/")[-1]: name for name in known}
    return [ids[bare] for bare, ways in senses().items() if bare in ids and any(not way.only and _said(way, said) for way in ways)]


def _said(way: Way, said: frozenset[str]) -> bool:
    return all(said & need for need in way.needs)


def _fits(way: Way, why: frozenset[str], foreign: frozenset[str]) -> bool:
    """Whether so little else is said that the sentence is still about that."""
    besides = [name for name in foreign if not is_light(name)]
    if way.only:
        return not besides
    return sum(1.0 if is_known(name) else UNKNOWN for name in besides) <= max(1, len(why) - 1)


@cache
def senses() -> Mapping[str, tuple[Way, ...]]:
    """Ways by a family's bare name, or by the name of another behaviour."""
    path = data("configs") / FILE
    raw = yamlfile.read(path, "Restore the shipped file.").values
    try:
        return {str(name): tuple(_way(str(one)) for one in ways) for part in ("families", "others") for name, ways in raw[part].items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} lacks {error} or is no list of ways. Restore the shipped file.") from error


def _way(written: str) -> Way:
    words = written.split()
    only = words[0] == "only"
    words = words[only:]
    needs = tuple(frozenset(_concept(name) for name in word.split("|")) for word in words if not word.startswith("!"))
    return Way(needs, frozenset(_concept(word[1:]) for word in words if word.startswith("!")), only)


def _concept(name: str) -> str:
    return name.replace(":", " ")
