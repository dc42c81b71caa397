"""Packages that calls add to a project: by an installer, or by a line in its manifest."""

import re
from collections.abc import Iterator

from tracedance.kit import files, paths, replacing
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.kit.texts import words
from tracedance.schema import ToolCall

_ADDING: dict[str, frozenset[str]] = {
    **dict.fromkeys(("npm", "pnpm", "bun", "cnpm"), words("install i add")),
    **dict.fromkeys(
        ("yarn", "uv", "poetry", "pdm", "rye", "hatch", "cargo", "deno", "jsr", "bundle", "dart", "flutter", "swift", "pixi"), words("add")
    ),
    **dict.fromkeys(("pip", "pip3", "pipenv", "conda", "mamba", "gem", "nuget", "luarocks"), words("install")),
    "go": words("get"),
    "composer": words("require"),
    "dotnet": words("add"),
    "cpanm": frozenset(("",)),
}
_ELSEWHERE = words("-g --global --user -r --requirement -e --editable --dry-run --help")
_MANIFESTS = words(
    """
    package.json pyproject.toml requirements.txt setup.cfg setup.py Pipfile Cargo.toml go.mod pom.xml build.gradle build.gradle.kts
    libs.versions.toml Gemfile composer.json Directory.Packages.props environment.yml mix.exs pubspec.yaml deno.json
    """
)
_DEPENDENCY = re.compile(
    r"(?m)^\s*\"(?!version\")[@\w./-]+\"\s*:\s*\"[~^>=]*\d|^\s*(?!version\b)[\w.-]+\s*=\s*(?:\"[\^~>=]*\d|\{\s*(?:version|git|path)\b)"
    r"|<(?:PackageReference|PackageVersion|dependency|artifactId)\b|^\s*(?:implementation|\w+Implementation|api|compileOnly|runtimeOnly|kapt)\b"
    r"|^\s*gem\s+['\"]|^\s*(?:require\s+)?[\w.-]+(?:/[\w.-]+)+\s+v\d|^\s*[\"']?[\w.\[\]-]+\s*(?:[=~<>!]=|>)\s*\d"
)


def added(call: ToolCall) -> list[str]:
    """What a call adds to the project's dependencies: names of packages, or the manifest that gains a line."""
    if call.tool_class == "shell":
        return [name for each in parse(call.cmd) for name in _installed(each)]
    if call.tool_class not in ("edit", "write"):
        return []
    return [paths.name(touch.path) for touch in files.touches(call) if is_manifest(touch.path) and _gains(call, touch.path)]


def is_manifest(path: str) -> bool:
    """Whether a file is one that lists a project's dependencies."""
    name = paths.name(path)
    return (
        name in _MANIFESTS
        or name.endswith((".csproj", ".fsproj", ".gemspec"))
        or (name.startswith("requirements") and name.endswith(".txt"))
    )


def _installed(command: SimpleCommand) -> Iterator[str]:
    program, args = command.program, list(command.args)
    if re.fullmatch(r"python[\d.]*|py", program) and args[:2] == ["-m", "pip"]:
        program, args = "pip", args[2:]
    elif program == "uv" and args[:1] == ["pip"]:
        program, args = "pip", args[1:]
    elif program in ("dart", "flutter", "swift") and args[:1] in (["pub"], ["package"]):
        args = args[1:]
    if program not in _ADDING or not args or args[0] not in _ADDING[program] or _ELSEWHERE.intersection(args):
        return
    named = [arg for arg in args[1:] if not arg.startswith(("-", ".", "/", "~", "$")) and not arg.endswith((".csproj", ".fsproj"))]
    if program == "dotnet":
        named = named[named.index("package") + 1 :][:1] if "package" in named else []
    yield from named


def _gains(call: ToolCall, path: str) -> bool:
    old = {line.strip() for text in replacing.old_texts(call, path) for line in text.split("\n")}
    if call.tool_class == "write" and not old:  # A manifest written whole: what it held before is not known here.
        return False
    fresh = "\n".join(line for text in replacing.new_texts(call, path) for line in text.split("\n") if line.strip() not in old)
    return _DEPENDENCY.search(fresh[:60_000]) is not None
