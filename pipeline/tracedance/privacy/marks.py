"""What was put in place of something, counted: the receipt of a text that was redacted."""

import re
from collections import Counter

_MARKS = re.compile(r"\[\[SECRET:([a-z0-9-]{1,40}):[0-9a-f]{8}\]\]|\b(?:(user)|(h)|(Q))[0-9a-f]{8}\b")


def replaced_in(text: str) -> dict[str, int]:
    """Placeholders by their rule, and pseudonyms of accounts, hosts and names. Numbers are replaced by numbers, which nothing tells."""
    found: Counter[str] = Counter()
    for rule, user, host, name in _MARKS.findall(text):
        found[rule or (user and "user") or (host and "host") or (name and "name")] += 1
    return dict(sorted(found.items()))
