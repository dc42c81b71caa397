"""A model provider for tests and for `--profile local`: an HTTP server that speaks the OpenAI chat protocol with tool calls.

    python -m tests.servers.provider --port 8765 [--faults 0.2]       (--port 0 takes a free one and prints it)

It answers from the messages and tools that it receives and from nothing else, keeps books of every call that it would bill (GET
/books), calls with the same Idempotency-Key once, and fails the share of calls that it is told to. Like real providers it refuses, with
400, requests that make no sense: tool calls in the messages without tools, results without calls, calls without results, broken schemas,
no messages.

Models: `good` and `bad` act as a careful and a careless agent, `judge-a`, `judge-b`, `judge-c` grade, `fast` confirms, `strong` reads
requests and writes families, `reviewer` reviews them (tests.servers.interpreting, .synthesising). For tests of what goes wrong:
`status-NNN`, `hang`, `not-json`, `empty`, `refusing`, `cut-off`, `bad-arguments`, and `garbage-NAME` (tests.servers.garbage).
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.servers import acting, confirming, garbage, interpreting, judging, synthesising
from tests.servers.books import BILLED, Books, Faults

NAMES = ("good", "bad", "fast", "strong", "reviewer", "judge-a", "judge-b", "judge-c")
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
TYPES = {"object", "array", "string", "number", "integer", "boolean", "null"}
STALL, SLOW = 0.7, 0.1
"""Seconds that the faults of these names take."""
KEPT = 10_000
"""Requests remembered."""
HANG = 5.0
"""Seconds that `hang` takes to answer."""


class BadRequest(Exception):
    """A request that a provider would refuse with 400; the text says why."""


def check(body: Any) -> None:
    """Raises BadRequest for what real providers refuse."""
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        raise BadRequest("'model' is missing")
    messages, tools = body.get("messages"), body.get("tools") or []
    if not isinstance(messages, list) or not messages:
        raise BadRequest("'messages' is empty")
    for tool in tools:
        check_tool(tool)
    waiting: list[str] = []
    for place, message in enumerate(messages):
        role = message.get("role")
        if role not in ("system", "developer", "user", "assistant", "tool"):
            raise BadRequest(f"messages[{place}] has the role {role!r}")
        if role == "tool":
            if message.get("tool_call_id") not in waiting:
                raise BadRequest(f"messages[{place}] is a tool result without a preceding call")
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            raise BadRequest(f"messages[{place}]: the calls {waiting} before it have no result")
        calls = message.get("tool_calls") or []
        if role != "assistant" and not message.get("content"):
            raise BadRequest(f"messages[{place}] has no content")
        if calls and not tools:
            raise BadRequest("the messages hold tool calls but no tools are given")
        for call in calls:
            check_call(call, place)
        waiting = [call["id"] for call in calls]
    if waiting:
        raise BadRequest(f"the calls {waiting} at the end have no result")


def check_call(call: Any, place: int) -> None:
    """A tool call in the messages."""
    try:
        fine = isinstance(call["id"], str) and TOOL_NAME.fullmatch(call["function"]["name"])
        fine = fine and isinstance(json.loads(call["function"]["arguments"]), dict)
    except (KeyError, TypeError, ValueError):
        fine = False
    if not fine:
        raise BadRequest(f"messages[{place}] holds a malformed tool call")


def check_tool(tool: Any) -> None:
    """A tool definition."""
    function = tool.get("function") if isinstance(tool, dict) and tool.get("type") == "function" else None
    if not isinstance(function, dict) or not TOOL_NAME.fullmatch(str(function.get("name", ""))):
        raise BadRequest("a tool is no function with a plain name")
    parameters = function.get("parameters", {"type": "object"})
    if not isinstance(parameters, dict) or parameters.get("type") != "object":
        raise BadRequest(f"the parameters of {function['name']} are no object schema")
    check_schema(parameters, function["name"])


def check_schema(schema: Any, name: str) -> None:
    """A JSON Schema, as far as providers look at it."""
    if not isinstance(schema, dict):
        raise BadRequest(f"a schema of {name} is no object")
    kinds = schema.get("type", [])
    if not set(kinds if isinstance(kinds, list) else [kinds]) <= TYPES:
        raise BadRequest(f"a schema of {name} has the type {kinds!r}")
    for part in (schema.get("properties") or {}).values():
        check_schema(part, name)
    if "items" in schema:
        check_schema(schema["items"], name)


def answer(body: dict[str, Any]) -> dict[str, Any]:
    """The message that a model answers with."""
    model, messages, tools = body["model"], body["messages"], body.get("tools") or []
    if model in ("good", "bad"):
        return acting.act(model, messages, tools)
    if (model == "fast" or model.startswith("judge-")) and "DATA-" not in str(messages[0]["content"]):
        return {"content": "ready"}
    if model.startswith("judge-"):
        return {"content": judging.grade(messages[0]["content"], seat=model[-1])}
    if model.partition("-")[0] == "strong" and (said := interpreting.answer(model, messages)) is not None:
        return {"content": said}
    if model == "reviewer" or model.partition("-")[0] == "strong":
        return {"content": synthesising.answer(model, messages)}
    if model == "fast":
        return {"content": confirming.answer(messages[0]["content"])}
    if model.startswith("garbage-"):
        return {"content": garbage.spoil(model.removeprefix("garbage-"), messages)}
    if model == "bad-arguments":
        return {"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": '{"command": '}}]}
    return {"content": {"refusing": None, "cut-off": "I was about to", "empty": ""}.get(model, "Hello."), "refusal": None}


def completion(body: dict[str, Any]) -> dict[str, Any]:
    """A whole chat completion. Tokens are counted at four characters each."""
    message = {"role": "assistant", "content": None, **answer(body)}
    finish = {"cut-off": "length", "refusing": "content_filter"}.get(body["model"], "tool_calls" if message.get("tool_calls") else "stop")
    if body["model"].startswith("finish-"):
        message, finish = {"role": "assistant", "content": ""}, body["model"].removeprefix("finish-")
    sent, said = len(json.dumps([body["messages"], body.get("tools")])) // 4, len(json.dumps(message)) // 4
    return {
        "id": "chatcmpl-test",
        "object": "chat.completion",
        "created": 0,
        "model": f"{body['model']}-2026-11-01",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": sent, "completion_tokens": said, "total_tokens": sent + said},
    }


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: Provider
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        if self.path == "/v1/models":
            self.reply(200, {"object": "list", "data": [{"id": name, "object": "model", "owned_by": "tests"} for name in NAMES]})
        elif self.path == "/stats":
            self.reply(200, self.server.stats())
        elif self.path == "/books":
            self.reply(200, self.server.books.shown())
        else:
            self.refuse(404, "no such address")

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path != "/v1/chat/completions":
            return self.refuse(404, "no such address")
        try:
            body = json.loads(data)
            check(body)
        except (ValueError, BadRequest) as error:
            self.server.count("refused", {})
            return self.refuse(400, str(error))
        self.server.count(body["model"], body)
        if body["model"].startswith("status-"):
            status = int(body["model"].removeprefix("status-"))
            return self.refuse(status, f"the key {self.headers.get('authorization', '')} will not do")
        if body["model"] == "hang":
            self.server.let_go.wait(HANG)
        if body["model"] == "drip":
            return self.drip()
        if body["model"] == "bomb":
            return self.send(200, gzip.compress(b" " * 60_000_000), {"content-encoding": "gzip"})
        if body["model"] == "packed":
            return self.send(200, gzip.compress(json.dumps(completion(body)).encode()), {"content-encoding": "gzip"})
        if body["model"].startswith("moved-"):
            return self.send(int(body["model"].removeprefix("moved-")), b"", {"location": f"http://localhost:{self.server.server_port}/v2"})
        if body["model"] == "not-json":
            return self.send(200, b"<html>Bad gateway</html>")
        return self.complete(body, self.server.faults.draw())

    def complete(self, body: dict[str, Any], fault: str) -> None:
        """A sound answer, entered in the books, unless a fault was drawn."""
        whole = completion(body)
        if not fault or fault in BILLED:
            self.server.books.bill(body, whole["usage"], self.headers.get("idempotency-key", ""))
        data = self.server.bytes_of(self.server.stated(whole))
        if fault in ("429", "503"):
            return self.send(int(fault), b'{"error": {"message": "come back later"}}', {"retry-after": "0"})
        if fault == "500":
            return self.refuse(500, "it broke")
        if fault in ("stall", "reset"):
            self.close_connection = True
            time.sleep(STALL if fault == "stall" else 0)
            return self.connection.close()
        if fault == "torn":
            self.close_connection = True
            self.send_response(200)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2])
            return self.wfile.flush()
        time.sleep(SLOW if fault == "slow" else 0)
        return self.send(200, b"<html>Bad gateway</html>" if fault == "garbage" else data)

    def refuse(self, status: int, why: str) -> None:
        self.reply(status, {"error": {"message": why, "type": "invalid_request_error", "code": status}})

    def reply(self, status: int, body: dict[str, Any]) -> None:
        self.send(status, json.dumps(body).encode())

    def drip(self) -> None:
        """A byte now and then, for longer than anybody waits."""
        self.close_connection = True
        try:
            self.send_response(200)
            self.end_headers()
            for _ in range(int(HANG * 10)):
                self.wfile.write(b" ")
                time.sleep(0.1)
        except OSError:
            pass

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except (OSError, ValueError):  # we, or they, have gone
            self.close_connection = True

    def send(self, status: int, data: bytes, more: dict[str, str] | None = None) -> None:
        try:
            self.send_response(status)
            for name, value in (more or {}).items():
                self.send_header(name, value)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True


class Provider(ThreadingHTTPServer):
    """The server; use `with running() as provider` in tests."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self._lock = threading.Lock()
        self._calls: Counter[str] = Counter()
        self.requests: list[dict[str, Any]] = []
        self.books, self.faults = Books(), Faults()
        self.let_go = threading.Event()
        """Once set, `hang` answers at once."""
        self.stated: Callable[[dict[str, Any]], dict[str, Any]] = lambda whole: whole
        """What is said of a whole answer; a test may let it lie about usage."""
        self.bytes_of: Callable[[dict[str, Any]], bytes] = lambda stated: json.dumps(stated).encode()
        """The same as bytes; a test may send what no program writes."""

    @property
    def base(self) -> str:
        """Its api_base."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def count(self, model: str, body: dict[str, Any]) -> None:
        with self._lock:
            self._calls[model] += 1
            if len(self.requests) < KEPT:
                self.requests.append(body)

    def stats(self) -> dict[str, int]:
        """Calls by model."""
        with self._lock:
            return dict(sorted(self._calls.items()))

    def __enter__(self) -> Provider:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *args: object) -> None:
        self.shutdown()
        self.server_close()


def main() -> None:
    """Serves until interrupted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--port", type=int, default=8765, help="0 takes a free one")
    parser.add_argument("--faults", type=float, default=0.0, help="share of calls that fail, in one of eight ways")
    parser.add_argument("--seed", type=int, default=0, help="of the faults")
    given = parser.parse_args()
    server = Provider(given.port)
    server.faults = Faults(given.faults, given.seed)
    print(f"Serving on {server.base} (port {server.server_port})", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
