"""Archives: members are read by whichever importer their content asks for; bombs, broken and encrypted members are named losses."""

import gzip
import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from tests.ingest.test_read import SHAPES
from tracedance.ingest import archives
from tracedance.ingest.read import FileReading, read, readings
from tracedance.privacy.redactor import Redactor

CLAUDE = b"\n".join(SHAPES["claude_code"]) + b"\n"
CODEX = b"\n".join(SHAPES["codex"]) + b"\n"
BOTH = {"logs/a.jsonl": CLAUDE, "b.jsonl": CODEX}


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def tarred(files: dict[str, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=form) as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return made.getvalue()


def zstd(data: bytes) -> bytes:
    return bytes(pa.compress(data, codec="zstd", asbytes=True))


def zipped_with_zstd(name: str, data: bytes, crc: int | None = None) -> bytes:
    """A zip archive of one member packed by method 93, as Inspect writes its logs."""
    packed, named = zstd(data), name.encode()
    crc = zlib.crc32(data) if crc is None else crc
    figures = struct.pack("<IIIHH", crc, len(packed), len(data), len(named), 0)
    local = b"PK\x03\x04" + struct.pack("<HHHHH", 63, 0, 93, 0, 33) + figures + named
    listed = b"PK\x01\x02" + struct.pack("<HHHHHH", 63, 63, 0, 93, 0, 33) + figures + struct.pack("<HHHII", 0, 0, 0, 0, 0) + named
    start = len(local) + len(packed)
    return local + packed + listed + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(listed), start, 0)


def lost(found: FileReading) -> dict[str, int]:
    assert found.counts.in_ == found.counts.kept + found.counts.ignored + found.counts.lost
    assert sum(count for _, count, _ in found.losses) == found.counts.lost
    return {reason: count for reason, count, _ in found.losses if reason != "unknown record type"}


def opened(data: bytes, folder: Path, name: str = "a.bin") -> FileReading:
    (folder / name).write_bytes(data)
    return read(folder / name, Redactor(b"k"))


PACKED: dict[str, Callable[[dict[str, bytes]], bytes]] = {
    "zip": zipped,
    "stored zip": lambda files: zipped(files, zipfile.ZIP_STORED),
    "tar": tarred,
    "GNU tar": lambda files: tarred(files, tarfile.GNU_FORMAT),
    "tar.gz": lambda files: gzip.compress(tarred(files)),
    "tar.zst": lambda files: zstd(tarred(files)),
}


@pytest.mark.parametrize("kind", PACKED)
def test_members_are_read_by_the_importer_that_their_content_asks_for(kind: str, tmp_path: Path) -> None:
    found = opened(PACKED[kind](BOTH), tmp_path)
    assert lost(found) == {}
    assert [session.format for session in found.sessions] == ["claude_code", "codex"]
    assert [session.path.removeprefix(str(tmp_path)) for session in found.sessions] == ["/a.bin!logs/a.jsonl", "/a.bin!b.jsonl"]
    assert {session.source_digest for session in found.sessions} == {found.digest}


@pytest.mark.parametrize(
    "packed",
    [gzip.compress(CLAUDE), zstd(CLAUDE), zipped_with_zstd("a.jsonl", CLAUDE), gzip.compress(CLAUDE[:99]) + gzip.compress(CLAUDE[99:])],
)
def test_one_compressed_file_is_read_like_the_file_itself(packed: bytes, tmp_path: Path) -> None:
    found, plain = opened(packed, tmp_path, "a.jsonl.gz"), opened(CLAUDE, tmp_path, "plain")
    assert found.counts == plain.counts
    assert [[turn.chain for turn in session.turns] for session in found.sessions] == [[turn.chain for turn in plain.sessions[0].turns]]
    assert found.sessions[0].path.endswith("a.jsonl.gz!a.jsonl")


def test_a_name_of_any_length_and_kind_is_a_safe_place(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    names = ["../../etc/passwd", "/abs/x", "C:\\win\\x", "a\x1b[31m\u202eb", "n/" * 900 + "x", f"{secret}/x", "..", "con\nfig"]
    found = opened(tarred(dict.fromkeys(names, CODEX)), tmp_path)
    places = [session.path.partition("!")[2] for session in found.sessions]
    assert len(places) == len(names)
    assert all(".." not in place.split("/") and not place.startswith("/") and len(place) < 300 for place in places)
    assert not any(char in "".join(places) for char in "\x1b\u202e\n\\")
    assert secret not in "".join(places)


def test_links_folders_and_devices_are_not_followed(tmp_path: Path) -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for number, kind in enumerate((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE)):
            entry = tarfile.TarInfo(f"x{number}")
            entry.type, entry.linkname = kind, "/etc/passwd"
            archive.addfile(entry)
    found = opened(made.getvalue(), tmp_path)
    assert (found.counts.in_, found.sessions) == (0, [])
    link = zipfile.ZipInfo("l")
    link.external_attr = 0o120777 << 16
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(link, "/etc/passwd")
        archive.mkdir("folder") if hasattr(archive, "mkdir") else archive.writestr("folder/", "")
    assert opened(packed.getvalue(), tmp_path).counts.in_ == 0


@pytest.mark.parametrize("inner", [zipped(BOTH), gzip.compress(CLAUDE), tarred(BOTH), zstd(CLAUDE)])
@pytest.mark.parametrize("outer", ["zip", "tar.gz"])
def test_an_archive_inside_an_archive_is_not_opened_and_named(outer: str, inner: bytes, tmp_path: Path) -> None:
    found = opened(PACKED[outer]({"in": inner, "b.jsonl": CODEX}), tmp_path)
    assert lost(found) == {"archive inside an archive": 1}
    assert found.losses[0][2] == "a.bin!in:1"
    assert [session.format for session in found.sessions] == ["codex"]


def test_a_gzip_inside_a_gzip_is_not_opened(tmp_path: Path) -> None:
    assert lost(opened(gzip.compress(gzip.compress(CLAUDE)), tmp_path)) == {"archive inside an archive": 1}


@pytest.mark.parametrize(
    "packed", [gzip.compress(bytes(100_000_000)), zipped({"a": bytes(100_000_000), "b": CODEX}), zstd(bytes(100_000_000))]
)
def test_a_bomb_goes_off_in_a_bounded_room(packed: bytes, tmp_path: Path) -> None:
    assert lost(opened(packed, tmp_path))["archive unpacks to over 100 times its size"] >= 1


def test_whole_lines_before_a_bound_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "TOTAL", 300_000)
    padding = b'{"type":"progress","x":"' + b"y" * 1000 + b'"}\n'
    found = opened(gzip.compress(CLAUDE + padding * 5000), tmp_path)
    assert "archive unpacks to over 32 GiB" in lost(found)
    assert found.sessions[0].turns[-1].text == "Done."


