"""Nasty files: each is read or is a named loss, every record is accounted for, and nothing raises."""

import json
import os
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ingest import agents, logs, platforms
from tests.ingest.claude import Log
from tests.ingest.test_codex import answer, output, rollout, shell, user
from tests.ingest.test_openai_chat import CHAT
from tracedance.errors import InputError
from tracedance.ingest.read import FileReading, files, read
from tracedance.ingest.sniff import sources
from tracedance.ingest.sources import HEAD, Opening
from tracedance.privacy.redactor import Redactor

REAL = Path(os.environ.get("TRACEDANCE_REAL_TRACES", Path(__file__).resolve().parents[3] / "shared" / "traces"))


def claude_lines() -> list[bytes]:
    log = Log()
    log.bare("file-history-snapshot", messageId="m", snapshot={}, isSnapshotUpdate=False)
    log.user("Fix it \u2028 please\u0085")
    log.text("m1", "Reading.")
    log.call("m1", "t1", "Read", {"file_path": "a.py"})
    log.result("t1", "x")
    log.call("m1", "t2", "Bash", {"command": "pytest"})
    log.result("t2", "Exit code 1\nFAILED", error=True)
    log.add("progress", data={"type": "bash_progress", "output": "y"})
    log.text("m2", "Done.")
    log.add("hologram")
    return [json.dumps(record, ensure_ascii=False).encode() for record in log.records]


def codex_lines() -> list[bytes]:
    items = (user("Hi"), answer("Looking"), shell("c1", "ls"), output("c1", "a"), answer("Done"))
    return [json.dumps(record, separators=(",", ":")).encode() for record in rollout(*items)]


def chat_lines() -> list[bytes]:
    return [json.dumps({"messages": CHAT}).encode()] * 3


SHAPES = {
    "claude_code": claude_lines(),
    "codex": codex_lines(),
    "openai_chat": chat_lines(),
    **agents.SHAPES,
    **logs.SHAPES,
    **platforms.SHAPES,
}


