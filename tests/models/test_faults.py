"""A provider that fails: a run completes or stops where it can be taken up, nothing is paid unseen, and the answers are the same."""

import os
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.servers.provider import Provider
from tracedance.evaluate.spread import spread
from tracedance.models import spending
from tracedance.models.call import call
from tracedance.models.config import Models, load
from tracedance.models.ledger import Ledger
from tracedance.schema import ModelAnswer, ModelRequest

CALLS = int(os.environ.get("TRACEDANCE_FAULT_CALLS", "600"))
"""Over all shares of faults; `make test-faults` makes 5,000, at night 100,000."""
SHARES = {0.01: 0.5, 0.1: 0.3, 0.3: 0.15, 0.6: 0.05}
"""Share of faults -> share of the calls: what fails most takes longest, by waiting."""
PRICES = {"good": (1.0, 4.0)}
RUNS = 3
"""Runs under faults before they end."""


def models(folder: Path, base: str, timeout: float = 20, flags: Mapping[str, object] | None = None, **limits: object) -> Models:
    parameters = {"model": "openai/good", "api_base": base, "timeout": timeout}
    entry = {"model_name": "t/good", "litellm_params": parameters, "tracedance": dict(flags or {})}
    quick = {"first_wait": 0.005, "longest_wait": 0.05, "breaker_rest": 0.02, **limits}
    price = dict(zip(("input", "output"), PRICES["good"], strict=True))
    file = {"schema": "tracedance.models/v1", "model_list": [entry], "prices": {"t/good": price}, "limits": quick}
    path = folder / "models.yaml"
    path.write_text(yaml.safe_dump(file))
    return load(str(path))


def requests(count: int) -> list[ModelRequest]:
    given = {"model": "t/good", "purpose": "respond", "parameters": {"max_tokens": 200}}
    return [ModelRequest(messages=({"role": "user", "content": f"Fix part {number} and commit."},), **given) for number in range(count)]


def run(path: Path, asked: Sequence[ModelRequest], known: Models) -> tuple[list[ModelAnswer], dict[str, Any]]:
    with Ledger(path) as ledger:
        answers = spread(partial(call, models=known, ledger=ledger), asked, 32, lambda done, total: None)
        return answers, spending.spent(ledger)


@pytest.mark.parametrize("share", SHARES)
def test_whatever_fails_the_answers_end_up_as_without_faults_and_the_books_agree(share: float, provider: Provider, tmp_path: Path) -> None:
    asked = requests(int(CALLS * SHARES[share]))
    known = models(tmp_path, provider.base)
    expected, _ = run(tmp_path / "sound", asked, known)
    with Provider(0) as failing:
        failing.faults.share = share
        known = models(tmp_path, failing.base, timeout=0.5)
        for _ in range(RUNS):
            answers, account = run(tmp_path / "ledger", asked, known)
            if all(answer.status == "ok" for answer in answers):
                break
        else:
            failing.faults.share = 0.0
            answers, account = run(tmp_path / "ledger", asked, models(tmp_path, failing.base))
        billed = failing.books.shown()
        bill = failing.books.dollars(PRICES)
    assert answers == expected
    total = account["total"]
    assert total["answered"] == len(asked) and total["unknown"] == 0
    assert total["usd"] <= bill + 1e-9 and bill <= total["usd_most"] + 1e-9, "the ledger knows of every call that the provider bills"
    assert sum(billed["calls"].values()) <= total["attempts"] and len(billed["calls"]) == len(asked)


def test_a_wrong_key_stops_its_provider_at_once_and_the_other_goes_on(provider: Provider, tmp_path: Path) -> None:
    with Provider(0) as other:
        entries = [
            {"model_name": "t/locked", "litellm_params": {"model": "openai/status-401", "api_base": other.base}},
            {"model_name": "t/good", "litellm_params": {"model": "openai/good", "api_base": provider.base}},
        ]
        (tmp_path / "m.yaml").write_text(yaml.safe_dump({"schema": "tracedance.models/v1", "model_list": entries}))
        known = load(str(tmp_path / "m.yaml"))
        both = [one.model_copy(update={"model": name}) for one in requests(40) for name in ("t/locked", "t/good")]
        answers, _ = run(tmp_path / "ledger", both, known)
        assert sum(other.stats().values()) <= 8, "those that were under way"
    assert [answer.status for answer in answers] == ["failed", "ok"] * 40
    assert all("the key was refused" in answer.error for answer in answers[::2])


