"""Where models are, and what is not sent to them."""

from pathlib import Path
from typing import Any

import pytest

from tests.privacy.planted import secret
from tracedance.errors import InputError
from tracedance.models import reach
from tracedance.models.call import call
from tracedance.models.config import Models, load
from tracedance.schema import ModelRequest

FILE = """
schema: tracedance.models/v1
model_list:
  - {model_name: near, litellm_params: {model: openai/near, api_base: "http://127.0.0.1:9/v1"}}
  - {model_name: far, litellm_params: {model: openai/far, api_base: "https://models.example.com/v1", api_key: os.environ/FAR_KEY}}
roles: {fast: far}
"""


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Models:
    monkeypatch.setenv("FAR_KEY", "k" * 8)
    (tmp_path / "models.yaml").write_text(FILE)
    return load(str(tmp_path / "models.yaml"))


def request(model: str, text: str, **more: Any) -> ModelRequest:
    return ModelRequest(model=model, messages=({"role": "user", "content": text},), purpose="respond", **more)


def test_a_request_with_a_finding_is_not_sent_elsewhere_and_the_answer_says_where_and_not_what(models: Models) -> None:
    value = secret()
    answer = call(request("far", f"Use {value}."), models, None)
    assert answer.status == "failed" and "not sent to models.example.com" in answer.error and "GitHub token" in answer.error
    assert value not in answer.error


def test_a_request_to_this_machine_is_not_held_back(models: Models) -> None:
    assert reach.withheld(models.endpoint("near"), request("near", secret()), models) == ""
    assert reach.withheld(models.endpoint("far"), request("far", "Hello"), models) == ""


def test_local_only_refuses_before_anything_is_sent(models: Models) -> None:
    with pytest.raises(InputError, match=r"'fast' asks for 'far' at models\.example\.com"):
        reach.only_local(models, True, ("fast",))
    with pytest.raises(InputError, match="not on loopback"):
        reach.only_local(models, True, (), ("openai/gpt-6.1-sol",))
    held = reach.only_local(models, True, ("judge",), ("near", "offline/source"))
    assert "local_only" in reach.withheld(held.endpoint("far"), request("far", "Hello"), held)


def test_each_role_says_what_it_is_sent_and_where(models: Models) -> None:
    rows = {row["role"]: row for row in reach.told(models)}
    assert rows["fast"]["models"] == [{"model": "far", "host": "models.example.com", "loopback": False}] and rows["fast"]["sends"]
    assert "context" in rows["evaluated"]["content"] and rows["judge"]["models"] == []
