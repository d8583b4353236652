"""Reads GPUs with the tools of this machine: NVIDIA's Python library, else nvidia-smi, else rocm-smi."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from runglass.recorder.gpu import NVIDIA_FIELDS, GpuReading, gpu_values, parse_nvidia_line, parse_rocm
from runglass.recorder.source import Source

TIMEOUT_S = 5.0
# rocm-smi is a Python program; starting it costs more than all other measurements together.
ROCM_INTERVAL_S = 10.0
ROCM_FACTS = ("use", "power", "temp", "productname", "driverversion")
ROCM_COMMAND = ("rocm-smi", "--showmeminfo", "vram", *(f"--show{fact}" for fact in ROCM_FACTS), "--json")


class GpuSource(Source, Protocol):
    def describe(self) -> list[str]:
        """A description of every device. May take seconds."""
        ...


def open_gpus(interval_s: float) -> GpuSource | None:
    try:
        return NvmlSource()
    except Exception:
        # Not installed, or without a driver, for which the library has its own error class.
        pass
    try:
        if shutil.which("nvidia-smi"):
            return NvidiaSmiSource(interval_s)
        if shutil.which("rocm-smi"):
            return RocmSmiSource()
    except OSError:
        pass
    return None


class NvmlSource:
    def __init__(self) -> None:
        import pynvml

        pynvml.nvmlInit()
        self._nvml: Any = pynvml
        self._driver = as_text(pynvml.nvmlSystemGetDriverVersion())
        self._devices = [
            pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(pynvml.nvmlDeviceGetCount())
        ]

    def read(self, now_s: float) -> dict[str, float]:
        return gpu_values(self._readings())

    def describe(self) -> list[str]:
        return [reading.describe() for reading in self._readings()]

    def close(self) -> None:
        self._ask(self._nvml.nvmlShutdown)

    def _readings(self) -> list[GpuReading]:
        nvml = self._nvml
        readings = []
        for index, device in enumerate(self._devices):
            utilization = self._ask(nvml.nvmlDeviceGetUtilizationRates, device)
            memory = self._ask(nvml.nvmlDeviceGetMemoryInfo, device)
            power_mw = self._ask(nvml.nvmlDeviceGetPowerUsage, device)
            readings.append(
                GpuReading(
                    index=index,
                    name=as_text(self._ask(nvml.nvmlDeviceGetName, device) or ""),
                    driver=self._driver,
                    utilization_percent=utilization and utilization.gpu,
                    memory_bytes=memory and memory.used,
                    memory_total_bytes=memory and memory.total,
                    power_w=None if power_mw is None else power_mw / 1000,
                    temperature_c=self._ask(nvml.nvmlDeviceGetTemperature, device, nvml.NVML_TEMPERATURE_GPU),
                )
            )
        return readings

    def _ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """None for a value that the device does not report."""
        try:
            return function(*arguments)
        except self._nvml.NVMLError:
            return None


class NvidiaSmiSource:
    """One process that prints all devices repeatedly: starting one per reading would cost far more."""

    def __init__(self, interval_s: float, program: str = "nvidia-smi") -> None:
        self._command = [program, f"--query-gpu={','.join(NVIDIA_FIELDS)}", "--format=csv,noheader,nounits"]
        self._process = subprocess.Popen(
            [*self._command, f"--loop-ms={max(1000, int(interval_s * 1000))}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Ctrl+C must reach only the command.
            start_new_session=True,
        )
        self._latest: dict[int, GpuReading] = {}
        self._reader = threading.Thread(target=self._follow, name="runglass-gpu", daemon=True)
        self._reader.start()

    def read(self, now_s: float) -> dict[str, float]:
        # Each reading counts once: repeating the last one would hide that the tool hangs.
        latest, self._latest = self._latest, {}
        return gpu_values(latest.values())

    def describe(self) -> list[str]:
        readings = map(parse_nvidia_line, ask_tool(self._command).splitlines())
        return [reading.describe() for reading in readings if reading is not None]

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()

    def _follow(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        with stdout:
            for line in stdout:
                reading = parse_nvidia_line(line.decode("utf-8", "replace"))
                if reading is not None:
                    self._latest[reading.index] = reading


class RocmSmiSource:
    def __init__(self) -> None:
        self._next_s = 0.0

    def read(self, now_s: float) -> dict[str, float]:
        if now_s < self._next_s:
            return {}
        self._next_s = now_s + ROCM_INTERVAL_S
        return gpu_values(self._readings())

    def describe(self) -> list[str]:
        return [reading.describe() for reading in self._readings()]

    def close(self) -> None:
        pass

    def _readings(self) -> list[GpuReading]:
        return parse_rocm(ask_tool(ROCM_COMMAND))


def ask_tool(command: Sequence[str]) -> str:
    """Its output; empty if it does not start or hangs, as tools do with a broken driver."""
    try:
        answer = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT_S,
            start_new_session=True,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.decode("utf-8", "replace")


def as_text(name: str | bytes) -> str:
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else name
