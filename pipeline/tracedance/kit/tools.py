"""What kind of tool a call uses, and the one text (command, path, pattern) that says what it does."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from tracedance.schema import ToolClass

_NAMES: dict[str, ToolClass] = {}
"""Tool names of the known harnesses, lower case without separators, by class."""


def _know(tool_class: ToolClass, names: str) -> None:
    _NAMES.update((name, tool_class) for name in names.split())


_know(
    "shell",
    "bash shell execcommand exec localshell containerexec powershell runshellcommand runterminalcmd executecommand executebash terminal",
)
_know("shell", "runcommand runinterminal execute runbash bashcommand sh")
_know(
    "edit", "edit multiedit strreplaceeditor strreplacebasededittool applypatch notebookedit replace patch searchreplace editfile applydiff"
)
_know("edit", "inserteditintofile replaceinfile strreplace replacestringinfile editnotebookfile")
_know("write", "write writefile createfile writetofile create fswrite savefile")
_know("read", "read readfile notebookread view cat readmanyfiles openfile viewimage fsread viewfile")
_know(
    "search", "grep glob ls list listdirectory listdir searchfilecontent codebasesearch filesearch grepsearch searchfiles rg find listfiles"
)
_know("search", "semanticsearch semanticcodesearch")
_know("web", "webfetch websearch googlewebsearch fetch fetchwebpage browser browse urlfetch")
_know(
    "plan",
    "todowrite todoread updateplan exitplanmode enterplanmode taskcreate taskupdate tasklist taskget think writetodos managetodolist",
)
_know("ask", "askuserquestion askuser requestuserinput question askfollowupquestion")
_know("job", "bashoutput killshell killbash taskoutput taskstop writestdin monitor wait readbash stopbash writebash croncreate")
_know("subagent", "task agent spawnagent delegate subagent waitagent closeagent")
_know("skill", "skill slashcommand useskill activateskill")
_know("message", "sendmessage sendemail sendmail replyemail message sendinput postmessage")
_know("db", "sql query runquery executesql querydatabase executequery")

_BY_WORDS: tuple[tuple[ToolClass, str, str], ...] = (
    ("message", "send reply forward post notify", "message email mail sms chat channel slack notification dm"),
    ("read", "read view open", "file files notebook"),
    ("write", "write create save", "file files"),
    ("edit", "edit patch replace modify", "file files notebook"),
    ("search", "search grep find list", "file files directory code codebase"),
    ("db", "query execute run", "sql database db table"),
    ("shell", "run execute exec", "shell bash command terminal"),
    ("web", "browser web fetch", "navigate click page url search browser webpage"),
)
"""(class, verbs, objects): a name with one word of each, for tools that the table above does not know."""

_PATH_KEYS = ("file_path", "path", "notebook_path", "filePath", "filename", "absolute_path", "target_file", "file", "relative_path")
_TEXT_KEYS: dict[ToolClass, tuple[str, ...]] = {
    "search": ("pattern", "query", "regex", "path"),
    "web": ("url", "query", "uri"),
    "db": ("query", "sql", "statement"),
    "skill": ("skill", "command", "name"),
    "subagent": ("subagent_type", "description", "agent"),
    "job": ("command", "cmd"),
}
_PATCH_PATH = re.compile(r"^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+)$", re.MULTILINE)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_APPLY_PATCH = re.compile(r"\s*(?:cd [^\s;&|]+ && )?apply_patch\s*<<")
_SHELLS = frozenset(
    ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash", "/usr/bin/zsh", "pwsh", "powershell", "powershell.exe")
)


def tool_class(name: str, arguments: Mapping[str, Any]) -> ToolClass:
    """The class of tool that a call of `name` uses; `arguments` decide for tools that do several things."""
    known = _class_of(name[:200])
    if known == "edit":
        return _editor(arguments)
    return _shell(arguments) if known == "shell" else known


@lru_cache(maxsize=1024)
def _class_of(name: str) -> ToolClass:
    server, _, tool = name.rpartition("__") if name.startswith("mcp__") else ("", "", name)
    tool = tool.rpartition(".")[2] or tool
    known = _NAMES.get(re.sub(r"[_\-.\s]", "", tool).lower())
    if known is None:
        return _by_words(tool, bool(server))
    # An MCP server's `list_tasks` or `wait` is not the harness's own.
    return "api" if server and known in ("plan", "ask", "subagent", "skill", "job", "other") else known


def command(name: str, tool_class: ToolClass, arguments: Mapping[str, Any]) -> str:
    """The `cmd` column: the shell command, path (of a patch: one a line) or pattern of a call; "" where it has none."""
    if tool_class in ("edit", "write", "read"):
        return next((arguments[key] for key in _PATH_KEYS if _is_text(arguments.get(key))), "") or "\n".join(
            patched_paths(patch_text(arguments))
        )
    if tool_class == "shell":
        return shell_text(arguments)
    return next((arguments[key] for key in _TEXT_KEYS.get(tool_class, ()) if _is_text(arguments.get(key))), "")


def patched_paths(patch: str) -> list[str]:
    """Paths that a patch in apply_patch's format names, in order, each once."""
    return list(dict.fromkeys(path.strip() for path in _PATCH_PATH.findall(patch)))


