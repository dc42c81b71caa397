"""OpenInference spans by its own attribute helpers and OpenTelemetry's exporter.

pip install openinference-instrumentation opentelemetry-sdk opentelemetry-exporter-otlp-json-file
python -m tests.ingest.generators.openinference_spans > spans.jsonl
"""

import sys
from collections.abc import Sequence

from openinference.instrumentation import (
    Message,
    Tool,
    ToolCall,
    ToolCallFunction,
    TracerProvider,
    get_llm_attributes,
    get_span_kind_attributes,
    get_tool_attributes,
    using_session,
)
from openinference.instrumentation.config import TraceConfig
from opentelemetry.exporter.otlp.json.file import FileSpanExporter
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.trace import Status, StatusCode

SCHEMA = {"type": "function", "function": {"name": "look_up", "description": "Looks a thing up.", "parameters": {"type": "object"}}}
SYSTEM = Message(role="system", content="You keep the stock.")
ASKED = Message(role="user", content="How many of A?")
CALLED = Message(role="assistant", tool_calls=[ToolCall(id="c1", function=ToolCallFunction(name="look_up", arguments={"sku": "A"}))])
CAME = Message(role="tool", content="unreachable", tool_call_id="c1")
TOLD = Message(role="assistant", content="I cannot tell.")


def main() -> None:
    provider = TracerProvider(config=TraceConfig())
    provider.add_span_processor(SimpleSpanProcessor(FileSpanExporter(stream=sys.stdout)))
    tracer = provider.get_tracer("hand")

    def call(inputs: Sequence[Message], output: Message) -> None:
        said = get_llm_attributes(model_name="gpt-5", input_messages=inputs, output_messages=[output], tools=[Tool(json_schema=SCHEMA)])
        with tracer.start_as_current_span("llm", attributes={**get_span_kind_attributes("llm"), **said}):
            pass

    with using_session("sess-1"), tracer.start_as_current_span("agent", attributes=get_span_kind_attributes("agent")):
        call([SYSTEM, ASKED], CALLED)
        ran = get_tool_attributes(name="look_up", parameters={"sku": "string"})
        with tracer.start_as_current_span("look_up", attributes={**get_span_kind_attributes("tool"), **ran}) as span:
            span.set_attribute("input.value", '{"sku": "A"}')
            span.set_status(Status(StatusCode.ERROR, "unreachable"))
        call([SYSTEM, ASKED, CALLED, CAME], TOLD)
    provider.shutdown()


if __name__ == "__main__":
    main()
