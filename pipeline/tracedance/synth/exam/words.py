"""Names for everything a scene mentions: drawn when first asked for, then kept for the rest of the scene."""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from random import Random

from tracedance.synth.domains import DOMAINS, HOMES, Domain
from tracedance.synth.exam.languages import LANGUAGES, Language
from tracedance.synth.exam.script import SLOT

NOUNS = (
    "store index report parser client ledger router cache limits export importer sync audit queue labels filters totals schedule history "
    "notifier pricing matcher planner registry session archive digest renderer merge guard rollup lookup forecast badge intake ranking "
    "snapshot window balance pager throttle mailer"
)
VERBS = "load group merge count rank split render sum trim sort check pick collect match rebuild apply round list fold expand"
PEOPLE = (
    "Nadia Imre Lucia Tobias Amara Jonas Keiko Pedro Freya Samir Odile Viktor Leila Marius Chidi Hanna Rafael Yuki Bram Zofia Aisha Emil "
    "Noor Teresa Mikkel Ravi Elif Dario Sanne Kofi"
)
SURNAMES = "Okafor Lindqvist Marchetti Novak Haddad Brandt Silva Tanaka Weiss Moreau Petrov Nielsen Adeyemi Kowalski Reyes Bakker"
HOSTS = "example.org example.net example.com corp.example intra.example"
TOPICS = "onboarding retention seasonality outage backlog handover rollout migration budget roadmap"


@dataclass
class Session:
    """What all scenes of a session share."""

    number: int
    harness: str
    rng: Random
    domain: Domain
    language: Language
    home: str
    words: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    """Names that were given out: no scene meets a file or an id of another."""
    files: dict[str, str] = field(default_factory=dict)
    """Path -> text, as far as the stage made it up."""

    @property
    def cwd(self) -> str:
        return f"{self.home}/{self.domain.slug}"

    def fresh(self, make: Callable[[], str]) -> str:
        """A value that this session has not used; a number is added where all have been."""
        for attempt in range(400):
            value = make() + (str(attempt) if attempt > 40 else "")
            if value not in self.used:
                self.used.add(value)
                return value
        raise LookupError("The session has run out of names.")


def session(number: int, harness: str, rng: Random) -> Session:
    """A session without any scene yet."""
    domain, language = rng.choice(DOMAINS), rng.choice(LANGUAGES)
    made = Session(number, harness, rng, domain, language, rng.choice(HOMES))
    made.words |= domain.words | language.words(rng) | {"cwd": made.cwd, "home": made.home.rsplit("/", 1)[0], "lang": language.name}
    made.words["os_user"] = made.home.split("/")[2]
    # Words are put in as they are: what the language's names hold of the session's is filled once here, of a scene's where it is played.
    known = dict(made.words)
    made.words = {name: SLOT.sub(lambda match: known.get(match[1], match[0]), value) for name, value in known.items()}
    return made


class Slots(dict[str, str]):
    """Slot -> value of one scene."""

    def __init__(self, play: Session) -> None:
        super().__init__(play.words)
        self.play = play
        self.rng = play.rng

    def __missing__(self, name: str) -> str:
        if name == "src":  # with `testf` a pair: both lie by the scene's `mod`
            self[name] = self.play.language.path("src", self["mod"], self.play.domain)
            return self[name]
        base = re.sub(r"\d+$", "", name)
        if base not in MAKERS:
            raise KeyError(f"No slot is named {name!r}.")
        value = MAKERS[base](self)
        self[name] = value
        return value


def _styled(words: list[str], style: str) -> str:
    if style == "snake":
        return "_".join(words)
    pascal = "".join(word.capitalize() for word in words)
    return pascal if style == "pascal" else words[0] + pascal[len(words[0]) :]


@cache
def _split(words: str) -> list[str]:
    return words.split()


def _word(slots: Slots, words: str) -> str:
    return slots.rng.choice(_split(words))


def _module(slots: Slots) -> str:
    domain, rng = slots.play.domain, slots.rng
    return slots.play.fresh(lambda: f"{rng.choice((domain.item, domain.tag, domain.qty))}_{_word(slots, NOUNS)}")


def _source(slots: Slots) -> str:
    return slots.play.language.path("src", _module(slots), slots.play.domain)


def _tests(slots: Slots) -> str:
    return slots.play.language.path("test", slots["mod"], slots.play.domain)


def _function(slots: Slots) -> str:
    words = [_word(slots, VERBS), slots.rng.choice((slots["items"], slots["item"], slots["tag"])), _word(slots, NOUNS)]
    return _styled(words, slots.play.language.style)


def _class(slots: Slots) -> str:
    return _styled([slots["item"], _word(slots, NOUNS), "set"], "pascal")


def _test_name(slots: Slots) -> str:
    words = ["test", _word(slots, VERBS), slots["items"], slots.rng.choice(("once", "per", "without", "by")), slots["tag"]]
    return _styled(words, slots.play.language.style)


def _number(low: int, high: int) -> Callable[[Slots], str]:
    return lambda slots: str(slots.rng.randint(low, high))


def _hex(length: int) -> Callable[[Slots], str]:
    return lambda slots: f"{slots.rng.getrandbits(4 * length):0{length}x}"


def token(rng: Random, length: int) -> str:
    """Letters and digits, as ids have them."""
    return base64.b64encode(rng.randbytes(length)).decode().translate(_PLAIN)[:length]


_PLAIN = str.maketrans("+/=", "xQ7")


