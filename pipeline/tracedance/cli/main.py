"""The command group: commands are loaded by name, so that `tracedance --help` costs next to nothing."""

import errno
import importlib
import os
import sys
from typing import Any

import click

from tracedance import __version__
from tracedance.cli.output import mask_output, plain, shown
from tracedance.cli.paths import refusing_empty
from tracedance.errors import InputError

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("demo", "Run the whole pipeline on synthetic sessions; no key, no network."),
    "scan": ("scanning", "What is in my traces? Rates per opportunity, by rule; no model."),
    "import": ("importing", "Read raw traces into the store, with a receipt."),
    "families": ("families", "List the catalogue of behaviour families."),
    "show": ("families", "Everything about one family on one screen."),
    "check-family": ("checking", "Name all that is missing or wrong in families of your own."),
    "build": ("building", "Build a benchmark from a sentence, or from a named family."),
    "promote": ("promoting", "Keep a family that a model wrote, once you have read it."),
    "queries": ("querying", "Sentences with what must come of each: run, draft."),
    "evaluate": ("evaluating", "One next turn per instance and model, graded."),
    "rejudge": ("rejudging", "Grade a run's responses anew, by other judges or another rubric."),
    "compare": ("comparing", "Leaderboard of finished runs, with intervals and groups."),
    "labels": ("labelling", "People's labels: sample to label, import them, report what they say."),
    "trace": ("tracing", "Behaviour traces of sessions, hashes in place of content: export."),
    "contract": ("contracting", "Behaviour contracts: init, lock, diff, compile."),
    "latent": ("representing", "Hidden states of an open model along the steps of a run; advisory: demo."),
    "gate": ("gating", "Judge traces or evaluated models against a baseline and a spec; deterministic."),
    "export": ("exporting", "A benchmark in another tool's form: OpenAI chat requests, Parquet."),
    "report": ("reporting", "One self-contained HTML page of a run or a gate report."),
    "store": ("storing", "The store: info, verify, stats, reserve, forget, redact, compact."),
    "synth": ("synthesising", "Write synthetic sessions with known places of every family."),
    "quarantine": ("quarantining", "Sessions that may still hold a secret: list, approve."),
    "doctor": ("diagnosing", "What is configured and missing, and how replayable your sessions are."),
    "verify": ("verifying", "Check every digest of a benchmark, an export, a run or a store again."),
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
        command: click.Command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        return refusing_empty(command)

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
    mask_output()
    try:
        refuse_unwritable(sys.argv[1:])
        code = tracedance.main(prog_name="tracedance", standalone_mode=False)  # the code of an Exit comes back as the value
        sys.stdout.flush()  # here, where a full disk is one line and not a failure of the interpreter
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.Abort:
        click.echo("Interrupted. Finished work is kept; the same command continues.", err=True)
        sys.exit(130)
    except click.ClickException as mistake:
        click.echo(f"Error: {shown(usage(mistake))}", err=True)
        sys.exit(2)
    except InputError as mistake:
        click.echo(f"Error: {plain(shown(str(mistake)))}", err=True)
        sys.exit(mistake.code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as failure:
        close_output()
        click.echo(f"Error: {plain(shown(system(failure)))}", err=True)
        sys.exit(2)
    except Exception as failure:
        said = database(failure)
        if said is None:
            raise
        click.echo(f"Error: {plain(shown(said[0]))}", err=True)
        sys.exit(said[1])


def refuse_unwritable(words: list[str]) -> None:
    """InputError for an option's value that is no UTF-8: reports and manifests name their paths, and could not be written."""
    for before, word in zip(["", *words], words, strict=False):
        if (before.startswith("--") or word.startswith("--")) and any("\ud800" <= char <= "\udfff" for char in word):
            raise InputError(f"{word!r} is not UTF-8. Give another name.")


def system(failure: OSError) -> str:
    """What the system refused, in one line: the path where there is one, the reason, and the cure where we know it."""
    place = failure.filename2 or failure.filename
    named = f"{os.fsdecode(place)!r}: " if isinstance(place, str | bytes) else ""
    reason = failure.strerror or str(failure) or type(failure).__name__
    if failure.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"{named}{reason}. Finished work is kept: free some space, and the same command continues."
    return f"{named}{reason}. Check the path and its permissions."


def database(failure: Exception) -> tuple[str, int] | None:
    """One line and the exit code for what SQLite raises (6 where a file is damaged); None for anything else."""
    sqlite3 = sys.modules.get("sqlite3")  # not imported for its own sake: commands start fast
    if sqlite3 is None or not isinstance(failure, sqlite3.DatabaseError):
        return None
    if isinstance(failure, sqlite3.OperationalError):
        return f"A ledger cannot be used ({failure}). Check the folder's permissions and the free space.", 2
    return f"A ledger is damaged ({failure}). Move the file away; calls are then paid again.", 6


def close_output() -> None:
    """Gives up on standard output where it cannot take what waits for it, or the interpreter would try again and fail at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def usage(mistake: click.ClickException) -> str:
    """A usage error in one line, with the help that tells more."""
    context = mistake.ctx if isinstance(mistake, click.UsageError) else None
    hint = f" '{context.command_path} --help' shows how it is used." if context is not None else ""
    return plain(mistake.format_message()) + hint
