"""The server under attack, as a process of its own that can be measured, killed and started again at the same address."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

from tests.load.client import Client

PATIENCE_S = 60.0
# What a client sees when the server is not there, or goes.
GONE = (OSError, asyncio.IncompleteReadError, ValueError)


class Server:
    def __init__(
        self,
        logdir: Path,
        folder: Path,
        command: Sequence[str],
        *,
        descriptors: int | None = None,
        flags: Sequence[str] = (),
    ) -> None:
        self.logdir = logdir
        self.log = folder / f"server-{logdir.name}.log"
        self.port = free_port()
        self._command = [
            *command,
            str(logdir),
            "--port",
            str(self.port),
            "--cache_dir",
            str(folder / "cache"),
        ]
        self._command += flags
        self._descriptors = descriptors
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        def limit() -> None:
            if self._descriptors is not None:
                resource.setrlimit(resource.RLIMIT_NOFILE, (self._descriptors, self._descriptors))

        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=limit
            )

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(how)
            process.wait(PATIENCE_S)

    def is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    async def wait_loaded(self) -> float:
        """Seconds until everything that is there has been read."""
        begin = time.perf_counter()
        # Not so often that the asking is what is measured.
        await until(
            lambda: self.ask("/api/status"), lambda status: status["is_loaded"], "loading", pause_s=0.05
        )
        return time.perf_counter() - begin

    async def ask(self, path: str, body: object = None) -> Any:
        with Client(self.port) as client:
            answer = await client.ask(path, body)
            if answer.status != 200:
                raise ValueError(f"{path}: {answer.status} {answer.body[:200]!r}")
            return answer.json

    def cpu_s(self) -> float:
        """Processor time so far, which hardly depends on what else the machine does."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_bytes(self) -> int:
        return self._read_status("VmRSS") * 1024

    def threads(self) -> int:
        return self._read_status("Threads")

    def open_files(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def _read_status(self, name: str) -> int:
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1])
        raise ValueError(f"no {name} in the status of process {self.pid}")

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.end(signal.SIGKILL)


class MemoryPeak:
    """The most memory that a server has while this block runs, and when it began."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.peak_bytes = self.begin_bytes = server.memory_bytes()

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._watch())
        return self

    async def _watch(self) -> None:
        while True:
            self.peak_bytes = max(self.peak_bytes, self._server.memory_bytes())
            await asyncio.sleep(0.02)

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        self.peak_bytes = max(self.peak_bytes, self._server.memory_bytes())


async def until(
    ask: Callable[[], Any], is_so: Callable[[Any], object], what: str, *, pause_s: float = 0.01
) -> Any:
    """Asks until the answer is as wanted; a server that is not there yet is asked again."""
    deadline = time.monotonic() + PATIENCE_S
    last: object = None
    while time.monotonic() < deadline:
        try:
            last = await ask()
            if is_so(last):
                return last
        except GONE as error:
            last = error
        await asyncio.sleep(pause_s)
    raise AssertionError(f"{what}: waited {PATIENCE_S:.0f} s in vain; at last {str(last)[:300]}")


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])
