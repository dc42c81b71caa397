"""Numbers that name a person or a machine, told from numbers that only look so by their checksums and ranges."""

import ipaddress
import re

from tracedance.privacy.known import PUBLIC_ADDRESSES, TEST_CARDS

_CARD = re.compile(
    r"4\d{15}|5[1-5]\d{14}"
    r"|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}"
)
_COUNTRY_CODE = re.compile(
    r"1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|2[1-689]\d|3[578]\d|42\d|5[09]\d|6[789]\d|8[05789]\d|9[679]\d"
)
_IBAN_LENGTHS = {
    code: int(length)
    for length, codes in (
        line.split(": ")
        for line in """15: NO|16: BE|18: DK FO FI GL NL|19: MK SI|20: AT BA EE KZ LT LU XK|21: HR LV LI CH|22: BG BH CR GE DE IE ME RS GB VA
23: AE IL GI TL IQ|24: AD CZ MD PK RO SA SK ES SE TN VG|25: PT ST|26: IS TR|27: FR GR IT MC MR SM BI DJ|28: AL AZ CY DO GT HU LB PL BY SV
29: BR PS QA UA|30: JO KW MU|31: MT SC|32: LC|33: RU""".replace("\n", "|").split("|")
    )
    for code in codes.split()
}


def luhn(digits: str) -> int:
    """The sum that is a multiple of ten where the last digit is right."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (1 + place % 2)
        total += number - 9 if number > 9 else number
    return total % 10


def is_card(digits: str) -> bool:
    """A number of a card brand with a right last digit that is not one of those published for trying out."""
    return _CARD.fullmatch(digits) is not None and luhn(digits) == 0 and digits not in TEST_CARDS and len(set(digits)) > 3


def iban_rest(plain: str) -> int:
    """1 where the check digits are right."""
    moved = plain[4:] + plain[:4]
    return int("".join(str(int(char, 36)) for char in moved)) % 97


def iban_length(text: str) -> int:
    """How many characters of `text`, which begins like an IBAN and may have spaces, are one; 0 where none."""
    wanted = _IBAN_LENGTHS.get(text[:2], 0)
    plain = ""
    for place, char in enumerate(text):
        if char not in " -":
            plain += char
        if wanted and len(plain) == wanted:
            return place + 1 if plain[4:] != "0" * (wanted - 4) and iban_rest(plain) == 1 else 0
    return 0


def is_phone(number: str, international: bool) -> bool:
    """Plausible by its country and count of digits; numbers kept for fiction and our own are none."""
    digits = "".join(char for char in number if char.isdigit())
    if not 7 <= len(digits) <= 15 or len(set(digits)) < 4 or digits in "12345678901234567890":
        return False
    code = country_code(digits) if international else ""
    national = digits[len(code) :]
    if (international and not code) or national.startswith("000") or (len(national) >= 10 and national[-7:-2] == "55501"):
        return False
    return not international or len(digits) >= 9


def country_code(digits: str) -> str:
    """The digits of the country that an international number begins with."""
    match = _COUNTRY_CODE.match(digits)
    return match.group() if match else ""


def is_address(text: str) -> bool:
    """An IP address that tells one machine on the Internet: neither private, reserved nor used by everybody."""
    if text in PUBLIC_ADDRESSES:
        return False
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved
