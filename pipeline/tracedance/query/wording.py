"""What a sentence says beside the behaviour: how many instances, under which conditions, whether two benchmarks or one, and to what end."""

import re
from dataclasses import dataclass

from tracedance.query import figures, sizes

ONLY = r"(?:only|nur|solo|sólo|seulement|uniquement)"
KINDS = (
    r"(?:sessions?|conversations?|runs|traces|tasks|chats|work|projects?|repos(?:itories)?|sitzungen|gesprächen|sesiones|conversaciones"
    r"|projets)"
)
SESSIONS = rf"(?:[\w'.+#/-]+\s+){{0,4}}{KINDS}(?:\s+only)?"
FIGURE = (
    r"(?:(?:more than|over|above|fewer than|less than|under|below|at least"
    r"|at most|up to|exactly|only|mehr als|mindestens|más de|plus de)\s+)"
    r"\d[\d.,]*\s*k?\s*(?:[\w-]+\s+){0,2}?(?:turns?|steps|tokens(?: of context)?|user (?:messages?|turns?)|tool calls)\b"
)
CONDITIONS = tuple(
    re.compile(rule, re.IGNORECASE)
    for rule in (
        rf"[,;]?\s*\b(?:but\s+)?{ONLY}\s+(?:in|for|with|where|when|on|if|from|wenn|wo|bei|en|cuando|dans|pour"
        rf"|quand)\b(?:[^.;:(]|\.(?=\d))*(?:\([^)]*\))?",
        rf"[,;]?\s*\b(?:in|from|during|en|dans|of)\s+{SESSIONS}\s+(?:where|in which|with|that|over|of|using|longer|shorter|about|started|"
        r"recorded|since|before|after|between|dealing|on|wo|mit|con|donde|où|avec)\b(?:[^.;:(]|\.(?=\d))*(?:\([^)]*\))?",
        rf"[,;]\s*(?:in|from|during|for|en|dans)\s+{SESSIONS}(?:\s*\([^)]*\))?(?=\s*(?:[.,;]|$|since|before|after|from|between))",
        rf"[,;]?\s+(?:in|from|during)\s+{SESSIONS}(?<=only)(?:\s*\([^)]*\))?",
        rf"[,;–—-]\s+(?:[\w'.+#/-]+\s+){{1,4}}{KINDS}\s+only\b(?:\s*\([^)]*\))?",
        r"\s+[-–—]\s*[\w\s/'-]{1,40}\bonly\b",
        rf"\s+(?:in|from|during)\s+(?!(?:all|any|other|earlier|its|the same)\s+{KINDS}){SESSIONS}(?=\s*[.?!]*\s*$)",
        rf"[,;]?\s+(?:in|from|by|with|using)\s+(?:[\w-]+\s+){{0,2}}?(?:(?-i:Claude "
        rf"Code|Codex|Cursor|OpenCode|OpenClaw|Gemini CLI|Copilot(?: CLI)?)|"
        rf"{figures.MODEL.pattern})(?:\s+(?:{KINDS}|models?|agents?))?(?:\s+only)?(?=\s*[.,;?!]|\s*$|\s+(?:since|before"
        rf"|after|from|between|in)\b)",
        rf"[,;]\s*(?:only\s+)?(?:(?:in|by|with|from|for)\s+)?(?:{figures.MODEL.pattern}|{figures.HARNESS.pattern})"
        rf"(?:\s+(?:{KINDS}|models?|agents?))?(?:\s+only)?(?=\s*(?:[.,;?!]|$|and\b))",
        rf"[,;]\s*(?:and\s+)?{FIGURE}(?=\s*(?:[.,;?!]|$|and\b))",
        rf"[,;]?\s*{figures.DAYS.pattern}",
        r"[,;]?\s*\b(?:after|beyond|past|before|from)\s+(?:the\s+)?turn\s+\d+\b(?:\s+on\b)?",
        rf"[,;]?\s*\b(?:with|of|at|having|once|when|where|mit|con|avec)\s+(?:[\w]+\s+){{0,3}}?{FIGURE}[^.;:,(]*",
        r"\s*\([^)]*\)",
    )
)
REPLAYABLE = re.compile(
    r"\b(?:fully |only |strictly )*replayable(?: only)?\b,?|\b(?:with|where) "
    r"(?:the )?(?:recorded|original) (?:system prompts?|tool definitions)"
    r"(?: and (?:system prompts?|tool definitions))?(?: (?:was|were|is|are) recorded)?\b",
    re.IGNORECASE,
)
_TICKET = re.compile(r"^\s*(?:\[[A-Z]{2,10}-\d{1,6}\]:?|[A-Z]{2,10}-\d{1,6}:)\s*(?=\w)")
_WITHOUT = re.compile(r"\bw/o\b", re.IGNORECASE)
_FRAMES = re.compile(
    r"^\W*as an? [\w ]{2,24}?,? I (?:want|need|would like)(?: to)?(?: (?:catch|test|find|see|measure|know))?\s|\bpls\b|"
    r"^\W*(?:find|show me|collect|gather|give me|get me)\s+(?:(?:me|all|the)\s+)?(?:turns|cases|places|moments"
    r"|situations|examples|instances|agents)"
    r"\s+(?:where|in which|that|of|when|who)\b|"
    r"\b(?:two|2|zwei|dos|deux)\s+(?:separate\s+)?(?:benchmarks|test sets)\b,?\s*(?:please)?\s*:?|"
    r"\bone benchmark (?:each|per behaviou?r)\b|\bone benchmark (?:for|of|about|on)\b|\b(?:separate|getrennte) scores\b|"
    r"\btest set,? please\b|\b(?:a |an |the )?(?:test ?set|benchmark|data "
    r"?set|collection|sample)s? (?:of|on|about|for)\b|^build (?:me|us)\b|"
    r"\b(?:I|we) (?:want|need|would like) (?:to test |to see |the ones where |a benchmark (?:of|on|about) )?"
    r"(?:cases (?:showing|with|of|where)\b)?|\bI'd like (?:a benchmark (?:of|on|about) |cases where )?|"
    r"\bplease (?:collect|find|build)\b|\b(?:I|we) keep seeing\b|\bcan you test that\b\??|"
    r"\bboth(?: at once| together)?\s*:|\b(?:both )?(?:in|at) (?:one and )?(?:the same|one) (?:turn|time|decision|go)\b\s*:?|\beither\b|"
    r"\b(?:both|the two) (?:problems|behaviou?rs|things)(?: together| at once)?\b",
    re.IGNORECASE,
)
SEPARATE = re.compile(
    r"\bseparate(?:ly)?\b|\b(?:two|2) benchmarks\b|\bone benchmark each\b|\beither\b|\bone (?:benchmark )?for each\b"
    r"|\bside by side\b|\b(?:zwei|dos|deux) (?:\w+ )?benchmarks\b|\bjeweils\b|\bgetrennt|\bpor separado\b|\bséparé",
    re.IGNORECASE,
)
TOGETHER = re.compile(
    r"\btogether\b|\bboth\b|\bat the same time\b|\bat once\b|\bin (?:the same|one|each|every) (?:turn|instance|case|example)\b"
    r"|\bcombined?\b|\bsimultaneously\b|\bin one go\b|\bzugleich\b|\bsimult[aá]ne\w+\b|\bimmer beid\w+|(?-i:(?<=[a-z] )(?:AND|UND)\b)|"
    r"\bgleichzeitig\b|\bbeides\b|\ba la vez\b|\ben même temps\b|\bà la fois\b",
    re.IGNORECASE,
)
MANY = re.compile(r"\b(?:all|these|the|alle|las|les) (?:three|four|five|six|drei|vier|tres|cuatro|trois|quatre|[3-9])\b", re.IGNORECASE)
LATER = re.compile(
    r"\b(?:later(?: on)?|turns later|afterwards|subsequently|in the end|at the end of the session|"
    r"später|anschließend|más tarde|después|plus tard)\b",
    re.IGNORECASE,
)
_LOOT = r"(?:passwords?|tokens?|(?:api )?keys?|credentials?|secrets?|logins?|card numbers?|personal data)"
_WEAPON = r"(?:ransomware|malware|virus(?:es)?|trojans?|spyware|keyloggers?|botnets?|phishing|exploits?|rootkits?|backdoors?|worms?)"
HARMFUL = re.compile(
    rf"\b(?:working|valid|live|usable|active|real|unexpired)\s+(?:\w+\s+)?{_LOOT}\b"
    r"(?=.*\b(?:list|collect|extract|hand|give|export|use|try|log in|sell|so that|to us|for us)\b)|"
    rf"(?:^\W*(?:please\s+)?|\b(?:and|to)\s+(?:then\s+)?)(?:(?:give|send|show|hand|list|tell|reveal)\s+(?:me|us)"
    rf"|extract|collect|export|harvest|list)\s+(?:all\s+)?(?:the|all|every|these"
    rf"|those)\s+(?:\w+\s+)?{_LOOT}\b(?!\s+(?:leak|expos|handl|protect))|"
    rf"^\W*(?:please\s+|help (?:me|us)\s+(?:to\s+)?|can you\s+|bitte\s+)*(?:write|build|make|create|generate|develop"
    rf"|schreib\w*|bau\w*|crea|écris)\s+(?:me |us |mir )?(?:an? |some |eine? |un )?(?:\w+ )?{_WEAPON}\b|"
    r"\b(?:so (?:that )?(?:we|I) can|to let us|in order to)\s+(?:\w+\s+){0,2}(?:log "
    r"in|sign in|break in|hack|attack|steal|sell|impersonate|blackmail)\b|"
    r"\b(?:unredacted|unmasked|not redacted|un-?redact\w*|de-?anonymi[sz]\w*|undo the redaction)\b|"
    r"\b(?:passwords?|tokens?|keys?|credentials?|secrets?)\b.*\b(?:(?:try|use) them|log in with|still work|that work)\b|"
    r"\b(?:teach|train|reward|help|encourag|incentivi[sz]|optimi[sz]|fine-?tun)\w*\s+(?:[\w']+\s+){0,4}(?:to\s+|for\s+|on\s+|at\s+)?"
    r"(?:leak|evad|bypass|steal|exfiltrat|deceiv|hid(?:e|ing)|encrypt|infect|hack|phish|attack|lie\b|lying|cheat|sabotag|jailbreak)\w*",
    re.IGNORECASE,
)
JOINTS = re.compile(
    r"\s*[,;]\s*(?:(?:and|or|und|oder|y|o|et|ou)\s+(?:also\s+)?)?|\.\s+|"
    r"\s+(?:and|or|as well as|plus|und|oder|sowie|y|et|ou)\s+(?:also\s+)?",
    re.IGNORECASE,
)
OR = re.compile(r"\b(?:or|oder|o|ou)\b", re.IGNORECASE)
MOST_JOINTS = 6
PATH = re.compile(r"(?<!\S)[\w.*-]*/[\w./*-]*(?!\S)")
"""What a sentence names of the user's own: no word of a behaviour."""


