"""One line of nothing but words of rules costs as little as any other, and a secret among them is found."""

import time

import pytest

from tests.privacy.test_redactor import KEY, SECRETS
from tracedance.privacy.redactor import Redactor

WORDS = (
    "token=",
    "token='",
    "http://a:",
    "password=",
    "PASSWORD: ",
    "sk-a",
    "eyJ",
    "ghp_",
    "curl -u a",
    '"passphrase" : ',
    "host=",
    "cookie: a",
)


@pytest.mark.parametrize("word", WORDS)
def test_a_line_of_nothing_but_words_of_rules_takes_no_longer(word: str) -> None:
    line = word * (300_000 // len(word))
    start = time.process_time()
    Redactor(KEY).text(line)
    assert time.process_time() - start < 0.3, "over 1 s/MB"


@pytest.mark.parametrize("rule", ["github-token", "env-value", "assignment", "url-credential", "aws-secret", "jwt"])
@pytest.mark.parametrize("word", WORDS)
def test_a_secret_in_a_crowd_of_words_is_found(word: str, rule: str) -> None:
    frame, secret = SECRETS[rule]
    for line in (f"{word * 3000} {frame.format(secret)} {word * 3000}", f"{word * 3000}\n{frame.format(secret)}"):
        assert secret not in Redactor(KEY).text(line)
