"""The checks of a cut. Each looks at one thing and answers "" or what is wrong; its name is the reason a drop is counted under."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tracedance.config import build_settings
from tracedance.construct.overlap import share_quoted
from tracedance.construct.window import Window, as_recorded
from tracedance.schema import Message, Turn

BUDGET = build_settings().context_tokens
"""Tokens of context at 4 characters each."""
CHARACTERS_A_TOKEN = build_settings().characters_per_token
QUOTED = build_settings().quoted_share
"""Share of the decision's word runs that one harness text may repeat before the context counts as giving the decision away."""
QUOTED_LATE = build_settings().quoted_share_late
"""The same for text recorded after the decision began."""
FEWEST_RUNS = build_settings().quoted_fewest_runs
SHORTEST_REASONING = 80

WindowCheck = Callable[[Window], str]
MessageCheck = Callable[[Window, tuple[Message, ...]], str]


def decision_not_an_assistant_turn(window: Window) -> str:
    """Only an assistant turn decides."""
    return "" if window.decision.role == "assistant" else f"turn {window.decision.index} is a {window.decision.role} turn"


def decision_not_by_the_model(window: Window) -> str:
    """Turns that the harness made or forced (compaction, summaries, titles) show no choice of the model's."""
    turn = window.decision
    if turn.author != "model" or turn.mark:
        return f"turn {turn.index} is marked {turn.mark or turn.author!r}"
    return ""


def decision_empty(window: Window) -> str:
    """A turn of reasoning alone holds nothing that a next turn could be compared with."""
    return "" if window.decision.text.strip() or window.decision.calls else f"turn {window.decision.index} says and calls nothing"


def context_not_up_to_the_decision(window: Window) -> str:
    """The context is every turn the model still saw, up to the one before the decision: neither one fewer nor one more."""
    expected = range(window.session.context_start(window.decision.index), window.decision.index)
    kept = [turn.index for turn in window.turns]
    return "" if kept == list(expected) and kept else f"keeps {len(kept)} turns where {len(expected)} came before the decision"


def not_the_next_turn(window: Window) -> str:
    """In the failure frame the decision is the first thing the model did after the failing result."""
    if window.frame != "failure":
        return ""
    if window.last_evidence < 0:
        return "no failing result is named"
    between = [turn.index for turn in window.turns if turn.index > window.last_evidence and _speaks(turn)]
    return f"turn {between[0]} came first" if between else ""


def evidence_outside_context(window: Window) -> str:
    """What shows the behaviour must lie where the evaluated model can see it."""
    kept = {turn.index for turn in window.turns}
    outside = [index for index in window.hit.evidence if index not in kept]
    return f"turns {outside} are not in the context" if outside else ""


def call_without_result(window: Window) -> str:
    """Providers refuse a call that nothing answers, and a model could not know what came of it."""
    answered = window.results
    return next((f"turn {call.turn}: {call.name!r}" for call in window.calls.values() if call.id not in answered), "")


def result_without_call(window: Window) -> str:
    """A result whose call lies before the context, or nowhere."""
    calls = window.calls
    orphans = [turn.index for turn in window.turns for result in turn.results if result.call_id not in calls]
    return f"turn {orphans[0]}" if orphans else ""


def recorded_after_the_decision(window: Window) -> str:
    """Whatever was written once the decision had begun may hold what came of it. Results of an earlier turn that were regrouped to
    it are the exception: `late_text_quotes_the_decision` reads those."""
    begins = window.decision.first
    late = [turn.index for turn in window.turns if turn.role != "tool" and turn.last >= begins]
    return f"turn {late[0]} reaches beyond record {begins}" if late else ""


