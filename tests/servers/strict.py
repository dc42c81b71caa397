"""Three providers in one server, each with its own protocol and its own rules: a request that the real one refuses gets 400 in its words.

    with Strict() as server: ...        # server.openai and server.base are the api_bases

The address chooses the protocol (OpenAI's chat completions and responses, Claude's messages, Gemini's generateContent). Of the models only
`mistral-*` (ids of nine letters, roles that alternate) and `gemini-2*` (no thought signatures) have rules of their own.
Else: `*-small` has a window of 2,000 tokens, `*-unknown` does not exist, `*-plain` takes no tools; the key `wrong` is refused.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.servers import rules_anthropic, rules_gemini, rules_openai, rules_responses
from tests.servers.rules import Refused

WINDOW = 2000
"""Tokens, at four characters each, that a `*-small` model takes."""


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: Strict
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        kind, model = self.meant(data)
        rules = {"openai": rules_openai, "responses": rules_responses, "anthropic": rules_anthropic, "gemini": rules_gemini}[kind]
        try:
            body = json.loads(data)
            model = model or str(body.get("model"))
            self.admit(rules, model, body, len(data) // 4)
            rules.check(body, model)
        except Refused as refusal:
            self.server.refused.append(str(refusal))
            return self.reply(refusal.status, rules.error(refusal.status, str(refusal)))
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        self.server.accepted.append({"kind": kind, "model": model, "body": body})
        return self.reply(200, rules.answer(body, model))

    def meant(self, data: bytes) -> tuple[str, str]:
        """Which protocol an address belongs to, and the model where the address names it."""
        if ":generateContent" in self.path:
            return "gemini", self.path.rpartition("/")[2].partition(":")[0]
        return {"messages": "anthropic", "responses": "responses"}.get(self.path.rpartition("/")[2], "openai"), ""

    def admit(self, rules: Any, model: str, body: Any, tokens: int) -> None:
        """Refuses a wrong key, a model there is not, tools for a model that takes none, and a request over the window."""
        key = self.headers.get("x-api-key") or self.headers.get("x-goog-api-key") or self.headers.get("authorization", "")
        if key.removeprefix("Bearer ") == "wrong":
            raise Refused(rules.WRONG_KEY, rules.WRONG_STATUS)
        if model.endswith("-unknown"):
            raise Refused(rules.UNKNOWN.format(model=model), 404)
        if model.endswith("-plain") and body.get("tools"):
            raise Refused(f"{model} does not support tools")
        if model.endswith("-small") and tokens > WINDOW:
            raise Refused(rules.TOO_LONG.format(tokens=tokens, window=WINDOW))

    def reply(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Strict(ThreadingHTTPServer):
    """The server. `accepted` are the bodies that passed, `refused` the reasons of those that did not."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.accepted: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.refused: list[str] = []

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def openai(self) -> str:
        return f"{self.base}/v1"

    def __enter__(self) -> Strict:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *args: object) -> None:
        self.shutdown()
        self.server_close()
