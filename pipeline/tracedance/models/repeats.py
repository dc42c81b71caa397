"""What kind of failure it was, whether a call is made again, and after how long.

429, 503, 529                  the provider is busy: again after what Retry-After says, else after a drawn wait that doubles
408, other 5xx, time-outs,
lost connections, garbage      the provider failed: again, up to `tries` times in all
401, 402, an empty account     the key or the account: no call goes to that provider any more
any other 4xx                  the request: never again
"""

from __future__ import annotations

import random
import re
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Literal

from tracedance.models.limits import Limits
from tracedance.models.wire import Exchange

Kind = Literal["busy", "fault", "refused", "account"]
BUSY = {429, 503, 529}
UNPAID = re.compile(r"(?i)insufficient_quota|exceeded your current quota|credit balance is too low|billing_hard_limit|insufficient balance")
"""What providers say, under several statuses, when the account has no money left."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt gave no usable answer."""

    kind: Kind
    text: str
    status: int | None
    retry_after: float | None
    """Seconds that the provider asked to wait; None where it did not."""
    may_be_paid: bool
    """The provider may have worked for it: it answered with garbage, or what it answered never arrived."""


def failure(text: str, exchange: Exchange, limits: Limits) -> Failure:
    """What went wrong in an exchange whose error reads `text`."""
    status = exchange.status
    if status is None:
        # Before anything was sent it is our request, or LiteLLM, that will not do. A connection that was never made costs nothing.
        if not exchange.sent:
            return Failure("refused", text, None, None, False)
        return Failure("fault", text, None, None, not text.startswith("no connection"))
    if status in (401, 402) or (status >= 400 and UNPAID.search(text)):
        return Failure("account", text, status, None, False)
    if status in BUSY:
        return Failure("busy", text, status, asked(exchange.headers.get("retry-after"), limits), False)
    if status in (408, 409, 425) or status >= 500:
        return Failure("fault", text, status, None, False)
    if status >= 300:
        return Failure("refused", text, status, None, False)
    return Failure("fault", text, status, None, True)


def asked(header: str | None, limits: Limits) -> float | None:
    """Seconds that a Retry-After header asks for, as a number or a date; at most what the limits allow."""
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return min(max(seconds, 0.0), limits.retry_after_most) if seconds == seconds else None


def pause(what: Failure, tries: int, limits: Limits) -> float | None:
    """Seconds to wait before the next attempt after so many; None when there is none."""
    if what.kind not in ("busy", "fault") or tries >= (limits.tries_when_busy if what.kind == "busy" else limits.tries):
        return None
    drawn = random.uniform(0, min(limits.longest_wait, limits.first_wait * 2.0 ** (tries - 1)))
    if what.retry_after is None:
        return drawn
    return what.retry_after + min(drawn, limits.first_wait)  # spread out, or all who wait come back in one moment
