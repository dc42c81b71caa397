"""What an entry of model_list allows in a minute (rpm, tpm) is what is sent."""

import random
from pathlib import Path

import pytest
import yaml

from tests.models.test_faults import requests, run
from tests.servers.provider import Provider
from tracedance.models import meter, pace
from tracedance.models.config import Models, load
from tracedance.models.pace import WINDOW, Pace, Sending


@pytest.mark.parametrize(("rpm", "tpm"), [(5, None), (None, 3000), (7, 2000)])
def test_no_minute_holds_more_requests_or_tokens_than_the_entry_allows(rpm: int | None, tpm: int | None) -> None:
    drawn, limits, now = random.Random(3), Pace(rpm, tpm), 0.0
    sent: list[Sending] = []
    for _ in range(2000):
        most = drawn.randint(10, 900)
        entered = limits.take(most, now)
        if isinstance(entered, float):
            assert entered > 0
            now += entered * drawn.uniform(0.3, 1.1)
            continue
        sent.append(entered)
        within = [one for one in sent if one.at > now - WINDOW]
        assert rpm is None or len(within) <= rpm
        assert tpm is None or sum(one.tokens for one in within) <= tpm
        entered.tokens = drawn.randint(0, most)  # what it really took
        now += drawn.uniform(0, 3)
    assert len(sent) > 200


def test_a_call_waits_no_longer_than_it_must() -> None:
    limits = Pace(2, None)
    assert isinstance(limits.take(1, 0.0), Sending) and isinstance(limits.take(1, 10.0), Sending)
    assert limits.take(1, 20.0) == WINDOW - 20 and isinstance(limits.take(1, WINDOW), Sending)


def test_a_call_that_could_never_fit_goes_alone() -> None:
    limits = Pace(None, 100)
    assert isinstance(limits.take(10, 0.0), Sending)
    assert limits.take(500, 1.0) == WINDOW - 1 and isinstance(limits.take(500, WINDOW), Sending)


def test_a_model_without_limits_never_waits() -> None:
    limits = Pace(None, None)
    assert all(isinstance(limits.take(10**9, 0.0), Sending) for _ in range(100))


def known(folder: Path, base: str, **more: int) -> Models:
    entry = {"model_name": "t/good", "litellm_params": {"model": "openai/good", "api_base": base, **more}}
    (folder / "m.yaml").write_text(yaml.safe_dump({"schema": "tracedance.models/v1", "model_list": [entry]}))
    return load(str(folder / "m.yaml"))


def test_calls_beyond_it_wait_and_are_made(provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "WINDOW", 0.2)  # a short minute
    for number, (limit, said) in enumerate([({"rpm": 2}, "2 requests a minute"), ({"tpm": 900}, "900 tokens a minute")]):
        meter.notes.clear()
        answers, _ = run(tmp_path / f"ledger{number}", requests(7), known(tmp_path, provider.base, **limit))
        assert all(answer.status == "ok" for answer in answers)
        assert [note for note in meter.notes if said in note] == [f"t/good is held to what its entry allows: {said}"]
    assert sum(provider.stats().values()) == 14