def late_text_quotes_the_decision(window: Window) -> str:
    """Results recorded after the decision began, and what the harness put between, must not repeat it."""
    begins = window.decision.first
    results = [result for turn in window.turns for result in turn.results if result.ordinal >= begins]
    if not results:
        return ""
    asked = min(call.turn for call in window.calls.values() if call.id in {result.call_id for result in results})
    between = [turn.text for turn in window.turns if turn.index > asked and turn.author == "harness"]
    return _quotes(window, [*(result.text for result in results), *between], QUOTED_LATE, 1)


def decision_quoted(window: Window) -> str:
    """The harness repeats the decision: a notice that belongs after it stands before it.

    Only what the harness wrote since the model first spoke is read. A message the user dictated, a file that a result showed and a rule
    in the opening instructions are legitimate sources of the decision's words, and the order of records already keeps later text out.
    """
    spoken = next((turn.index for turn in window.turns if _speaks(turn)), window.decision.index)
    harness = [turn.text for turn in window.turns if turn.author == "harness" and turn.index > spoken and turn.mark != "compaction"]
    return _quotes(window, harness, QUOTED, FEWEST_RUNS)


def no_request(window: Window, messages: tuple[Message, ...]) -> str:
    """Before the model first speaks someone must have said what is wanted; a recording that starts mid-way does not suffice."""
    first = next((message.role for message in messages if message.role != "system"), "")
    return "" if first == "user" else f"the context starts with {first or 'nothing'!r}"


def ends_unanswerable(window: Window, messages: tuple[Message, ...]) -> str:
    """A model can answer a user or a tool, not itself."""
    last = messages[-1] if messages else None
    if last is None or last.role not in ("user", "tool"):
        return f"the context ends with {last.role if last else 'nothing'!r}"
    return ""


def reasoning_left(window: Window, messages: tuple[Message, ...]) -> str:
    """The source model's reasoning is never shown to another one."""
    said = "\n".join(message.content for message in messages if message.role == "assistant")
    if "<think>" in said or "<thinking>" in said:
        return "an assistant message holds a thinking tag"
    for turn in window.turns:
        reasoning = turn.reasoning.strip() if turn.role == "assistant" else ""
        if len(reasoning) >= SHORTEST_REASONING and reasoning in said:
            return f"reasoning of turn {turn.index}"
    return ""


def over_budget(window: Window, messages: tuple[Message, ...]) -> str:
    """Contexts that few models could take are left out rather than shortened."""
    size = tokens(messages)
    return f"{size:,} tokens of at most {BUDGET:,}" if size > BUDGET else ""


def tokens(messages: tuple[Message, ...]) -> int:
    """Size of a context at 4 characters a token; tools do not count, since inferred ones grow with the store."""
    characters = sum(
        len(message.content) + sum(len(call.name) + len(call.arguments) for call in message.tool_calls) for message in messages
    )
    return -(-characters // CHARACTERS_A_TOKEN)


ON_WINDOW: Mapping[str, WindowCheck] = MappingProxyType(
    {
        check.__name__: check
        for check in (
            decision_not_an_assistant_turn,
            decision_not_by_the_model,
            decision_empty,
            context_not_up_to_the_decision,
            evidence_outside_context,
            not_the_next_turn,
            call_without_result,
            result_without_call,
            recorded_after_the_decision,
            late_text_quotes_the_decision,
            decision_quoted,
        )
    }
)
"""Checks on the recorded turns, in the order they are made."""

ON_MESSAGES: Mapping[str, MessageCheck] = MappingProxyType(
    {check.__name__: check for check in (no_request, ends_unanswerable, reasoning_left, over_budget)}
)
"""Checks on the messages made from them."""


def _speaks(turn: Turn) -> bool:
    return turn.role == "assistant" and bool(turn.text.strip() or turn.calls)


def _quotes(window: Window, texts: list[str], limit: float, fewest: int) -> str:
    said = as_recorded(window.decision)
    for text in texts:
        share, count = share_quoted(said, text)
        if count >= fewest and share >= limit:
            return f"{share:.0%} of the decision's words stand in it"
    return ""
