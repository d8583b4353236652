"""Measures a process tree and its machine with /proc. Leaves out what cannot be read, as in some containers."""

from __future__ import annotations

import os
import re
from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path

import msgspec

from runglass.recorder.source import Rate, in_mb, with_rates

SECTOR_BYTES = 512
VIRTUAL_DISK = re.compile(r"^(loop|ram|zram|dm-|md|sr|fd)")
PARTITION = re.compile(r"^p?\d+$")
VIRTUAL_NETWORK = re.compile(r"^(lo$|veth|docker|br-|virbr|cni|flannel|cali)")


class Stat(msgspec.Struct, frozen=True):
    parent: int
    group: int
    is_zombie: bool
    ticks: int
    # Distinguishes two processes that had the same pid one after the other.
    start: int
    pages: int


class ProcSource:
    def __init__(self, pid: int, directory: str, proc: Path = Path("/proc")) -> None:
        self._pid = pid
        self._directory = directory
        self._proc = proc
        # Each process is checked once whether it belongs to the tree; a member stays one, orphaned or not.
        self._members: dict[int, int | None] = {pid: None}
        self._strangers: set[int] = set()
        self._run_ticks, self._run_read, self._run_written = Rate(), Rate(), Rate()
        self._busy, self._total = Rate(), Rate()
        self._disk_read, self._disk_written = Rate(), Rate()
        self._received, self._sent = Rate(), Rate()
        self._ticks_per_s = os.sysconf("SC_CLK_TCK")
        self._page_bytes = os.sysconf("SC_PAGE_SIZE")

    def close(self) -> None:
        pass

    def read(self, now_s: float) -> dict[str, float]:
        return self._read_tree(now_s) | self._read_machine(now_s)

    def _read_tree(self, now_s: float) -> dict[str, float]:
        stats = self._find_members()
        ticks: dict[Hashable, float] = {(pid, stat.start): stat.ticks for pid, stat in stats.items()}
        read: dict[Hashable, float] = {}
        written: dict[Hashable, float] = {}
        for pid, stat in stats.items():
            counts = dict(parse_pairs(self._text(f"{pid}/io")))
            read[pid, stat.start] = counts.get("read_bytes", 0)
            written[pid, stat.start] = counts.get("write_bytes", 0)
        cpu = self._run_ticks.per_s(ticks, now_s)
        rates = {
            "disk/run_read_mb_per_s": self._run_read.per_s(read, now_s),
            "disk/run_write_mb_per_s": self._run_written.per_s(written, now_s),
        }
        living = [stat for stat in stats.values() if not stat.is_zombie]
        values = {
            "processes": float(len(living)),
            "memory/run_gb": sum(stat.pages for stat in living) * self._page_bytes / 1e9,
        }
        cores = None if cpu is None else cpu / self._ticks_per_s
        return with_rates(values, {"cpu/run_cores": cores, **in_mb(rates)})

    def _read_machine(self, now_s: float) -> dict[str, float]:
        values = {}
        memory = dict(parse_pairs(self._text("meminfo")))
        if memory.get("MemTotal") and "MemAvailable" in memory:
            used_kb = memory["MemTotal"] - memory["MemAvailable"]
            values["memory/machine_gb"] = used_kb * 1024 / 1e9
            values["memory/machine_percent"] = 100 * used_kb / memory["MemTotal"]
        try:
            free = os.statvfs(self._directory)
            values["disk/free_gb"] = free.f_bavail * free.f_frsize / 1e9
        except OSError:
            pass
        busy, total = parse_cpu(self._text("stat"))
        busy_per_s = self._busy.per_s({"": busy}, now_s)
        total_per_s = self._total.per_s({"": total}, now_s)
        disks = parse_disks(self._text("diskstats"))
        networks = parse_networks(self._text("net/dev"))
        rates = {
            "disk/machine_read_mb_per_s": self._disk_read.per_s(column(disks, 0), now_s),
            "disk/machine_write_mb_per_s": self._disk_written.per_s(column(disks, 1), now_s),
            "network/received_mb_per_s": self._received.per_s(column(networks, 0), now_s),
            "network/sent_mb_per_s": self._sent.per_s(column(networks, 1), now_s),
        }
        percent = 100 * busy_per_s / total_per_s if busy_per_s is not None and total_per_s else None
        return with_rates(values, {"cpu/machine_percent": percent, **in_mb(rates)})

    def _find_members(self) -> dict[int, Stat]:
        try:
            pids = {int(name) for name in os.listdir(self._proc) if name.isdigit()}
        except OSError:
            pids = set(self._members)
        self._strangers &= pids
        stats = {}
        for pid in list(self._members):
            stat = self._stat(pid)
            # Gone, or another process has its pid.
            if stat is None or self._members[pid] not in (None, stat.start):
                del self._members[pid]
            else:
                stats[pid] = stat
                self._members[pid] = stat.start
        seen = {
            pid: stat
            for pid in pids - self._strangers - stats.keys()
            if (stat := self._stat(pid)) is not None
        }
        # Until no process is added: a child may have a lower pid than its parent.
        while found := {
            pid: stat
            for pid, stat in seen.items()
            # The command has its own process group, which also finds processes whose parent has ended.
            if stat.parent in self._members or stat.group == self._pid
        }:
            stats |= found
            self._members |= {pid: stat.start for pid, stat in found.items()}
            seen = {pid: stat for pid, stat in seen.items() if pid not in found}
        self._strangers |= seen.keys()
        return stats

    def _stat(self, pid: int) -> Stat | None:
        return parse_stat(self._text(f"{pid}/stat"))

    def _text(self, name: str) -> str:
        """Empty if it cannot be read: the process may have ended or belong to another user."""
        try:
            with open(self._proc / name, "rb") as file:
                return file.read().decode("utf-8", "replace")
        except OSError:
            return ""


