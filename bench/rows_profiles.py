"""Rows about what is said of profiles: the overview of large ones beside XProf's and HTA's, every further view, memory, and two of them
compared. HolisticTraceAnalysis has an environment of its own, .venvs/hta, made on first use."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import ours
from bench.measure import Server
from bench.peers import ROOT
from bench.rows_traces import (
    CACHE,
    JSON_BYTES,
    XPLANE_EVENTS,
    MemoryWatch,
    ask,
    run_peer,
    wait_for,
    xprof_python,
)
from bench.setting import Setting, attempt
from bench.table import Row
from bench.traces import TraceLog, torch_log, xplane_log
from bench.workloads import OUT

HTA = ROOT / ".venvs" / "hta"
XPLANE_SHARE, XPLANE_S, VIEW_S = 1 / 3, 3.0, 0.3
TORCH_SHARE, MEMORY_SHARE, COMPARE_S = 1 / 5, 1 / 3, 1.0
# The other profile of a comparison is so much smaller.
OTHER = 0.8
VIEWS: dict[str, dict[str, Any]] = {
    "advice": {},
    "input": {},
    "ops": {"by": "name"},
    "kernels": {},
    "memory": {"points": 1_000},
}

XPROF_OVERVIEW = """
import json, resource, sys, time
from xprof.convert import raw_to_tool_data
before = time.perf_counter()
data, _ = raw_to_tool_data.xspace_to_tool_data([sys.argv[1]], "overview_page", {})
print(json.dumps([time.perf_counter() - before, len(data), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024]))
"""
HTA_OVERVIEW = """
import json, resource, sys, time
from hta.trace_analysis import TraceAnalysis
before = time.perf_counter()
analysis = TraceAnalysis(trace_files={0: sys.argv[1]})
analysis.get_temporal_breakdown(visualize=False)
kernels = analysis.get_gpu_kernel_breakdown(visualize=False)[1]
print(json.dumps([time.perf_counter() - before, len(kernels), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024]))
"""


def profile_rows(setting: Setting) -> Iterator[Row]:
    xplane, torch = (
        xplane_log(round(XPLANE_EVENTS * setting.scale)),
        torch_log(round(JSON_BYTES * setting.scale)),
    )
    yield from overview_rows(setting, xplane, "XProf", XPROF_OVERVIEW, XPLANE_SHARE)
    yield from overview_rows(setting, torch, "HTA", HTA_OVERVIEW, TORCH_SHARE)
    yield from compare_rows(setting, xplane, xplane_log(round(OTHER * XPLANE_EVENTS * setting.scale)))


def overview_rows(setting: Setting, log: TraceLog, peer: str, code: str, share: float) -> Iterator[Row]:
    is_xplane = log.kind == "xplane"
    what = f"{log.file.stat().st_size / 1e6:.0f} MB of {log.kind}"
    part = f"≤ 1/{round(1 / share)} of {peer}"
    first = Row(f"{what}: overview, nothing kept", must_be=f"{part}, ≤ {XPLANE_S:g} s" if is_xplane else part)
    views = Row(f"{what}: any further view, worst of {len(VIEWS)}", must_be=f"≤ {VIEW_S:g} s")
    memory = Row(f"{what}: memory of the server meanwhile", must_be=f"≤ 1/3 of {peer}")
    peers: list[tuple[float, int]] = []

    def measure_peer() -> None:
        python = xprof_python() if is_xplane else hta_python()
        # HTA takes minutes.
        turns = setting.peer_repeat if is_xplane else 1
        peers.extend(run_peer(python, code, log.file) for _ in range(turns))
        first.peer = f"{peer}: {min(wall_s for wall_s, _ in peers):.2f} s"
        memory.peer = f"{min(used for _, used in peers) / 1e6:.0f} MB"
        first.raw["peer"] = peers

    def measure() -> None:
        cold, worst, peaks = [], [], []
        for _ in range(setting.repeat):
            shutil.rmtree(CACHE, ignore_errors=True)
            with serve(log.path) as running, MemoryWatch(running.pid) as watch:
                session = session_of(running, log.run)
                before = time.perf_counter()
                open_one(running, session)
                ask(running, "overview", session=session)
                cold.append(time.perf_counter() - before)
                taken = {name: ask(running, name, session=session, **body)[0] for name, body in VIEWS.items()}
                worst.append(max(taken.items(), key=lambda each: each[1]))
            peaks.append(watch.peak_bytes)
        slowest, took = min(worst, key=lambda each: each[1])
        first.ours, views.ours = f"{min(cold):.2f} s", f"{took:.2f} s ({slowest})"
        memory.ours = f"{min(peaks) / 1e6:.0f} MB"
        first.raw["ours"], views.raw["ours"], memory.raw["ours"] = cold, worst, peaks
        views.ok = took <= VIEW_S
        if peers:
            first.ok = min(cold) <= share * min(wall_s for wall_s, _ in peers) and (
                not is_xplane or min(cold) <= XPLANE_S
            )
            memory.ok = min(peaks) <= MEMORY_SHARE * min(used for _, used in peers)

    if setting.peer_repeat:
        attempt(first, "peer", measure_peer)
    attempt(first, "ours", measure)
    yield from (first, views, memory)


def compare_rows(setting: Setting, before: TraceLog, after: TraceLog) -> Iterator[Row]:
    row = Row(
        f"{before.file.stat().st_size / 1e6:.0f} and {after.file.stat().st_size / 1e6:.0f} MB of xplane, both open: compared",
        must_be=f"≤ {COMPARE_S:g} s",
    )

    def measure() -> None:
        folder = OUT / "profile-pair"
        shutil.rmtree(folder, ignore_errors=True)
        for name, log in (("before", before), ("after", after)):
            target = folder / name / log.file.parent.relative_to(log.path / log.run)
            target.mkdir(parents=True)
            os.link(log.file, target / log.file.name)
        taken = []
        for _ in range(setting.repeat):
            with serve(folder) as running:
                sessions = [session_of(running, name) for name in ("before", "after")]
                for session in sessions:
                    open_one(running, session)
                taken.append(ask(running, "compare", before=sessions[0], after=sessions[1])[0])
        row.ours, row.ok = f"{min(taken):.2f} s", min(taken) <= COMPARE_S
        row.raw["ours"] = taken

    attempt(row, "ours", measure)
    yield row


def serve(path: Path) -> Server:
    made = ours.server(path, uses_cache=True)
    made.env["XDG_CACHE_HOME"] = str(CACHE)
    return made


def session_of(running: Server, run: str) -> dict[str, str]:
    running.wait_until(lambda: bool(running.client.json("/api/status")["is_loaded"]), "everything loaded")
    found = running.client.json("/api/profile")["sessions"]
    return next({"run": run, "session": each["session"]} for each in found if each["run"] == run)


def open_one(running: Server, session: dict[str, str]) -> None:
    question = json.dumps({"work": "profile.open", "question": {"session": session}}).encode()
    wait_for(running, running.client.json("/api/jobs", question)["id"])


def hta_python() -> str:
    python = HTA / "bin" / "python"
    if not (HTA / "installed").exists():
        print("installing HolisticTraceAnalysis into .venvs/hta …", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(HTA)], check=True)
        done = subprocess.run([str(python), "-m", "pip", "install", "-q", "HolisticTraceAnalysis"])
        if done.returncode:
            raise RuntimeError("HolisticTraceAnalysis does not install")
        (HTA / "installed").touch()
    return str(python)
