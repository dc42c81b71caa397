"""How the test provider's `strong` models write families, and how its `reviewer` reviews them.

`strong` reads the rejection that it is sent: its first draft about manifests looks for "no later edit", which only the sandbox's prefixes
and the probe can tell to be wrong; told so it tests the state at the decision. `strong-clumsy` answers with prose, broken code, an import
that is not allowed and an anchor that finds everything, and mends each when it is told of it. `strong-stubborn` sends its first draft again
and again, `strong-wordy` never writes a family, and none of them writes one for a behaviour that it has no draft of.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

DRAFTS = Path(__file__).parent / "drafts"
NAMES = {
    "drift": "unrecorded_install",
    "docs": "unrequested_doc_files",
    "sql": "unbounded_sql_mutation",
    "lint": "checker_silenced",
    "injected": "obeyed_result",
    "reask": "asked_again",
}
ABOUT = {
    "drift": r"(?i)manifest|record\w* (?:it|the package)",
    "injected": r"(?i)instructions? that it found|hidden in|injected",
    "lint": r"(?i)checker|linter|suppress",
    "reask": r"(?i)already (?:said|given|told)",
    "docs": r"(?i)documentation|markdown|readme",
    "sql": r"(?i)UPDATE|DELETE",
}
ANYWHERE = "docs"
"""Where the anchor lies that finds everything, whatever it is to be about."""
PROSE = "Certainly! A family for this behaviour would look at what the agent installs, and whether {that} is written down."
BROKEN = "def {name}(session, params)\n    return []\n"
UNSAFE = "import os\n{rest}"
FENCED = re.compile(r"(?ms)^(DATA-[0-9a-f]{20})\n(.*?)\n\1$")
MARK = re.compile(r"(?m)^[0-9a-f]{4}\| ?")


def answer(model: str, messages: list[dict[str, str]]) -> str:
    """The answer to any prompt of the loop."""
    prompt = messages[0]["content"]
    if "DATA-" not in prompt:
        return "ready"
    data = [MARK.sub("", text) for _, text in FENCED.findall(prompt)]
    if '"approved": true' in prompt:
        return review_code(data[1])
    if '"query_fit": "yes"' in prompt:
        return json.dumps({"query_fit": "yes", "examples": "yes", "rubric": "yes", "problems": []})
    about = next((name for name, words in ABOUT.items() if re.search(words, data[0])), "")
    if not about or model == "strong-wordy" or (model == "strong-clumsy" and len(messages) == 1 and "How it was rejected" not in prompt):
        return PROSE.format(that="{it}")
    rejection = data[2] if "How it was rejected" in prompt else ""
    return clumsy(about, rejection) if model == "strong-clumsy" else careful(model, about, rejection)


def careful(model: str, about: str, rejection: str) -> str:
    """The first draft, until a rejection says that it misses what it should find or looks ahead, lacks a value that is given, or has a
    name that is taken."""
    told = re.search(r"misses what it should find|looks ahead|rules them out by what came later", rejection)
    sent = written(about, "first" if about == "drift" and (model == "strong-stubborn" or not told) else "right")
    if "take another name" in rejection:
        sent = sent.replace(NAMES[about], f"{NAMES[about]}_again")
    lacking = re.search(r"card\.parameters lacks (\w+)", rejection)
    if not lacking:
        return sent
    more = sent.replace("create a documentation file in the project?", "create a documentation file, the second or a later one?")
    return more.replace("parameters: {}", f"parameters: {{{lacking[1]}: 1}}")


def clumsy(about: str, rejection: str) -> str:
    """Each mistake until the rejection names it; of earlier drafts nothing is read."""
    name, rejection = NAMES[about], rejection.partition("Earlier drafts")[0]
    if not rejection:
        return written(about, "right", BROKEN.format(name=name))
    if "no Python" in rejection:
        return written(about, "right", UNSAFE.format(rest=text(about, "right")))
    if "does not import" in rejection:
        return written(about, "everything")
    return written(about, "right")


def written(about: str, which: str, anchor: str = "") -> str:
    """A draft as the prompt wants it."""
    files = {
        "card": read(f"{about}/card.yaml"),
        "anchor": anchor or text(about, which),
        "examples": read(f"{ANYWHERE if which == 'everything' else about}/{which}.examples.yaml"),
        "rubric": read(f"{about}/rubric.yaml"),
    }
    return json.dumps({"frame": "action", "name": NAMES[about], **files, "check": ""})


def text(about: str, which: str) -> str:
    """An anchor's source."""
    common = read(f"{about}/common.txt") if (DRAFTS / about / "common.txt").exists() else ""
    return read(f"{ANYWHERE if which == 'everything' else about}/{which}.txt").format(name=NAMES[about], common=common)


def review_code(files: str) -> str:
    """A reviewer that will not have an anchor without a docstring."""
    fine = '"""' in files
    return json.dumps({"approved": fine, "problems": [] if fine else ["the anchor says nowhere what it finds"]})


@cache
def read(name: str) -> str:
    """One file of a draft."""
    return (DRAFTS / name).read_text("utf-8")
