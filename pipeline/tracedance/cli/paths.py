"""Options and arguments that name places: an empty one would silently mean the current folder."""

from collections.abc import Callable
from typing import Any

import click

PATHS = frozenset(["baseline", "candidate", "runs", "store_path", "profile", "rubrics", "hash_key", "model_path"])
"""Parameters that name places (or a thing in a place) and are declared as text."""


def refusing_empty(command: click.Command) -> click.Command:
    """The same command, which refuses empty names of places in itself and in its subcommands."""
    for parameter in command.params:
        if (isinstance(parameter.type, click.Path) or parameter.name in PATHS) and not isinstance(parameter.callback, _Checked):
            parameter.callback = _Checked(parameter.callback)
    for sub in command.commands.values() if isinstance(command, click.Group) else ():
        refusing_empty(sub)
    return command


class _Checked:
    """A parameter's callback, before which its value is looked at."""

    def __init__(self, inner: Callable[..., Any] | None) -> None:
        self._inner = inner

    def __call__(self, context: click.Context, parameter: click.Parameter, value: Any) -> Any:
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, str) and (not one.strip() or "\0" in one):
                named = parameter.opts[0] if isinstance(parameter, click.Option) else parameter.make_metavar(context)
                raise click.BadParameter(f"{named} is empty. Name a place; '.' is the current folder.", context, parameter)
        return self._inner(context, parameter, value) if self._inner else value
