"""Here-documents set aside before a shell text is parsed: they are data, and most of the bytes."""

import re
from bisect import bisect_right
from collections import defaultdict

_OPENING = re.compile(r"<<-?[ \t]*(?P<quote>['\"]?)\\?(?P<mark>[A-Za-z_][\w-]*)(?P=quote)")
_PLACEHOLDER = "tracedance-here-document-"
_HEREDOCS = 500


def set_aside(command: str) -> tuple[str, dict[str, str]]:
    """The text with each here-document's body replaced by one line, and the bodies by that line.

    An opening whose closing line never comes (it stood in quotes, or the text is cut) is left as it is.
    """
    if "<<" not in command:
        return command, {}
    lines = command.split("\n")
    places = _places(lines)
    kept: list[str] = []
    bodies: dict[str, str] = {}
    position = 0
    while position < len(lines):
        line = lines[position]
        kept.append(line)
        position += 1
        for opening in _OPENING.finditer(line):
            end = _end(places.get(opening["mark"], []), position)
            if end is None or len(bodies) >= _HEREDOCS:
                continue
            name = f"{_PLACEHOLDER}{len(bodies)}"
            bodies[name] = "\n".join(lines[position:end]) + "\n" if end > position else ""
            kept.extend((name, opening["mark"]))
            position = end + 1
    return "\n".join(kept), bodies


def _places(lines: list[str]) -> dict[str, list[int]]:
    """Line numbers by what the line says, without its indentation (`<<-`)."""
    places: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        if len(line) <= 100:
            places[line.strip()].append(number)
    return places


def _end(numbers: list[int], start: int) -> int | None:
    after = bisect_right(numbers, start - 1)
    return numbers[after] if after < len(numbers) else None
