"""A live call from the first intent to a settled answer: the ledger's row, the money set aside, the provider's gate, the repetitions.

The ledger is the only one that repeats: LiteLLM and its clients are told to try once.
"""

from __future__ import annotations

import asyncio
import time

from tracedance.failpoint import failpoint
from tracedance.models import live, meter
from tracedance.models.answers import parse
from tracedance.models.desk import Call
from tracedance.models.ledger import Elsewhere, Stored
from tracedance.models.limits import Outcome, Unavailable
from tracedance.models.prices import believable, cost
from tracedance.models.repeats import Failure, failure, pause
from tracedance.models.stopping import stopping
from tracedance.models.wire import Exchange
from tracedance.schema import ModelAnswer

ELSEWHERE_AGAIN = 0.05
"""Seconds between looks at a call that another process has under way."""
SKIPPED = "skipped: an earlier call of unknown outcome"
"""Error of a call that is not repeated at the user's wish."""


class Stopped(Exception):
    """The user asked to stop before the call left."""


async def make(call: Call) -> ModelAnswer:
    """The answer to a call: the stored one, or one that is had now. `failed` when none can be had.

    Raises BudgetReached (4), InputError where the ledger cannot be used, Stopped.
    """
    lock = call.desk.under_way.setdefault(call.key, asyncio.Lock())
    async with lock:
        tries = 0
        while True:
            tries += 1
            came = await attempt(call)
            if isinstance(came, ModelAnswer):
                return came
            wait = pause(came, tries, call.desk.limits)
            if came.kind == "account":
                call.desk.gate(call.endpoint).stop(came.text)
            if wait is None:
                return ModelAnswer(status="failed", error=came.text)
            if came.may_be_paid and not call.desk.gate(call.endpoint).may_retry():
                return ModelAnswer(status="failed", error=f"{came.text}; the run's share of repeated calls is used up")
            meter.repeated()
            await patience(wait)


async def patience(seconds: float) -> None:
    """Waits, unless the user asks to stop."""
    ends = time.monotonic() + seconds
    while (left := ends - time.monotonic()) > 0:
        if stopping():
            raise Stopped
        await asyncio.sleep(min(left, 0.2))


async def attempt(call: Call) -> ModelAnswer | Failure:
    """One try. Where the answer is stored nothing is sent."""
    while True:
        stored = await known(call)
        if stored is not None:
            return stored
        gate = call.desk.gate(call.endpoint)
        try:
            await gate.enter()
        except Unavailable as reason:
            return ModelAnswer(status="failed", error=str(reason))
        began = time.monotonic()
        sending = call.desk.paced(call.endpoint, call.tokens, began)
        if isinstance(sending, float):
            gate.back()
            await patience(sending)
            continue
        came: ModelAnswer | Failure | None = None
        try:
            if stopping():
                raise Stopped
            came = await paid(call)
        finally:
            gate.leave(outcome(came), began, *((came.retry_after, came.text) if isinstance(came, Failure) else ()))
            sending.tokens = took(came, sending.tokens)
        if came is not None:
            return came


def took(came: ModelAnswer | Failure | None, most: int) -> int:
    """Tokens that count for what a model may be sent in a minute; `most` where they are not known."""
    if isinstance(came, ModelAnswer):
        given, said = came.usage.input, came.usage.output
        return most if given is None or said is None else given + said
    return most if came is None or came.may_be_paid else 0


def outcome(came: ModelAnswer | Failure | None) -> Outcome:
    """What an attempt says of the provider."""
    if isinstance(came, ModelAnswer):
        return "fine"
    if came is None or came.kind not in ("busy", "fault"):
        return "other"
    return "busy" if came.kind == "busy" else "slow" if came.slow else "fault"