def parse_stat(text: str) -> Stat | None:
    # The name is in parentheses and may contain any character, even parentheses.
    fields = text.rpartition(")")[2].split()
    if len(fields) < 22:
        return None
    return Stat(
        parent=int(fields[1]),
        group=int(fields[2]),
        is_zombie=fields[0] == "Z",
        ticks=int(fields[11]) + int(fields[12]),
        start=int(fields[19]),
        pages=int(fields[21]),
    )


def parse_pairs(text: str) -> Iterator[tuple[str, int]]:
    """Lines such as "MemTotal:  16 kB"."""
    for line in text.splitlines():
        name, _, value = line.partition(":")
        number = value.split()[:1]
        if number and number[0].isdigit():
            yield name, int(number[0])


def parse_cpu(text: str) -> tuple[int, int]:
    """Busy ticks of all cores, and all ticks."""
    ticks = [int(word) for word in text.partition("\n")[0].split()[1:9]]
    idle = sum(ticks[3:5])
    return sum(ticks) - idle, sum(ticks)


def parse_disks(text: str) -> dict[str, tuple[int, int]]:
    """Bytes read and written per disk, without partitions and without disks that lie on another."""
    rows = {words[2]: words for line in text.splitlines() if len(words := line.split()) >= 10}
    return {
        name: (int(words[5]) * SECTOR_BYTES, int(words[9]) * SECTOR_BYTES)
        for name, words in rows.items()
        if not VIRTUAL_DISK.match(name)
        and not any(
            name.startswith(other) and PARTITION.match(name[len(other) :]) for other in rows if other != name
        )
    }


def parse_networks(text: str) -> dict[str, tuple[int, int]]:
    """Bytes received and sent per network device, without devices inside the machine."""
    found = {}
    for line in text.splitlines():
        name, colon, numbers = line.partition(":")
        words = numbers.split()
        if colon and len(words) >= 9 and not VIRTUAL_NETWORK.match(name.strip()):
            found[name.strip()] = (int(words[0]), int(words[8]))
    return found


def column(pairs: Mapping[str, tuple[int, int]], index: int) -> dict[Hashable, float]:
    return {name: pair[index] for name, pair in pairs.items()}
