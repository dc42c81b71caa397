"""`replay/<folder>`: recorded answers by request digest, so that a finished run can be graded or shown again without any provider.

The folder holds `answers.jsonl`, one `{"request": digest, "model": LiteLLM id, "response": chat completion}` a line. The digest leaves out
which model was asked, since the folder stands for it; where several answered the same request, `replay/<folder>#<model>` says whose.
"""

from __future__ import annotations

import hashlib
import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

from tracedance.door import scan
from tracedance.errors import InputError
from tracedance.models.ledger import Ledger, canonical
from tracedance.regular import TABLE, read_regular
from tracedance.schema import ModelRequest
from tracedance.store.durable import write_durably

PREFIX = "replay/"
FILE = "answers.jsonl"
MODEL = "#"
"""Before the model, in `replay/<folder>#<model>`, where a folder holds the answers of several."""


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
    """The recorded answer. InputError when the folder has none for this request, with its digest, or answers of several models."""
    folder, _, model = request.model.removeprefix(PREFIX).partition(MODEL)
    place = str(Path(folder) / FILE)
    digest = digest_of(content_of(request))
    found = answers_in(folder).get(digest, {})
    if model:
        found = {name: raw for name, raw in found.items() if name == model}
    if not found:
        raise InputError(f"{place!r} holds no answer{f' of {model}' if model else ''} to request {digest}. Record it with the model first.")
    if len(found) > 1:
        names = ", ".join(sorted(found))
        raise InputError(f"{place!r} holds answers of {names} to request {digest}. Say whose: {request.model}{MODEL}{min(found)}.")
    return next(iter(found.values()))


@cache
def answers_in(folder: str) -> dict[str, dict[str, bytes]]:
    """All answers of a folder: by request digest, by model ("" in files that do not say)."""
    path = Path(folder.partition(MODEL)[0]) / FILE
    found: dict[str, dict[str, bytes]] = {}
    number = 0
    try:
        for line in read_regular(path, TABLE).split(b"\n"):
            number += 1
            if line.strip():
                row = json.loads(line)
                found.setdefault(str(row["request"]), {})[str(row.get("model", ""))] = json.dumps(row["response"]).encode()
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read ({error.strerror}). 'replay/FOLDER' needs a folder with {FILE}.") from error
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError) as error:
        raise InputError(f"{str(path)!r}, line {number} is no recorded answer. Record the folder anew.") from error
    return found


def kept_back(content: bytes) -> tuple[bytes, str]:
    """The lines that may leave, and, where others may not, which kinds of secret they hold: an answer may quote what it was asked."""
    lines, left, kinds = [], 0, set()
    for line in content.splitlines(keepends=True):
        found = scan.unapproved(scan.in_value(json.loads(line)))
        kinds |= {finding.kind for finding in found}
        left += bool(found)
        lines += [line] if not found else []
    return b"".join(lines), f"{left:,} of {len(lines) + left:,} answers ({', '.join(sorted(kinds))})" if left else ""


def record(ledger: Ledger, model: str | None = None) -> bytes:
    """The answers in a ledger, of one model (as LiteLLM calls it) or of all, as the content of an `answers.jsonl`."""
    lines = []
    for subject, raw in ledger.recorded():
        if model in (None, subject["model"]):
            content = {name: subject[name] for name in ("messages", "tools", "sample", "template")}
            lines.append({"request": digest_of(content), "model": subject["model"], "response": json.loads(raw)})
    return b"".join(line + b"\n" for line in sorted(map(canonical, lines)))


def write(folder: Path, ledger: Ledger) -> None:
    """Writes the answers of a ledger to a folder that `replay/<folder>` plays, save those with a secret, which are counted aloud.

    InputError where the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        content, left = kept_back(record(ledger))
        if left:
            print(f"Not recorded, since they may hold a secret: {left}. A replay will ask for them.", file=sys.stderr, flush=True)
        write_durably(folder / FILE, content, mode=0o600)  # beside secrets, answers hold what they were asked about
    except OSError as error:
        raise InputError(f"{str(folder)!r} cannot be written ({error.strerror}). Give another folder with --record.") from error
    answers_in.cache_clear()
