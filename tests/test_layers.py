"""One direction: a step imports only steps above it in the list below."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "pipeline" / "tracedance"

ORDER = [
    ("errors", "failpoint", "resources", "regular", "outputs", "yamlfile"),
    ("config",),
    ("schema",),
    ("kit",),
    ("privacy",),
    ("door",),
    ("catalogue",),
    ("ingest",),
    ("store",),
    ("traces",),
    ("scan",),
    ("models",),
    ("query",),
    ("construct",),
    ("queries",),
    ("analyse",),
    ("evaluate",),
    ("gate",),
    ("compare",),
    ("labels",),
    ("report",),
    ("exports",),
    ("ci",),
    ("latent",),
    ("synthesis",),
    ("synth",),
    ("flows",),
    ("cli",),
]
RANK = {name: rank for rank, names in enumerate(ORDER) for name in names}
HEAVY_ONLY_IN = {"prefect": "flows", "litellm": "models", "sentence_transformers": "query", "torch": "latent"}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def step(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} uses a relative import"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_step_imports_only_steps_above_it(path: Path) -> None:
    if path.parent == PACKAGE and path.name in ("__init__.py", "__main__.py"):
        return
    mine = step(path)
    assert mine in RANK, f"{mine} has no place in the order of steps"
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "tracedance" and len(parts) > 1 and parts[1] in RANK:
            assert RANK[parts[1]] <= RANK[mine], f"{path.name} imports {name}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_heavy_libraries_stay_in_their_step(path: Path) -> None:
    for name in imports(path):
        owner = HEAVY_ONLY_IN.get(name.split(".")[0])
        assert owner is None or owner == step(path), f"{path.name} imports {name}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_stays_readable(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 300


def test_the_finder_and_the_grader_do_not_know_each_other() -> None:
    """anchors/ finds and cuts, rubrics/ grades: neither reads the other, and neither reaches a model or the store."""
    root = PACKAGE.parents[1]
    for path in [*sorted((root / "anchors").rglob("*.py")), *sorted((root / "rubrics").rglob("*.py"))]:
        for name in imports(path):
            parts = name.split(".")
            assert parts[0] not in {"anchors", "rubrics"}, f"{path} imports {name}"
            assert parts[0] != "tracedance" or parts[1] in {"kit", "schema"}, f"{path} imports {name}"
