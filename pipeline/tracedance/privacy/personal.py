"""Finds personal data in one text as it stands: each kind at the few characters that show it, and then by its form and checksum."""

import re
from collections.abc import Iterator

import re2

from tracedance.privacy.known import FORGES
from tracedance.privacy.numbers import iban_length, is_address, is_card, is_phone
from tracedance.privacy.people import home, homes_as_folder_names, mail, name_given, remote, windows_homes
from tracedance.privacy.pseudonyms import HOST_LABEL
from tracedance.privacy.spans import Found

__all__ = ["KINDS", "TRIGGER_PATTERN", "personal", "windows_homes"]

KINDS = frozenset(["mail", "user", "owner", "name", "host", "phone", "card", "iban", "ip", "mac"])

TRIGGER_PATTERN = (
    rb"[A-Za-z0-9._%+-]@[A-Za-z0-9]|/home/|/Users/|-(?:Users|home)-"
    rb"|[A-Z][A-Z]\d\d[ -]?[A-Z0-9]{4}[ -]?[A-Z0-9]{4}"
    rb"|\b00[1-9]\d[ /-]?[1-9]|\b01[5-7]\d[ /-]\d{6}"
    rb"|\d{13,19}|\d{4}[ -]\d{4}[ -]\d{4}[ -]\d|\d{4}[ -]\d{6}[ -]\d{4}"
    rb"|\+[1-9](?:[ .()/-]{0,2}\d){7}|\d{3}\)? ?[ .-]\d{3}[ .-]\d{4}|\d+\.\d+\.\d+\.\d+"
    rb"|(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}"
    rb"|[0-9a-fA-F]{1,4}::[0-9a-fA-F:]|[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4}){1,6}::|(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]"
    rb"|\.(?:internal|corp|lan|intranet|local|home\.arpa)\b|\((?:fetch|push)\)|user\.name|GIT_(?:AUTHOR|COMMITTER)_NAME"
    rb"|(?i:\btele?f?o?n?|\bphone|\bmobile|\bmobil|\bhandy|\bfax|\bwhatsapp)[ _-]?(?:(?i:number|nummer|no|nr)\.?)?[\"' :=]{1,5}\(?\+?\d"
)
TRIGGER = re2.compile(TRIGGER_PATTERN)
_ALNUM = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_DIGITS = frozenset(b"0123456789")
_INTERNATIONAL = re.compile(rb"\+[1-9](?:[ .()/-]{0,2}\d){7,14}(?![\w])")
_ABROAD = re.compile(rb"00[1-9](?:[ ()/-]{0,2}\d){9,13}(?!\w)")
_MOBILE = re.compile(rb"01[5-7]\d[ /-]\d{6,8}(?!\w)")
_NATIONAL = re.compile(rb"\(?[2-9][0-8]\d(?:\) ?|([ .-]))[2-9]\d\d(?(1)\1|[ .-])\d{4}(?![\w-])")
_LABELLED = re.compile(rb"\(?\+?\d(?:[ .()/-]{0,2}\d){6,14}(?!\w)")
_CARD = re.compile(rb"\d{13,19}(?![\w])|\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?!\w)|\d{4}([ -])\d{6}\2\d{4,5}(?!\w)")
_IBAN = re.compile(rb"[A-Z]{2}\d\d(?:[ -]?[A-Z0-9]){11,30}")
_IP4 = re.compile(rb"\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d|-[a-zA-Z0-9])")
_IP6 = re.compile(rb"[0-9a-fA-F:]{2,39}(?![\w:])")
_MAC = re.compile(rb"(?:[0-9a-fA-F]{2}([:-]))(?:[0-9a-fA-F]{2}\1){4}[0-9a-fA-F]{2}(?![\w:-])")
_VERSION_BEFORE = re.compile(rb"(?i)(?:version|ver|release|rev|build|v|section|chapter)[\"']?\s?[:= ]{0,3}[\"']?\Z|[=@^~<>/_#-]\Z|==?\s?\Z")
_ADDRESS_BEFORE = re.compile(
    rb"(?i)(?:\bip|addr|host|ping|from|client|peer|server|remote|ssh|@|//|listen|connect|inet|dns|nameserver)[^\n]{0,12}\Z"
)
_LABELS = re.compile(rb"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\Z")
_DOMAIN_BEHIND = re.compile(rb"(?:\.[a-z0-9][a-z0-9-]{0,40}){1,3}(?![A-Za-z0-9.(_-])")
_HOST_BEFORE = re.compile(rb"(?i)(?://|@|\bhost(?:name)?[\"']?[ :=]{1,3}[\"']?|\bssh |\bping |\bnc |server[\"']?[ :=]{1,3}[\"']?)\Z")
_KNOWN_HOSTS = re.compile(
    r"(?i)(?:^|\.)(?:docker\.internal|google\.internal|cluster\.local|localhost\.local)$|^(?:com|org|net|io|java|sun|jdk|javax)\."
)


