"""A cap is never exceeded, whatever a provider says of its usage, and a run that stopped at it goes on with more."""

import random
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models.test_faults import PRICES, models, requests, run
from tests.servers.provider import Provider
from tracedance.errors import InputError
from tracedance.models.budget import Budget, BudgetReached, Terms
from tracedance.models.config import load
from tracedance.models.prices import DOLLAR, Price, believable, cost, most
from tracedance.schema import Usage

SCHEDULES = 10_000


def lie(drawn: random.Random, true: Usage) -> Usage:
    """What a provider may say instead. A lie that the length of the texts allows (half of the tokens, say) cannot be seen."""
    wrong: list[Any] = [None, 0, 1, 10**8]
    mixed = drawn.choice([*wrong, true.input]), drawn.choice([*wrong, true.output])
    return Usage(input=mixed[0], output=mixed[1], cached=drawn.choice([None, 10**8]), reasoning=drawn.choice([None, 10**8]))


def test_ten_thousand_schedules_with_lying_usage_never_overspend() -> None:
    drawn = random.Random(7)
    for _ in range(SCHEDULES):
        price = Price(input=drawn.uniform(0, 20), output=drawn.uniform(0, 80), cached=drawn.choice([None, 0.1]))
        limit, billed = drawn.randint(0, DOLLAR // 100), 0
        budget = Budget(limit)
        under_way: list[tuple[int, Usage, tuple[int, int], int]] = []
        for _ in range(12):
            if under_way and drawn.random() < 0.5:
                reserved, true, tokens, said = under_way.pop(drawn.randrange(len(under_way)))
                stated = drawn.choice([true, lie(drawn, true)])
                budget.settle(reserved, cost(price, stated) if believable(stated, tokens, said) else reserved)
                billed += cost(price, true)
            text, cap = drawn.randint(64, 4000), drawn.randint(8, 400)
            tokens = text + 1000, cap
            true = Usage(input=text // 4, output=drawn.randint(8, cap))
            try:
                if budget.reserve(most(price, *tokens)):
                    under_way.append((most(price, *tokens), true, tokens, 4 * (true.output or 0)))
            except BudgetReached:
                pass
            assert budget.spent + budget.reserved <= limit and billed <= limit and budget.reserved >= 0


def test_a_run_stops_at_its_cap_and_goes_on_with_more_money(provider: Provider, tmp_path: Path) -> None:
    asked = requests(30)
    known = models(tmp_path, provider.base)
    cap = 3 * DOLLAR // 1000
    with pytest.raises(InputError, match="The budget is reached") as stopped:
        run(tmp_path / "ledger", asked, replace(known, terms=Terms(max_cost=cap)))
    assert stopped.value.code == 4 and provider.books.dollars(PRICES) <= cap / DOLLAR
    answers, account = run(tmp_path / "ledger", asked, replace(known, terms=Terms(max_cost=DOLLAR)))
    assert all(answer.status == "ok" for answer in answers) and account["total"]["answered"] == 30
    assert account["total"]["usd"] == pytest.approx(provider.books.dollars(PRICES)) and sum(provider.stats().values()) == 30


@pytest.mark.parametrize("usage", [{}, {"prompt_tokens": -5, "completion_tokens": True}, {"prompt_tokens": 0, "completion_tokens": 10**8}])
def test_usage_that_cannot_be_true_counts_at_the_most(provider: Provider, tmp_path: Path, usage: dict[str, Any]) -> None:
    provider.stated = lambda whole: {**whole, "usage": usage}
    _, account = run(tmp_path / "ledger", requests(1), models(tmp_path, provider.base))
    assert account["total"]["doubted"] == 1 and account["total"]["usd"] == 0
    assert account["total"]["usd_most"] >= provider.books.dollars(PRICES)


def test_a_cap_is_refused_where_a_price_is_unknown_and_a_negative_price_is_no_price(provider: Provider, tmp_path: Path) -> None:
    text = (tmp_path / "x").parent / "m.yaml"
    known = models(tmp_path, provider.base)
    without = replace(known, file=known.file.model_copy(update={"prices": {}}), terms=Terms(max_cost=DOLLAR))
    with pytest.raises(InputError, match="no price is known"):
        run(tmp_path / "ledger", requests(1), without)
    text.write_text("schema: tracedance.models/v1\nprices: {a/b: {input: -1, output: 2}}\n")
    with pytest.raises(InputError, match="input"):
        load(str(text))
    assert not provider.stats()


@given(st.integers(0, 10**16), st.integers(1, 10**14))
def test_what_is_advised_when_the_budget_is_reached_is_enough_for_the_next_call(spent: int, needed: int) -> None:
    said = str(BudgetReached(spent, spent, needed))
    advised = Decimal(said.split("--max-cost ")[1].split(" ")[0])
    assert Budget(int(advised * 10**12), spent).reserve(needed), said
