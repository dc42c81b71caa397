"""What a store says of itself adds up, and damage anywhere in it is named."""

import json
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.store.recorded import FIRST_EDIT, SECOND_EDIT, write_session
from tracedance.store.checking import check
from tracedance.store.importing import import_paths
from tracedance.store.store import Store

NOTICE = {"user": "<system-reminder>Todo list is empty.</system-reminder>"}


@pytest.fixture
def held(tmp_path: Path) -> Path:
    write_session(tmp_path / "in/a.jsonl", "a", [*FIRST_EDIT, *SECOND_EDIT, NOTICE])
    write_session(tmp_path / "in/b.jsonl", "b", [*FIRST_EDIT, {"user": "Stop."}])
    tools = [{"type": "function", "function": {"name": "look", "description": "", "parameters": {"type": "object"}}}]
    said = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi."}]
    (tmp_path / "in/c.json").write_text(json.dumps({"id": "c", "messages": said, "tools": tools}))
    (tmp_path / "in/note.txt").write_text("hello")
    import_paths(tmp_path / "s", [tmp_path / "in"])
    return tmp_path / "s"


def test_stats_count_each_harness_and_setting_and_who_wrote_the_inputs(held: Path, command: Command) -> None:
    found = command("store", "stats", "--store", held, "--json").json
    coding, general = found["groups"]
    assert (coding["harness"], coding["setting"], coding["sessions"]) == ("claude_code", "coding", 2)
    assert (coding["turns"], coding["tool_calls"], coding["errors"]) == (11, 3, 2)
    assert coding["user_inputs"] == {"total": 4, "user": 3, "harness": 1, "user_share": 0.75}
    assert (general["setting"], general["sessions"], general["replayability"]) == ("general_tool_use", 1, {"replayable": 1})
    for name in ("sessions", "turns", "tool_calls", "errors", "tokens"):
        assert found["total"][name] == coding[name] + general[name]
    assert found["inferred_tools"] == [{"harness": "claude_code", "tool": "Edit", "calls": 3, "sessions": 2, "versions": 1}]


def test_a_token_is_four_characters_of_what_was_said_called_and_returned(tmp_path: Path, command: Command) -> None:
    write_session(tmp_path / "in/a.jsonl", "a", [{"user": "x" * 400}, {"text": "y" * 40, "thinking": "z" * 999}])
    import_paths(tmp_path / "s", [tmp_path / "in"])
    assert command("store", "stats", "--store", tmp_path / "s", "--json").json["total"]["tokens"] == 110


def test_info_names_what_the_store_is_made_of(held: Path, command: Command) -> None:
    found = command("store", "info", "--store", held, "--json").json
    assert (found["schema"], found["sessions"], found["shards"]) == ("tracedance.store/v1", 3, 1)
    assert found["formats"] == {"claude_code": 2, "openai_chat": 1}
    assert (found["source_files"], found["unread_files"], found["forgotten"]) == (3, 1, 0)
    assert found["redaction"]["stored"] == {found["redaction"]["current"]: 3}
    assert found["bytes"] == sum(path.stat().st_size for path in (held / "shards").iterdir() if ".files." not in path.name)


@pytest.mark.parametrize("name", ["info", "stats", "verify"])
def test_each_speaks_to_people_too(held: Path, name: str, command: Command) -> None:
    done = command("store", name, "--store", held)
    assert done.code == 0 and "3" in done.out and not done.err


def test_a_whole_store_passes(held: Path, command: Command) -> None:
    done = command("store", "verify", "--store", held, "--json")
    assert done.code == 0 and done.json["verified"] and (done.json["sessions"], done.json["files"]) == (3, 3)


def test_one_flipped_bit_in_any_file_is_named_with_exit_code_6(held: Path, command: Command) -> None:
    for path in [*sorted((held / "shards").iterdir()), held / "store.json"]:
        whole = path.read_bytes()
        path.write_bytes(whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:])
        done = command("store", "verify", "--store", held)
        assert done.code == 6 and path.name in done.err and "Traceback" not in done.err
        path.write_bytes(whole)
    assert command("store", "verify", "--store", held).code == 0


