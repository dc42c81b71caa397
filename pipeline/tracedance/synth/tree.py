"""A small model of a working tree and its git repository, so that what a session shows agrees with what it did."""

import difflib
import hashlib
from dataclasses import dataclass, field
from fnmatch import fnmatch

Files = dict[str, str]


@dataclass
class Tree:
    """Three layers of files, as git knows them, and the commits made."""

    work: Files
    head: Files = field(default_factory=dict)
    index: Files = field(default_factory=dict)
    ignore: tuple[str, ...] = ()
    branch: str = "main"
    log: list[tuple[str, str]] = field(default_factory=list)
    """(short hash, subject), newest first."""
    merging: str = ""
    """Branch that is being merged, while a merge is open."""
    news: str = ""
    """What the next pull prints; the files are changed by whoever sets it."""

    def settle(self, subject: str) -> None:
        """Makes everything that is there the first commit known."""
        self.head = {path: text for path, text in self.work.items() if not self.ignored(path)}
        self.index = dict(self.head)
        self.log.insert(0, (self._hash(subject), subject))

    def ignored(self, path: str) -> bool:
        return any(fnmatch(part, rule) for rule in self.ignore for part in (path, *path.split("/")))

    def stage(self, paths: list[str] | None = None, *, tracked_only: bool = False) -> list[str]:
        """Brings the index up to the working tree, for all paths or those named; returns what was named but is unknown."""
        known = set(self.work) | set(self.index)
        chosen = known if paths is None else {path for path in known if any(_below(path, name) for name in paths)}
        for path in chosen:
            if path in self.work and (path in self.index or not (self.ignored(path) or tracked_only)):
                self.index[path] = self.work[path]
            elif path not in self.work:
                self.index.pop(path, None)
        return [name for name in paths or () if not any(_below(path, name) for path in known)]

    def staged(self) -> list[tuple[str, str]]:
        return _changes(self.head, self.index)

    def unstaged(self) -> list[tuple[str, str]]:
        return [(mark, path) for mark, path in _changes(self.index, {p: t for p, t in self.work.items() if p in self.index})]

    def untracked(self) -> list[str]:
        """Untracked paths, a wholly untracked folder as one name, as git shows them."""
        shown = set()
        for path in self.work:
            if path not in self.index and not self.ignored(path):
                shown.add(self._topmost(path))
        return sorted(shown)

    def _topmost(self, path: str) -> str:
        parts = path.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth]) + "/"
            if not any(tracked.startswith(folder) for tracked in self.index):
                return folder
        return path

    def short(self) -> list[str]:
        """Lines of `git status --short`."""
        left = {path: mark for mark, path in self.staged()}
        right = {path: mark for mark, path in self.unstaged()}
        lines = [f"{left.get(path, ' ')}{right.get(path, ' ')} {path}" for path in sorted(set(left) | set(right))]
        return lines + [f"?? {path}" for path in self.untracked()]

    def diff(self, paths: list[str], *, cached: bool) -> str:
        """A unified diff of the named paths (all when none is named)."""
        before, after = (self.head, self.index) if cached else (self.index, self.work)
        changed = self.staged() if cached else self.unstaged()
        return "".join(_patch(before, after, path) for _, path in changed if not paths or any(_below(path, name) for name in paths))

    def stat(self, *, cached: bool) -> str:
        before, after = (self.head, self.index) if cached else (self.index, self.work)
        rows = [(path, *_counts(before.get(path, ""), after.get(path, ""))) for _, path in (self.staged() if cached else self.unstaged())]
        if not rows:
            return ""
        width = max(len(path) for path, _, _ in rows)
        top = max(plus + minus for _, plus, minus in rows)
        lines = [f" {path:<{width}} | {plus + minus:>{len(str(top))}} {'+' * plus}{'-' * minus}" for path, plus, minus in rows]
        return "\n".join([*lines, " " + _totals([(plus, minus) for _, plus, minus in rows])])

    def commit(self, subject: str, *, amend: bool = False) -> str:
        """Commits the index; the text git prints, "" when there is nothing to commit."""
        if amend:
            self.log.pop(0)
        changed = self.staged()
        if not changed and not amend and not self.merging:
            return ""
        counts = [_counts(self.head.get(path, ""), self.index.get(path, "")) for _, path in changed]
        made = [f" create mode 100644 {path}" for mark, path in changed if mark == "A"]
        made += [f" delete mode 100644 {path}" for mark, path in changed if mark == "D"]
        self.head = dict(self.index)
        self.merging = ""
        short = self._hash(subject)
        self.log.insert(0, (short, subject))
        return "\n".join([f"[{self.branch} {short}] {subject}", *([" " + _totals(counts)] if counts else []), *made])

    def _hash(self, subject: str) -> str:
        told = "\0".join((subject, str(len(self.log)), *(text for _, text in sorted(self.index.items()))))
        return hashlib.sha1(told.encode(), usedforsecurity=False).hexdigest()[:7]


def _below(path: str, name: str) -> bool:
    name = name.removeprefix("./").rstrip("/")
    return name == "." or path == name or path.startswith(name + "/") or ("*" in name and fnmatch(path, name))


def _changes(before: Files, after: Files) -> list[tuple[str, str]]:
    marks = []
    for path in sorted(set(before) | set(after)):
        if path not in before:
            marks.append(("A", path))
        elif path not in after:
            marks.append(("D", path))
        elif before[path] != after[path]:
            marks.append(("M", path))
    return marks


def _counts(before: str, after: str) -> tuple[int, int]:
    lines = [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line[:2] in ("+ ", "- ")]
    return sum(line[0] == "+" for line in lines), sum(line[0] == "-" for line in lines)


def _totals(counts: list[tuple[int, int]]) -> str:
    plus, minus = sum(p for p, _ in counts), sum(m for _, m in counts)
    told = [f"{len(counts)} file{'s' * (len(counts) != 1)} changed"]
    if plus or not minus:
        told.append(f"{plus} insertion{'s' * (plus != 1)}(+)")
    if minus:
        told.append(f"{minus} deletion{'s' * (minus != 1)}(-)")
    return ", ".join(told)


def _patch(before: Files, after: Files, path: str) -> str:
    old, new = before.get(path, "").splitlines(), after.get(path, "").splitlines()
    body = "\n".join(difflib.unified_diff(old, new, f"a/{path}" if path in before else "/dev/null", f"b/{path}", lineterm=""))
    marks = (hashlib.sha1("\n".join(lines).encode(), usedforsecurity=False).hexdigest()[:7] for lines in (old, new))
    return f"diff --git a/{path} b/{path}\nindex {'..'.join(marks)} 100644\n{body}\n"
