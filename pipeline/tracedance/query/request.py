"""From what the user typed to a request the pipeline can carry out, or to an outcome that says why not and what to do instead."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracedance.catalogue import Family, families, family
from tracedance.config import build_settings
from tracedance.door.scan import in_text, in_value
from tracedance.errors import InputError
from tracedance.privacy.redactor import find_personal
from tracedance.query import answers, wording
from tracedance.query.behaviours import asked
from tracedance.query.parameters import stated
from tracedance.query.wording import Wording
from tracedance.schema import Built, Outcome, Request

MINIMUM, MAXIMUM = build_settings().minimum, build_settings().maximum
LONGEST_QUERY = 2_000
LONGEST_DOMAIN = 200
GRADES = ("replayable", "reconstructed")
NOTHING_SAID = Wording("")


def understand(query: str | None, names: Sequence[str], options: Mapping[str, Any]) -> Request | Outcome:
    """The request that `query` or the named families make.

    `options` may hold minimum, maximum, seed, domain, probe, replayable (only recorded prompts and tools), scan_only (accept what cannot be
    replayed too), parameters, catalogues (folders) and dry_run (then an Outcome `dry_run` says what would be built). An unclear sentence
    gives an Outcome `clarify`, one that fits no family an Outcome `rejected`; impossible options raise InputError.
    """
    _size(options, NOTHING_SAID)
    sentence = _sentence(query)
    if sentence is not None and names:
        raise InputError(
            "A sentence and --family were both given. Give the one or the other: the sentence is matched to a family by itself."
        )
    extra = [Path(folder) for folder in options.get("catalogues") or ()]
    if names:
        return _request(_Read([family(name, extra) for name in names], "family"), options)
    if sentence is None:
        raise InputError("Nothing was asked for. Describe a behaviour in one sentence, or name one with --family ('tracedance families').")
    return _from_sentence(sentence, families(extra), options)


@dataclass(frozen=True, slots=True)
class _Read:
    """What was asked for, however it was said."""

    chosen: Sequence[Family]
    by: str
    sentence: str | None = None
    told: Wording = NOTHING_SAID
    operator: str = "single"


def _from_sentence(sentence: str, known: Mapping[str, Family], options: Mapping[str, Any]) -> Request | Outcome:
    told = wording.read(sentence)
    cards = {name: one.card for name, one in known.items()}
    if refused := answers.beside_the_behaviour(told, sentence):
        return refused
    found = asked(told, cards)
    if not found.families:
        return answers.question_or_rejection(found.whole, sentence)
    if refused := answers.more_than_one(found, told, cards):
        return refused
    if found.operator == "and" and not options.get("dry_run"):
        return answers.not_built_together(found, told, cards)
    chosen = [known[name] for name in found.families]
    return _request(_Read(chosen, found.whole.matched_by, sentence, told, found.operator), options)


def _request(read: _Read, options: Mapping[str, Any]) -> Request | Outcome:
    minimum, maximum = _size(options, read.told)
    said = stated(read.sentence or "", {one.id: one.card for one in read.chosen})
    request = Request(
        query=read.sentence,
        families=tuple(dict.fromkeys(one.id for one in read.chosen)),
        minimum=minimum,
        maximum=maximum,
        replayability=_grades(options),
        parameters={**said, **_parameters(options.get("parameters") or {}, read.chosen)},
        seed=int(options.get("seed") or 0),
        domain=_domain(options.get("domain")),
        probe=_probe(options.get("probe")),
        matched_by=read.by,
        catalogues=tuple(str(folder) for folder in options.get("catalogues") or ()),
    )
    _refuse_secrets(request)
    return _dry_run(request, read) if options.get("dry_run") else request


def _refuse_secrets(request: Request) -> None:
    """InputError where an option holds a secret: all of a request is written down beside what it makes."""
    found = in_value({"parameters": dict(request.parameters), "catalogues": list(request.catalogues)})
    if found:
        held = "; ".join(f"{one.kind} at {one.place}" for one in found[:3])
        raise InputError(f"An option holds a secret ({held}), and requests are stored. Give it without.")


def how_matched(by: str) -> str:
    """How a sentence was matched, for the outcome's message; "" when the family was named."""
    if by == "family":
        return ""
    if by == "synthesised":
        return "No family matched: a model wrote this one for the request, and no person has read it."
    how = "words and embeddings" if by == "embedding" else "words"
    return f"Matched by {how}; of the sentence only behaviours, size and parameters are read, no further condition."


