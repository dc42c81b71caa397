"""Telemetry, evaluation logs and benchmark histories: sessions out of records that repeat, nest and label them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.ingest import logs
from tests.ingest.test_read import reading
from tracedance.ingest.read import FileReading, files, read
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session
from tracedance.store.importing import import_paths
from tracedance.store.store import Store


def told(session: Session) -> list[tuple[str, str, str]]:
    """What a session holds, turn by turn: role, author, and what was said, called or returned."""
    return [
        (
            turn.role,
            turn.author,
            turn.text
            or " + ".join([f"{call.name} {call.arguments_json}" for call in turn.calls] or [result.text for result in turn.results]),
        )
        for turn in session.turns
    ]


def found(folder: Path, *documents: Any) -> FileReading:
    return reading(b"\n".join(logs.lines(*documents)) + b"\n", folder)


TALK = [
    ("user", "user", "How many of A and B?"),
    ("assistant", "model", 'look_up {"sku":"A"} + look_up {"sku":"B"}'),
    ("tool", "tool", "3 + no such sku"),
    ("assistant", "model", "Three of A; B is not known."),
]


def test_spans_that_repeat_a_conversation_make_one_session_of_it(tmp_path: Path) -> None:
    file = found(tmp_path, logs.exported(*logs.genai_spans()))
    (session,) = file.sessions
    assert told(session) == TALK
    assert (session.id, session.harness, session.version, session.models) == ("conv-1", "stock-agent", "1.2", ["gpt-5"])
    assert (session.system, session.replayability, session.setting) == (logs.SYSTEM, "replayable", "general_tool_use")
    assert [(call.result.status, call.id) for call in session.calls() if call.result] == [("ok", "c1"), ("error", "c2")]
    assert session.turns[1].reasoning == "Both at once." and session.started.startswith("2026-01-05T")
    assert (file.counts.kept, file.counts.ignored) == (4, 1)


def test_the_three_generations_of_the_conventions_read_alike(tmp_path: Path) -> None:
    events = logs.message_events()
    bare = logs.span("a2", "chat gpt-5", 4, gen_ai__operation__name="chat", gen_ai__request__model="gpt-5")
    records = [
        {"traceId": "7f0c", "spanId": "a2", "timeUnixNano": "9", "eventName": name, "body": logs.any_value(body)} for name, body in events
    ]
    of_span = [{"name": name, "attributes": logs.attributes(**{"gen_ai.event.content": body})} for name, body in events]
    prompt = [{"role": "system", "content": logs.SYSTEM}, {"role": "user", "content": "How many of A and B?"}]
    prompt += [
        {"role": "assistant", **events[2][1]},
        *({"role": "tool", "tool_call_id": body["id"], "content": body["content"]} for _, body in events[3:5]),
    ]
    older = [
        {"name": "gen_ai.content.prompt", "attributes": logs.attributes(gen_ai__prompt=prompt)},
        {"name": "gen_ai.content.completion", "attributes": logs.attributes(gen_ai__completion=[events[5][1]["message"]])},
    ]
    for documents in (
        [logs.logged(*records), logs.exported(bare)],
        [logs.exported(bare), logs.logged(*records)],
        [logs.logged(*records)],
        [logs.exported({**bare, "events": of_span})],
        [logs.exported({**bare, "events": older})],
    ):
        (session,) = found(tmp_path, *documents).sessions
        assert (told(session), session.system) == (TALK, logs.SYSTEM)


def test_numbered_attributes_of_openinference_read_alike(tmp_path: Path) -> None:
    (session,) = found(tmp_path, logs.exported(*logs.openinference_spans())).sessions
    assert told(session) == TALK
    assert (session.id, session.format, session.replayability) == ("sess-1", "openinference", "replayable")


def test_an_unknown_span_kind_and_an_unknown_event_are_named_losses(tmp_path: Path) -> None:
    odd = logs.span("x1", "x", 1, openinference__span__kind="ORACLE")
    record = {"traceId": "7f0c", "spanId": "a2", "eventName": "gen_ai.dream.message", "body": {"stringValue": "x"}}
    file = found(tmp_path, logs.exported(odd), logs.logged(record))
    assert dict(file.unknown) == {"openinference:span kind ORACLE": 1, "openinference:event gen_ai.dream.message": 1}


def test_a_part_of_an_unknown_type_stands_in_the_text_and_is_named(tmp_path: Path) -> None:
    strange = logs.said("user", logs.text("Look:"), {"type": "hologram", "x": 1}, {"type": "blob", "modality": "image", "content": "aaaa"})
    file = found(tmp_path, logs.exported(logs.chat_span("a1", 1, [strange], [logs.TOLD])))
    assert file.sessions[0].turns[0].text == 'Look:\n{"type":"hologram","x":1}\n[image]'
    assert dict(file.unknown) == {"otel_genai:part hologram": 1} and file.losses == []


def test_a_second_answer_to_the_same_input_is_a_fork(tmp_path: Path) -> None:
    other = logs.said("assistant", logs.text("No idea."))
    file = found(
        tmp_path, logs.exported(logs.chat_span("a1", 1, [logs.ASKED], [logs.TOLD]), logs.chat_span("a2", 2, [logs.ASKED], [other]))
    )
    main, fork = file.sessions
    assert (fork.parent, fork.id) == ("conv-1", "conv-1.fork-1")
    assert main.turns[0].chain == fork.turns[0].chain and fork.turns[1].text == "No idea."


def test_a_rewritten_input_of_the_same_agent_starts_a_new_context(tmp_path: Path) -> None:
    summary = logs.said("user", logs.text("So far: A and B were asked for."))
    again = logs.chat_span(
        "a3", 9, [summary, logs.TOLD, logs.said("user", logs.text("And C?"))], [logs.said("assistant", logs.text("None."))]
    )
    (session,) = found(tmp_path, logs.exported(*logs.genai_spans(), again)).sessions
    assert list(session.compactions) == [4] and session.turns[4].mark == "compaction"
    assert session.turns[4].text == "user: So far: A and B were asked for.\n\nassistant: Three of A; B is not known."
    assert [turn.text for turn in session.turns[5:]] == ["And C?", "None."]


def test_a_sub_agent_is_a_session_of_its_own_and_knows_for_whom_it_works(tmp_path: Path) -> None:
    helper = logs.span("h0", "invoke_agent helper", 2, "t0", gen_ai__operation__name="invoke_agent", gen_ai__agent__name="helper")
    inner = {
        **logs.chat_span("n1", 3, [logs.said("user", logs.text("Count."))], [logs.said("assistant", logs.text("One."))]),
        "parentSpanId": "h0",
    }
    file = found(tmp_path, logs.exported(*logs.genai_spans(), helper, inner))
    main, sub = file.sessions
    assert told(main) == TALK
    assert (sub.id, sub.parent, told(sub)[0][2]) == ("conv-1.helper-1", "conv-1", "Count.")


def test_inputs_that_hold_only_what_is_new_go_on_with_their_thread(tmp_path: Path) -> None:
    calls = [logs.chat_span("a1", 1, [logs.ASKED], [logs.CALLED]), logs.chat_span("a2", 4, logs.CAME, [logs.TOLD])]
    thanks = logs.chat_span("a3", 6, [logs.said("user", logs.text("Thanks."))], [logs.said("assistant", logs.text("Welcome."))])
    (session,) = found(tmp_path, logs.exported(*calls, thanks)).sessions
    assert told(session)[:4] == TALK and [turn.text for turn in session.turns[4:]] == ["Thanks.", "Welcome."]


def test_the_run_of_a_tool_whose_result_no_call_repeats_is_its_result(tmp_path: Path) -> None:
    (session,) = found(tmp_path, logs.exported(*logs.genai_spans()[:3])).sessions
    assert told(session) == TALK[:3]
    (session,) = found(tmp_path, logs.vercel_spans()).sessions
    assert told(session)[1:] == [("assistant", "model", 'look_up {"sku":"A"}'), ("tool", "tool", "3")]


def test_a_span_that_was_exported_twice_counts_once(tmp_path: Path) -> None:
    document = logs.exported(*logs.genai_spans())
    file = found(tmp_path, document, document)
    assert told(file.sessions[0]) == TALK and len(file.sessions) == 1 and file.counts.ignored == 6


def test_spans_that_a_console_printed_in_a_row_are_read_up_to_where_they_were_cut_off(tmp_path: Path) -> None:
    printed = [
        {
            "name": "chat gpt-5",
            "context": {"trace_id": "0x7f", "span_id": f"0x{number}"},
            "parent_id": None,
            "start_time": f"2026-01-05T10:00:0{number}Z",
            "status": {"status_code": "UNSET"},
            "attributes": {"gen_ai.input.messages": json.dumps([logs.ASKED, *[logs.TOLD] * number]), "gen_ai.output.messages": "[]"},
        }
        for number in (0, 1)
    ]
    text = "\n".join(json.dumps(span, indent=4) for span in printed)
    whole = reading(text.encode(), tmp_path)
    assert [told(session) for session in whole.sessions] == [[TALK[0], TALK[3]]] and whole.counts.in_ == 2
    cut = reading(text[:-40].encode(), tmp_path)
    assert (told(cut.sessions[0]), cut.losses, cut.counts.in_) == (TALK[:1], [("file cut off", 1, "file.jsonl:29")], 2)


def test_an_inspect_sample_keeps_its_talk_and_links_those_of_its_sub_agents(tmp_path: Path) -> None:
    file = found(tmp_path, logs.inspect_doc())
    main, sub = file.sessions
    assert [turn.text for turn in main.turns] == ["What is here?\n[image]", "", "", "Please proceed.", "a.txt"]
    assert [turn.author for turn in main.turns] == ["user", "model", "tool", "harness", "model"]
    assert [call.result.status for call in main.calls() if call.result] == ["ok", "refused"]
    assert (main.id, main.version, main.models, main.replayability, main.setting) == ("Uuid1", "0.3.100", ["gpt-5"], "replayable", "coding")
    assert main.labels == {"task": "stock", "sample": "s-1", "epoch": 1, "scores": {"includes": "C"}}
    assert (sub.id, sub.parent, sub.models, [turn.text for turn in sub.turns]) == (
        "Uuid1.counter",
        "Uuid1",
        ["gpt-5-mini"],
        ["Count the files.", "One."],
    )


def test_other_members_of_an_inspect_archive_hold_no_session_and_lose_none(tmp_path: Path) -> None:
    sample = logs.inspect_sample()
    header = {key: value for key, value in logs.inspect_doc().items() if key != "samples"}
    summaries = [{key: sample[key] for key in ("id", "epoch", "input", "target", "scores")}]
    reductions = [{"scorer": "includes", "samples": [{"value": 1.0, "sample_id": "s-1"}]}]
    for document in (header, summaries, reductions):
        file = found(tmp_path, document)
        assert (file.format, file.sessions, file.losses, file.counts.ignored) == ("inspect_eval", [], [], 1)
    assert len(found(tmp_path, sample).sessions) == 2


def test_an_inspect_transcript_that_points_into_a_pool_of_messages_is_read(tmp_path: Path) -> None:
    sample = logs.inspect_sample()
    pool = [{"role": "user", "content": "Count the files."}]
    for event in sample["events"]:
        if event.get("span_id") == "s2":
            event |= {"input": [], "input_refs": [[0, 1]]}
    for held in ({"message_pool": pool}, {"events_data": {"messages": pool}}):
        sub = found(tmp_path, {**sample, **held}).sessions[1]
        assert [turn.text for turn in sub.turns] == ["Count the files.", "One."]


def test_an_atif_trajectory_keeps_calls_screens_compactions_and_sub_agents(tmp_path: Path) -> None:
    main, sub = found(tmp_path, logs.atif()).sessions
    assert (main.id, main.harness, main.version, main.models, main.replayability) == (
        "traj-1",
        "openhands",
        "1.1",
        ["gpt-5", "gpt-5-mini"],
        "replayable",
    )
    assert [(turn.role, turn.author, turn.mark) for turn in main.turns][3:] == [
        ("user", "harness", "compaction"),
        ("assistant", "model", ""),
        ("user", "harness", ""),
    ]
    assert [(call.result.text[:1], call.result.status) for call in main.calls() if call.result] == [("a", "ok"), ("c", "error")]
    assert main.turns[0].text == "List.\n[image]"
    assert (sub.id, sub.parent) == ("sub-1", "traj-1")


def test_commands_in_the_text_of_swe_agent_are_calls_as_its_function_calls_are(tmp_path: Path) -> None:
    written, called = found(tmp_path, logs.swe_agent(), logs.swe_agent(called=True)).sessions
    for session, first in ((written, "bash"), (called, "find_file")):
        assert [call.name for call in session.calls()] == [first, "bash"]
        assert [turn.role for turn in session.turns] == ["user", "assistant", "tool", "assistant", "tool"]
        assert session.turns[1].text == "Look." and session.turns[4].results[0].text == "diff --git a/a b/a"
        assert (session.system, session.labels) == (logs.SYSTEM, {"exit_status": "submitted"})
    bare = {key: value for key, value in logs.swe_agent().items() if key != "history"}
    assert [call.arguments["command"] for call in found(tmp_path, bare).sessions[0].calls()] == ["ls missing", "submit"]


def test_an_agentdojo_run_says_which_call_failed_and_how_the_attack_went(tmp_path: Path) -> None:
    (session,) = found(tmp_path, logs.agentdojo()).sessions
    failed, worked = session.calls()
    assert failed.result and failed.result.is_error and failed.result.text == "ValueError: no such sku"
    assert worked.result and worked.result.status == "ok" and worked.name == "send_email"
    assert (session.labels["utility"], session.labels["security"], session.models) == (False, True, ["gpt-5"])


def test_labels_of_people_survive_with_the_turn_that_they_speak_of(tmp_path: Path) -> None:
    (session,) = found(tmp_path, logs.who_and_when()).sessions
    assert (session.labels["mistake_agent"], session.labels["mistake_step"], session.labels["mistake_reason"]) == (
        "Counter",
        "2",
        "It guessed.",
    )
    assert session.turns[session.labels["mistake_turn"]].text == "Counter: Four, I guess."
    assert [turn.author for turn in session.turns] == ["harness", "model", "harness"]
    (case,) = found(tmp_path, logs.rjudge()).sessions
    assert (case.labels["label"], case.labels["safe"], case.labels["risk_description"]) == (1, False, "It obeyed.")


def test_actions_of_rjudge_that_are_written_as_calls_are_calls(tmp_path: Path) -> None:
    (session,) = found(tmp_path, logs.rjudge()).sessions
    assert [(call.name, call.arguments) for call in session.calls()] == [
        ("GetUser", {"username": "thedev"}),
        ("SendEmail", {"to": "x"}),
        ("OpenTerminal", {"id": 0}),
    ]
    assert session.turns[5].text == "Final Answer: done." and session.turns[5].calls == []


def test_a_hangar_export_keeps_overlapping_calls_together_and_what_no_turn_holds_in_labels(tmp_path: Path) -> None:
    (session,) = found(tmp_path, logs.hangar()).sessions
    assert [(turn.role, len(turn.calls)) for turn in session.turns] == [
        ("user", 0),
        ("assistant", 2),
        ("tool", 0),
        ("assistant", 1),
        ("tool", 0),
        ("user", 0),
        ("user", 0),
    ]
    assert [call.result.status for call in session.calls() if call.result] == ["ok", "ok", "refused"]
    first, second = session.labels["runs"]
    assert (first["id"], first["first"], first["last"], first["truncated"], second["first"]) == ("r-1", 0, 7, True, 8)
    assert [item["type"] for item in session.labels["items"]] == ["tool_call", "tool_call", "approval", "tool_call", "steer", "test_run"]
    assert [entry["type"] for entry in session.labels["jobs"]["j-1"]["entries"]] == ["test_run", "commit", "merge"]


def test_the_documented_hangar_export_is_read_without_loss(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "hangar-trace.md").read_text(encoding="utf-8")
    file = reading(page.split("```json\n")[1].split("```")[0].encode(), tmp_path)
    assert (file.losses, len(file.sessions), file.counts.kept) == ([], 1, 13)


@pytest.mark.parametrize("shape", sorted(logs.SHAPES))
def test_absurdly_nested_values_are_kept_or_named(shape: str, tmp_path: Path) -> None:
    deep: Any = {"type": "text", "text": "x"}
    for _ in range(300):
        deep = {"type": "tool_result", "id": "c1", "content": [deep]}
    text = logs.SHAPES[shape][0].decode()
    for field in ('"content":', '"arguments":', '"input":', '"value":', '"text":', '"message":'):
        reading(text.replace(f"{field} ", f'{field} {json.dumps(deep)}, "was": ').encode(), tmp_path)


@pytest.mark.parametrize(
    ("folder", "sessions", "calls"),
    [("atif", 4, 2), ("swe_agent_traj", 11, 114), ("who_and_when", 29, 0), ("assebench", 140, 250), ("otel_openinference", 24, 0)],
)
def test_real_logs_are_read_without_loss_or_orphans(folder: str, sessions: int, calls: int, real_traces: Path) -> None:
    readings = [read(path, Redactor(b"k")) for path in files([real_traces / folder])]
    known = [file for file in readings if file.format != "unknown"]
    assert all(file.losses == [] and not file.unknown for file in known)
    assert len(readings) - len(known) == (3 if folder == "otel_openinference" else 0)  # Two JSON Schemas and a summary lie among the spans.
    assert sum(len(file.sessions) for file in known) == sessions
    everything = [session for file in known for session in file.sessions]
    assert sum(len(session.calls()) for session in everything) == calls
    for session in everything:
        ids = {call.id for call in session.calls()}
        assert all(result.call_id in ids for turn in session.turns for result in turn.results)


def test_labels_come_back_from_the_store_and_their_secrets_do_not(tmp_path: Path) -> None:
    case = logs.who_and_when() | {"mistake_reason": "It printed ghp_" + "a1B2" * 9}
    (tmp_path / "case.json").write_text(json.dumps(case), encoding="utf-8")
    import_paths(tmp_path / "s", [tmp_path / "case.json"])
    labels = Store.open(tmp_path / "s").session("q-1").labels
    assert (labels["mistake_agent"], labels["mistake_turn"]) == ("Counter", 1)
    assert "ghp_" not in json.dumps(labels) and labels["mistake_reason"].startswith("It printed ")
