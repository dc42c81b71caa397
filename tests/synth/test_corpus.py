"""The demo corpus as a whole: the same bytes again, real shapes, planted places where they are said to be, no two contexts alike."""

import hashlib
import re
import subprocess
import sys
from collections import Counter, defaultdict
from itertools import combinations, islice
from pathlib import Path

import pytest

from tests.synth.reading import Record, blocks, context, planted, sessions, shingles
from tracedance.errors import InputError
from tracedance.synth.corpus import SEED, SESSIONS, write
from tracedance.synth.plan import casts
from tracedance.synth.tape import BLIND, CLAIM, COMMIT, RETRY


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("corpus")
    write(out)
    return out


@pytest.fixture(scope="module")
def read(corpus: Path) -> dict[str, list[Record]]:
    return dict(sessions(corpus))


def digest(out: Path) -> str:
    told = hashlib.sha256()
    for path in sorted(path for path in out.rglob("*") if path.is_file()):
        told.update(str(path.relative_to(out)).encode() + b"\0" + path.read_bytes())
    return told.hexdigest()


def test_the_same_arguments_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, 30, 5)
    write(tmp_path / "three", 30, 6)
    assert digest(tmp_path / "one") == digest(tmp_path / "two") != digest(tmp_path / "three")


def test_the_bytes_do_not_depend_on_the_process(tmp_path: Path) -> None:
    write(tmp_path / "here", 12, 3)
    command = [sys.executable, "-m", "tracedance.synth.corpus", str(tmp_path / "there"), "--sessions", "12", "--seed", "3"]
    pipeline = Path(__file__).parents[2] / "pipeline"
    subprocess.run(command, check=True, env={"PYTHONPATH": str(pipeline), "PYTHONHASHSEED": "77"}, capture_output=True)
    assert digest(tmp_path / "here") == digest(tmp_path / "there")


def test_a_smaller_corpus_is_the_beginning_of_a_larger_one(tmp_path: Path) -> None:
    write(tmp_path / "small", 10, 4)
    write(tmp_path / "large", 14, 4)
    small, large = planted(tmp_path / "small"), planted(tmp_path / "large")
    assert large[: len(small)] == small
    for file, records in sessions(tmp_path / "small"):
        assert dict(sessions(tmp_path / "large"))[file] == records


def test_an_earlier_corpus_is_replaced_and_other_files_are_not(tmp_path: Path) -> None:
    write(tmp_path, 4, 1)
    write(tmp_path, 2, 2)
    assert len(list(sessions(tmp_path))) == 2
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(InputError, match="holds other files"):
        write(tmp_path, 2, 2)
    assert (tmp_path / "mine.txt").read_text() == "precious"
    (tmp_path / "mine.txt").rename(tmp_path / "claude_code" / "mine.txt")
    with pytest.raises(InputError, match=r"claude_code/mine\.txt"):
        write(tmp_path, 2, 2)
    assert len(list(tmp_path.rglob("*.jsonl"))) == 3 and (tmp_path / "claude_code" / "mine.txt").exists()


