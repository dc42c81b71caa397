"""LangChain and LangGraph: messages in their three dumped forms, a graph's state, and LangSmith runs as its tracer makes them."""

import json
from typing import Annotated, Any

from langchain_core.load import dumpd
from langchain_core.messages import HumanMessage, SystemMessage, messages_to_dict
from langchain_core.tools import tool
from langchain_core.tracers.base import BaseTracer
from langchain_openai import ChatOpenAI
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode
from typing_extensions import TypedDict

from tests.servers.provider import Provider


@tool
def Bash(command: str) -> str:
    """Run a command."""
    if "status" in command:
        raise ValueError("not a git repository")
    return f"ran {command}"


class Collector(BaseTracer):
    """Keeps finished root runs in the schema that LangSmith's own tracer asks for."""

    def __init__(self) -> None:
        super().__init__(_schema_format="original+chat")
        self.roots: list[Any] = []

    def _persist_run(self, run: Any) -> None:
        self.roots.append(run)


class State(TypedDict):
    """What the graph carries."""

    messages: Annotated[list[Any], add_messages]


def show(run: Any) -> None:
    """Prints a run and those below it, as LangSmith's client sends them."""
    sent = run._get_dicts_safe()
    for field in ("inputs", "outputs"):
        sent[field] = dumpd(getattr(run, field))
    print("run", json.dumps(sent, default=str))
    for child in run.child_runs:
        show(child)


def main() -> None:
    with Provider(0) as provider:
        model = ChatOpenAI(model="good", base_url=provider.base, api_key="none").bind_tools([Bash])  # type: ignore[arg-type]
        graph = StateGraph(State)
        graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
        graph.add_node("tools", ToolNode([Bash], handle_tool_errors=True))
        graph.add_node("again", lambda state: {"messages": [model.invoke(state["messages"])]})
        graph.add_edge(START, "model")
        graph.add_edge("model", "tools")
        graph.add_edge("tools", "again")
        runs = Collector()
        asked = [SystemMessage("You work."), HumanMessage("Fix the tests. Run pytest")]
        state = graph.compile().invoke({"messages": asked}, {"callbacks": [runs], "configurable": {"thread_id": "t-1"}})
    print("dumpd", json.dumps(dumpd(state["messages"])))
    print("dicts", json.dumps(messages_to_dict(state["messages"])))
    print("plain", json.dumps([message.model_dump() for message in state["messages"]]))
    print("state", json.dumps(dumpd(state)))
    for run in runs.roots:
        show(run)


if __name__ == "__main__":
    main()
