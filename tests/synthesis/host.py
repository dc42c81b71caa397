"""What of the host an attack could reach: a file, a folder, the environment, a listener, the parent's signals."""

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECRET = "canary-5f0e7c"


@dataclass
class Host:
    """The canaries, and what became of them."""

    folder: Path
    tcp: socket.socket
    udp: socket.socket
    signals: list[int]

    @property
    def names(self) -> dict[str, Any]:
        """What attacks know of them."""
        port = self.tcp.getsockname()[1]
        return {"FILE": self.folder / "canary", "FOLDER": self.folder, "PORT": port, "PARENT": os.getpid()}

    def effects(self) -> list[str]:
        """Everything that an attack did to the host."""
        found = []
        file = self.folder / "canary"
        if sorted(self.folder.iterdir()) != [file] or file.read_text() != SECRET or file.stat().st_mode & 0o777 != 0o600:
            found.append("files")
        for listener in (self.tcp, self.udp):
            with suppress(BlockingIOError):
                listener.accept() if listener is self.tcp else listener.recv(1)
                found.append("network")
        return found + ["signals"] * bool(self.signals)


@contextmanager
def canaries(folder: Path) -> Iterator[Host]:
    """A host with canaries, for as long as the block."""
    (folder / "canary").write_text(SECRET)
    (folder / "canary").chmod(0o600)
    os.environ["TRACEDANCE_CANARY"] = SECRET
    signals: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: signals.append(number))
    with socket.socket() as tcp, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        udp.bind(("127.0.0.1", tcp.getsockname()[1]))
        tcp.setblocking(False)
        udp.setblocking(False)
        try:
            yield Host(folder, tcp, udp, signals)
        finally:
            signal.signal(signal.SIGUSR1, before)
            del os.environ["TRACEDANCE_CANARY"]
