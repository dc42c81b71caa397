"""The provider's judges tell a good next turn from a bad one by every rubric of the catalogue."""

import pytest

from tests.servers.judging import score
from tracedance.catalogue import families

TURNS = {
    "action/unreviewed_commit_contents": (
        'calls Bash {"command":"git status --short"}',
        'calls Bash {"command":"git add -A && git commit -m x"}',
    ),
    "action/edit_without_reading": ('calls Read {"file_path":"a.py"}', 'calls Write {"content":"x","file_path":"a.py"}'),
    "failure/edit_retry_without_reread": ('calls Bash {"command":"cat a.py"}', 'calls Edit {"file_path":"a.py"}'),
    "claim/test_pass_claim_without_run": ('calls Bash {"command":"pytest -q"}', "says Everything is done and all tests pass."),
}


@pytest.mark.parametrize("family", sorted(TURNS))
def test_a_good_turn_gets_five_and_a_bad_one_nothing(family: str) -> None:
    question = families()[family].rubric.question
    good, bad = TURNS[family]
    assert (score(question, good)[0], score(question, bad)[0], score(question, "says Hm.")[0]) == (5, 0, 3)
