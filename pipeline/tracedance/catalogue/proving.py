"""What only running a family shows: its examples hold, NEEDS is necessary, guards are needed, and the anchor does not look ahead."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracedance.catalogue import confined
from tracedance.catalogue.checking import Parts, Problem, line, line_of, named, read_parts
from tracedance.catalogue.source import WORDS
from tracedance.config import build_settings
from tracedance.kit import rows, sessions
from tracedance.schema import Hit, Session

OF_CODE = {"NEEDS": ("anchors", ".py"), "anchor": ("anchors", ".py"), "check": ("rubrics", ".py")}
"""What is wrong with the code rather than with an example, and in which file."""
AFTER = 1
"""Turns behind the decision that an anchor may read: the results of the decision's own calls, never how the session went on."""


SETTINGS = build_settings()
FEWEST, DRAWN = 20, 100
"""Sessions of other families from which on the share that an anchor finds says something, and about how many are tried."""
Answer = list[tuple[Hit, tuple[str, ...]]]


@dataclass(frozen=True)
class Checked:
    """What was looked at and all that is wrong with it."""

    families: tuple[str, ...]
    problems: tuple[Problem, ...]


def check(folder: Path, others: Iterable[Session] = ()) -> Checked:
    """All families of a catalogue folder. `others` are sessions on which NEEDS is tried beside the examples in the folder.

    InputError where the folder is no catalogue.
    """
    confined.ready(folder)
    found = [read_parts(folder, frame, name) for frame, name in named(folder)]
    problems = [problem for parts in found for problem in parts.problems]
    samples = [(session, rows.rows(session)) for session in (*_all_sessions(found), *others)]
    for parts in found:
        if not parts.problems:
            problems += prove(parts, samples)
    return Checked(tuple(parts.id for parts in found), tuple(sorted(set(problems))))


def _all_sessions(found: Sequence[Parts]) -> Iterator[Session]:
    for parts in found:
        if parts.examples is not None:
            yield from (build(item) for item in parts.examples.values)


def build(item: Mapping[str, Any], turns: int | None = None) -> Session:
    """An example's session, or its first `turns` turns."""
    written = item["turns"]
    if turns is not None:
        turns += bool(written) and set(written[0]) == {"system"}
    return sessions.build(written[:turns], **{"id": str(item["name"]), **item.get("meta", {})})


def prove(parts: Parts, samples: Sequence[tuple[Session, Sequence[Mapping[str, str]]]]) -> list[Problem]:
    """Everything that running the family on its examples and on the samples shows to be wrong."""
    examples = parts.examples
    assert parts.card is not None and parts.code is not None and examples is not None
    there = parts.path("anchors", ".examples.yaml")
    before = [_answer(parts, item) for item in examples.values]
    for place, item in enumerate(examples.values):
        for key, what, cure in _tried(parts, item):
            if key in OF_CODE:
                code = parts.path(*OF_CODE[key])
                parts.add(code, line_of(code, parts.name if key == "anchor" else key), what, cure)
            else:
                parts.add(there, line(examples, (place, key)), f"{item['name']!r}: {what}", cure)
    source = parts.path("anchors", ".py")
    for what, cure in (*_unsteady(parts, before), *_always_true(parts, before, [session for session, _ in samples])):
        parts.add(source, line_of(source, parts.name), what, cure)
    for session, told in samples:
        if not rows.holds(parts.code.needs, told) and _hits(parts, session, {}):
            what = f"NEEDS is not necessary: {session.id!r} does not meet it and holds a hit"
            parts.add(source, line_of(source, "NEEDS"), what, "Widen it until every session with a hit meets it")
    return parts.problems


def _hits(parts: Parts, session: Session, params: Mapping[str, Any]) -> list[Hit]:
    assert parts.card is not None and parts.code is not None
    return list(parts.code.anchor(session, {**parts.card.parameters, **params}))


def _answer(parts: Parts, item: Mapping[str, Any]) -> Answer | None:
    """Every hit with the guards that are true of it; None where something raises."""
    assert parts.code is not None
    session = build(item)
    try:
        found = _hits(parts, session, item.get("params", {}))
        guards = sorted(parts.code.guards)
        return [(hit, tuple(name for name in guards if hit.offends and parts.code.guards[name](session, hit))) for hit in found]
    except Exception:  # a family may be anybody's code; `_tried` says what it raises
        return None


def _unsteady(parts: Parts, before: Sequence[Answer | None]) -> Iterator[tuple[str, str]]:
    """An anchor or a guard that does not say the same again: asked in the other order, and twice in a row, so that taking turns shows."""
    assert parts.examples is not None
    for item, once in reversed(list(zip(parts.examples.values, before, strict=True))):
        if any(_answer(parts, item) != once for _ in range(2)):
            what = f"the anchor or a guard finds something else in {item['name']!r} when it is asked again"
            yield what, "Let it depend on the session and the parameters alone, and keep nothing between calls"
            return


