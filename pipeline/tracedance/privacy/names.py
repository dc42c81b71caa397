"""Names of people of one session: learned where their place shows what they are, replaced wherever else they stand."""

import re
from collections.abc import Iterator

from tracedance.privacy.known import COMMON_WORDS, SYSTEM_USERS

_LEAST = 5
_WORD = re.compile("[A-Za-z0-9]")
_ESCAPED = re.compile(r"\\[nrtbf]")


class Names:
    """Names learned so far, and their pseudonyms."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}
        """Pseudonyms by name."""
        self._signs: set[str] = set()
        """A text that holds none of these holds no name."""

    def learn(self, name: str, pseudonym: str) -> None:
        """Remember a name that is distinctive enough to be known without its place."""
        if name not in self.known and _distinctive(name):
            self.known[name] = pseudonym
            self._signs.add(name)

    def learn_owner(self, owner: str, pseudonym: str) -> None:
        """Remember who owns a remote, for the places where owners stand: elsewhere the name may be that of a project."""
        self._signs.add(owner)
        for before, after in (
            ("github.com/", ""),
            ("githubusercontent.com/", ""),
            ("gitlab.com/", ""),
            ("repo clone ", ""),
            ("", ".github.io"),
        ):
            if f"{before}{owner}{after}" not in self.known:
                self.known[f"{before}{owner}{after}"] = f"{before}{pseudonym}{after}"

    def learn_host(self, host: str, pseudonym: str) -> None:
        """Remember a machine whose name has several labels: its place may show no more than that in one text."""
        if host.count(".") >= 1 and len(host) >= 8 and host not in self.known:
            self.known[host] = pseudonym
            self._signs.add(host)

    def replaced(self, text: str) -> tuple[str, int]:
        """`text` with pseudonyms for names, and how many."""
        for name in self._signs:
            if name in text:
                break
        else:
            return text, 0
        places = sorted((place, -len(name), name) for name in self.known for place in _alone(name, text))
        parts: list[str] = []
        position = count = 0
        for place, _, name in places:
            if place >= position:
                parts += (text[position:place], self.known[name])
                position = place + len(name)
                count += 1
        return ("".join([*parts, text[position:]]) if count else text), count


def _alone(name: str, text: str) -> Iterator[int]:
    """Where a name stands in a text and is no part of a longer word; an escaped line's end parts words too."""
    place = text.find(name)
    while place >= 0:
        end = place + len(name)
        joined = _WORD.match(text, end) or (place and _WORD.match(text, place - 1))
        if not joined or (not _WORD.match(text, end) and _ESCAPED.fullmatch(text, max(0, place - 2), place)):
            yield place
        place = text.find(name, place + 1)


def _distinctive(name: str) -> bool:
    """Long enough, and no word or name of a thing that stands for something else as well."""
    low = name.lower()
    if low in SYSTEM_USERS or low in COMMON_WORDS or (" " not in name and name[1:] != name[1:].lower()):
        return False
    return len(name) >= _LEAST or (len(name) == _LEAST - 1 and any(char.isdigit() for char in name))
