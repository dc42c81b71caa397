"""Precision and recall of every family, on real traces by our labels and on the synthetic corpus by what was planted: `make quality`.

An offence here is what `scan` counts: a hit that no guard refuses. Real figures rest on places that somebody read (`quality/labels`), which
were drawn from what was found; their recall knows only the misses that were met on the way.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from tracedance import yamlfile
from tracedance.catalogue import families
from tracedance.kit.intervals import wilson
from tracedance.scan.engine import scan, scan_shard
from tracedance.schema import Place, Record
from tracedance.store.importing import import_paths
from tracedance.store.store import Store

ROOT = Path(__file__).resolve().parents[2]
LABELS = ROOT / "quality" / "labels"
FORMATS = ("claude_code", "codex", "chat")
RECALL, PRECISION = 0.98, 0.95
"""What each family is to reach on the synthetic corpus."""
PER_SOURCE = 10
"""Labels of one folder of traces that count in the figure of spread labels."""

Key = tuple[str, int]
"""(session, turn)"""


class Label(Record):
    """What somebody who read a place says of it; no word of the session."""

    session: str
    turn: int
    verdict: Literal["offends", "met", "none"]
    """`met`: an opportunity met well. `none`: no opportunity at all."""
    found: Literal["hit", "opportunity", "missed"]
    """What the anchor said when it was read."""
    why: str


@dataclass
class Score:
    """Counts of one family on one side."""

    right: int = 0
    """Offences that are offences."""
    wrong: int = 0
    missed: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def precision(self) -> tuple[int, int]:
        return self.right, self.right + self.wrong

    @property
    def recall(self) -> tuple[int, int]:
        return self.right, self.right + self.missed


def labels(folder: Path = LABELS) -> dict[str, list[Label]]:
    """All labels by family; InputError for a file that has not their form."""
    found = {}
    for path in sorted(folder.glob("*/*.yaml")):
        read = yamlfile.read(path, "A label has session, turn, verdict, found and why.")
        found[f"{path.parent.name}/{path.stem}"] = [Label.model_validate(row) for row in read.values]
    return found


def invented(store: Store) -> Iterator[Place]:
    """Every place of a synthetic store. A scan counts a context once, as a fork's; here chance may have begun two sessions alike, and an
    offence was planted in each."""
    for shard in store.shards():
        for result in scan_shard(store, shard, list(families().values())):
            yield from result.places


def states(places: Iterable[Place]) -> dict[str, dict[Key, str]]:
    """For each family what the scan says of each place: `hit`, `refused` (a hit that a guard refuses) or `opportunity`."""
    found: dict[str, dict[Key, str]] = {}
    for place in places:
        state = "hit" if place.stands else "refused" if place.hit.offends else "opportunity"
        found.setdefault(place.family, {})[place.session, place.hit.decision] = state
    return found


def by_labels(read: Sequence[Label], found: Mapping[Key, str], known: Iterable[str]) -> Score:
    """One family on real traces. Notes name the labels that no longer match what is found, and how many hits nobody has read."""
    score = Score()
    there = set(known)
    for label in read:
        state = found.get((label.session, label.turn), "missed")
        if label.session not in there:
            score.notes.append(f"{label.session} is not in these traces")
            continue
        # A refused hit was read as a hit or, by those who looked behind the guards, as an opportunity.
        if state != label.found and not (state == "refused" and label.found != "missed"):
            score.notes.append(f"{label.session} turn {label.turn}: {label.verdict}, was {label.found}, is {state}")
        if label.verdict == "offends":
            score.right += state == "hit"
            score.missed += state != "hit"
        else:
            score.wrong += state == "hit"
    unread = {key for key, state in found.items() if state == "hit"} - {(label.session, label.turn) for label in read}
    if unread:
        score.notes.append(f"{len(unread)} offences that nobody has read")
    return score


def spread(read: Sequence[Label], source: Mapping[str, str], most: int = PER_SOURCE) -> list[Label]:
    """At most so many labels of each source, drawn by digest: a benchmark that repeats one kind of case is not a hundred cases."""
    kept: Counter[str] = Counter()
    drawn = []
    for label in sorted(read, key=lambda each: sha256(f"{each.session} {each.turn}".encode()).digest()):
        origin = source.get(label.session, label.session)
        kept[origin] += 1
        drawn += [label] if kept[origin] <= most else []
    return drawn


def by_planted(planted: Iterable[Key], found: Mapping[Key, str]) -> Score:
    """One family on the synthetic corpus."""
    hits, offences = {key for key, state in found.items() if state == "hit"}, set(planted)
    return Score(len(hits & offences), len(hits - offences), len(offences - hits))


def below(row: Mapping[str, Any]) -> list[str]:
    """Which synthetic figures of a row miss their target; a figure of no places is measured by nothing and misses it too."""
    targets = (("precision", PRECISION), ("recall", RECALL))
    return [figure for figure, least in targets if (pair := row["synthetic"][figure])[1] == 0 or pair[0] / pair[1] < least]


def share(pair: tuple[int, int]) -> str:
    """A share with its 95% Wilson interval."""
    good, of = pair
    if not of:
        return "-"
    low, high = wilson(good, of)
    return f"{good / of:.2f} ({low:.2f}-{high:.2f}) {good}/{of}"


def measure(real: Store | None, synthetic: Store | None, planted: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """A row for each family."""
    read = labels()
    seen = states(scan(real, families().values()).places) if real is not None else {}
    known = dict(zip(*(real.sessions()[name].to_list() for name in ("id", "path")), strict=True)) if real is not None else {}
    source = {session: str(Path(path).parent) for session, path in known.items()}
    made_up = states(invented(synthetic)) if synthetic is not None else {}
    offences = [(row["family"], (row["session"], row["turn"])) for row in planted if row["kind"] == "offence"]
    for family in families():
        mine = by_labels(read.get(family, []), seen.get(family, {}), known) if real is not None else Score()
        few = by_labels(spread(read.get(family, []), source), seen.get(family, {}), known) if real is not None else Score()
        made = by_planted((key for name, key in offences if name == family), made_up.get(family, {}))
        yield {
            "family": family,
            "labels": len(read.get(family, [])),
            "real": {"precision": mine.precision, "recall": mine.recall},
            "spread": {"precision": few.precision, "recall": few.recall},
            "synthetic": {"precision": made.precision, "recall": made.recall},
            "notes": mine.notes,
        }


def imported(folders: Sequence[Path], store: Path) -> Store:
    """A store of these traces."""
    import_paths(store, list(folders))
    return Store.open(store)


def say(rows: Sequence[Mapping[str, Any]]) -> None:
    """The table, then the labels that no longer match."""
    heads = ("real precision", "real recall", "real precision, spread", "synthetic precision", "synthetic recall")
    print(f"{'family':42} " + " ".join(f"{head:26}" for head in heads))
    for row in rows:
        pairs = (("real", "precision"), ("real", "recall"), ("spread", "precision"), ("synthetic", "precision"), ("synthetic", "recall"))
        mark = " <- " + " and ".join(missed) + " below target" if (missed := below(row)) else ""
        print(f"{row['family']:42} " + " ".join(f"{share(row[side][figure]):26}" for side, figure in pairs) + mark)
    reached = sum(not below(row) for row in rows)
    print(f"\nFamilies at target on the synthetic corpus (recall >= {RECALL}, precision >= {PRECISION}): {reached} of {len(rows)}")
    print(f"{sum(row['labels'] for row in rows)} labels. Real recall counts only misses that a reader met: no estimate.")
    print(f"Spread: at most {PER_SOURCE} labels of one folder of traces count, since a benchmark repeats its kinds of case.")
    for row in rows:
        for note, count in Counter(row["notes"]).items():
            print(f"  {row['family']}: {note}{f' ({count} labels)' if count > 1 else ''}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Precision and recall of every family, real beside synthetic.")
    parser.add_argument("--traces", type=Path, default=ROOT.parent / "shared" / "traces", help="real traces")
    parser.add_argument("--sessions", type=int, default=2000, help="size of the synthetic corpus")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        from tracedance.synth.exam import corpus
        from tracedance.synth.exam.plan import Wish

        real = imported([given.traces], Path(scratch, "real")) if given.traces.is_dir() else None
        made = corpus.write(Path(scratch, "corpus"), given.sessions, Wish(given.seed))
        planted = [json.loads(line) for line in (made.path / "places.jsonl").read_text("utf-8").splitlines()]
        synthetic = imported([made.path / name for name in FORMATS if (made.path / name).is_dir()], Path(scratch, "synthetic"))
        rows = list(measure(real, synthetic, planted))
    if given.json:
        print(json.dumps([{**row, "below_target": below(row)} for row in rows], indent=1))
    else:
        say(rows)
        if real is None:
            print(f"No real traces at {given.traces}: only the synthetic side was measured.")


if __name__ == "__main__":
    main()
