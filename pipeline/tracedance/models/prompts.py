"""Prompts as files: one question a file, its inputs declared, the data in it fenced.

A prompt is `prompts/<name>.md`: front matter that names the role it is for, the inputs it takes and the answer it wants, then the text
with `$input` where a value goes. Trace text is data. It stands between two lines that read `$fence`, a word that is a digest of all other
inputs: whoever wrote the data could not know it, and data that holds it all the same is refused. Inputs listed under `data` are marked as
well: each of their lines begins with `$mark`, made from the same digest, so that no line of data can pass for one of the prompt's own.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, Literal

from pydantic import BaseModel

from tracedance import yamlfile
from tracedance.errors import InputError, ItemError
from tracedance.kit.texts import LINE_BREAK
from tracedance.resources import data
from tracedance.schema.record import Record

FENCE, MARK = "fence", "mark"
TAKES = "The front matter takes role, inputs and answer, and the inputs that are data."


class FrontMatter(Record):
    """What a prompt file says about itself."""

    role: Literal["strong", "fast", "reviewer", "judge"]
    inputs: tuple[str, ...]
    """Every `$name` of the text, no more and no fewer; `fence` and `mark` are filled in by `render`."""
    answer: str
    """Name of the record that the answer becomes."""
    data: tuple[str, ...] = ()
    """Inputs that hold what others wrote: each stands once, alone between two fences, and its lines are marked."""


@dataclass(frozen=True)
class Prompt:
    """A checked prompt file."""

    name: str
    role: str
    inputs: tuple[str, ...]
    answer: str
    data: tuple[str, ...]
    text: str
    digest: str
    """sha256 of the file's text: stored with every record made from it, and part of every call's key."""

    def render(self, **values: str) -> tuple[Mapping[str, Any], ...]:
        """The messages of one call, OpenAI chat form.

        Give every input but `fence` and `mark`. Raises ItemError (`fence_in_data`) when a value holds the fence, which no honest one can.
        """
        wanted = set(self.inputs) - {FENCE, MARK}
        if set(values) != wanted:
            raise TypeError(f"prompt {self.name!r} takes {sorted(wanted)}, got {sorted(values)}")
        if FENCE in self.inputs:
            nonce = fence(values)
            if any(nonce in value for value in values.values()):
                raise ItemError("fence_in_data", f"prompt {self.name!r}")
            marked = {name: _marked(values[name], mark_of(nonce)) for name in self.data}
            values = {**values, **marked, FENCE: nonce, MARK: mark_of(nonce)}
        return ({"role": "user", "content": Template(self.text).substitute(values)},)


def fence(values: Mapping[str, str]) -> str:
    """The word of the fence lines: a digest of what they fence, so that the same data give the same request."""
    canonical = json.dumps(values, sort_keys=True)
    return f"DATA-{hashlib.sha256(canonical.encode()).hexdigest()[:20]}"


def mark_of(nonce: str) -> str:
    """What each line of data begins with, under a fence."""
    return f"{nonce[-4:]}|"


def _marked(text: str, mark: str) -> str:
    return "\n".join(f"{mark} {line}" for line in LINE_BREAK.split(text))


def load(name: str, folder: Path | None = None, answer: type[BaseModel] | None = None) -> Prompt:
    """Reads and checks `prompts/<name>.md`. InputError: the file is not as it should be, or wants another answer than `answer`."""
    prompt = _load(name, folder)
    if answer is not None and prompt.answer != answer.__name__:
        raise InputError(f"prompts/{name}.md wants the answer {prompt.answer!r}, and the program reads {answer.__name__!r}.")
    return prompt


@cache
def _load(name: str, folder: Path | None) -> Prompt:
    path = (folder or data("prompts")) / f"{name}.md"
    try:
        content = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"No prompt is named {name!r}: {path} cannot be read. Reinstall tracedance, or add the file.") from error
    head, text = split(content, name)
    matter = head.record(FrontMatter, TAKES)
    template = Template(text)
    if not template.is_valid():
        raise InputError(f"prompts/{name}.md holds a lone '$'. Write '$$' for a dollar sign.")
    used = template.get_identifiers()
    if set(matter.inputs) != set(used):
        raise InputError(f"prompts/{name}.md lists inputs {sorted(matter.inputs)} but uses {sorted(used)}.")
    _refuse_unfenced(name, matter.data, text)
    return Prompt(name, matter.role, matter.inputs, matter.answer, matter.data, text, hashlib.sha256(content.encode()).hexdigest())


def _refuse_unfenced(name: str, data: tuple[str, ...], text: str) -> None:
    """InputError unless every input of data stands once, between two lines of fence, and the text says what its lines begin with."""
    for given in data:
        alone = f"\n${FENCE}\n${given}\n${FENCE}\n"
        places = len(re.findall(rf"\${{?{re.escape(given)}\b", text))
        if alone not in f"\n{text}" or places != 1 or f"${MARK}" not in text:
            raise InputError(
                f"prompts/{name}.md must hold its data ${given} once, on a line of its own between two lines '${FENCE}', and name ${MARK}."
            )


def split(content: str, name: str) -> tuple[yamlfile.Document, str]:
    """Front matter and text of a prompt file."""
    parts = content.split("---\n", 2)
    if len(parts) != 3 or parts[0].strip():
        raise InputError(f"prompts/{name}.md has no front matter. Start it with a line '---', role, inputs and answer, and a line '---'.")
    raw = f"\n{parts[1]}".encode()
    return yamlfile.parse(raw, f"prompts/{name}.md", TAKES), parts[2].strip() + "\n"
