"""A support agent that stands for yours: it calls the tools that it is given and returns what it says in the end.

REFUND_AGENT=hasty makes the release that pays before it looks into the policy. Its answer is the same to the letter.
"""

import os
from collections.abc import Callable, Mapping
from typing import Any

Tools = Mapping[str, Callable[..., Any]]


def classify(message: str) -> str:
    """What a message is about."""
    return "refund" if "refund" in message else "other"


def lookup_order(order: str) -> dict[str, Any]:
    """An order."""
    return {"order": order, "amount": 1200}


def policy_check(order: str) -> bool:
    """Whether it may be refunded."""
    return not order.startswith("X")


def refund_tool(order: str, amount: int) -> str:
    """Pays."""
    return f"paid {amount} for {order}"


TOOLS: Tools = {tool.__name__: tool for tool in (classify, lookup_order, policy_check, refund_tool)}


def support_agent(message: str, order: str, tools: Tools) -> dict[str, Any]:
    """Handles one message."""
    tools["classify"](message)
    amount = tools["lookup_order"](order)["amount"]
    if os.environ.get("REFUND_AGENT") == "hasty":
        tools["refund_tool"](order, amount)
        allowed = tools["policy_check"](order)
    else:
        allowed = tools["policy_check"](order)
        if allowed:
            tools["refund_tool"](order, amount)
    return {"fraud_check_passed": allowed, "refund_amount": amount}
