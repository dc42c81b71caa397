"""Confirmation prompts tried on careful readers: the same places put to two of them, and how far they agree.

    python -m tests.quality.readers ask --store STORE --profile A.yaml --out a.json      # once a reader, who answers as `fast`
    python -m tests.quality.readers compare a.json b.json

Places are drawn from a seed: of every family the hits that stand by rule (at most `MOST`), then some that a guard refuses, then places
that are no hits, as the recall probe would draw them. The files hold answers and no text of a session.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tracedance.catalogue import families
from tracedance.construct.confirm import FIXED, READING, Confirmer, confirm, questions
from tracedance.models.config import load
from tracedance.scan.engine import scan
from tracedance.schema import Place
from tracedance.store.store import Store

MOST = 10
"""Standing hits of one family."""
REFUSED, PROBES = 8, 12
AT_ONCE = 64


def drawn(store: Store, seed: int) -> list[tuple[str, Place]]:
    """Kind (`hit`, `refused`, `no_hit`) and place."""
    rng = random.Random(seed)
    found = scan(store, families().values()).places
    standing: dict[str, list[Place]] = defaultdict(list)
    for place in found:
        if place.stands:
            standing[place.family].append(place)
    hits = [place for _, places in sorted(standing.items()) for place in rng.sample(places, min(MOST, len(places)))]
    refused = _one_a_family([place for place in found if place.refused_by], rng, REFUSED)
    probes = _one_a_family([place for place in found if not place.hit.offends], rng, PROBES)
    return [*(("hit", place) for place in hits), *(("refused", place) for place in refused), *(("no_hit", place) for place in probes)]


def _one_a_family(places: Iterable[Place], rng: random.Random, wanted: int) -> list[Place]:
    """One place each of as many families as wanted."""
    by_family: dict[str, list[Place]] = defaultdict(list)
    for place in places:
        by_family[place.family].append(place)
    chosen = rng.sample(sorted(by_family), min(wanted, len(by_family)))
    return [rng.choice(by_family[family]) for family in chosen]


def ask(store: Store, profile: str, seed: int) -> list[dict[str, Any]]:
    """One row a place: which it is, and what the reader answered to each question."""
    confirmer, known = Confirmer(load(profile)), families()

    def one(item: tuple[str, Place]) -> dict[str, Any]:
        kind, place = item
        with READING:
            session = store.session(place.session)
        said = confirm(place, session, known[place.family], confirmer)
        names = questions(known[place.family])
        answers = {name: given.answer for name, given in zip(names, said.answers, strict=False)}
        at = f"{place.session}/{place.hit.decision}/{place.hit.why}"
        row = {"place": at, "family": place.family, "kind": kind, "status": said.status, "reason": said.reason, "answers": answers}
        return {**row, "wanted": {name: question.want for name, question in names.items()}}

    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        return list(pool.map(one, drawn(store, seed)))


def compare(first: Sequence[dict[str, Any]], second: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Agreement of two readers on the places that both answered; precision by kind and family; answers that could not tell."""
    pairs = [(one, two) for one, two in zip(first, second, strict=True) if one["answers"] and two["answers"]]
    if any((one["place"], one["family"]) != (two["place"], two["family"]) for one, two in pairs):
        raise SystemExit("The two files are of different places. Ask both readers with the same store and seed.")
    words: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for one, two in pairs:
        for name, answer in one["answers"].items():
            words[name if name in FIXED else f"{one['family']} {name}"].append((answer, two["answers"][name]))
    own = [pair for name, given in words.items() if name not in FIXED for pair in given]
    return {
        "places": len(pairs),
        "unanswered": len(first) - len(pairs),
        "verdicts": agreement([(one["status"], two["status"]) for one, two in pairs]),
        "own questions": agreement(own),
        **{name: agreement(words[name]) for name in FIXED},
        "divided": {name: f"{sum(a != b for a, b in given)} of {len(given)}" for name, given in sorted(words.items()) if _divided(given)},
        "cannot tell": {name: count for name, given in sorted(words.items()) if (count := sum("cannot_tell" in pair for pair in given))},
        "by kind": {kind: _verdicts([pair for pair in pairs if pair[0]["kind"] == kind]) for kind in ("hit", "refused", "no_hit")},
        "precision": {
            family: _verdicts([pair for pair in pairs if pair[0]["kind"] == "hit" and pair[0]["family"] == family])
            for family in sorted({one["family"] for one, _ in pairs if one["kind"] == "hit"})
        },
        "refused for": dict(Counter(one["reason"] for pair in pairs if pair[0]["kind"] == "hit" for one in pair if one["reason"])),
    }


def agreement(pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Share of equal answers and Cohen's kappa (1960): 1 - (1 - observed) / (1 - expected), null where only one word is used."""
    if not pairs:
        return {"n": 0, "equal": None, "kappa": None}
    n = len(pairs)
    equal = sum(a == b for a, b in pairs) / n
    left, right = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(left[word] * right[word] for word in left) / n**2
    return {"n": n, "equal": round(equal, 3), "kappa": None if chance == 1 else round(1 - (1 - equal) / (1 - chance), 3)}


def _divided(given: Sequence[tuple[str, str]]) -> bool:
    return any(a != b for a, b in given)


def _verdicts(pairs: Sequence[tuple[dict[str, Any], dict[str, Any]]]) -> dict[str, int]:
    """How many places both, one or none of the readers confirmed."""
    confirmed = Counter(sum(one["status"] == "confirmed" for one in pair) for pair in pairs)
    return {"places": len(pairs), "both": confirmed[2], "one": confirmed[1], "none": confirmed[0]}


def main() -> None:
    """The two commands."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    asking = commands.add_parser("ask")
    asking.add_argument("--store", type=Path, required=True)
    asking.add_argument("--profile", required=True)
    asking.add_argument("--out", type=Path, required=True)
    asking.add_argument("--seed", type=int, default=0)
    comparing = commands.add_parser("compare")
    comparing.add_argument("files", type=Path, nargs=2)
    given = parser.parse_args()
    if given.command == "ask":
        rows = ask(Store.open(given.store), given.profile, given.seed)
        given.out.write_text(json.dumps(rows, indent=1, sort_keys=True))
        print(json.dumps({"places": len(rows), "status": dict(Counter(row["status"] for row in rows))}))
    else:
        print(json.dumps(compare(*(json.loads(path.read_text()) for path in given.files)), indent=1))


if __name__ == "__main__":
    main()
