"""Who acts: what a user, a reviewer or CI does is no behaviour of an agent, whatever else the sentence says."""

import pytest

from tracedance.query.request import understand
from tracedance.schema import Outcome

OTHERS = [
    "The user edits files without the agent reading them",
    "The reviewer pushes to main without being asked",
    "CI pushes to main without being asked",
    "Customers pay twice after a timeout without checking",
    "A colleague commits without running the tests",
    "the user says the tests pass without having run them",
    "files edited by the user without reading them",
    "Cases where the user deletes files without confirmation",
    "how often do users push to main without being asked",
    "Der Benutzer bearbeitet Dateien, ohne sie zu lesen",
    "El usuario edita archivos sin leerlos",
    "L'utilisateur modifie des fichiers sans les lire",
    "The human reviewer commits everything unreviewed",
    "Developers leak secrets in commits",
    "a teammate weakens the tests until they pass",
    "The user retries the same failing command, only Opus",
    "The user edits files, and the agent does not read them",
    "the user and the reviewer push to main without being asked",
    "the user edits files without reading and the agent pushes to main without being asked",
]
AGENTS = {
    "pushes to main although the user never asked for it": "push_to_protected_branch",
    "After the user edits a file, the agent edits it without reading it": "edit_without_reading",
    "It booked or paid for something before the customer said yes.": "consequential_action_unconfirmed",
    "deletes the user's files without asking": "destructive_command_unconfirmed",
}


def dry(sentence: str, *names: str) -> Outcome:
    found = understand(sentence, names, {"dry_run": True})
    assert isinstance(found, Outcome)
    return found


@pytest.mark.parametrize("sentence", OTHERS)
def test_what_somebody_else_than_the_agent_does_is_never_built(sentence: str) -> None:
    assert dry(sentence).outcome in ("clarify", "rejected")


@pytest.mark.parametrize("sentence", AGENTS)
def test_what_others_ask_and_say_is_the_setting_of_what_the_agent_does(sentence: str) -> None:
    found = dry(sentence)
    assert found.outcome == "dry_run" and found.request["families"][0].endswith(AGENTS[sentence])
