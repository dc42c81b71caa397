"""The git commands that the scenes use, on the model of a working tree."""

from dataclasses import dataclass

from tracedance.synth.tree import Tree

Ran = tuple[str, int]


@dataclass
class Git:
    tree: Tree

    def run(self, args: list[str]) -> Ran:
        """Output and exit code of `git <args>`."""
        name, rest = args[0], args[1:]
        handler = getattr(self, "_" + name.replace("-", "_"), None)
        if handler is None:
            raise ValueError(f"The git of the scenes does not know {args!r}.")
        ran: Ran = handler(rest)
        return ran

    def _status(self, args: list[str]) -> Ran:
        lines = self.tree.short()
        if any(arg in ("--short", "-s", "--porcelain", "-sb") for arg in args):
            return "\n".join(([f"## {self.tree.branch}"] if "-sb" in args else []) + lines), 0
        told = [f"On branch {self.tree.branch}"]
        for title, hint, rows in (
            ("Changes to be committed:", '  (use "git restore --staged <file>..." to unstage)', self.tree.staged()),
            ("Changes not staged for commit:", '  (use "git add <file>..." to update what will be committed)', self.tree.unstaged()),
        ):
            if rows:
                told += [title, hint, *(f"\t{_WORDS[mark]}{path}" for mark, path in rows), ""]
        if self.tree.untracked():
            told += ["Untracked files:", '  (use "git add <file>..." to include in what will be committed)']
            told += [*(f"\t{path}" for path in self.tree.untracked()), ""]
        if not lines:
            told.append("nothing to commit, working tree clean")
        return "\n".join(told), 0

    def _diff(self, args: list[str]) -> Ran:
        cached = "--cached" in args or "--staged" in args
        paths = [arg for arg in args if not arg.startswith("-") and arg != "HEAD"]
        if "--stat" in args:
            return self.tree.stat(cached=cached), 0
        if "--name-only" in args:
            return "\n".join(path for _, path in (self.tree.staged() if cached else self.tree.unstaged())), 0
        return self.tree.diff(paths, cached=cached), 0

    def _add(self, args: list[str]) -> Ran:
        paths = [arg for arg in args if not arg.startswith("-")]
        flags = [arg for arg in args if arg.startswith("-")]
        if "-n" in flags or "--dry-run" in flags:
            names = [*(path for _, path in self.tree.unstaged()), *self.tree.untracked()]
            return "\n".join(f"add '{name}'" for name in names), 0
        if (any(flag in ("-A", "--all") for flag in flags) and not paths) or paths in (["."], ["*"]):
            self.tree.stage()
        elif "-u" in flags:
            self.tree.stage(tracked_only=True)
        else:
            missing = self.tree.stage(paths)
            if missing:
                return f"fatal: pathspec '{missing[0]}' did not match any files", 128
        return "", 0

    def _commit(self, args: list[str]) -> Ran:
        messages = [args[at + 1] for at, arg in enumerate(args) if arg in ("-m", "-am") or (arg.startswith("-") and arg.endswith("am"))]
        amend = "--amend" in args
        if any(arg in ("-a", "-am", "--all") for arg in args):
            self.tree.stage(tracked_only=True)
        subject = messages[0].split("\n")[0] if messages else ""
        if not subject:
            subject = self.tree.log[0][1] if amend else f"Merge branch '{self.tree.merging}' into {self.tree.branch}"
        told = self.tree.commit(subject, amend=amend)
        if told:
            return told, 0
        return f"On branch {self.tree.branch}\nno changes added to commit", 1

    def _log(self, args: list[str]) -> Ran:
        count = next((int(arg.lstrip("-n")) for arg in args if arg.lstrip("-n").isdigit()), 5)
        return "\n".join(f"{short} {subject}" for short, subject in self.tree.log[:count]), 0

    def _ls_files(self, args: list[str]) -> Ran:
        if "-o" in args or "--others" in args:
            return "\n".join(self.tree.untracked()), 0
        paths = [arg.rstrip("/") for arg in args if not arg.startswith("-")]
        shown = [path for path in sorted(self.tree.index) if not paths or any(path.startswith(name) for name in paths)]
        return "\n".join(shown), 0

    def _branch(self, args: list[str]) -> Ran:
        return (self.tree.branch if "--show-current" in args else f"* {self.tree.branch}"), 0

    def _show(self, args: list[str]) -> Ran:
        path = args[0].split(":", 1)[1]
        return self.tree.head[path], 0

    def _stash(self, args: list[str]) -> Ran:
        if args[:1] == ["pop"]:
            return f"On branch {self.tree.branch}\nDropped refs/stash@{{0}}", 0
        return f"Saved working directory and index state WIP on {self.tree.branch}: {' '.join(self.tree.log[0])}", 0

    def _rm(self, args: list[str]) -> Ran:
        paths = [arg for arg in args if not arg.startswith("-")]
        for path in paths:
            self.tree.index.pop(path, None)
            if "--cached" not in args:
                self.tree.work.pop(path, None)
        return "\n".join(f"rm '{path}'" for path in paths), 0

    def _restore(self, args: list[str]) -> Ran:
        for path in (arg for arg in args if not arg.startswith("-")):
            self.tree.index[path] = self.tree.head[path]
        return "", 0

    def _mv(self, args: list[str]) -> Ran:
        for layer in (self.tree.work, self.tree.index):
            layer[args[1]] = layer.pop(args[0])
        return "", 0

    def _init(self, args: list[str]) -> Ran:
        return "Initialized empty Git repository in .git/", 0

    def _checkout(self, args: list[str]) -> Ran:
        self.tree.branch = args[-1]
        return f"Switched to a new branch '{args[-1]}'", 0

    def _rebase(self, args: list[str]) -> Ran:
        self.tree.commit(self.tree.log[0][1])
        return f"Successfully rebased and updated refs/heads/{self.tree.branch}.", 0

    def _pull(self, args: list[str]) -> Ran:
        told, self.tree.news = self.tree.news or "Already up to date.", ""
        return told, 0

    def _push(self, args: list[str]) -> Ran:
        old, new = (self.tree.log[1][0], self.tree.log[0][0]) if len(self.tree.log) > 1 else ("0000000", self.tree.log[0][0])
        return f"To git.example.org:team/app.git\n   {old}..{new}  {self.tree.branch} -> {self.tree.branch}", 0


_WORDS = {"M": "modified:   ", "A": "new file:   ", "D": "deleted:    "}
