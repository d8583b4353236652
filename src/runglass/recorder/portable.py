"""Measures a process tree and its machine with psutil, on systems without /proc."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from runglass.recorder.source import Rate, in_mb, with_rates


class PsutilSource:
    def __init__(self, pid: int, directory: str) -> None:
        import psutil

        self._psutil: Any = psutil
        self._root = psutil.Process(pid)
        self._directory = directory
        self._cpu, self._run_read, self._run_written = Rate(), Rate(), Rate()
        self._disk_read, self._disk_written = Rate(), Rate()
        self._received, self._sent = Rate(), Rate()
        # The first call has nothing to compare to.
        psutil.cpu_percent()

    def close(self) -> None:
        pass

    def read(self, now_s: float) -> dict[str, float]:
        return self._read_tree(now_s) | self._read_machine(now_s)

    def _read_tree(self, now_s: float) -> dict[str, float]:
        cpu: dict[Hashable, float] = {}
        read: dict[Hashable, float] = {}
        written: dict[Hashable, float] = {}
        rss_bytes = 0
        for process in self._processes():
            key = (process.pid, self._ask(process.create_time))
            if times := self._ask(process.cpu_times):
                cpu[key] = times.user + times.system
            if memory := self._ask(process.memory_info):
                rss_bytes += memory.rss
            # macOS does not report it.
            if hasattr(process, "io_counters") and (counters := self._ask(process.io_counters)):
                read[key], written[key] = counters.read_bytes, counters.write_bytes
        cores = self._cpu.per_s(cpu, now_s)
        rates = {
            "disk/run_read_mb_per_s": self._run_read.per_s(read, now_s) if read else None,
            "disk/run_write_mb_per_s": self._run_written.per_s(written, now_s) if written else None,
        }
        values = {"processes": float(len(cpu)), "memory/run_gb": rss_bytes / 1e9}
        return with_rates(values, {"cpu/run_cores": cores, **in_mb(rates)})

    def _read_machine(self, now_s: float) -> dict[str, float]:
        psutil = self._psutil
        memory = psutil.virtual_memory()
        values = {
            "cpu/machine_percent": psutil.cpu_percent(),
            "memory/machine_gb": (memory.total - memory.available) / 1e9,
            "memory/machine_percent": memory.percent,
        }
        if usage := self._ask(psutil.disk_usage, self._directory):
            values["disk/free_gb"] = usage.free / 1e9
        rates = {}
        if disk := self._ask(psutil.disk_io_counters):
            rates["disk/machine_read_mb_per_s"] = self._disk_read.per_s({"": disk.read_bytes}, now_s)
            rates["disk/machine_write_mb_per_s"] = self._disk_written.per_s({"": disk.write_bytes}, now_s)
        if network := self._ask(psutil.net_io_counters):
            rates["network/received_mb_per_s"] = self._received.per_s({"": network.bytes_recv}, now_s)
            rates["network/sent_mb_per_s"] = self._sent.per_s({"": network.bytes_sent}, now_s)
        return with_rates(values, in_mb(rates))

    def _processes(self) -> list[Any]:
        return [self._root, *(self._ask(self._root.children, recursive=True) or ())]

    def _ask(self, function: Any, *arguments: Any, **options: Any) -> Any:
        """None for a process that has ended or is not ours, and for values that the system does not report."""
        try:
            return function(*arguments, **options)
        except (self._psutil.Error, OSError):
            return None