def test_a_provider_that_never_answered_is_given_up_and_one_that_comes_back_is_used_again(provider: Provider, tmp_path: Path) -> None:
    asked = requests(60)
    provider.faults.share, provider.faults.kinds = 1.0, ("500",)
    answers, account = run(tmp_path / "ledger", asked, models(tmp_path, provider.base, breaker_after=10))
    assert all(answer.status == "failed" for answer in answers) and any("could not be had" in answer.error for answer in answers)
    assert account["total"]["attempts"] < 60, "most calls were never made"
    provider.faults.share = 0.0
    answers, _ = run(tmp_path / "ledger", asked, models(tmp_path, provider.base))
    assert all(answer.status == "ok" for answer in answers)


def test_a_provider_that_is_busy_is_asked_less_and_everything_is_answered(provider: Provider, tmp_path: Path) -> None:
    provider.faults.share, provider.faults.kinds = 0.4, ("429", "503")
    answers, account = run(tmp_path / "ledger", requests(200), models(tmp_path, provider.base))
    assert all(answer.status == "ok" for answer in answers) and account["total"]["failed"] > 20
    assert account["total"]["usd"] == account["total"]["usd_most"], "a refusal costs nothing"


def test_repetitions_that_may_be_paid_are_a_bounded_share(provider: Provider, tmp_path: Path) -> None:
    provider.faults.share, provider.faults.kinds = 0.5, ("garbage",)
    _, account = run(tmp_path / "ledger", requests(200), models(tmp_path, provider.base, retry_least=5, breaker_after=200))
    assert account["total"]["attempts"] <= 200 + 5 + 0.1 * account["total"]["attempts"] + 1


def test_a_provider_that_takes_idempotency_keys_is_paid_once_for_answers_that_were_lost(provider: Provider, tmp_path: Path) -> None:
    provider.faults.share, provider.faults.kinds = 0.5, ("reset", "torn", "stall", "500")
    generous = {"tries": 20, "retry_least": 1000, "breaker_after": 500}
    flagged = models(tmp_path, provider.base, 0.5, {"idempotency_key": True}, **generous)
    answers, account = run(tmp_path / "flagged", requests(40), flagged)
    assert all(answer.status == "ok" for answer in answers) and account["total"]["failed"] > 10
    assert {"reset", "torn", "stall", "500"} <= set(provider.faults.drawn)
    assert set(provider.books.shown()["calls"].values()) == {1}
    run(tmp_path / "plain", requests(40), models(tmp_path, provider.base, 0.5, **generous))
    assert sum(provider.books.shown()["calls"].values()) > 80, "without keys, what was lost is paid again"


@pytest.mark.parametrize(
    ("faults", "paid"),
    [(["reset", "500", "torn", ""], 1), (["500", "stall", "503", "500", ""], 1), (["garbage", "reset", ""], 2), (["500", "500", ""], 1)],
)
def test_a_call_keeps_its_key_for_as_long_as_it_may_have_been_answered(
    provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faults: list[str], paid: int
) -> None:
    monkeypatch.setattr(provider.faults, "draw", iter(faults).__next__)
    answers, _ = run(tmp_path / "l", requests(1), models(tmp_path, provider.base, 0.5, {"idempotency_key": True}))
    assert answers[0].status == "ok" and list(provider.books.shown()["calls"].values()) == [paid]


def test_an_answer_that_held_nothing_is_asked_for_under_a_key_of_its_own(provider: Provider, tmp_path: Path) -> None:
    provider.faults.share, provider.faults.kinds = 0.5, ("garbage",)
    run(tmp_path / "ledger", requests(20), models(tmp_path, provider.base, 20, {"idempotency_key": True}, retry_least=1000, tries=20))
    assert provider.faults.drawn["garbage"] > 5
    assert sum(provider.books.shown()["calls"].values()) == 20 + provider.faults.drawn["garbage"], "it would be the same garbage again"


def test_a_wait_that_the_provider_asks_for_is_kept(provider: Provider, tmp_path: Path) -> None:
    import httpx

    from tracedance.models.limits import Limits
    from tracedance.models.repeats import asked, failure, pause
    from tracedance.models.wire import Exchange

    limits = Limits(first_wait=1, retry_after_most=120)
    assert asked("7", limits) == 7 and asked("9999", limits) == 120 and asked("-1", limits) == 0 and asked("soon", limits) is None
    busy = Exchange(1, 1, status=429, headers=httpx.Headers({"retry-after": "7"}))
    wait = pause(failure("too many", busy, limits), 1, limits)
    assert wait is not None and 7 <= wait <= 8
    date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 3600))
    assert asked(date, limits) == 120
