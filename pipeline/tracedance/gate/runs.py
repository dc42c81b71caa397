"""Finished evaluation runs, read with distrust: a gate must not pass on what is missing or torn."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from tracedance.analyse.rates import outcome, pass_rate
from tracedance.errors import InputError
from tracedance.regular import TABLE, read_regular
from tracedance.schema import Grade, Response, RunManifest
from tracedance.store import runs

SCHEMA = "tracedance.run/v1"
CURE = "Run the same 'tracedance evaluate' again: it takes up where it stopped."

Parsed = TypeVar("Parsed", bound=BaseModel)
Row = TypeVar("Row", Response, Grade)


@dataclass(frozen=True)
class RunRef:
    """RUN:MODEL as given: a run folder and a model in it; None stands for the run's only model."""

    folder: Path
    model: str | None


@dataclass(frozen=True)
class EvaluationRun:
    """An evaluation run folder as read."""

    folder: Path
    manifest: RunManifest
    responses: tuple[Response, ...]
    grades: tuple[Grade, ...]
    results: tuple[dict[str, Any], ...]
    """The rows of rates.json."""
    files: dict[str, str]
    """sha256 of the bytes of every file read, by name."""

    @property
    def digest(self) -> str:
        """One digest over all files read; the folder's place does not count."""
        return hashlib.sha256(json.dumps(self.files, sort_keys=True).encode()).hexdigest()


def resolve(text: str) -> RunRef:
    """Splits RUN:MODEL at the first colon after an existing run folder; folders and models may both hold colons."""
    ends = [place for place, char in enumerate(text) if char == ":"] + [len(text)]
    folders = [end for end in ends if text[:end] and Path(text[:end]).is_dir()]
    runs = [end for end in folders if (Path(text[:end]) / "run.json").is_file()]
    if runs:
        return RunRef(Path(text[: runs[0]]), text[runs[0] + 1 :] or None)
    if folders:
        given = text[: folders[0]]
        raise InputError(f"{given!r} is no evaluation run: it has no run.json. Give the folder that 'tracedance evaluate' wrote.")
    raise InputError(f"No run folder is named by {text!r}. Give RUN:MODEL, for example ./tracedance-run:offline/careful.")


def read_run(folder: Path) -> EvaluationRun:
    """Reads a run folder whole; InputError for a missing, torn or inconsistent file, with its place."""
    files: dict[str, str] = {}
    runs.verify(folder)
    manifest = parse(RunManifest, content(folder, "run.json", files), folder / "run.json")
    if manifest.schema_ != SCHEMA:
        raise InputError(f"{str(folder)!r} has the form {manifest.schema_!r} and this version reads {SCHEMA!r}. Upgrade tracedance.")
    benchmarks = manifest.benchmarks
    for names in ([item.name for item in benchmarks], [item.digest for item in benchmarks], list(manifest.models)):
        if len(set(names)) < len(names):
            raise InputError(f"{str(folder / 'run.json')!r} names a benchmark or model twice. Evaluate again, each once.")
    responses = lines(Response, content(folder, "responses.jsonl", files), folder / "responses.jsonl")
    grades = lines(Grade, content(folder, "grades.jsonl", files), folder / "grades.jsonl")
    results = rate_rows(content(folder, "rates.json", files), folder / "rates.json")
    run = EvaluationRun(folder, manifest, responses, grades, results, files)
    check_rows(run, responses, folder / "responses.jsonl")
    check_rows(run, grades, folder / "grades.jsonl")
    return run


def content(folder: Path, name: str, files: dict[str, str]) -> bytes:
    """The bytes of one file of a run; notes their digest in `files`."""
    try:
        data = read_regular(folder / name, TABLE)
    except OSError as error:
        raise InputError(f"{str(folder / name)!r} cannot be read: {error.strerror}. {CURE}") from None
    files[name] = hashlib.sha256(data).hexdigest()
    return data


def parse(kind: type[Parsed], data: bytes, place: object) -> Parsed:
    """One JSON record; InputError names the place and the field, never the content."""
    try:
        return kind.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        where = f" at {field!r}" if field else ""
        raise InputError(f"{place} cannot be read{where}: {first['msg']}. {CURE}") from None


def lines(kind: type[Row], data: bytes, path: Path) -> tuple[Row, ...]:
    """The records of a JSONL file; a last line without its line break is torn."""
    if data and not data.endswith(b"\n"):
        raise InputError(f"{str(path)!r} is cut in mid-line. {CURE}")
    return tuple(parse(kind, line, f"{str(path)!r} line {number}") for number, line in enumerate(data.split(b"\n")[:-1], 1))


def rate_rows(data: bytes, path: Path) -> tuple[dict[str, Any], ...]:
    """The `results` of rates.json."""
    try:
        rows = json.loads(data)["results"]
        wanted = ("benchmark", "model", "assessed", "passed", "unscored", "failed")
        return tuple({key: row[key] for key in wanted} for row in rows)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(f"{str(path)!r} cannot be read: it holds no list of results. {CURE}") from None


