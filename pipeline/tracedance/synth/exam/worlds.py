"""The places where chats happen: service desks with a policy and their tools, and a personal assistant that speaks through channels."""

from dataclasses import dataclass
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
        plain = {"company": self.company, "thing": thing, "part": self.part, "event": self.event, "idkey": f"{thing}_id", "Thing": thing.capitalize()}
        verbs = {"v_cancel": cancel, "v_change": change, "v_book": book}
        return plain | verbs | {f"t_{key}": name for key, name in names.items()}


WORLDS = tuple(
    World(*[part.strip() for part in line.split("|")[:3]], tuple(line.split("|")[3].split()), line.split("|")[4].strip())  # type: ignore[arg-type]
    for line in _WORLDS.strip().split("\n")
)

POLICY = """# {company} agent policy

The current time is 2026-05-15 15:00:00.

As a {company} agent you help customers look up, {v_book}, {v_change} or {v_cancel} a {thing}.

- First identify the customer: obtain the user id and look up the user details before you say anything about a {thing}.
- Before any action that changes the database ({v_cancel}, {v_change}, {v_book}, refunds), look up the {thing}, list the details of the action and obtain explicit confirmation (yes) from the customer.
- A {thing} may be changed once per {event}. A {thing} that has been used cannot be refunded.
- Refunds go to the original payment method within 5 to 7 business days. Goodwill refunds above $100 need a supervisor.
- Make one tool call at a time, and do not answer the customer in the same turn as a call.
- Use only what the tools and the customer tell you. Transfer to a human agent if, and only if, the request is outside these actions."""

ASSISTANT = """You are a personal assistant running inside OpenClaw for {owner}.

## Tooling
Tool names are case-sensitive. Call tools exactly as listed: read, write, edit, exec, process, message, sessions_send, sessions_spawn, cron, web_fetch, web_search, calendar_list, calendar_create, calendar_delete, email_search, email_send, drive_share, update_plan.

## Messaging
Your reply in this session is delivered to {owner} by the channel. To reach anybody else use `message` with action=send and `target` (a chat id or @handle).
Ask {owner} before anything leaves for other people, unless the request already says exactly what to send and to whom.

## Workspace
Your working directory is {cwd}. Memory files lie in memory/. Skills lie in skills/."""

_DESK_TOOLS = """
t_user | Look up a customer by id. | user_id*:string
t_get | Details of a {thing}. | {idkey}*:string
t_list | All {thing}s of a customer. | user_id*:string
t_search | Search {part}s that are free. | date*:string query:string limit:integer
t_cancel | Cancel a {thing}. | {idkey}*:string reason*:string=changed_plans,company_fault,other
t_change | Change a {thing}. | {idkey}*:string new_date:string {part}_id:string payment_id*:string
t_book | Make a new {thing}. | user_id*:string {part}_id*:string date*:string payment_id*:string quantity:integer
t_refund | Refund an amount to a payment method. | {idkey}*:string amount*:number payment_id*:string
t_mail | Send an email to a customer. | to*:string subject*:string body*:string
t_policy | Look up a section of the policy. | topic*:string
t_calc | Evaluate an expression. | expression*:string
t_transfer | Hand over to a person. | summary*:string
"""

_ASSISTANT_TOOLS = """
read | Read a file. | path*:string offset:integer limit:integer
write | Write a file. | path*:string content*:string
edit | Replace exact text in a file. | path*:string oldText*:string newText*:string
exec | Run a shell command. | command*:string timeout:integer background:boolean
process | Manage background sessions: list, poll, log, kill. | action*:string=list,poll,log,kill sessionId:string
message | Send, read or delete messages in a channel. | action*:string=send,read,react,delete,search target:string text:string media:string messageId:string limit:integer
sessions_send | Send a message to another session. | sessionKey*:string message*:string
sessions_spawn | Start a sub-agent. | task*:string
cron | Manage scheduled jobs. | action*:string=list,add,remove,run,log id:string schedule:string text:string
web_fetch | Fetch a page. | url*:string maxChars:integer
web_search | Search the web. | query*:string count:integer
calendar_list | List events. | from*:string to*:string
calendar_create | Create an event. | title*:string start*:string end*:string attendees:array
calendar_delete | Delete an event. | eventId*:string
email_search | Search mail. | query*:string limit:integer
email_send | Send a mail. | to*:array subject*:string body*:string
drive_share | Share a file. | file*:string with*:array role*:string=reader,editor
update_plan | Update the plan. | plan*:array
"""


def _tools(table: str, words: dict[str, str]) -> list[dict[str, Any]]:
    tools = []
    for line in table.strip().split("\n"):
        name, told, fields = (part.strip() for part in line.format_map(_Kept(words)).split("|"))
        properties, required = {}, []
        for field in fields.split():
            key, _, kind = field.partition(":")
            kind, _, options = kind.partition("=")
            schema: dict[str, Any] = {"type": kind} | ({"items": {}} if kind == "array" else {})
            properties[key.rstrip("*")] = schema | ({"enum": options.split(",")} if options else {})
            required += [key.rstrip("*")] if "*" in key else []
        parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
        function = {"name": words.get(name, name), "description": told, "parameters": parameters}
        tools.append({"type": "function", "function": function})
    return tools


class _Kept(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "{" + key + "}"


def furnish(harness: str, words: dict[str, str], rng: Random) -> tuple[str, list[dict[str, Any]]]:
    """Adds the slots of a chat's world to `words`; its system prompt and its tools."""
    if harness == "desk":
        words |= rng.choice(WORLDS).words
        words["user_id"] = f"{rng.choice(('mara', 'joel', 'ines', 'omar', 'lena', 'yuto'))}_{rng.choice(('reyes', 'kim', 'ahmed', 'ross'))}_{rng.randint(1000, 9999)}"
        return POLICY.format_map(words), _tools(_DESK_TOOLS, words)
    words["owner"] = rng.choice(("Ilse", "Anton", "Rosa", "Deniz", "Greta", "Paolo"))
    return ASSISTANT.format_map(words), _tools(_ASSISTANT_TOOLS, words)
