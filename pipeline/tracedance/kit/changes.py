"""What may have changed the working tree: the agent's own named changes, and what makes files that nobody named."""

import re

from tracedance.kit import commands, files, git, paths, testing
from tracedance.kit.outputs import shown as shown_text
from tracedance.kit.shell import SimpleCommand, parse
from tracedance.kit.texts import words
from tracedance.schema import Session, ToolCall

_LINTERS = words(
    "rubocop standardrb reek brakeman eslint stylelint pylint flake8 mypy phpstan psalm phpcs golangci-lint shellcheck hadolint"
)
_INSTALLERS = words("npm pnpm yarn bun pip pip3 poetry pipenv bundle composer gem cocoapods pod uv cargo go dotnet mix")
_INSTALLING = words("install i add ci sync update upgrade init create new generate tidy get vendor lock run-script")
_MAKERS = words(
    """
    make cmake ninja bazel gradle gradlew mvn mvnw protoc buf sqlc ng vite webpack rollup tsc unzip tar wget terraform
    sphinx-build mkdocs cookiecutter django-admin rails alembic prisma create-react-app
    """
)
_MANIFESTS = words(
    """
    package.json package-lock.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb go.mod go.sum Cargo.toml Cargo.lock pyproject.toml 
    poetry.lock uv.lock Pipfile Pipfile.lock requirements.txt Gemfile Gemfile.lock composer.json composer.lock Podfile.lock mix.lock
    """
)
_BY_GIT = frozenset(("stash", "apply", "reset"))
"""What leaves uncommitted changes behind; a pull, merge or checkout brings committed content."""
_OF_STASHES = words("list show drop clear")
_CHECKING_TASK = re.compile(
    r"(?:[\w-]*:)*(?:checkstyle\w*|spotbugs\w*|pmd\w*|detekt\w*|lint\w*|ktlintCheck|spotlessCheck|spotless:check|tasks|dependencies|projects)"
)
"""Tasks of Gradle and Maven that look at code and write at most their reports."""
_OPENS = re.compile(r"open\([^()\n]{0,200}(?:,\s*(?:mode\s*=\s*)?|\(\s*)[\"'][rbt]*[wax+]|open\(\s*[\"'][wax][bt+]*[\"']")
_WRITING_CODE = ("write", "dump", "save", "copy", "move", "rename", "remove", "unlink", "mkdir", "> ")


def named(call: ToolCall) -> list[str]:
    """Files that a call changed and named, temporary ones left out."""
    if not files.took_effect(call):
        return []
    deeds = (touch for touch in files.touches(call) if touch.deed in files.CHANGES or touch.deed == "format")
    return [touch.path for touch in deeds if not paths.is_temporary(touch.path)]


def own(session: Session, before: int) -> list[str]:
    """Files that calls of this session changed by name before a turn, compactions or not."""
    return [path for turn in session.turns[:before] for call in turn.calls for path in named(call)]


def makes_files(call: ToolCall) -> bool:
    """Whether the call may have made or changed files that it does not name: installers, builds, downloads, scripts, sub-agents, git."""
    if call.tool_class == "subagent":
        return True
    if call.tool_class != "shell" or not files.took_effect(call):
        return False
    ran, failed = parse(call.cmd), call.result.error_class if call.result is not None else None
    started = failed != "guard" and not (failed == "cmd_missing" and len(ran) == 1)
    return started and any(may_make(simple) for simple in ran)


def may_have_made(call: ToolCall, path: str) -> bool:
    """Whether `path` may be of this call's making: a sub-agent that names it, an installer's manifest or lock, anything of a script."""
    if not makes_files(call):
        return False
    if call.tool_class == "subagent":
        told = shown_text(call.result)
        return paths.name(path) in told or paths.name(path) in call.arguments_json
    makers = [simple for simple in parse(call.cmd) if may_make(simple)]
    if all(simple.program in _INSTALLERS for simple in makers):
        return paths.name(path) in _MANIFESTS
    return True


def may_make(command: SimpleCommand) -> bool:
    """Whether the command may make or change files that it does not name."""
    if testing.is_run(command):
        return False
    code = commands.inline_code(command)
    if code:
        return any(sign in code for sign in _WRITING_CODE) or _OPENS.search(code) is not None
    if command.program.rpartition("/")[2] in _LINTERS and not any(arg.startswith(("-a", "-A", "--auto", "--fix")) for arg in command.args):
        return False
    if commands.runs_script(command):
        return True
    if command.program in _MAKERS:
        tasks = [arg for arg in command.args if not arg.startswith("-")]
        return "--noEmit" not in command.args and not (tasks and all(map(_CHECKING_TASK.fullmatch, tasks)))
    if command.program in _INSTALLERS:
        verbs = command.args[:3]
        return bool(_INSTALLING.intersection(verbs)) or any(arg.startswith(("build", "gen", "codegen")) for arg in verbs[1:])
    if command.program == "curl":
        return bool({"-o", "-O", "--output", "--remote-name"}.intersection(command.args))
    verb, args = git.verb(command)
    return verb in _BY_GIT and not (verb == "stash" and _OF_STASHES.intersection(args[:1]))
