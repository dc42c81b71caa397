import os
from pathlib import Path

import pytest

from tracedance.errors import InputError
from tracedance.privacy.redactor import Redactor
from tracedance.store.export import publish, published, write

SECRET = "AKIA" + "Q3EXMPLEKEYZ7WXV"
"""In the shape of a cloud key; put together here, so that no scanner takes this file for a leak."""


def test_what_is_published_lies_under_its_content_hash_behind_a_pointer(tmp_path: Path) -> None:
    pointer = publish({"a.txt": b"one", "data/b.txt": b"two"}, tmp_path, "bench")
    assert pointer == tmp_path / "bench"
    assert (pointer / "data/b.txt").read_bytes() == b"two"
    assert os.readlink(pointer).startswith(".objects/")
    assert [path.name for path in (tmp_path / ".objects").iterdir()] == [published(pointer).name]


def test_the_same_content_is_published_once_and_other_content_beside_it(tmp_path: Path) -> None:
    first = published(publish({"a.txt": b"one"}, tmp_path, "bench"))
    assert published(publish({"a.txt": b"one"}, tmp_path, "bench")) == first
    second = published(publish({"a.txt": b"two"}, tmp_path, "bench"))
    assert second != first
    assert (first / "a.txt").read_bytes() == b"one"


def test_publishing_again_mends_an_edited_folder(tmp_path: Path) -> None:
    pointer = publish({"a.txt": b"one"}, tmp_path, "bench")
    (pointer / "a.txt").write_bytes(b"0ne")
    (pointer / "extra").write_bytes(b"")
    publish({"a.txt": b"one"}, tmp_path, "bench")
    assert {path.name: path.read_bytes() for path in pointer.iterdir()} == {"a.txt": b"one"}


def test_a_secret_keeps_the_door_shut_and_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'data/b\.txt' still holds a secret") as refused:
        publish({"a.txt": b"one", "data/b.txt": f"key = {SECRET}".encode()}, tmp_path / "out", "bench")
    assert SECRET not in str(refused.value)
    assert not (tmp_path / "out").exists()
    with pytest.raises(InputError, match="still holds a secret"):
        write(tmp_path / "report.html", f"<p>{SECRET}</p>")
    assert not (tmp_path / "report.html").exists()


def test_a_replaced_secret_may_leave(tmp_path: Path) -> None:
    replaced = Redactor(bytes(32)).text(f"key = {SECRET}")
    assert SECRET not in replaced
    write(tmp_path / "report.html", f"<p>{replaced}</p>")
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize("path", ["../a", "/etc/a", "a/../../b", "a\\b", "", "."])
def test_a_path_outside_the_folder_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(InputError, match="no path inside"):
        publish({path: b""}, tmp_path / "out", "bench")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["", "..", ".objects", "a/b", "x" * 200, "a\n"])
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="is no name"):
        publish({"a": b""}, tmp_path, name)


def test_a_folder_of_somebody_else_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "bench").mkdir()
    with pytest.raises(InputError, match="was not published from here"):
        publish({"a": b""}, tmp_path, "bench")


def test_a_pointer_file_leads_to_the_folder_too(tmp_path: Path) -> None:
    folder = published(publish({"a": b""}, tmp_path, "bench"))
    (tmp_path / "plain").write_text(f".objects/{folder.name}\n")
    assert published(tmp_path / "plain") == folder
    with pytest.raises(InputError, match="no published folder"):
        published(tmp_path / "none")
