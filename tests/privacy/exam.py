"""The whole of privacy, measured: `make test-privacy` (2 minutes). Exit code 1 where a figure misses its target.

Plants, imports (with redaction and without, for comparison), looks for every planted value in the store, builds, evaluates offline and with
a provider on this machine, looks again in everything that was written or sent, and compares what the anchors find before and after.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.privacy import plant
from tests.privacy.clean import write_clean
from tests.privacy.encodings import ENCODINGS
from tests.privacy.find import Finder, report
from tests.servers.provider import Provider
from tracedance.catalogue import families
from tracedance.privacy.redactor import Redactor
from tracedance.scan.engine import scan
from tracedance.store.importing import import_paths
from tracedance.store.store import Store

FAMILY = "unreviewed_commit_contents"
TARGETS = {"recall": 0.99, "flagged": 0.005, "left": 0, "anchors": 0.98}


class Recording(Provider):
    """A provider that writes down every request's body."""

    def __init__(self, log: Path) -> None:
        super().__init__(0)
        self.log = log

    def count(self, model: str, body: dict[str, Any]) -> None:
        super().count(model, body)
        with self.log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(body) + "\n")


@contextmanager
def unredacted() -> Iterator[None]:
    """Imports keep everything: only to compare with."""
    with patch.object(Store, "redactor", lambda store, names=False: Redactor(store.key, active=False)):
        yield


def imported(sources: Path, store: Path) -> Store:
    import_paths(store, [path for path in sorted(sources.iterdir()) if path.is_dir()])
    return Store.open(store)


def recall(finder: Finder, bare: Path, clean: Path) -> bool:
    """Of the values that reach a store at all: which does redaction replace, by kind and encoding."""
    _, _, there = report(finder, [bare])
    places, _, left = report(finder, [clean])
    secrets = {number for number in there if not finder.items[number].kind.startswith("person:")}
    share = 1 - len(left & secrets) / len(secrets)
    print(f"\nrecall of secrets {share:.4f} ({len(left & secrets)} of {len(secrets)} left; {len(finder.items) - len(there)} never stored)")
    kinds = sorted({item.kind for item in finder.items})
    print(f"{'missed / planted':22}" + "".join(f"{name:>12}" for name in ENCODINGS))
    for kind in kinds:
        cells = []
        for encoding in ENCODINGS:
            mine = {number for number in there if (finder.items[number].kind, finder.items[number].encoding) == (kind, encoding)}
            cells.append(f"{len(mine & left)}/{len(mine)}" if mine else "")
        print(f"{kind:22}" + "".join(f"{cell:>12}" for cell in cells))
    persons = there - secrets
    print(f"recall of personal data {1 - len(left & persons) / len(persons):.4f} ({len(left & persons)} of {len(persons)} left)")
    print("".join(f"  left in {place}: {count}\n" for place, count in places.most_common(5)), end="")
    return share >= TARGETS["recall"]


def flagged(folder: Path) -> bool:
    """How many sessions without a secret redaction takes for ones that hold some."""
    count = write_clean(folder / "clean", 7)
    store = imported(folder / "clean", folder / "clean-store")
    kinds: Counter[str] = Counter()
    hit = 0
    for name in store.sessions()["id"].to_list():
        found = {kind for kind in store.session(name).replaced if kind not in PERSONAL}
        kinds.update(found)
        hit += bool(found)
    print(f"\nclean sessions flagged {hit} of {count} ({hit / count:.4f}) {dict(kinds.most_common(8))}")
    return hit / count <= TARGETS["flagged"]


PERSONAL = frozenset(("mail", "user", "owner", "name", "host", "phone", "card", "iban", "ip", "mac"))


def places(store: Store) -> set[tuple[str, str, int]]:
    """(family, session, turn) of every offence that the anchors find."""
    found = scan(store, list(families(()).values())).places
    return {(place.family, place.session, place.hit.decision) for place in found if place.hit.offends}


