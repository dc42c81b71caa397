"""`tracedance contract init`: what the baseline runs have in common, written down as a spec to start from."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tracedance.errors import InputError
from tracedance.gate.contracts.writing import checked, comment, plain_yaml
from tracedance.gate.traces import LoadedTrace
from tracedance.gate.workbench.reading import JudgedRun, run_of
from tracedance.gate.workbench.rules import most_retries
from tracedance.gate.workbench.shape import medoid, path_distances

Require = Literal["every", "any"]
ROOM = (5, 4)
"""Path length allowed over the longest of the baseline: 1.25 times, as the seed has it, rounded up."""
MOST_LISTED = 40


@dataclass(frozen=True)
class Derived:
    """What the baseline shows."""

    runs: int
    scenarios: int
    """Distinct scenario ids, runs without one as one of their own."""
    required: tuple[str, ...]
    sometimes: tuple[tuple[str, int], ...]
    """Tools that are not required, with the number of runs that used them successfully."""
    longest: int
    max_path_length: int
    max_errors: int
    """A step of which no end was recorded counts as one, here and in the retries: no gate passes what may have been an error."""
    open_ends: int
    """The most such steps in a run."""
    max_retries: int
    repeats_of_failed: int
    """The same under `retry_rule: failed`."""
    farthest: float
    """Greatest path distance of a baseline run from the baseline's medoid."""
    mean_distance: float
    text: str
    """The spec as YAML."""


def derive(traces: Sequence[LoadedTrace], spec_id: str, require: Require = "every") -> Derived:
    """A spec that every baseline run keeps.

    Required are the tools that succeeded in every run, or with `any` those that appeared in some run, as the seed words it: runs of
    unlike tasks then break their own contract.
    """
    runs = [run_of(each.trace, each.name, each.digest) for each in traces]
    if silent := next((run for run in runs if not run.told_steps), None):
        raise InputError(f"{silent.file!r} has no 'spans', so it does not say what was done. Mend the file or take it out of the folder.")
    used = Counter(name for run in runs for name in set(run.names if require == "any" else _succeeded(run)))
    required = sorted(name for name, count in used.items() if (require == "any" or count == len(runs)) and _can_stand(name))
    sometimes = sorted(((name, count) for name, count in used.items() if name not in required), key=lambda item: (-item[1], item[0]))
    paths = [run.names for run in runs]
    distances = [float(distance) for distance in path_distances(paths, medoid(paths).path)]
    longest = max(map(len, paths))
    found = Derived(
        runs=len(runs),
        scenarios=len({each.trace.run.scenario_id for each in traces}),
        required=tuple(required),
        sometimes=tuple(sometimes),
        longest=longest,
        max_path_length=-(-longest * ROOM[0] // ROOM[1]),
        max_errors=max(run.errors + run.open_ends for run in runs),
        open_ends=max(run.open_ends for run in runs),
        max_retries=max(most_retries(run, "failed_or_consecutive") for run in runs),
        repeats_of_failed=max(most_retries(run, "failed") for run in runs),
        farthest=max(distances),
        mean_distance=sum(distances) / len(distances),
        text="",
    )
    return Derived(**{**vars(found), "text": checked(_text(found, spec_id, require))})


def _succeeded(run: JudgedRun) -> set[str]:
    return {step.name for step in run.steps if step.status == "success"}


def _can_stand(name: str) -> bool:
    """Whether a spec can name a tool: in its lists `*` and `?` stand for other characters."""
    return bool(name.strip()) and not set("*?") & set(name)


def _text(found: Derived, spec_id: str, require: Require) -> str:
    head = [
        f"Derived from {found.runs} baseline runs by 'tracedance contract init'. A starting point, no verdict: read every line, write the",
        "order constraints, then lock it with 'tracedance contract lock'. Every field: docs/behavior-spec.md.",
    ]
    if found.scenarios > 1:
        head.append(f"The runs are of {found.scenarios} scenarios: a contract says most about runs of one task.")
    top = plain_yaml({"schema_version": "behavior-spec/v0", "id": spec_id, "name": f"What {found.runs} baseline runs have in common"})
    return "\n".join([*map(comment, head), top, "invariants:", *_invariants(found, require), "", "thresholds:", *_thresholds(found)]) + "\n"


def _invariants(found: Derived, require: Require) -> list[str]:
    how = "Appeared in a baseline run." if require == "any" else "Succeeded in every baseline run."
    listed = [f"  {json.dumps(name)}: {count} of {found.runs} runs" for name, count in found.sometimes[:MOST_LISTED]]
    more = [f"  and {len(found.sometimes) - MOST_LISTED} more"] if len(found.sometimes) > MOST_LISTED else []
    others = ["Used by some runs only. What the task cannot do without belongs into the list above:", *listed, *more] if listed else []
    status: dict[str, Any] = {"required_status": "any"} if require == "any" else {}
    order = [
        "Order constraints must be written by a person. No set of runs shows which step must not be taken before which other one; that is",
        "what safe means in your domain, and the core of the contract. For example, no refund before the policy was checked:",
        "  - before: policy_check",
        "    after: refund_tool",
    ]
    return [
        *_commented([how]),
        *_lines({"required_tools": list(found.required), **status}),
        *_commented(others),
        *_commented(["What no run may ever use; for a person to write, too."]),
        *_lines({"forbidden_tools": []}),
        *_commented(order),
        *_lines({"required_order": []}),
        *_commented([f"1.25 times the longest baseline run ({found.longest} steps), rounded up."]),
        *_lines({"max_path_length": found.max_path_length}),
        *_commented(["The most in one baseline run."]),
        *_commented(
            [f"Up to {found.open_ends} of a run are steps whose end was not recorded: each may have been an error."]
            if found.open_ends
            else []
        ),
        *_lines({"max_errors": found.max_errors}),
        *_commented(
            [
                "The most in one baseline run, too. A call right after one of the same name counts as a retry; to count only repeats of",
                f"a call that failed (the most was {found.repeats_of_failed}), write retry_rule: failed.",
            ]
        ),
        *_lines({"max_retries": found.max_retries}),
    ]


def _thresholds(found: Derived) -> list[str]:
    spread = f"{found.mean_distance:.2f} from its middle one in the mean and {found.farthest:.2f} at most"
    return [
        *_commented([f"With fewer candidate runs the verdict is INCONCLUSIVE. There were {found.runs} of the baseline."]),
        *_lines({"min_runs": 1}),
        *_commented(
            [
                "Off until you set them: how far the candidate's paths may lie from the baseline's. The baseline's own runs lie",
                f"{spread} (0 is the same path, 1 has no step in common).",
                "path_edit_distance_warn: 0.12",
                "path_edit_distance_fail: 0.25",
                "Off until you set it: the pass rate that the runs must show. 0.7 needs 9 runs that all pass, 0.9 needs 35.",
                "min_wilson_pass_rate: 0.7",
            ]
        ),
    ]


def _commented(lines: Sequence[str]) -> list[str]:
    return [f"  {comment(line)}" for line in lines]


def _lines(values: dict[str, Any]) -> list[str]:
    return plain_yaml(values, 2).rstrip("\n").split("\n")
