"""The written records have the shape that the harnesses give theirs."""

from collections import Counter

import pytest

from tests.synth.reading import Record, blocks, sessions
from tracedance.synth.corpus import write

Sessions = dict[str, list[Record]]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Sessions:
    out = tmp_path_factory.mktemp("shapes")
    write(out, 200, 11)
    return dict(sessions(out))


@pytest.fixture(scope="module")
def claude(corpus: Sessions) -> Sessions:
    return {file: records for file, records in corpus.items() if file.startswith("claude_code/")}


@pytest.fixture(scope="module")
def codex(corpus: Sessions) -> Sessions:
    return {file: records for file, records in corpus.items() if file.startswith("codex/")}


def test_claude_code_records_form_one_chain(claude: Sessions) -> None:
    for records in claude.values():
        last = None
        for record in records:
            if "uuid" not in record:
                continue
            if record.get("subtype") == "compact_boundary":
                assert record["parentUuid"] is None and record["logicalParentUuid"] == last
            else:
                assert record["parentUuid"] == last
            last = record["uuid"]
            assert {"sessionId", "timestamp", "cwd", "version", "gitBranch", "userType", "isSidechain"} <= record.keys()


def test_claude_code_has_one_block_a_record_and_shared_message_ids(claude: Sessions) -> None:
    shared = 0
    for records in claude.values():
        ids = Counter(record["message"]["id"] for record in records if record["type"] == "assistant")
        shared += sum(count > 1 for count in ids.values())
        assert all(len(blocks(record)) == 1 for record in records if record["type"] == "assistant")
    assert shared > 50


def test_claude_code_turns_can_interleave_with_their_results(claude: Sessions) -> None:
    interleaved = 0
    for records in claude.values():
        seen: list[str] = []
        for record in records:
            if record["type"] == "assistant":
                one = record["message"]["id"]
                interleaved += one in seen and seen[-1] != one
                seen.append(one)
            elif record["type"] == "user":
                seen.append("result")
    assert interleaved > 3


def test_every_claude_code_call_has_its_result_after_it(claude: Sessions) -> None:
    for records in claude.values():
        made: set[str] = set()
        answered: set[str] = set()
        for record in records:
            for block in blocks(record):
                if block["type"] == "tool_use":
                    made.add(block["id"])
                elif block["type"] == "tool_result":
                    assert block["tool_use_id"] in made
                    assert "toolUseResult" in record and "sourceToolAssistantUUID" in record
                    answered.add(block["tool_use_id"])
        assert made == answered


def test_claude_code_carries_the_noise_of_the_harness(claude: Sessions) -> None:
    kinds = Counter(record["type"] for records in claude.values() for record in records)
    subtypes = {record["subtype"] for records in claude.values() for record in records if record["type"] == "system"}
    assert {"progress", "attachment", "file-history-snapshot", "last-prompt", "permission-mode", "queue-operation"} <= kinds.keys()
    assert {"turn_duration", "stop_hook_summary", "compact_boundary"} <= subtypes
    assert any(record.get("isMeta") and record["type"] == "user" for records in claude.values() for record in records)
    assert any(record.get("isCompactSummary") for records in claude.values() for record in records)
    assert any("[Request interrupted by user" in str(blocks(record)) for records in claude.values() for record in records)
    assert any("<system-reminder>" in str(blocks(record)) for records in claude.values() for record in records)


def test_times_never_run_backwards(corpus: Sessions) -> None:
    for records in corpus.values():
        times = [record["timestamp"] for record in records if "timestamp" in record]
        assert times == sorted(times)


def test_codex_files_start_with_their_meta_record_and_its_instructions(codex: Sessions) -> None:
    for file, records in codex.items():
        meta = records[0]
        assert meta["type"] == "session_meta" and meta["payload"]["id"] in file
        assert meta["payload"]["base_instructions"]["text"] and meta["payload"]["cli_version"]


def test_codex_calls_are_answered_once_and_in_parallel_order(codex: Sessions) -> None:
    for records in codex.values():
        items = [record["payload"] for record in records if record["type"] == "response_item"]
        calls = [item["call_id"] for item in items if item["type"] in ("function_call", "custom_tool_call")]
        outputs = [item["call_id"] for item in items if item["type"].endswith("_output")]
        assert calls == outputs and len(set(calls)) == len(calls)
        assert all(isinstance(item["arguments"], str) for item in items if item["type"] == "function_call")


def test_codex_turns_are_told_apart_by_outputs_and_people(codex: Sessions) -> None:
    """Between two assistant texts lies an output or a message of somebody else, as there are no turn ids to tell them apart."""
    for records in codex.values():
        said = False
        for record in records:
            payload = record["payload"]
            if record["type"] != "response_item" or payload["type"] == "reasoning":
                continue
            text = payload["type"] == "message" and payload["role"] == "assistant"
            assert not (text and said)
            said = text or (said and payload["type"].endswith("call"))


def test_codex_event_messages_repeat_what_the_items_say(codex: Sessions) -> None:
    kinds = Counter(record["payload"]["type"] for records in codex.values() for record in records if record["type"] == "event_msg")
    assert {"user_message", "agent_message", "token_count", "task_started", "task_complete", "patch_apply_end"} <= kinds.keys()
    assert {"exec_command_end", "turn_aborted", "context_compacted"} <= kinds.keys()
    items = [r["payload"] for records in codex.values() for r in records if r["type"] == "response_item"]
    assert any("Process exited with code 0" in str(item.get("output")) for item in items)
    assert any('"metadata": {"exit_code": 0' in str(item.get("output")) for item in items)
    assert any("apply_patch verification failed" in str(item.get("output")) for item in items)
    assert any(item["type"] == "reasoning" and item["encrypted_content"] for item in items)
