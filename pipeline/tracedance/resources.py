"""Where the product's own data lies: `anchors/`, `rubrics/`, `prompts/`, `configs/`."""

from functools import cache
from pathlib import Path

FOLDERS = ("anchors", "rubrics", "prompts", "configs")


@cache
def home() -> Path:
    """The folder that holds anchors/, rubrics/, prompts/ and configs/: `_data` beside the package, else upwards to the checkout."""
    package = Path(__file__).resolve().parent
    for folder in (package / "_data", *package.parents):
        if all((folder / name).is_dir() for name in FOLDERS):
            return folder
    raise RuntimeError(f"The installation is incomplete: no folder with {', '.join(FOLDERS)} beside or above {package}.")


def data(name: str) -> Path:
    """One of the data folders by name."""
    return home() / name
