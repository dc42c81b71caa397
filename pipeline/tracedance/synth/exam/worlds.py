"""The places where chats happen: service desks with a policy and their tools, and a personal assistant that speaks through channels."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

_WORLDS = """
Skylark Air | reservation | seat | cancel update book | flight
Marlow Rooms | booking | room | cancel modify create | stay
Fernway Retail | order | item | cancel modify place | delivery
Tessel Telecom | subscription | plan | cancel change create | line
Bluestone Rentals | rental | car | cancel modify create | pickup
Cedar Clinic | appointment | slot | cancel reschedule book | visit
Halden Energy | contract | tariff | terminate change create | meter
Orchid Events | ticket | seat | cancel exchange book | show
Quarry Insurance | policy | cover | cancel amend create | claim
Lantern Library | loan | copy | cancel renew create | pickup
"""


FIRST = "mara joel ines omar lena yuto petra hugo amal nils"
LAST = "reyes kim ahmed ross moss silva novak okoro haas lund"


@dataclass(frozen=True)
class World:
    """One service desk: what it deals in, and how its tools are called."""

    company: str
    thing: str
    part: str
    verbs: tuple[str, str, str]
    event: str

    @property
    def words(self) -> dict[str, str]:
        """Slots of a session at this desk."""
        cancel, change, book = self.verbs
        thing = self.thing
        names = {"get": f"get_{thing}_details", "user": "get_user_details", "list": f"list_user_{thing}s", "cancel": f"{cancel}_{thing}"}
        names |= {"change": f"{change}_{thing}", "book": f"{book}_{thing}", "refund": "issue_refund", "mail": "send_email"}
        names |= {"search": f"search_{self.part}s", "transfer": "transfer_to_human_agents", "policy": "lookup_policy", "calc": "calculate"}
        plain = {
            "company": self.company,
            "thing": thing,
            "part": self.part,
            "event": self.event,
            "idkey": f"{thing}_id",
            "Thing": thing.capitalize(),
        }
        verbs = {"v_cancel": cancel, "v_change": change, "v_book": book}
        return plain | verbs | {f"t_{key}": name for key, name in names.items()}


def _world(line: str) -> World:
    company, thing, part, verbs, event = (field.strip() for field in line.split("|"))
    cancel, change, book = verbs.split()
    return World(company, thing, part, (cancel, change, book), event)


WORLDS = tuple(map(_world, _WORLDS.strip().splitlines()))

POLICY = """# {company} agent policy

The current time is 2026-05-15 15:00:00.

As a {company} agent you help customers look up, {v_book}, {v_change} or {v_cancel} a {thing}.

- First identify the customer: obtain the user id and look up the user details before you say anything about a {thing}.
- Before any action that changes the database ({v_cancel}, {v_change}, {v_book}, refunds), look up the {thing}, list the details of the
  action and obtain explicit confirmation (yes) from the customer.
- A {thing} may be changed once per {event}. A {thing} that has been used cannot be refunded.
- Refunds go to the original payment method within 5 to 7 business days. Goodwill refunds above $100 need a supervisor.
- Make one tool call at a time, and do not answer the customer in the same turn as a call.
- Use only what the tools and the customer tell you. Transfer to a human agent if, and only if, the request is outside these actions."""

ASSISTANT = """You are a personal assistant running inside OpenClaw for {owner}.

## Tooling
Tool names are case-sensitive. Call tools exactly as listed: read, write, edit, exec, process, message, sessions_send, sessions_spawn, cron,
web_fetch, web_search, calendar_list, calendar_create, calendar_delete, email_search, email_send, drive_share, update_plan.

## Messaging
Your reply in this session is delivered to {owner} by the channel. To reach anybody else use `message` with action=send and `target` (a chat
id or @handle).
Ask {owner} before anything leaves for other people, unless the request already says what to send and to whom.

## Workspace
Your working directory is {cwd}. Memory files lie in memory/. Skills lie in skills/."""


@cache
def _table(name: str) -> list[str]:
    """The lines of a tool table: name, description, fields (`*` is required, `=` lists the allowed values)."""
    return (files("tracedance.synth.exam") / f"tools_{name}.txt").read_text(encoding="utf-8").splitlines()


def _tools(name: str, words: dict[str, str]) -> list[dict[str, Any]]:
    tools = []
    for line in _table(name):
        tool, told, fields = (part.strip() for part in line.format_map(_Kept(words)).split("|"))
        properties, required = {}, []
        for field in fields.split():
            key, _, kind = field.partition(":")
            kind, _, options = kind.partition("=")
            schema: dict[str, Any] = {"type": kind} | ({"items": {}} if kind == "array" else {})
            properties[key.rstrip("*")] = schema | ({"enum": options.split(",")} if options else {})
            required += [key.rstrip("*")] if "*" in key else []
        parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
        function = {"name": words.get(tool, tool), "description": told, "parameters": parameters}
        tools.append({"type": "function", "function": function})
    return tools


class _Kept(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "{" + key + "}"


def furnish(harness: str, words: dict[str, str], rng: Random) -> tuple[str, list[dict[str, Any]]]:
    """Adds the slots of a chat's world to `words`; its system prompt and its tools."""
    if harness == "desk":
        words |= rng.choice(WORLDS).words
        first, last = rng.choice(FIRST.split()), rng.choice(LAST.split())
        words["user_id"] = f"{first}_{last}_{rng.randint(1000, 9999)}"
        return POLICY.format_map(words), _tools("desk", words)
    words["owner"] = rng.choice(("Ilse", "Anton", "Rosa", "Deniz", "Greta", "Paolo"))
    return ASSISTANT.format_map(words), _tools("assistant", words)
