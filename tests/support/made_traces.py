"""A small trace as PyTorch writes it, made in code: a few steps on one host thread and one device, with launches, stacks and memory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HOST = 100
MAIN = 101
LOADER = 102
DEVICE = 0
STREAM = 7
STEP_US = 20_000.0
# Of every step, from its beginning.
LOAD_US = 10_000.0
KERNELS = ("conv", "batch_norm", "relu")


def make_trace(first_step: int = 10, steps: int = 4, more: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """Each step waits 10 ms for its batch; its kernels take 3, 2 and 1 ms, from 12, 15 and 18 ms on."""
    events: list[dict[str, Any]] = [
        named("process_name", HOST, 0, "python train.py"),
        named("process_name", DEVICE, 0, "python"),
        {
            "ph": "M",
            "name": "process_labels",
            "pid": DEVICE,
            "tid": 0,
            "ts": 0,
            "args": {"labels": "GPU 0"},
        },
        named("thread_name", HOST, MAIN, "main"),
        named("thread_name", HOST, LOADER, "loader"),
        named("thread_name", DEVICE, STREAM, "stream 7"),
    ]
    correlation = 0
    for index in range(steps):
        begin = index * STEP_US
        number = first_step + index
        events += [
            span("user_annotation", f"ProfilerStep#{number}", HOST, MAIN, begin, STEP_US - 10),
            span("python_function", "train.py(12): train_step", HOST, MAIN, begin + 1, STEP_US - 20),
            span(
                "user_annotation",
                "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                HOST,
                MAIN,
                begin + 10,
                LOAD_US,
            ),
            span("cpu_op", "aten::stack", HOST, LOADER, begin + 100, 50),
        ]
        for at, kernel in enumerate(KERNELS):
            correlation += 1
            launch = begin + 11_000 + at * 500
            run = begin + 12_000 + at * 3_000
            shapes = {"Input Dims": [[16, 3, 32, 32], [8, 3, 3, 3]], "Input type": ["float", "float"]}
            arguments = {
                "External id": correlation,
                "correlation": correlation,
                "stream": STREAM,
                "device": DEVICE,
                "grid": [64, 1, 1],
                "block": [128, 1, 1],
                "registers per thread": 32,
                "shared memory": 2_048,
                "est. achieved occupancy %": 50,
            }
            events += [
                span(
                    "cpu_op",
                    f"aten::{kernel}",
                    HOST,
                    MAIN,
                    launch - 100,
                    300,
                    {"External id": correlation, **shapes},
                ),
                span(
                    "cuda_runtime",
                    "cudaLaunchKernel",
                    HOST,
                    MAIN,
                    launch,
                    20,
                    {"External id": correlation, "correlation": correlation},
                ),
                span(
                    "kernel",
                    f"void {kernel}_kernel<float>()",
                    DEVICE,
                    STREAM,
                    run,
                    3_000 - at * 1_000,
                    arguments,
                ),
                flow("s", correlation, HOST, MAIN, launch),
                flow("f", correlation, DEVICE, STREAM, run),
                {
                    "ph": "i",
                    "s": "t",
                    "cat": "cpu_instant_event",
                    "name": "[memory]",
                    "pid": HOST,
                    "tid": MAIN,
                    "ts": launch,
                    "args": {
                        "Total Allocated": 1_000_000 * (at + 1),
                        "Total Reserved": 8_000_000,
                        "Bytes": 1_000_000,
                        "Device Id": 0,
                        "Device Type": 1,
                        "Addr": correlation,
                    },
                },
            ]
    return {
        "schemaVersion": 1,
        "deviceProperties": [{"id": 0, "name": "NVIDIA H200", "totalGlobalMem": 150_000_000_000}],
        "baseTimeNanoseconds": 1_790_000_000_000_000_000,
        "traceEvents": [*events, *more],
    }


def span(
    category: str,
    name: str,
    process: int,
    thread: int,
    begin_us: float,
    length_us: float,
    arguments: dict[str, Any] | None = None,
) -> dict[str, Any]:
    return {
        "ph": "X",
        "cat": category,
        "name": name,
        "pid": process,
        "tid": thread,
        "ts": begin_us,
        "dur": length_us,
        "args": arguments or {},
    }


def named(kind: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "ts": 0, "args": {"name": name}}


def flow(phase: str, number: int, process: int, thread: int, at_us: float) -> dict[str, Any]:
    end = {"bp": "e"} if phase == "f" else {}
    return {
        "ph": phase,
        "id": number,
        "cat": "ac2g",
        "name": "ac2g",
        "pid": process,
        "tid": thread,
        "ts": at_us,
        **end,
    }


def write_trace(
    run: Path, trace: dict[str, Any], worker: str = "worker0", time_ns: int = 1_790_000_000_000_000_000
) -> Path:
    """Where `tensorboard_trace_handler` would have put it."""
    run.mkdir(parents=True, exist_ok=True)
    path = run / f"{worker}.{time_ns}.pt.trace.json"
    path.write_text(json.dumps(trace))
    return path
