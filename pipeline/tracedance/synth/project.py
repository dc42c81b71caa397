"""An invented project: a domain, a language, modules from stock, and the files that stand around them."""

import re
from dataclasses import dataclass, field
from random import Random

from tracedance.synth import stock
from tracedance.synth.domains import HOMES, Domain
from tracedance.synth.stock import Module, Task
from tracedance.synth.toolchain import DIRECT, FORMAT, LINT, WRAPPERS, Toolchain, loosen
from tracedance.synth.tree import Tree

BRANCHES = ("main", "main", "develop", "feature/{0}", "fix/{0}", "{0}-cleanup")
IGNORED = {
    "python": ("__pycache__", ".venv", "*.pyc"),
    "go": ("bin", "*.test"),
    "typescript": ("node_modules", "dist"),
    "rust": ("target",),
}


@dataclass
class Project:
    domain: Domain
    language: str
    cwd: str
    tree: Tree
    tools: Toolchain
    tasks: list[Task]
    test_command: str
    foreign: list[str] = field(default_factory=list)
    """Paths that somebody else changed or left behind before the session."""

    @property
    def words(self) -> dict[str, str]:
        return self.domain.words


def found(domain: Domain, language: str, module: str, rng: Random) -> Project:
    """A project whose tasks come from one module of the stock; two more modules stand beside it."""
    others = [name for name in stock.names(language) if name != module]
    modules = [stock.module(language, name, domain.words) for name in (module, *rng.sample(others, 2))]
    wrapper = rng.choice(WRAPPERS)
    work = {path: text for one in modules for path, text in one.files.items()} | scaffold(domain, language, modules, wrapper, rng)
    branch = rng.choice(BRANCHES).format(rng.choice((domain.items, domain.tag, module)))
    tree = Tree(work, ignore=IGNORED[language], branch=branch)
    tools = Toolchain(language, tree, rng, wrapper)
    project = Project(
        domain, language, f"{rng.choice(HOMES)}/{domain.slug}", tree, tools, list(modules[0].tasks), rng.choice(DIRECT[language])
    )
    rng.shuffle(project.tasks)
    for subject in rng.sample(_HISTORY, 4):
        tree.log.append((f"{rng.getrandbits(28):07x}", stock.fill(subject, domain.words)))
    tree.settle(stock.fill(rng.choice(_HISTORY), domain.words))
    return project


def untidy(project: Project, path: str) -> None:
    """Leaves a committed file as if its author had no formatter."""
    text = loosen(project.tree.work[path], project.language)
    for layer in (project.tree.work, project.tree.head, project.tree.index):
        layer[path] = text


def version(project: Project) -> tuple[str, str]:
    """The manifest and the version in it."""
    path = next(path for path in ("pyproject.toml", "go.mod", "package.json", "Cargo.toml") if path in project.tree.work)
    match = re.search(r"\b0\.\d\.\d\b", project.tree.work[path])
    assert match is not None
    return path, match[0]


_HISTORY = (
    "Rename the @qty@ column",
    "Add the @items@ overview",
    "Bump dependencies",
    "Describe the set-up in the README",
    "Split the @tag@ list from the settings",
    "Fix a typo in the usage notes",
    "Make the timeout configurable",
    "Log slow @items@ queries",
    "Drop the old importer",
)


def scaffold(domain: Domain, language: str, modules: list[Module], wrapper: str, rng: Random) -> dict[str, str]:
    """README, notes, settings and manifests."""
    words = domain.words
    names = ", ".join(module.name for module in modules)
    version = f"0.{rng.randint(3, 9)}.{rng.randint(0, 6)}"
    files = {
        "README.md": f"# {domain.slug}\n\nKeeps {domain.about}.\n\nModules: {names}.\n\n## Development\n\n"
        f"Run `{DIRECT[language][0]}` for the tests and `{FORMAT[language]}` before you push. `{wrapper}` does what CI does.\n",
        "CHANGELOG.md": _changelog(words, version, rng),
        "docs/usage.md": _usage(domain, rng),
        "config/settings.toml": _settings(words, rng),
        "docs/decisions.md": f"# Decisions\n\n- {rng.randint(2021, 2023)}: {words['items']} are keyed by a short id.\n"
        f"- {words['qty'].capitalize()} is stored as a whole number until a device needs more.\n- No ORM.\n",
        "docs/modules.md": "# Modules\n\n" + "".join(f"- `{module.name}`, with its tests\n" for module in modules),
        ".gitignore": "\n".join(IGNORED[language]) + "\n",
    }
    recipe = f"{LINT[language][0]}\n{DIRECT[language][0]}"
    if wrapper.startswith("make"):
        target = wrapper.split()[1]
        files["Makefile"] = f".PHONY: {target} fmt\n\n{target}:\n\t" + recipe.replace("\n", "\n\t") + f"\n\nfmt:\n\t{FORMAT[language]}\n"
    elif wrapper.startswith("just"):
        files["justfile"] = "verify:\n    " + recipe.replace("\n", "\n    ") + "\n"
    else:
        files["scripts/ci.sh"] = f"#!/bin/sh\nset -e\n{recipe}\n"
    return files | _manifest(domain, language, version)


