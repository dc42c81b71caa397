"""Whether the decision was still the model's to make: a user who had answered, or a harness that named the right move, closes it."""

import re

from tracedance.construct.window import Window

GO_ON = re.compile(
    r"(?:(?:yes|ok|okay|please|sure)[,.! ]{0,3})?(?:continue|go on|go ahead|keep going|proceed|carry on|resume|retry|try again|yes|ok|okay|"
    r"weiter|mach weiter|bitte weiter|continuez?|contin[uú]a|sigue|继续|続けて)(?:[,. ]{0,3}(?:please|bitte))?[.! ]{0,3}",
    re.IGNORECASE,
)
"""A bare word to go on leaves the choice where it was."""

RIGHT_MOVE = re.compile(
    r"\b(?:you (?:must|should|need to|have to|have not|haven't)|please|remember to|make sure (?:to|you)|be sure to|"
    r"do not forget to|first)\s"
    r"[^.\n]{0,80}\b(?:re-?read|read|check|review|look at|inspect|verify|run)\b",
    re.IGNORECASE,
)
REMINDER = re.compile(r"<system-reminder>(.{0,4000}?)</system-reminder>", re.DOTALL)
SHORTEST_COMMAND = 12


def user_already_answered(window: Window) -> str:
    """Failure: the user spoke between the failing result and the decision. Action, claim: the user dictated the very command."""
    said = [turn for turn in window.turns if turn.author == "user" and turn.index > window.last_evidence]
    if window.frame == "failure":
        spoke = next((turn for turn in said if turn.mark == "interrupt" or not GO_ON.fullmatch(turn.text.strip())), None)
        return f"the user spoke at turn {spoke.index}" if spoke else ""
    commands = [_plain(call.cmd) for call in window.decision.calls if call.tool_class == "shell"]
    for turn in said or [turn for turn in window.turns if turn.author == "user"][-1:]:
        if any(len(command) >= SHORTEST_COMMAND and command in _plain(turn.text) for command in commands):
            return f"the user dictated it at turn {turn.index}"
    return ""


def nudged(window: Window) -> str:
    """A harness notice after the evidence already says to look, read or run."""
    for turn in window.turns:
        if turn.index < window.last_evidence or window.last_evidence < 0:
            continue
        notices = [turn.text] if turn.author == "harness" and turn.mark != "compaction" else []
        notices += [found for result in turn.results for found in REMINDER.findall(result.text)]
        if any(RIGHT_MOVE.search(notice) for notice in notices):
            return f"the harness named the right move at turn {turn.index}"
    return ""


def _plain(text: str) -> str:
    return " ".join(text.split())


DROPS = {"user_already_answered": user_already_answered, "nudged": nudged}
"""The conditions a family's `cut.drops_if` may name."""