def _always_true(parts: Parts, before: Sequence[Answer | None], samples: Sequence[Session]) -> Iterator[tuple[str, str]]:
    """An anchor that finds its behaviour in every near miss, or in most sessions of whatever kind."""
    assert parts.examples is not None
    cure = "Test what makes the behaviour wrong, not only that there is a decision"
    near = [once for item, once in zip(parts.examples.values, before, strict=True) if not item.get("offends")]
    if near and all(any(hit.offends and not refused for hit, refused in once or ()) for once in near):
        yield f"the anchor finds the behaviour in all {len(near)} near misses", cure
    own = {item["name"] for item in parts.examples.values}
    strange = [session for session in samples if session.id not in own]
    if len(strange) < FEWEST:
        return
    drawn = strange[:: max(1, len(strange) // DRAWN)]
    hit = 0
    for session in drawn:
        with suppress(Exception):  # what it raises there, a scan counts
            hit += any(one.offends for one in _hits(parts, session, {}))
    if hit > SETTINGS.synthesis_most_share * len(drawn):
        yield f"the anchor finds the behaviour in {hit} of {len(drawn)} example sessions of other families", cure


def _tried(parts: Parts, item: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """(key of the example, what is wrong, cure) of one example; the keys of `OF_CODE` stand for the code."""
    session, params = build(item), item.get("params", {})
    try:
        hits = _hits(parts, session, params)
    except Exception as error:  # a family may be anybody's code
        yield "turns", f"the anchor raises {type(error).__name__}: {error}", "Let it survive any session"
        return
    for key, offends in (("offends", True), ("opportunities", False)):
        want = [hit["decision"] for hit in item.get(key) or ()]
        got = [hit.decision for hit in hits if hit.offends is offends]
        if want != got:
            yield key, f"the anchor finds {key} at {got or 'no turn'}, it says {want or 'none'}", "Correct the anchor or the example"
    if hits and not rows.holds(parts.code.needs, rows.rows(session)):  # type: ignore[union-attr]
        yield "NEEDS", f"NEEDS is not necessary: the example {item['name']!r} does not meet it and holds a hit", "Widen it"
    yield from _unfit(session, hits)
    yield from _guarded(parts, item, session, hits)
    yield from _graded(parts, session, hits)
    for hit in hits:
        if not _same_on_prefix(parts, item, hit):
            what = f"the decision at turn {hit.decision} is found otherwise where the session ends with it"
            yield "turns", what, "Let the anchor read nothing behind the decision and its results"


def _unfit(session: Session, hits: Iterable[Hit]) -> Iterator[tuple[str, str, str]]:
    for hit in hits:
        if not 0 <= hit.decision < len(session.turns) or session.turns[hit.decision].role != "assistant":
            yield "turns", f"the decision {hit.decision} is no assistant turn", "Yield only turns that hits.decides accepts"
        elif not all(session.context_start(hit.decision) <= turn < hit.decision for turn in hit.evidence):
            yield "turns", f"evidence {list(hit.evidence)} of turn {hit.decision} lies outside the context", "Name earlier turns of it"


def _guarded(parts: Parts, item: Mapping[str, Any], session: Session, hits: Iterable[Hit]) -> Iterator[tuple[str, str, str]]:
    assert parts.card is not None and parts.code is not None
    named_guards = [guard for question in parts.card.confirm for guard in question.guards]
    try:
        refusing = sorted({name for name in named_guards for hit in hits if hit.offends and parts.code.guards[name](session, hit)})
    except Exception as error:  # a guard may be anybody's code
        yield "turns", f"a guard raises {type(error).__name__}: {error}", "Let it survive any hit"
        return
    wanted = [item["refused_by"]] if "refused_by" in item else []
    if refusing != wanted:
        what = f"refused by {', '.join(refusing) or 'no guard'}, it says {', '.join(wanted) or 'none'}"
        yield "refused_by", what, "Correct the guard or the example: one guard alone refuses it"


def _graded(parts: Parts, session: Session, hits: Iterable[Hit]) -> Iterator[tuple[str, str, str]]:
    """What the check says of the recorded turns; which word is right there only a person knows."""
    for hit in hits if parts.check is not None else ():
        if not 0 <= hit.decision < len(session.turns):
            continue
        context = session.turns[session.context_start(hit.decision) : hit.decision]
        try:
            words = [parts.check(context, session.turns[hit.decision], hit.facts) for _ in range(3)]  # type: ignore[misc]
        except Exception as error:  # a check may be anybody's code
            yield "check", f"the check raises {type(error).__name__} on the example {session.id!r}: {error}", "Let it survive any turn"
            continue
        if strange := [word for word in words if word not in WORDS]:
            yield "check", f"the check says {strange[0]!r} of the example {session.id!r}", f"It may say {', '.join(WORDS)}"
        elif len(set(words)) > 1:
            yield "check", f"the check says another word of the example {session.id!r} when it is asked again", "Keep nothing between calls"


def _same_on_prefix(parts: Parts, item: Mapping[str, Any], hit: Hit) -> bool:
    """Whether the anchor says the same of a decision where the session ends with it or with its results."""
    for turns in (hit.decision + 1, hit.decision + 1 + AFTER):
        found = _hits(parts, build(item, turns), item.get("params", {}))
        if any((one.decision, one.offends) == (hit.decision, hit.offends) for one in found):
            return True
    return False