def check_rows(run: EvaluationRun, rows: Sequence[Response | Grade], path: Path) -> None:
    """Every row is of the run's models, benchmarks and samples, once; grades follow from their votes."""
    benchmarks = {benchmark.name: benchmark for benchmark in run.manifest.benchmarks}
    seen = set()
    for number, row in enumerate(rows, 1):
        key = (row.benchmark, row.instance, row.model, row.sample)
        known = row.benchmark in benchmarks and row.model in run.manifest.models and 0 <= row.sample < run.manifest.samples
        if not known:
            raise InputError(f"{str(path)!r} line {number} is of a benchmark, model or sample that run.json does not name. {CURE}")
        if key in seen:
            raise InputError(f"{str(path)!r} line {number} repeats an earlier line's response. {CURE}")
        seen.add(key)
        if isinstance(row, Grade) and (problem := contradiction(row, run.manifest)):
            raise InputError(f"{str(path)!r} line {number}: {problem}. Evaluate again into a new folder.")


def contradiction(grade: Grade, manifest: RunManifest) -> str:
    """How a grade contradicts its own votes or its run; "" if it does not. Sums of whole scores decide, so that a mean of 4 is exact."""
    if grade.judged_by != manifest.judged_by or grade.mode != manifest.mode:
        return f"it was judged by {grade.judged_by} in mode {grade.mode}, the run by {manifest.judged_by} in mode {manifest.mode}"
    if grade.status != "scored":
        return "" if grade.passed is None else f"it is {grade.status} and yet says whether it passed"
    if grade.mean is None or grade.passed is None:
        return "it is scored and yet lacks its mean or its pass"
    if len({(vote.judge, vote.rubric) for vote in grade.votes}) < len(grade.votes) and not all(
        vote.judge == "rule" for vote in grade.votes
    ):
        return "one judge votes twice in it"
    if any(vote.status == "score" and vote.score not in range(6) for vote in grade.votes):
        return "it holds a score that is none of 0 to 5"
    if not grade.votes:
        return "it is scored without a vote"
    return unfounded(grade, manifest)


def unfounded(grade: Grade, manifest: RunManifest) -> str:
    """How a scored grade does not follow from its votes; under two rubrics it is the lower mean, and both must pass."""
    rubrics = sorted({vote.rubric for vote in grade.votes})
    told = [[vote.score for vote in grade.votes if vote.rubric == rubric and vote.score is not None] for rubric in rubrics]
    if not all(told):
        return "it is scored without a score"
    passed = all(sum(scores) >= 4 * len(scores) for scores in told)
    mean = min(sum(scores) / len(scores) for scores in told)
    if passed != grade.passed or grade.mean is None or abs(mean - grade.mean) > 1e-6:
        return "its mean or its pass does not follow from its votes"
    fewest = min(len(scores) for scores in told)
    if grade.judged_by == "panel" and fewest < manifest.quorum:
        return f"it counts as scored with {fewest} of {manifest.quorum} judges"
    return ""


def check_complete(run: EvaluationRun) -> None:
    """Every model has every response, and rates.json counts what the rows count; else InputError: a part is not a result."""
    grades = {(row.benchmark, row.instance, row.model, row.sample): row for row in run.grades}
    responses = {(row.benchmark, row.instance, row.model, row.sample): row for row in run.responses}
    stated = {(row["benchmark"], row["model"]): row for row in run.results}
    if stray := grades.keys() - responses.keys():
        raise InputError(f"{str(run.folder)!r} holds {len(stray)} grades without a response. {CURE}")
    sizes = {item.name: item.instances for item in run.manifest.benchmarks}
    for benchmark, model in product((item.name for item in run.manifest.benchmarks), run.manifest.models):
        mine = [key for key in responses if key[0] == benchmark and key[2] == model]
        row = pass_rate(benchmark, (), model, [(key[1], outcome(responses[key], grades.get(key))) for key in mine])
        counted = {"assessed": row.assessed, "passed": row.passed, "unscored": row.unscored, "failed": row.failed}
        said = {name: stated.get((benchmark, model), {}).get(name) for name in counted}
        instances = {key[1] for key in responses if key[0] == benchmark}
        whole = len(instances) == sizes[benchmark] and len(mine) == len(instances) * run.manifest.samples
        if counted != said or not whole:
            raise InputError(
                f"{str(run.folder)!r} is not finished or not whole: for {model!r} on {benchmark!r} its rows count {counted}, "
                f"its rates.json {said}, of {len(instances)} of {sizes[benchmark]} instances x {run.manifest.samples}. {CURE}"
            )


def load(ref: RunRef, known: EvaluationRun | None = None) -> tuple[EvaluationRun, str]:
    """A finished run and the model meant in it; InputError names the models there are. `known` is taken where it is that run."""
    if known is not None and known.folder == ref.folder:
        run = known
    else:
        run = read_run(ref.folder)
        check_complete(run)
    models = run.manifest.models
    if ref.model is None and len(models) == 1:
        return run, models[0]
    if ref.model not in models:
        wrong = "names no model" if ref.model is None else f"holds no model {ref.model!r}"
        raise InputError(f"{str(ref.folder)!r} {wrong}. Models there: {', '.join(map(repr, models))}. Write {ref.folder}:MODEL.")
    return run, ref.model
