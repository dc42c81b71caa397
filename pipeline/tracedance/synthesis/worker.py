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
from tracedance.synthesis.frames import Answered, Asked, Found, Job, Loaded, Raised, Ready

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
        if absent or not isinstance(needs, Row | Both | Either):
            _say(Loaded(None, absent[0] if absent else "NEEDS"))
        else:
            _say(Loaded(None, "", msgspec.Raw(plain.packed(frames.needs_to_plain(needs)))))
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
        return Answered(asked.nonce, None, [_found(hit, session, job, functions) for hit in hits])
    except BaseException as error:  # an anchor may do anything
        return Answered(asked.nonce, raised(error), [])


def _found(hit: Any, session: Session, job: Job, functions: Mapping[str, Any]) -> Found:
    if type(hit) is not Hit:
        raise TypeError("an anchor yields Hits")
    refusing = [name for name in job.guards if functions[name](session, hit)] if hit.offends else []
    return Found(hit.decision, list(hit.evidence), hit.offends, hit.why, _raw(dict(hit.facts)), refusing)


def _raw(facts: dict[str, Any]) -> msgspec.Raw:
    try:
        return msgspec.Raw(plain.packed(facts))
    except Exception:  # whatever packing a strange object does
        raise _NotPlain from None


class _NotPlain(Exception):
    """A fact that is no plain value."""


def raised(error: BaseException) -> Raised:
    """The exception's type and where it was raised, as a scan says it."""
    if isinstance(error, _NotPlain):
        return Raised(frames.NOT_PLAIN)
    name, line = "", 0
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        name, line = (code.co_name, trace.tb_lineno) if code.co_filename == "<anchor>" else (name, line)
        trace = trace.tb_next
    if isinstance(error, SyntaxError):
        name, line = "", error.lineno or 0
    of, attribute = "", ""
    if type(error) is AttributeError and type(error.name) is str:
        of, attribute = type(error.obj).__name__[:64], error.name[:64]
    return Raised(type(error).__name__[:64], name[:64], line, of, attribute)


def _say(value: msgspec.Struct) -> None:
    try:
        data = plain.packed(value)
    except Exception as error:  # a hit that was made past its checks
        assert isinstance(value, Answered)
        data = plain.packed(Answered(value.nonce, raised(error), []))
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
