"""Sentences that mean the same say the same concepts; a denial belongs to what it denies."""

from pathlib import Path

import pytest

from tracedance.errors import InputError
from tracedance.query import concepts as module
from tracedance.query.concepts import concepts, stem


@pytest.mark.parametrize(
    "sentence, meant",
    [
        ("edits files without reading them", "edit file -read"),
        ("changes a document it has never opened", "edit file -read"),
        ("overwrites files blindly", "edit file -read"),
        ("edits a file before it reads it", "edit file -read"),
        ("How often do models read a file before they edit it?", "edit file -read"),
        ("does not re-read the file", "file -read"),
        ("Der Agent \u00e4ndert Dateien, ohne sie gelesen zu haben", "edit file -read"),
        ("edita archivos sin haberlos le\u00eddo", "edit file -read"),
        ("modifie un fichier sans l'avoir lu", "edit file -read"),
        ("says the suite is green but did not run it", "claim test pass -run"),
        ("claims passing tests with no test run", "claim test pass -run"),
        ("commits without tests", "commit test -run"),
        ("commits without a diff", "commit diff -read"),
        ("an edit fails and the agent does not read the error", "edit fail -read fail"),
        ("edit fails, the error is not read", "edit fail -read fail"),
        ("looks at the changes", "read change"),
        ("the agent changes code", "edit code"),
        ("build a benchmark of edits", "edit"),
        ("the build is broken", "build fail"),
        ("says it sent the mail although it did not", "claim send message nodo"),
        ("git add -A", "git-add everything"),
        ("", ""),
    ],
)
def test_a_sentence_says(sentence: str, meant: str) -> None:
    wanted = meant.replace("git-add", "stage").replace("-read fail", "-read_fail").split()
    assert concepts(sentence) == {name.replace("-read_fail", "-read fail") for name in wanted}


def test_inflections_meet() -> None:
    assert stem("edits") == stem("edited") == stem("editing")


def test_a_broken_word_list_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "concepts.yaml").write_text("schema: x")
    monkeypatch.setattr(module, "data", lambda name: tmp_path / name)
    module._book.cache_clear()
    try:
        with pytest.raises(InputError, match=r"concepts\.yaml"):
            module._book()
    finally:
        module._book.cache_clear()
