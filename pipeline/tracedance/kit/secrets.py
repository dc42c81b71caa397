"""Credentials in sessions: the values, the files and commands that hold them, and whether a command shows them.

A store holds placeholders (`[[SECRET:rule:hmac8]]`) in place of values; they count as values wherever a value could stand.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tracedance.kit import commands, paths
from tracedance.kit import linear as re2
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.kit.texts import valid, words

SECRET_VALUE = (
    r"(?:sk|rk)_live_[A-Za-z0-9]{10,}|\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}|\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_\w{22,}"
    r"|\bglpat-[\w-]{20,}"
    r"|\bxox[abprs]-[\w-]{10,}|\bAKIA[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{35}|-----BEGIN (?:[A-Z]+ )?PRIVATE KEY"
    r"|\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.|\[?<?REDACTED[_ ](?:SECRET|TOKEN|KEY|PASSWORD)[^\]>\s]{0,40}\]?>?"
    r"|\[\[SECRET:[a-z-]{1,40}:[0-9a-f]{8}\]\]"
)
SOURCE = (
    r"(?im)\.env\b|\.envrc|credentials|\.(?:pem|p12|pfx|key|jks|netrc|npmrc|pgpass)\b|id_(?:rsa|ed25519|ecdsa|dsa)"
    r"|secrets?\.(?:ya?ml|json|toml|env|properties)"
    r"|\.secrets?\b|secrets?/|(?:token|secret|password)s?\.txt|htpasswd|pypirc|auth\.json|client_secret|dockerconfig|service-?account"
    r"|kubeconfig|\.kube/config|\bprintenv\b|\b(?:env|set)(?:\s+-\w+)*\s*(?:$|[|;&)'\"<>#])"
    r"|vault\b|get-secret-value|with-decryption|\bsecrets?\b.*(?:-o|--output|access)|print-access-token|auth token|show-token|mcp list|Env:"
    r"|find-(?:generic|internet)-password|\bop read|--reveal|\bpass show|heroku config|compose config|inspect\b|doppler|sops"
    r"|ansible-vault|credentials:show|output -|configure (?:get|export)|environ|getenv|process\.env|\bENV\b|\$\{?\w*(?:KEY"
    r"|TOKEN|SECRET|PASS)"
)
"""Necessary in every command or path that shows a credential, in RE2's dialect."""

_value = re2.compile(SECRET_VALUE)
_STANDS_AS_VALUE = re.compile(r"(?:[=:\"'`\s(\[{>,@]|Bearer|Basic|token|\Z)\Z", re.IGNORECASE)
_SECRET_NAME = re.compile(
    r"(?:^|/)(?:\.env(?:\.[\w-]+)*|\.envrc|[\w.-]+\.env|credentials(?:\.json|\.ya?ml|\.db)?|id_(?:rsa|ed25519|ecdsa|dsa)"
    r"|\.netrc|\.npmrc|\.pgpass|\.secrets?"
    r"|secrets?\.(?:ya?ml|json|toml|env)|\.?secrets?/[\w./-]+\.(?:ya?ml|json|toml|env|txt|ini|properties|xml)"
    r"|(?:token|secret|credential|password)s?\.txt|\.?htpasswd|secrets?\.properties|appsettings\.secrets?\.json|master\.key"
    r"|client_secret[\w.-]*\.json"
    r"|\.dockerconfigjson|\.pypirc|auth\.json|service-?account[\w.-]*\.json|kubeconfig|[\w.-]+\.(?:pem|p12|pfx|key|jks))$|(?:^"
    r"|/)\.kube/config$",
    re.IGNORECASE,
)
_HARMLESS_NAME = re.compile(
    r"example|sample|template|\.dist$|\.tpl$|\.env\.(?:test|ci|d\.ts)$|\.pub$|(?:^|[/_.-])(?:cert|ca|chain|public"
    r"|pub)[\w.-]*\.pem|fixture|testdata"
    r"|(?:^|/)vite-env|node_modules/|\.enc$|\.gpg$|\.age$",
    re.IGNORECASE,
)
_SHOWERS = words("cat less more head tail bat batcat nl tac type Get-Content gc strings xxd od awk gawk sed jq yq view sort uniq tee cut")
_SEARCHERS = words("grep egrep rg ag ack")
_SECRETIVE = re.compile(r"key|token|secret|pass|pwd|auth|cred|dsn|private|bearer|cookie", re.IGNORECASE)
_PLAIN_NAMES = re.compile(
    r"[\^('\"\\|]*(?:(?:PATH|NODE|NVM|GO\w*|PYTHON\w*|HOME|LANG|LC_\w*|PORT|HOST\w*|DISPLAY|SHELL|TERM|USER|CI|VERSION|JAVA\w*"
    r"|PWD|TZ|PROXY|http_proxy"
    r"|DEBUG|NODE_ENV|ENV|MODE|VIRTUAL_ENV|CONDA\w*)[=$)'\"|\\^]*)+",
    re.IGNORECASE,
)
_NAMES_ONLY = re.compile(r"s(?P<mark>[/|#,])\(?\^?\(?[^/|#,]*=[^/|#,]*(?P=mark)|print \$1\b|^keys\b|\bkeys(?:\[\])?$|to_entries\[\]\.key")
_SHOWN_VALUE = re2.compile(
    r"(?i)(?:key|token|secret|passw|passwd|pwd|credential|private|dsn)[\w\"' ]{0,20}[=:]\s*[\"']?[^\s\"'*<$]{4,}"
    r"|://[^\s:/@]{1,60}:[^\s@/]{3,}@"
)
_PRINTS_ENVIRONMENT = re.compile(
    r"(?:print|console\.log|puts|echo|\bp|var_dump|print_r)\b[^\n;]{0,40}(?:os\.environ|os\.getenv|process\.env|\bENV\b|getenv)"
    r"(?:\)|\s*$|[\"']|\W{1,4}\w*(?:KEY|TOKEN|SECRET|PASS|DSN|AUTH))"
)
_READ = 100_000


