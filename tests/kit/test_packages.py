"""What adds a package to a project, and what only installs what is there."""

import pytest

from tracedance.kit import packages, sessions


def added(call: dict[str, object]) -> list[str]:
    return packages.added(sessions.build([{"user": "x"}, {"call": call}]).turns[1].calls[0])


@pytest.mark.parametrize(
    "command, name",
    [
        ("npm i -D vitest", "vitest"),
        ("python -m pip install requests", "requests"),
        ("uv add httpx", "httpx"),
        ("go get golang.org/x/sync", "golang.org/x/sync"),
        ("composer require guzzlehttp/guzzle", "guzzlehttp/guzzle"),
        ("dotnet add package Polly", "Polly"),
        ("bundle add rack", "rack"),
    ],
)
def test_installers_add(command: str, name: str) -> None:
    assert added({"Bash": {"command": command}}) == [name]


@pytest.mark.parametrize(
    "command", ["npm ci", "npm install", "pip install -r requirements.txt", "go get ./...", "npm i -g tsx", "cargo build"]
)
def test_what_is_there_already_is_not_added(command: str) -> None:
    assert added({"Bash": {"command": command}}) == []


@pytest.mark.parametrize(
    "path, old, new, gains",
    [
        ("pom.xml", "<a/>", "<a/>\n<dependency>", True),
        ("Gemfile", "gem 'a'", "gem 'a'\ngem 'b'", True),
        ("go.mod", "require a.org/b v1.0.0", "require a.org/b v1.0.0\n\ta.org/c v1.2.0", True),
        ("package.json", '"test": "a"', '"test": "b"', False),
        ("pyproject.toml", 'version = "1.0"', 'version = "1.1"', False),
    ],
)
def test_a_manifest_gains_a_line(path: str, old: str, new: str, gains: bool) -> None:
    assert bool(added({"Edit": {"file_path": path, "old_string": old, "new_string": new}})) == gains
