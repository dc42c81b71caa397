"""An Inspect log by Inspect itself, with its scripted model: tools that work and fail, a sub-agent, and a scorer that asks a model.

pip install inspect-ai openai
python -m tests.ingest.generators.inspect_eval FOLDER [json|eval]
"""

import sys

from inspect_ai import Task, eval
from inspect_ai.agent import as_tool, react
from inspect_ai.dataset import Sample
from inspect_ai.model import Model, ModelOutput, get_model, modelapi
from inspect_ai.model._providers.mockllm import MockLLM
from inspect_ai.scorer import model_graded_fact
from inspect_ai.tool import Tool, ToolError, tool

TASK = "How many of A?"


@tool
def look_up() -> Tool:
    async def execute(sku: str) -> str:
        """Looks a thing up.

        Args:
            sku: Its number.
        """
        if sku != "A":
            raise ToolError("no such sku")
        return "3"

    return execute


class Scripted(MockLLM):
    """Inspect's scripted model, which counts tokens without fetching a tokenizer."""

    async def count_text_tokens(self, text: str) -> int:
        return len(text) // 4


@modelapi("scripted")
def scripted_api() -> type[Scripted]:
    return Scripted


def scripted(*outputs: ModelOutput) -> Model:
    return get_model("scripted/model", custom_outputs=list(outputs), memoize=False)


def called(name: str, **arguments: str) -> ModelOutput:
    return ModelOutput.for_tool_call("mockllm/model", name, arguments)


def main(folder: str, form: str) -> None:
    helper = react(
        name="counter",
        description="Counts.",
        prompt="You count.",
        tools=[look_up()],
        model=scripted(called("look_up", sku="A"), called("submit", answer="3")),
    )
    keeper = react(prompt="You keep the stock.", tools=[look_up(), as_tool(helper)])
    model = scripted(called("look_up", sku="B"), called("counter", input=TASK), called("submit", answer="3"))
    judge = scripted(ModelOutput.from_content("mockllm/model", "GRADE: C"))
    task = Task(dataset=[Sample(input=TASK, target="3")], solver=keeper, scorer=model_graded_fact(model=judge), name="stock")
    eval(task, model=model, log_dir=folder, log_format="eval" if form == "eval" else "json", display="none")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "json")
