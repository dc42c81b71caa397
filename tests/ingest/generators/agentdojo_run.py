"""An AgentDojo run file by AgentDojo itself: its banking suite with a scripted pipeline in a model's place.

pip install agentdojo
python -m tests.ingest.generators.agentdojo_run FOLDER
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agentdojo.agent_pipeline import AgentPipeline, InitQuery, SystemMessage, ToolsExecutionLoop, ToolsExecutor
from agentdojo.agent_pipeline.base_pipeline_element import BasePipelineElement
from agentdojo.benchmark import benchmark_suite_without_injections
from agentdojo.functions_runtime import EmptyEnv, Env, FunctionCall, FunctionsRuntime
from agentdojo.logging import OutputLogger
from agentdojo.task_suite.load_suites import get_suite
from agentdojo.types import ChatAssistantMessage, ChatMessage, text_content_block_from_string


class Scripted(BasePipelineElement):
    """Says what a model might: one call that works, one that fails, and an answer."""

    name = "scripted"

    def query(
        self,
        query: str,
        runtime: FunctionsRuntime,
        env: Env = EmptyEnv(),  # noqa: B008
        messages: Sequence[ChatMessage] = [],
        extra_args: dict[str, Any] = {},  # noqa: B006
    ) -> tuple[str, FunctionsRuntime, Env, Sequence[ChatMessage], dict[str, Any]]:
        calls = [FunctionCall(function="get_balance", args={}, id="c1"), FunctionCall(function="read_file", args={"path": "x"}, id="c2")]
        content = None if messages[-1]["role"] == "user" else [text_content_block_from_string("Done.")]
        said = ChatAssistantMessage(role="assistant", content=content, tool_calls=None if content else calls)
        return query, runtime, env, [*messages, said], extra_args


def main(folder: Path) -> None:
    model = Scripted()
    pipeline = AgentPipeline([SystemMessage("You keep accounts."), InitQuery(), model, ToolsExecutionLoop([ToolsExecutor(), model])])
    pipeline.name = "local"
    suite = get_suite("v1.2", "banking")
    with OutputLogger(str(folder)):
        benchmark_suite_without_injections(pipeline, suite, logdir=folder, force_rerun=True, user_tasks=["user_task_0"])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
