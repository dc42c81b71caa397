"""Names of people by Presidio's recogniser, an optional extra (`pii`) that is off unless `import --names` asks for it.

Nothing tells a name but its context, so a model of language guesses, in English, and errs both ways: docs/privacy.md has figures. Only
names of two words or more are taken: of single words most are classes, products or places.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from tracedance.errors import InputError
from tracedance.privacy.redactor import Redactor, _Cleaned

NAMED = "+names"
"""What the digest of the rules ends with where names were looked for too."""
MODELS = ("en_core_web_trf", "en_core_web_lg", "en_core_web_md", "en_core_web_sm")
CURE = "Run 'pip install tracedance[pii]' and 'python -m spacy download en_core_web_lg', or leave --names out."
_FULL = re.compile(r"[^\W\d_][^\W\d_'’.-]*(?:[ \t]+[^\W\d_][^\W\d_'’.-]*[.]?){1,3}")
_WORTH = re.compile(r"\b[A-Z][a-z]+[ \t]+[A-Z]")
_PIECE = 50_000
"""Characters given to the model at once."""


@cache
def engine() -> Any:
    """Presidio with the largest English model that is installed. InputError: the extra or a model is not."""
    try:
        import spacy.util
        from presidio_analyzer.nlp_engine import NlpEngineProvider
        from presidio_analyzer.predefined_recognizers import SpacyRecognizer
    except ImportError as error:
        raise InputError(f"--names needs the extra 'pii', which is not installed. {CURE}") from error
    installed = spacy.util.get_installed_models()
    known = [name for model in MODELS for name in installed if name.startswith(model)]
    if not known:
        raise InputError(f"--names needs an English model of spaCy, and none is installed. {CURE}")
    models = [{"lang_code": "en", "model_name": known[0]}]
    language = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models}).create_engine()
    return language, SpacyRecognizer(supported_entities=["PERSON"])


def people(text: str) -> Iterator[tuple[int, int]]:
    """Where names stand in a text, in order."""
    language, recogniser = engine()
    for begin in range(0, len(text), _PIECE):
        piece = text[begin : begin + _PIECE]
        if not _WORTH.search(piece):
            continue
        for found in sorted(recogniser.analyze(piece, ["PERSON"], language.process_text(piece, "en")), key=lambda one: int(one.start)):
            if _FULL.fullmatch(piece[found.start : found.end]):
                yield begin + found.start, begin + found.end


class NamingRedactor(Redactor):
    """Replaces names of people too."""

    def __init__(self, key: bytes) -> None:
        engine()
        super().__init__(key)

    def _cleaned(self, text: str) -> _Cleaned:
        cleaned = super()._cleaned(text)
        parts: list[str] = []
        position = 0
        for start, end in people(cleaned.text):
            if start >= position:
                parts += (cleaned.text[position:start], self._pseudonyms.person(cleaned.text[start:end]))
                position = end
        if not parts:
            return cleaned
        return cleaned._replace(text="".join([*parts, cleaned.text[position:]]), kinds=(*cleaned.kinds, *["name"] * (len(parts) // 2)))
