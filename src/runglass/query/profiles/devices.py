"""The devices of a trace: names, memory and peaks, as the files tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runglass.native.trace_rows import TraceFile
from runglass.query.profiles.model import Device, Track

# Multiply-adds count twice: operations of one processor in one clock, dense, the best of 32-bit and 16-bit ones.
OPERATIONS = {
    (10, 0): 8192,
    (9, 0): 4096,
    (8, 9): 1024,
    (8, 6): 1024,
    (8, 0): 2048,
    (7, 5): 1024,
    (7, 0): 1024,
    (6, 1): 256,
    (6, 0): 256,
}

# Where a file tells no clock: dense 16-bit operations and bytes of memory per second, as the makers say, by what the name has.
PEAKS = (
    ("B200", 2250e12, 8.0e12),
    ("H200", 989.4e12, 4.8e12),
    ("H100 PCIe", 756e12, 2.0e12),
    ("H100", 989.4e12, 3.35e12),
    ("A100-SXM4-80GB", 312e12, 2.039e12),
    ("A100 80GB", 312e12, 1.935e12),
    ("A100", 312e12, 1.555e12),
    ("L40S", 362e12, 0.864e12),
    ("L4", 121e12, 0.3e12),
    ("A10G", 70e12, 0.6e12),
    ("V100", 125e12, 0.9e12),
    ("T4", 65e12, 0.32e12),
)


def read_devices(files: Sequence[TraceFile], tracks: Sequence[Track]) -> list[Device]:
    """Those that have tracks, in the order of hosts and numbers."""
    found: dict[tuple[str, int], Device] = {}
    for track in tracks:
        if track.device is not None:
            key = track.host, track.device
            if key not in found:
                name = track.labels or track.process
                found[key] = Device(id=track.device, host=track.host, name=name)
    for file in files:
        for number, properties in listed(file.metadata):
            key = file.host, number
            if key in found:
                found[key] = describe(found[key], properties)
    return list(found.values())


def listed(metadata: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """Properties by number of the device: torch's list, or the stats of device planes."""
    made: list[tuple[int, dict[str, Any]]] = []
    given = metadata.get("deviceProperties")
    if isinstance(given, list):
        for each in given:
            if isinstance(each, dict) and isinstance(each.get("id"), int):
                made.append((each["id"], each))
    planes = metadata.get("planes")
    for plane in planes if isinstance(planes, list) else ():
        kind, _, digits = str(plane.get("name", "")).rpartition(":")
        stats = plane.get("stats")
        if kind.startswith("/device:") and digits.isdigit() and isinstance(stats, dict):
            made.append((int(digits), stats))
    return made


def describe(device: Device, given: dict[str, Any]) -> Device:
    major = number(given.get("computeMajor", given.get("compute_cap_major")))
    minor = number(given.get("computeMinor", given.get("compute_cap_minor")))
    processors = number(given.get("numSms", given.get("core_count")))
    clock_khz = number(given.get("clock_rate"))
    peak = number(given.get("peak_teraflops_per_second"))
    peak_flops = None if peak is None else peak * 1e12
    if peak_flops is None and None not in (major, processors, clock_khz):
        peak_flops = operations(int(major or 0), int(minor or 0)) * (processors or 0) * (clock_khz or 0) * 1e3
    memory = number(given.get("totalGlobalMem", given.get("memory_size")))
    bandwidth = number(given.get("memory_bandwidth"))
    name = given.get("name") or given.get("gpu_device_name") or given.get("device_type_string") or device.name
    words = str(name).replace("NVIDIA ", "").split()
    known = next((each for each in PEAKS if starts(words, each[0].split())), None)
    if known is not None and peak_flops is None and bandwidth is None:
        _, peak_flops, bandwidth = known
    return Device(
        id=device.id,
        host=device.host,
        name=str(name),
        memory_bytes=None if memory is None else int(memory),
        capability=None if major is None else f"{int(major)}.{int(minor or 0)}",
        processors=None if processors is None else int(processors),
        peak_flops=peak_flops or None,
        bandwidth_bytes=bandwidth,
        properties={str(key): value for key, value in given.items() if isinstance(value, int | float | str)},
    )


def starts(words: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether a name begins with these words, the last perhaps with more after a hyphen."""
    head = list(words[: len(wanted)])
    return len(head) == len(wanted) and (
        head == list(wanted) or [*head[:-1], head[-1].partition("-")[0]] == list(wanted)
    )


def number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def operations(major: int, minor: int) -> int:
    """Of this capability, or the nearest lower one that is known."""
    lower = [key for key in OPERATIONS if key <= (major, minor)]
    return OPERATIONS[max(lower)] if lower else 0
