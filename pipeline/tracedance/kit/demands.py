"""What an error says that a value must look like: an example, a type, a range. And whether a later call's values do."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "text": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "bool": bool,
    "array": list,
    "list": list,
    "object": dict,
}
_EXAMPLE = re.compile(
    r"(?i)(?:\bfor example|\be\.g\.|\bexample\b|\bsuch as|\blike|\bof the form|\bin the form(?:at)?|\bformat(?: is)?"
    r"|\bas in)[ :,(]{1,3}(?:of )?"
    r"[`'\"“]([^`'\"”\n]{2,60})[`'\"”]"
)
_SHAPE = re.compile(r"(?i)\b(?:must|should|has to|have to) look like [`'\"]?([a-z]\w*_\d\w*|[a-z]+-\d[\w-]*)\b")
_DATE = re.compile(r"\b(?:YYYY[-/]MM[-/]DD(?:[T ]HH:MM(?::SS)?)?|DD[./-]MM[./-]YYYY|HH:MM(?::SS)?)\b")
_HINTED = re.compile(r"(?i)\b(?:hint|expect(?:s|ed)?|format|usage|use)\b[^\n<]{0,20}<\w*id>|\bnumeric (?:\w+ )?id\b")
_TYPED = re.compile(r"(?i)\b[`'\"/]?(\w{2,40})[`'\"]? (?:must|should|has to) be (?:an? )?(?:valid )?(" + "|".join(_TYPES) + r")\b")
_START = re.compile(r"(?i)\b(?:must|should|has to|needs to) (?:start|begin) with (?:an? )?[`'\"]([^`'\"\n]{1,20})[`'\"]")
_BETWEEN = re.compile(r"(?i)\b(?:must|should) be (?:between|in the range(?: of)?|from) (-?\d+(?:\.\d+)?) (?:and|to|-) (-?\d+(?:\.\d+)?)")
_MOST = re.compile(
    r"(?i)\b(?:must not exceed|cannot exceed|may not exceed|is limited to|at most|up to|no more than|less than or equal to"
    r"|exceeds (?:the )?(?:maximum|limit)(?: of)?"
    r"|(?:maximum|limit)(?: \w+){0,2}(?: of| is|:)|(?:must|should) be <=?) (-?\d+(?:\.\d+)?)\b(?! char)"
)
_LENGTH = re.compile(
    r"(?i)\b(?:at most|max(?:imum)?(?: of)?|up to|no (?:longer|more) than|limit(?:ed to| of|:| is)?|exceeds?(?: \w+){0,3}) (\d{1,5}) char"
)
_EQUAL = re.compile(
    r"(?i)\b(?:must|should|has to) (?:be|equal|match)(?: exactly| equal to)? [`'\"]?([\w.:-]*\d[\w.:-]*\w|\d)\b(?! (?:and|to|or|char))"
)
_LEAST = re.compile(
    r"(?i)\b(?:must be|should be|minimum(?: \w+)?(?: is| of)?) (?:at least |greater than or equal to |>= ?)(-?\d+(?:\.\d+)?)\b"
)


def of(text: str) -> list[str]:
    """The demands of an error text, each as one plain text: `example ...`, `type name kind`, `shape text`, `start text`,
    `equal value`, `length most` or `range low high`."""
    found = [f"example {match[1].strip()}" for match in _EXAMPLE.finditer(text)]
    found += [f"shape {match[1]}" for match in _SHAPE.finditer(text)]
    found += [f"example {_written(match[0])}" for match in _DATE.finditer(text)]
    found += ["example 100123456" for _ in _HINTED.finditer(text)]
    found += [f"type {match[1]} {match[2].lower()}" for match in _TYPED.finditer(text)]
    found += [f"start {match[1]}" for match in _START.finditer(text)]
    found += [f"range {match[1]} {match[2]}" for match in _BETWEEN.finditer(text)]
    if not any(each.startswith("range") for each in found):
        least = _LEAST.search(text)
        most = None if least else _MOST.search(text)
        found += [f"range {least[1]} inf"] if least else [f"range -inf {most[1]}"] if most else []
    found += [f"length {match[1]}" for match in _LENGTH.finditer(text)]
    found += [f"equal {match[1]}" for match in _EQUAL.finditer(text)]
    return list(dict.fromkeys(found))[:10]


def met(demand: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether later arguments meet a demand that the earlier ones did not."""
    kind, _, rest = demand.partition(" ")
    earlier = list(_values(before))
    fresh = [value for value in _values(now) if value not in earlier]
    if kind == "example":
        return any(isinstance(value, str) and _alike(rest, value) for value in fresh)
    if kind == "shape":
        return any(_shaped(rest, value) for value in fresh)
    if kind == "start":
        return any(isinstance(value, str) and value.startswith(rest) for value in fresh)
    if kind == "equal":
        return any(_equals(value, rest) for value in fresh)
    if kind == "length":
        return not any(_is_longer(value, rest) for value in _values(now))
    if kind == "type":
        name, _, wanted = rest.partition(" ")
        return name in now and _is(now[name], wanted) and not (name in before and _is(before[name], wanted))
    low, _, high = rest.partition(" ")
    outside = [key for key, value in before.items() if _number(value) is not None and not _inside(value, low, high)]
    return any(key not in now or _inside(now[key], low, high) for key in outside)


