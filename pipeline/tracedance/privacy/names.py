"""Names of people of one session: learned where their place shows what they are, replaced wherever else they stand."""

import re

from tracedance.privacy.known import COMMON_WORDS, SYSTEM_USERS

_LEAST = 5


class Names:
    """Names learned so far, and their pseudonyms."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}
        """Pseudonyms by name."""
        self._signs: set[str] = set()
        """A text that holds none of these holds no name."""
        self._pattern: re.Pattern[str] | None = None

    def learn(self, name: str, pseudonym: str) -> None:
        """Remember a name that is distinctive enough to be known without its place."""
        if name not in self.known and _distinctive(name):
            self.known[name] = pseudonym
            self._signs.add(name)
            self._pattern = None

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
                self._pattern = None

    def learn_host(self, host: str, pseudonym: str) -> None:
        """Remember a machine whose name has several labels: its place may show no more than that in one text."""
        if host.count(".") >= 1 and len(host) >= 8 and host not in self.known:
            self.known[host] = pseudonym
            self._signs.add(host)
            self._pattern = None

    def replaced(self, text: str) -> tuple[str, int]:
        """`text` with pseudonyms for names, and how many."""
        for name in self._signs:
            if name in text:
                break
        else:
            return text, 0
        if self._pattern is None:
            names = "|".join(re.escape(name) for name in sorted(self.known, key=len, reverse=True))
            self._pattern = re.compile(rf"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf]))(?:{names})(?![A-Za-z0-9])")
        return self._pattern.subn(lambda match: self.known[match[0]], text)


def _distinctive(name: str) -> bool:
    """Long enough, and no word or name of a thing that stands for something else as well."""
    low = name.lower()
    if low in SYSTEM_USERS or low in COMMON_WORDS or (" " not in name and name[1:] != name[1:].lower()):
        return False
    return len(name) >= _LEAST or (len(name) == _LEAST - 1 and any(char.isdigit() for char in name))
