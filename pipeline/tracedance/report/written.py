"""Reports in the form that a file's name asks for."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tracedance.errors import InputError
from tracedance.report.evaluation import Evaluated
from tracedance.report.html import render_evaluated
from tracedance.report.markdown import as_values, markdown
from tracedance.store.beside import seal_outputs
from tracedance.store.export import write

FORMS: Mapping[str, Callable[[Evaluated], str]] = {
    ".html": render_evaluated,
    ".md": markdown,
    ".json": lambda told: json.dumps(as_values(told), ensure_ascii=False, indent=1, allow_nan=False) + "\n",
}


def refuse_other_forms(paths: Sequence[Path]) -> None:
    """InputError for a name that ends in none of `FORMS`."""
    for path in paths:
        if path.suffix.lower() not in FORMS:
            raise InputError(f"A report is no {path.suffix or 'file without an ending'!r}. Name a file that ends in {', '.join(FORMS)}.")


def write_reports(told: Evaluated, paths: Sequence[Path]) -> None:
    """One report in as many files and forms as are named, through the export door."""
    refuse_other_forms(paths)
    for path in paths:
        write(path, FORMS[path.suffix.lower()](told))
    seal_outputs(paths)
