"""Reports of failed jobs, and who reads their logs."""

from typing import Any

import pytest

from tracedance.kit import jobs, rows, sessions

FAILED = (
    "<task-notification><output-file>/tmp/tasks/b1.output</output-file><status>failed</status>"
    '<summary>Background command "build" failed with exit code 2</summary></task-notification>'
)


@pytest.mark.parametrize(
    "text",
    [
        'Background command "build" failed with exit code 2',
        '{"conclusion": "failure"}',
        "Job train-7 failed",
        "Exited with code 1",
    ],
)
def test_texts_that_report_a_failed_job(text: str) -> None:
    assert jobs.JOB_FAIL.search(text)


@pytest.mark.parametrize("text", ["completed (exit code 0)", "no failed jobs"])
def test_texts_that_report_none(text: str) -> None:
    assert not jobs.JOB_FAIL.search(text)


@pytest.mark.parametrize("text", ["Full log: /tmp/claude/tasks/b1.output", "job_id: 48213", "https://github.com/o/r/actions/runs/123"])
def test_pointers_to_a_log(text: str) -> None:
    assert jobs.LOG_PTR.search(text)


def test_no_pointer_to_a_log() -> None:
    assert not jobs.LOG_PTR.search("see above")


def test_a_notice_knows_its_log() -> None:
    session = sessions.build([{"user": "Go."}, {"harness": FAILED}])
    (notice,) = jobs.notices(session.turns)
    assert notice.turn == 1 and "b1.output" in notice.pointers
    assert rows.holds(jobs.reported(), rows.rows(session))


@pytest.mark.parametrize(
    "made, reads",
    [
        ({"Bash": {"command": "tail -100 /tmp/tasks/b1.output"}}, True),
        ({"Read": {"file_path": "/tmp/tasks/b1.output"}}, True),
        ({"BashOutput": {"bash_id": "b1"}}, True),
        ({"get_job_logs": {"job": "b1"}}, True),
        ({"KillShell": {"shell_id": "b1"}}, False),
        ({"Bash": {"command": "npm run build"}}, False),
        ({"Bash": {"command": "git log --oneline"}}, False),
        ({"Bash": {"command": "kubectl -n x logs api-7d9"}}, True),
        ({"Bash": {"command": "git log --oneline > /tmp/tasks/b1.output"}}, False),
        ({"Read": {"file_path": "/repo/package.json"}}, False),
    ],
)
def test_reading_the_log_is_told_from_other_calls(made: dict[str, Any], reads: bool) -> None:
    session = sessions.build([{"user": "Go."}, {"harness": FAILED}, {"call": made}])
    (notice,) = jobs.notices(session.turns)
    assert jobs.reads_log(session.turns[2].calls[0], notice) == reads


def test_a_guess_is_an_action_or_a_cause_that_is_named() -> None:
    session = sessions.build(
        [{"user": "Go."}, {"text": "It is probably a flaky test."}, {"text": "Probably flaky; shall I look?"}, {"call": {"Edit": {}}}]
    )
    assert [bool(jobs.guess(turn)) for turn in session.turns[1:]] == [True, False, True]
