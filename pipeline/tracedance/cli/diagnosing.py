"""`tracedance doctor`."""

from pathlib import Path
from typing import Any, get_args

import click

from tracedance.cli.output import AS_JSON, PROFILE, STORE, plain, say, say_json


@click.command("doctor")
@STORE
@PROFILE
@click.option("--privacy", is_flag=True, help="What content each role would be sent, and where.")
@AS_JSON
def doctor_command(store_path: str, profile: str | None, privacy: bool, as_json: bool) -> None:
    """What is configured and what is missing: models and keys, embeddings, the store, and how replayable its sessions are.

    Says for each source which exporter switch would make it replayable. Names of keys are shown, never their values.
    """
    if privacy:
        say_privacy(profile, as_json)
        return
    found = diagnosis(store_path, profile)
    if as_json:
        say_json(found)
    else:
        say_diagnosis(found)


def diagnosis(store_path: str, profile: str | None) -> dict[str, Any]:
    """All that `doctor` knows, in its stable JSON shape."""
    from tracedance import __version__
    from tracedance.query import embedding

    return {
        "version": __version__,
        "profile": profile or "default",
        **models(profile),
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


def say_diagnosis(found: dict[str, Any]) -> None:
    """The diagnosis for a person."""
    say(f"tracedance {found['version']}, profile {plain(found['profile'])}")
    say("Models")
    for row in found["roles"]:
        names = ", ".join(map(plain, row["models"])) or "none configured"
        needs = f"; set {', '.join(map(plain, row['missing']))}" if row["missing"] else ""
        say(f"  {row['role']:9} {row['backend']:8} {names}{needs}")
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
