"""`tracedance doctor`."""

from pathlib import Path
from typing import Any, get_args

import click

from tracedance.cli.output import AS_JSON, PROFILE, STORE, plain, say, say_json

ABILITIES = {"tools": "tools", "reasoning_effort": "reasoning effort", "temperature": "temperature"}


@click.command("doctor")
@STORE
@PROFILE
@click.option("--probe", is_flag=True, help="Ask every model a short question; costs a little.")
@click.option("--privacy", is_flag=True, help="What content each role would be sent, and where.")
@AS_JSON
def doctor_command(store_path: str, profile: str | None, probe: bool, privacy: bool, as_json: bool) -> None:
    """What is configured and what is missing: models and keys, embeddings, the store, and how replayable its sessions are.

    Without --probe no model is called. Names of keys are shown, never their values. Says for each source which exporter switch would make
    it replayable.
    """
    if privacy:
        say_privacy(profile, as_json)
        return
    found = diagnosis(store_path, profile, probe)
    if as_json:
        say_json(found)
    else:
        say_diagnosis(found)


def diagnosis(store_path: str, profile: str | None, probe: bool = False) -> dict[str, Any]:
    """All that `doctor` knows, in its stable JSON shape."""
    from tracedance import __version__
    from tracedance.cli.models import about_models
    from tracedance.query import embedding

    return {
        "version": __version__,
        "profile": profile or "default",
        **models(profile),
        "models": about_models(profile, probe),
        "embeddings": {"installed": embedding.available(), "without": "sentences are matched by words alone"},
        "store": the_store(store_path),
    }


def models(profile: str | None) -> dict[str, Any]:
    """Roles with their models and what answers for them, and the keys that those models need."""
    from tracedance.models.config import Role, load

    loaded = load(profile)
    rows = []
    keys: dict[str, bool] = {}
    for role in get_args(Role):
        names = loaded.seats(role)
        missing = loaded.missing(role)
        rows.append({"role": role, "models": list(names), "backend": "live" if loaded.role(role) else "offline", "missing": list(missing)})
        for name in names:
            keys.update({variable: variable not in missing for variable in [loaded.variable(name)] if variable})
    live = {row["role"] for row in rows if row["backend"] == "live"}
    steps = {"confirm": "fast" if "fast" in live else "rule", "grade": "panel" if "judge" in live else "rule"}
    return {"roles": rows, "keys": [{"name": name, "set": given} for name, given in sorted(keys.items())], "backends": steps}


def the_store(store_path: str) -> dict[str, Any]:
    """Whether there is a store, what is wrong with it, and how replayable its sessions are."""
    from tracedance.errors import InputError
    from tracedance.store.recording import recording
    from tracedance.store.store import Store

    try:
        rows = recording(Store.open(Path(store_path)))
    except InputError as error:
        there = any((Path(store_path) / name).exists() for name in ("store.json", "key"))
        return {"path": store_path, "found": there, "problem": str(error), "sessions": 0, "replayability": []}
    return {"path": store_path, "found": True, "problem": "", "sessions": sum(row["sessions"] for row in rows), "replayability": rows}


def say_models(rows: list[dict[str, Any]]) -> None:
    """What each model can do, whether it was reached, and what is not sent to it."""
    for row in rows:
        words = [f"{'takes' if row[key] else 'no' if row[key] is False else 'perhaps'} {what}" for key, what in ABILITIES.items()]
        window = f"window {row['context_window']:,}" if row["context_window"] else "window unknown"
        say(f"  {plain(row['name'])}: {', '.join(words)}, {window}, answers up to {row['output_cap']:,} tokens")
        for name, why in row["not_acted_on"].items():
            say(f"    {plain(name)} is not acted on: {plain(why)}")
        for left, purposes in grouped(row["left_out"]):
            said = "; ".join(f"{plain(item['name'])} {plain(str(item['value']))} ({plain(item['why'])})" for item in left)
            say(f"    not sent to {', '.join(purposes)}: {said}")
        if row["probe"]:
            say(f"    {'reached' if row['probe']['reached'] else 'not reached'} {plain(row['probe']['said'])}".rstrip())


def grouped(left_out: dict[str, Any]) -> list[tuple[Any, list[str]]]:
    """What is not sent, with all purposes that it is not sent to."""
    groups: list[tuple[Any, list[str]]] = []
    for purpose, left in left_out.items():
        same = next((purposes for other, purposes in groups if other == left), None)
        if same is None:
            groups.append((left, [purpose]))
        else:
            same.append(purpose)
    return groups


def say_diagnosis(found: dict[str, Any]) -> None:
    """The diagnosis for a person."""
    say(f"tracedance {found['version']}, profile {plain(found['profile'])}")
    say("Models")
    for row in found["roles"]:
        names = ", ".join(map(plain, row["models"])) or "none configured"
        needs = f"; set {', '.join(map(plain, row['missing']))}" if row["missing"] else ""
        say(f"  {row['role']:9} {row['backend']:8} {names}{needs}")
    say_models(found["models"])
    backends = found["backends"]
    say(f"  Places are confirmed by {backends['confirm']}, next turns graded by {backends['grade']}.")
    embeddings = found["embeddings"]
    installed = "installed" if embeddings["installed"] else f"not installed: {embeddings['without']} (pip install 'tracedance[embeddings]')"
    say(f"Embeddings {installed}")
    store = found["store"]
    if store["problem"]:
        say(f"Store      {plain(store['problem'])}")
        return
    say(f"Store      {plain(store['path'])}: {store['sessions']} sessions")
    switches: dict[str, None] = {}
    for row in store["replayability"]:
        say(f"  {plain(row['harness']) or 'unknown'} ({plain(row['format'])}): {row['sessions']} {row['grade']}. {row['why']}.")
        if row["switch"]:
            switches[f"  {plain(row['format'])}: {row['switch']}"] = None
    if switches:
        say("To make sessions replayable")
        for line in switches:
            say(line)


def say_privacy(profile: str | None, as_json: bool) -> None:
    """Of each role what it would be sent and where; nothing is called to find out."""
    from tracedance.models.config import load
    from tracedance.models.reach import told

    models = load(profile)
    rows = told(models)
    if as_json:
        say_json({"profile": profile or "default", "local_only": models.file.local_only, "roles": rows})
        return
    held = " (local_only: models elsewhere are refused)" if models.file.local_only else ""
    say(f"Profile {plain(profile or 'default')}{held}. All content is redacted before it is stored, and scanned again before it is sent.")
    for row in rows:
        say(f"{row['role']}: {row['content']}")
        for one in row["models"]:
            place = "on this machine" if one["loopback"] else "leaves this machine"
            off = "" if row["sends"] else "; not used: a key is missing"
            say(f"  {plain(one['model'])} -> {plain(one['host'])} ({place}{off})")
        if not row["models"]:
            say("  the models that --model names" if row["role"] == "evaluated" else "  nobody: this step works by rule")
