"""`replay/<folder>`: recorded answers by request digest, so that a finished run can be graded or shown again without any provider.

The folder holds `answers.jsonl`, one `{"request": digest, "response": chat completion}` a line. The digest leaves out which model was
asked, since the folder stands for it: one folder, one model.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from tracedance.errors import InputError
from tracedance.models.ledger import Ledger, canonical
from tracedance.regular import TABLE, read_regular
from tracedance.schema import ModelRequest

PREFIX = "replay/"
FILE = "answers.jsonl"


def content_of(request: ModelRequest) -> dict[str, Any]:
    """What is asked, apart from whom and with which sampling parameters."""
    return {
        "messages": [dict(message) for message in request.messages],
        "tools": [dict(tool) for tool in request.tools],
        "sample": request.sample,
        "template": request.template,
    }


def digest_of(content: dict[str, Any]) -> str:
    """sha256 of the canonical form of `content_of` a request."""
    return hashlib.sha256(canonical(content)).hexdigest()


def answer(request: ModelRequest) -> bytes:
    """The recorded answer. InputError when the folder has none for this request, with its digest."""
    folder = request.model.removeprefix(PREFIX)
    digest = digest_of(content_of(request))
    found = answers_in(folder).get(digest)
    if found is None:
        raise InputError(f"{str(Path(folder) / FILE)!r} holds no answer to request {digest}. Record it with the model itself first.")
    return found


@cache
def answers_in(folder: str) -> dict[str, bytes]:
    """All answers of a folder by request digest."""
    path = Path(folder) / FILE
    found, number = {}, 0
    try:
        for line in read_regular(path, TABLE).split(b"\n"):
            number += 1
            if line.strip():
                row = json.loads(line)
                found[str(row["request"])] = json.dumps(row["response"]).encode()
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read ({error.strerror}). 'replay/FOLDER' needs a folder with {FILE}.") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{str(path)!r}, line {number} is no recorded answer. Record the folder anew.") from error
    return found


def record(ledger: Ledger, model: str) -> bytes:
    """The answers that `model` (as LiteLLM calls it) gave, out of a ledger, as the content of an `answers.jsonl`."""
    lines = []
    for subject, raw in ledger.recorded():
        if subject["model"] == model:
            content = {name: subject[name] for name in ("messages", "tools", "sample", "template")}
            lines.append({"request": digest_of(content), "response": json.loads(raw)})
    return b"".join(canonical(line) + b"\n" for line in lines)
