"""Names by the optional extra: off by default, asked for before anything is made, and stable within a store."""

import re
import sys
from pathlib import Path

import pytest

from tests.privacy import plant
from tracedance.errors import InputError
from tracedance.privacy import presidio
from tracedance.privacy.presidio import NamingRedactor
from tracedance.store.importing import Options, import_with


def test_without_the_extra_the_import_is_refused_before_a_store_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    monkeypatch.setitem(sys.modules, "presidio_analyzer.nlp_engine", None)
    presidio.engine.cache_clear()
    plant.write(tmp_path, 5, seed=1)
    with pytest.raises(InputError, match=r"pip install tracedance\[pii\]"):
        import_with(tmp_path / "store", [tmp_path / "claude_code"], Options(names=True))
    assert not (tmp_path / "store").exists()


def test_a_name_gets_one_pseudonym_in_all_texts_of_a_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presidio, "engine", lambda: None)
    monkeypatch.setattr(presidio, "people", lambda text: (match.span() for match in re.finditer(r"Grace Hopper", text)))
    redactor = NamingRedactor(b"k" * 32).session()
    said = redactor.text("Ask Grace Hopper first.")
    assert "Grace" not in said and said.startswith("Ask Pat Q") and said.endswith(" first.")
    assert redactor.value({"who": "Grace Hopper"})["who"] in said
    assert redactor.text(said) == said and redactor.found["name"] == 2
