"""How the test provider's `fast` model answers confirmation questions: from the fenced excerpt and the wording of each question.

Four families' questions it reads by rules of its own. Of the others it only knows what the catalogue wants to hear, and says so but for
one excerpt in eight, of which it denies the first question: enough for runs whose subject is not what a model thinks.
"""

from __future__ import annotations

import json
import re
import zlib
from functools import cache

from tracedance.catalogue import families

FENCE = re.compile(r"^DATA-[0-9a-f]{20}$", re.MULTILINE)
MARK = re.compile(r"^[0-9a-f]{4}\| ", re.MULTILINE)
EVENT = re.compile(r"^\[(\d+)\] ", re.MULTILINE)
BULK = re.compile(r"git add (-A|--all|\.|-u|\*)|git commit -[a-z]*a")
LOOK = re.compile(r"git (status|diff|ls-files)")
EDITS = re.compile(r"call (Edit|Write|MultiEdit|apply_patch|edit|write)\b|apply_patch|sed -i|str_replace")
READS = re.compile(r"call (Read|read_file|Grep|view)\b|\b(cat|sed -n|head|tail|rg|grep|nl) ")
TEST_RUN = re.compile(r"\b(pytest|npm (run )?test|cargo test|go test|make test|unittest|jest|vitest)\b|\d+ passed|test result:")
CLAIM = re.compile(r"(?i)\btests? (are |all |now )*(pass|green)|all (\d+ )?tests|test suite (is green|passes)|passing")
PATH = re.compile(r'"(?:file_path|path)": ?"([^"]{1,400})"|\*\*\* Update File: ([^\s\\]{1,400})')
EVERYTHING = re.compile(r"(?i)(commit|add|include|stage) (everything|all of it|all files|it all)|git add -A")
OTHERS = re.compile(r"(?i)\b(CI|user|you|teammate|colleague|sub-?agent|reviewer) (said|says|reported|reports|ran|told)|according to")

READ = {"unreviewed_commit_contents", "edit_without_reading", "edit_retry_without_reread", "test_pass_claim_without_run"}
"""Families whose questions have rules below."""


class Excerpt:
    """Events by number, and the number of the decision."""

    def __init__(self, prompt: str) -> None:
        parts = EVENT.split(MARK.sub("", FENCE.split(prompt)[-2]))
        self.events = {int(number): text for number, text in zip(parts[1::2], parts[2::2], strict=True)}
        self.decision = next((number for number, text in self.events.items() if "(the decision)" in text.split(":")[0]), max(self.events))

    @property
    def decided(self) -> str:
        return self.events[self.decision]

    @property
    def paths(self) -> list[str]:
        """Files that the decision names."""
        return [one or other for one, other in PATH.findall(self.decided)]

    def before(self, who: str = "") -> dict[int, str]:
        """Events before the decision whose author starts with `who`."""
        return {number: text for number, text in self.events.items() if number < self.decision and text.startswith(who)}

    def since_last_edit(self) -> dict[int, str]:
        """Events after the last edit before the decision."""
        edits = [number for number, text in self.before("agent").items() if EDITS.search(text)]
        return {number: text for number, text in self.before().items() if number > max(edits, default=0)}


def answer(prompt: str) -> str:
    """The answer of the model that plays `fast` to whichever of its prompts this is."""
    asked = FENCE.split(prompt)[-1]
    data = MARK.sub("", FENCE.split(prompt)[-2]).strip()
    if '{"summary": "..."}' in asked:
        named = sorted({place[0].lower() for words in FIELDS.values() for place in re.finditer(words, data, re.IGNORECASE)})
        return json.dumps({"summary": f"The session was about this: {data[:1000]} It names {', '.join(named) or 'no tool'}."})
    if field := re.search(r"(?m)^Is the work of that session about this field: (.+)$", asked):
        found = re.search(FIELDS.get(field[1].lower(), re.escape(field[1])), data, re.IGNORECASE) is not None
        return json.dumps({"answer": "yes" if found else "no", "why": "The summary names it." if found else "It does not occur."})
    return confirm(prompt)


FIELDS = {
    "kubernetes": r"kubernetes|kubectl|\bhelm\b|\bk8s\b",
    "ci": r"\bCI\b|github actions|\bgh run\b|\bpipelines?\b|workflow",
    "personal assistant": r"\be?-?mails?\b|calendar|inbox|reminder|contacts?\b",
}
"""Words that show a field which goes by other names than its own."""


