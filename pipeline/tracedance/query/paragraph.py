"""A request in one plain paragraph: what would be built, from which sessions, with which parameters. Shown before anything is spent."""

from collections.abc import Mapping, Sequence
from typing import Any

from tracedance.catalogue import Family
from tracedance.schema import Request, TraceProperties

_FIGURES = {
    "n_turns": "turns",
    "n_user_authored_turns": "turns written by the user",
    "n_tool_calls": "tool calls",
    "approx_tokens": "tokens",
    "n_errors": "failed calls",
    "cut_turn": "turns before the decision",
    "context_tokens_at_cut": "tokens of context at the decision",
    "n_errors_before_cut": "failed calls in the context at the decision",
}
_HOW = {"gt": "more than", "ge": "at least", "lt": "fewer than", "le": "at most", "eq": "exactly"}
_NAMES = {
    "harness": "recorded by",
    "model": "decided by",
    "tools": "in which these were called:",
    "setting": "of the setting",
    "language": "in",
}


def paragraph(request: Request, chosen: Sequence[Family]) -> str:
    """The request in words. Values that came from the user are told apart from defaults."""
    titles = [f"{one.card.title} ({one.id})" for one in chosen]
    what = f"{request.minimum} to {request.maximum} instances"
    if request.operator == "and":
        said = [f"One benchmark of {what}, each of whose decisions shows both: {'; '.join(titles)}."]
    elif len(titles) > 1:
        said = [f"{len(titles)} benchmarks of {what} each: {'; '.join(titles)}."]
    else:
        said = [f"A benchmark of {what}: {titles[0]}."]
    limits = limited(request.trace)
    if limits:
        said.append(f"Only {'; '.join(limits)}.")
    if request.domain:
        said.append(f"Only sessions about {request.domain!r}, which a model tells from a summary of each.")
    if request.replayability == ("replayable",):
        said.append("Only sessions whose system prompt and tools were recorded.")
    said += _parameters(request.parameters, chosen)
    return " ".join(said)


def limited(trace: TraceProperties) -> list[str]:
    """Each property that a request is limited to, in words."""
    said = []
    for name, limit in trace.named.items():
        if name in _FIGURES:
            said.append(" and ".join(f"{_HOW[how]} {value:,}" for how, value in limit.items()) + f" {_FIGURES[name]}")
        elif name == "started":
            said.append(" and ".join(f"started {'from' if how == 'ge' else 'before'} {day}" for how, day in sorted(limit.items())))
        else:
            said.append(f"{_NAMES[name]} {' or '.join(limit)}")
    return said


def _parameters(given: Mapping[str, Any], chosen: Sequence[Family]) -> list[str]:
    defaults = {name: value for one in chosen for name, value in one.card.parameters.items() if name not in given}
    said = [f"As you said: {', '.join(f'{name} = {value}' for name, value in given.items())}."] if given else []
    return said + ([f"By default: {', '.join(f'{name} = {value}' for name, value in defaults.items())}."] if defaults else [])