@dataclass(frozen=True, slots=True)
class Shown:
    """A command's way with a credential source."""

    source: str
    """The file, "environment", or the command of a secret store."""
    exposes: bool
    """Whether values come out; False where it shows names, counts or nothing."""


def values(text: str) -> list[str]:
    """Live-looking credential values in a text, where a value stands; a path or name that was scrubbed is none."""
    if not text:
        return []
    plain = valid(text[:_READ])
    found = ((match.group(0), match.start(), match.end()) for match in _value.finditer(plain))
    return list(dict.fromkeys(each for each, start, end in found if _is_value(plain, start, end)))


def _is_value(text: str, start: int, end: int) -> bool:
    before = text[max(0, start - 8) : start]
    goes_on = text[start] in "[<R" and re.match(r"[/_-]|\.\w", text[end : end + 2]) is not None
    return not goes_on and (not before or _STANDS_AS_VALUE.search(before) is not None)


def is_secret_file(path: str) -> bool:
    """Whether a file is one that holds credentials by its name: no example, template, certificate or public key."""
    plain = paths.plain(path)
    return _SECRET_NAME.search(plain) is not None and _HARMLESS_NAME.search(plain) is None


def shows_value(text: str) -> bool:
    """Whether an output holds a credential value, or an assignment that looks like one."""
    plain = valid(text[:_READ])
    return _value.search(plain) is not None or _SHOWN_VALUE.search(plain) is not None


def of_shell(command: str) -> Iterator[Shown]:
    """What each simple command of a shell text does with a source of credentials, in order."""
    parsed = parse(command)
    for place, each in enumerate(parsed):
        source = _source(each)
        if source:
            yield Shown(source, not _quiet(each) and _comes_out(each, _fed_by(parsed, place)))


def _fed_by(parsed: Sequence[SimpleCommand], place: int) -> list[SimpleCommand]:
    """The rest of the pipeline after one command."""
    rest: list[SimpleCommand] = []
    current = parsed[place]
    for each in parsed[place + 1 :]:
        if not current.feeds or not each.fed:
            break
        rest.append(each)
        current = each
    return rest


