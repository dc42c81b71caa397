"""Personal data in true shapes, with valid check digits, none of it anybody's."""

import string
from random import Random

from tests.privacy.kinds import Kind, Planted, body, word


def mail(rng: Random) -> Planted:
    value = f"{word(rng)}.{word(rng)}{rng.randint(10, 99)}@{word(rng)}.net"
    return value, rng.choice((f"write to {value} about it", f"user.email={value}", f"To: {value}"))


def phone(rng: Random) -> Planted:
    value = f"+49 {rng.randint(151, 179)} {rng.randint(1_000_000, 9_999_999)}"
    return value, f"call me at {value} tomorrow"


def card(rng: Random) -> Planted:
    digits = "4" + body(rng, string.digits, 14)
    value = digits + next(check for check in string.digits if _luhn(digits + check))
    return value, f"card_number={value} declined"


def _luhn(digits: str) -> bool:
    doubled = (sum(divmod(2 * int(digit), 10)) if place % 2 else int(digit) for place, digit in enumerate(reversed(digits)))
    return sum(doubled) % 10 == 0


def iban(rng: Random) -> Planted:
    account = body(rng, string.digits, 18)
    value = f"DE{98 - int(account + '131400') % 97:02d}{account}"
    return value, f"refund to {value} please"


def address(rng: Random) -> Planted:
    value = f"{rng.choice((81, 93, 188, 203))}.{rng.randint(16, 250)}.{rng.randint(16, 250)}.{rng.randint(100, 250)}"
    return value, rng.choice((f"login from {value} port 50022", f"ssh deploy@{value}"))


def home(rng: Random) -> Planted:
    value = word(rng, 8, 11)
    folder, rest = rng.choice((("/home", "/shop/src/app.py"), ("/Users", "/code/shop"), ("C:\\Users", "\\shop")))
    return value, f"{folder}{rest[0]}{value}{rest}"


def host(rng: Random) -> Planted:
    value = f"{word(rng, 7, 9)}-{rng.randint(10, 99)}.{word(rng)}.internal"
    return value, rng.choice((f"ssh deploy@{value}", f"http://{value}:8080/health"))


def author(rng: Random) -> Planted:
    value = f"{word(rng, 7, 9).title()} {word(rng, 7, 9).title()}"
    return value, f"Author: {value} <{word(rng)}@{word(rng)}.net>"


def remote(rng: Random) -> Planted:
    value = f"{word(rng, 8, 9)}/{word(rng, 8, 9)}"
    return value, f"origin\tgit@github.com:{value}.git (fetch)"


PERSONS: dict[str, Kind] = {f"person:{kind.__name__}": kind for kind in (mail, phone, card, iban, address, home, host, author, remote)}
