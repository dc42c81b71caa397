"""Test runners, linters, formatters and builds of four languages, as far as their output goes."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from tracedance.synth.tree import Tree

TESTS = {
    "python": re.compile(r"^(?:async )?def (test_\w+)", re.M),
    "go": re.compile(r"^func (Test\w+)\(t", re.M),
    "typescript": re.compile(r"^  it\(\"([^\"]+)\"", re.M),
    "rust": re.compile(r"^#\[test\]\nfn (\w+)\(", re.M),
}
DIRECT = {
    "python": ("pytest -q", "python -m pytest -q", "uv run pytest -q"),
    "go": ("go test ./...", "go test ./... -count=1", "go test -race ./..."),
    "typescript": ("npm test", "npx vitest run", "pnpm test"),
    "rust": ("cargo test", "cargo test --all", "cargo test --quiet"),
}
WRAPPERS = ("make check", "./scripts/ci.sh", "just verify", "make all")
LINT = {
    "python": ("ruff check .", "mypy src"),
    "go": ("go vet ./...", "go build ./...", "golangci-lint run"),
    "typescript": ("npm run lint", "npx tsc --noEmit"),
    "rust": ("cargo clippy", "cargo build"),
}
FORMAT = {"python": "ruff format .", "go": "gofmt -w .", "typescript": "npx prettier --write src", "rust": "cargo fmt"}
ALL_CLEAR = {
    "ruff check .": "All checks passed!",
    "golangci-lint run": "0 issues.",
    "cargo build": "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 1.84s",
    "cargo clippy": "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 2.31s",
    "npm run lint": "\n> lint\n> eslint src --max-warnings 0\n",
}


@dataclass
class Toolchain:
    """Runs the commands of one project against its tree."""

    language: str
    tree: Tree
    rng: Random
    wrapper: str = "make check"
    flaky: str = ""
    """A test that fails until it is cleared, whatever the code says."""

    def __post_init__(self) -> None:
        self.needs: dict[str, tuple[str, str]] = {}

    def expect(self, name: str, path: str, text: str) -> None:
        """The test passes once the path contains the text."""
        self.needs[name] = (path, text)

    def run(self, command: str) -> tuple[str, int] | None:
        """Output and exit code; None for a command that is none of ours."""
        if command == self.wrapper:
            text, code = self._tests("")
            return f"{self._banner()}\n{text}", code
        if re.match(r"(python -m |uv run )?pytest|go test|npm test|npx vitest|pnpm test|cargo test", command):
            return self._tests(command)
        if command in LINT[self.language]:
            return ALL_CLEAR.get(command, ""), 0
        if command == FORMAT[self.language]:
            return self._format()
        return None

    def _banner(self) -> str:
        return f"{LINT[self.language][0]}\n{ALL_CLEAR.get(LINT[self.language][0], '')}\n{DIRECT[self.language][0]}".replace("\n\n", "\n")

    def _suites(self, command: str) -> Mapping[str, list[str]]:
        """Test file -> names of its tests, those the command asks for."""
        named = [word for word in command.split() if "/" in word and not word.startswith(("./...", "-"))]
        suites = {}
        for path in sorted(self.tree.work):
            found = TESTS[self.language].findall(self.tree.work[path]) if _is_test(path) else []
            if found and (not named or any(path.startswith(word.removeprefix("./").removesuffix("/...")) for word in named)):
                suites[path] = found
        return suites

    def _fails(self, name: str) -> bool:
        path, text = self.needs.get(name, ("", ""))
        return name == self.flaky or bool(path and text not in self.tree.work.get(path, ""))

    def _tests(self, command: str) -> tuple[str, int]:
        suites = self._suites(command)
        failing = {path: [name for name in names if self._fails(name)] for path, names in suites.items()}
        told = _TELLERS[self.language](suites, failing, self.rng)
        return told, 1 if any(failing.values()) else 0

    def _format(self) -> tuple[str, int]:
        changed = []
        for path, text in self.tree.work.items():
            if path.endswith((".py", ".go", ".ts", ".rs")) and tidy(text, self.language) != text:
                self.tree.work[path] = tidy(text, self.language)
                changed.append(path)
        if self.language == "python":
            left = sum(path.endswith(".py") for path in self.tree.work) - len(changed)
            told = f"{len(changed)} file{'s' * (len(changed) != 1)} reformatted, " if changed else ""
            return f"{told}{left} files left unchanged", 0
        if self.language == "typescript":
            return "\n".join(f"{path} {self.rng.randint(9, 60)}ms" for path in sorted(self.tree.work) if path.endswith(".ts")), 0
        return "", 0


def tidy(text: str, language: str) -> str:
    """The text as the project's formatter leaves it."""
    return "\n".join(_tidy_line(line, language) for line in text.split("\n"))


def _tidy_line(line: str, language: str) -> str:
    if language in ("python", "typescript"):
        return line.replace("'", '"') if '"' not in line and line.count("'") == 2 else line
    return line if '"' in line or "'" in line else re.sub(r",(?=[\w&*])", ", ", line)


