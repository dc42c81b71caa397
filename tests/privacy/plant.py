"""Writes sessions that misbehave and carry planted secrets: `python -m tests.privacy.plant --out DIR`.

`DIR/planted.txt` has one planted value a line: kind, encoding, the value and the form as planted, with tabs between and JSON's escapes.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.privacy.clean import write_clean
from tests.privacy.encodings import ENCODINGS
from tests.privacy.kinds import SECRETS, word
from tests.privacy.persons import PERSONS
from tests.privacy.stories import FORMATS, Step, Story, tell

PLANTED = "planted.txt"
A_SESSION = 9
"""Planted secrets in one session."""
NOWHERE = ""
"""The branch of a session whose format does not record one."""
SELF_EVIDENT = frozenset(
    [
        "aws_access_key",
        "google_api_key",
        "github_token",
        "gitlab_token",
        "slack_token",
        "stripe_key",
        "openai_key",
        "anthropic_key",
        "huggingface_token",
        "npm_token",
        "pypi_token",
        "sendgrid_key",
        "jwt",
        "digitalocean_token",
    ]
)
"""Kinds that are known by themselves: only these stand where no other text can, in names and ids."""


@dataclass(frozen=True)
class Item:
    """One planted value."""

    kind: str
    encoding: str
    value: str
    form: str


def items(rng: Random, secrets: int) -> list[Item]:
    """So many secrets, all kinds and encodings alike, and a tenth as many pieces of personal data; in random order."""
    pairs = [(kind, encoding) for kind in SECRETS for encoding in ENCODINGS]
    wanted = [pairs[number % len(pairs)] for number in range(secrets)]
    persons = [(kind, encoding) for encoding in ("plain", "json", "base64") for kind in PERSONS]
    wanted += [persons[number % len(persons)] for number in range(secrets // 10)]
    rng.shuffle(wanted)
    return [_item(rng, kind, encoding) for kind, encoding in wanted]


def _item(rng: Random, kind: str, encoding: str) -> Item:
    value, text = (SECRETS | PERSONS)[kind](rng)
    return Item(kind, encoding, value, ENCODINGS[encoding](text, value, rng))


def _in_text(step: Step, form: str, rng: Random) -> None:
    step.text += rng.choice((f"\n\n{form}\n\nThat is all.", f" Here it is:\n{form}"))


def _said(story: Story, item: Item, rng: Random) -> None:
    _in_text(rng.choice([step for step in story.steps if step.kind == "user"]), item.form, rng)


def _answered(story: Story, item: Item, rng: Random) -> None:
    _in_text(rng.choice([step for step in story.steps if step.kind == "say"][:-1]), item.form, rng)


def _system(story: Story, item: Item, rng: Random) -> None:
    story.system += f"\n\nUse this:\n{item.form}\n"


def _command(story: Story, item: Item, rng: Random) -> None:
    _insert(story, _call("Bash", rng, {"command": f"cat > notes.txt <<'END'\n{item.form}\nEND"}, "done"))


def _written(story: Story, item: Item, rng: Random) -> None:
    path = f"{story.cwd}/{word(rng)}.txt"
    _insert(story, _call("Write", rng, {"file_path": path, "content": f"# notes\n{item.form}\n"}, "File created."))


def _key(story: Story, item: Item, rng: Random) -> None:
    _insert(story, _call("mcp__vault__put", rng, {"entries": {item.form: "enabled"}}, "ok"))


def _result(story: Story, item: Item, rng: Random) -> None:
    _insert(story, _call("Bash", rng, {"command": f"cat {word(rng)}.txt"}, f"line one\n{item.form}\nlast line"))


def _result_key(story: Story, item: Item, rng: Random) -> None:
    result = json.dumps({"rows": [{item.form: 1}]}, ensure_ascii=False)
    _insert(story, _call("mcp__db__query", rng, {"sql": "select 1"}, result))


def _error(story: Story, item: Item, rng: Random) -> None:
    call = _call("Bash", rng, {"command": f"./{word(rng)}.sh"}, f"Traceback: request failed\n{item.form}\n")
    call.error = True
    _insert(story, call)


def _tool_name(story: Story, item: Item, rng: Random) -> None:
    _insert(story, _call(f"mcp__{item.form}__list", rng, {"limit": 5}, "nothing"))


def _file_name(story: Story, item: Item, rng: Random) -> None:
    _insert(story, _call("Read", rng, {"file_path": f"{story.cwd}/logs/{item.form}.log"}, "     1→started"))


def _identity(story: Story, item: Item, rng: Random) -> None:
    rng.choice([step for step in story.steps if step.kind == "call"]).id = f"call_{word(rng)}_{item.form}"


def _branch(story: Story, item: Item, rng: Random) -> None:
    story.branch += f"/{item.form}"


def _insert(story: Story, call: Step) -> None:
    """The call comes after the first words of the model, long before the commit."""
    place = next(number for number, step in enumerate(story.steps) if step.kind == "say") + 1
    story.steps.insert(place, call)


def _call(tool: str, rng: Random, arguments: dict[str, object], result: str) -> Step:
    return Step("call", tool=tool, arguments=arguments, result=result, id=f"call_{word(rng)}{rng.randrange(10**9)}")


Place = Callable[[Story, Item, Random], None]
TEXTS: tuple[Place, ...] = (_said, _answered, _system, _command, _written, _key, _result, _result, _result_key, _error)
NAMES: tuple[Place, ...] = (_tool_name, _file_name, _identity, _branch)


def put(story: Story, item: Item, rng: Random) -> Item:
    """Plants it somewhere; the item as it stands there."""
    if item.kind in SELF_EVIDENT and item.encoding == "plain" and rng.random() < 0.4:
        item = Item(item.kind, item.encoding, item.value, item.value)
        rng.choice(NAMES[:3] if story.branch == NOWHERE else NAMES)(story, item, rng)
    else:
        rng.choice(TEXTS)(story, item, rng)
    return item


def write(out: Path, secrets: int, seed: int) -> int:
    """Writes the sessions and `planted.txt`; how many sessions."""
    rng = Random(f"privacy:{seed}")
    waiting, rows, number = items(rng, secrets), [], 0
    while waiting:
        story = tell(rng, number)
        story.branch = "main" if number % len(FORMATS) < 2 else NOWHERE
        for _ in range(min(A_SESSION, len(waiting))):
            rows.append(put(story, waiting.pop(), rng))
        FORMATS[number % len(FORMATS)](story, out)
        number += 1
    lines = ("\t".join((row.kind, row.encoding, *(json.dumps(text)[1:-1] for text in (row.value, row.form)))) for row in rows)
    (out / PLANTED).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return number


def load(path: Path) -> list[Item]:
    """The rows of a `planted.txt`."""
    rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line)
    return [Item(kind, encoding, json.loads(f'"{value}"'), json.loads(f'"{form}"')) for kind, encoding, value, form in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--secrets", type=int, default=2000)
    parser.add_argument("--clean", action="store_true", help="write 1,000 sessions of high entropy without a secret instead")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    if given.clean:
        print(json.dumps({"clean": write_clean(given.out, given.seed)}))
    else:
        print(json.dumps({"sessions": write(given.out, given.secrets, given.seed), "planted": str(given.out / PLANTED)}))


if __name__ == "__main__":
    main()
