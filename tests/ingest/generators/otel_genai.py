"""Spans and log records by OpenTelemetry's own SDK and exporters, in each generation of the conventions for generative AI.

    pip install opentelemetry-sdk opentelemetry-exporter-otlp-json-file opentelemetry-semantic-conventions
    python -m tests.ingest.generators.otel_genai present|events|older|console > spans.jsonl

`present` and `older` print OTLP spans, `events` OTLP spans and log records, `console` what the console exporter prints.
"""

import json
import sys

from opentelemetry._logs import LogRecord
from opentelemetry.exporter.otlp.json.file import FileSpanExporter
from opentelemetry.exporter.otlp.json.file._log_exporter import FileLogExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as names
from opentelemetry.trace import Span, Status, StatusCode, Tracer

SYSTEM = "You keep the stock."
ASKED = {"role": "user", "parts": [{"type": "text", "content": "How many of A?"}]}
CALL = {"type": "tool_call", "id": "c1", "name": "look_up", "arguments": {"sku": "A"}}
CAME = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "unreachable"}]}
TOLD = {"role": "assistant", "parts": [{"type": "text", "content": "I cannot tell."}], "finish_reason": "stop"}
TOOL = {"type": "function", "name": "look_up", "description": "Looks a thing up.", "parameters": {"type": "object"}}


def main(generation: str) -> None:
    resource = Resource.create({"service.name": "stock-agent", "service.version": "1.2"})
    provider = TracerProvider(resource=resource)
    exporter = ConsoleSpanExporter() if generation == "console" else FileSpanExporter(stream=sys.stdout)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    logging = LoggerProvider(resource=resource)
    logging.add_log_record_processor(SimpleLogRecordProcessor(FileLogExporter(stream=sys.stdout)))
    tracer = provider.get_tracer("hand")
    with tracer.start_as_current_span("invoke_agent stock", attributes={names.GEN_AI_OPERATION_NAME: "invoke_agent"}):
        for inputs, output in (
            ([ASKED], {"role": "assistant", "parts": [CALL]}),
            ([ASKED, {"role": "assistant", "parts": [CALL]}, CAME], TOLD),
        ):
            with tracer.start_as_current_span("chat gpt-5", attributes={names.GEN_AI_OPERATION_NAME: "chat"}) as span:
                span.set_attribute(names.GEN_AI_REQUEST_MODEL, "gpt-5")
                if generation in ("present", "console"):
                    present(span, inputs, output)
                elif generation == "events":
                    for name, body in messages(inputs, output):
                        logging.get_logger("hand").emit(LogRecord(event_name=name, body=body))
                else:
                    older(span, inputs, output)
            if output is not TOLD:
                run_tool(tracer)
    provider.shutdown()
    logging.shutdown()


def present(span: Span, inputs: list[dict[str, object]], output: dict[str, object]) -> None:
    span.set_attribute(names.GEN_AI_SYSTEM_INSTRUCTIONS, json.dumps([{"type": "text", "content": SYSTEM}]))
    span.set_attribute(names.GEN_AI_TOOL_DEFINITIONS, json.dumps([TOOL]))
    span.set_attribute(names.GEN_AI_INPUT_MESSAGES, json.dumps(inputs))
    span.set_attribute(names.GEN_AI_OUTPUT_MESSAGES, json.dumps([output]))


def run_tool(tracer: Tracer) -> None:
    with tracer.start_as_current_span("execute_tool look_up", attributes={names.GEN_AI_OPERATION_NAME: "execute_tool"}) as span:
        span.set_attribute(names.GEN_AI_TOOL_NAME, "look_up")
        span.set_attribute(names.GEN_AI_TOOL_CALL_ID, "c1")
        span.set_status(Status(StatusCode.ERROR, "unreachable"))


def plain(message: dict[str, object]) -> dict[str, object]:
    """A message as OpenAI's chat API has it, which the older conventions followed."""
    part = message["parts"][0]  # type: ignore[index]
    if part["type"] == "tool_call":
        function = {"name": part["name"], "arguments": json.dumps(part["arguments"])}
        return {"role": "assistant", "tool_calls": [{"id": part["id"], "type": "function", "function": function}]}
    if part["type"] == "tool_call_response":
        return {"role": "tool", "id": part["id"], "content": part["response"]}
    return {"role": message["role"], "content": part["content"]}


def messages(inputs: list[dict[str, object]], output: dict[str, object]) -> list[tuple[str, dict[str, object]]]:
    told = [(f"gen_ai.{message['role']}.message", plain(message)) for message in inputs]
    choice = {"index": 0, "finish_reason": "stop", "message": plain(output)}
    return [("gen_ai.system.message", {"content": SYSTEM}), *told, ("gen_ai.choice", choice)]


def older(span: Span, inputs: list[dict[str, object]], output: dict[str, object]) -> None:
    prompt = [{"role": "system", "content": SYSTEM}, *map(plain, inputs)]
    span.add_event("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps(prompt)})
    span.add_event("gen_ai.content.completion", {"gen_ai.completion": json.dumps([plain(output)])})


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "present")