def reading(data: bytes, folder: Path, name: str = "file.jsonl") -> FileReading:
    path = folder / name
    path.write_bytes(data)
    found = read(path, Redactor(b"k"))
    counts = found.counts
    assert counts.in_ == counts.kept + counts.ignored + counts.lost
    assert sum(count for _, count, _ in found.losses) == counts.lost
    assert found.size == len(data)
    for session in found.sessions:
        assert [turn.index for turn in session.turns] == list(range(len(session.turns)))
        assert len({call.id for call in session.calls()}) == len(session.calls())
        json.dumps([turn.text for turn in session.turns], ensure_ascii=False).encode()
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_a_whole_file_loses_nothing_but_what_is_unknown(shape: str, tmp_path: Path) -> None:
    found = reading(b"\n".join(SHAPES[shape]) + b"\n", tmp_path)
    assert found.format == shape
    assert {reason for reason, _, _ in found.losses} <= {"unknown record type"}


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(shape=st.sampled_from(sorted(SHAPES)), seed=st.integers(0, 2**32))
def test_every_record_of_a_mutilated_file_is_accounted_for(shape: str, seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    lines = [mutilated(line, rng) for line in SHAPES[shape] for _ in range(rng.choice((1, 1, 1, 2, 0)))]
    if rng.random() < 0.3:
        rng.shuffle(lines)
    data = b"\n".join(lines) + rng.choice((b"", b"\n"))
    reading(data[: rng.randrange(len(data) + 1)] if rng.random() < 0.3 else data, tmp_path)


def mutilated(line: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.6:
        return line
    kind = rng.randrange(6)
    at = rng.randrange(len(line))
    if kind == 0:
        return line[:at]
    if kind == 1:
        return line[:at] + bytes([rng.randrange(256)]) + line[at + 1 :]
    if kind == 2:
        return line[:at] + rng.choice((b"\xff", b"\\ud800", b"NaN", b"\0", b"[" * 2000, b"9" * 5000)) + line[at:]
    value = json.loads(line)
    return json.dumps(retyped(value, rng)).encode() if kind == 3 else json.dumps(rng.choice(([], 3, "x", None, {}, [value]))).encode()


def retyped(value: object, rng: random.Random) -> object:
    """The same JSON with some values of another type."""
    if rng.random() < 0.1:
        return rng.choice((None, 3, "x", [], {}, ["x"], {"type": 3}, True))
    if isinstance(value, dict):
        return {key: retyped(item, rng) for key, item in value.items()}
    return [retyped(item, rng) for item in value] if isinstance(value, list) else value


def test_a_last_line_that_was_cut_off_is_named(tmp_path: Path) -> None:
    lines = SHAPES["claude_code"]
    found = reading(b"\n".join(lines[:5]) + b"\n" + lines[5][:80], tmp_path)
    assert found.losses == [("last line cut off", 1, "file.jsonl:6")]
    assert len(found.sessions[0].turns) == 3


NASTY = {
    "NaN": b'{"type":"progress","uuid":"n","x":NaN}',
    "infinity": b'{"type":"progress","uuid":"n","x":[Infinity,-Infinity]}',
    "lone surrogate": b'{"type":"progress","uuid":"\\ud800"}',
    "bad UTF-8": b'{"type":"progress","uuid":"\xff\xfe"}',
    "huge integer": b'{"type":"progress","uuid":"n","x":' + b"9" * 6000 + b"}",
    "integer over 64 bits": b'{"type":"progress","timestamp":18446744073709551617}',
    "duplicate keys": b'{"type":"assistant","type":"progress"}',
    "proto": b'{"__proto__":{"x":1},"type":"progress"}',
    "CRLF": b'{"type":"progress"}\r',
}


@pytest.mark.parametrize("name", NASTY)
def test_odd_json_is_read(name: str, tmp_path: Path) -> None:
    found = reading(b"\n".join([*SHAPES["claude_code"][:2], NASTY[name]]) + b"\n", tmp_path)
    assert (found.losses, found.counts.in_, found.counts.ignored) == ([], 3, 2)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"not json", "not JSON"),
        (b"[1,2]", "not a JSON object"),
        (b"3", "not a JSON object"),
        (b"\0\0\0\0", "NUL bytes"),
        (b'{"type":"user","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b'{"type":"user","message":"text"}', "fields of a wrong type"),
        (b'{"type":"assistant","uuid":"q"}', "message missing or malformed"),
        (b'{"uuid":"z"}', "unknown record type"),
    ],
)
def test_what_cannot_be_kept_is_a_named_loss(line: bytes, reason: str, tmp_path: Path) -> None:
    found = reading(b"\n".join([*SHAPES["claude_code"][:2], line, b""]), tmp_path)
    assert found.losses == [(reason, 1, "file.jsonl:3")]


@pytest.mark.parametrize(
    ("data", "name", "lost"),
    [
        (b"", "empty", 0),
        (b"3", "unknown", 1),
        (b"null\n", "unknown", 1),
        (b"[]", "unknown", 1),
        (b"{}", "unknown", 1),
        (b"[1, 2, 3]", "unknown", 1),
        (b"\0" * 4096, "unknown", 1),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "unknown", 1),
        ("{}".encode("utf-16"), "unknown", 1),
        (b"# Notes\n\nhello\n", "unknown", 1),
        (b'{"info":{"id":"ses_1"},"messages":[{"role":"user"}]}', "unknown", 1),
        (b'{"type":"session.start","data":{},"id":"1"}\n', "unknown", 1),
        (b'{"sessionId":"x","messages":[{"type":"user","content":"hi"}]}', "unknown", 1),
    ],
)
def test_a_file_of_no_known_format_is_one_named_loss(data: bytes, name: str, lost: int, tmp_path: Path) -> None:
    found = reading(data, tmp_path)
    assert (found.format, found.counts.lost, found.sessions) == (name, lost, [])


@pytest.mark.parametrize("shape", SHAPES)
def test_no_importer_claims_a_file_of_another_format(shape: str) -> None:
    lines = SHAPES[shape]
    for head in (b"\n".join(lines), json.dumps(json.loads(lines[0]), indent=2).encode() if len(lines) <= 3 else b"\n".join(lines[2:])):
        assert [source.name for source in sources() if source.recognises(Opening(head))] == [shape]


