"""People and machines become pseudonyms of the same shape; numbers that only look so stay."""

import base64
import ipaddress
import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ingest.claude import Log
from tests.privacy.labelled import measure
from tests.privacy.test_redactor import KEY, strings
from tracedance.ingest.read import read
from tracedance.privacy.numbers import iban_rest, luhn
from tracedance.privacy.redactor import Redactor, find, find_personal

PERSONAL = {
    "mail": ("write to {} now", "ingrid.malm@acme.org"),
    "name": ("Author: {} <ingrid.malm@acme.org>", "Ingrid Malmquist"),
    "phone": ("call {} today", "+49 171 5550773"),
    "card": ("card {} was declined", "4539 1488 0343 6467"),
    "iban": ("pay to {} please", "GB29 NWBK 6016 1331 9268 19"),
    "ip": ("login from {} port 22", "93.184.216.34"),
    "mac": ("ether {} txqueuelen 1000", "a4:83:e7:2f:90:1c"),
    "user": ("cat /home/{}/src/a.py", "imalmquist"),
    "host": ("curl http://{}/health", "db-1.prod.acme.internal"),
    "owner": ("git@github.com:{}/dotfiles.git", "imalmquist"),
}


def replaced(kind: str) -> str:
    """The pseudonym alone."""
    frame, value = PERSONAL[kind]
    before, after = frame.split("{}")
    clean = Redactor(KEY).text(frame.format(value))
    if kind == "name":
        return clean.removeprefix(before).split(" <")[0]
    assert clean.startswith(before) and clean.endswith(after), clean
    return clean[len(before) : len(clean) - len(after)]


@pytest.mark.parametrize("kind", PERSONAL)
def test_a_pseudonym_is_stable_and_never_replaced_again(kind: str) -> None:
    frame, value = PERSONAL[kind]
    text = frame.format(value)
    redactor = Redactor(KEY)
    clean = redactor.text(text)
    assert value not in clean and kind in redactor.found
    assert Redactor(KEY).text(text) == clean and Redactor(b"x" * 32).text(text) != clean
    assert redactor.text(clean) == clean and find_personal(clean) == [] and find(clean) == []
    assert value not in Redactor(KEY).json(json.dumps({"a": json.dumps([text])}))


@pytest.mark.parametrize("kind", PERSONAL)
def test_personal_data_is_replaced_within_an_encoded_text(kind: str) -> None:
    frame, value = PERSONAL[kind]
    coded = base64.b64encode(frame.format(value).encode()).decode()
    clean = Redactor(KEY).text(f"body {coded} end")
    inner = base64.b64decode(clean.split()[1]).decode()
    assert value not in inner and inner == Redactor(KEY).text(frame.format(value))


def test_pseudonyms_have_the_shape_of_what_they_replace() -> None:
    assert re.fullmatch(r"[a-z0-9]+@[a-z0-9]+\.example\.com", replaced("mail"))
    assert re.fullmatch(r"\+49 \d{3} \d{7}", replaced("phone"))
    assert re.fullmatch(r"9999 \d{4} \d{4} \d{4}", replaced("card")) and luhn(replaced("card").replace(" ", "")) == 0
    assert len(replaced("iban")) == 27 and iban_rest(replaced("iban").replace(" ", "")) == 1
    assert not ipaddress.ip_address(replaced("ip")).is_global
    assert re.fullmatch(r"(?:h[0-9a-f]{8}\.){3}internal", replaced("host"))
    assert replaced("user") == replaced("owner")


def test_distinct_values_have_distinct_pseudonyms() -> None:
    redactor = Redactor(KEY)
    texts = [f"from 93.184.{a}.{b} ok" for a in range(20) for b in range(100, 200)] + [f"u{n}x@acme.org" for n in range(3000)]
    assert len({redactor.text(text) for text in texts}) == len(texts)


def test_paths_that_agreed_agree_still() -> None:
    redactor = Redactor(KEY)
    one = redactor.text("edit /Users/imalmquist/shop/a.py")
    two = redactor.text('{"file_path": "/Users/imalmquist/shop/a.py"}')
    assert one.removeprefix("edit ") == json.loads(two)["file_path"]
    assert redactor.text("C:\\Users\\imalmquist\\a").split("\\")[2] == one.split("/")[2]


def test_signatures_of_agents_and_public_values_stay() -> None:
    for text in (
        "Co-Authored-By: Claude <noreply@anthropic.com>",
        "git@github.com: Permission denied",
        "noreply@github.com user@example.com",
        "127.0.0.1 0.0.0.0 10.1.2.3 192.168.0.1 8.8.8.8 ::1",
        "/home/runner/work /Users/user/x C:\\Users\\Public\\x",
        "4111 1111 1111 1111",
        "415-555-0123",
    ):
        assert Redactor(KEY).text(text) == text


def test_the_name_of_a_home_folder_is_replaced_all_through_its_session_and_in_no_other(tmp_path: Path) -> None:
    log = Log()
    log.user("imalmquist asks: why does it fail?", cwd="/w")
    log.call("m1", "t1", "Bash", {"command": "ls -l /home/imalmquist/shop"})
    log.result("t1", "-rw-r--r-- 1 imalmquist staff 12 a.py")
    log.session = "imalmquist-1"
    log.user("end")
    redactor = Redactor(KEY)
    for session in read(log.write(tmp_path / "a.jsonl"), redactor).sessions:
        assert not [text for text in strings(session) if "imalmquist" in text]
    assert redactor.text("imalmquist") == "imalmquist"


def test_a_token_that_was_cut_off_or_wrapped_is_found() -> None:
    token = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6"
    for text in (
        f"x {token[:14]}",
        f"x {token[:20]}...",
        f"x {token[:20]}… [truncated]",
        f"{token[:20]}\\\n{token[20:]}",
        f"{token[:2]}\n{token[2:]}",
    ):
        clean = Redactor(KEY).text(text)
        assert token[6:13] not in clean, text


@given(
    st.lists(
        st.sampled_from([frame.format(value) for frame, value in PERSONAL.values()] + ["\n", " ", "é", "\x1b[31m", '"', "\\", "%"]),
        max_size=9,
    )
)
def test_cleaning_twice_is_cleaning_once(parts: list[str]) -> None:
    clean = Redactor(KEY).text(" ".join(parts))
    assert Redactor(KEY).text(clean) == clean


def test_the_labelled_set_is_told_apart() -> None:
    rates = measure()
    assert rates.recall >= 0.9 and rates.precision >= 0.97, rates.lines


@pytest.mark.parametrize("unit", ["token=", "eyJ", "://", "@a.b", "cookie: ", "/home/ingrid7/x ", "QUJD", "-----BEGIN PRIVATE KEY-----\\n"])
def test_the_time_grows_with_a_hostile_line_and_no_faster(unit: str) -> None:
    def seconds(count: int) -> float:
        start = time.process_time()
        Redactor(KEY).text(unit * (count // len(unit)))
        return time.process_time() - start

    seconds(1000)
    assert seconds(64_000) < 24 * max(seconds(8_000), 0.005)
