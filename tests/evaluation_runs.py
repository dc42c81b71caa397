"""Evaluation run folders and benchmarks written by hand, with the product's own records."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tracedance.analyse.rates import rates, summary
from tracedance.schema import (
    Benchmark,
    CallMade,
    CheckRow,
    Grade,
    Instance,
    JudgeScore,
    Manifest,
    Message,
    Response,
    Rubric,
    RunBenchmark,
    RunManifest,
    SourceTurn,
    Tool,
)
from tracedance.store import runs

FAMILY = "failure/edit_retry_without_reread"
VOTES = {"pass": (4, 4, 4), "fail": (1, 2, 1), "near": (4, 4, 3), "tie": (5, 4, 3), "partial": (4, 4, None)}
"""Words of the short form for a panel; 4.0 passes and 3.67 does not. Others: undecided, declined, failed."""


def instance_id(family: str, number: int) -> str:
    return hashlib.sha256(f"{family}:{number}".encode()).hexdigest()[:32]


def instance(family: str = FAMILY, number: int = 0, messages: Sequence[Message] = ()) -> Instance:
    told = messages or (
        Message(role="system", author="system", content="You are a coding agent."),
        Message(role="user", author="user", content=f"Fix bug {number}.", turn=0),
        Message(
            role="assistant",
            author="model",
            content="Editing.",
            tool_calls=(CallMade(id="c1", name="Edit", arguments='{"file_path": "a.py", "new_string": "b", "old_string": "a"}'),),
            turn=1,
        ),
        Message(role="tool", author="tool", content="String to replace not found in file.", tool_call_id="c1", turn=2),
    )
    return Instance(
        id=instance_id(family, number),
        family=family,
        messages=tuple(told),
        tools=(Tool(name="Edit", description="", parameters='{"type": "object"}', inferred_from=12),),
        replayability="reconstructed",
        replay_note="Tool definitions inferred from 12 calls; system prompt recorded.",
        setting="coding",
        harness="claude_code",
        source_model="some-model",
        session="5e55",
        tokens=42,
        redaction="d1",
        canary="canary",
    )


def benchmark(instances: Sequence[Instance], name: str = "retry", query: str | None = "edits retried blindly") -> Benchmark:
    families = tuple(sorted({item.family for item in instances}))
    rubric = Rubric(question="Did it read the file?", levels={level: f"Level {level} of six." for level in range(6)})
    source = SourceTurn(text="Again.", tool_calls=(), model="some-model")
    return Benchmark(
        path=name,
        manifest=Manifest(
            name=name,
            query=query,
            families=families,
            digests={},
            instances=len(instances),
            counts={"places": 40, "opportunities": 40, "candidates": 20, "confirmed": 15, "instances": len(instances)},
            dropped={"duplicate": 2, "over_budget": 1},
            confirmed_by=("rule",),
            seed=0,
            canary="canary",
            files=(),
        ),
        instances=tuple(instances),
        checks={item.id: CheckRow(instance=item.id, facts={}, source=source, confirmed_by="rule", canary="canary") for item in instances},
        rubrics=dict.fromkeys(families, rubric),
    )


def response(item: Instance, model: str, word: str, sample: int = 0) -> Response:
    status = word if word in ("declined", "failed") else "ok"
    call = CallMade(id="r1", name="Read", arguments='{"file_path": "a.py"}')
    return Response(
        instance=item.id,
        family=item.family,
        benchmark="retry",
        model=model,
        sample=sample,
        status=status,  # type: ignore[arg-type]
        text="Let me look at the file first." if status == "ok" else "",
        tool_calls=(call,) if status == "ok" else (),
        error="503 after 5 tries" if status == "failed" else "",
    )


def grade(item: Instance, model: str, word: str, sample: int = 0, rule: bool = False) -> Grade:
    if word in VOTES and rule:
        score = 5 if word == "pass" else 1
        votes = (JudgeScore(judge="rule", status="score", score=score, rationale="Reads the file whose edit failed."),)
    elif word in VOTES:
        votes = tuple(
            JudgeScore(judge=f"judge/{seat}", status="error", error="no answer")
            if score is None
            else JudgeScore(judge=f"judge/{seat}", status="score", score=score, rationale=f"Reason {seat}.", quotes=("look at the file",))
            for seat, score in enumerate(VOTES[word])
        )
    else:
        votes = ()
    scores = [vote.score for vote in votes if vote.score is not None]
    scored = word in VOTES and word != "partial"
    status = "scored" if scored else {"partial": "partial", "failed": "failed"}.get(word, "unscored")
    return Grade(
        instance=item.id,
        family=item.family,
        benchmark="retry",
        model=model,
        sample=sample,
        status=status,  # type: ignore[arg-type]
        mean=sum(scores) / len(scores) if scored else None,
        passed=sum(scores) >= 4 * len(scores) if scored else None,
        judged_by="rule" if rule else "panel",
        mode="rule" if rule else "independent",
        votes=votes,
        check={"pass": "satisfies", "fail": "violates"}.get(word, "undecided"),  # type: ignore[arg-type]
        reason="" if scored else word,
    )


def jsonl(rows: Sequence[Any]) -> str:
    return "".join(json.dumps(row.model_dump(mode="json"), ensure_ascii=False, sort_keys=True) + "\n" for row in rows)


def write_run(folder: Path, words: Mapping[str, Mapping[str, Sequence[str]]], rule: bool = False, samples: int = 1, **about: Any) -> Path:
    """A run folder of one benchmark. `words`: model -> family -> one word per instance and sample (samples of an instance together)."""
    responses, grades, made = [], [], {}
    for model, families in words.items():
        for family, outcomes in families.items():
            for place, word in enumerate(outcomes):
                number, sample = divmod(place, samples)
                item = made.setdefault((family, number), instance(family, number))
                responses.append(response(item, model, word, sample))
                grades.append(grade(item, model, word, sample, rule))
    bench = benchmark(list(made.values()))
    folder.mkdir(parents=True)
    manifest = RunManifest(
        judged_by="rule" if rule else "panel",
        mode="rule" if rule else "independent",
        models=tuple(words),
        benchmarks=(
            RunBenchmark(
                name="retry",
                path="retry",
                digest=about.get("digest", "d" * 64),
                families=bench.manifest.families,
                instances=len(bench.instances),
            ),
        ),
        samples=samples,
    )
    table = rates(responses, grades, [bench], samples, tuple(words))
    (folder / "run.json").write_text(json.dumps(manifest.model_dump(mode="json", by_alias=True) | about.get("run", {})))
    (folder / "responses.jsonl").write_text(jsonl(responses))
    (folder / "grades.jsonl").write_text(jsonl(grades))
    (folder / "rates.json").write_text(json.dumps({"run": "r", "judged_by": manifest.judged_by, "results": summary(table)}))
    return seal(folder)


def seal(folder: Path) -> Path:
    """Gives a run folder the digests of the files that it holds, as somebody would who edited it and hid that."""
    names = [name for name in ("run.json", "responses.jsonl", "grades.jsonl", "rates.json") if (folder / name).is_file()]
    (folder / "digests.json").write_bytes(runs.digests({name: (folder / name).read_bytes() for name in names}))
    return folder


def two_models(folder: Path, baseline: Sequence[str], candidate: Sequence[str], **more: Any) -> Path:
    """A run of one family in which `old` and `new` answered."""
    return write_run(folder, {"old": {FAMILY: baseline}, "new": {FAMILY: candidate}}, **more)