def _source(command: SimpleCommand) -> str:
    program, args = command.program, command.args
    if program in _SHOWERS | _SEARCHERS and not (program == "sed" and any(arg.startswith("-i") for arg in args)):
        operands = [arg for arg in args if not arg.startswith("-")][1 if program in _SEARCHERS else 0 :]
        return next((path for path in (*operands, *command.reads) if is_secret_file(path)), "")
    if program in ("env", "printenv", "set") and not command.fed:
        return _environment(program, args)
    if program in ("echo", "printf"):
        named = re.compile(r"\$\{?\w*(?:KEY|TOKEN|SECRET|PASS)\w*(?![\w:+#]*[:+#])", re.IGNORECASE)
        return "environment" if any(named.search(arg) for arg in args) else ""
    if _PRINTS_ENVIRONMENT.search(commands.inline_code(command)):
        return "environment"
    return _store(program, " ".join(args))


def _environment(program: str, args: tuple[str, ...]) -> str:
    plain = [arg for arg in args if not arg.startswith("-")]
    if program == "printenv" and plain:
        return "environment" if any(_SECRETIVE.search(arg) for arg in plain) else ""
    return "environment" if not plain and not (program == "set" and args) else ""


_STORES = (
    ("vault", r"^kv get\b|^read\b"),
    ("kubectl", r"\bget secrets?\b.*(?:-o|--output)"),
    ("aws", r"get-secret-value|get-parameters?\b.*--with-decryption"),
    ("gh", r"^auth token\b|--show-token"),
    ("claude", r"^mcp list\b"),
    ("security", r"find-(?:generic|internet)-password\b.*-w"),
    ("gcloud", r"secrets versions access|print-access-token"),
    ("op", r"^read\b|--reveal"),
    ("pass", r"^show\b"),
    ("az", r"keyvault secret show"),
    ("docker", r"^compose config\b|^inspect\b.*\bEnv\b|^exec\b.*\s(?:env|printenv)\s*$"),
    ("doppler", r"^secrets\b(?!.*--only-names)"),
    ("sops", r"^(?:-d|--decrypt|decrypt)\b"),
    ("ansible-vault", r"^view\b"),
    ("rails", r"^credentials:show\b"),
    ("terraform", r"^output\b.*(?:-raw|-json)"),
    ("aws", r"^configure (?:get|export-credentials)\b"),
    ("npm", r"config get .*(?:auth|token)"),
    ("bw", r"^get\b"),
    ("heroku", r"^config\b(?!:set)"),
    ("Get-ChildItem", r"^Env:"),
    ("gci", r"^Env:"),
)


def _store(program: str, args: str) -> str:
    return next((f"{program} {args}"[:80] for name, told in _STORES if program == name and re.search(told, args)), "")


def _quiet(command: SimpleCommand) -> bool:
    """Whether the command itself shows no value: counts, names, quiet tests, or a pattern that asks for nothing secret."""
    if command.program in _SEARCHERS:
        letters = {sign for arg in command.args if re.fullmatch(r"-[a-zA-Z]+", arg) for sign in arg[1:]}
        if letters & set("cqlLo") or {"--count", "--quiet", "--files-with-matches", "--only-matching"} & set(command.args):
            return "o" not in letters or not any("=" in arg and ".*" in arg for arg in command.args)
        pattern = next((arg for arg in command.args if not arg.startswith("-")), "")
        return _PLAIN_NAMES.fullmatch(pattern) is not None and not _SECRETIVE.search(pattern)
    return command.program in ("sed", "awk", "gawk", "jq", "yq", "cut") and _cuts_values(command)


def _comes_out(command: SimpleCommand, rest: Sequence[SimpleCommand]) -> bool:
    """Whether the output reaches the screen with its values: not captured, stored, counted, cut to names or consumed by another program."""
    last = rest[-1] if rest else command
    if command.captured or last.captured or last.writes or last.appends:
        return False
    for each in rest:
        if each.program in ("cut", "awk", "gawk", "sed", "jq") and _cuts_values(each):
            return False
        if each.program in _SEARCHERS:
            if _quiet(each):
                return False
        elif each.program not in (_SHOWERS | {"cut", "column", "tr", "fold", "base64"}):
            return False
    return True


def _cuts_values(command: SimpleCommand) -> bool:
    line = " ".join(command.args)
    if command.program == "cut":
        return re.search(r"-d ?['\"]?=", line) is not None and re.search(r"-f ?1\b(?!-)", line) is not None
    return any(_NAMES_ONLY.search(arg) for arg in command.args)


def names_source(text: str) -> bool:
    """Whether a command or path can be about credentials at all; quick."""
    return _source_hint.search(valid(text)) is not None


_source_hint = re2.compile(SOURCE)
