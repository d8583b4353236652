"""Trainings as torch's profiler writes them, each with one planted fault: steps of 10 ms on one GPU."""

from __future__ import annotations

import json
from typing import Any

from runglass.query.profiles.model import Trace
from runglass.query.profiles.read import read_file

STEP_US = 10_000
STEPS = 5
FAST = "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc"
SLOW = "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_ffma"


class Training:
    """Writes a trace as torch does: a step of 10 ms with 40 convolutions that keep the device busy."""

    def __init__(self, shift: int = 0) -> None:
        self.events: list[dict[str, Any]] = []
        self.number = 0
        self.shift = shift
        self.track(0, 0, "GPU 0", 7, "stream 7")
        self.track(1, 100, "CPU", 100, "thread 100 (python)")

    def track(self, order: int, process: int, label: str, thread: int, name: str) -> None:
        for key, value in (("process_name", "python"), ("process_labels", label)):
            field = "labels" if "labels" in key else "name"
            self.events.append({"ph": "M", "name": key, "pid": process, "tid": 0, "args": {field: value}})
        self.events.append(
            {"ph": "M", "name": "thread_name", "pid": process, "tid": thread, "args": {"name": name}}
        )

    def host(self, name: str, start: float, long: float, category: str = "cpu_op", **arguments: Any) -> None:
        self.add("X", name, start, 100, 100, category, arguments, dur=long)

    def add(
        self,
        phase: str,
        name: str,
        start: float,
        pid: int,
        tid: int,
        category: str,
        arguments: Any,
        **more: Any,
    ) -> None:
        time = round(start + self.shift, 3)
        self.events.append(
            {
                "ph": phase,
                "name": name,
                "ts": time,
                "pid": pid,
                "tid": tid,
                "cat": category,
                "args": arguments,
                **more,
            }
        )

    def launch(
        self, at: float, name: str, start: float, long: float, category: str = "kernel", **arguments: Any
    ) -> None:
        self.number += 1
        call = "cudaMemcpyAsync" if category == "gpu_memcpy" else "cudaLaunchKernel"
        self.host(call, at, 1, "cuda_runtime", correlation=self.number)
        self.add(
            "X", name, start, 0, 7, category, {"correlation": self.number, "device": 0, **arguments}, dur=long
        )

    def step(self, number: int, kernel: str = FAST, busy_from: float = 0.0) -> float:
        """Marks a step and fills the device from `busy_from` to its end; answers when it begins."""
        begin = number * STEP_US
        self.host(f"ProfilerStep#{number}", begin, STEP_US - 1, "user_annotation")
        self.host(
            "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", begin + 1, 20, "user_annotation"
        )
        long = (STEP_US - busy_from) / 40
        for each in range(40):
            self.launch(
                begin + 30 + busy_from + each * 3, kernel, begin + 40 + busy_from + each * long, long - 1
            )
        return begin

    def write(self, **more: Any) -> bytes:
        device = {
            "id": 0,
            "name": "NVIDIA H200",
            "totalGlobalMem": 10**9,
            "computeMajor": 9,
            "computeMinor": 0,
            "numSms": 132,
        }
        found = {
            "schemaVersion": 1,
            "deviceProperties": [device],
            "traceEvents": self.events,
            "traceName": "x",
            **more,
        }
        return json.dumps(found).encode()

    def trace(self) -> Trace:
        return read_file("h.1.pt.trace.json", self.write())


def planted(fault: str) -> Training:
    made = Training()
    for number in range(STEPS):
        if fault == "slow_loader":
            begin = made.step(number, busy_from=6_000)
            made.host(
                "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                begin + 30,
                5_900,
                "user_annotation",
            )
        elif fault == "host_code":
            begin = made.step(number, busy_from=6_000)
            made.host("train.py(15): make_batch", begin + 30, 5_900, "python_function")
        elif fault == "no_pin":
            begin = made.step(number, busy_from=1_000)
            made.launch(
                begin + 25,
                "Memcpy HtoD (Pageable -> Device)",
                begin + 100,
                900,
                "gpu_memcpy",
                bytes=8_000_000,
            )
        elif fault == "copies":
            begin = made.step(number, busy_from=1_000)
            made.launch(
                begin + 25, "Memcpy DtoH (Device -> Pinned)", begin + 100, 900, "gpu_memcpy", bytes=8_000_000
            )
        elif fault == "sync":
            begin = made.step(number, busy_from=1_500)
            made.launch(begin + 25, FAST, begin + 40, 460)
            made.host("train.py(91): log", begin + 29, 600, "python_function")
            made.host("aten::item", begin + 30, 520)
            made.host("cudaStreamSynchronize", begin + 31, 500, "cuda_runtime")
        elif fault == "tiny_kernels":
            begin = number * STEP_US
            made.host(f"ProfilerStep#{number}", begin, STEP_US - 1, "user_annotation")
            made.host("Optimizer.step#AdamW.step", begin + 10, STEP_US - 100, "user_annotation")
            for each in range(900):
                made.launch(begin + 12 + each * 10, "multi_tensor_kernel", begin + 20 + each * 10, 2)
        elif fault == "fp32":
            made.step(number, kernel=SLOW)
        elif fault == "recompile":
            begin = made.step(number, busy_from=6_000)
            made.host("entire_frame_compile", begin + 30, 5_900, "user_annotation")
        else:
            made.step(number)
        if fault in ("leak", "full"):
            total = number * 5_000_000 if fault == "leak" else 950_000_000
            for at, size in ((100, 50_000_000), (9_000, -50_000_000)):
                total += max(size, 0) if fault == "leak" else 0
                arguments = {
                    "Device Type": 1,
                    "Device Id": 0,
                    "Bytes": size,
                    "Addr": number,
                    "Total Reserved": total + 1,
                }
                made.add(
                    *("i", "[memory]", number * STEP_US + at, 100, 100, "cpu_instant_event"),
                    {**arguments, "Total Allocated": total},
                    s="t",
                )
                total -= 50_000_000 if fault == "leak" else 0
    return made
