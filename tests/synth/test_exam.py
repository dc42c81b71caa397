"""The large corpus: the same bytes again, any session on its own, and every planted place where its row says, as the importers see it."""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from tests.conftest import Command
from tracedance.cli.synthesising import synth_command
from tracedance.errors import InputError
from tracedance.ingest.read import read
from tracedance.privacy.redactor import Redactor
from tracedance.schema import Session
from tracedance.synth.exam import corpus, plan
from tracedance.synth.exam.corpus import Written, compose, written
from tracedance.synth.exam.plan import Wish
from tracedance.synth.exam.script import ScriptError, all_scenes, parse
from tracedance.synth.exam.words import MAKERS
from tracedance.synth.exam.words import session as play
from tracedance.synth.tape import Acted, Said

WISH = Wish(11, rate=6)
"""Far more planted places than a corpus of ordinary rates has, so that a few hundred sessions hold nearly every script."""
MANY = 500


_BRACED = re.compile(r"\{([a-zA-Z_]+\d*)\}")
ANSWERS = ("test ", "grep ", "nc ", "gh pr checks", "command -v")
"""Commands whose exit code 1 is an answer."""


@pytest.fixture(scope="module")
def sessions() -> list[Written]:
    return list(written(MANY, WISH))


@pytest.fixture(scope="module")
def imported(sessions: list[Written], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Session]:
    """File below the corpus -> the session that its importer reads."""
    out = tmp_path_factory.mktemp("exam")
    found = {}
    for one in sessions:
        path = out / one.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(one.content)
        reading = read(path, Redactor(b"a key for tests"))
        assert not reading.losses and len(reading.sessions) == 1, one.file
        found[one.file] = reading.sessions[0]
    return found


def digest(out: Path) -> str:
    told = hashlib.sha256()
    for path in sorted(path for path in out.rglob("*") if path.is_file()):
        told.update(str(path.relative_to(out)).encode() + b"\0" + path.read_bytes())
    return told.hexdigest()


def test_the_same_arguments_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        corpus.write(tmp_path / name, 40, Wish(3))
    assert digest(tmp_path / "one") == digest(tmp_path / "two")


def test_a_session_does_not_depend_on_the_size_of_its_corpus(tmp_path: Path) -> None:
    corpus.write(tmp_path / "small", 12, Wish(3))
    corpus.write(tmp_path / "large", 30, Wish(3))
    small = (tmp_path / "small" / corpus.PLACES).read_bytes()
    assert (tmp_path / "large" / corpus.PLACES).read_bytes().startswith(small)
    for path in (tmp_path / "small").rglob("*.json*"):
        if path.name != corpus.PLACES:
            assert path.read_bytes() == (tmp_path / "large" / path.relative_to(tmp_path / "small")).read_bytes()


def test_no_slot_of_ours_is_left_in_a_session(sessions: list[Written]) -> None:
    ours = {*MAKERS, *play(0, "chat", Random(0)).words}
    left = {(found[1], one.file) for one in sessions for found in _BRACED.finditer(one.content.decode())}
    assert not {(name, file) for name, file in left if name.rstrip("0123456789") in ours or name in ours}


def test_a_folder_holds_at_most_a_thousand_files() -> None:
    files = [corpus.compose(number, Wish(3)).file for number in (0, 999, 1000, 299_999)]
    assert [file.split("/")[1] for file in files] == ["0000", "0000", "0001", "0299"]


def test_each_place_is_the_assistant_turn_that_was_planted(sessions: list[Written], imported: dict[str, Session]) -> None:
    for one in sessions:
        session = imported[one.file]
        assert all(row["session"] == session.id for row in one.places), one.file
        planted = [step for step in one.steps if isinstance(step, Acted) for _ in step.plants]
        for row, step in zip(one.places, planted, strict=True):
            turn = session.turns[row["turn"]]
            assert turn.role == "assistant" and [call.name for call in turn.calls] == [call.tool for call in step.calls], (one.file, row)
            # Internal hosts have pseudonyms by then.
            said, meant = ([word for word in text.split()[:3] if "://" not in word] for text in (turn.text, step.text))
            assert said == meant, (one.file, row)


def test_failed_calls_and_only_they_are_read_as_failed(sessions: list[Written], imported: dict[str, Session]) -> None:
    """Where the harness has a flag or an exit code; a chat tells its errors in words."""
    for one in sessions:
        if one.file.startswith("claude_code"):
            calls = [call for turn in imported[one.file].turns for call in turn.calls]
            made = [call for step in one.steps if isinstance(step, Acted) for call in step.calls]
            for found, call in zip(calls, made, strict=True):
                assert found.result is not None
                if found.name == "Bash" and not found.cmd.startswith(ANSWERS):
                    assert found.result.status == call.outcome.status, (one.file, found.cmd, found.result.text)


