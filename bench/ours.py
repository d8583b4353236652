"""Runglass as the benchmarks use it: the reading API in a fresh process, and the command as a server.

Run as `python -m bench.ours WORKLOAD-JSON` it is that fresh process: it loads, measures, checks, prints one JSON line.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from bench.measure import Server
from bench.workloads import Workload


@dataclass(frozen=True)
class OwnLoad:
    cpu_s: float
    wall_s: float
    # Interpreter start and imports included, checking excluded.
    process_cpu_s: float


def load_once(made: Workload) -> OwnLoad:
    """`runglass.open` in a fresh process; an answer that is wrong in any series raises."""
    command = [sys.executable, "-m", "bench.ours", json.dumps(asdict(made))]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no message")
    answer = json.loads(done.stdout)
    if answer.pop("wrong"):
        raise RuntimeError(f"runglass.open read {made.path.name} wrongly: {answer}")
    return OwnLoad(**answer)


def child(made: Workload) -> dict[str, Any]:
    import runglass
    import runglass.reader  # Imported at first use otherwise, which is no loading; counted in process_cpu_s.

    wall, cpu = time.perf_counter(), time.process_time()
    log = runglass.open(str(made.path), use_cache=False)
    cpu_s, wall_s, process_cpu_s = time.process_time() - cpu, time.perf_counter() - wall, time.process_time()
    wrong = check_scalars(log, made) if made.kind == "scalars" else check_blobs(log, made)
    return {"cpu_s": cpu_s, "wall_s": wall_s, "process_cpu_s": process_cpu_s, "wrong": wrong}


def check_scalars(log: Any, made: Workload) -> int:
    """Series whose number of points or last value is not the generator's."""
    wrong = int(len(log.runs) != made.runs)
    for run in range(made.runs):
        for tag in range(made.tags):
            series = log.scalars(made.run_name(run), made.tag_name(tag))
            is_right = len(series.value) == made.steps and int(series.step[-1]) == made.steps - 1
            wrong += not (is_right and float(series.value[-1]) == made.last_value(run, tag))
    return wrong


def check_blobs(log: Any, made: Workload) -> int:
    """Series of histograms or images with another kind or number of values than the generator's, or an odd last image."""
    wrong = int(len(log.runs) != made.runs)
    for run in range(made.runs):
        for tag in range(made.tags):
            series = log.read(made.run_name(run), made.tag_name(tag))
            is_right = series.kind == made.kind.removesuffix("s") and len(series) == made.steps
            last = series.value[-1]
            if made.kind == "images":
                is_right = is_right and [(image.width, image.height) for image in last] == [
                    (made.size, made.size)
                ]
            wrong += not is_right
    return wrong


def server(logdir: Path, *, uses_cache: bool = False) -> Server:
    script = shutil.which("runglass", path=str(Path(sys.executable).parent))
    command = [script] if script else [sys.executable, "-m", "runglass"]
    command += [str(logdir), "--host", "127.0.0.1", "--port", "{port}"]
    return Server("runglass", command if uses_cache else [*command, "--no_cache"])


def points_path(run: str, tag: str) -> str:
    return "/api/scalars/points?" + urlencode({"run": run, "tag": tag})


def read_last_value(running: Server, run: str, tag: str) -> float | None:
    points = running.client.json(points_path(run, tag))
    return points["value"][-1] if points and points["value"] else None


def is_complete(running: Server, made: Workload) -> bool:
    status = running.client.json("/api/status")
    return bool(status and status["is_loaded"] and status["points"] == made.points)


if __name__ == "__main__":
    print(json.dumps(child(Workload(**json.loads(sys.argv[1])))))
