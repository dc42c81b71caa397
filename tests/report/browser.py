"""A headless Chromium over its DevTools protocol: what a page does when a person opens it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CHROMIUM = next((found for name in ("chromium", "chromium-browser", "google-chrome", "chrome") if (found := shutil.which(name))), None)
WHY_NOT = "no Chromium here: apt-get install chromium"
SLOWEST = 120


@dataclass
class Seen:
    """What happened while a page was open."""

    load: float = 0.0
    """Milliseconds from the start of the navigation to the end of its load event."""
    dialogs: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    """Everything asked for but the page itself."""
    errors: list[str] = field(default_factory=list)
    """Uncaught errors of scripts, and what the page's policy refused."""
    values: list[Any] = field(default_factory=list)
    """What the expressions gave that were asked for."""


class Tab:
    """One tab, driven by messages; each answer is waited for, events are kept as they come."""

    def __init__(self, url: str) -> None:
        from websockets.sync.client import connect

        self.socket = connect(url, max_size=None, open_timeout=SLOWEST)
        self.number = 0
        self.seen = Seen()
        self.loaded = False

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Sends one command and gives its result; raises RuntimeError where the browser refuses it."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = self._next()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(str(message["error"]))
                return dict(message["result"])

    def _next(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.socket.recv(timeout=SLOWEST))
        event, told = message.get("method"), message.get("params", {})
        if event == "Page.loadEventFired":
            self.loaded = True
        elif event == "Page.javascriptDialogOpening":
            self.seen.dialogs.append(told["message"])
            self.number += 1
            self.socket.send(json.dumps({"id": self.number, "method": "Page.handleJavaScriptDialog", "params": {"accept": True}}))
        elif event == "Network.requestWillBeSent" and told.get("type") != "Document":
            self.seen.requests.append(told["request"]["url"])
        elif event == "Runtime.exceptionThrown":
            self.seen.errors.append(told["exceptionDetails"]["text"])
        elif event == "Log.entryAdded" and told["entry"]["level"] == "error":
            self.seen.errors.append(told["entry"]["text"])
        return message

    def open(self, page: Path, scripts: bool = True) -> None:
        """Opens a file and waits for its load event."""
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        self.ask("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.loaded = False
        self.ask("Page.navigate", url=page.resolve().as_uri())
        while not self.loaded:
            self._next()

    def value(self, expression: str) -> Any:
        """The value of an expression in the page, promises awaited."""
        found = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"].get("exception", {}).get("description", "") or found["exceptionDetails"]["text"])
        return found["result"].get("value")


LOAD = "new Promise(r => setTimeout(() => { const t = performance.getEntriesByType('navigation')[0]; r(t.loadEventEnd) }, 50))"


@contextmanager
def tab() -> Iterator[Tab]:
    """A fresh browser with one empty tab, gone with its profile afterwards."""
    assert CHROMIUM
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        flags = ["--headless=new", "--disable-gpu", "--no-first-run", "--disable-extensions", "--disable-background-networking"]
        flags += ["--no-sandbox"] if os.geteuid() == 0 else []
        started = subprocess.Popen(
            [CHROMIUM, *flags, "--remote-debugging-port=0", f"--user-data-dir={folder}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            yield Tab(_endpoint(started))
        finally:
            started.terminate()
            started.wait(SLOWEST)


def _endpoint(started: subprocess.Popen[str]) -> str:
    """The address of the first tab, from what the browser says as it starts."""
    from urllib.request import urlopen

    assert started.stderr is not None
    for line in started.stderr:
        if "DevTools listening on ws://" in line:
            host = line.split("ws://", 1)[1].split("/", 1)[0]
            threading.Thread(target=started.stderr.read, daemon=True).start()  # else the pipe fills and the browser stops
            with urlopen(f"http://{host}/json/list", timeout=SLOWEST) as answer:
                tabs = json.load(answer)
            return str(next(one["webSocketDebuggerUrl"] for one in tabs if one["type"] == "page"))
    raise RuntimeError("Chromium ended before it could be spoken to")


def opened(page: Path, *expressions: str, scripts: bool = True) -> Seen:
    """What happens when a file is opened; then each expression is evaluated in it."""
    with tab() as one:
        one.open(page, scripts)
        if scripts:
            one.seen.load = float(one.value(LOAD))
        one.seen.values = [one.value(expression) for expression in expressions]
        return one.seen
