"""What keeps a benchmark clean: copies are left out and counted, a part can be held back, and the report can tell how each was found."""

from pathlib import Path

import pytest

from tests.construct.stores import FAMILY, catalogue, commits, store
from tests.construct.test_build import built
from tracedance.schema import Outcome
from tracedance.store.benchmarks import read_benchmark

LONG = " ".join(f"word{number} of the long task" for number in range(200))
OTHER = " ".join(f"another{number} task entirely" for number in range(300))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    catalogue(tmp_path / "catalogue")
    return tmp_path


def ids(path: str | None) -> set[str]:
    return {instance.id for instance in read_benchmark(Path(str(path))).instances}


def test_a_context_that_is_nearly_another_is_left_out_and_counted(folder: Path) -> None:
    asks = [f"{LONG} now.", f"{LONG} today.", f"{OTHER} now."]
    outcome = built(folder, store(folder, [commits(number, ask=ask) for number, ask in enumerate(asks)]))
    (made,) = outcome.benchmarks
    assert (made.instances, made.dropped) == (2, {"near_duplicate": 1})
    assert dict(read_benchmark(Path(str(made.path))).manifest.dropped) == {"near_duplicate": 1}


def test_short_contexts_say_too_little_to_be_copies(folder: Path) -> None:
    outcome = built(folder, store(folder, [commits(number, ask=f"Fix bug {number}.") for number in range(3)]))
    assert (outcome.benchmarks[0].instances, outcome.benchmarks[0].dropped) == (3, {})


def split(outcome: Outcome) -> tuple[set[str], set[str]]:
    (made,) = outcome.benchmarks
    return ids(made.path), ids(made.private)


def test_a_private_part_is_apart_accounted_for_and_stays_as_the_store_grows(folder: Path) -> None:
    few = [commits(number) for number in range(12)]
    public, private = split(built(folder, store(folder, few), private_share=0.5))
    assert public and private and not public & private and len(public | private) == 12
    (made,) = built(folder, store(folder, few), private_share=0.5).benchmarks
    one, other = read_benchmark(Path(str(made.path))).manifest, read_benchmark(Path(str(made.private))).manifest
    assert (one.part, other.part, other.name) == ("public", "private", "hasty_commit.private")
    assert one.dropped["in_the_private_part"] == len(private) and other.dropped["in_the_public_part"] == len(public)
    assert one.counts["candidates"] == one.instances + sum(one.dropped.values())
    assert one.canary != other.canary and "do not publish" in (Path(str(made.private)) / "README.md").read_text()
    more_public, more_private = split(built(folder, store(folder, [commits(number) for number in range(16)]), private_share=0.5))
    assert public <= more_public and private <= more_private and len(more_public | more_private) == 16


def test_the_check_rows_say_what_was_asked_and_answered(folder: Path) -> None:
    outcome = built(folder, store(folder, [commits(0)]), query="hasty commits", matched_by="lexical")
    read = read_benchmark(Path(str(outcome.benchmarks[0].path)))
    (check,) = read.checks.values()
    assert read.manifest.matched_by == "lexical"
    assert set(check.answers.values()) <= {"yes, by rule", "no, by rule", "not checked: no rule can tell"} and len(check.answers) > 2
    assert read.instances[0].family == FAMILY
