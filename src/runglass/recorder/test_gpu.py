from __future__ import annotations

import stat
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from runglass.recorder import gpu_tools
from runglass.recorder.gpu import GpuReading, gpu_values, parse_nvidia_line, parse_rocm

A100 = "0, NVIDIA A100-SXM4-80GB, 535.104.05, 97, 40536, 81920, 391.72, 61"
ROCM = """WARNING: AMD GPU device(s) is/are in a low-power state.
{"card0": {"Temperature (Sensor edge) (C)": "33.0", "Temperature (Sensor junction) (C)": "35.0",
 "Average Graphics Package Power (W)": "34.0", "GPU use (%)": "12", "VRAM Total Memory (B)": "68702699520",
 "VRAM Total Used Memory (B)": "10960896", "Card Series": "AMD INSTINCT MI250", "Card SKU": "D65209"},
 "card1": {"Current Socket Graphics Package Power (W)": "N/A", "GPU use (%)": "0"},
 "system": {"Driver version": "6.3.6"}}"""


def test_nvidia() -> None:
    reading = parse_nvidia_line(A100)
    assert reading == GpuReading(
        index=0,
        name="NVIDIA A100-SXM4-80GB",
        driver="535.104.05",
        utilization_percent=97,
        memory_bytes=40536 * 2**20,
        memory_total_bytes=81920 * 2**20,
        power_w=391.72,
        temperature_c=61,
    )
    assert reading.describe() == "NVIDIA A100-SXM4-80GB, 85.9 GB, driver 535.104.05"
    values = gpu_values([reading])
    assert values == {
        "gpu/0/utilization_percent": 97,
        "gpu/0/memory_gb": pytest.approx(42.505, abs=1e-3),
        "gpu/0/memory_percent": pytest.approx(49.482, abs=1e-3),
        "gpu/0/power_w": 391.72,
        "gpu/0/temperature_c": 61,
    }


@pytest.mark.parametrize(
    ("line", "tags"),
    [
        (
            "1, NVIDIA GeForce GT 710, 470.1, [N/A], 5, 978, [N/A], 35",
            {"memory_gb", "memory_percent", "temperature_c"},
        ),
        (
            "0, NVIDIA H100, 550.2, [Not Supported], [Insufficient Permissions], [N/A], [Unknown Error], ERR!",
            set(),
        ),
        ("0, Quadro, 390, nan, 5, 0, inf, 35", {"memory_gb", "temperature_c"}),
    ],
)
def test_values_that_a_device_does_not_report_are_left_out(line: str, tags: set[str]) -> None:
    reading = parse_nvidia_line(line)
    assert reading is not None
    assert {tag.rpartition("/")[2] for tag in gpu_values([reading])} == tags


@pytest.mark.parametrize(
    "line",
    [
        "",
        "No devices were found",
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
        "index, name, driver_version, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], temperature.gpu",
        "0, NVIDIA A100, 535, 97, 40536",
    ],
)
def test_other_lines_are_skipped(line: str) -> None:
    assert parse_nvidia_line(line) is None


def test_rocm() -> None:
    first, second = parse_rocm(ROCM)
    assert first.describe() == "AMD INSTINCT MI250, 68.7 GB, driver 6.3.6"
    assert gpu_values([first])["gpu/0/temperature_c"] == 33
    assert gpu_values([first])["gpu/0/power_w"] == 34
    assert gpu_values([second]) == {"gpu/1/utilization_percent": 0}
    assert parse_rocm("") == parse_rocm("[1]") == parse_rocm('{"card0": 3}') == []


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
def test_nvidia_smi_is_followed_and_stopped(tmp_path: Path) -> None:
    program = tmp_path / "nvidia-smi"
    program.write_text(
        f"#!/bin/sh\necho '{A100}'\necho '{A100.replace('0', '1', 1)}'\n"
        'case "$*" in *loop-ms=2000) exec sleep 1000;; esac\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    source = gpu_tools.NvidiaSmiSource(2.0, str(program))
    assert len(source.describe()) == 2
    values: dict[str, float] = {}
    while len(values) < 10:
        values |= source.read(0.0)
    assert values["gpu/1/power_w"] == 391.72
    # A hanging tool must not look like a device whose values do not change.
    assert source.read(1.0) == {}
    source.close()
    assert source._process.returncode is not None


def test_the_library_of_nvidia(monkeypatch: pytest.MonkeyPatch) -> None:
    class NVMLError(Exception):
        pass

    def unsupported(*_: object) -> None:
        raise NVMLError

    library = SimpleNamespace(
        NVMLError=NVMLError,
        NVML_TEMPERATURE_GPU=0,
        nvmlInit=lambda: None,
        nvmlShutdown=lambda: None,
        nvmlSystemGetDriverVersion=lambda: b"535.1",
        nvmlDeviceGetCount=lambda: 1,
        nvmlDeviceGetHandleByIndex=lambda index: index,
        nvmlDeviceGetName=lambda _: b"NVIDIA X",
        nvmlDeviceGetUtilizationRates=lambda _: SimpleNamespace(gpu=0),
        nvmlDeviceGetMemoryInfo=lambda _: SimpleNamespace(used=0, total=2_000_000_000),
        nvmlDeviceGetPowerUsage=unsupported,
        nvmlDeviceGetTemperature=lambda _, kind: 40 + kind,
    )
    monkeypatch.setitem(sys.modules, "pynvml", library)
    source = gpu_tools.open_gpus(1.0)
    assert isinstance(source, gpu_tools.NvmlSource)
    assert source.describe() == ["NVIDIA X, 2.0 GB, driver 535.1"]
    assert source.read(0.0) == {
        "gpu/0/utilization_percent": 0,
        "gpu/0/memory_gb": 0,
        "gpu/0/memory_percent": 0,
        "gpu/0/temperature_c": 40,
    }
    source.close()


def test_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    monkeypatch.setattr(gpu_tools.shutil, "which", lambda _: None)
    assert gpu_tools.open_gpus(1.0) is None
