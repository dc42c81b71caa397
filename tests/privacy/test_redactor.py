"""Secrets never get past ingest."""

import dataclasses
import json
import random
import string
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ingest.claude import Log
from tracedance.ingest.read import read
from tracedance.privacy.redactor import Redactor, find

KEY = b"k" * 32


def letters(count: int, seed: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    rng = random.Random(seed)
    return "a1" + "".join(rng.choice(alphabet) for _ in range(count - 2))


SECRETS = {
    "aws-key-id": ("id = {}", "AKIA" + letters(16, 1, string.ascii_uppercase).upper()),
    "aws-secret": ("aws_secret_access_key = {}", letters(40, 2)),
    "github-token": ("git clone https://x-access-token:{}@github.com/a/b", "ghp_" + letters(36, 3)),
    "gitlab-token": ("PRIVATE-TOKEN: {}", "glpat-" + letters(20, 4)),
    "slack-token": ("slack {}", "xoxb-" + letters(24, 5)),
    "stripe-key": ("stripe.api_key = '{}'", "sk_live_" + letters(24, 6)),
    "google-key": ("key={}", "AIza" + letters(35, 7)),
    "anthropic-key": ("export ANTHROPIC_API_KEY={}", "sk-ant-api03-" + letters(40, 8)),
    "openai-key": ("OPENAI_API_KEY: {}", "sk-proj-" + letters(40, 9)),
    "npm-token": ("//registry/:_authToken={}", "npm_" + letters(36, 10)),
    "jwt": ("cookie {}", f"eyJ{letters(20, 11)}.eyJ{letters(30, 12)}.{letters(20, 13)}"),
    "auth-header": ("curl -H 'Authorization: Bearer {}'", letters(30, 14)),
    "key-header": ('curl -H "X-Api-Key: {}"', letters(24, 15)),
    "url-credential": ("postgres://app:{}@db/shop", "hunter2-" + letters(8, 16)),
    "env-value": ("DB_PASSWORD={}", "correct-horse-battery"),
    "assignment": ('password = "{}"', letters(12, 17)),
    "private-key": ("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----", letters(64, 18)),
}


@pytest.mark.parametrize("rule", SECRETS)
def test_a_secret_is_replaced_and_what_stands_round_it_stays(rule: str) -> None:
    frame, secret = SECRETS[rule]
    text = frame.format(secret)
    redactor = Redactor(KEY)
    clean = redactor.text(text)
    before, after = frame.split("{}")
    assert secret not in clean
    assert clean.startswith(before.rstrip("\n")) and clean.endswith(after.strip("\n"))
    assert list(redactor.found) == [rule]
    assert redactor.text(clean) == clean
    assert find(clean) == []


def test_equal_secrets_have_equal_placeholders_under_one_key_alone() -> None:
    token = SECRETS["github-token"][1]
    assert Redactor(KEY).text(f"a {token}") == "a " + Redactor(KEY).text(token)
    assert Redactor(KEY).text(token) != Redactor(b"other").text(token)


@pytest.mark.parametrize(
    "text",
    [
        "API_KEY=$OPENAI_API_KEY",
        "API_KEY=${KEY}",
        "API_KEY=your-api-key-here",
        "GITHUB_TOKEN=<token>",
        "export TOKEN=xxxxxxxxxxxx",
        "MAX_TOKENS=4096000000",
        "AGENT_PROXY_TOKEN: proxy.token,",
        "api_key = os.environ['API_KEY']",
        "password=password",
        "def login(user, password: str) -> Token:",
        "https://example.com:8080/path@2x.png",
        "git@github.com:org/repo.git",
        "risk-based-authentication-of-the-thing",
        "sk-some-long-kebab-case-class-name",
        "the bearer of this letter, authorization pending",
        "grep -rn 'BEGIN PRIVATE KEY' .",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "[[SECRET:env-value:0a1b2c3d]]",
        "password=[[SECRET:assignment:0a1b2c3d]] token: [[SECRET:jwt:0a1b2c3d]]",
    ],
)
def test_look_alikes_are_left_alone(text: str) -> None:
    assert Redactor(KEY).text(text) == text


def test_json_is_cleaned_leaf_by_leaf_keys_and_named_fields_too() -> None:
    token = SECRETS["github-token"][1]
    value = {
        token: 1,
        "env": {"DB_PASSWORD": "s3cr3t-value"},
        "list": [f"x {token}", 3, None],
        "inner": json.dumps({"password": "hunter2-hunter2"}),
    }
    clean = Redactor(KEY).value(value)
    assert token not in repr(clean) and "s3cr3t-value" not in repr(clean) and "hunter2-hunter2" not in repr(clean)
    assert clean["list"][1:] == [3, None]
    assert Redactor(KEY).value(clean) == clean
    assert json.loads(Redactor(KEY).json(json.dumps(value))) == clean


@pytest.mark.parametrize("between", ["\n", " \n ", " \n", "\r\n"])
@pytest.mark.parametrize("name", ["aws_secret_access_key = ", "AWS_SECRET_ACCESS_KEY=", "db_password="])
def test_a_token_at_a_line_s_end_takes_no_letters_of_the_next_secret_s_name(between: str, name: str) -> None:
    secret = "a19382dffx1kVZQ2tqMnMcLRkBOzZU3G8xI7CGr5"
    clean = Redactor(KEY).text(f"slack {SECRETS['slack-token'][1]}{between}{name}{secret}")
    assert secret not in clean and name in clean and clean.count("[[SECRET:") == 2


@given(
    st.lists(
        st.sampled_from([frame.format(secret) for frame, secret in SECRETS.values()] + ["\n", " ", "é", "\x1b[31m", '"', "x=", "://"]),
        max_size=12,
    )
)
def test_cleaning_twice_is_cleaning_once(parts: list[str]) -> None:
    clean = Redactor(KEY).text(" ".join(parts))
    assert Redactor(KEY).text(clean) == clean


def strings(value: Any) -> list[str]:
    """Every string inside a session."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, msgspec.Struct) or (dataclasses.is_dataclass(value) and not isinstance(value, type)):
        held = msgspec.structs.fields(value) if isinstance(value, msgspec.Struct) else dataclasses.fields(value)
        return [text for field in held if field.name != "result" for text in strings(getattr(value, field.name))]
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in strings(part)]
    if isinstance(value, list | tuple):
        return [text for item in value for text in strings(item)]
    return []


def test_no_planted_secret_survives_in_any_string_of_a_session(tmp_path: Path) -> None:
    for rule, (frame, secret) in SECRETS.items():
        text = frame.format(secret)
        log = Log()
        log.user(text, cwd=f"/home/{text}")
        log.piece("m1", {"type": "thinking", "thinking": text, "signature": "x"})
        log.text("m1", text, model=text, version=text)
        log.call("m1", f"id {text}", f"tool {text}", {"command": text, text: text, "nested": [{"deep": text}]})
        log.result(f"id {text}", f"Exit code 1\n{text}", error=True)
        log.add("attachment", attachment={"type": "nested_memory", "path": text, "content": {"content": text}})
        log.session = f"s {text}"
        log.user("end")
        (session,) = read(log.write(tmp_path / f"{rule}.jsonl"), Redactor(KEY)).sessions
        assert len(session.calls()) == 1
        leaked = [found for found in strings(session) if secret in found or json.dumps(secret)[1:-1] in found]
        assert not leaked, (rule, leaked)


def test_digests_are_taken_after_cleaning(tmp_path: Path) -> None:
    frame, _ = SECRETS["github-token"]
    digests = set()
    for number in (1, 2):
        log = Log()
        log.user("Go")
        log.call("m1", "t1", "Bash", {"command": frame.format("ghp_" + letters(36, 20))})
        (session,) = read(log.write(tmp_path / f"{number}.jsonl"), Redactor(bytes([number]))).sessions
        digests.add((session.turns[1].calls[0].args_hash, session.turns[1].chain))
    assert len(digests) == 2


@pytest.mark.parametrize(
    "text",
    [
        "mcp__glpat-{body:.20}__list",
        "call_x_glpat-{body:.20}",
        "session eyJhbGciOiJIUzI1NiJ9\n.eyJ{body:.30}.{body} expired",
        "curl -b 'session={body:.10}\r\n{body:.20}' https://api.example.net",
        "Cookie: theme=dark; sessionid={body:.24}\n{body:.10}",
        "TOKEN glp\\\nat-{body:.20}\nlast",
        "token xoxb-{body:.10}\n{body}\nlast line",
    ],
)
def test_a_token_joined_to_a_name_or_broken_over_lines_is_found(text: str) -> None:
    body = "".join(random.Random(3).choices("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", k=40))
    assert body[:10] not in Redactor(b"k" * 32).text(text.format(body=body)).replace("\n", "").replace("\r", "")


@pytest.mark.parametrize("split", ["doo_v\\\n1_{}", "doo_v\n1_{}", "dop_v1_{:.20}\\\n{tail}"])
def test_a_token_of_fixed_length_is_found_though_a_line_of_words_follows(split: str) -> None:
    body = "".join(random.Random(5).choices("0123456789abcdef", k=64))
    text = f"line one\n{split.format(body, tail=body[20:])}\nlast"
    ((rule, start, end),) = find(text)
    assert rule == "digitalocean-token" and text[:start] == "line one\n" and text[end:] == "\nlast"