def _manifest(domain: Domain, language: str, version: str) -> dict[str, str]:
    if language == "python":
        return {
            "pyproject.toml": f'[project]\nname = "{domain.slug}"\nversion = "{version}"\n'
            'requires-python = ">=3.11"\n\n[tool.ruff]\nline-length = 110\n',
            f"src/{domain.words['pkg']}/__init__.py": f'"""{domain.about.capitalize()}."""\n',
        }
    if language == "go":
        return {"go.mod": f"module example.org/app\n\ngo 1.23\n\n// {domain.slug} {version}\n"}
    if language == "typescript":
        scripts = '"test": "vitest run",\n    "lint": "eslint src --max-warnings 0"'
        return {
            "package.json": f'{{\n  "name": "{domain.slug}",\n  "version": "{version}",\n  "type": "module",\n'
            f'  "scripts": {{\n    {scripts}\n  }}\n}}\n',
            "tsconfig.json": '{\n  "compilerOptions": {\n    "strict": true,\n    "target": "es2022",\n    "module": "nodenext"\n  }\n}\n',
        }
    return {"Cargo.toml": f'[package]\nname = "{domain.slug}"\nversion = "{version}"\nedition = "2021"\n\n[dependencies]\n'}


def _changelog(words: dict[str, str], version: str, rng: Random) -> str:
    past = rng.sample(_HISTORY, 6)
    lines = ["# Changelog", "", "## Unreleased", "", f"- {stock.fill(past[0], words)}", ""]
    minor = int(version.split(".")[1])
    for back, pair in enumerate((past[1:3], past[3:5], past[5:])):
        lines += [f"## 0.{minor - back}.0", "", *(f"- {stock.fill(one, words)}" for one in pair), ""]
    return "\n".join(lines)


def _usage(domain: Domain, rng: Random) -> str:
    words = domain.words
    parts = [f"# Using {domain.slug}", "", f"This tool keeps {domain.about}.", ""]
    parts += [
        "## Getting data in",
        "",
        f"Upload one file per {words['tag']} and day. A line holds a time, the {words['tag']} and the {words['qty']}.",
        "",
    ]
    parts += ["## Looking things up", "", f"- `{domain.slug} list {words['items']}` prints every {words['item']}."]
    parts += [f"- `{domain.slug} show KEY` prints one {words['item']}.", f"- `--{words['tag']} NAME` narrows the list down.", ""]
    parts += ["## Reports", "", f"The nightly report sums the {words['qty']} per {words['tag']}.", ""]
    parts += [
        "## Limits",
        "",
        f"- at most {rng.choice((200, 500, 1000))} {words['items']} per request",
        f"- one {words['tag']} per upload",
        "",
    ]
    parts += [
        "## When something is wrong",
        "",
        f"Check `config/settings.toml` first. Then ask {rng.choice(('Hanne', 'Bo', 'Wim', 'Aino'))}.",
        "",
    ]
    return "\n".join(parts)


def _settings(words: dict[str, str], rng: Random) -> str:
    return (
        f'[server]\nport = {rng.choice((8080, 8090, 9000, 5005))}\nhost = "0.0.0.0"\n\n[limits]\n'
        f"max_{words['items']} = {rng.choice((200, 500, 1000))}\n"
        f"timeout_seconds = {rng.choice((5, 10, 30))}\n\n[report]\nhour = {rng.randint(1, 6)}\n"
        f'by = "{words["tag"]}"\nkeep_days = {rng.choice((30, 90, 365))}\n'
    )
