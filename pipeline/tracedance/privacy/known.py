"""Values that everybody knows: they stand in documentation or belong to nobody, and stay as they are (`known.toml`)."""

import tomllib
from pathlib import Path

_LISTS = tomllib.loads(Path(__file__).with_name("known.toml").read_text("utf-8"))


def _words(name: str) -> frozenset[str]:
    return frozenset(_LISTS[name].split())


DOCUMENTED = frozenset(_LISTS["documented"])
PUBLIC_LOCAL = _words("local")
AGENTS = _words("agents")
PUBLIC_DOMAINS = _words("domains")
PUBLIC_SUFFIXES = tuple(sorted(_words("suffixes")))
FORGES = _words("forges")
FILE_ENDINGS = _words("file_endings")
SYSTEM_USERS = _words("system_users")
COMMON_WORDS = _words("common_words")
PUBLIC_ADDRESSES = _words("addresses")
TEST_CARDS = _words("test_cards")
