"""Which words of a command a shell or a program said that it does not know: programs, subcommands, options, scripts, targets."""

import re

from tracedance.kit.texts import ANSI

_READ = 4_000
_Q = r"[`'\"‘“]"
_END = r"[`'\"’”]"

_PROGRAM = re.compile(
    r"(?m)(?:^|[\s:])([\w./+-]{1,80}): (?:command )?not found[ \t]*\r?$|(?:^|[\s:])([\w./+-]{1,80}): command not found\b(?!: )"
    rf"|{_Q}([^'\"\n]{{1,80}}){_END} is not recognized as (?:an internal|the name)|[Tt]he term {_Q}([^'\n]{{1,80}}){_END} is not recognized"
    r"|command not found: (\S{1,80})"
)
_WORD = re.compile(
    r"(?i)\b(?:unknown|unrecogni[sz]ed|illegal|no such|invalid|unsupported)"
    r" (?:json )?(?:option|flag|switch|sub-?command|command|argument|field|task|target)s?(?: name)?"
    rf"(?:[ \t]*--[ \t]+|[ \t]*:[ \t]*|[ \t]+){_Q}?([^\s`'\"’”,;]{{1,80}})"
    rf"|unexpected argument {_Q}([^'\n]{{1,80}}){_END} found|flag provided but not defined: (\S{{1,80}})"
    rf"|{_Q}?([\w:-]{{1,80}}){_END}? is not a \w+ command\b|missing script: {_Q}?([\w:.-]{{1,80}})"
    rf"|no rule to make target {_Q}([^'`\n]{{1,80}}){_END}|no task {_Q}?([\w:.-]{{1,80}}){_END}? found"
    rf"|unknown shorthand flag: {_Q}(\w){_END}"
)
_POINTED = re.compile(r"(?m)^(?P<line>[^\n]+)\n(?P<gap>[ \t]*)\^+ ?Unknown arguments?")
"""A line of the command with a caret under the word."""


def programs(error: str) -> list[str]:
    """Programs that were not found, in order, each once."""
    return list(
        dict.fromkeys(name for match in _PROGRAM.finditer(_head(error)) if (name := _group(match)) and re.search(r"[A-Za-z]", name))
    )


def words(error: str) -> list[str]:
    """Subcommands, options, scripts, fields and targets that a program did not know, in order, each once; none without a letter."""
    text = _head(error)
    found = [(match.start(), _group(match)) for match in _WORD.finditer(text)]
    for match in _POINTED.finditer(text):
        rest = match["line"][len(match["gap"]) :].split()
        found.append((match.start(), rest[0] if rest else ""))
    named = (word.rstrip(".:)]") for _, word in sorted(found))
    return list(dict.fromkeys(word for word in named if re.search(r"[A-Za-z]", word)))


def _group(match: re.Match[str]) -> str:
    return next((group for group in match.groups() if group), "")


def _head(error: str) -> str:
    text = ANSI.sub("", error[: 2 * _READ])
    return text if len(error) <= 2 * _READ else f"{text[:_READ]}\n{error[-_READ:]}"
