"""The peers: TensorBoard and its Rust data server, in a virtual environment of their own, and the floor in C.

PyPI has the data server's binary for x86-64 alone. Elsewhere a build of its sources can be named in
TENSORBOARD_DATA_SERVER_BINARY (TensorBoard's own variable) or put at .venvs/peer/bin/data-server.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from bench.measure import Server
from bench.workloads import OUT, Workload

ROOT = Path(__file__).parent.parent
VENV = ROOT / ".venvs" / "peer"
FORM = "application/x-www-form-urlencoded"
SERIES_PATH = "/data/plugin/timeseries/timeSeries"


@dataclass(frozen=True)
class Load:
    cpu_s: float
    wall_s: float


class Peer:
    """Installs itself on first use. `data_server` is None where there is no binary for this machine."""

    def __init__(self) -> None:
        python = VENV / "bin" / "python"
        if not (VENV / "bin" / "tensorboard").exists():
            print("installing TensorBoard into .venvs/peer …", flush=True)
            subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
            wanted = ["tensorboard", "tensorboard-data-server"]
            subprocess.run([str(python), "-m", "pip", "install", "-q", *wanted], check=True)
        ask = (
            "import tensorboard.version as v, tensorboard_data_server as d, json;"
            "print(json.dumps([v.VERSION, d.__version__, d.server_binary()]))"
        )
        answer = subprocess.run([str(python), "-c", ask], check=True, capture_output=True, text=True)
        self.version, self.data_server_version, packaged = json.loads(answer.stdout)
        own = VENV / "bin" / "data-server"
        named = (
            os.environ.get("TENSORBOARD_DATA_SERVER_BINARY")
            or packaged
            or (str(own) if own.exists() else None)
        )
        self.data_server: str | None = named
        self.is_packaged = named == packaged

    def describe(self) -> str:
        if self.data_server is None:
            machine = os.uname().machine
            return f"TensorBoard {self.version} with its Python loader: there is no data-server binary for {machine}"
        if self.is_packaged:
            return f"TensorBoard {self.version}, Rust data server {self.data_server_version} (as packaged)"
        return f"TensorBoard {self.version}, Rust data server from an own build, not the package"

    def load(self, made: Workload, *, keep_all: bool) -> Load:
        """One load of a log directory by the Rust data server, from its start to its "Finished load cycle"."""
        started_at = time.perf_counter()
        process = self.start_data_server(made, keep_all=keep_all)
        wall_s = time.perf_counter() - started_at
        assert process.stdin
        process.stdin.close()
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0  # reaped here, for its exact CPU time
        if process.stderr:
            process.stderr.close()
        return Load(used.ru_utime + used.ru_stime, wall_s)

    def start_data_server(self, made: Workload, *, keep_all: bool) -> subprocess.Popen[str]:
        """A data server that has loaded everything and ends when its stdin is closed."""
        if self.data_server is None:
            raise RuntimeError("no data-server binary for this machine (see bench/README.md)")
        OUT.mkdir(parents=True, exist_ok=True)
        command = [
            self.data_server,
            "--logdir",
            str(made.path),
            "--reload",
            "once",
            "--port",
            "0",
            "--verbose",
        ]
        command += ["--port-file", str(OUT / "data-server.port"), "--die-after-stdin", "--host", "127.0.0.1"]
        if keep_all:
            command += ["--samples-per-plugin", f"{made.kind}=all"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stderr
        for line in process.stderr:
            if "Finished load cycle" in line:
                return process
        raise RuntimeError(f"the data server ended early with {process.wait(10)}")

    def server(self, logdir: Path, *, reload_interval_s: int = 5) -> Server:
        fast = self.data_server is not None
        command = [
            str(VENV / "bin" / "tensorboard"),
            "--logdir",
            str(logdir),
            "--host",
            "127.0.0.1",
            "--port",
            "{port}",
        ]
        command += [f"--load_fast={str(fast).lower()}", "--reload_interval", str(reload_interval_s)]
        env = {} if self.data_server is None else {"TENSORBOARD_DATA_SERVER_BINARY": self.data_server}
        return Server("tensorboard", command, env=env)


def scalars_path(run: str, tag: str) -> str:
    return "/data/plugin/scalars/scalars?" + urlencode({"run": run, "tag": tag})


def read_last_value(server: Server, run: str, tag: str) -> float | None:
    points = server.client.json(scalars_path(run, tag))
    return points[-1][2] if points else None


def series_form(tag: str) -> bytes:
    """The body that asks TensorBoard's time-series dashboard for one tag of all runs."""
    return urlencode({"requests": json.dumps([{"plugin": "scalars", "tag": tag}])}).encode()


def is_complete(server: Server, made: Workload) -> bool:
    """All tags of all runs are listed, and the last tag ends in the right value (or at the last step) in every run."""
    listed = server.client.json(f"/data/plugin/{made.kind}/tags")
    if not listed or len(listed) != made.runs or any(len(tags) != made.tags for tags in listed.values()):
        return False
    last = made.tags - 1
    if made.kind != "scalars":
        return all(kept_steps(server, made, run, last)[-1:] == [made.steps - 1] for run in range(made.runs))
    answer = server.client.json(SERIES_PATH, series_form(made.tag_name(last)), FORM)
    series = answer[0].get("runToSeries", {}) if answer else {}
    return len(series) == made.runs and all(
        series[made.run_name(run)][-1]["value"] == made.last_value(run, last) for run in range(made.runs)
    )


def kept_steps(server: Server, made: Workload, run: int, tag: int) -> list[int]:
    """The steps that TensorBoard has kept of pictures or histograms."""
    query = {"run": made.run_name(run), "tag": made.tag_name(tag)}
    if made.kind == "images":
        query["sample"] = "0"
    found = server.client.json(f"/data/plugin/{made.kind}/{made.kind}?{urlencode(query)}") or []
    return [each["step"] if made.kind == "images" else each[1] for each in found]


def kept_images(server: Server, made: Workload) -> int:
    return sum(
        len(kept_steps(server, made, run, tag)) for run in range(made.runs) for tag in range(made.tags)
    )


def build_floor() -> Path:
    source, binary = Path(__file__).parent / "floor.c", OUT / "floor"
    OUT.mkdir(parents=True, exist_ok=True)
    if not binary.exists() or binary.stat().st_mtime < source.stat().st_mtime:
        compiler = os.environ.get("CC", "cc")
        flags = ["-O3", "-march=native", "-pthread"]
        subprocess.run([compiler, *flags, str(source), "-o", str(binary)], check=True)
    return binary


def load_floor(binary: Path, made: Workload) -> Load:
    command = [str(binary), "all", "2", *map(str, made.files())]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    if answer["points"] != made.points or answer["bad"]:
        raise RuntimeError(f"the floor read {answer['points']:,} points, expected {made.points:,}")
    return Load(answer["cpu_s"], answer["wall_s"])
