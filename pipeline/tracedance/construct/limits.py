"""Which candidates lie within the properties that a request is limited to. What lies outside is dropped under a reason of its own.

Figures of whole sessions are columns of the store; those at the decision need the session. What is not recorded is never taken for met.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from operator import eq, ge, gt, le, lt
from typing import Any

from tracedance.config import build_settings
from tracedance.construct.window import Window
from tracedance.schema import Bound, Hit, Place, Session, TraceProperties
from tracedance.store.store import Store

COMPARE: Mapping[str, Callable[[int, int], bool]] = {"gt": gt, "ge": ge, "lt": lt, "le": le, "eq": eq}
COLUMNS = {
    "n_turns": "turns",
    "n_user_authored_turns": "user_turns",
    "n_tool_calls": "calls",
    "approx_tokens": "tokens",
    "n_errors": "errors",
    "harness": "harness",
    "setting": "setting",
    "started": "started",
}
"""Properties that the sessions table answers, and by which column."""
READ, FEWEST_LETTERS = 4_000, 20
"""Characters of the user's words that tell the language, and how many letters there must be."""


def reason(name: str, known: bool = True) -> str:
    """What a candidate outside a property is counted under."""
    return f"trace: {name}" if known else f"trace: {name} unknown"


def outside(store: Store, trace: TraceProperties) -> dict[str, str]:
    """The sessions of a store that lie outside, by id, with the reason; as far as the sessions table can tell."""
    wanted = {name: limit for name, limit in trace.named.items() if name in COLUMNS}
    if not wanted:
        return {}
    rows = store.sessions().select("id", *COLUMNS.values()).iter_rows(named=True)
    found = (
        (row["id"], next(filter(None, (_of_column(name, row[COLUMNS[name]], limit) for name, limit in wanted.items())), "")) for row in rows
    )
    return {session: why for session, why in found if why}


def before_reading(place: Place, trace: TraceProperties, models: Mapping[str, list[str]]) -> str:
    """Why a candidate lies outside by what its place says; "" where it does not. `models` are those of each session."""
    if trace.cut_turn and not within(place.hit.decision, trace.cut_turn):
        return reason("cut_turn")
    if not trace.model:
        return ""
    decided = [place.model] if place.model else models.get(place.session, [])
    if not decided:
        return reason("model", known=False)
    return "" if any(_named(model, wanted) for model in decided for wanted in trace.model) else reason("model")


def after_reading(session: Session, hit: Hit, trace: TraceProperties) -> str:
    """Why a candidate lies outside by its session up to the decision; "" where it does not."""
    turns = session.turns[session.context_start(hit.decision) : hit.decision]
    if trace.n_errors_before_cut:
        failed = sum(result.is_error for turn in turns for result in turn.results)
        if not within(failed, trace.n_errors_before_cut):
            return reason("n_errors_before_cut")
    if trace.context_tokens_at_cut and not within(
        context_tokens(Window(session, hit, "action", turns, session.turns[hit.decision])), trace.context_tokens_at_cut
    ):
        return reason("context_tokens_at_cut")
    if trace.tools and not {_bare(name) for name in trace.tools} <= {_bare(call.name) for call in session.calls()}:
        return reason("tools")
    if trace.language:
        spoken = language(session)
        return "" if spoken in trace.language else reason("language", known=bool(spoken))
    return ""


def context_tokens(window: Window) -> int:
    """Tokens of what the model saw, counted as `cut` counts an instance."""
    system = len(window.session.system or "")
    said = sum(len(turn.text) for turn in window.turns) + sum(len(result.text) for result in window.results.values())
    called = sum(len(call.name) + len(call.arguments_json) for call in window.calls.values())
    return -(-(system + said + called) // build_settings().characters_per_token)


def language(session: Session) -> str:
    """ISO 639-1 code of what the user writes in; "" where too little is written to tell."""
    words = " ".join(turn.text for turn in session.turns if turn.role == "user" and turn.author == "user")[:READ]
    words = re.sub(r"```.*?(?:```|$)|https?://\S+|\S*[/\\_]\S*", " ", words, flags=re.DOTALL)
    if sum(char.isalpha() for char in words) < FEWEST_LETTERS:
        return ""
    import py3langid  # loads its model

    return str(py3langid.classify(words)[0])


def within(value: int, limit: Bound) -> bool:
    """Whether a figure meets all of a bound."""
    return all(COMPARE[how](value, bound) for how, bound in limit.items())


def _of_column(name: str, value: Any, limit: Any) -> str:
    if value in (None, ""):
        return reason(name, known=False)
    if name == "started":
        day = str(value)[:10]
        return "" if limit.get("ge", "") <= day and ("lt" not in limit or day < limit["lt"]) else reason(name)
    if isinstance(limit, Mapping):
        return "" if within(int(value), limit) else reason(name)
    return "" if _bare(str(value)) in {_bare(one) for one in limit} else reason(name)


def _named(model: str, wanted: str) -> bool:
    """Whether a model's name, with or without its provider, begins with what is wanted: `gpt-5` is in `openai/gpt-5.6-sol`."""
    plain, asked = re.sub(r"[\s_]+", "-", model.lower()), re.sub(r"[\s_]+", "-", wanted.lower())
    return re.search(rf"(?:^|[/.-]){re.escape(asked)}(?![a-z0-9])", plain) is not None


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
