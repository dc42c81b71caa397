"""What commands that call models have in common: options about money and unknown outcomes, and how estimates and accounts are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from tracedance.cli.output import plain, say

if TYPE_CHECKING:
    from tracedance.models.config import Role


class Dollars(click.ParamType[int]):
    """An amount of US dollars, as whole picodollars."""

    name = "dollars"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            amount = Decimal(str(value).removeprefix("$"))
        except ArithmeticError:
            self.fail(f"{value!r} is no amount of dollars. Write it like 0.50.", param, ctx)
        if not amount.is_finite() or amount < 0 or amount > 1_000_000:
            self.fail(f"{value!r} is no amount between 0 and 1,000,000 dollars.", param, ctx)
        return int(amount * 10**12)


def spending_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--estimate, --max-cost, --on-unknown and --record."""
    options = [
        click.option("--estimate", is_flag=True, help="Say what it would cost, by stage and role, and make no call."),
        click.option(
            "--max-cost", type=Dollars(), help="Dollars that the whole run may cost; it stops before it could cost more (exit 4)."
        ),
        click.option(
            "--on-unknown",
            type=click.Choice(["retry", "skip", "ask"]),
            default="retry",
            show_default=True,
            help="What to do with calls that an earlier run left without an answer and that may have been paid.",
        ),
        click.option(
            "--record", type=click.Path(file_okay=False), help="Write the answers to this folder; --model replay/FOLDER plays them."
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def say_estimate(estimate: Mapping[str, Any]) -> None:
    """An estimate for a person."""
    for row in estimate["by"]:
        price = "price unknown" if row["usd"] is None else f"${row['usd']:.4f} (at most ${row['usd_most']:.4f})"
        say(f"{row['stage']:10} {row['role']:10} {plain(row['model']):30} {row['calls']:>7,} calls  {price}")
    if estimate.get("note"):
        say(estimate["note"])
    if not estimate["by"]:
        say("No model would be asked: nothing to pay.")
    elif estimate["usd"] is not None:
        say(f"About ${estimate['usd']:.4f}, at most ${estimate['usd_most']:.4f}. No call was made.")
    else:
        names = ", ".join(map(plain, estimate["unpriced"]))
        say(f"The price of {names} is unknown: give it under 'prices' in the profile or in configs/prices.yaml. No call was made.")


def say_keys(profile: object, role: Role, otherwise: str) -> None:
    """Where a role has models that cannot be called: which keys they lack, and what was done instead."""
    from tracedance.models.config import load

    models = load(str(profile) if profile else None)
    if lacking := models.missing(role):
        asked = ", ".join(plain(name) for name in models.seats(role))
        say(f"{otherwise}, for want of {', '.join(map(plain, lacking))}: the role {role!r} asks for {asked}.")


def say_left_out(parameters: Mapping[str, Any]) -> None:
    """Parameters that were not sent, each in a line with the models that did not get it."""
    told: dict[str, list[str]] = {}
    for purpose, models in parameters.items():
        for model, listed in models.items():
            for item in listed["left_out"]:
                what = f"({purpose}): {plain(item['name'])} {plain(str(item['value']))}: {plain(item['why'])}"
                told.setdefault(what, []).append(plain(model))
    for what, names in told.items():
        say(f"Not sent to {', '.join(names)} {what}")


def say_spend(account: Mapping[str, Any] | None, what: str = "Spent") -> None:
    """What a run has come to, in one line; nothing where no model was asked."""
    if not account or not account["total"]["attempts"]:
        return
    total = account["total"]
    cost = "at unknown prices" if total["usd"] is None else f"${total['usd']:.6f}"
    if total["unpriced"] and total["usd"] is not None:
        cost += f" and what {total['unpriced']:,} calls of unknown price cost"
    unsure = total["usd_most"] is not None and total["usd_most"] > total["usd"]
    most = f" (at most ${total['usd_most']:.6f} with what is uncertain)" if unsure else ""
    say(f"{what} {cost}{most}: {total['attempts']:,} calls, {total['failed']:,} failed, {total['unknown']:,} of unknown outcome")
