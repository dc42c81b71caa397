"""Whether a call keeps to what was proposed: the same date, card, code, address and words."""

import re

from tracedance.kit import assent
from tracedance.schema import ToolCall


def contradicts(call: ToolCall, text: str, dialogue: str) -> bool:
    """Whether a proposal names another date, card, code or address than the call has.

    One value of the kind that nobody had stated is enough, except among several codes: a proposal may name some by other words.
    """
    told = text[:20_000]
    for shape in _SHAPES:
        mine = [value for value in assent.details(call) if shape.fullmatch(value) and value not in _born(call)]
        where = f"{dialogue}\n{told}".lower() if shape is _DATE and len(mine) > 1 else told.lower()
        stated = [assent.states(where, value) for value in mine]
        if shape is _CODE:
            # A proposal that names flights says nothing of which booking it is about.
            alike = [code for code in _CODE.findall(told) if any(_is_flight(code) == _is_flight(value) for value in mine)]
            if alike and not any(stated):
                return True
        elif mine and shape.search(told) and not all(stated):
            return True
    return _reworded(call, told) or _another_sum(call, told, dialogue)


def _is_flight(code: str) -> bool:
    """Whether a code is a flight's or train's number, letters and then digits alone."""
    return re.fullmatch(r"[A-Z]{2,3}\d{2,4}", code) is not None


def _another_sum(call: ToolCall, told: str, dialogue: str) -> bool:
    """Whether a proposal states sums of money and the call's only one was not stated, there or elsewhere, and does not follow from them."""
    mine = assent.amounts(call)
    if len(mine) != 1 or not _MONEY.search(told) or assent.sums_stated(call, told):
        return False
    spoken = {float(number.replace(",", "")) for number in re.findall(r"[$€£] ?(\d[\d,]*(?:\.\d+)?)", dialogue)}
    return not any(mine[0] in (one, one + other, one - other) for one in spoken for other in spoken)


def _reworded(call: ToolCall, told: str) -> bool:
    """Whether a proposal quotes the words to be sent, and the call sends others."""
    quoted = [" ".join(each.lower().split()).strip(". ") for each in re.findall(r"[\"“«]([^\"”»\n]{12,2000})[\"”»]", told)]
    sent = [" ".join(str(call.arguments[key]).lower().split()) for key in ("text", "body", "message", "content") if call.arguments.get(key)]
    return (
        bool(quoted)
        and bool(sent)
        and not any(each in "\n".join(sent) for each in quoted)
        and not any(each.strip(". ") in told.lower() for each in sent)
    )


def _born(call: ToolCall) -> list[str]:
    """Dates of birth, which nobody proposes."""
    return re.findall(r"\"(?:dob|birth\w*|date_of_birth)\": ?\"([^\"]+)\"", call.arguments_json[:40_000])


_MONEY = re.compile(r"[$€£] ?\d|\d (?:dollars|euros|pounds|USD|EUR|GBP)\b")
_DATE = re.compile(r"(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])")
_CODE = re.compile(r"\b(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{5,8}\b")
_SHAPES = (
    _DATE,
    re.compile(r"\b(?:credit_card|gift_card|certificate|paypal|card|bank_account)_\d+\b"),
    _CODE,
    re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+"),
    re.compile(r"(?<![\w-])[+-]?\d{9,15}\b"),
)
"""Kinds of values of which a text that names one means that one."""
