"""From what the user typed to a request the pipeline can carry out, or to an outcome that says why not and what to do instead."""

import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tracedance.catalogue import Family, families, family
from tracedance.config import build_settings
from tracedance.door.scan import in_text, in_value
from tracedance.errors import InputError
from tracedance.privacy.redactor import find_personal
from tracedance.query import embedding
from tracedance.query.match import Match, match
from tracedance.schema import Near, Outcome, Request
from tracedance.schema.request import Reason

MINIMUM, MAXIMUM = build_settings().minimum, build_settings().maximum
LONGEST_QUERY = 2_000
GRADES = ("replayable", "reconstructed")


UNRELATED = "anything"
"""The neighbour that stands for sentences about no behaviour at all; naming it would help nobody."""


def understand(query: str | None, names: Sequence[str], options: Mapping[str, Any]) -> Request | Outcome:
    """The request that `query` or the named families make.

    `options` may hold minimum, maximum, seed, replayable (only recorded prompts and tools), scan_only (accept what cannot be replayed too),
    parameters, catalogues (folders) and dry_run (then an Outcome `dry_run` says what would be built). An unclear sentence gives an
    Outcome `clarify`, one that fits no family an Outcome `rejected`; impossible options raise InputError.
    """
    minimum, maximum = _size(options)
    catalogues = tuple(str(folder) for folder in options.get("catalogues") or ())
    extra = [Path(folder) for folder in catalogues]
    sentence = _sentence(query)
    if sentence is not None and names:
        raise InputError(
            "A sentence and --family were both given. Give the one or the other: the sentence is matched to a family by itself."
        )
    if names:
        chosen, by = [family(name, extra) for name in names], "family"
    elif sentence is None:
        raise InputError("Nothing was asked for. Describe a behaviour in one sentence, or name one with --family ('tracedance families').")
    else:
        known = families(extra)
        found = match(sentence, {name: one.card for name, one in known.items()})
        if found.kind != "one":
            return _question_or_rejection(found, sentence)
        chosen, by = [known[found.nearest[0].family]], found.matched_by
    request = Request(
        query=sentence,
        families=tuple(dict.fromkeys(one.id for one in chosen)),
        minimum=minimum,
        maximum=maximum,
        replayability=_grades(options),
        parameters=_parameters(options.get("parameters") or {}, chosen),
        seed=int(options.get("seed") or 0),
        matched_by=by,
        catalogues=catalogues,
    )
    _refuse_secrets(request)
    return _dry_run(request, chosen) if options.get("dry_run") else request


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
    how = "words and embeddings" if by == "embedding" else "words"
    return f"Matched by {how}; of the sentence only the behaviour is read, no further condition."


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


def _size(options: Mapping[str, Any]) -> tuple[int, int]:
    minimum = MINIMUM if options.get("minimum") is None else int(options["minimum"])
    maximum = MAXIMUM if options.get("maximum") is None else int(options["maximum"])
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


def _dry_run(request: Request, chosen: Sequence[Family]) -> Outcome:
    titles = " and ".join(f"{one.card.title} ({one.id})" for one in chosen)
    message = f"Would build: {titles}, {request.minimum} to {request.maximum} instances each. {how_matched(request.matched_by)}".strip()
    return Outcome(outcome="dry_run", message=message, request=request.model_dump(mode="json"))


REWORD = "say in one sentence what the agent does and what it leaves undone"
BETTER = "Words alone were compared; pip install 'tracedance[embeddings]' settles more sentences."


def _question_or_rejection(found: Match, sentence: str) -> Outcome:
    asked = {"query": sentence, "families": [near.family for near in found.near]}
    hint = "" if embedding.available() else BETTER
    if found.kind == "clarify" and found.near:
        which = "this family" if len(found.near) == 1 else f"one of {len(found.near)} families"
        named = _command(found.near)
        message = f"The sentence may mean {which}, or none. If it does: {named}. If not, {REWORD}. {hint}"
        return _outcome("clarify", "ambiguous_behaviour", message, (found.near, asked))
    return _outcome("rejected", "no_family_matches", f"{_why_none(found)} {hint if found.intelligible else ''}", (found.nearest, asked))


def _why_none(found: Match) -> str:
    if not found.intelligible:
        return f"The sentence names no behaviour of an agent: {REWORD}. 'tracedance families' lists what there is."
    known = found.neighbour and found.neighbour != UNRELATED
    what = f"It is closest to {found.neighbour.replace('_', ' ')!r}, for which there is no family. " if known else ""
    nearest = f"; the nearest: {_command(found.near)}" if found.near else ""
    return f"No family matches the sentence. {what}'tracedance families' lists all{nearest}."


def _command(near: Sequence[Near]) -> str:
    return " or ".join(f"tracedance build --family {one.family}" for one in near)


def _outcome(kind: Any, reason: Reason, message: str, about: tuple[tuple[Near, ...], Mapping[str, Any]]) -> Outcome:
    nearest, asked = about
    return Outcome(outcome=kind, reason=reason, message=message.strip(), nearest=nearest, request=asked)
