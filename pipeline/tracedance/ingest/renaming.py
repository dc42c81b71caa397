"""Names that only a later turn, or what is said of the session as a whole, shows to be names: replaced in all that came before."""

from collections.abc import Callable, Iterable

from tracedance.kit.chain import args_hash
from tracedance.schema import ToolCall, Turn


def rename(turns: Iterable[Turn], named: Callable[[str], str]) -> None:
    """Every text of `turns` as `named` gives it back, in place, with the digests of arguments that follow from them."""
    for turn in turns:
        turn.text = named(turn.text)
        turn.model = named(turn.model)
        turn.raw_reasoning = named(turn.reasoning)
        for call in turn.calls:
            _rename_call(call, named)
        for result in turn.results:
            result.call_id = named(result.call_id)
            result.raw = named(result.text)
            result.error_text = named(result.error_text)


def _rename_call(call: ToolCall, named: Callable[[str], str]) -> None:
    call.id = named(call.id)
    call.name = named(call.name)
    call.cmd = named(call.cmd)
    text = named(call.arguments_json)
    if text != call.raw:
        call.raw, call.args_hash, call._parsed = text, args_hash(text), None
