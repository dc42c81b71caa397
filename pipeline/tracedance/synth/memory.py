"""How an agent misremembers a piece of a file: plausible old texts that are not in it."""

from random import Random

from tracedance.synth.stock import Edit

_RENAMES = (
    ("self._by_key", "self._items"),
    ("self._open", "self.opener"),
    ("this.entries", "this.store"),
    ("self.entries", "self.map"),
    ("filter.", "options."),
    ("request.", "req."),
    ("policy.", "self."),
    ("one.", "item."),
    ("row.", "entry."),
    ("line.", "row."),
    ("l.now()", "time.Now()"),
    ("s.mu.", "s.lock."),
    ("lookup(", "getenv("),
    ("values", "totals"),
    ("value", "val"),
    ("error", "err"),
    ("entry", "item"),
    ("found", "results"),
    ("const ", "let "),
    ("keys", "ids"),
    ("fields", "parts"),
    ("text", "raw"),
    ("lines", "rows"),
    ("rows", "records"),
    ("record", "fields"),
    ("total", "result"),
    ("tried", "attempt"),
    ("minutes", "mins"),
    ("stamp", "time"),
    ("path", "url"),
    ("store.", "db."),
    ("out", "buf"),
    ("match", "found"),
    ("host", "addr"),
    ("key", "id"),
    ("test_", "test_that_"),
    ("import ", "from "),
    ("fn ", "pub fn "),
    ("func Test", "func Test_"),
    ('it("', 'test("'),
)


def misremembered(text: str, old: str, rng: Random) -> list[str]:
    """Versions of `old` that do not occur in the text, in random order and all different."""
    versions = [old.replace(before, after) for before, after in _RENAMES if before in old]
    lines = old.split("\n")
    if len(lines) > 2:
        versions.append("\n".join([*lines[:1], *lines[2:]]))
    versions.append("\n".join([lines[0].rstrip(":;{").rstrip() + (" {" if lines[0].endswith(":") else ":"), *lines[1:]]))
    mark = "#" if "def " in text and "fn " not in text else "//"
    indent = old[: len(old) - len(old.lstrip())]
    versions += [f"{indent}{mark} {word}\n{old}" for word in ("default", "see the docs")]
    versions.append("\n".join([f"{lines[0]}  {mark} keep", *lines[1:]]))
    fresh = [version for version in dict.fromkeys(versions) if version.strip() and f"{version}\n" not in text and version not in text]
    head, rest = fresh[:6], fresh[6:]
    rng.shuffle(head)
    return head + rest


def core(edit: Edit, text: str) -> Edit | None:
    """The same change anchored on as few lines as will do; None where that is not shorter or not unique."""
    old, new = edit.old.split("\n"), edit.new.split("\n")
    front = 0
    while front < min(len(old), len(new)) and old[front] == new[front]:
        front += 1
    back = 0
    while back < min(len(old), len(new)) - front and old[-1 - back] == new[-1 - back]:
        back += 1
    if front + back == len(old):
        front, back = (front - 1, back) if front else (front, back - 1)
    short = Edit(edit.path, "\n".join(old[front : len(old) - back]), "\n".join(new[front : len(new) - back]))
    fits = len(short.old) < len(edit.old) and f"\n{text}".count(f"\n{short.old}\n") == 1 and text.count(short.old) == 1
    return short if fits and short.old.strip() else None


def careless(edit: Edit, text: str) -> Edit | None:
    """The change anchored on one line that occurs several times; None where no end of the edit has such a line."""
    old, new = edit.old.split("\n"), edit.new.split("\n")
    for cut in range(1, len(old)):
        if new[:cut] == old[:cut] and text.count("\n".join(old[cut:])) > 1:
            return Edit(edit.path, "\n".join(old[cut:]), "\n".join(new[cut:]))
        if new[-cut:] == old[-cut:] and text.count("\n".join(old[:-cut])) > 1:
            return Edit(edit.path, "\n".join(old[:-cut]), "\n".join(new[:-cut]))
    return None
