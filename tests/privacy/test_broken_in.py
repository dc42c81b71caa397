"""Places and forms in which secrets and people were once let through, and look-alikes of each."""

import random
import string

import pytest

from tests.privacy.test_redactor import KEY, SECRETS
from tracedance.privacy.redactor import Redactor, find

LETTERS = "qWmZkRtvPxLs"
MIXED = "kJP4AXR9EWGoWw"


@pytest.mark.parametrize(
    "frame, value",
    [
        ('{"password": "{}"}', LETTERS),
        ('"client_secret":"{}"', LETTERS),
        ("kubectl create secret generic x --from-literal=password={}", LETTERS),
        ('os.environ["API_KEY"] = "{}"', MIXED),
        ("ENV API_KEY {}", MIXED),
        ('{"name":"DB_PASSWORD","value":"{}"}', MIXED),
        ("name: DB_PASSWORD\nvalue: {}", MIXED),
        ("  password: |\n    {}", MIXED),
        ('PASSWORD="{}"', "correct horse battery staple"),
        ("htpasswd -b f bob {}", MIXED),
        ("| password | {} |", MIXED),
        ("bot token 7123456789:{}", "AAH9" + LETTERS + MIXED + "k4P9x"),
    ],
)
def test_a_value_under_a_telling_name_is_found(frame: str, value: str) -> None:
    assert value not in Redactor(KEY).text(frame.replace("{}", value))


@pytest.mark.parametrize(
    "text",
    [
        '{"password": "string"}',
        '"password": "passwordHash"',
        '"secret": "required"',
        '"client_secret": "client_secret_basic"',
        '"password": ""',
        '{"name": "API_KEY", "value": "${API_KEY}"}',
        'os.environ["API_KEY"] = "your-key"',
        "ENV API_KEY $API_KEY",
        'PASSWORD="Please enter the password"',
        "| password | required |",
        "| token | string, mandatory |",
        "password: |\n  see below",
        "echo done | sudo tee file",
        "hf_model_name glpat-your-token-here ghp_yourtokenhere",
    ],
)
def test_a_look_alike_under_a_telling_name_is_left_alone(text: str) -> None:
    assert find(text) == []


@pytest.mark.parametrize("mark", ["... [truncated 312 chars]", "\nThat was it.", "… and so on"])
@pytest.mark.parametrize("rule", ["github-token", "gitlab-token", "google-key", "npm-token", "aws-secret", "url-credential"])
def test_a_secret_cut_short_with_text_behind_is_found(rule: str, mark: str) -> None:
    frame, secret = SECRETS[rule]
    part = secret[: max(12, len(secret) * 3 // 4)]
    if rule == "url-credential" and "\n" in mark:
        pytest.skip("nothing shows where such a password would end")
    assert part not in Redactor(KEY).text(frame.partition("{}")[0] + part + mark)


@pytest.mark.parametrize("noise", ["\x00", "\ufe0f", "\U000e0041", "\\\n"])
def test_a_token_with_what_nobody_sees_inside_is_found(noise: str) -> None:
    secret = SECRETS["github-token"][1]
    every = 20 if "\n" in noise else 5
    text = f"it is {noise.join(secret[place : place + every] for place in range(0, len(secret), every))} there"
    assert Redactor(KEY).text(text) == f"it is {Redactor(KEY).text(secret)} there"


def test_a_token_in_wide_letters_or_entities_is_found() -> None:
    secret = SECRETS["github-token"][1]
    wide = "".join(chr(ord(char) + 0xFEE0) for char in secret)
    for form in (wide, "".join(f"&#{ord(char)};" for char in secret), "".join(f"&#x{ord(char):x};" for char in secret)):
        assert Redactor(KEY).text(f"it is {form} there") == f"it is {Redactor(KEY).text(secret)} there"


def same(*texts: str) -> None:
    """All of these hold one name, and become one text."""
    assert len({Redactor(KEY).text(text) for text in texts}) == 1


def test_one_person_has_one_pseudonym() -> None:
    same("to tom.k@acme-firm.io", "to TOM.K@Acme-Firm.IO")
    same("host 2a02:908:29ae:c94::1f3", "host 2A02:0908:29ae:0c94:0000:0000:0000:01f3")
    session = Redactor(KEY).session()
    owner = session.text("git@github.com:zelda-quine/acme.git").partition(":")[2].partition("/")[0]
    forms = (
        "https://github.com/{}/acme",
        "gh repo clone {}/acme",
        "https://raw.githubusercontent.com/{}/acme/main/x",
        "https://{}.github.io/a",
    )
    for form in forms:
        assert session.text(form.format("zelda-quine")) == form.format(owner)
    assert "Quine" not in Redactor(KEY).text("user.name=Zelda Quine\n") + Redactor(KEY).text("ls '/Users/Zelda Quine/Desktop'")


def test_a_machine_shown_once_is_known_in_the_session() -> None:
    session = Redactor(KEY).session()
    session.text("ssh deploy@build7.corp.acme-firm.io")
    assert "build7" not in session.text("ping build7.corp.acme-firm.io is up")
    assert "jira.corp" not in session.text("https://jira.corp.acme-firm.io/browse/X-1")


@pytest.mark.parametrize("number", ["0170/1234598", "00491701234598", "tel 0171 2345698"])
def test_phones_as_they_are_written_at_home_are_found(number: str) -> None:
    assert number[-7:] not in Redactor(KEY).text(f"ring {number} now")


def test_random_words_and_digests_stay() -> None:
    rng = random.Random(4)
    for _ in range(300):
        digest = "".join(rng.choice("0123456789abcdef") for _ in range(40))
        word = "".join(rng.choice(string.ascii_lowercase) for _ in range(8))
        assert find(f"{digest} 00{digest[:6]} {word}: {digest} | {word} | {digest} |") == []
