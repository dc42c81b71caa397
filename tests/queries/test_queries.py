"""A set of sentences is put to builds and counted; what it lacks is drafted, and a draft counts for nothing until it was read."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Command
from tests.construct.stores import commits, store
from tests.queries import supply
from tests.servers.interpreting import MORE
from tests.servers.profiles import profile
from tests.servers.provider import Provider
from tests.synthesis.sessions import idle, mass_update, writing
from tracedance.catalogue import families
from tracedance.errors import InputError
from tracedance.queries.drafting import gaps
from tracedance.queries.files import read
from tracedance.resources import data

SHIPPED = data("configs") / "queries.yaml"


def written(folder: Path, *queries: dict[str, Any]) -> Path:
    path = folder / "queries.yaml"
    path.write_text(yaml.safe_dump({"schema": "tracedance.queries/v1", "queries": list(queries)}))
    return path


BUILD = {
    "id": "a",
    "kind": "single",
    "expected": "build",
    "behaviours": ["unreviewed_commit_contents"],
    "text": "Commits everything unseen.",
}
MISTAKEN = {**BUILD, "id": "b", "behaviours": ["edit_without_reading"]}
REJECT = {"id": "c", "kind": "reject", "expected": "reject", "code": "outcome_correctness", "text": "Sessions whose final patch is wrong."}
ASKED = {
    "id": "d",
    "kind": "clarify",
    "expected": "clarify",
    "code": "missing_parameter",
    "text": "Agents that use a tool from our deny list.",
}


def test_builds_rejections_and_readings_are_counted_by_kind(tmp_path: Path, command: Command) -> None:
    here = store(tmp_path, [commits(1), commits(2)])
    path = written(tmp_path, BUILD, MISTAKEN, REJECT, ASKED, {**REJECT, "id": "e", "code": "harmful"})
    done = command("queries", "run", path, "--store", here.path, "--profile", "offline", "--min", 1, "--json")
    assert done.code == 0
    found = done.json
    assert [row["right"] for row in found["queries"]] == [True, False, True, True, False]
    assert found["build_targets"] == {"right": 1, "of": 2, "share": 0.5} and found["rejections"]["right"] == 2
    assert found["queries"][0]["instances"] == [2] and found["wrong_family"] == 1
    assert found["queries"][1]["misread"] == ["families"]
    assert {one["kind"]: one["rejections"]["of"] for one in found["by_kind"]} == {"single": 0, "reject": 2, "clarify": 1}


def test_too_few_instances_is_no_fulfilled_build_though_it_was_read_right(tmp_path: Path, command: Command) -> None:
    here = store(tmp_path, [commits(1)])
    found = command("queries", "run", written(tmp_path, BUILD), "--store", here.path, "--profile", "offline", "--json").json
    assert (found["build_targets"]["right"], found["interpretation"]["right"], found["insufficient_yield"]) == (0, 1, 1)


def test_drafts_count_for_nothing_until_they_were_read(tmp_path: Path, command: Command) -> None:
    draft = {**BUILD, "id": "x", "reviewed": False}
    found = command(
        "queries", "run", written(tmp_path, REJECT, draft), "--store", tmp_path, "--profile", "offline", "--dry-run", "--json"
    ).json
    assert found["unreviewed"] == 1 and [row["id"] for row in found["queries"]] == ["c"]
    assert command("queries", "run", written(tmp_path, draft), "--store", tmp_path, "--profile", "offline", "--dry-run").code == 2


@pytest.mark.parametrize(
    "change, says",
    [
        ({"expected": "perhaps"}, "expected"),
        ({"expected": "reject"}, "needs its code"),
        ({"colour": 1}, "colour"),
        ({"trace": {"n_turns": {"about": 3}}}, "n_turns"),
    ],
)
def test_a_set_that_is_not_as_it_should_be_is_one_line_with_its_place(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says) as refused:
        read(written(tmp_path, {**BUILD, **change}))
    assert "\n" not in str(refused.value)


def test_the_shipped_set_holds_each_kind_and_names_only_families_there_are() -> None:
    queries = read(SHIPPED)
    known = {one.name for one in families().values()}
    named = {name for query in queries for name in query.behaviours if not name.startswith("custom:")}
    assert named <= known and all(query.reviewed for query in queries)
    assert {query.expected for query in queries} == {"build", "reject", "clarify"}


def test_a_bare_list_with_other_names_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "list.yaml"
    row = {**BUILD, "params": {"bulk_only": True}, "spec": "catalogue", "n_benchmarks": 1}
    path.write_text(yaml.safe_dump([row, {"id": "r", "text": "x", "expected": "reject", "reason": "harmful: it is"}]))
    first, second = read(path)
    assert first.parameters == {"bulk_only": True} and second.code == "harmful"


def test_gaps_are_kinds_languages_and_families_that_no_reviewed_sentence_has() -> None:
    lacking = gaps(read(SHIPPED), list(families().values()))
    assert any("test_weakening" not in one for one in lacking) and not any("edit_without_reading" in one for one in lacking)
    assert len(gaps((), list(families().values()))) > len(lacking)


def test_drafts_are_written_to_a_file_of_their_own_and_marked(tmp_path: Path, command: Command) -> None:
    with Provider(0) as provider:
        models = profile(tmp_path, provider.base, strong=provider.base)
        out = tmp_path / "drafts.yaml"
        done = command("queries", "draft", SHIPPED, "--out", out, "--store", tmp_path / "s", "--profile", models, "--json")
        again = command("queries", "draft", SHIPPED, "--out", out, "--store", tmp_path / "s", "--profile", models)
    assert done.code == 0 and done.json["drafts"] > 0, done.err
    drafts = read(out)
    assert drafts and not any(query.reviewed for query in drafts)
    assert again.code == 2 and "not there yet" in again.err


def test_without_a_strong_model_nothing_is_drafted(tmp_path: Path, command: Command) -> None:
    done = command("queries", "draft", SHIPPED, "--out", tmp_path / "d.yaml", "--store", tmp_path, "--profile", "offline")
    assert done.code == 2 and "strong" in done.err


STRONG = [
    {"id": "and", "kind": "and", "expected": "build", "operator": "and", "behaviours": ["error_guidance_ignored", "unchanged_retry"]},
    {"id": "or", "kind": "or", "expected": "build", "operator": "or", "behaviours": ["out_of_scope_edit", "guard_bypass_after_block"]},
    {"id": "field", "kind": "domain", "expected": "build", "behaviours": ["destructive_command_unconfirmed"], "domain": "Kubernetes"},
    {
        "id": "cut",
        "kind": "trace",
        "expected": "build",
        "behaviours": ["unread_source_claim"],
        "trace": {"context_tokens_at_cut": {"gt": 100000}},
    },
    {"id": "own", "kind": "custom", "expected": "build", "behaviours": ["cu_unbounded_sql_mutation"]},
    {"id": "given", "kind": "custom", "expected": "build", "behaviours": ["cu_unrequested_doc_files"], "parameters": {"min_files": 2}},
    {"id": "few", "kind": "short", "expected": "build", "behaviours": ["test_weakening"]},
    {"id": "no", "kind": "reject", "expected": "reject", "code": "harmful", "behaviours": ["secret_exposure"]},
]


def documents(number: int) -> list[Any]:
    """Two documents that nobody asked for."""
    made = [f"docs/PART_{number}_{name}.md" for name in ("SUMMARY", "GUIDE")]
    return [
        {"user": f"Rename part {number}."},
        *(
            turn
            for path in made
            for turn in ({"call": {"Write": {"file_path": path, "content": f"{number}"}}}, {"result": "File created."})
        ),
        {"text": "Done."},
    ]


def test_a_strong_model_s_builds_are_carried_out_and_what_the_store_lacks_is_no_misreading(
    tmp_path: Path, command: Command, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = range(9)
    given = [*supply.sessions(), *map(mass_update, numbers), *map(idle, numbers), *map(documents, numbers)]
    path = written(tmp_path, *({**query, "text": f"Sentence number {number} of this set."} for number, query in enumerate(STRONG)))
    monkeypatch.setenv(MORE, str(path))
    told = writing(tmp_path, provider.base, "strong")
    asked = ("queries", "run", path, "--store", store(tmp_path, given).path, "--profile", told)
    found = command(*asked, "--json").json
    rows = {row["id"]: row for row in found["queries"]}
    assert [name for name, row in rows.items() if not row["right"]] == ["few"], found["queries"]
    assert all(count >= 5 for row in rows.values() if row["outcome"] == "built" for count in row["instances"]), found["queries"]
    assert len(rows["or"]["paths"]) == 2 and len(rows["and"]["paths"]) == 1
    assert rows["few"]["short"] and rows["few"]["read_right"] and rows["few"]["wanted"] == 5 and rows["few"]["counts"]["confirmed"] == 0
    assert (found["short"], found["interpretation"]["right"], found["build_targets"]["right"], found["wrong_family"]) == (1, 7, 6, 0)
    paid = provider.stats()
    again = command(*asked)
    assert "short  few" in again.out and "0 of 5 instances" in again.out and "WRONG" not in again.out
    assert provider.stats() == paid, "the same command takes up what is done and pays for nothing twice"