def patch_text(arguments: Mapping[str, Any]) -> str:
    """The apply_patch text among the arguments of a call, "" where there is none: free text, a patch field, a command or JavaScript."""
    for key in ("input", "patch", "content"):
        text = arguments.get(key)
        if isinstance(text, str) and "*** Begin Patch" in text:
            return "\n".join(scripted(text)[1]) or text
    inner = _inner(arguments)
    return inner if "*** Begin Patch" in inner else ""


def shell_text(arguments: Mapping[str, Any]) -> str:
    """The command of a shell call as one would type it: wrappers such as ["bash", "-lc", ...] taken off, scripted calls unpacked."""
    script = arguments.get("input")
    if isinstance(script, str):
        commands, patches = scripted(script)
        return (
            "\n".join([*commands, *("apply_patch " + " ".join(patched_paths(patch)) for patch in patches)])
            if commands or patches
            else script
        )
    return _inner(arguments)


def scripted(script: str) -> tuple[list[str], list[str]]:
    """Commands and patches inside JavaScript that calls `tools.exec_command({cmd: ...})` and applies patches held in string constants."""
    commands: list[str] = []
    patches: list[str] = []
    key = ""
    for kind, text in _javascript(script):
        if kind == "string" and "*** Begin Patch" in text:
            patches.append(text)
        elif kind == "string" and key == "cmd":
            commands.append(text)
        elif kind == "string" and text in ("cmd", "command"):
            key = "cmd?"
            continue
        if kind == "code":
            tail = text.rstrip()
            key = "cmd" if re.search(r"\b(?:cmd|command)\s*:$", tail[-40:]) or (key == "cmd?" and tail.strip() == ":") else ""
        else:
            key = ""
    return commands, patches


def _javascript(script: str) -> Iterator[tuple[str, str]]:
    """Strings (unescaped) and the code between them, in order."""
    start = 0
    while (quote := _QUOTE.search(script, start)) is not None:
        yield "code", script[start : quote.start()]
        end = _string_end(script, quote.start())
        yield "string", _unescape(script[quote.end() : end])
        start = end + 1
    yield "code", script[start:]


_QUOTE = re.compile("[\"'`]")
_QUOTE_OR_ESCAPE = {quote: re.compile(rf"{quote}|\\") for quote in "\"'`"}


def _string_end(script: str, start: int) -> int:
    ends, position = _QUOTE_OR_ESCAPE[script[start]], start + 1
    while (found := ends.search(script, position)) is not None and found[0] == "\\":
        position = found.end() + 1
    return found.start() if found is not None else len(script)


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    plain = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}
    return re.sub(r"\\(.)", lambda match: plain.get(match[1], match[1]), text, flags=re.DOTALL)


def _inner(arguments: Mapping[str, Any]) -> str:
    value = next((arguments[key] for key in ("command", "cmd", "script", "code") if arguments.get(key)), "")
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return ""
    argv = [part for part in value if isinstance(part, str)]
    if len(argv) >= 3 and argv[0] in _SHELLS and argv[1].startswith("-"):
        return argv[-1]
    if len(argv) == 2 and argv[0] == "apply_patch":
        return f"apply_patch <<'EOF'\n{argv[1]}\nEOF"
    return " ".join(part if re.fullmatch(r"[\w@%+=:,./-]+", part) else "'" + part.replace("'", "'\"'\"'") + "'" for part in argv)


def _shell(arguments: Mapping[str, Any]) -> ToolClass:
    script = arguments.get("input")
    if isinstance(script, str):
        commands, patches = scripted(script)
        return "edit" if patches and not commands else "shell"
    inner = _inner(arguments)
    return "edit" if "*** Begin Patch" in inner and _APPLY_PATCH.match(inner) else "shell"


def _editor(arguments: Mapping[str, Any]) -> ToolClass:
    verb = arguments.get("command")
    if verb == "view":
        return "read"
    return "write" if verb == "create" else "edit"


def _by_words(tool: str, served: bool) -> ToolClass:
    words = {word.lower() for word in _WORDS.findall(tool)}
    for known, verbs, objects in _BY_WORDS:
        if words.intersection(verbs.split()) and words.intersection(objects.split()):
            return known
    return "api" if served or "_" in tool or "-" in tool else "other"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""
