"""Looks for all that is sensitive in a text as a reader sees it, and in the texts that lie encoded in it."""

import re2

from tracedance.privacy import encoded, personal, secrets
from tracedance.privacy.rules import TRIGGER_PATTERN
from tracedance.privacy.spans import Found, in_chars, without_overlap
from tracedance.privacy.views import is_plain, spans

_DEEPEST = 3
"""Encodings within encodings that are undone."""
_SHORT = 4096
_OPTIONS = re2.Options()
_OPTIONS.max_mem = 32 << 20  # With less its automaton is thrown away and built anew over and over.
_ANY = re2.compile(b"|".join((TRIGGER_PATTERN, personal.TRIGGER_PATTERN, encoded.START_PATTERN)), _OPTIONS)
"""Everything that any search begins with: most short texts hold none of it, and one look is enough."""

Spans = list[tuple[str, int, int]]


def find(text: str) -> Spans:
    """(rule, start, end) of every secret in `text`, in order of position; placeholders are none."""
    return [item[:3] for item in sensitive(text, people=False)]


def find_personal(text: str) -> Spans:
    """(kind, start, end) of personal data in `text`, in order of position; pseudonyms are none."""
    return [item[:3] for item in sensitive(text, keep_secrets=False)]


def sensitive(text: str, people: bool = True, keep_secrets: bool = True) -> list[Found]:
    """Secrets and personal data of `text`, in order of position, without overlap."""
    found = _look(text, people, 0) if is_plain(text) else _in_views(text, people, 0)
    return found if keep_secrets else [item for item in found if item.form or item.rule in personal.KINDS]


def _in_views(text: str, people: bool, depth: int) -> list[Found]:
    """What a text holds, as places in it."""
    found = spans(text, lambda view: _look(view, people, depth))
    if people and "\\" in text and "sers\\" in text:
        found = without_overlap(found, list(personal.windows_homes(text)))
    return found


def _look(text: str, people: bool, depth: int) -> list[Found]:
    """What a text holds that is its own view."""
    data = text.encode("utf-8", "replace")
    if len(data) < _SHORT and not _ANY.search(data):
        return []
    found = secrets.secrets(data)
    if depth < _DEEPEST:
        inner = [item for blob in encoded.blobs(data) for item in _within(blob, people, depth)]
        found = without_overlap(found, inner) if inner else found
    if people:
        persons = personal.personal(_masked(data, found) if found else data)
        found = without_overlap(found, persons) if persons else found
    elif len(found) > 1:
        found.sort(key=lambda item: item.start)
    return found if len(data) == len(text) else in_chars(data, found)


def _masked(data: bytes, found: list[Found]) -> bytes:
    """The same without what was found: people are looked for in what will be left."""
    masked = bytearray(data)
    for item in found:
        masked[item.start : item.end] = b"]" * (item.end - item.start)
    return bytes(masked)


def _within(blob: encoded.Blob, people: bool, depth: int) -> list[Found]:
    """What an encoded text holds, as one place: a secret takes all of it, personal data is replaced within it."""
    inner = _in_views(blob.text, people, depth + 1)
    if not inner:
        return []
    secret = next((item for item in inner if not item.form and item.rule not in personal.KINDS), None)
    if secret:
        return [Found(secret.rule, blob.start, blob.end, secret.value)]
    return [Found("encoded", blob.start, blob.end, blob.text, blob.form)]