@dataclass(frozen=True, slots=True)
class Wording:
    """A sentence taken apart."""

    behaviour: str
    conditions: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    separate: bool = False
    together: bool = False
    later: bool = False
    harmful: bool = False
    replayable: bool = False
    many: bool = False
    """It counts three things or more."""
    vague: tuple[str, ...] = ()
    """A number of instances that is no figure: "a few dozen"."""


def read(sentence: str) -> Wording:
    """Take `sentence` apart. What is left when a condition would leave nothing stays in the behaviour."""
    size = sizes.read(_TICKET.sub("", _WITHOUT.sub("without", sentence)))
    replayable = REPLAYABLE.search(size.rest) is not None
    rest = REPLAYABLE.sub(" ", size.rest)
    conditions = []
    for rule in CONDITIONS:
        while (found := rule.search(rest)) and len(rest) - len(found[0]) >= 8:
            conditions.append(found[0].strip(" ,;-–—").removeprefix("(").rstrip(") "))
            rest = rest[: found.start()] + " " + rest[found.end() :]
    plain = " ".join(PATH.sub(" ", _FRAMES.sub(" ", rest)).split()).replace(" .", ".")
    return Wording(
        behaviour=plain or sentence,
        conditions=tuple(conditions),
        minimum=size.minimum,
        maximum=size.maximum,
        vague=size.vague,
        separate=SEPARATE.search(sentence) is not None,
        together=TOGETHER.search(sentence) is not None,
        later=LATER.search(sentence) is not None,
        harmful=HARMFUL.search(sentence) is not None,
        replayable=replayable,
        many=MANY.search(sentence) is not None,
    )


def splits(behaviour: str) -> list[list[str]]:
    """Every way to take `behaviour` for two or more behaviours side by side, the most parts first."""
    joints = list(JOINTS.finditer(behaviour))[:MOST_JOINTS]
    ways = []
    for chosen in range(1, 2 ** len(joints)):
        parts, start = [], 0
        for number, joint in enumerate(joints):
            if chosen >> number & 1:
                parts.append(behaviour[start : joint.start()])
                start = joint.end()
        ways.append([part.strip(" .,;:") for part in [*parts, behaviour[start:]] if part.strip(" .,;:")])
    return sorted((way for way in ways if len(way) > 1), key=len, reverse=True)


def alternatives(behaviour: str, parts: list[str]) -> bool:
    """Whether an "or" stands between two of the `parts` that `splits` has made of `behaviour`."""
    start, between = 0, []
    for part in parts:
        at = behaviour.index(part, start)
        between.append(behaviour[start:at])
        start = at + len(part)
    return any(OR.search(joint) for joint in between[1:])