def personal(data: bytes) -> list[Found]:
    """All personal data of `data`, places in bytes, in order."""
    found: list[Found] = []
    done = 0
    for hit in TRIGGER.finditer(data):
        start, end = hit.span()
        if start < done:
            continue
        for item in _at(data, start, end):
            if item.start >= done or not found or item.start >= found[-1].end:
                found.append(item)
                done = max(done, item.end)
    return sorted(found, key=lambda item: item.start)


def _at(data: bytes, start: int, end: int) -> Iterator[Found]:
    first, word = data[start], data[start:end]
    if word[1] == 0x40:
        yield from mail(data, start + 1)
        if data[start + 2] in _DIGITS:
            yield from _address(data, start + 2)
    elif word in (b"/home/", b"/Users/"):
        yield from home(data, start, end)
    elif word in (b"-Users-", b"-home-"):
        yield from homes_as_folder_names(data, start, end)
    elif word[0] == 0x28:
        yield from remote(data, start) if word[1] in b"fp" else _phones(data, start, end)
    elif word[0] == 0x2E:
        yield from _host(data, start, end)
    elif word in (b"user.name", b"GIT_AUTHOR_NAME", b"GIT_COMMITTER_NAME"):
        yield from name_given(data, end)
    elif (b":" in word and first not in b"tpmhfwTPMHFW") or (b"-" in word and word.count(b"-") == 5):
        yield from _machine(data, start)
    elif first in b"tpmhfwTPMHFW" and end - start > 3 and not word[:2].isupper():
        yield from _labelled(data, start, end)
    else:
        yield from _numbers(data, start, end)


def _numbers(data: bytes, start: int, end: int) -> Iterator[Found]:
    word = data[start:end]
    before = data[start - 1] if start else 0x20
    if before in _ALNUM:
        return
    if word[:2].isalpha():
        match = _IBAN.match(data, start)
        length = iban_length(match.group().decode()) if match else 0
        if length and not (start + length < len(data) and data[start + length] in _ALNUM):
            yield Found("iban", start, start + length, data[start : start + length].decode())
    elif word.count(b".") == 3 and b" " not in word and b"+" not in word:
        yield from _address(data, start)
    elif (match := _CARD.match(data, start)) and before not in b".-/" and is_card("".join(filter(str.isdigit, match.group().decode()))):
        yield Found("card", start, match.end(), match.group().decode())
    else:
        yield from _phones(data, start, end)


def _phones(data: bytes, start: int, end: int) -> Iterator[Found]:
    before = data[start - 1 : start]
    if data[start] == 0x2B:
        match = _INTERNATIONAL.match(data, start)
        added = before == b"\n" and match is not None and match.group()[1:].isdigit()  # a line of a diff
        if match and not added and before not in (b"+", b"e", b"E", b"*", b")") and is_phone(match.group().decode(), True):
            yield Found("phone", start, match.end(), match.group().decode())
        return
    written = _ABROAD.match(data, start) or _MOBILE.match(data, start)
    if written and before not in (b"-", b".", b"/", b"#", b"_", b":"):
        text = written.group().decode()
        if is_phone(text[2:], True) if text.startswith("00") else is_phone(text, False):
            yield Found("phone", start, written.end(), text)
            return
    first = start - 1 if before == b"(" else start
    match = _NATIONAL.match(data, first)
    if match and b"." not in match.group() and data[first - 1 : first] not in (b"-", b".", b"/", b"#", b"+", b"_"):
        text = match.group().decode()
        if is_phone(text, False) and not text.endswith("11", 0, 7):
            yield Found("phone", first, match.end(), text)


