"""Sessions of high entropy without a secret: digests, ids, lock files, documentation keys, minified code, pictures."""

import base64
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.privacy.kinds import ALNUM, BASE64, HEX, LOWER, UPPER, URLSAFE, body, word
from tests.privacy.stories import FORMATS, Step, tell

SESSIONS = 1_000


def git_log(rng: Random) -> str:
    return "\n".join(f"{body(rng, HEX, 40)} {word(rng)} the {word(rng)} (#{rng.randint(1, 999)})" for _ in range(12))


def uuids(rng: Random) -> str:
    return "\n".join(
        f'{{"id": "{_uuid(rng)}", "trace_id": "{body(rng, HEX, 32)}", "request_id": "req_{body(rng, ALNUM, 24)}"}}' for _ in range(8)
    )


def _uuid(rng: Random) -> str:
    return "-".join(body(rng, HEX, size) for size in (8, 4, 4, 4, 12))


def npm_lock(rng: Random) -> str:
    return "\n".join(
        f'"node_modules/{word(rng)}": {{"version": "{rng.randint(0, 9)}.{rng.randint(0, 20)}.0", "resolved": "https://packages.example.org/'
        f'{word(rng)}.tgz", "integrity": "sha512-{body(rng, BASE64, 86)}=="}},'
        for _ in range(8)
    )


def hashes(rng: Random) -> str:
    lines = [f"{word(rng)}=={rng.randint(0, 9)}.1 --hash=sha256:{body(rng, HEX, 64)}" for _ in range(5)]
    lines += [f"image: example/{word(rng)}@sha256:{body(rng, HEX, 64)}", f"h1:{body(rng, BASE64, 43)}=", f'etag: "{body(rng, HEX, 32)}"']
    return "\n".join(lines)


def documentation(rng: Random) -> str:
    """Placeholders as manuals print them."""
    example = "AK" + "IAIOSFODNN7" + "EXAMPLE"
    return "\n".join(
        (
            f"aws_access_key_id = {example}",
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
            "export GITHUB_TOKEN=<your-token>",
            "OPENAI_API_KEY=your-api-key-here",
            "STRIPE_SECRET_KEY=sk_test_" + "x" * 24,
            "api_key: ${API_KEY}",
            "Authorization: Bearer $TOKEN",
            "Authorization: Bearer <token>",
            "postgres://${DB_USER}:${DB_PASSWORD}@db/app",
            "token = ghp" + "_" + "x" * 36,
            "password: changeme",
        )
    )


def code(rng: Random) -> str:
    """Code that handles secrets and holds none."""
    name = word(rng)
    return "\n".join(
        (
            f'password = os.environ["{name.upper()}_PASSWORD"]',
            f"token = get_token(client_id={name}_id, scope=scope)",
            "const secretKey = process.env.SECRET_KEY ?? config.secretKey;",
            'if (password.length < 12) throw new Error("password too short");',
            f"self.api_key = api_key or settings.{name}_api_key",
            "secret_key_base = Rails.application.credentials.secret_key_base",
            f"cookies.set('session', session_id, max_age={rng.randint(60, 9999)})",
            "func passwordHash(password string) (string, error) {",
            'curl -H "Authorization: Bearer $(cat token.txt)" https://api.example.net',
            "tokenizer = AutoTokenizer.from_pretrained(model_name_or_path)",
            f"next_page_token = response.next_page_token  # {word(rng)}",
            "PGPASSWORD=$DB_PASS psql -h localhost",
        )
    )


def minified(rng: Random) -> str:
    pieces = (
        f"function {body(rng, ALNUM[:52], 2)}(e,t){{return e.{word(rng)}[t]||{rng.random():.6f}}}",
        f'var {body(rng, ALNUM[:52], 1)}=new Map([["{word(rng)}",{rng.randint(0, 999)}]]);',
        f'!function(){{this._{body(rng, LOWER, 6)}="{body(rng, LOWER, 8)}.chunk.js"}}();',
        f".css-{body(rng, LOWER, 7)}{{color:#{body(rng, HEX, 6)}}}",
    )
    return "".join(rng.choice(pieces) for _ in range(60))


def picture(rng: Random) -> str:
    return "data:image/png;base64,iVBORw0KGgo" + base64.b64encode(rng.randbytes(900)).decode()


def identifiers(rng: Random) -> str:
    ulid = "01J" + body(rng, UPPER.replace("I", "").replace("L", "").replace("O", "").replace("U", ""), 23)
    return "\n".join(
        (
            f"build {ulid} in /nix/store/{body(rng, LOWER, 32)}-{word(rng)}-1.2",
            f"traceparent: 00-{body(rng, HEX, 32)}-{body(rng, HEX, 16)}-01",
            f"https://video.example.net/watch?v={body(rng, URLSAFE, 11)}&list={body(rng, URLSAFE, 34)}",
            f"commit {body(rng, HEX, 40)}\nMerge: {body(rng, HEX, 7)} {body(rng, HEX, 7)}",
            f"index {body(rng, HEX, 7)}..{body(rng, HEX, 7)} 100644",
            f"arn:aws:s3:::{word(rng)}-{rng.randint(10**9, 10**10)}",
            f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{body(rng, BASE64, 43)} key",
            f"SHA256:{body(rng, BASE64, 43)} (ED25519)",
            f"MD5 ({word(rng)}.iso) = {body(rng, HEX, 32)}",
            f"msg_01{body(rng, ALNUM, 22)} toolu_01{body(rng, ALNUM, 22)} chatcmpl-{body(rng, ALNUM, 29)}",
        )
    )


def binary(rng: Random) -> str:
    """What a look at binary data prints."""
    return (
        "\n".join(f"{line * 16:08x}  {' '.join(body(rng, HEX, 2) for _ in range(16))}" for line in range(12))
        + f"\n{rng.randbytes(60).hex()}"
    )


KINDS: tuple[Callable[[Random], str], ...] = (git_log, uuids, npm_lock, hashes, documentation, code, minified, picture, identifiers, binary)


def write_clean(out: Path, seed: int) -> int:
    """So many sessions, each with four kinds of look-alikes in results, arguments and words."""
    rng = Random(f"clean:{seed}")
    for number in range(SESSIONS):
        story = tell(rng, number)
        chosen = rng.sample(KINDS, 4)
        for kind in chosen[:2]:
            story.steps.insert(
                3, Step("call", tool="Bash", arguments={"command": f"cat {word(rng)}"}, result=kind(rng), id=f"call_{body(rng, LOWER, 24)}")
            )
        write = {"file_path": f"{story.cwd}/{body(rng, HEX, 8)}.txt", "content": chosen[2](rng)}
        story.steps.insert(3, Step("call", tool="Write", arguments=write, result="File created.", id=f"toolu_{body(rng, ALNUM, 24)}"))
        story.steps[0].text += "\n" + chosen[3](rng)
        FORMATS[number % len(FORMATS)](story, out)
    return SESSIONS
