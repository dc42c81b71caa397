"""The README of a published benchmark: a dataset card that the `datasets` library reads."""

from collections.abc import Sequence
from hashlib import sha256

import yaml

from tracedance.schema import Instance, Manifest

DATA = "data/test.jsonl"


def card(manifest: Manifest, instances: Sequence[Instance], data: bytes, place: str = DATA, exported: bool = False) -> str:
    """Markdown with front matter; only the file at `place` is data, so that checks and rubrics never load as rows.

    The folder of an export holds neither the checks nor a written family, and its card speaks of neither.
    """
    front = front_matter(data, place)
    replay = sorted({instance.replayability for instance in instances})
    asked = f"Asked for: {_plain(manifest.query)}" if manifest.query else "Asked for by family."
    counts = _funnel(manifest)
    dropped = ", ".join(f"{name} {count}" for name, count in sorted(manifest.dropped.items())) or "none"
    replaced = ", ".join(f"{kind} {count}" for kind, count in sorted(manifest.replaced.items())) or "nothing"
    return "\n".join(
        [
            "---",
            yaml.safe_dump(front, sort_keys=False).strip(),
            "---",
            "",
            f"# {manifest.name}",
            "",
            *(["This is the private part of a benchmark. It is held back: do not publish it.", ""] if manifest.part == "private" else []),
            asked,
            "",
            f"- families: {', '.join(manifest.families)}",
            f"- instances: {manifest.instances} ({', '.join(replay) or 'none'})",
            f"- occurrences confirmed by: {', '.join(manifest.confirmed_by) or 'nothing'}",
            f"- on the way here: {counts}",
            f"- dropped: {dropped}",
            *_synthesised(manifest, exported),
            f"- redaction: rules {', '.join(digest[:16] for digest in manifest.redaction) or 'unknown'}; replaced: {replaced}",
            "",
            f"Each row of `{place}` is a context that ends just before a decision of a recorded agent session. A model is given the",
            "context and produces one next turn, which is never executed and is graded by the rubric of the row's family under `rubrics/`.",
            "Contexts were selected because the recorded decision offended: pass rates on them are no frequencies.",
            *(["`checks.jsonl` is for the grader alone and must not be shown to an evaluated model."] if not exported else []),
            "",
            "This benchmark must not be used for training. Canary, kept in every file:",
            "",
            f"    {manifest.canary}",
            "",
        ]
    )


def _funnel(manifest: Manifest) -> str:
    """How many came as far as each step; a 0 of opportunities beside candidates says that none were counted."""
    uncounted = bool(manifest.counts.get("candidates")) and not manifest.counts.get("opportunities")
    told = [f"{name} {count}" for name, count in sorted(manifest.counts.items()) if not (uncounted and name == "opportunities")]
    return ", ".join([*told, *(["opportunities not counted"] if uncounted else [])])


def _synthesised(manifest: Manifest, exported: bool) -> list[str]:
    """A line for each family that a model wrote."""
    lines = []
    for made in manifest.synthesised:
        read = "" if made.get("reviewed_by_people") else " and NOT reviewed by people"
        digest = str(made.get("digest"))[:16]
        where = "its files are the benchmark's" if exported else "its files lie under `family/`"
        lines.append(f"- {made.get('family')} was synthesised by a model{read}; {where} (digest {digest})")
    return lines


def front_matter(data: bytes, place: str = DATA) -> dict[str, object]:
    """What the `datasets` library reads. `data` are the bytes of the file at `place`.

    The configuration is named after their digest: the library caches rows by folder and name of the configuration, and would give those
    of an earlier build at the same place.
    """
    name = f"test-{sha256(data).hexdigest()[:16]}"
    return {
        "configs": [{"config_name": name, "default": True, "data_files": [{"split": "test", "path": place}]}],
        "tags": ["agents", "behaviour", "tracedance"],
        "size_categories": ["n<1K"],
    }


def _plain(query: str) -> str:
    """A user's sentence on one line, without the characters that Markdown and HTML act on."""
    return "".join(char for char in " ".join(query.split()) if char not in "<>`[]!|")