def _key(slots: Slots) -> str:
    """A credential as its issuer would print it; it opens nothing."""
    rng = slots.rng
    forms = (
        lambda: "ghp_" + token(rng, 36),
        lambda: "sk-proj-" + token(rng, 48),
        lambda: "xoxb-" + f"{rng.getrandbits(40)}-{rng.getrandbits(40)}-" + token(rng, 24),
        lambda: "sk_live_" + token(rng, 24),
        lambda: "glpat-" + token(rng, 20),
    )
    return rng.choice(forms)()


def _person(slots: Slots) -> str:
    return slots.play.fresh(lambda: _word(slots, PEOPLE))


def _fullname(slots: Slots) -> str:
    return f"{slots['person']} {_word(slots, SURNAMES)}"


def _email(slots: Slots) -> str:
    return f"{slots['person'].lower()}.{_word(slots, SURNAMES).lower()}{slots.rng.randint(2, 99)}@{_word(slots, HOSTS)}"


def _date(slots: Slots) -> str:
    return f"2026-{slots.rng.randint(3, 11):02}-{slots.rng.randint(1, 28):02}"


def _code(slots: Slots) -> str:
    return slots.play.fresh(lambda: "".join(slots.rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(6)))


def _one_of(text: str) -> Callable[[Slots], str]:
    options = text.split(" ^ ")
    return lambda slots: slots.rng.choice(options)


def _field(key: str) -> Callable[[Slots], str]:
    """What the language's file says, with its slots replaced."""

    def make(slots: Slots) -> str:
        chosen = slots.rng.choice(slots.play.language.fields[key])
        return SLOT.sub(lambda match: slots[match[1]], chosen)

    return make


def _bad_flag(place: int) -> Callable[[Slots], str]:
    """Command, exit code and error of a call with an option that its program lacks; the three go together."""

    def make(slots: Slots) -> str:
        if "badflag" not in slots:
            slots["badflag"] = _field("badflag")(slots)
        return slots["badflag"].split(" ;; ")[place]

    return make


def _kebab(slots: Slots) -> str:
    return _module(slots).replace("_", "-")


def _uuid(slots: Slots) -> str:
    value = f"{slots.rng.getrandbits(128):032x}"
    return f"{value[:8]}-{value[8:12]}-4{value[13:16]}-a{value[17:20]}-{value[20:]}"


MAKERS: dict[str, Callable[[Slots], str]] = {
    "mod": _module,
    "src": _source,
    "testf": _tests,
    "fn": _function,
    "cls": _class,
    "kebab": _kebab,
    "sha": _hex(7),
    "longsha": _hex(40),
    "hex": _hex(8),
    "task": lambda slots: "b" + f"{slots.rng.getrandbits(24):06x}",
    "uuid": _uuid,
    "code": _code,
    "num": _number(11, 97),
    "few": _number(3, 9),
    "tests": _number(12, 240),
    "big": _number(1200, 98000),
    "id": _number(100000, 999999),
    "run": _number(7000000000, 19999999999),
    "pr": _number(40, 2900),
    "port": _number(3100, 9800),
    "line": _number(12, 240),
    "sec": lambda slots: f"{slots.rng.uniform(0.2, 19):.2f}",
    "ver": lambda slots: f"{slots.rng.randint(0, 6)}.{slots.rng.randint(0, 19)}.{slots.rng.randint(0, 9)}",
    "money": lambda slots: f"{slots.rng.randint(18, 940)}.{slots.rng.choice(('00', '50', '90', '25'))}",
    "key": _key,
    "pass": lambda slots: token(slots.rng, 22),
    "person": _person,
    "fullname": _fullname,
    "email": _email,
    "date": _date,
    "hour": lambda slots: f"{slots.rng.randint(8, 18):02}:{slots.rng.choice(('00', '15', '30', '45'))}",
    "host": lambda slots: f"{slots['kebab']}.{_word(slots, HOSTS)}",
    "topic": lambda slots: slots.play.fresh(lambda: f"{_word(slots, TOPICS)}-{_word(slots, NOUNS)}"),
    "chat": lambda slots: f"-100{slots.rng.randint(1000000000, 2999999999)}",
    "bot_id": lambda slots: str(slots.rng.randint(100000000, 999999999)),
    "branch": lambda slots: f"{slots.rng.choice(('feature', 'fix', 'chore', slots['os_user']))}/{slots['kebab']}",
    "protected": _one_of("main ^ master ^ main ^ production ^ release/2.4"),
    "Yes": _one_of("Yes, please go ahead. ^ Yes, proceed. ^ Yes. ^ Yes, that's right, do it. ^ yes please, confirmed"),
    "esc": lambda slots: "\x1b",
    "want": _number(2, 60),
    "got": _number(61, 99),
    "dots": lambda slots: "." * slots.rng.randint(20, 60),
    "tname": _test_name,
    "modfile": lambda slots: slots["mod"].replace("_", "-"),
    "assert_line": _field("assert"),
    "assert_got": _field("assert_got"),
    "assert_true": _field("assert_true"),
    "assert_weak": _field("assert_weak"),
    "skip_from": _field("skip_from"),
    "skip_to": _field("skip_to"),
    "flag_cmd": _bad_flag(0),
    "flag_code": _bad_flag(1),
    "flag_err": _bad_flag(2),
    "Mod": lambda slots: _styled(slots["mod"].split("_"), "pascal"),
    "env_name": _one_of("API_TOKEN ^ PAYMENTS_SECRET_KEY ^ SLACK_BOT_TOKEN ^ OPENAI_API_KEY ^ DEPLOY_TOKEN ^ JIRA_TOKEN"),
}
"""Slot without its number -> what draws it."""