def test_members_beyond_the_limit_are_one_named_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MEMBERS", 2)
    found = opened(zipped({str(number): CODEX for number in range(5)}), tmp_path)
    assert len(found.sessions) == 2
    assert lost(found) == {"archive with over 2 members": 1}


def damaged(packed: bytes, needle: bytes = b"") -> bytes:
    at = packed.index(needle) + 5 if needle else len(packed) // 2
    return packed[:at] + bytes([packed[at] ^ 0xFF]) + packed[at + 1 :]


def test_of_a_member_whose_checksum_fails_nothing_is_kept(tmp_path: Path) -> None:
    packed = damaged(zipped({"a": CODEX, "b": CLAUDE}, zipfile.ZIP_STORED), b"Looking")
    found = opened(packed, tmp_path)
    assert lost(found) == {"broken archive member": 1}
    assert [session.format for session in found.sessions] == ["claude_code"]
    assert lost(opened(zipped_with_zstd("a", CLAUDE, crc=7), tmp_path)) == {"broken archive member": 1}
    assert lost(opened(damaged(gzip.compress(CLAUDE)), tmp_path)) == {"broken archive member": 1}


def test_of_a_stream_that_was_cut_off_the_whole_lines_are_kept(tmp_path: Path) -> None:
    packed = gzip.compress(CLAUDE, 0)
    found = opened(packed[: len(packed) * 3 // 4], tmp_path)
    assert lost(found) == {"last line cut off": 1, "archive member cut off": 1}
    assert found.sessions and found.counts.kept
    archive = tarred(BOTH)
    found = opened(archive[: archive.index(CODEX) + 700], tmp_path)
    assert [session.format for session in found.sessions] == ["claude_code", "codex"]
    assert lost(found) == {"last line cut off": 1, "archive member cut off": 1, "archive cut off": 1}


def test_an_encrypted_member_and_one_packed_otherwise_are_named(tmp_path: Path) -> None:
    plain = bytearray(zipped({"a.jsonl": CLAUDE}))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        plain[plain.index(mark) + place] |= 1
    assert lost(opened(bytes(plain), tmp_path)) == {"encrypted archive member": 1}
    assert lost(opened(zipped({"a": CLAUDE}, zipfile.ZIP_LZMA), tmp_path)) == {"archive member packed by a method that is not read": 1}


@pytest.mark.parametrize("data", [b"PK\x03\x04", b"PK\x03\x04" + b"x" * 4000, zipped(BOTH)[:-30], b"PK\x05\x06" + b"\xff" * 18])
def test_an_archive_that_cannot_be_opened_is_one_named_loss(data: bytes, tmp_path: Path) -> None:
    assert lost(opened(data, tmp_path)) == {"broken archive": 1}


def test_other_packings_are_named(tmp_path: Path) -> None:
    import bz2
    import lzma

    for data in (bz2.compress(CLAUDE), lzma.compress(CLAUDE)):
        assert lost(opened(data, tmp_path)) == {"packed by a method that is not read (zip, gzip, zstd and tar are)": 1}


def test_each_member_has_its_own_account_and_the_archive_the_last(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({**BOTH, "note.txt": b"hello"}))
    parts = list(readings(tmp_path / "a.zip", Redactor(b"k")))
    assert [(part.place.rpartition("/")[2], part.format) for part in parts[1:]] == [
        ("a.zip!b.jsonl", "codex"),
        ("a.zip!note.txt", "unknown"),
        ("a.zip", "archive"),
    ]
    assert parts[2].losses == [("unknown format", 1, "a.zip!note.txt:1")]


def test_the_inspect_logs_among_the_real_traces_are_read_member_by_member(real_traces: Path) -> None:
    found = read(real_traces / "inspect_eval" / "luce_intercode_ctf.gpt-4o.eval", Redactor(b"k"))
    assert len(found.sessions) > 5
    assert all(".eval!samples/" in session.path for session in found.sessions)