def loosen(text: str, language: str) -> str:
    """The text as a person without the formatter would have typed it; `tidy` undoes it."""
    return "\n".join(_loosen_line(line, language) for line in text.split("\n"))


def _loosen_line(line: str, language: str) -> str:
    if language in ("python", "typescript"):
        loose = line.replace('"', "'") if "'" not in line and line.count('"') == 2 and '"""' not in line else line
    else:
        loose = line if '"' in line or "'" in line else re.sub(r", (?=[\w&*])", ",", line)
    return loose if _tidy_line(loose, language) == line else line


def _is_test(path: str) -> bool:
    return path.startswith("tests/") or path.endswith(("_test.go", ".test.ts"))


Suites = Mapping[str, list[str]]


def _seconds(rng: Random, top: float = 1.5) -> str:
    return f"{rng.uniform(0.04, top):.2f}"


def _pytest(suites: Suites, failing: Suites, rng: Random) -> str:
    dots = "".join("F" if name in failing[path] else "." for path, names in suites.items() for name in names)
    bad = [(path, name) for path, names in failing.items() for name in names]
    lines = [f"{dots}{' ' * max(1, 72 - len(dots))}[100%]"]
    if bad:
        lines.append("=" * 35 + " FAILURES " + "=" * 35)
        for path, name in bad:
            lines += [f"{'_' * 20} {name} {'_' * 20}", "", f"    def {name}():", f">       {_asserted(name)}", "E       AssertionError", ""]
            lines.append(f"{path}:{rng.randint(12, 60)}: AssertionError")
        lines.append("=" * 27 + " short test summary info " + "=" * 27)
        lines += [f"FAILED {path}::{name} - AssertionError" for path, name in bad]
        return "\n".join([*lines, f"{len(bad)} failed, {len(dots) - len(bad)} passed in {_seconds(rng)}s"])
    return "\n".join([*lines, f"{len(dots)} passed in {_seconds(rng)}s"])


def _asserted(name: str) -> str:
    return f"assert {name.removeprefix('test_')} == expected"


def _gotest(suites: Suites, failing: Suites, rng: Random) -> str:
    lines: list[str] = []
    for path in suites:
        package = "example.org/app/" + path.rsplit("/", 1)[0]
        for name in failing[path]:
            lines += [f"--- FAIL: {name} (0.00s)", f"    {path.rsplit('/', 1)[-1]}:{rng.randint(14, 70)}: unexpected result"]
        if failing[path]:
            lines += ["FAIL", f"FAIL\t{package}\t{_seconds(rng)}s"]
        else:
            lines.append(f"ok  \t{package}\t{_seconds(rng)}s")
    return "\n".join([*lines, "FAIL"] if any(failing.values()) else lines)


def _vitest(suites: Suites, failing: Suites, rng: Random) -> str:
    lines = ["", " RUN  v3.1.2", ""]
    for path, names in suites.items():
        mark = "❯" if failing[path] else "✓"
        lines.append(f" {mark} {path} ({len(names)} tests) {rng.randint(2, 40)}ms")
        lines += [f"   × {name}\n     → expected values to be equal" for name in failing[path]]
    total, bad = sum(map(len, suites.values())), sum(map(len, failing.values()))
    count = f"{bad} failed | {total - bad} passed ({total})" if bad else f"{total} passed ({total})"
    files = sum(bool(names) for names in failing.values())
    told = f"{files} failed | {len(suites) - files} passed ({len(suites)})" if files else f"{len(suites)} passed ({len(suites)})"
    return "\n".join([*lines, "", f" Test Files  {told}", f"      Tests  {count}", f"   Duration  {rng.randint(300, 1900)}ms"])


def _cargo(suites: Suites, failing: Suites, rng: Random) -> str:
    lines = [f"    Finished `test` profile [unoptimized + debuginfo] target(s) in {_seconds(rng)}s"]
    for path, names in suites.items():
        mark = "".join(rng.choice("0123456789abcdef") for _ in range(16))
        lines += [
            f"     Running {path} (target/debug/deps/{path.split('/')[-1].removesuffix('.rs')}-{mark})",
            "",
            f"running {len(names)} tests",
        ]
        lines += [f"test {name} ... {'FAILED' if name in failing[path] else 'ok'}" for name in names]
        bad = len(failing[path])
        word = "FAILED" if bad else "ok"
        lines += [
            "",
            f"test result: {word}. {len(names) - bad} passed; {bad} failed; 0 ignored; 0 measured; 0 filtered out; "
            f"finished in 0.0{rng.randint(0, 9)}s",
            "",
        ]
    return "\n".join(lines)


_TELLERS: Mapping[str, Callable[[Suites, Suites, Random], str]] = {
    "python": _pytest,
    "go": _gotest,
    "typescript": _vitest,
    "rust": _cargo,
}
