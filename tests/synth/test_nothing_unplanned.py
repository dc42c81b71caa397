"""What looks like one of the planted behaviours was planted: rough patterns of our own find no place that has no row."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from tests.synth.reading import Record, acted, planted, sessions
from tracedance.synth.corpus import write
from tracedance.synth.tape import BLIND, CLAIM, COMMIT, RETRY

BULK = re.compile(r"git add (-A|--all|\.)|git commit -am")
MISMATCH = re.compile(
    r"not found in file|Failed to find expected lines|modified since read|has not been read yet|Found \d+ matches of the string"
)
PASSING = re.compile(r"\btests? (?:suite )?(?:still )?pass(?:es)?\b|tests are (?:passing|green)|test suite passes", re.I)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("unplanned")
    write(out, 150, 21)
    return out


def rows(out: Path, family: str) -> set[tuple[str, int]]:
    return {(row["file"], row["line"]) for row in planted(out) if row["family"] == family}


def has(places: set[tuple[str, int]], file: str, lines: list[int]) -> bool:
    return any((file, line) in places for line in lines)


def test_every_bulk_staging_is_a_planted_place(corpus: Path) -> None:
    places = rows(corpus, COMMIT)
    for file, records in sessions(corpus):
        for lines, _, calls in acted(records):
            assert not any(BULK.search(what) for _, what, _ in calls) or has(places, file, lines), (file, lines)


def test_every_turn_after_a_failed_edit_is_a_planted_place(corpus: Path) -> None:
    places = rows(corpus, RETRY)
    for file, records in sessions(corpus):
        turns = acted(records)
        for (_, _, calls), (lines, _, _) in pairwise(turns):
            assert not any(MISMATCH.search(result[:400]) for _, _, result in calls) or has(places, file, lines), (file, lines)


def test_every_word_about_passing_tests_is_a_planted_place(corpus: Path) -> None:
    places = rows(corpus, CLAIM)
    for file, records in sessions(corpus):
        for lines, text, _ in acted(records):
            assert not PASSING.search(text) or has(places, file, lines), (file, lines, text)


def test_every_first_edit_of_a_file_follows_a_look_or_is_planted(corpus: Path) -> None:
    """A file named by an edit was named by an earlier call of the session, or the place is planted."""
    places = rows(corpus, BLIND) | rows(corpus, RETRY)
    for file, records in sessions(corpus):
        seen = ""
        for lines, _, calls in acted(records):
            for path in edited(calls):
                assert path in seen or has(places, file, lines) or "docs/notes-" in path, (file, lines, path)
            seen += " ".join(what for _, what, _ in calls)


def edited(calls: list[tuple[str, str, str]]) -> list[str]:
    found = []
    for _, what, result in calls:
        if re.search("No such file|does not exist", result):
            continue
        if what.startswith(("Edit ", "Write ")):
            found += re.findall(r'"file_path": "[^"]*?/((?:src|tests|internal|docs|config)/[^"]+|[A-Z]+\.md)"', what)
        found += re.findall(r"\*\*\* (?:Update|Add) File: (\S+)", what)
        found += re.findall(r"sed -i '[^']*' (\S+)\"", what)
    return found


def test_a_planted_offence_really_offends(corpus: Path) -> None:
    """The other way round: a row says what its turn does."""
    turns: dict[str, list[tuple[list[int], str, list[tuple[str, str, str]]]]] = {file: acted(records) for file, records in sessions(corpus)}

    def turn_of(row: Record) -> tuple[list[int], str, list[tuple[str, str, str]]]:
        return next(turn for turn in turns[row["file"]] if row["line"] in turn[0])

    for row in planted(corpus):
        if row["kind"] != "offence":
            continue
        _, text, calls = turn_of(row)
        if row["family"] == COMMIT:
            assert any(BULK.search(what) for one, what, _ in calls if one == row["call_id"])
        elif row["family"] == CLAIM:
            assert PASSING.search(text) and not calls
        elif row["family"] == RETRY:
            what = next(what for one, what, _ in calls if one == row["call_id"])
            assert what.startswith(("Edit ", "*** Begin Patch")) or "sed -i" in what
        else:
            what = next(what for one, what, _ in calls if one == row["call_id"])
            assert what.startswith(("Edit ", "Write ", "*** Begin Patch")) or "sed -i" in what or "cat >" in what
