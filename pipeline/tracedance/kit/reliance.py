"""What a shell command rests on: whether it uses, starts, publishes or replaces what an earlier command was to make."""

import re
from collections.abc import Sequence

from tracedance.kit import deliveries, git, outcomes
from tracedance.kit import linear as re2
from tracedance.kit.looking import objects, objects_in
from tracedance.kit.outcomes import SQL_CLIENT
from tracedance.kit.shell import SimpleCommand
from tracedance.kit.texts import valid, words
from tracedance.schema import ToolCall

_INSTALL = words("install i ci add sync get update upgrade restore")
_TOOLCHAINS: tuple[frozenset[str], ...] = (
    words("docker docker-compose podman buildah nerdctl kubectl helm skaffold kind minikube"),
    words("npm pnpm yarn bun npx node tsc vite next webpack deno pm2 vercel netlify firebase wrangler eas electron ng gulp nx turbo"),
    words(
        "pip pip3 uv poetry pipenv conda mamba pdm hatch python python3 flask uvicorn gunicorn django-admin alembic twine celery streamlit"
    ),
    words("bundle gem rails rake ruby puma cap bin/rails jekyll"),
    words("mvn mvnw gradle gradlew java sbt lein clojure scala kotlin"),
    words("cargo rustc trunk"),
    words("go"),
    words("dotnet msbuild nuget"),
    words("composer php artisan symfony"),
    words("mix iex elixir rebar3"),
    words("swift xcodebuild pod"),
    words("flutter dart"),
    words("cmake make ninja meson gcc g++ clang clang++ cc ld ar zig bazel just"),
    words("terraform tofu pulumi ansible ansible-playbook packer"),
)
_PREPARES = re2.compile(
    r"(?i)\b(?:install|ci|add|sync|build\w*|compile|package|bundle|assemble|generate|codegen|migrat\w*|restore|import|seed|pull|merge"
    r"|rebase|checkout|switch|clone"
    r"|fetch|download|apply|init|plan|upgrade|cherry-pick|stash|patch|pack|publish|make|tsc|gcc|clang|cmake|collectstatic|db:\w+|load"
    r"|copy)\b"
)
_COPIES = words("cp mv scp rsync ln install tee tar unzip gunzip ditto robocopy sftp envsubst wget curl")
_KEEPS = re2.compile(
    r"(?i)\b(?:cp|rsync|tar|zip|pg_dump\w*|mysqldump|mongodump|dump|backup|restic|borg|scp|export|rclone|snapshot|mv|archive|sync)\b"
)
_REMOVES = re2.compile(r"(?i)\b(?:rm|rmdir|shred|drop|dropdb|truncate|delete|prune|purge|unlink|down)\b")
_SERVICES = words("systemctl service supervisorctl pm2 nginx apachectl caddy rc-service launchctl initctl s6-svc sv monit")
_STARTS = words(
    "start restart reload serve dev run up test preview exec migrate rollout enable launch push deploy publish"
    " release s server promote stack watch"
)
_DEPLOYS = re2.compile(
    r"(?i)(?:^|[\s/:_-])(?:deploy|release|rollout|publish|promote|ship|restart|go-live)(?:[\w-]*\.(?:sh|py|js|ts|rb|ya?ml))?(?:\s|$)"
    r"|\bcompose up\b|\bs3 sync\b"
    r"|\b(?:helm upgrade|terraform apply|ansible-playbook|kubectl (?:apply|rollout|set image)|docker (?:run|push|restart|stack deploy"
    r"|service update))\b"
)
_OUTPUT_DIR = re.compile(
    r"(?:^|[\s./=:])(?:dist|build|target|out|bin|public|_site|release|artifacts?)/|\.(?:jar|war|whl|apk|ipa|exe|deb|rpm|wasm)\b|^\./[\w-]+$"
)
_BUILDS = re2.compile(
    r"(?i)\b(?:build\w*|compile|make|package|assemble|bundle|tsc|gcc|g\+\+|clang|cmake|ninja|link|pack|export|webpack|vite)\b"
)
_TABLE = re.compile(r"(?i)\b(?:update|into|from|table|join|truncate|copy)\s+(?:if (?:not )?exists\s+)?[\"'`]?([\w.]{3,60})")
_MADE_BY_FLAG = words("-o -O --output --out -d --outdir -t --tag --name -f --file")
_RUNNER = re.compile(r"^\s*(?:bundle(?: exec)?|npx|pnpm (?:exec|dlx)|yarn run|(?:poetry|uv|pipenv|pdm|hatch) run)\s+")
"""What only starts another program, so that its words say nothing of the step."""
_NAME = re.compile(r"[\w.@-]{4,}")
_PLAIN = words("file files data test tests build dist main master origin latest true false none name image docker node http https src")


