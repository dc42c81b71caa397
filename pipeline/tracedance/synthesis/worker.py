"""The process that an anchor runs in: it imports, gives everything up, and only then reads the anchor's source.

Started by `process` as `python -P -s -S -B`; sessions come in on descriptor 0, answers go out on descriptor 1.
"""

import codecs
import gc
import json
import os
import sys
from collections.abc import Callable, Mapping
from itertools import islice
from types import FunctionType, TracebackType
from typing import Any

import msgspec

from tracedance.kit import rows, shell
from tracedance.kit.needs import Both, Either, Row
from tracedance.schema import Hit, Session
from tracedance.synthesis import confine, frames, plain, served
from tracedance.synthesis.frames import Answered, Asked, Found, Job, Loaded, Ready

Confine = Callable[[confine.Bounds, int], None]


def main(told: str, confining: Confine = confine.confine) -> None:
    """Serve until there is nothing more to read. `told` is JSON: memory, cpu, and the parent's process id."""
    given = json.loads(told)
    _import_all()
    try:
        confining(confine.Bounds(given["memory"], given["cpu"]), given["parent"])
    except confine.Missing as missing:
        _say(Ready(str(missing)))
        return
    _say(Ready(""))
    _serve(msgspec.msgpack.decode(_hear() or b"", type=Job))


def _import_all() -> None:
    """Import now whatever may be wanted later: nothing can be opened afterwards."""
    served.modules()
    shell.parse("true && echo 'a'")
    for name in ("utf-8", "ascii", "latin-1", "unicode_escape", "raw_unicode_escape", "utf-16", "idna"):
        codecs.lookup(name)
    assert rows  # part of the kit's readers; imported for NEEDS


def _serve(job: Job) -> None:
    own = served.namespace("an_anchor")
    try:
        exec(compile(job.source, "<anchor>", "exec", dont_inherit=True), own)
        functions = {name: own.get(name) for name in (job.name, *job.guards)}
        absent = [name for name, found in functions.items() if not isinstance(found, FunctionType)]
        needs = own.get("NEEDS")
        problem = f"it defines no function {absent[0]!r}" if absent else ""
        if not isinstance(needs, Row | Both | Either):
            needs, problem = None, problem or "it defines no NEEDS"
        _say(Loaded(problem, needs and frames.needs_to_plain(needs)))
    except BaseException as error:  # an anchor may do anything
        _say(Loaded(raised(error)))
        return
    gc.freeze()
    while (data := _hear()) is not None:
        asked = msgspec.msgpack.decode(data, type=Asked)
        answer = _answer(job, functions, asked)
        _say(answer)


def _answer(job: Job, functions: Mapping[str, Any], asked: Asked) -> Answered:
    try:
        session = plain.from_plain(asked.session)
        hits = list(islice(functions[job.name](session, dict(job.params)), job.hits + 1))
        return Answered(asked.nonce, "", [_found(hit, session, job, functions) for hit in hits])
    except BaseException as error:  # an anchor may do anything
        return Answered(asked.nonce, raised(error), [])


def _found(hit: Any, session: Session, job: Job, functions: Mapping[str, Any]) -> Found:
    if type(hit) is not Hit:
        raise TypeError("an anchor yields Hits")
    refusing = [name for name in job.guards if functions[name](session, hit)] if hit.offends else []
    return Found(hit.decision, list(hit.evidence), hit.offends, hit.why, dict(hit.facts), refusing)


def raised(error: BaseException) -> str:
    """The exception's type and where it was raised, as a scan says it; never content."""
    name, place = type(error).__name__, ""
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        place = f" in {code.co_name}, line {trace.tb_lineno}" if code.co_filename == "<anchor>" else place
        trace = trace.tb_next
    if isinstance(error, SyntaxError):
        place = f", line {error.lineno}"
    return f"{name if name.isidentifier() else 'an error'}{place}"[:300]


def _say(value: msgspec.Struct) -> None:
    try:
        data = plain.packed(value)
    except Exception as error:  # facts that are no plain values
        assert isinstance(value, Answered)
        data = plain.packed(Answered(value.nonce, f"{type(error).__name__}: a fact is no plain value", []))
    view = memoryview(len(data).to_bytes(frames.HEAD) + data)
    while view:
        view = view[os.write(1, view) :]


def _hear() -> bytes | None:
    """The next frame; None where the parent has no more."""
    head = _exactly(frames.HEAD)
    return _exactly(int.from_bytes(head)) if head else None


def _exactly(size: int) -> bytes:
    parts = []
    while size:
        part = os.read(0, min(size, 1 << 20))
        if not part:
            return b""
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


if __name__ == "__main__":
    main(sys.argv[-1])
