"""Reads what the corpus writer wrote, with the eyes of somebody who does not know how it was made."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def sessions(out: Path) -> Iterator[tuple[str, list[Record]]]:
    """(file relative to the corpus, its records), in order of name."""
    for path in sorted([*(out / "claude_code").rglob("*.jsonl"), *(out / "codex").rglob("*.jsonl")]):
        yield str(path.relative_to(out)), [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def planted(out: Path) -> list[Record]:
    return [json.loads(line) for line in (out / "planted.jsonl").read_text("utf-8").splitlines()]


def blocks(record: Record) -> list[Record]:
    """The content blocks of a Claude Code message record."""
    content = record.get("message", {}).get("content", [])
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def told(record: Record) -> str:
    """What a record says to or by the model, without ids and times; "" for noise."""
    if "payload" in record:
        payload = record["payload"]
        if record["type"] == "compacted":
            return "\n".join(part["text"] for item in payload["replacement_history"] for part in item["content"])
        if record["type"] != "response_item" or payload["type"] == "reasoning":
            return ""
        texts = [part["text"] for part in payload.get("content") or []]
        return "\n".join([*texts, *(str(payload.get(key, "")) for key in ("arguments", "input", "output"))])
    if record["type"] not in ("user", "assistant"):
        return ""
    return "\n".join(str(block.get("text") or block.get("input") or block.get("content") or "") for block in blocks(record))


def context(records: list[Record], line: int) -> str:
    """What the model had seen before the record at `line`: from the last compaction on."""
    start = 0
    for number, record in enumerate(records[:line]):
        if record.get("subtype") == "compact_boundary" or record["type"] == "compacted":
            start = number
    return "\n".join(filter(None, map(told, records[start:line])))


def shingles(text: str) -> set[str]:
    """Runs of five words, numbers left out."""
    words = re.findall(r"[A-Za-z_]+", text)
    return {" ".join(words[at : at + 5]) for at in range(len(words) - 4)}


def acted(records: list[Record]) -> list[tuple[list[int], str, list[tuple[str, str, str]]]]:
    """Assistant turns: (its lines, its text, [(call id, what was called, its result)])."""
    results = {}
    turns: list[tuple[list[int], str, list[tuple[str, str, str]]]] = []
    open_turn = ""
    for number, record in enumerate(records):
        if "payload" in record:
            payload = record["payload"]
            if record["type"] != "response_item" or payload["type"] == "reasoning":
                continue
            if payload["type"].endswith("_output"):
                results[payload["call_id"]] = payload["output"]
                open_turn = ""
                continue
            if payload["type"] == "message" and payload["role"] != "assistant":
                open_turn = ""
                continue
            text = "".join(part["text"] for part in payload.get("content", []))
            calls = [(payload["call_id"], payload.get("input") or payload.get("arguments", ""))] if "call_id" in payload else []
            same = bool(open_turn)
            open_turn = "open"
        elif record["type"] == "assistant":
            block = blocks(record)[0]
            text = block.get("text", "")
            calls = [(block["id"], f"{block['name']} {json.dumps(block['input'])}")] if block["type"] == "tool_use" else []
            same = open_turn == record["message"]["id"]
            open_turn = record["message"]["id"]
        else:
            for block in blocks(record) if record["type"] == "user" else []:
                if block["type"] == "tool_result":
                    results[block["tool_use_id"]] = str(block["content"])
            continue
        if not same:
            turns.append(([], "", []))
        lines, before, made = turns[-1]
        turns[-1] = ([*lines, number], before + text, [*made, *((one, what, "") for one, what in calls)])
    return [(lines, text, [(one, what, results.get(one, "")) for one, what, _ in made]) for lines, text, made in turns]