async def known(call: Call) -> ModelAnswer | None:
    """What the ledger has of a call; waits while another process has it under way."""
    ledger = call.desk.ledger
    while call.key in call.desk.seen:
        found = await ledger.look(call.intent)
        if found is None:
            return None
        if isinstance(found, Stored):
            answer = await read_again(call, found)
            if answer is not None:
                return answer
            continue
        if found.unknown:
            return ModelAnswer(status="failed", error=SKIPPED)
        await patience(ELSEWHERE_AGAIN)
    return None


async def read_again(call: Call, stored: Stored) -> ModelAnswer | None:
    """The answer in stored bytes. None where they hold none: the attempt is then a failed one, and the call may be made again."""
    if stored.read is not None and (stored.body is None or (stored.read_by == live.reader() and stored.settled)):
        answer = parse(stored.read)
        if answer.status != "failed":
            return answer
    elif stored.body is not None:
        exchange = Exchange(call.endpoint.timeout, call.desk.limits.connect_timeout, played=stored.body)
        try:
            read = await live.complete(call.endpoint, call.request, exchange)
            answer, amount = settled(call, stored.attempt, read)
        except live.CallFailed as error:
            answer, amount = ModelAnswer(status="failed", error=str(error)), None
        if answer.status != "failed":
            return answer
        await call.desk.ledger.give_up(stored.attempt, answer.error, 200, amount)
        return None
    await call.desk.ledger.give_up(stored.attempt, "the answer holds nothing", None, None)
    return None


async def paid(call: Call) -> ModelAnswer | Failure | None:
    """Sends the call once, within the budget. None where another process was first."""
    desk = call.desk
    async with desk.settled:
        while not desk.budget.reserve(call.reserved):
            await desk.settled.wait()
    amount: int | None = call.reserved
    try:
        failpoint("call.reserved")
        number = await desk.ledger.begin(call.intent)
        desk.seen.add(call.key)
        if isinstance(number, Stored | Elsewhere):
            amount = 0
            return None
        failpoint("call.intended")
        came, amount = await sent(call, number)
        meter.called(call.intent.reserved if amount is None else amount)
        return came
    finally:
        desk.budget.settle(call.reserved, call.reserved if amount is None else amount)
        if desk.budget.limit is not None:
            async with desk.settled:
                desk.settled.notify_all()


async def sent(call: Call, number: int) -> tuple[ModelAnswer | Failure, int | None]:
    """What came of attempt `number`, and its cost in picodollars; None: at most what was set aside."""
    desk = call.desk

    async def keep(body: bytes, status: int) -> None:
        await desk.ledger.keep(number, body, status)
        failpoint("call.kept")

    exchange = Exchange(call.endpoint.timeout, min(call.endpoint.timeout, desk.limits.connect_timeout), keep)
    if call.endpoint.capabilities.idempotency_key:
        exchange.idempotency_key = f"{call.key}-{await desk.ledger.renewals(call.key)}"
    try:
        read = await live.complete(call.endpoint, call.request, exchange)
    except live.CallFailed as error:
        what = failure(str(error), exchange, desk.limits)
        amount = None if what.may_be_paid else 0
        await desk.ledger.give_up(number, what.text, what.status, amount)
        return what, amount
    failpoint("call.read")
    answer, amount = settled(call, number, read)
    if answer.status == "failed":
        # No answer was had, whatever came: kept as a failure, the same command asks again.
        await desk.ledger.give_up(number, answer.error, exchange.status, amount)
    failpoint("call.settled")
    return answer, amount


def settled(call: Call, number: int, read: bytes) -> tuple[ModelAnswer, int | None]:
    """Writes down what an answer came to. Usage that cannot be true is not believed: the call then counts at its most."""
    answer = parse(read)
    said = sum(len(text.encode("utf-8", "replace")) for text in (answer.text, *(made["arguments"] for made in answer.tool_calls)))
    doubted = not believable(answer.usage, call.tokens, said)
    amount = None if call.price is None or doubted else cost(call.price, answer.usage)
    call.desk.ledger.settle(number, (read, live.reader()), amount, answer.usage, doubted)
    return answer, amount