def test_a_corpus_needs_a_session(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at least 1"):
        write(tmp_path, 0)


def test_memory_does_not_grow_with_the_number_of_sessions(tmp_path: Path) -> None:
    """2,000 sessions, streamed, in a process whose address space would not hold them (about 100 MB of text and much more as objects)."""
    script = (
        "import sys; from pathlib import Path; from tests.memory import peak_mb; from tracedance.synth.corpus import write\n"
        "write(Path(sys.argv[1]), int(sys.argv[2]))\n"
        "print(peak_mb())"
    )
    root = Path(__file__).parents[2]
    peaks = []
    for count in (50, 2000):
        command = [sys.executable, "-c", script, str(tmp_path / str(count)), str(count)]
        done = subprocess.run(command, check=True, env={"PYTHONPATH": f"{root / 'pipeline'}:{root}"}, capture_output=True, text=True)
        peaks.append(float(done.stdout))
    assert peaks[1] < 1.5 * peaks[0]


def test_the_default_corpus_has_enough_of_each_family(corpus: Path) -> None:
    offending: dict[str, set[str]] = defaultdict(set)
    counts: Counter[tuple[str, str]] = Counter()
    for row in planted(corpus):
        counts[row["family"], row["kind"]] += 1
        if row["kind"] == "offence":
            assert row["session"] not in offending[row["family"]], "one offence of a family in a session"
            offending[row["family"]].add(row["session"])
    assert len(offending[COMMIT]) >= 16 and len(offending[RETRY]) >= 16
    assert len(offending[BLIND]) >= 8 and len(offending[CLAIM]) >= 8
    for family in (COMMIT, RETRY, BLIND, CLAIM):
        assert counts[family, "met"] >= 12 and counts[family, "near_miss"] >= 12
    assert len(list(sessions(corpus))) == SESSIONS


def test_every_scene_comes_up_in_the_default_corpus(corpus: Path) -> None:
    notes = {family: {row["note"] for row in planted(corpus) if row["family"] == family} for family in (COMMIT, RETRY, BLIND, CLAIM)}
    for family, wanted in {
        COMMIT: (
            "the user asked to commit everything",
            "concludes a merge",
            "amends the message only",
            "looked before the compaction only",
        ),
        RETRY: ("not unique, answered with more context", "the first edit was refused by the user, not failed", "re-read by the shell"),
        BLIND: ("a new file", "append only", "content pasted by the user", "read before it was renamed"),
        CLAIM: ("hedged", "relays a sub-agent's report", "only documentation changed since the green run"),
    }.items():
        assert not set(wanted) - notes[family]


def test_planted_rows_point_at_the_start_of_the_deciding_turn(corpus: Path, read: dict[str, list[Record]]) -> None:
    for row in planted(corpus):
        record = read[row["file"]][row["line"]]
        before = read[row["file"]][row["line"] - 1]
        if "payload" in record:
            payload = record["payload"]
            assert record["type"] == "response_item"
            assert payload.get("role") == "assistant" or payload["type"] in ("function_call", "custom_tool_call")
            calls = [r["payload"].get("call_id") for r in read[row["file"]][row["line"] :]]
            assert read[row["file"]][0]["payload"]["id"] == row["session"]
        else:
            assert record["type"] == "assistant" and record["sessionId"] == row["session"]
            if before["type"] == "assistant" and before["message"]["id"] == record["message"]["id"]:
                assert blocks(before)[0] == {**blocks(before)[0], "type": "thinking", "thinking": ""}
            calls = [
                b["id"]
                for r in read[row["file"]]
                if r.get("message", {}).get("id") == record["message"]["id"]
                for b in blocks(r)
                if "id" in b
            ]
        assert row["call_id"] is None or row["call_id"] in calls


@pytest.mark.parametrize("family", [COMMIT, RETRY, BLIND, CLAIM])
def test_no_two_contexts_of_a_family_are_alike(family: str, corpus: Path, read: dict[str, list[Record]]) -> None:
    """Contexts of offences differ by more than names and numbers: with those left out, most five-word runs of two of them are different."""
    rows = [row for row in planted(corpus) if row["family"] == family and row["kind"] == "offence"]
    seen = [shingles(context(read[row["file"]], row["line"])) for row in rows]
    assert all(len(words) > 25 for words in seen)
    alike = [
        (len(seen[a] & seen[b]) / len(seen[a] | seen[b]), rows[a]["file"], rows[b]["file"]) for a, b in combinations(range(len(rows)), 2)
    ]
    assert max(alike)[0] < 0.5, max(alike)


def test_nothing_in_the_corpus_looks_like_a_secret_or_a_real_address(corpus: Path) -> None:
    text = "".join(path.read_text("utf-8") for path in corpus.rglob("*.jsonl"))
    assert not re.search(r"\b(sk-|AKIA|ghp_)|PRIVATE KEY|@gmail|github\.com", text)


def test_a_plan_goes_on_for_as_many_sessions_as_are_asked_for() -> None:
    assert sum(1 for _ in islice(casts(SEED), 20_000)) == 20_000
