"""Looks for planted values in every byte of files and folders: `python -m tests.privacy.find PLANTED PATH... [--control] [--json]`.

Each value is looked for as it is and in all eight encodings, in raw bytes and in all that they unpack to. Before that a control is
planted in each kind of container, in each encoding, and must be found. Exit code 1 when a planted value is found, 2 when a control is not.
"""

import argparse
import base64
import html
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl

from tests.privacy.containers import pieces, unescaped
from tests.privacy.plant import Item, load

LEAST = 8
"""A line of a value that is shorter is not looked for by itself."""
_NOISE = re.compile(
    rb"\x1b\[[0-9;?]*[A-Za-z]|\\+(?:u001[bB]|x1[bB]|033|e)\[[0-9;?]*[A-Za-z]|\xe2\x80[\x8b-\x8f]|\xe2\x81\xa0|\xef\xbb\xbf|\xc2\xad"
    rb"|\\+(?:u200[b-fB-F]|u2060|u[fF][eE][fF][fF]|u00[aA][dD])|\\+[nrt]|[\s\\]"
)
_BATCH = 30_000_000
"""Characters that are searched at once."""


class Finder:
    """Looks for many values at once."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._owners: defaultdict[str, set[int]] = defaultdict(set)
        self.items = list(items)
        for number, item in enumerate(self.items):
            for needle in needles(item):
                self._owners[needle].add(number)
        self._needles = list(self._owners)

    def inside(self, texts: list[str]) -> list[set[int]]:
        """Numbers of the planted values in each of the texts. One automaton is built for all: that takes longer than the search."""
        if not texts:
            return []
        hits = pl.Series(texts).str.extract_many(self._needles, overlapping=True).to_list()
        return [set().union(*(self._owners[needle] for needle in set(row or ()))) for row in hits]

    def below(self, path: Path) -> Iterator[tuple[str, str, set[int]]]:
        """(kind of place, file, values) of everything under a path."""
        places: list[tuple[str, str]] = []
        texts: list[str] = []
        for file in sorted(entry for entry in path.rglob("*") if entry.is_file()) if path.is_dir() else [path]:
            for kind, data in pieces(file):
                for view in views(data):
                    places.append((kind, str(file)))
                    texts.append(view.decode("latin-1"))
            if sum(map(len, texts)) > _BATCH:
                yield from self._matched(places, texts)
                places, texts = [], []
        yield from self._matched(places, texts)

    def _matched(self, places: list[tuple[str, str]], texts: list[str]) -> Iterator[tuple[str, str, set[int]]]:
        by_place: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        for place, found in zip(places, self.inside(texts), strict=True):
            by_place[place] |= found
        yield from ((*place, found) for place, found in by_place.items() if found)


def needles(item: Item) -> set[str]:
    """What of a value is looked for: each line of it, plain and encoded."""
    found = set()
    for line in item.value.split("\n"):
        if len(line) >= LEAST:
            raw = line.encode()
            found |= {line, line.replace("/", "\\/"), raw.hex(), raw.hex().upper(), html.escape(line)}
            found |= {"".join(f"%{byte:02X}" for byte in raw), "".join(f"%{byte:02x}" for byte in raw), _quoted(line)}
            found |= {flat(needle) for needle in list(found)}
            for shift in range(3):
                found |= _base64(raw, shift)
    return {needle for needle in found if len(needle) >= LEAST}


def _quoted(line: str) -> str:
    return "".join(char if char.isalnum() or char in "_.-~" else f"%{ord(char):02X}" for char in line)


def _base64(raw: bytes, shift: int) -> set[str]:
    """The characters of a base64 text that depend on nothing but the value, when it begins `shift` bytes after a multiple of three."""
    encoded = base64.b64encode(bytes(shift) + raw).decode()
    first = -(-shift * 8 // 6)
    core = encoded[first : (shift + len(raw)) * 8 // 6]
    return {core, core.replace("+", "-").replace("/", "_")} if len(core) >= LEAST else set()


def flat(text: str) -> str:
    return _NOISE.sub(b"", text.encode()).decode()


def views(data: bytes) -> Iterator[bytes]:
    """The bytes, and the same without all that may stand inside a value: colours, line ends, invisible characters, escapes."""
    yield data
    yield _NOISE.sub(b"", data)
    read = unescaped(data)
    if read:
        yield _NOISE.sub(b"", read)
    if b"&" in data and b"<" in data:
        yield _NOISE.sub(b"", html.unescape(data.decode("utf-8", "replace")).encode())


def report(finder: Finder, paths: Iterable[Path]) -> tuple[Counter[str], Counter[tuple[str, str]], set[int]]:
    """Places by kind, values by kind and encoding, and which values."""
    places: Counter[str] = Counter()
    seen: set[int] = set()
    for path in paths:
        for kind, file, found in finder.below(path):
            places[f"{kind} ({Path(file).name})"] += len(found)
            seen |= found
    kinds = Counter((finder.items[number].kind, finder.items[number].encoding) for number in seen)
    return places, kinds, seen


def main() -> None:
    from tests.privacy.controls import check

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("planted", type=Path)
    parser.add_argument("paths", type=Path, nargs="*")
    parser.add_argument("--control", action="store_true", help="show what the controls were planted in")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    planted, missed = check()
    if given.control:
        print("\n".join(f"control found: {name}" for name in planted if name not in missed))
    if missed:
        sys.exit(f"Controls that were not found: {', '.join(missed)}")
    gone = [str(path) for path in given.paths if not path.exists()]
    if gone:
        parser.error(f"there is no {', '.join(gone)}")
    places, kinds, seen = report(Finder(load(given.planted)), given.paths)
    if given.json:
        rows = [{"kind": kind, "encoding": encoding, "values": count} for (kind, encoding), count in sorted(kinds.items())]
        print(json.dumps({"controls": len(planted), "values": len(seen), "places": dict(places.most_common()), "kinds": rows}))
    else:
        print(f"{len(planted)} controls found; {len(seen)} planted values found in {sum(places.values())} places.")
        print("".join(f"  {count:6} {place}\n" for place, count in places.most_common(30)), end="")
        print("".join(f"  {count:6} {kind} {encoding}\n" for (kind, encoding), count in kinds.most_common(60)), end="")
    sys.exit(1 if seen else 0)


if __name__ == "__main__":
    main()
