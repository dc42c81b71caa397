"""AutoGen 0.2 (`autogen-agentchat~=0.2`): the chat history of two agents, one of which runs tools."""

import dataclasses
import json

import autogen

from tests.servers.provider import Provider


def Bash(command: str) -> str:
    """Run a command."""
    if "status" in command:
        raise ValueError("not a git repository")
    return f"ran {command}"


def main() -> None:
    with Provider(0) as provider:
        settings = {"config_list": [{"model": "good", "base_url": provider.base, "api_key": "none"}], "cache_seed": None}
        worker = autogen.AssistantAgent("worker", llm_config=settings, system_message="You work.")
        proxy = autogen.UserProxyAgent("user_proxy", human_input_mode="NEVER", code_execution_config=False)
        autogen.register_function(Bash, caller=worker, executor=proxy, description="Run a command.")
        result = proxy.initiate_chat(worker, message="Fix the tests. Run pytest", max_turns=2)
        code = autogen.UserProxyAgent(
            "runner", human_input_mode="NEVER", code_execution_config={"use_docker": False, "work_dir": "/tmp"}, default_auto_reply="Go on."
        )
        talker = autogen.ConversableAgent("talker", llm_config=False, human_input_mode="NEVER")
        talker.register_reply([autogen.Agent, None], lambda *_, **__: (True, "```python\nprint(1)\n```"))
        second = code.initiate_chat(talker, message="Print one", max_turns=2)
    print("result", json.dumps(dataclasses.asdict(result)))
    print("code", json.dumps(second.chat_history))


if __name__ == "__main__":
    main()
