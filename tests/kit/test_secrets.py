"""Credentials: values, placeholders, the files that hold them and the commands that show them."""

import pytest

from tracedance.kit import secrets


@pytest.mark.parametrize(
    "text",
    [
        "AKIAIOSFODNN7EXAMPLE",
        "token ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "export K=<REDACTED_TOKEN_3>",
        "export K=[[SECRET:github-pat:1a2b3c4d]]",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        "curl -H 'Authorization: Bearer [[SECRET:auth-header:0011aabb]]'",
        "postgres://u:[[SECRET:url-credential:0011aabb]]@db/x",
    ],
)
def test_values_are_known(text: str) -> None:
    assert secrets.values(text)


@pytest.mark.parametrize(
    "text",
    [
        "sk_test_abc",
        "$API_KEY",
        "your-api-key",
        "cat /home/[[SECRET:assignment:0011aabb]]/notes.txt",
        "src/[[SECRET:assignment:0011aabb]].ts",
        "[[SECRET:x:zz]]",
    ],
)
def test_what_is_no_value_or_stands_in_a_path_is_none(text: str) -> None:
    assert secrets.values(text) == []


EXPOSING = [
    "cat .env",
    "env | grep -i JIRA",
    "echo $OPENAI_API_KEY",
    "kubectl get secret db -o yaml",
    "head -5 config/credentials",
    "printenv",
    "printenv GITHUB_TOKEN",
    "env | sort",
    "grep TOKEN .env.local",
    "gh auth token",
    "aws secretsmanager get-secret-value --secret-id x",
    "cat .env | grep -v '^#'",
    "docker exec web env",
    "bash -lc 'cat ~/.aws/credentials'",
    "sed -n 1,20p .env.production",
    "env -0",
    "gcloud secrets versions access latest --secret x",
    "security find-generic-password -s x -w",
    "ssh host env",
]


@pytest.mark.parametrize("command", EXPOSING)
def test_what_shows_values_is_known(command: str) -> None:
    assert any(each.exposes for each in secrets.of_shell(command)) and secrets.names_source(command)


@pytest.mark.parametrize(
    "command",
    [
        "cat .env.example",
        "env FOO=1 make",
        "grep -c . .env",
        "cat > /tmp/test.env <<'EOF'\nTOKEN=x\nEOF",
        "grep -o '^[A-Z_]*' .env",
        "cut -d= -f1 .env",
        "cat .env | cut -d= -f1",
        "sed 's/=.*/=***/' .env",
        "env | sed 's/=.*//'",
        "grep -q TOKEN .env && echo set",
        "env | grep -c TOKEN",
        "gh auth token | docker login ghcr.io -u x --password-stdin",
        "TOKEN=$(gh auth token) ./deploy",
        "env | grep NODE_ENV",
        "printenv PATH",
        "ls -la .env",
        "git diff --stat .env",
        "echo 'cat .env'",
        "cat id_rsa.pub",
        'test -n "$OPENAI_API_KEY" && echo set',
        "echo ${OPENAI_API_KEY:+set}",
        "set -euo pipefail",
        "export NODE_ENV=test",
    ],
)
def test_what_shows_no_values_is_left(command: str) -> None:
    assert not any(each.exposes for each in secrets.of_shell(command))


@pytest.mark.parametrize("path", [".env", "app/.env.production", "/home/x/.ssh/id_rsa", "k8s/secrets.yaml", "server.key", "~/.npmrc"])
def test_secret_files(path: str) -> None:
    assert secrets.is_secret_file(path)


@pytest.mark.parametrize(
    "path", [".env.example", "id_rsa.pub", "src/env.ts", "ca.pem", "tests/fixtures/server.key", "src/tokens.go", "environment.yml"]
)
def test_other_files(path: str) -> None:
    assert not secrets.is_secret_file(path)
