"""How much of one text stands word for word in another, by runs of words; linear in both, so hostile text costs no more than its length."""

from collections.abc import Iterator

RUN = 8
"""Words in a run. Eight in a row are rarely shared by chance; shorter runs are idiom and code."""


def runs(text: str) -> set[tuple[str, ...]]:
    """The runs of `RUN` lower-case words in `text`; empty when it is shorter than one run."""
    return set(_runs(text))


def share_quoted(text: str, inside: str) -> tuple[float, int]:
    """Share of the runs of `text` that also stand in `inside`, and how many runs `text` has."""
    wanted = runs(text)
    if not wanted:
        return 0.0, 0
    return len(wanted & runs(inside)) / len(wanted), len(wanted)


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = "".join(character if character.isalnum() else " " for character in text.lower()).split()
    for start in range(len(words) - RUN + 1):
        yield tuple(words[start : start + RUN])
