"""Twenty-five kinds of secrets in their true shapes with random bodies, each in a line that carries it in real sessions.

Nothing here is a secret: prefixes are put together from pieces, so that no scanner of this repository takes one for a finding.
"""

import base64
import json
import string
from collections.abc import Callable
from random import Random

ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + "234567"
LOWER = string.ascii_lowercase + string.digits
URLSAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"
HEX = "0123456789abcdef"
PASSWORD = ALNUM + "_-.!"

Planted = tuple[str, str]
"""The value, and the text that carries it."""
Kind = Callable[[Random], Planted]


def body(rng: Random, alphabet: str, length: int) -> str:
    return "".join(rng.choices(alphabet, k=length))


def word(rng: Random, low: int = 5, high: int = 9) -> str:
    """A pronounceable invented word, for names of people, hosts and projects."""
    return "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(rng.randint(low, high) // 2 + 1))


def password(rng: Random) -> str:
    """A password as a generator makes it: letters of both cases, digits, now and then a sign."""
    return body(rng, ALNUM, 2) + body(rng, PASSWORD, rng.randint(9, 16)) + rng.choice(string.digits) + rng.choice(string.ascii_letters)


def _carried(value: str, rng: Random, *lines: str) -> Planted:
    return value, rng.choice(lines).replace("{}", value)


def aws_access_key(rng: Random) -> Planted:
    value = rng.choice(("AK" + "IA", "AS" + "IA")) + body(rng, UPPER, 16)
    return _carried(
        value, rng, "aws_access_key_id = {}", "AWS_ACCESS_KEY_ID={}", 'client("s3", key="{}")', "uploaded with {} to the bucket"
    )


def aws_secret_key(rng: Random) -> Planted:
    return _carried(
        body(rng, BASE64, 40), rng, "aws_secret_access_key = {}", "export AWS_SECRET_ACCESS_KEY={}", 'AWS_SECRET_ACCESS_KEY: "{}"'
    )


def azure_storage_key(rng: Random) -> Planted:
    value = body(rng, BASE64, 86) + "=="
    line = f"DefaultEndpointsProtocol=https;AccountName={word(rng)};AccountKey={{}};EndpointSuffix=core.windows.net"
    return _carried(value, rng, line, f'AZURE_STORAGE_CONNECTION_STRING="{line}"')


def google_api_key(rng: Random) -> Planted:
    value = "AI" + "za" + body(rng, URLSAFE, 34) + rng.choice(ALNUM)
    return _carried(value, rng, "https://maps.example.net/api/js?key={}&v=3", "GOOGLE_API_KEY={}", "key {} is rejected")


def github_token(rng: Random) -> Planted:
    plain = rng.choice(("ghp", "gho", "ghs", "ghu")) + "_" + body(rng, ALNUM, 36)
    fine = "github" + "_pat_" + body(rng, ALNUM, 22) + "_" + body(rng, ALNUM, 59)
    return _carried(
        rng.choice((plain, plain, fine)), rng, "GITHUB_TOKEN={}", "gh auth login --with-token <<< {}", "remote rejected {} today"
    )


def gitlab_token(rng: Random) -> Planted:
    return _carried(
        "gl" + "pat-" + body(rng, URLSAFE, 19) + rng.choice(ALNUM), rng, "PRIVATE-TOKEN: {}", "GITLAB_TOKEN={}", "use {} for the API"
    )


def slack_token(rng: Random) -> Planted:
    digits = body(rng, string.digits[1:], 12), body(rng, string.digits[1:], 13)
    value = "xo" + rng.choice(("xb-", "xp-")) + "-".join((*digits, body(rng, ALNUM, 24)))
    return _carried(value, rng, "SLACK_BOT_TOKEN={}", "token={}&channel=ops", "the bot runs with {}")


def slack_webhook(rng: Random) -> Planted:
    value = f"T{body(rng, UPPER, 10)}/B{body(rng, UPPER, 10)}/{body(rng, ALNUM, 24)}"
    link = "https://hooks." + "slack.com/services/{}"
    return _carried(value, rng, f"curl -X POST -d @m.json {link}", f'webhook_url: "{link}"')


def stripe_key(rng: Random) -> Planted:
    value = rng.choice(("sk", "rk")) + "_li" + "ve_" + body(rng, ALNUM, rng.choice((24, 99)))
    return _carried(value, rng, "STRIPE_SECRET_KEY={}", 'stripe.api_key = "{}"', "charged through {} twice")


def openai_key(rng: Random) -> Planted:
    middle = "T3Blb" + "kFJ"
    long = "sk" + "-proj-" + body(rng, URLSAFE, 74) + middle + body(rng, URLSAFE, 73) + rng.choice(ALNUM)
    short = "sk" + "-" + body(rng, ALNUM, 20) + middle + body(rng, ALNUM, 20)
    return _carried(rng.choice((long, short)), rng, "OPENAI_API_KEY={}", 'OpenAI(api_key="{}")', "Incorrect API key provided: {}.")


def anthropic_key(rng: Random) -> Planted:
    value = "sk" + "-ant-api03-" + body(rng, URLSAFE, 93) + "AA"
    return _carried(value, rng, "ANTHROPIC_API_KEY={}", "x-api-key: {}", "with {} it works")


def huggingface_token(rng: Random) -> Planted:
    return _carried(
        "h" + "f_" + body(rng, string.ascii_letters, 34), rng, "HF_TOKEN={}", "huggingface-cli login --token {}", "token {} lacks a scope"
    )


def npm_token(rng: Random) -> Planted:
    return _carried(
        "np" + "m_" + body(rng, ALNUM, 36), rng, "//registry.example.org/:_authToken={}", "NPM_TOKEN={}", "published with {} once"
    )