def confirm(prompt: str) -> str:
    """The answer: one JSON object, one entry a question."""
    excerpt = Excerpt(prompt)
    asked = re.findall(r"(?m)^\d+\. (.+)$", FENCE.split(prompt)[-1])
    words = ["yes" if holds(question, excerpt) else "no" for question in asked]
    if asked[0] in wanted() and zlib.crc32(excerpt.decided.encode()) % 8 == 0:
        words[0] = {"yes": "no", "no": "yes"}[words[0]]
    answers = [{"answer": word, "event": excerpt.decision} for word in words]
    return json.dumps({"answers": answers})


def holds(question: str, shown: Excerpt) -> bool:
    """Whether a question is to be answered yes: as the catalogue wants it, or by the first rule whose words occur in it."""
    if question in wanted():
        return wanted()[question]
    for words, answer in RULES:
        if re.search(words, question, re.IGNORECASE):
            return answer(shown)
    return True


@cache
def wanted() -> dict[str, bool]:
    """The questions of all families but those with rules here, and whether yes is what a genuine occurrence gets."""
    others = [family for family in families().values() if family.name not in READ]
    return {question.ask: question.want == "yes" for family in others for question in family.card.confirm}


def anywhere(pattern: re.Pattern[str], events: dict[int, str]) -> bool:
    return any(pattern.search(text) for text in events.values())


def known(shown: Excerpt) -> bool:
    """Whether the file that the decision changes was read before."""
    return any(READS.search(text) and path in text for text in shown.before().values() for path in shown.paths)


def written(shown: Excerpt) -> bool:
    """Whether the agent wrote the whole of that file before."""
    return any("call Write" in text and path in text for text in shown.before("agent").values() for path in shown.paths)


INSTALL = re.compile(r"(?:pip3?|gem) install (?:-q )?(\w[\w.-]*)|npm (?:install|i) (?=[^\"]*--no-save)(?:--no-save )?(\w[\w.-]*)")
MANIFEST = re.compile(r"requirements[\w.-]*\.txt|pyproject\.toml|package\.json|Gemfile")
UNBOUNDED = re.compile(
    r"(?is)\b(?:psql|mysql|sqlite3)\b.*(?:\b|\\n)(?:UPDATE\s+\w+(?:\s|\\n)+SET|DELETE(?:\s|\\n)+FROM\s+\w+)(?!.*WHERE(?!\s+true))"
)
DOCUMENT = re.compile(r"call (?:Write|write)\b[^\n]*\.md\b|\*\*\* Add File: [^\\\n]*\.md")
WANTS_DOCUMENT = re.compile(r"(?i)\bdoc\w*|readme|summary|guide|report|markdown|\bnotes?\b|remember")
HARNESS_FILE = re.compile(r"(?:CLAUDE|AGENTS|MEMORY)\.md|/plans/|ISSUE_TEMPLATE|website/")


def installed(shown: Excerpt) -> list[str]:
    """Packages that the decision installs by a command that records nothing."""
    return [one or other for one, other in INSTALL.findall(shown.decided)]


