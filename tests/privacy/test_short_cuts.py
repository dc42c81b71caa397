"""Every short cut of the redaction finds what it would find without."""

import ipaddress
import re
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.privacy.clean import KINDS
from tests.privacy.encodings import ENCODINGS
from tests.privacy.kinds import SECRETS
from tests.privacy.persons import PERSONS
from tracedance.privacy import trials
from tracedance.privacy.looking import sensitive
from tracedance.privacy.names import Names
from tracedance.privacy.redactor import Redactor
from tracedance.privacy.rules import RULES
from tracedance.privacy.views import views

KEY = b"k" * 32
GLUE = (
    "\n",
    " ",
    ": ",
    "=",
    "://",
    "@",
    "...",
    " \\\n  ",
    "password: ",
    "pass=",
    "token=",
    "curl ",
    "\\n",
    "%20",
    "\x1b[31m",
    "é",
    '"',
    "&#61;",
)


def leaves(rng: Random) -> Iterator[str]:
    """Every kind in every encoding, alone and between pieces of others, and look-alikes."""
    planted = [
        ENCODINGS[encoding](text, value, rng) for kind in SECRETS.values() for encoding in ENCODINGS for value, text in [kind(rng)]
    ] + [kind(rng)[1] for kind in PERSONS.values() for _ in range(6)]
    yield from planted
    pieces = [*planted, *(word for rule in RULES for word in rule.words), *(kind(rng)[:600] for kind in KINDS for _ in range(3))]
    for _ in range(1500):
        parts: list[str] = []
        for _ in range(rng.randint(1, 4)):
            piece = rng.choice(pieces)
            cut = rng.randint(0, len(piece)) if rng.random() < 0.2 else len(piece)
            parts += (piece[:cut], rng.choice(GLUE))
        yield "".join(parts)


@contextmanager
def without_short_cuts() -> Iterator[None]:
    """Every rule of a word is tried wherever the word stands."""
    known = dict(trials.TRIALS)
    trials.TRIALS.update({word: trials.Trial(trial.pairs, (), trial.pairs) for word, trial in known.items()})
    try:
        yield
    finally:
        trials.TRIALS.clear()
        trials.TRIALS.update(known)


@pytest.mark.parametrize("seed", [3, 9001])
def test_what_a_short_cut_leaves_out_no_rule_would_find(seed: int) -> None:
    texts = list(leaves(Random(seed)))
    for text in texts:
        sensitive(text)  # By now the words that are often met have a pattern that looks at all their rules together.
    quick = [sensitive(text) for text in texts]
    with without_short_cuts():
        assert [sensitive(text) for text in texts] == quick
    assert sum(map(bool, quick)) > 1000


def test_a_redactor_that_has_seen_much_replaces_as_one_that_sees_a_text_for_the_first_time() -> None:
    rng = Random(11)
    texts = list(leaves(rng))[::3]
    shared = Redactor(KEY)
    for text in rng.choices(texts, k=3 * len(texts)):
        fresh = Redactor(KEY)
        assert shared.session().text(text) == fresh.text(text)


@given(
    st.lists(
        st.sampled_from(
            ["\\", "\\\\", "n", "u0041", "u005c", "x4a", "033", "e[", "t", '"', "/", "q", " ", "%", "2", "41", "0A", "5C", "plain " * 9]
        )
    )
)
def test_a_text_is_decoded_as_replacing_one_escape_after_the_other_does(parts: list[str]) -> None:
    text = "".join(parts)
    letters = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}

    def shown(match: re.Match[str]) -> str:
        letter, four, two, escape = match.groups()
        if letter:
            return letters.get(letter, letter)
        return chr(int(four or two or "1b", 16)).replace("\\", "/") if four or two or escape else "\\"

    plain = re.sub(r"\\+(?:([nrtbf\"'/])|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(033|e(?=\[)))?", shown, text)
    plain = re.sub("%(0[aAdD9]|[2-7][0-9A-Fa-f])", lambda match: chr(int(match[1], 16)).replace("\\", "/"), plain)
    assert "\x1b" in plain or views(text) == [plain]


@given(
    st.lists(
        st.sampled_from(
            ["mirabel", "mirabelle", "db7.mirabel.net", "mira", "belle", "\\n", "\n", " ", "7", "/", ".", "é", "_", "github.com/mirabel"]
        )
    )
)
def test_names_are_replaced_as_one_pattern_of_all_of_them_would(parts: list[str]) -> None:
    names = Names()
    names.learn("mirabel", "P1")
    names.learn("mirabelle", "P2")
    names.learn_host("db7.mirabel.net", "P3")
    names.learn_owner("mirabel", "P4")
    anyone = "|".join(re.escape(name) for name in sorted(names.known, key=len, reverse=True))
    pattern = re.compile(rf"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf]))(?:{anyone})(?![A-Za-z0-9])")
    text = "".join(parts)
    assert names.replaced(text) == pattern.subn(lambda match: names.known[match[0]], text)


@given(st.integers(0x2A00 << 112, (0x2A0F << 112) - 1), st.integers(0, 7), st.integers(0, 6))
def test_an_address_of_version_6_is_replaced_in_each_of_its_forms(number: int, first: int, zeros: int) -> None:
    for place in range(max(first, 1), min(first + zeros, 8)):
        number &= ~(0xFFFF << (16 * (7 - place)))
    address = ipaddress.IPv6Address(number)
    for form in (address.exploded, address.compressed):
        if sum(char.isdigit() for char in form) >= 3 and address.is_global and len(form) > 6:  # `2a00::` is a network, or code.
            assert form not in Redactor(KEY).text(f"listening on {form} now"), form
