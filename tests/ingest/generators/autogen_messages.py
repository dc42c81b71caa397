"""AutoGen 0.4 and later: typed events of a team's run, its saved state, and the `LLMCall` lines of its event log."""

import asyncio
import json
import logging

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import EVENT_LOGGER_NAME
from autogen_ext.models.openai import OpenAIChatCompletionClient

from tests.servers.provider import Provider


class Printer(logging.Handler):
    """Prints each event as the library's own file handler would."""

    def emit(self, record: logging.LogRecord) -> None:
        print("log", record.msg)


async def Bash(command: str) -> str:
    """Run a command."""
    if "status" in command:
        raise ValueError("not a git repository")
    return f"ran {command}"


async def main() -> None:
    log = logging.getLogger(EVENT_LOGGER_NAME)
    log.setLevel(logging.INFO)
    log.addHandler(Printer())
    with Provider(0) as provider:
        client = OpenAIChatCompletionClient(
            model="good",
            base_url=provider.base,
            api_key="none",
            model_info={"vision": False, "function_calling": True, "json_output": False, "family": "unknown", "structured_output": False},
        )
        worker = AssistantAgent("worker", client, tools=[Bash], system_message="You work.", reflect_on_tool_use=False)
        critic = AssistantAgent("critic", client, system_message="You judge.")
        team = RoundRobinGroupChat([worker, critic], termination_condition=MaxMessageTermination(6))
        result = await team.run(task="Fix the tests. Run pytest")
        print("result", json.dumps(result.model_dump(mode="json")))
        print("state", json.dumps(await team.save_state()))


if __name__ == "__main__":
    asyncio.run(main())
