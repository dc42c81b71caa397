"""Which words of a command a shell or a program said that it does not know: programs, subcommands, options, scripts, targets."""

import re

from tracedance.kit.texts import ANSI

_READ = 4_000
_Q = r"[`'\"‘“]"
_END = r"[`'\"’”]"

_PROGRAM = re.compile(
    r"(?m)(?:^|[\s:])([\w./+-]{1,80}): (?:command )?not found[ \t]*\r?$|(?:^|[\s:])([\w./+-]{1,80}): command not found\b(?!: )"
    rf"|{_Q}([^'\"\n]{{1,80}}){_END} is not recognized as (?:an internal|the name)|[Tt]he term {_Q}([^'\n]{{1,80}}){_END} is not recognized"
    r"|command not found: (\S{1,80})|(?m:^)(?:\S*/)?(?:ba|z|da|k|)sh: (?:line )?(?:\d+: )?([^\s:]{1,120}): No such file or directory"
    r"|(?m:^)env: [‘'\"]?([^\s:'’\"]{1,120})[’'\"]?: No such file|can't open file '[^'\n]{0,200}?([\w.-]{1,80})': \[Errno 2\]"
    r"|python[\d.]*: No module named ([\w.-]{1,80})|[Ff]ailed to spawn: [`'\"]([\w./-]{1,80})"
)
_KIND = (
    r"(?:option|flag|switch|sub-?command|command|argument|field|task|target|script|goal|recipe|session|environment|action|parameter"
    r"|phase|key|plugin)"
)
_WORD = re.compile(
    rf"(?i)\bunknown command verb {_Q}?([\w-]{{2,80}})"
    r"|\b(?:unknown|unrecogni[sz]ed|illegal|no such|invalid|unsupported|not a valid|bad|undefined|unexpected)"
    rf" (?:json |cli |command.line |compiler |lifecycle |global |build )?{_KIND}s?(?: (?:or|and) {_KIND}s?)?(?: names?)?"
    rf"(?:[ \t]*--[ \t]+|[ \t]*:[ \t]*|[ \t]+){_Q}?([^\s`'\"’”,;]{{1,80}})"
    r"|\bunknown switch\.\s{1,8}switch: (\S{1,80})"
    rf"|\bthe {_Q}(-{{1,2}}[\w-]{{1,80}}){_END} {_KIND} does not exist"
    rf"|unexpected argument {_Q}([^'\n]{{1,80}}){_END} found|flag provided but not defined: (\S{{1,80}})"
    rf"|{_Q}?([\w:-]{{1,80}}){_END}? is not an? \w+ (?:sub)?command\b|missing script:? {_Q}?([\w:.-]{{1,80}})"
    rf"|no rule to make target {_Q}([^'`\n]{{1,80}}){_END}|no (?:task|recipe|script|step|command|target) (?:named )?"
    rf"{_Q}?([\w:.-]{{1,80}}){_END}? found"
    rf"|unknown shorthand flag: {_Q}(\w){_END}|\bno (?:task|recipe|script|step|command|target)s? (?:named|called) {_Q}([\w:.-]{{1,80}})"
    rf"|\b{_KIND}s? {_Q}([^\s`'\"’”]{{1,80}}){_END}"
    rf" (?:was |is |does |could )?not (?:found|defined|exist|be found|recogni[sz]ed|supported|known)"
    rf"|\b(?:task|recipe|script|target|session|goal|subcommand)s? not found:? {_Q}?([\w:./-]{{1,80}})|not found: (?:script|task"
    rf"|command) {_Q}?([\w:./-]{{1,80}})"
    rf"|(?:contain|have|has|define)s? (?:a |any |no )?(?:recipe|task|target|command|script)s?(?: named)? {_Q}([\w:./-]{{1,80}})"
    rf"|(?:don't|do not) know how to (?:build|make) (?:task |target )?{_Q}([\w:./-]{{1,80}})"
    rf"|no plugin found for prefix {_Q}([\w:-]{{1,80}})"
    rf"|could not find (?:a )?(?:command|task|script)(?: named)? {_Q}([\w:./-]{{1,80}})|invalid choice: {_Q}([^\s'\"]{{1,80}})"
    rf"|unexpected token {_Q}([\w-]{{2,80}})|\binvalid operation ([\w-]{{2,80}})|unknown command verb {_Q}?([\w-]{{2,80}})"
    rf"|requested command ([\w:-]{{2,80}}) does not|\boption:? (--?[\w-]{{1,80}})(?::? is|:) unknown"
    rf"|there is no ([\w:-]{{2,80}}) (?:sub)?command"
    rf"|unable to invoke subcommand: \S*?-([\w-]{{2,40}}) \(|unknown command: [a-z]+ ([\w-]{{2,80}})$"
    rf"|unknown \w+ command: {_Q}(?:[a-z]+ )?([\w-]{{2,80}}){_END}"
    rf"|environments? not found in configuration(?: file)?:?\s+([\w:.-]{{1,80}})"
    rf"|\b(?:go|cargo|helm|npm|pnpm|yarn|mix) ([a-z][\w:-]{{1,40}}): unknown (?:sub)?command"
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
