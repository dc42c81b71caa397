"""A cut keeps what the model saw at the decision and nothing else; whatever makes it unfair or unanswerable drops it under its own name."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from tests.construct.families import COMMIT, RETRY, family, hit, session
from tracedance.construct.cut import Cutting, Origin, cut
from tracedance.errors import ItemError
from tracedance.schema import Session, ToolDefinition, ToolResult, Turn

ORIGIN = Origin(session="5e55", redaction="d16e57", confirmed_by="rule")
LONG = "The parser reads every token twice because the buffer is flushed early, so I am going to hold it until the line has ended for good."


def made(turns: list[Any], frame: Any = "action", **meta: Any) -> Cutting:
    return cut(session(turns, **meta), hit(), family(frame), ORIGIN)


def reason(given: Session, frame: Any = "action", **of: Any) -> str:
    with pytest.raises(ItemError) as dropped:
        cut(given, of.pop("hit", hit()), family(frame, **of), ORIGIN)
    return dropped.value.reason


def test_an_action_context_ends_with_the_result_before_the_decision() -> None:
    instance = made(COMMIT).instance
    assert [(message.role, message.turn) for message in instance.messages] == [("user", 0), ("assistant", 1), ("tool", 2)]


def test_a_failure_context_ends_after_the_failing_result_and_what_the_harness_said_with_it() -> None:
    turns = [*RETRY[:3], {"harness": "<system-reminder>a.py was changed by a linter.</system-reminder>"}, *RETRY[3:]]
    instance = cut(session(turns), hit(decision=4), family("failure"), ORIGIN).instance
    assert [message.author for message in instance.messages] == ["user", "model", "tool", "harness"]


def test_the_decision_is_kept_apart_with_its_facts() -> None:
    given = session(COMMIT)
    check = cut(given, hit(facts={"command": "git add -A"}), family(), ORIGIN).check
    assert check.source.text == "Committing." and check.source.tool_calls[0].id == "call_2"
    assert check.facts == {"command": "git add -A"} and check.confirmed_by == "rule"


def test_why_it_was_found_and_the_turns_that_show_it_lie_with_the_check() -> None:
    made_of = cut(session(COMMIT), hit(evidence=(1, 2)), family(), ORIGIN)
    assert (made_of.check.why, made_of.check.evidence) == ("for a test", (1, 2))
    assert {1, 2} <= {message.turn for message in made_of.instance.messages}
    assert "for a test" not in made_of.instance.model_dump_json()


def test_calls_are_numbered_and_answered_right_behind_their_turn() -> None:
    turns = [
        {"user": "Look at both."},
        {"calls": [{"Read": {"file_path": "a.py"}}, {"Read": {"file_path": "b.py"}}]},
        {"harness": "A notice between call and result."},
        {"results": ["text of a", "text of b"]},
        {"text": "Committing.", "call": {"Bash": {"command": "git add -A"}}},
    ]
    messages = cut(session(turns), hit(decision=4, evidence=()), family(), ORIGIN).instance.messages
    assert [call.id for call in messages[1].tool_calls] == ["call_1", "call_2"]
    assert [(message.role, message.tool_call_id) for message in messages[2:]] == [("tool", "call_1"), ("tool", "call_2"), ("user", "")]


def test_the_context_starts_at_the_last_compaction() -> None:
    turns = [*COMMIT[:3], {"compaction": "So far: the typo is fixed."}, {"user": "Commit."}, COMMIT[3]]
    instance = cut(session(turns), hit(decision=5, evidence=(3,)), family(), ORIGIN).instance
    assert [message.turn for message in instance.messages] == [3, 4]


def test_evidence_before_the_compaction_is_outside_the_context() -> None:
    turns = [*COMMIT[:3], {"compaction": "So far: the typo is fixed."}, COMMIT[3]]
    assert reason(session(turns), hit=hit(decision=4)) == "evidence_outside_context"


@pytest.mark.parametrize("shift", [-1, 1])
@pytest.mark.parametrize("turns, frame", [(COMMIT, "action"), (RETRY, "failure")], ids=["action", "failure"])
def test_a_cut_shifted_by_one_turn_is_caught(turns: list[Any], frame: str, shift: int) -> None:
    assert reason(session(turns), frame, hit=hit(decision=3 + shift, evidence=())) == "decision_not_an_assistant_turn"


@pytest.mark.parametrize("shift", [-2, 2])
def test_a_failure_cut_shifted_by_a_whole_step_is_caught(shift: int) -> None:
    turns = [*RETRY, {"call": {"Read": {"file_path": "a.py"}}}, {"result": "text"}]
    expected = {-2: "evidence_outside_context", 2: "not_the_next_turn"}
    assert reason(session(turns), "failure", hit=hit(decision=3 + shift)) == expected[shift]


def marked(mark: str) -> Session:
    return session([*COMMIT[:3], {**COMMIT[3], "mark": mark}])


@pytest.mark.parametrize("mark", ["synthetic", "forced"])
def test_a_turn_that_the_harness_made_or_forced_decides_nothing(mark: str) -> None:
    assert reason(marked(mark)) == "decision_not_by_the_model"


def test_a_turn_of_reasoning_alone_decides_nothing() -> None:
    assert reason(session([*COMMIT[:3], {"text": "", "reasoning": LONG}])) == "decision_empty"


def test_a_decision_beyond_the_session_is_missing() -> None:
    assert reason(session(COMMIT), hit=hit(decision=40)) == "decision_missing"


def test_a_call_that_nothing_answers_drops_the_cut() -> None:
    turns = [COMMIT[0], {"calls": [{"Read": {"file_path": "a.py"}}, {"Read": {"file_path": "b.py"}}]}, {"results": ["text"]}, COMMIT[3]]
    assert reason(session(turns)) == "call_without_result"


def edited(turns: list[Any], change: Callable[[list[Turn]], None]) -> Session:
    given = session(turns)
    change(list(given.turns))
    return given


def test_a_result_that_nothing_asked_for_drops_the_cut() -> None:
    def orphan(turns: list[Turn]) -> None:
        turns[2].results = [*turns[2].results, ToolResult("nobody", "text", turn=2, ordinal=2)]

    assert reason(edited(COMMIT, orphan)) == "result_without_call"


def test_a_record_written_after_the_decision_began_drops_the_cut() -> None:
    def late(turns: list[Turn]) -> None:
        turns[0].last = 9

    assert reason(edited(COMMIT, late)) == "recorded_after_the_decision"


def late_result(text: str) -> Session:
    def late(turns: list[Turn]) -> None:
        turns[2].results = [structs.replace(turns[2].results[0], raw=text, ordinal=9)]
        turns[2].last = 9

    turns = [*COMMIT[:3], {"text": LONG, "call": {"Bash": {"command": "ls"}}}]
    return edited(turns, late)


def test_a_result_regrouped_to_an_earlier_turn_may_be_recorded_late() -> None:
    assert cut(late_result("The file a.py has been updated."), hit(), family(), ORIGIN).instance.messages[-1].role == "tool"


def test_a_late_result_that_repeats_the_decision_drops_the_cut() -> None:
    assert reason(late_result(f"Note: {LONG}")) == "late_text_quotes_the_decision"


def test_a_harness_notice_that_repeats_the_decision_drops_the_cut() -> None:
    turns = [*COMMIT[:3], {"harness": f"The agent answered: {LONG}"}, {"text": LONG}]
    assert reason(session(turns), hit=hit(decision=4)) == "decision_quoted"


def test_a_commit_message_that_the_user_dictated_gives_nothing_away() -> None:
    message = "Hold the buffer until the line has ended so that the parser does not read every token twice"
    command = f'git add -A && git commit -m "{message}"'
    turns = [*COMMIT[:3], {"user": f"Commit with this message: {message}"}, {"call": {"Bash": {"command": command}}}]
    assert cut(session(turns), hit(decision=4), family(), ORIGIN).instance.messages[-1].author == "user"


def test_a_command_that_the_user_dictated_closes_the_decision() -> None:
    turns = [*COMMIT[:3], {"user": 'Run git add -A && git commit -m "Fix typo" now.'}, COMMIT[3]]
    assert reason(session(turns), hit=hit(decision=4)) == "user_already_answered"


@pytest.mark.parametrize("said, open_", [("Read the file first.", False), ("continue", True), ("Yes, go ahead.", True), ("weiter", True)])
def test_in_the_failure_frame_only_a_bare_word_to_go_on_leaves_the_decision_open(said: str, open_: bool) -> None:
    given = session([*RETRY[:3], {"user": said}, *RETRY[3:]])
    if open_:
        assert cut(given, hit(decision=4), family("failure"), ORIGIN).instance.messages[-1].content == said
    else:
        assert reason(given, "failure", hit=hit(decision=4)) == "user_already_answered"


def test_a_harness_that_names_the_right_move_drops_the_cut_where_the_family_says_so() -> None:
    given = session([*RETRY[:3], {"harness": "You must read the file before you edit it again."}, *RETRY[3:]])
    strict = {"keeps": "-", "drops_if": ["user_already_answered", "nudged"]}
    assert reason(given, "failure", hit=hit(decision=4), cut=strict) == "nudged"
    assert cut(given, hit(decision=4), family("failure"), ORIGIN).instance.messages[-1].author == "harness"


def test_a_recording_that_starts_in_the_middle_drops_the_cut() -> None:
    assert reason(session(COMMIT[1:4]), hit=hit(decision=2, evidence=(1,))) == "no_request"


def test_a_context_that_ends_with_the_model_drops_the_cut() -> None:
    turns = [*COMMIT[:3], {"text": "All good."}, {"text": "Committing now."}]
    assert reason(session(turns), hit=hit(decision=4)) == "ends_unanswerable"


@pytest.mark.parametrize("said", [f"<thinking>{LONG}</thinking>", f"Well: {LONG}"])
def test_reasoning_of_the_source_model_drops_the_cut(said: str) -> None:
    turns = [COMMIT[0], {**COMMIT[1], "text": said, "reasoning": LONG}, *COMMIT[2:]]
    assert reason(session(turns)) == "reasoning_left"


def test_reasoning_is_no_part_of_a_context() -> None:
    turns = [COMMIT[0], {**COMMIT[1], "reasoning": LONG}, *COMMIT[2:]]
    assert LONG not in made(turns).instance.model_dump_json()


def test_a_context_beyond_the_budget_drops_the_cut() -> None:
    assert reason(session([{"user": "x" * 480_001}, *COMMIT[1:]])) == "over_budget"


def test_a_session_that_cannot_be_replayed_is_refused_unless_asked_for() -> None:
    given = session(COMMIT, shapes={})
    assert reason(given) == "replayability_not_accepted"
    asked = replace(ORIGIN, accepted=("scan_only",))
    assert cut(given, hit(), family(), asked).instance.replayability == "scan_only"


def test_the_id_says_what_the_context_says_whatever_ids_turns_and_tools() -> None:
    one = made(COMMIT).instance
    fork = session([{"compaction": "Before."}, *COMMIT], compactions=[1], id="another")
    tools = [ToolDefinition("Bash", "Runs a command.", {"type": "object"}, inferred_from=7)]
    other = cut(fork, hit(decision=4, evidence=(3,)), family(), replace(ORIGIN, inferred=tools)).instance
    assert one.id == other.id and one.tools != other.tools


@pytest.mark.parametrize("change", ["author", "text", "arguments", "family", "system"])
def test_the_id_changes_with_what_the_context_says(change: str) -> None:
    turns: list[Any] = [dict(turn) for turn in COMMIT]
    frame, meta = "action", {}
    if change == "author":
        turns[0] = {"harness": COMMIT[0]["user"]}
    elif change == "text":
        turns[1]["text"] = "Fixing!"
    elif change == "arguments":
        turns[1]["call"] = {"Edit": {"file_path": "b.py"}}
    elif change == "family":
        frame = "claim"
    else:
        meta = {"system": "You are an agent."}
    assert made(turns, frame, **meta).instance.id != made(COMMIT).instance.id


def test_tools_are_inferred_and_said_to_be() -> None:
    tools = [ToolDefinition(name, "", {"type": "object"}, inferred_from=3) for name in ("Edit", "Bash", "mcp__mine__search")]
    instance = cut(session(COMMIT), hit(), family(), replace(ORIGIN, inferred=tools)).instance
    assert [tool.name for tool in instance.tools] == ["Bash", "Edit"] and instance.replayability == "reconstructed"
    assert instance.replay_note == (
        "No system prompt was recorded; the tool definitions were not and are inferred from recorded calls "
        "(2 tools from 6 calls seen in claude_code)."
    )


def test_recorded_tools_and_system_prompt_make_an_instance_replayable() -> None:
    tools = [ToolDefinition("Bash", "Runs a command.", {"type": "object"}), ToolDefinition("Edit", "Edits.", {})]
    instance = made(COMMIT, system="You are an agent.", tools=tools).instance
    assert instance.replayability == "replayable" and instance.messages[0].role == "system"
    assert instance.replay_note == "The system prompt and the tool definitions were recorded (2 tools)."
