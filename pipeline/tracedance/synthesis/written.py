"""A family as a model writes it: five texts in one answer, read without executing any of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field

from tracedance.catalogue import Example, Family, files
from tracedance.catalogue.examples import unbuilt
from tracedance.errors import InputError
from tracedance.kit import sessions
from tracedance.kit.needs import Needs, among
from tracedance.schema import FamilyCard, Frame, Hit, Record, Rubric, Session
from tracedance.store.durable import write_durably
from tracedance.synthesis import rubrics

LONGEST = 60_000
"""Characters of one file."""
NAME = r"[a-z][a-z0-9_]{2,63}"


class FamilyDraft(Record):
    """What the draft prompt and the revise prompt ask for."""

    frame: Frame
    name: str = Field(pattern=rf"^{NAME}$")
    card: str = Field(max_length=LONGEST)
    """YAML."""
    anchor: str = Field(max_length=LONGEST)
    """Python."""
    examples: str = Field(max_length=LONGEST)
    """YAML."""
    rubric: str = Field(max_length=LONGEST)
    """YAML."""
    check: str = Field(default="", max_length=LONGEST)
    """Python, or "" for no check."""

    @property
    def id(self) -> str:
        """The family's id."""
        return f"{self.frame}/{self.name}"

    @property
    def files(self) -> dict[str, str]:
        """Path below the catalogue folder -> text."""
        anchor, rubric = f"anchors/{self.id}", f"rubrics/{self.id}"
        written = {f"{anchor}.yaml": self.card, f"{anchor}.py": self.anchor, f"{anchor}.examples.yaml": self.examples}
        written[f"{rubric}.yaml"] = self.rubric
        return {**written, **({f"{rubric}.py": self.check} if self.check.strip() else {})}


@dataclass(frozen=True, slots=True)
class Read:
    """A draft whose texts can be read; nothing of it was executed."""

    draft: FamilyDraft
    folder: Path
    card: FamilyCard
    rubric: Rubric
    examples: tuple[Mapping[str, Any], ...]
    given: Mapping[str, Any] = field(default_factory=dict)
    """Values that the request gives for parameters of the card."""

    @property
    def guards(self) -> tuple[str, ...]:
        """Names of the guards that the questions rest on."""
        return tuple(dict.fromkeys(name for question in self.card.confirm for name in question.guards))

    def session(self, example: Mapping[str, Any]) -> Session:
        """The session of an example."""
        return sessions.build(example["turns"], **{"id": example["name"], **example.get("meta", {})})

    @property
    def family(self) -> Family:
        """The family for those who ask about its places: its anchor cannot be called, it runs in the sandbox and nowhere else."""
        draft = self.draft
        return Family(
            id=draft.id,
            folder=self.folder,
            frame=draft.frame,
            name=draft.name,
            card=self.card,
            anchor=_sandboxed_only,
            needs=NOWHERE,
            guards={},
            examples=tuple(Example(item["name"], item, (), (), "") for item in self.examples),
            rubric=self.rubric,
            check=None,
            digests={},
        )


NOWHERE: Needs = among("kind", "never")


def _sandboxed_only(session: Session, params: Mapping[str, Any]) -> Iterator[Hit]:
    raise InputError("The anchor of a synthesised family runs in the sandbox only.")


def write(draft: FamilyDraft, folder: Path) -> None:
    """The draft's files below a folder, which is then a catalogue folder."""
    for name, text in draft.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_durably(path, (text.rstrip() + "\n").encode("utf-8", "replace"))


def read(draft: FamilyDraft, folder: Path, taken: Collection[str]) -> tuple[Read | None, list[str]]:
    """The draft, written to `folder`, and all that is wrong with its texts; no Read where one of them cannot be read. Costs no call."""
    write(draft, folder)
    problems: list[str] = []
    if draft.name in {name.partition("/")[2] for name in taken}:
        problems.append(f"the catalogue has a family named {draft.name!r}; take another name")
    anchors = folder / "anchors" / draft.frame
    card = _tried(problems, lambda: files.read_record(anchors / f"{draft.name}.yaml", FamilyCard))
    rubric = _tried(problems, lambda: files.read_record(folder / "rubrics" / draft.frame / f"{draft.name}.yaml", Rubric))
    guards = [name for question in card.confirm for name in question.guards] if card else []
    written = _tried(problems, lambda: files.examples(anchors / f"{draft.name}.examples.yaml", guards))
    problems += [f"example {written[key[0]]['name']!r}: {what}. {cure}." for what, key, cure in unbuilt(written or ())]
    if rubric is not None:
        problems += [f"rubric: {what}" for what in rubrics.lint(rubric, card)]
    if card is None or rubric is None or written is None or problems:
        return None, problems
    return Read(draft, folder, card, rubric, tuple(written)), []


def _tried(problems: list[str], reading: Any) -> Any:
    try:
        return reading()
    except InputError as error:
        problems.append(str(error))
    except (TypeError, ValueError, RecursionError) as error:  # whatever a model may write there
        problems.append(f"a file cannot be read ({type(error).__name__}: {error})")
    return None
