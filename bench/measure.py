"""Processes and what they cost: CPU seconds and memory of a process tree, servers with a port, a keep-alive HTTP client.

Linux only (/proc and per-process CPU clocks). Every process started here is ended here, by its own handle.
"""

from __future__ import annotations

import gzip
import http.client
import json
import os
import socket
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.workloads import OUT


@dataclass(frozen=True)
class Samples:
    """Repeated measurements of one thing. The best one is compared: noise from other processes only ever adds."""

    values: tuple[float, ...]

    @property
    def best(self) -> float:
        return min(self.values)

    @property
    def median(self) -> float:
        return statistics.median(self.values)


def tree(pid: int) -> list[int]:
    """A process and its descendants."""
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                found.extend(int(child) for child in task.read_text().split())
            except OSError:  # ended meanwhile
                continue
    return found


def cpu_s(pid: int) -> float:
    """CPU seconds of a live process tree so far; the clock has nanoseconds where /proc/PID/stat has hundredths."""
    total = 0.0
    for member in tree(pid):
        try:
            # Linux names the CPU clock of a whole process by its inverted id and the number 2 (CPUCLOCK_SCHED).
            total += time.clock_gettime((~member << 3) | 2)
        except OSError:
            continue
    return total


def memory_bytes(pid: int) -> tuple[int, int]:
    """Resident memory of a process tree: now (VmRSS), and the sum of each member's peak (VmHWM)."""
    now = peak = 0
    for member in tree(pid):
        for line in Path(f"/proc/{member}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                now += int(line.split()[1]) * 1024
            elif line.startswith("VmHWM:"):
                peak += int(line.split()[1]) * 1024
    return now, peak


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(check: Callable[[], bool], *, timeout_s: float, what: str, every_s: float = 0.002) -> float:
    """Poll until `check` is true; returns the moment. A refused connection counts as "not yet"."""
    deadline = time.perf_counter() + timeout_s
    while time.perf_counter() < deadline:
        try:
            if check():
                return time.perf_counter()
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(every_s)
    raise TimeoutError(f"{what}: not within {timeout_s:.0f} s")


class Client:
    """One keep-alive connection to a server on this machine; TensorBoard closes it after each answer all the same."""

    def __init__(self, port: int, *, timeout_s: float = 60.0) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_s)

    def request(
        self, path: str, body: bytes | None = None, kind: str = "application/json"
    ) -> tuple[int, bytes, bool]:
        """Status, the bytes as they came over the wire, and whether those are gzipped."""
        headers = {"Accept-Encoding": "gzip", **({"Content-Type": kind} if body is not None else {})}
        is_used = self.connection.sock is not None
        try:
            self.connection.request("POST" if body is not None else "GET", path, body, headers)
            answer = self.connection.getresponse()
            return answer.status, answer.read(), answer.headers.get("Content-Encoding") == "gzip"
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            # A server gives up a connection that has rested for a while.
            if is_used and isinstance(error, http.client.RemoteDisconnected):
                return self.request(path, body, kind)
            raise

    def json(self, path: str, body: bytes | None = None, kind: str = "application/json") -> Any:
        """The decoded answer, or None when the server answers with an error."""
        status, data, is_gzip = self.request(path, body, kind)
        return json.loads(gzip.decompress(data) if is_gzip else data) if status == 200 else None

    def close(self) -> None:
        self.connection.close()


class Server:
    """A server process on a free loopback port, ended on leaving the block. Its output goes to a file under bench/out."""

    def __init__(self, name: str, command: list[str], *, env: dict[str, str] | None = None) -> None:
        self.port = free_port()
        self.command = [part.replace("{port}", str(self.port)) for part in command]
        self.env = {**os.environ, **(env or {})}
        self.log = OUT / f"{name}.log"

    def __enter__(self) -> Server:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.output = self.log.open("wb")
        self.started_at = time.perf_counter()
        self.process = subprocess.Popen(
            self.command, env=self.env, stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output
        )
        self.client = Client(self.port)
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        self.output.close()

    @property
    def pid(self) -> int:
        return self.process.pid

    def wait_until(self, check: Callable[[], bool], what: str, *, timeout_s: float = 120.0) -> float:
        def still_running_and() -> bool:
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended with {self.process.returncode}: {self.last_words()}")
            return check()

        return wait_until(still_running_and, timeout_s=timeout_s, what=what)

    def last_words(self) -> str:
        return " | ".join(self.log.read_text(errors="replace").strip().splitlines()[-3:])