def pypi_token(rng: Random) -> Planted:
    value = "py" + "pi-AgEIcHlwaS5vcmc" + body(rng, URLSAFE, rng.randint(120, 160)) + rng.choice(ALNUM)
    return _carried(value, rng, "twine upload -u __token__ -p {} dist/*", "TWINE_PASSWORD={}", "password = {}")


def sendgrid_key(rng: Random) -> Planted:
    value = "S" + "G." + body(rng, URLSAFE, 22) + "." + body(rng, URLSAFE, 42) + rng.choice(ALNUM)
    return _carried(value, rng, "SENDGRID_API_KEY={}", "mail goes out with {} now")


def private_key(rng: Random) -> Planted:
    lines = ["MII" + body(rng, BASE64, 61), *(body(rng, BASE64, 64) for _ in range(rng.randint(6, 12))), body(rng, BASE64, 42) + "=="]
    value = "\n".join(lines)
    name = rng.choice(("RSA ", "EC ", "OPENSSH ", "")) + "PRIVATE " + "KEY"
    return value, f"-----BEGIN {name}-----\n{value}\n-----END {name}-----"


def jwt(rng: Random) -> Planted:
    head = _part({"alg": rng.choice(("HS256", "RS256")), "typ": "JWT"})
    claims = _part({"sub": body(rng, LOWER, 12), "iat": rng.randint(1_700_000_000, 1_790_000_000), "scope": "admin"})
    return _carried(f"{head}.{claims}.{body(rng, URLSAFE, 42)}A", rng, "session {} expired", 'id_token: "{}"', "GET /cb?token={}&state=1")


def _part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).decode().rstrip("=")


def connection_string(rng: Random) -> Planted:
    host, user = f"db.{word(rng)}.net", word(rng)
    forms = (
        f"postgresql://{user}:{{}}@{host}:5432/app",
        f"mongodb+srv://{user}:{{}}@{host}/app?retryWrites=true",
        f"redis://:{{}}@{host}:6379/0",
        f"Server={host};Database=app;User Id={user};Password={{}};Encrypt=true",
        f"mysql+pymysql://{user}:{{}}@{host}/app",
    )
    return _carried(password(rng).replace("!", "x"), rng, *forms, *(f"DATABASE_URL={form}" for form in forms))


def url_userinfo(rng: Random) -> Planted:
    link = f"https://{word(rng)}:{{}}@{word(rng)}.net/team/shop.git"
    return _carried(
        password(rng).replace("!", "x"), rng, f"git clone {link}", f"fatal: unable to access '{link}/': 403", f"origin {link} (fetch)"
    )


def basic_header(rng: Random) -> Planted:
    value = base64.b64encode(f"{word(rng)}:{password(rng)}".encode()).decode()
    return _carried(value, rng, "Authorization: Basic {}", "curl -H 'Authorization: Basic {}' https://api.example.net/v1")


def bearer_header(rng: Random) -> Planted:
    value = body(rng, ALNUM, rng.choice((32, 40, 64)))
    return _carried(
        value,
        rng,
        "Authorization: Bearer {}",
        "curl -H 'Authorization: Bearer {}' https://api.example.net/v1",
        '"authorization": "bearer {}"',
    )


def cookie(rng: Random) -> Planted:
    value = rng.choice((body(rng, HEX, 32), body(rng, URLSAFE, 42) + "x"))
    name = rng.choice(("session", "sessionid", "connect.sid", "JSESSIONID", "auth_token"))
    return _carried(
        value,
        rng,
        f"Cookie: theme=dark; {name}={{}}",
        f"Set-Cookie: {name}={{}}; Path=/; HttpOnly",
        f"curl -b '{name}={{}}' https://api.example.net",
    )


def dotenv_value(rng: Random) -> Planted:
    name = rng.choice(("DB_PASSWORD", "SECRET_KEY", "JWT_SECRET", "ADMIN_PASSWORD", "CLIENT_SECRET", "ENCRYPTION_KEY", "API_TOKEN"))
    return _carried(password(rng), rng, f"{name}={{}}", f'{name}="{{}}"', f"PORT=8080\n{name}={{}}\nDEBUG=0", f"export {name}='{{}}'")


def cli_password(rng: Random) -> Planted:
    user, host = word(rng), f"{word(rng)}.net"
    return _carried(
        password(rng).replace("!", "x"),
        rng,
        f"mysql -h {host} -u {user} -p{{}} shop",
        f"curl -u {user}:{{}} https://{host}/health",
        f"sshpass -p {{}} ssh {user}@{host}",
        f"PGPASSWORD={{}} psql -h {host} -U {user}",
        f"docker login -u {user} --password {{}} {host}",
        f"redis-cli -h {host} -a {{}} ping",
    )


SECRETS: dict[str, Kind] = {
    kind.__name__: kind
    for kind in (
        aws_access_key,
        aws_secret_key,
        azure_storage_key,
        google_api_key,
        github_token,
        gitlab_token,
        slack_token,
        slack_webhook,
        stripe_key,
        openai_key,
        anthropic_key,
        huggingface_token,
        npm_token,
        pypi_token,
        sendgrid_key,
        private_key,
        jwt,
        connection_string,
        url_userinfo,
        basic_header,
        bearer_header,
        cookie,
        dotenv_value,
        cli_password,
    )
}


def _digitalocean(rng: Random) -> Planted:
    return _carried("do" + rng.choice(("p", "o")) + "_v1_" + body(rng, HEX, 64), rng, "DIGITALOCEAN_TOKEN={}", "doctl auth init -t {}")


SECRETS["digitalocean_token"] = _digitalocean
