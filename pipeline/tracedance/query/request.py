"""From what the user typed to a request the pipeline can carry out, or to an outcome that says why not and what to do instead."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tracedance.catalogue import Family, families, family
from tracedance.config import build_settings
from tracedance.door.scan import in_text, in_value
from tracedance.errors import InputError
from tracedance.privacy.redactor import find_personal
from tracedance.query import answers, by_rule
from tracedance.query.asked import Asked
from tracedance.query.by_model import read as by_model
from tracedance.query.by_model import settled
from tracedance.query.paragraph import paragraph
from tracedance.query.strong import Strong
from tracedance.query.text import plain
from tracedance.schema import Built, Outcome, Request

MINIMUM, MAXIMUM = build_settings().minimum, build_settings().maximum
LONGEST_QUERY = 2_000
LONGEST_DOMAIN = 200
GRADES = ("replayable", "reconstructed")


def understand(query: str | None, names: Sequence[str], options: Mapping[str, Any], strong: Strong | None = None) -> Request | Outcome:
    """The request that `query` or the named families make. With `strong` a model reads the sentence and matches it, else rules do; with
    families named, the sentence says only what is wanted beside: limits, parameters, a size, a field.

    `options` may hold minimum, maximum, seed, domain, probe, private_share, replayable (only recorded prompts and tools), scan_only (accept
    what cannot be replayed too), parameters, catalogues (folders) and dry_run (then an Outcome `dry_run` says what would be built). An
    unclear sentence gives an Outcome `clarify`, one that cannot be built an Outcome `rejected`; impossible options raise InputError.
    """
    _size(options, Asked((), "family"))
    extra = [Path(folder) for folder in options.get("catalogues") or ()]
    chosen = tuple(dict.fromkeys(family(name, extra).id for name in names))
    if chosen and query is None:
        return _request(Asked(chosen, "family", operator="or" if len(chosen) > 1 else "single"), families(extra), options)
    if query is None:
        raise InputError("Nothing was asked for. Describe a behaviour in one sentence, or name one with --family ('tracedance families').")
    sentence = _sentence(query)
    if isinstance(sentence, Outcome):
        return sentence
    known, dry = families(extra), bool(options.get("dry_run"))
    if strong:
        found = settled(sentence, known, strong, chosen) if chosen else by_model(sentence, known, strong, dry_run=dry)
    else:
        found = by_rule.read(sentence, {name: one.card for name, one in known.items()}, chosen)
    if isinstance(found, Outcome):
        return found
    return _request(found, families([*extra, *map(Path, found.catalogues)]), options)


def _request(asked: Asked, known: Mapping[str, Family], options: Mapping[str, Any]) -> Request | Outcome:
    chosen = [known[name] for name in asked.families]
    minimum, maximum = _size(options, asked)
    domain = _line(options["domain"], "--domain") if options.get("domain") is not None else asked.domain
    request = Request(
        query=asked.sentence,
        families=asked.families,
        operator=asked.operator,
        minimum=minimum,
        maximum=maximum,
        replayability=_grades(options, asked.replayable),
        parameters={**asked.parameters, **_parameters(options.get("parameters") or {}, chosen)},
        seed=int(options.get("seed") or 0),
        domain=domain,
        trace=asked.trace,
        probe=_probe(options.get("probe")),
        private_share=float(options.get("private_share") or 0),
        matched_by=asked.by,
        catalogues=(*(str(folder) for folder in options.get("catalogues") or ()), *asked.catalogues),
    )
    _refuse_secrets(request)
    request = request.model_copy(update={"reading": f"{paragraph(request, chosen)} {asked.note}".strip()})
    return _dry_run(request, chosen) if options.get("dry_run") else request


def _refuse_secrets(request: Request) -> None:
    """InputError where an option holds a secret: all of a request is written down beside what it makes."""
    found = in_value({"parameters": dict(request.parameters), "catalogues": list(request.catalogues)})
    if found:
        held = "; ".join(f"{one.kind} at {one.place}" for one in found[:3])
        raise InputError(f"An option holds a secret ({held}), and requests are stored. Give it without.")


def _sentence(query: str) -> str | Outcome:
    """The sentence on one line without what no person typed; a rejection where there is none, or too much for one."""
    query = query.encode("utf-8", "replace").decode()  # half a character, as a broken paste leaves it
    sentence = plain(query[: LONGEST_QUERY * 50])
    if len(query) > LONGEST_QUERY * 50 or len(sentence) > LONGEST_QUERY:
        return answers.no_sentence(
            f"The query has {len(query):,} characters. Describe the behaviour in one sentence of at most {LONGEST_QUERY:,}."
        )
    _refuse_what_must_not_be_stored(query, sentence)
    return sentence or answers.no_sentence("The query is empty. Describe a behaviour in one sentence, or name a family with --family.")


def _refuse_what_must_not_be_stored(*texts: str) -> None:
    held = sorted({one.kind for text in texts for one in in_text(text)} | {kind for kind, *_ in find_personal(texts[-1])})
    if held:
        raise InputError(f"The query holds what must not be stored ({', '.join(held)}). Only the behaviour is read: say it without.")


def _line(given: Any, option: str) -> str:
    """The field that sessions must be about. It goes to a model in one line, so it is one line."""
    said = plain(str(given)[: LONGEST_QUERY * 50])
    _refuse_what_must_not_be_stored(str(given), said)
    if not said or len(said) > LONGEST_DOMAIN:
        raise InputError(f"{option} has {len(said):,} characters. Name the field in 1 to {LONGEST_DOMAIN}.")
    return said


def _size(options: Mapping[str, Any], asked: Asked) -> tuple[int, int]:
    """Fewest and most instances: as an option says, else as the sentence says, else as configured; the end that nobody named gives way."""
    low, high = (options.get(name) for name in ("minimum", "maximum"))
    wanted = [asked.minimum if low is None else int(low), asked.maximum if high is None else int(high)]
    said = asked.minimum is not None or asked.maximum is not None
    minimum = wanted[0] if wanted[0] is not None else min(MINIMUM, wanted[1]) if said and wanted[1] else MINIMUM
    maximum = wanted[1] if wanted[1] is not None else max(MAXIMUM, minimum) if said else MAXIMUM
    if minimum < 1 or maximum < 1:
        raise InputError(f"A benchmark of {min(minimum, maximum)} instances is none. Give --min and --max of at least 1.")
    if minimum > maximum:
        raise InputError(f"--min {minimum} is above --max {maximum}. Swap them, or give --max {minimum} or more.")
    return minimum, maximum


def _grades(options: Mapping[str, Any], demanded: bool) -> tuple[str, ...]:
    if options.get("replayable") or demanded:
        return GRADES[:1]
    return (*GRADES, "scan_only") if options.get("scan_only") else GRADES


def _parameters(given: Mapping[str, Any], chosen: Sequence[Family]) -> dict[str, Any]:
    known = {name for one in chosen for name in one.card.parameters}
    for name in given:
        if name not in known:
            raise InputError(f"No chosen family has a parameter {name!r}. There are: {', '.join(sorted(known)) or 'none'}.")
    return dict(given)


def _probe(given: Any) -> int:
    wanted = build_settings().probe if given is None else int(given)
    if wanted < 0:
        raise InputError(f"--probe {wanted} is no number of places. Give 0 for no recall probe.")
    return wanted


def _dry_run(request: Request, chosen: Sequence[Family]) -> Outcome:
    groups = [request.families] if request.operator == "and" else [(name,) for name in request.families]
    made = tuple(Built(path=None, families=group, instances=None) for group in groups)
    defaults = {one.id: {name: value for name, value in one.card.parameters.items() if name not in request.parameters} for one in chosen}
    about = {**request.model_dump(mode="json"), "defaults": defaults}
    return Outcome(outcome="dry_run", message=f"Would build: {request.reading}", benchmarks=made, request=about)