def anchors(bare: Store, clean: Store) -> bool:
    before, after = places(bare), places(clean)
    kept = len(before & after)
    print(f"\nanchors: {len(before)} places before, {len(after)} after, {kept} the same ({kept / max(1, len(before)):.4f})")
    for family in sorted({name for name, *_ in before}):
        mine = {place for place in before if place[0] == family}
        print(f"  {family}: {len(mine & after)} of {len(mine)}")
    return kept >= TARGETS["anchors"] * len(before)


def left(finder: Finder, folder: Path) -> bool:
    """Builds and evaluates, and looks for every planted value in all that was written, printed or sent."""
    out = folder / "out"
    out.mkdir()
    store, built = folder / "store", out / "benchmarks"
    command("build", "--family", FAMILY, "--store", store, "--out", built, "--min", "1", log=out / "build.log")
    bench = built / FAMILY
    command("evaluate", bench, "--model", "offline/source", "--out", out / "offline", log=out / "offline.log")
    with Recording(out / "requests.jsonl") as server, profile(server.base, folder) as models:
        command("evaluate", bench, "--model", "local/bad", "--profile", models, "--out", out / "local", log=out / "local.log")
    command("gate", "--baseline", f"{out / 'local'}:local/bad", "--candidate", f"{out / 'local'}:local/bad", log=out / "gate.log")
    command("quarantine", "list", "--store", store, log=out / "quarantine.log")
    found, kinds, seen = report(finder, [store, out])
    print(f"\nplanted values in what may leave (benchmarks, runs, reports, logs, requests): {len(report(finder, [out])[2])}")
    print(f"planted values in store, benchmark, runs, reports, logs, ledgers and requests: {len(seen)} in {sum(found.values())} places")
    print("".join(f"  {count:5} {place}\n" for place, count in found.most_common(12)), end="")
    print("".join(f"  {count:5} {kind} {encoding}\n" for (kind, encoding), count in kinds.most_common(12)), end="")
    requests = (out / "requests.jsonl").read_text().count("\n") if (out / "requests.jsonl").exists() else 0
    print(f"  looked through {requests} requests; {(out / 'quarantine.log').read_text().strip().splitlines()[-1]}")
    return not seen


@contextmanager
def profile(base: str, folder: Path) -> Iterator[Path]:
    """A models file of a provider at this address."""
    names = ("good", "bad", "fast", "judge-a", "judge-b", "judge-c")
    entries = [{"model_name": f"local/{name}", "litellm_params": {"model": f"openai/{name}", "api_base": base}} for name in names]
    roles = {"fast": "local/fast", "judge": ["local/judge-a", "local/judge-b", "local/judge-c"]}
    path = folder / "models.yaml"
    path.write_text(json.dumps({"schema": "tracedance.models/v1", "model_list": entries, "roles": roles, "local_only": True}))
    yield path


def command(*words: object, log: Path) -> None:
    """Runs a command as a user does; all that it says is kept."""
    done = subprocess.run([sys.executable, "-m", "tracedance", *map(str, words)], capture_output=True, text=True, check=False)
    log.write_text(done.stdout + done.stderr)
    if done.returncode not in (0, 1, 3):
        print(f"tracedance {words[0]} ended with {done.returncode}: {done.stderr.strip()[-300:]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--secrets", type=int, default=2000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "planted").mkdir()
        count = plant.write(folder / "planted", given.secrets, given.seed)
        print(f"{given.secrets} secrets in {count} sessions, seed {given.seed}")
        finder = Finder(plant.load(folder / "planted" / plant.PLANTED))
        with unredacted():
            bare = imported(folder / "planted", folder / "bare")
        clean = imported(folder / "planted", folder / "store")
        passed = [recall(finder, bare.path, clean.path), flagged(folder), anchors(bare, clean), left(finder, folder)]
    sys.exit(0 if all(passed) else 1)


if __name__ == "__main__":
    main()