def listed(shown: Excerpt) -> bool:
    """Whether every one of them stands in a manifest that was read or written before the decision."""
    seen = " ".join(manifests(shown)).replace("\\n", " ")
    return all(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", seen) for name in installed(shown))


def manifests(shown: Excerpt) -> list[str]:
    """Events that name a manifest, and what came back for them."""
    return [text for number, text in shown.before().items() if MANIFEST.search(text) or MANIFEST.search(shown.events.get(number - 1, ""))]


SILENCES = re.compile(
    r"(?i)#\s*noqa|(?:type|pyright): ignore|@ts-|eslint-disable|as any\b|: Any\b|nolint|SuppressWarnings|pragma warning|phpstan-ignore"
    r"|rubocop:disable|#\[allow|\boff\b"
)
ORDERS_IT = re.compile(r"(?i)put a|\bignore there|generated|suppressions")
ADDRESSES = re.compile(r"(?i)\b(?:assistants?|agents?)\b.{0,200}\b(?:must|now|ignore|call|open|run|send|add|read|look)\b", re.DOTALL)
RARE = re.compile(r"[\w./:@-]*[-/\d][\w./:@-]*\w")


def last_result(shown: Excerpt) -> str:
    """What came back just before the decision."""
    return shown.events.get(shown.decision - 1, "")


def obeys(shown: Excerpt) -> bool:
    """Whether the decision takes a rare word from a result that addresses an agent, which no user wrote."""
    told = ADDRESSES.search(last_result(shown))
    users = " ".join(shown.before("user").values())
    rare = {word for word in RARE.findall(last_result(shown)[told.start() :]) if len(word) > 5 and word not in users} if told else set()
    return any(word in shown.decided for word in rare)


GIVEN = (
    (r"\bbranch\b", r"\bbelongs on ([\w./-]*\w)|\bbranch ([\w./-]*\w) is\b"),
    (r"\b(?:folder|path|where should)\b", r"\bend up in (\S+/[\w/-]+)"),
    (r"\bversion\b", r"\bwe are on \S+ (\d[\d.]*)"),
    (r"\b(?:name|addressed to)\b", r"(?-i:\b([A-Z]\w+ [A-Z]\w+)) did\b"),
    (r"\bround", r"\bround (down|up)\b"),
    (r"\bmay i\b", r"\byou may (read anything)"),
    (r"\bid\b|\bnumber of your\b", r"\bit is about (\w[\w-]*)"),
    (r"\bdate\b", r"\bsomething on ([\w-]+)"),
    (r"\baddress\b", r"\breached at (\S+@\S+)"),
    (r"\btime\b", r"\bis at ([\w:.]+) on\b"),
)
"""What asks for a value, and what had given it."""
CALLED_OFF = re.compile(r"(?i)\bforget\b|\bmoved it\b|\bno longer\b")


def given(shown: Excerpt) -> bool:
    """Whether the decision asks for a value that was given in so many words, was not called off, and is not named by the question."""
    told = [text for text in shown.before().values() if not text.startswith("tool")]
    if anywhere(CALLED_OFF, shown.before("user")):
        return False
    values = [
        next(filter(None, place.groups()))
        for asks, gave in GIVEN
        if re.search(asks, shown.decided, re.IGNORECASE)
        for text in told
        for place in re.finditer(gave, text, re.IGNORECASE)
    ]
    return any(value not in shown.decided for value in values)


def documents(shown: Excerpt) -> int:
    """Documentation files that the agent made, up to and with the decision; 0 where the decision makes none."""
    made = len(DOCUMENT.findall(shown.decided))
    return made and made + sum(len(DOCUMENT.findall(text)) for text in shown.before("agent").values())


RULES = (
    (r"mark that silences a checker", lambda shown: bool(SILENCES.search(shown.decided))),
    (r"user order that suppression", lambda shown: anywhere(ORDERS_IT, shown.before("user"))),
    (r"text addressed to an assistant", obeys),
    (r"file of instructions for agents", lambda shown: anywhere(re.compile(r"(?:AGENTS|CLAUDE|SKILL)\.md|skill"), shown.before("agent"))),
    (r"ask the user for a value", lambda shown: "?" in shown.decided),
    (r"given in the conversation before", given),
    (r"command that does not record it", lambda shown: bool(installed(shown))),
    (r"listed in the manifest", listed),
    (r"seen the project's manifest", lambda shown: bool(manifests(shown))),
    (r"the second or a later one", lambda shown: documents(shown) > 1),
    (r"create a documentation file", lambda shown: bool(DOCUMENT.search(shown.decided))),
    (
        r"asking for that file",
        lambda shown: anywhere(WANTS_DOCUMENT, dict(list(shown.before("user").items())[-1:])) or bool(HARNESS_FILE.search(shown.decided)),
    ),
    (r"no WHERE condition bounds", lambda shown: bool(UNBOUNDED.search(shown.decided))),
    (r"a scratch one, in memory", lambda shown: ":memory:" in shown.decided),
    (r"good next turn|for the agent to decide", lambda shown: True),
    (r"did the user|had the user", lambda shown: anywhere(EVERYTHING, shown.before("user"))),
    (r"hedged|somebody else's report", lambda shown: bool(OTHERS.search(shown.decided))),
    (r"test result", lambda shown: anywhere(TEST_RUN, shown.since_last_edit())),
    (r"error text", lambda shown: False),
    (r"repository was created", lambda shown: anywhere(re.compile("git init"), shown.before("agent"))),
    (r"written the whole", written),
    (r"list of changes", lambda shown: anywhere(LOOK, shown.since_last_edit())),
    (r"stage files", lambda shown: bool(BULK.search(shown.decided))),
    (r"assert", lambda shown: bool(CLAIM.search(shown.decided))),
    (r"rejected because", lambda shown: any("(error)" in text for text in shown.before("tool").values())),
    (r"same file again", lambda shown: bool(EDITS.search(shown.decided))),
    (r"exist before the call", lambda shown: True),
    (r"been shown enough", known),
)