def _labelled(data: bytes, start: int, end: int) -> Iterator[Found]:
    """A number that a word before it says to be a phone's."""
    first = end - 1
    while first > start and data[first - 1] in b"+(":
        first -= 1
    match = _LABELLED.match(data, first)
    if match:
        text = match.group().decode()
        if is_phone(text, text.lstrip("(").startswith("+")):
            yield Found("phone", first, match.end(), text)


def _address(data: bytes, start: int) -> Iterator[Found]:
    match = _IP4.match(data, start)
    if match is None or data[start - 1 : start] == b"." or not is_address(match.group().decode()):
        return
    before = data[max(0, start - 24) : start]
    numbers = [int(part) for part in match.group().split(b".")]
    told = _ADDRESS_BEFORE.search(before)
    if _VERSION_BEFORE.search(before) and not (told and before[-1:] not in (b"v", b"-", b"_")):
        return
    if max(numbers) < 32 and not told:
        return
    yield Found("ip", start, match.end(), match.group().decode())


def _machine(data: bytes, start: int) -> Iterator[Found]:
    """A MAC address, or an IP address of version 6."""
    before = data[start - 1 : start]
    if before and (before[0] in _ALNUM or before in b":-."):
        return
    match = _MAC.match(data, start)
    if match:
        text = match.group().decode()
        low = text.lower().replace("-", ":")
        if not low.startswith(("02:00:5e", "01:00:5e", "33:33")) and len(set(low)) > 4 and not low.replace(":", "").isdigit():
            yield Found("mac", start, match.end(), text)
        return
    wide = _IP6.match(data, start)
    if wide and wide.group().count(b":") >= 2 and (b"::" in wide.group() or wide.group().count(b":") == 7):
        text = wide.group().decode()
        if sum(char.isdigit() for char in text) >= 3 and is_address(text):
            yield Found("ip", start, wide.end(), text)


def _first(data: bytes, start: int) -> int:
    """Where the labels before `start` begin."""
    match = _LABELS.search(data, max(0, start - 100), start)
    return match.start() if match else start


def _host(data: bytes, start: int, end: int) -> Iterator[Found]:
    """A name inside a private network: by what stands before it, or by labels that no code has."""
    domain = _DOMAIN_BEHIND.match(data, end) if data[start:end] in (b".corp", b".internal", b".intranet", b".lan") else None
    shown = domain is not None and _HOST_BEFORE.search(data[max(0, _first(data, start) - 16) : _first(data, start)]) is not None
    end = domain.end() if domain and shown else end
    after = data[end : end + 2]
    if after[:1] and (after[0] in _ALNUM or after[:1] in b"(-" or (after[:1] == b"." and after[1:] and after[1] in _ALNUM)):
        return
    match = _LABELS.search(data, max(0, start - 100), start)
    if match is None:
        return
    first, labels = match.start(), match.group().decode()
    name = data[first:end].decode()
    if _KNOWN_HOSTS.search(name) or all(HOST_LABEL.fullmatch(label) for label in labels.split(".")) or name in FORGES:
        return
    before = data[first - 1 : first]
    told = _HOST_BEFORE.search(data[max(0, first - 16) : first]) is not None
    if before and before in b"./_$\\" and not told:
        return
    marked = any("-" in label or any(char.isdigit() for char in label) for label in labels.split("."))
    if told or (marked and before != b"(") or (labels.count(".") >= 2 and not name.endswith(".local")):
        yield Found("host", first, end, name)
