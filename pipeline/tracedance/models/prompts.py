"""Prompts as files: one question a file, its inputs declared, the data in it fenced.

A prompt is `prompts/<name>.md`: front matter that names the role it is for, the inputs it takes and the answer it wants, then the text
with `$input` where a value goes. Trace text is data. It stands between two lines that read `$fence`, a word that is a digest of all other
inputs: whoever wrote the data could not know it, and data that holds it all the same is refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, Literal

from tracedance import yamlfile
from tracedance.errors import InputError, ItemError
from tracedance.resources import data
from tracedance.schema.record import Record

FENCE = "fence"


class FrontMatter(Record):
    """What a prompt file says about itself."""

    role: Literal["strong", "fast", "reviewer", "judge"]
    inputs: tuple[str, ...]
    """Every `$name` of the text, no more and no fewer; `fence` is filled in by `render`."""
    answer: str
    """Name of the record that the answer becomes."""


@dataclass(frozen=True)
class Prompt:
    """A checked prompt file."""

    name: str
    role: str
    inputs: tuple[str, ...]
    answer: str
    text: str
    digest: str
    """sha256 of the file's text: stored with every record made from it, and part of every call's key."""

    def render(self, **values: str) -> tuple[Mapping[str, Any], ...]:
        """The messages of one call, OpenAI chat form.

        Give every input but `fence`. Raises ItemError (`fence_in_data`) when a value holds the fence, which no honest one can.
        """
        wanted = set(self.inputs) - {FENCE}
        if set(values) != wanted:
            raise TypeError(f"prompt {self.name!r} takes {sorted(wanted)}, got {sorted(values)}")
        if FENCE in self.inputs:
            nonce = fence(values)
            if any(nonce in value for value in values.values()):
                raise ItemError("fence_in_data", f"prompt {self.name!r}")
            values = {**values, FENCE: nonce}
        return ({"role": "user", "content": Template(self.text).substitute(values)},)


def fence(values: Mapping[str, str]) -> str:
    """The word of the fence lines: a digest of what they fence, so that the same data give the same request."""
    canonical = json.dumps(values, sort_keys=True)
    return f"DATA-{hashlib.sha256(canonical.encode()).hexdigest()[:20]}"


@cache
def load(name: str, folder: Path | None = None) -> Prompt:
    """Reads and checks `prompts/<name>.md`. Raises InputError when the file is not as it should be."""
    path = (folder or data("prompts")) / f"{name}.md"
    try:
        content = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"No prompt is named {name!r}: {path} cannot be read. Reinstall tracedance, or add the file.") from error
    head, text = split(content, name)
    matter = head.record(FrontMatter, "The front matter takes role, inputs and answer.")
    template = Template(text)
    if not template.is_valid():
        raise InputError(f"prompts/{name}.md holds a lone '$'. Write '$$' for a dollar sign.")
    used = template.get_identifiers()
    if set(matter.inputs) != set(used):
        raise InputError(f"prompts/{name}.md lists inputs {sorted(matter.inputs)} but uses {sorted(used)}.")
    return Prompt(name, matter.role, matter.inputs, matter.answer, text, hashlib.sha256(content.encode()).hexdigest())


def split(content: str, name: str) -> tuple[yamlfile.Document, str]:
    """Front matter and text of a prompt file."""
    parts = content.split("---\n", 2)
    if len(parts) != 3 or parts[0].strip():
        raise InputError(f"prompts/{name}.md has no front matter. Start it with a line '---', role, inputs and answer, and a line '---'.")
    raw = f"\n{parts[1]}".encode()
    return yamlfile.parse(raw, f"prompts/{name}.md", "The front matter takes role, inputs and answer."), parts[2].strip() + "\n"