def test_no_importer_claims_a_real_file_of_another_format(real_traces: Path) -> None:
    homes = {"pi": "pi_openclaw", "openai_chat": "tau_bench", "swe_agent": "swe_agent_traj", "rjudge": "assebench"}
    ours = {*agents.SHAPES, *logs.SHAPES} - {"openinference", "vercel_ai", "otel_genai", "inspect_eval"}
    folders = {homes.get(source.name, source.name): source.name for source in sources()}
    for folder in (path for path in real_traces.iterdir() if path.is_dir() and path.name != "multi_format_fixtures"):
        for path in files([folder]):
            with path.open("rb") as stream:
                opening = Opening(stream.read(HEAD).lstrip())
            claims = {source.name for source in sources() if source.recognises(opening)}
            assert claims & ours == {folders.get(folder.name)} & ours, path
            assert len(claims) <= 1, path


def test_a_first_line_longer_than_what_is_looked_at_is_recognised(tmp_path: Path) -> None:
    log = Log()
    log.bare("agent-color", color="red")
    log.user("x" * 600_000)
    assert reading(log.write(tmp_path / "x").read_bytes(), tmp_path).format == "claude_code"
    items = rollout(user("x" * 600_000))[2:]
    assert reading(json.dumps(items[0], separators=(",", ":")).encode(), tmp_path).format == "codex"


def test_a_byte_order_mark_is_no_obstacle(tmp_path: Path) -> None:
    found = reading(b"\xef\xbb\xbf" + b"\n".join(SHAPES["codex"]) + b"\n", tmp_path)
    assert (found.format, found.losses, len(found.sessions)) == ("codex", [], 1)


def test_a_line_beyond_the_cap_is_skipped_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tracedance.ingest.lines.CAP", 2000)
    lines = [*SHAPES["claude_code"][:2], b'{"type":"progress","x":"' + b"y" * 5000 + b'"}', *SHAPES["claude_code"][2:9]]
    found = reading(b"\n".join(lines) + b"\n", tmp_path)
    assert found.losses == [("line longer than 64 MiB", 1, "file.jsonl:3")]
    assert found.sessions[0].turns[-1].text == "Done."


def test_thousands_of_wiped_ids_without_results_are_read(tmp_path: Path) -> None:
    log = Log()
    log.user("Go")
    for number in range(3000):
        log.call(f"m{number}", "REDACTED", "Bash", {"command": "ls"})
    found = reading(log.write(tmp_path / "x").read_bytes(), tmp_path)
    assert len(found.sessions[0].calls()) == 3000


def test_files_are_found_once_in_order_and_links_and_pipes_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name in ("b/2.jsonl", "a.jsonl", "c.json"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "b" / "loop").symlink_to(tmp_path)
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "a.jsonl")
    os.mkfifo(tmp_path / "pipe.jsonl")
    found = list(files([tmp_path, tmp_path / "a.jsonl"]))
    assert [path.relative_to(tmp_path).as_posix() for path in found] == ["a.jsonl", "c.json", "b/2.jsonl"]


def test_a_missing_path_and_a_pipe_are_refused_with_a_cure(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "nowhere", tmp_path / "pipe"):
        with pytest.raises(InputError, match=path.name):
            list(files([path]))
    with pytest.raises(InputError, match="pipe"):
        read(tmp_path / "pipe", Redactor(b"k"))


@pytest.mark.parametrize("folder", ["claude_code", "codex", "tau_bench", "opencode", "copilot_cli", "gemini_cli", "pi_openclaw"])
def test_real_traces_are_read_without_loss_or_orphans(folder: str) -> None:
    if not (REAL / folder).is_dir():
        pytest.skip(f"no real traces at {REAL}; set TRACEDANCE_REAL_TRACES to a folder that holds {folder}/")
    calls = 0
    for path in files([REAL / folder]):
        found = read(path, Redactor(b"k"))
        assert found.counts.in_ == found.counts.kept + found.counts.ignored + found.counts.lost
        assert found.losses == []
        for session in found.sessions:
            known = {call.id for call in session.calls()}
            calls += len(known)
            assert all(result.call_id in known for turn in session.turns for result in turn.results)
            assert all(session.turns[turn.index - 1].role == "assistant" for turn in session.turns if turn.role == "tool")
    counts = {"claude_code": 1192, "codex": 506, "tau_bench": 311, "opencode": 152, "copilot_cli": 68, "gemini_cli": 12, "pi_openclaw": 585}
    assert calls == counts[folder]
