"""The command group: commands are loaded by name, so that `tracedance --help` costs next to nothing."""

import importlib
import sys
from typing import Any

import click

from tracedance import __version__
from tracedance.cli.output import plain
from tracedance.errors import InputError

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("demo", "Run the whole pipeline on synthetic sessions; no key, no network."),
    "scan": ("scanning", "What is in my traces? Rates per opportunity, by rule; no model."),
    "import": ("importing", "Read raw traces into the store, with a receipt."),
    "families": ("families", "List the catalogue of behaviour families."),
    "show": ("families", "Everything about one family on one screen."),
    "build": ("building", "Build a benchmark from a sentence, or from a named family."),
    "evaluate": ("evaluating", "One next turn per instance and model, graded."),
    "gate": ("gating", "Compare two evaluated models and give a verdict; deterministic."),
    "report": ("reporting", "One self-contained HTML page of a run or a gate report."),
    "store": ("storing", "The store: info, verify, stats, reserve, forget, compact."),
    "doctor": ("diagnosing", "What is configured and missing, and how replayable your sessions are."),
    "verify": ("verifying", "Check a benchmark's digests again."),
}
"""Command name -> (module of this package that defines it, one line of help)."""

EXIT_CODES = """
\b
Exit codes: 0 success (PASS, WARN)   1 FAIL   2 usage or unreadable input
  3 INCONCLUSIVE, rejected, clarify or nothing judged   4 budget reached
  5 provider failed   6 stored data failed its checksum   7 busy
"""


class LazyGroup(click.Group):
    """Knows its commands by name and imports the module of one only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"tracedance.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without loading any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(name, COMMANDS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else " 'tracedance --help' lists all."
            ctx.fail(f"No command is named {name!r}.{hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="tracedance")
def tracedance() -> None:
    """Turns recorded agent sessions into behaviour benchmarks, grades any model's next turn, and gates regressions.

    Start with 'tracedance demo', then 'tracedance scan PATH' on your own traces.
    """


def main() -> None:
    """Entry point: a mistake the user can mend becomes one line and its exit code; a bug keeps its traceback."""
    try:
        code = tracedance.main(prog_name="tracedance", standalone_mode=False)  # the code of an Exit comes back as the value
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.Abort:
        click.echo("Interrupted. Finished work is kept; the same command continues.", err=True)
        sys.exit(130)
    except click.ClickException as mistake:
        click.echo(f"Error: {usage(mistake)}", err=True)
        sys.exit(2)
    except InputError as mistake:
        click.echo(f"Error: {plain(str(mistake))}", err=True)
        sys.exit(mistake.code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)


def usage(mistake: click.ClickException) -> str:
    """A usage error in one line, with the help that tells more."""
    context = mistake.ctx if isinstance(mistake, click.UsageError) else None
    hint = f" '{context.command_path} --help' shows how it is used." if context is not None else ""
    return plain(mistake.format_message()) + hint
