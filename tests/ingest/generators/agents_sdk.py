"""OpenAI Agents SDK: trace and spans as its exporter sends them, and the Responses items of `RunResult.to_input_list()`."""

import asyncio
import json
import sys
from typing import Any

from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_trace_processors
from agents.exceptions import AgentsException
from agents.guardrail import GuardrailFunctionOutput, input_guardrail
from agents.tracing import generation_span, trace
from agents.tracing.processor_interface import TracingProcessor
from openai import AsyncOpenAI

from tests.servers.provider import Provider


class Printer(TracingProcessor):
    """Prints each trace at its start and each span at its end, as the SDK's own exporter orders them."""

    def on_trace_start(self, trace: Any) -> None:
        print(json.dumps(trace.export()))

    def on_trace_end(self, trace: Any) -> None:
        pass

    def on_span_start(self, span: Any) -> None:
        pass

    def on_span_end(self, span: Any) -> None:
        print(json.dumps(span.export()))

    def shutdown(self) -> None:
        pass

    def force_flush(self) -> None:
        pass


@function_tool
def Bash(command: str) -> str:
    """Run a command."""
    if "fail" in command:
        raise ValueError("it failed")
    return f"ran {command}"


@input_guardrail
async def harmless(context: Any, agent: Any, words: Any) -> GuardrailFunctionOutput:
    """Lets everything pass."""
    return GuardrailFunctionOutput(output_info=None, tripwire_triggered=False)


async def main() -> None:
    set_trace_processors([Printer()])
    with Provider(0) as provider:
        client = AsyncOpenAI(base_url=provider.base, api_key="none")
        model = OpenAIChatCompletionsModel(model="good", openai_client=client)
        talker = Agent(name="talker", instructions="You talk.", model=model, handoff_description="Talks.")
        worker = Agent(name="worker", instructions="You work.", tools=[Bash], handoffs=[talker], model=model, input_guardrails=[harmless])
        try:
            await Runner.run(worker, "Fix the tests. Run pytest", max_turns=3)
        except AgentsException as error:
            print(f"(ended by {type(error).__name__})", file=sys.stderr)
        result = await Runner.run(talker, "Say something")
        print(json.dumps(result.to_input_list()))
        with (
            trace("by hand", group_id="g"),
            generation_span(input=[{"role": "user", "content": "hi"}], output=[{"role": "assistant", "content": "hello"}], model="m"),
        ):
            pass


if __name__ == "__main__":
    asyncio.run(main())
