"""`tracedance latent demo`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tracedance.cli.output import AS_JSON, plain, progress, say, say_json

if TYPE_CHECKING:
    from tracedance.schema import RepresentationTrajectory

DEFAULT = "Qwen/Qwen2.5-0.5B-Instruct"


@click.group("latent", context_settings={"help_option_names": ["-h", "--help"]})
def latent_command() -> None:
    """Hidden states of an open model along the steps of a run. Advisory: no verdict rests on them.

    Only models whose weights run on this machine can be looked into; hosted ones show nobody their states. Subcommands: demo.
    """


@latent_command.command("demo")
@click.option("--model", default=DEFAULT, show_default=True, help="A model with open weights: a folder, or a name on the hub.")
@click.option("--layer", default=-1, show_default=True, help="Hidden state to take: 0 is the embedding, -1 the last block.")
@click.option("--step", "steps", multiple=True, required=True, help="The text of a step; repeat it in the order of the run.")
@click.option(
    "--context",
    type=click.Choice(["cumulative", "alone"]),
    default="cumulative",
    show_default=True,
    help="Whether the model reads a step after those before it, or by itself.",
)
@click.option("--out", required=True, type=click.Path(dir_okay=False), help="Write the representation-trajectory/v0 here.")
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw it here, as SVG.")
@AS_JSON
def demo(model: str, layer: int, steps: tuple[str, ...], context: str, out: str, plot: str | None, as_json: bool) -> None:
    """Last-token hidden states, next-token entropy (nats), velocity, curvature and a 2-D projection, one row a --step.

    A name on the hub is downloaded the first time. Texts of steps are not kept, only their hashes.
    """
    from tracedance.latent.model import OpenModel
    from tracedance.latent.picture import picture
    from tracedance.latent.trajectory import trajectory, trajectory_json
    from tracedance.outputs import refuse_outputs
    from tracedance.store.export import write

    refuse_outputs({"--out": Path(out)} | ({"--plot": Path(plot)} if plot else {}), [])
    with progress(quiet=as_json) as advance:
        found = trajectory(OpenModel(model, layer), steps, "alone" if context == "alone" else "cumulative", advance)
    write(Path(out), trajectory_json(found))
    if plot:
        write(Path(plot), picture(found))
    if as_json:
        rows = [step.model_dump(mode="json", exclude={"hidden_state"}) for step in found.steps]
        say_json({"path": out, "plot": plot, **found.model_dump(mode="json", exclude={"steps"}), "steps": rows})
    else:
        say_trajectory(found, out)


def say_trajectory(found: "RepresentationTrajectory", out: str) -> None:
    """The figures for a person."""
    say(f"Model     {plain(found.model)} (open weights), hidden state {found.layer} of {found.layers}, {found.context} context")
    say("Step   tokens  entropy (nats)  velocity  curvature")
    for step in found.steps:
        speed, bend = (f"{value:.4g}" if value is not None else "-" for value in (step.velocity, step.curvature))
        say(f"{step.index + 1:4}  {step.tokens:7}  {step.entropy:14.4f}  {speed:>8}  {bend:>9}")
    say(f"Trajectory: {plain(out)}. Advisory: gate --representation names it in the ledger and decides nothing by it.")
