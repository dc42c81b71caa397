"""Names for shell commands: `--bash-tool-labels "commit=git commit,tests=pytest|go test"`."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tracedance.errors import InputError
from tracedance.schema import ToolCall
from tracedance.traces.table import command_texts, compiled

OPTION = "--bash-tool-labels"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}")
_OPENING, _CLOSING = "([{", ")]}"


class Labels:
    """Labels in their order; `several` counts the calls that more than one of them fits, of which only the first names the call."""

    def __init__(self, given: Sequence[str]) -> None:
        """InputError, one line, for a name or pattern that will not do."""
        self._patterns: list[tuple[str, Any]] = []
        self.found: Counter[str] = Counter()
        self.several = 0
        for text in (part for each in given for part in _parts(each)):
            self._add(text)

    def _add(self, text: str) -> None:
        name, equals, pattern = (part.strip() for part in text.partition("="))
        if not _NAME.fullmatch(name):
            cure = "Write a plain list (policy_check,refund_commit) or name=pattern (tests=pytest|go test)."
            raise InputError(f"{OPTION}: {name!r} is no name for a label: letters, digits, '_', '.', ':' and '-', 64 at most. {cure}")
        if equals and not pattern:
            raise InputError(f"{OPTION}: {name!r} has no pattern after '='. Write name=pattern, or the name alone.")
        if name in (known for known, _ in self._patterns):
            raise InputError(f"{OPTION}: {name!r} stands there twice. Join its patterns: {name}=one|other.")
        self._patterns.append((name, compiled(pattern or re.escape(name), f"{OPTION} {name}")))

    def of(self, call: ToolCall) -> str:
        """The first label that fits one of the commands that a shell call runs; "" where none does."""
        if not self._patterns or call.tool_class != "shell":
            return ""
        texts = command_texts(call) or (call.cmd,)
        fitting = [name for name, pattern in self._patterns if any(pattern.search(text) for text in texts)]
        if not fitting:
            return ""
        self.found[fitting[0]] += 1
        self.several += len(fitting) > 1
        return fitting[0]

    @property
    def unused(self) -> list[str]:
        """Labels that no call got."""
        return [name for name, _ in self._patterns if not self.found[name]]


def _parts(text: str) -> list[str]:
    """Split at commas that stand neither inside brackets nor behind a backslash: `a{1,2}` is one pattern."""
    parts, depth, start = [], 0, 0
    for place, char in enumerate(text):
        escaped = place > 0 and text[place - 1] == "\\"
        depth += (char in _OPENING and not escaped) - (char in _CLOSING and not escaped and depth > 0)
        if char == "," and depth == 0 and not escaped:
            parts.append(text[start:place])
            start = place + 1
    return [part for part in [*parts, text[start:]] if part.strip()]