def test_every_family_has_enough_scripts() -> None:
    counts = Counter((scene.family, scene.kind) for scene in all_scenes() if scene.family)
    families, beyond = set(plan.rates()["coding"]), set(plan.custom()["coding"])
    assert {family for family, _ in counts} == families | beyond and (len(families), len(beyond)) == (28, 6)
    for family in families | beyond:
        assert counts[family, "offence"] >= 6 and counts[family, "near_miss"] >= 4 and counts[family, "met"] >= 3, family
    assert len({(scene.family, scene.kind, scene.name) for scene in all_scenes()}) == len(all_scenes())


def test_every_scene_marks_its_own_family_once_and_starts_with_a_message() -> None:
    for scene in all_scenes():
        own = [mark for beat in scene.beats for mark in beat.marks if not mark.family]
        assert bool(own) == (scene.kind != "plain"), scene.name
        assert scene.beats[0].who in ("user", "harness"), scene.name
        assert all(beat.who == "assistant" for beat in scene.beats if beat.marks), scene.name
        assert scene.kind != "plain" or all(mark.kind in ("met", "near_miss") for beat in scene.beats for mark in beat.marks)


def test_two_turns_of_the_model_never_follow_each_other_without_a_result(sessions: list[Written]) -> None:
    for one in sessions:
        for before, after in zip(one.steps, one.steps[1:], strict=False):
            assert not (isinstance(before, Acted) and not before.calls and isinstance(after, Acted)), (one.file, after)


def test_rates_are_the_stated_ones() -> None:
    """Offences in 1,500 sessions against what the table says; the scripts' side marks may add to them, never take away."""
    wish = Wish(5)
    found: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for one in written(1500, wish):
        kinds[one.file.split("/")[0]] += 1
        found.update({row["family"] for row in one.places if row["kind"] == "offence"})
    expected = {
        family: sum(kinds[kind] * table[family][0] for kind, table in zip(("claude_code", "codex", "chat"), tables, strict=True))
        for tables in [(plan.rates()["coding"], plan.rates()["coding"], plan.rates()["chat"])]
        for family in tables[0]
    }
    total = sum(expected.values())
    assert 0.75 * total < sum(found[family] for family in expected) < 1.3 * total
    beyond = {family: found[family] for family in plan.custom()["coding"]}
    assert min(beyond.values()) >= 15, beyond  # twenty in 2,000 sessions


def acted_in_chats(sessions: list[Written]) -> Iterator[tuple[Written, dict[str, Any], Acted]]:
    """Each assistant turn of a chat, with its session and the parameters of the tools that are offered in it."""
    for one in sessions:
        if one.file.startswith("chat"):
            value = json.loads(one.content)
            offered = (value[0] if isinstance(value, list) else value)["tools"]
            tools = {tool["function"]["name"]: tool["function"]["parameters"] for tool in offered}
            yield from ((one, tools, step) for step in one.steps if isinstance(step, Acted))


def violates(parameters: dict[str, Any], arguments: Any) -> bool:
    """Whether the arguments miss a field, have an unknown one, or a value that is not allowed."""
    properties = parameters["properties"]
    if set(parameters["required"]) - set(arguments) or set(arguments) - set(properties):
        return True
    types = {"string": str, "array": list, "number": (int, float), "integer": int, "boolean": bool}
    return any(
        not isinstance(value, types[properties[key]["type"]]) or value not in properties[key].get("enum", [value])
        for key, value in arguments.items()
    )


def test_a_chat_calls_what_is_offered_as_it_is_declared_but_where_the_contrary_is_planted(sessions: list[Written]) -> None:
    for one, tools, step in acted_in_chats(sessions):
        families = [plant.family for plant in step.plants]
        for call in step.calls:
            if call.tool not in tools:
                assert "action/undeclared_tool_call" in families, (one.file, call)
            elif violates(tools[call.tool], call.arguments):
                assert {"action/schema_violating_arguments", "failure/error_guidance_ignored"} & set(families), (one.file, call)


def test_a_file_is_seen_before_it_is_changed_but_where_the_contrary_is_planted(sessions: list[Written]) -> None:
    for one in sessions:
        seen = ""
        for step in one.steps:
            if isinstance(step, Said):
                seen += step.text
            if not isinstance(step, Acted):
                continue
            blind = [path for call in step.calls for path in changed(call.tool, call.arguments) if path not in seen]
            planted = {plant.family for plant in step.plants} & {"action/edit_without_reading", "failure/edit_retry_without_reread"}
            assert not blind or planted, (one.file, blind, step)
            seen += "".join(f"{call.arguments}{call.outcome.text}" for call in step.calls)


def changed(tool: str, arguments: Any) -> list[str]:
    """The existing files that a call edits."""
    if tool == "Edit":
        return [arguments["file_path"].rsplit("/", 1)[-1]] if {"file_path", "old_string"} <= set(arguments) else []
    if tool == "edit":
        return [arguments["path"].rsplit("/", 1)[-1]]
    if tool == "apply_patch":
        return [line.split(": ", 1)[1] for line in arguments.split("\n") if line.startswith("*** Update File")]
    return []