_CODE = re.compile(r"\b(?=[A-Z\d]*[A-Z])[A-Z\d]{5,12}\b", re.ASCII)
"""A booking code or the like, which may have no digit."""
_PASSED_ON = re.compile(
    r"(?i)\b(?:sent|passed (?:on|along)|forwarded|delivered|posted|told|informed|notified|shared|handed (?:over|on)|e?-?mailed"
    r"|messaged|published|done)\b"
)


def codes(call: ToolCall) -> frozenset[str]:
    """Booking codes and the like among what a call is about."""
    return frozenset(_CODE.findall(call.arguments_json[:4000]))


def passes_on(call: ToolCall, failed: ToolCall) -> bool:
    """Whether a message is about what a failed call was to fetch or do, and says nothing of the failure."""
    if call.tool_class != "message" or outcomes.names_failure(call.arguments_json):
        return False
    return bool(objects(call) & objects(failed) or codes(call) & codes(failed))


def notes_as_done(call: ToolCall, failed: ToolCall) -> bool:
    """Whether a note says that something was passed on which had just not been delivered."""
    if call.tool_class not in ("edit", "write") or not deliveries.is_delivery(failed):
        return False
    note = call.arguments_json[:4000]
    return _PASSED_ON.search(note) is not None and not outcomes.names_failure(note) and not deliveries.says_undelivered(note)


def toolchain(program: str) -> int:
    """Which set of programs that work together a program belongs to; -1 for none."""
    plain = program.rpartition("/")[2]
    return next((place for place, known in enumerate(_TOOLCHAINS) if plain in known), -1)


def is_install(command: SimpleCommand) -> bool:
    """Whether the command brings in packages."""
    return bool(_INSTALL.intersection(command.args[:2]))


def builds_on(command: SimpleCommand, failed: Sequence[SimpleCommand]) -> bool:
    """Whether `command` rests on one of the commands of a step that failed."""
    return any(_rests(command, each) for each in failed if each.program not in ("cd", "echo", "export", "set", ""))


def _rests(command: SimpleCommand, failed: SimpleCommand) -> bool:
    told, text = valid(_RUNNER.sub("", failed.text[:2000])), valid(command.text[:2000])
    prepares = _PREPARES.search(told) is not None
    starts = _starts(command)
    same = toolchain(failed.program)
    if starts and prepares and same >= 0 and toolchain(command.program) == same and not is_install(command):
        return True
    goes_live = (command.program in _SERVICES and starts) or _DEPLOYS.search(text) is not None
    if goes_live and (prepares or failed.program in _COPIES):
        return True
    if _BUILDS.search(told) and _OUTPUT_DIR.search(text) and not _REMOVES.search(text) and not _BUILDS.search(text):
        return True
    if _KEEPS.search(told) and _REMOVES.search(text) and _names(failed.words[1:]) & _names(command.words[1:]):
        return True
    if SQL_CLIENT.search(told) and SQL_CLIENT.search(text):
        return bool(_tables(told) & _tables(text))
    return bool(_names(products(failed)) & _names(command.words)) and command.program not in ("cd", "rm", "mkdir", "ls", "touch")


def products(command: SimpleCommand) -> list[str]:
    """What a command was to make: what it redirects into, `-o FILE`, a tag, the target of a copy, a clone, a new folder or database."""
    args = command.args
    named = [args[place + 1] for place, arg in enumerate(args[:-1]) if arg in _MADE_BY_FLAG and command.program not in ("kubectl", "test")]
    plain = [arg for arg in args if not arg.startswith("-")]
    targets = plain[-1:] if command.program in ("cp", "mv", "ln", "rsync", "scp", "mkdir", "createdb", "wget", "mkfifo") else []
    if command.program in ("tar", "zip"):
        targets = plain[1:2] if command.program == "tar" and args[:1] == tuple(plain[:1]) else plain[:1]
    if git.verb(command)[0] == "clone":
        targets = [plain[-1].removesuffix(".git")] if len(plain) > 1 else []
    if "venv" in args[:2] or command.program == "virtualenv":
        targets = plain[-1:]
    return [*command.writes, *named, *targets]


def tables(text: str) -> frozenset[str]:
    """Tables that a database statement names."""
    return _tables(text)


def _starts(command: SimpleCommand) -> bool:
    if {"--version", "--help", "--dry-run", "status", "logs", "ps", "list"}.intersection(command.args):
        return False
    verbs = {part for arg in command.args[:3] for part in re.split(r"[:/]", arg)}
    runs_file = command.program in ("node", "python", "python3", "java", "ruby", "php", "flask", "uvicorn", "gunicorn", "streamlit", "puma")
    return bool(_STARTS & verbs) or (runs_file and bool(command.args)) or ("reload" in command.args)


def _tables(text: str) -> frozenset[str]:
    return frozenset(name.lower() for name in _TABLE.findall(text[:4000]))


def _names(parts: Sequence[str]) -> frozenset[str]:
    found = {name.lower() for part in parts for name in _NAME.findall(part.rstrip("/").rpartition("/")[2])}
    return frozenset(found - _PLAIN) | objects_in(" ".join(parts)[:4000])
