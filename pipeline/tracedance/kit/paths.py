"""Paths in sessions are texts to compare, never to open: relative and absolute, with either slash, some with wildcards."""

import posixpath
from fnmatch import fnmatchcase
from functools import lru_cache

_DOCS = (".md", ".mdx", ".markdown", ".txt", ".rst", ".adoc", ".org", ".log", ".csv", ".png", ".jpg", ".svg", ".pdf", ".bak", ".orig")
_ASIDE = frozenset((".claude", ".codex", ".cursor", ".gemini", "plans", "memory", "scratchpad", ".github", "docs", "doc"))
_TEMPORARY = ("/tmp/", "/private/tmp/", "/var/folders/", "/private/var/folders/", "$TMPDIR/", "$TMP/", "/var/tmp/")
_INSTRUCTIONS = frozenset(
    ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", "MEMORY.md", ".cursorrules", "copilot-instructions.md", ".windsurfrules")
)


@lru_cache(maxsize=20_000)
def plain(path: str) -> str:
    """A path with forward slashes and without `./`, quotes and doubled separators."""
    text = path[:4096].strip().strip("'\"").replace("\\", "/")
    if text.startswith("/private/"):
        text = text[len("/private") :]
    normal = posixpath.normpath(text) if text else ""
    return normal.removeprefix("//").lstrip() if normal.startswith("//") else normal


def joined(folder: str, path: str) -> str:
    """`path` as seen from `folder`, where a `cd` made that known."""
    return posixpath.join(folder, path) if folder and not path.startswith(("/", "~", "$")) else path


@lru_cache(maxsize=50_000)
def same(one: str, other: str) -> bool:
    """Whether two paths may well be the same file: equal, or the shorter is the end of the longer; wildcards match the last part."""
    a, b = plain(one), plain(other)
    if not a or not b or a == "." or b == ".":
        return False
    if a == b:
        return True
    name_a, name_b = name(a), name(b)
    if "*" in name_a or "*" in name_b or "?" in name_a:
        return fnmatchcase(name_b, name_a) or fnmatchcase(name_a, name_b)
    if a.startswith("/") and b.startswith("/"):
        return False
    shorter, longer = sorted((a.lstrip("/"), b.lstrip("/")), key=len)
    return longer == shorter or longer.endswith("/" + shorter.removeprefix("../"))


def within(path: str, folder: str) -> bool:
    """Whether `path` lies in `folder` or below, as far as the two texts tell."""
    inner, outer = plain(path), plain(folder)
    return inner.startswith(outer + "/") or f"/{outer.lstrip('/')}/" in f"/{inner.lstrip('/')}"


def name(path: str) -> str:
    """The last part of a path."""
    return plain(path).rpartition("/")[2]


def is_literal(path: str) -> bool:
    """Whether the path names one file: no expansion, no wildcard."""
    return bool(path) and not any(sign in path for sign in "$`*?{<>(\n")


def is_temporary(path: str) -> bool:
    """Whether the path lies among temporary files."""
    return path.startswith(_TEMPORARY) or "mktemp" in path


def is_code(path: str) -> bool:
    """Whether a change of this file can change how tests come out: not prose, plans, notes or temporary files."""
    text = plain(path)
    return not (text.lower().endswith(_DOCS) or is_temporary(text) or _ASIDE.intersection(text.split("/")[:-1]))


def is_instructions(path: str) -> bool:
    """Whether harnesses show this file to the model without a record of it."""
    return name(path) in _INSTRUCTIONS
