"""What `doctor` says of each model: what it can do, whether it is ready, and, asked to probe, whether it answers and what is not sent."""

from __future__ import annotations

from typing import Any, get_args

PURPOSES = {"fast": ("confirm", "domain", "summary"), "judge": ("judge",), "strong": ("interpret",)}
"""What a role is called for; any model may be evaluated."""


def about_models(profile: str | None, probe: bool) -> list[dict[str, Any]]:
    """One row for each model that plays a role or has an entry, in the order of their names. Calls are made only to probe."""
    from tracedance.models.config import Role, load

    loaded = load(profile)
    playing: dict[str, list[str]] = {entry.model_name: [] for entry in loaded.file.model_list}
    for role in get_args(Role):
        for name in loaded.seats(role):
            playing.setdefault(name, []).append(role)
    return [one(loaded, name, roles, probe) for name, roles in sorted(playing.items()) if not name.startswith(("offline/", "replay/"))]


def one(loaded: Any, name: str, roles: list[str], probe: bool) -> dict[str, Any]:
    """A model."""
    endpoint = loaded.endpoint(name)
    able = endpoint.capabilities
    return {
        "name": name,
        "model": endpoint.model,
        "roles": roles,
        "address": endpoint.api_base,
        "ready": not endpoint.missing,
        "missing": endpoint.missing,
        "tools": able.tools,
        "reasoning_effort": able.reasoning_effort,
        "temperature": able.temperature,
        "context_window": able.context_window,
        "output_cap": able.output_cap,
        "rpm": endpoint.rpm,
        "tpm": endpoint.tpm,
        "not_acted_on": dict(endpoint.unsent),
        "left_out": not_sent(loaded, endpoint, roles) if probe else {},
        "probe": probed(loaded, name) if probe else None,
    }


def not_sent(loaded: Any, endpoint: Any, roles: list[str]) -> dict[str, Any]:
    """By purpose, the parameters that are not sent to a model, with the reason; purposes without any are absent."""
    from tracedance.models.fitting import fitted

    purposes = [purpose for role in roles for purpose in PURPOSES.get(role, ())] + ["respond"]
    listed = {purpose: fitted(endpoint, purpose, loaded.parameters(purpose)).listed()["left_out"] for purpose in purposes}
    return {purpose: left for purpose, left in listed.items() if left}


def probed(loaded: Any, name: str) -> dict[str, Any]:
    """What came of a question to the model."""
    from tracedance.models.probe import probe

    found = probe(name, loaded)
    return {"reached": found.reached, "said": found.said, "version": found.version}
