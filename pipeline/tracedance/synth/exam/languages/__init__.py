"""Toolchains: where a language keeps its files, how its tests are run and what the runners print."""

from dataclasses import dataclass
from importlib.resources import files
from random import Random

from tracedance.synth.domains import Domain

_DRAWN = ("test_cmd", "test_one", "lint_cmd", "build_cmd", "fmt_cmd", "add_cmd", "package")


@dataclass(frozen=True)
class Language:
    """One language as its file in this folder describes it."""

    name: str
    fields: dict[str, list[str]]
    templates: tuple[str, ...]
    test_templates: tuple[str, ...]

    @property
    def style(self) -> str:
        """How functions are named: snake, camel or pascal."""
        return self.fields["style"][0]

    @property
    def extension(self) -> str:
        return self.fields["ext"][0]

    def path(self, key: str, module: str, domain: Domain) -> str:
        """Where a module (`src`) or its tests (`test`) lie."""
        pascal = "".join(word.capitalize() for word in module.split("_"))
        names = {"mod": module, "kebab": module.replace("_", "-"), "Mod": pascal, "pkg": domain.slug.replace("-", "_"), "slug": domain.slug}
        return self.fields[key][0].format(**names)

    def words(self, rng: Random) -> dict[str, str]:
        """Slots that hold for a whole session."""
        drawn = {key: rng.choice(self.fields[key]) for key in _DRAWN}
        return drawn | {"manifest": self.fields["manifest"][0], "ext": self.extension, "srcdir": self.fields["srcdir"][0]}


def _read(name: str, text: str) -> Language:
    head, *templates = text.split("\n--- ")
    fields = {}
    for line in head.strip().split("\n"):
        key, _, value = line.partition(": ")
        fields[key] = [one.replace("\\n", "\n") for one in value.split(" ^ ")]
    parts = [template.partition("\n") for template in templates]
    sources = tuple(body for kind, _, body in parts if kind == "source")
    return Language(name, fields, sources, tuple(body for kind, _, body in parts if kind == "test"))


_FOLDER = files("tracedance.synth.exam.languages")
LANGUAGES = tuple(
    _read(entry.name.removesuffix(".txt"), entry.read_text(encoding="utf-8"))
    for entry in sorted(_FOLDER.iterdir(), key=lambda entry: entry.name)
    if entry.name.endswith(".txt")
)
