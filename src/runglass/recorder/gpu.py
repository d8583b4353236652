"""Parses the output of GPU tools. Pure: gpu_tools runs them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import msgspec

MIB = 1 << 20
# In this order, with --format=csv,noheader,nounits.
NVIDIA_FIELDS = (
    "index",
    "name",
    "driver_version",
    "utilization.gpu",
    "memory.used",
    "memory.total",
    "power.draw",
    "temperature.gpu",
)


class GpuReading(msgspec.Struct, frozen=True):
    """None: the device does not report it."""

    index: int
    name: str = ""
    driver: str = ""
    utilization_percent: float | None = None
    memory_bytes: float | None = None
    memory_total_bytes: float | None = None
    power_w: float | None = None
    temperature_c: float | None = None

    def describe(self) -> str:
        memory = f"{self.memory_total_bytes / 1e9:.1f} GB" if self.memory_total_bytes else ""
        driver = f"driver {self.driver}" if self.driver else ""
        return ", ".join(filter(None, [self.name, memory, driver]))


def gpu_values(readings: Iterable[GpuReading]) -> dict[str, float]:
    values: dict[str, float | None] = {}
    for reading in readings:
        used, total = reading.memory_bytes, reading.memory_total_bytes
        values |= {
            f"gpu/{reading.index}/utilization_percent": reading.utilization_percent,
            f"gpu/{reading.index}/memory_gb": None if used is None else used / 1e9,
            f"gpu/{reading.index}/memory_percent": None if used is None or not total else 100 * used / total,
            f"gpu/{reading.index}/power_w": reading.power_w,
            f"gpu/{reading.index}/temperature_c": reading.temperature_c,
        }
    return {tag: value for tag, value in values.items() if value is not None}


def parse_nvidia_line(line: str) -> GpuReading | None:
    """One device from a line of `nvidia-smi`; None for other lines, such as error messages."""
    cells = [cell.strip() for cell in line.split(",")]
    if len(cells) != len(NVIDIA_FIELDS) or not cells[0].isdigit():
        return None
    utilization, used_mib, total_mib, power_w, temperature_c = (parse_number(cell) for cell in cells[3:])
    return GpuReading(
        index=int(cells[0]),
        name=cells[1],
        driver=cells[2],
        utilization_percent=utilization,
        memory_bytes=None if used_mib is None else used_mib * MIB,
        memory_total_bytes=None if total_mib is None else total_mib * MIB,
        power_w=power_w,
        temperature_c=temperature_c,
    )


def parse_rocm(text: str) -> list[GpuReading]:
    """The devices from `rocm-smi --json`. Its versions use different names; the first name that matches counts."""
    try:
        # Warnings may come before the JSON.
        cards = json.loads(text[text.index("{") :])
    except ValueError:
        return []
    readings = []
    for card, facts in cards.items() if isinstance(cards, dict) else ():
        number = re.fullmatch(r"card(\d+)", card)
        if number is None or not isinstance(facts, dict):
            continue
        readings.append(
            GpuReading(
                index=int(number[1]),
                name=str(fact(facts, r"Card Series|Card series|Card Model|Device Name") or ""),
                driver=str(cards.get("system", {}).get("Driver version", "")),
                utilization_percent=parse_number(fact(facts, r"GPU use \(%\)")),
                memory_bytes=parse_number(fact(facts, r"VRAM Total Used Memory \(B\)")),
                memory_total_bytes=parse_number(fact(facts, r"VRAM Total Memory \(B\)")),
                power_w=parse_number(fact(facts, r".*(Socket|Package) Power.*\(W\)")),
                temperature_c=parse_number(fact(facts, r"Temperature \(Sensor (edge|junction)\) \(C\)")),
            )
        )
    return readings


def fact(facts: dict[str, Any], pattern: str) -> Any:
    return next((value for name, value in facts.items() if re.fullmatch(pattern, name)), None)


def parse_number(value: Any) -> float | None:
    """None for "[N/A]", "[Not Supported]", "N/A", "[Unknown Error]" and similar."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if number == number and abs(number) != float("inf") else None