def had(demand: str, arguments: Mapping[str, Any]) -> bool:
    """Whether arguments met a demand already."""
    kind, _, rest = demand.partition(" ")
    if kind == "example":
        return any(isinstance(value, str) and _alike(rest, value) for value in _values(arguments))
    if kind == "shape":
        return any(_shaped(rest, value) for value in _values(arguments))
    if kind == "start":
        return any(isinstance(value, str) and value.startswith(rest) for value in _values(arguments))
    if kind == "equal":
        return any(_equals(value, rest) for value in _values(arguments))
    if kind == "length":
        return not any(_is_longer(value, rest) for value in _values(arguments))
    if kind == "type":
        name, _, wanted = rest.partition(" ")
        return name in arguments and _is(arguments[name], wanted)
    low, _, high = rest.partition(" ")
    numbers = [value for value in arguments.values() if _number(value) is not None]
    return not numbers or all(_inside(value, low, high) for value in numbers)


def _equals(value: object, wanted: str) -> bool:
    number = _number(value)
    return str(value) == wanted or (number is not None and re.fullmatch(r"-?\d+(?:\.\d+)?", wanted) is not None and number == float(wanted))


def _is_longer(value: object, most: str) -> bool:
    return isinstance(value, str) and len(value) > int(most)


def _written(form: str) -> str:
    return form.replace("YYYY", "2026").replace("MM", "01").replace("DD", "01").replace("HH", "10").replace("SS", "00")


def _alike(example: str, value: str) -> bool:
    """Whether a value is built as an example is: as many words, letters only where it has some, and its signs."""
    ours, theirs = example.split(), value.split()
    if len(ours) != len(theirs):
        return False
    if len(ours) > 1:
        return all(any(sign.isalpha() for sign in one) or not two.isalpha() for one, two in zip(ours, theirs, strict=True))
    signs = {sign for sign in example if not sign.isalnum() and sign not in "_"}
    digits = any(sign.isdigit() for sign in example) <= any(sign.isdigit() for sign in value)
    return signs <= set(value) and digits and (any(sign.isalpha() for sign in example) or not any(sign.isalpha() for sign in value))


def _shaped(example: str, value: object) -> bool:
    """Whether a value is an identifier of an example's making: words and numbers in the same order, joined by the same signs."""
    form = re.sub(r"[A-Za-z]+|\d+", lambda run: r"\d+" if run[0].isdigit() else "[A-Za-z]+", re.escape(example))
    return isinstance(value, str) and re.fullmatch(form, value) is not None


def _is(value: object, wanted: str) -> bool:
    if isinstance(value, bool):
        return wanted in ("boolean", "bool")
    return isinstance(value, _TYPES[wanted])


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _inside(value: object, low: str, high: str) -> bool:
    number = _number(value)
    return number is not None and float(low) <= number <= float(high)


def _values(value: Any, depth: int = 0) -> Iterator[Any]:
    if isinstance(value, Mapping | list) and depth < 4:
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _values(each, depth + 1)
    else:
        yield value


def comes_to(given: Mapping[str, Any], number: float) -> bool:
    """Whether a number among the arguments, or the sum of one field over a list of them, is `number`."""
    for value in given.values():
        if _number(value) == number:
            return True
        for key in {key for item in value if isinstance(item, dict) for key in item} if isinstance(value, list) else ():
            numbers = [_number(item.get(key)) for item in value if isinstance(item, dict)]
            if all(each is not None for each in numbers) and abs(sum(each or 0.0 for each in numbers) - number) < 0.01:
                return True
    return False