def _sentence(query: str | None) -> str | None:
    if query is None:
        return None
    shown = "".join(" " if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") else char for char in query[: LONGEST_QUERY * 50])
    sentence = " ".join(shown.split())
    if len(query) > LONGEST_QUERY * 50 or len(sentence) > LONGEST_QUERY:
        raise InputError(f"The query has {len(query):,} characters. Describe the behaviour in one sentence of at most {LONGEST_QUERY:,}.")
    held = sorted({one.kind for text in (query, sentence) for one in in_text(text)} | {kind for kind, *_ in find_personal(sentence)})
    if held:
        raise InputError(f"The query holds what must not be stored ({', '.join(held)}). Only the behaviour is read: say it without.")
    if not sentence:
        raise InputError("The query is empty. Describe a behaviour in one sentence, or name a family with --family.")
    return sentence


def _size(options: Mapping[str, Any], told: Wording) -> tuple[int, int]:
    """Fewest and most instances: as an option says, else as the sentence says, else as configured; the end that nobody named gives way."""
    low, high = (options.get(name) for name in ("minimum", "maximum"))
    wanted = [told.minimum if low is None else int(low), told.maximum if high is None else int(high)]
    said = told.minimum is not None or told.maximum is not None
    minimum = wanted[0] if wanted[0] is not None else min(MINIMUM, wanted[1]) if said and wanted[1] else MINIMUM
    maximum = wanted[1] if wanted[1] is not None else max(MAXIMUM, minimum) if said else MAXIMUM
    if minimum < 1 or maximum < 1:
        raise InputError(f"A benchmark of {min(minimum, maximum)} instances is none. Give --min and --max of at least 1.")
    if minimum > maximum:
        raise InputError(f"--min {minimum} is above --max {maximum}. Swap them, or give --max {minimum} or more.")
    return minimum, maximum


def _grades(options: Mapping[str, Any]) -> tuple[str, ...]:
    if options.get("replayable"):
        return GRADES[:1]
    return (*GRADES, "scan_only") if options.get("scan_only") else GRADES


def _parameters(given: Mapping[str, Any], chosen: Sequence[Family]) -> dict[str, Any]:
    known = {name for one in chosen for name in one.card.parameters}
    for name in given:
        if name not in known:
            raise InputError(f"No chosen family has a parameter {name!r}. There are: {', '.join(sorted(known)) or 'none'}.")
    return dict(given)


def _domain(given: Any) -> str | None:
    """The field that sessions must be about. It goes to a model in one line, so it is one line."""
    if given is None:
        return None
    said = _sentence(str(given)) or ""
    if len(said) > LONGEST_DOMAIN:
        raise InputError(f"--domain has {len(said):,} characters. Name the field in at most {LONGEST_DOMAIN}.")
    return said


def _probe(given: Any) -> int:
    wanted = build_settings().probe if given is None else int(given)
    if wanted < 0:
        raise InputError(f"--probe {wanted} is no number of places. Give 0 for no recall probe.")
    return wanted


def _dry_run(request: Request, read: _Read) -> Outcome:
    joined = " and, at the same decision, " if read.operator == "and" else " and "
    titles = joined.join(f"{one.card.title} ({one.id})" for one in read.chosen)
    each = "" if len(read.chosen) == 1 or read.operator == "and" else ", one benchmark each"
    stated = "".join(f" {name} = {value}." for name, value in request.parameters.items())
    unread = "".join(f" Not read: {condition!r}." for condition in read.told.conditions)
    size = f"{request.minimum} to {request.maximum} instances each{each}."
    message = f"Would build: {titles}, {size}{stated}{unread} {how_matched(request.matched_by)}".strip()
    groups = [request.families] if read.operator == "and" else [(name,) for name in request.families]
    made = tuple(Built(path=None, families=group, instances=None) for group in groups)
    said = {**request.model_dump(mode="json"), "operator": _operator(read), "conditions": list(read.told.conditions)}
    return Outcome(outcome="dry_run", message=message, benchmarks=made, request=said)


def _operator(read: _Read) -> str:
    return "or" if read.operator == "single" and len(read.chosen) > 1 else read.operator
