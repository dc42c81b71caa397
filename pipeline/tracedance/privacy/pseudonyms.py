"""What stands in place of personal data: shaped like it, the same for the same value under one key, and never itself taken for personal.

A mail stays a mail, at a reserved domain; a phone number keeps its country and grouping; a card and an IBAN keep their checksums, where no
bank issues; an address lies where nobody routes; a host keeps its labels and a home folder its tree.
"""

import hmac
import ipaddress
import re
from collections.abc import Callable
from hashlib import sha256

from tracedance.privacy.numbers import country_code, iban_rest, luhn

USER = re.compile(r"user[0-9a-f]{8}")
HOST_LABEL = re.compile(r"h[0-9a-f]{8}")
PERSON = re.compile(r"(?:Pat )*Q[0-9a-f]{8}")
_REMEMBERED = 8192
KEPT_ENDINGS = ("internal", "corp", "lan", "intranet", "local", "arpa")


class Pseudonyms:
    """Pseudonyms under one key."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._made: dict[tuple[str, str], str] = {}
        self._makers: dict[str, Callable[[str], str]] = {
            "mail": self._mail,
            "user": self.user,
            "owner": self.user,
            "name": self.person,
            "host": self._host,
            "phone": self._phone,
            "card": self._card,
            "iban": self._iban,
            "ip": self._address,
            "mac": self._mac,
        }

    def replacement(self, kind: str, value: str, written: str) -> str:
        """The pseudonym of `value`, which stands in the text as `written`."""
        made = self._made.get((kind, value))
        if made is None:
            made = self._makers[kind](value)
            if len(self._made) >= _REMEMBERED:
                self._made.clear()
            self._made[kind, value] = made
        return made.replace("@", "%40") if "%40" in written else made

    def user(self, name: str) -> str:
        """Another name of an account."""
        return f"user{self._hex('user', name, 8)}"

    def person(self, name: str) -> str:
        """Another name of a person, with as many words."""
        return "Pat " * min(len(name.split()) - 1, 4) + f"Q{self._hex('name', ' '.join(name.split()), 8)}"

    def _mail(self, address: str) -> str:
        local, _, domain = address.rpartition("@")
        return f"{self.user(local.lower())}@{self._label(domain.lower())}.example.com"

    def _host(self, host: str) -> str:
        labels = host.split(".")
        kept = 2 if host.endswith(".home.arpa") else 1
        if len(labels) == 1:
            return self._label(host.lower())
        ending = labels[-kept:] if labels[-1].lower() in KEPT_ENDINGS else ["example"]
        return ".".join([*(self._label(label.lower()) for label in labels[: len(labels) - len(ending)]), *ending])

    def _label(self, label: str) -> str:
        return f"h{self._hex('host', label, 8)}"

    def _phone(self, number: str) -> str:
        digits = "".join(char for char in number if char.isdigit())
        code = country_code(digits) if number.lstrip("(").startswith("+") else ""
        count = len(digits) - len(code)
        made = iter(code + "000" + self._digits("phone", digits, count - 3))
        return "".join(next(made) if char.isdigit() else char for char in number)

    def _card(self, number: str) -> str:
        digits = "".join(char for char in number if char.isdigit())
        body = "9999" + self._digits("card", digits, len(digits) - 5)
        check = (10 - luhn(body + "0")) % 10
        made = iter(f"{body}{check}")
        return "".join(next(made) if char.isdigit() else char for char in number)

    def _iban(self, number: str) -> str:
        plain = number.replace(" ", "").replace("-", "")
        drawn = self._digits("iban", plain, len(plain) - 4)
        body = "".join(chr(65 + int(digit)) if char.isalpha() else digit for char, digit in zip(plain[4:], drawn, strict=True))
        made = iter(f"XX{98 - iban_rest(f'XX00{body}'):02}{body}")
        return "".join(char if char in " -" else next(made) for char in number)

    def _address(self, address: str) -> str:
        value = self._hex("ip", str(ipaddress.ip_address(address)), 16)
        if ":" in address:
            return f"2001:db8:{value[:4]}:{value[4:8]}::{value[8:12]}"
        return f"{240 + int(value[0], 16) % 15}." + ".".join(str(int(value[place : place + 2], 16)) for place in (1, 3, 5))

    def _mac(self, address: str) -> str:
        mark = address[2]
        value = self._hex("mac", address.lower().replace("-", ":"), 6)
        made = mark.join(["02", "00", "5e", value[:2], value[2:4], value[4:]])
        return made.upper() if address.isupper() else made

    def _hex(self, kind: str, value: str, count: int) -> str:
        return hmac.new(self._key, f"{kind}\0{value}".encode("utf-8", "replace"), sha256).hexdigest()[:count]

    def _digits(self, kind: str, value: str, count: int) -> str:
        return str(int(self._hex(kind, value, 64), 16))[-count:].zfill(count) if count > 0 else ""