def test_a_family_can_be_planted_alone() -> None:
    rows = [row for one in written(120, Wish(2, "claim/unread_source_claim", 20)) for row in one.places]
    own = [row for row in rows if row["family"] == "claim/unread_source_claim"]
    assert len(own) > 60 and {row["kind"] for row in own} == {"offence", "met", "near_miss"}
    assert not [row for row in rows if row["kind"] == "offence" and row["family"] != "claim/unread_source_claim"]


def test_a_behaviour_beyond_the_catalogue_can_be_planted_alone() -> None:
    name = "action/cu_reask_known_information"
    rows = [row for one in written(60, Wish(2, name, 12)) for row in one.places]
    assert {row["kind"] for row in rows if row["family"] == name} == {"offence", "met", "near_miss"}
    assert not [row for row in rows if row["kind"] == "offence" and row["family"] != name]


def test_nothing_is_planted_at_rate_zero() -> None:
    assert not [row for one in written(60, Wish(2, rate=0)) for row in one.places if row["kind"] == "offence"]


def test_wordings_vary(sessions: list[Written]) -> None:
    """No text of an offence turn makes up more than a third of its family."""
    texts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in sessions:
        for step in one.steps:
            for plant in step.plants if isinstance(step, Acted) else ():
                if plant.kind == "offence" and isinstance(step, Acted):
                    texts[plant.family][f"{step.text} {[call.arguments for call in step.calls]}"] += 1
    for family, counts in texts.items():
        assert counts.most_common(1)[0][1] <= max(3, counts.total() // 3), (family, counts.most_common(1))


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="holds other files"):
        corpus.write(tmp_path, 2, Wish(1))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_corpus_replaces_an_earlier_one(tmp_path: Path) -> None:
    corpus.write(tmp_path / "again", 30, Wish(1))
    corpus.write(tmp_path / "again", 3, Wish(1))
    corpus.write(tmp_path / "new", 3, Wish(1))
    assert digest(tmp_path / "again") == digest(tmp_path / "new")


@pytest.mark.parametrize("mine", ["chat/notes.txt", "codex/0000/sub/mine.jsonl", "claude_code/0000/mine.jsonl"])
def test_a_file_of_somebody_else_within_an_earlier_corpus_is_named_and_nothing_is_removed(tmp_path: Path, mine: str) -> None:
    corpus.write(tmp_path, 30, Wish(1))
    (tmp_path / mine).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / mine).write_text("mine")
    before = digest(tmp_path)
    with pytest.raises(InputError, match=mine.partition("/mine")[0]):
        corpus.write(tmp_path, 3, Wish(1))
    assert digest(tmp_path) == before


def test_a_rate_that_is_no_number_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--rate nan"):
        CliRunner().invoke(synth_command, ["--rate", "nan", "--out", str(tmp_path / "c")], standalone_mode=False, catch_exceptions=False)
    assert not (tmp_path / "c").exists()


def test_the_command_says_what_it_wrote(tmp_path: Path) -> None:
    out = str(tmp_path / "c")
    told = CliRunner().invoke(synth_command, ["--sessions", "20", "--seed", "4", "--out", out, "--json"], standalone_mode=False)
    made = json.loads(told.output)
    assert made["sessions"] == 20 and sum(made["harnesses"].values()) == 20 and made["path"] == out
    rows = [json.loads(line) for line in (tmp_path / "c" / corpus.PLACES).read_text().splitlines()]
    assert sum(sum(kinds.values()) for kinds in made["places"].values()) == len(rows)
    assert all(set(row) == {"session", "turn", "family", "kind", "why"} for row in rows)


def test_an_unknown_family_is_refused() -> None:
    with pytest.raises(InputError, match="No behaviour family is named 'unread'"):
        CliRunner().invoke(synth_command, ["--family", "unread", "--out", "x"], standalone_mode=False, catch_exceptions=False)


@pytest.mark.parametrize("line", ["? what", "$ ls", "= a,b 1", "# offence x @coding flaming", "# crime x @coding"])
def test_a_line_that_means_nothing_is_named(line: str) -> None:
    with pytest.raises(ScriptError, match="line"):
        list(parse(f"# offence x @coding\n{line}" if not line.startswith("#") else line, "action/x"))


def test_a_session_is_written_as_it_was_composed(tmp_path: Path) -> None:
    corpus.write(tmp_path / "c", 5, Wish(9))
    one = compose(4, Wish(9))
    assert (tmp_path / "c" / one.file).read_bytes() == one.content


def test_an_import_loses_nothing_of_a_corpus(tmp_path: Path, command: Command) -> None:
    assert command("synth", "--sessions", 3, "--out", tmp_path / "c").code == 0
    done = command("import", tmp_path / "c", "--store", tmp_path / "s", "--strict", "--json")
    assert done.code == 0, done.err
    assert done.json["sessions"]["kept"] == 3 and done.json["records"]["lost"] == 0
