"""The second look: finds what leaves by its own means, says where and what kind, and never repeats the value."""

import json
from pathlib import Path
from random import Random

import pytest

from tests.privacy.clean import KINDS
from tests.privacy.encodings import ENCODINGS
from tests.privacy.kinds import SECRETS
from tests.privacy.planted import secret
from tracedance.door import scan
from tracedance.door.decoded import views
from tracedance.door.patterns import secrets
from tracedance.errors import InputError
from tracedance.store import export

EVIDENT = (
    "github_token",
    "stripe_key",
    "anthropic_key",
    "openai_key",
    "slack_token",
    "sendgrid_key",
    "aws_access_key",
    "huggingface_token",
)


def alone(text: str) -> list[str]:
    """What the second look's own patterns find, without the rules of redaction."""
    return [kind for view, joined in views(text) for kind, *_ in secrets(view, joined)]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", EVIDENT)
def test_a_token_is_found_in_every_encoding_without_the_rules_of_redaction(kind: str, encoding: str) -> None:
    rng = Random(f"{kind}{encoding}")
    value, text = SECRETS[kind](rng)
    assert alone(ENCODINGS[encoding](text, value, rng))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_digests_identifiers_and_documentation_are_no_findings(kind: object) -> None:
    assert callable(kind)
    for seed in range(20):
        assert not alone(kind(Random(seed)))


def test_an_export_names_place_and_kind_and_not_the_value(tmp_path: Path) -> None:
    value = secret()
    line = json.dumps({"messages": [{"text": f"use {value}"}]})
    with pytest.raises(InputError) as refused:
        export.write(tmp_path / "rows.jsonl", f"{{}}\n{line}\n")
    said = str(refused.value)
    assert "line 2" in said and "messages[0].text" in said and "GitHub token" in said and value[6:20] not in said
    assert not (tmp_path / "rows.jsonl").exists()


def test_what_a_person_approved_passes_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "_approved", set())
    one, other = secret(seed=1), secret(seed=2)
    scan.approve(finding.digest for finding in scan.in_text(one))
    export.write(tmp_path / "a.txt", one)
    with pytest.raises(InputError):
        export.write(tmp_path / "b.txt", f"{one} {other}")


def test_an_errors_text_names_the_kind_instead() -> None:
    value = secret()
    assert value not in scan.masked(f"No model is named {value!r}.")
    assert scan.masked("No family is named 'x'.") == "No family is named 'x'."