def test_a_missing_file_and_a_key_that_is_gone_are_named(held: Path, command: Command) -> None:
    path = next((held / "shards").glob("*.sessions.parquet"))
    path.rename(held / "elsewhere")
    assert command("store", "verify", "--store", held).code == 6
    (held / "elsewhere").rename(path)
    (held / "key").unlink()
    done = command("store", "verify", "--store", held)
    assert done.code == 6 and "key" in done.err


def test_counts_that_do_not_agree_are_named(held: Path) -> None:
    """Whole files that tell two stories: only reading them shows it."""
    from dataclasses import replace

    from tracedance.store.manifest import write_manifest

    manifest = Store.open(held).manifest
    write_manifest(held, replace(manifest, parts=(replace(manifest.parts[0], count=9),)))
    assert any("3 sessions where" in problem for problem in check(Store.open(held)).problems)


def test_an_edited_benchmark_under_the_store_is_named(tmp_path: Path, command: Command) -> None:
    from tests.construct.stores import FAMILY, catalogue, commits, store
    from tracedance.construct.build import build
    from tracedance.models.config import load
    from tracedance.schema import Request

    catalogue(tmp_path / "catalogue")
    given = store(tmp_path, [commits(0)])
    request = Request(query=None, families=(FAMILY,), minimum=1, catalogues=(str(tmp_path / "catalogue"),))
    made = build(request, given, load("offline"), given.path / "benchmarks").benchmarks[0].path
    assert command("store", "verify", "--store", given.path, "--json").json["benchmarks"] == 1
    (Path(str(made)) / "data/test.jsonl").write_text("{}\n")
    done = command("store", "verify", "--store", given.path)
    assert done.code == 6 and "test.jsonl" in done.err


@pytest.mark.parametrize(
    "words", [("store", "info"), ("store", "stats"), ("store", "verify"), ("store", "reserve"), ("import",), ("scan",)]
)
def test_a_store_of_a_newer_version_is_one_line_with_the_cure(held: Path, words: tuple[str, ...], command: Command) -> None:
    path = held / "store.json"
    path.write_text(path.read_text().replace("tracedance.store/v1", "tracedance.store/v2"))
    before = path.read_bytes()
    paths = [held.parent / "in"] if words == ("import",) else []
    done = command(*words, *paths, "--store", held)
    assert done.code == 2 and "Update tracedance" in done.err and len(done.err.splitlines()) == 1
    assert path.read_bytes() == before


def test_show_prints_a_session_or_the_turns_around_a_place(held: Path, command: Command) -> None:
    whole = command("store", "show", "a", "--store", held, "--json").json
    assert [turn["turn"] for turn in whole["shown"]] == list(range(whole["turns"]))
    near = command("store", "show", "a", "--turn", 3, "--around", 1, "--store", held, "--json").json
    assert near["shown"] == whole["shown"][2:5]
    assert command("store", "show", "a", "--turn", 99, "--store", held).code == 2
    assert "'nobody'" in command("store", "show", "nobody", "--store", held).err


def test_show_cuts_long_texts_unless_all_is_wanted_and_steers_no_terminal(tmp_path: Path, command: Command) -> None:
    write_session(tmp_path / "in/a.jsonl", "a", [{"user": f"\x1b[31mbegin{'x ' * 2000}end\u202e"}, {"text": "Ok."}])
    import_paths(tmp_path / "s", [tmp_path / "in"])
    short = command("store", "show", "a", "--store", tmp_path / "s").out
    full = command("store", "show", "a", "--full", "--store", tmp_path / "s").out
    assert "--full" in short and len(short) < 1500 < len(full)
    assert "begin" in short and "end" in short and not {"\x1b", "\u202e"} & {*short, *full}
