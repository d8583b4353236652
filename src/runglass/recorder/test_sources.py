from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from runglass.recorder.linux import ProcSource, parse_cpu, parse_disks, parse_networks, parse_stat
from runglass.recorder.portable import PsutilSource
from runglass.recorder.source import Rate

PAGE_BYTES = 4096 if sys.platform == "win32" else os.sysconf("SC_PAGE_SIZE")
TICKS_PER_S = 100 if sys.platform == "win32" else os.sysconf("SC_CLK_TCK")
DISKS = """   8       0 sda 100 0 2000 5 200 0 4000 5 0 0 0 0
   8       1 sda1 100 0 2000 5 200 0 4000 5 0 0 0 0
 259       0 nvme0n1 1 0 8 0 1 0 16 0 0 0 0
 259       1 nvme0n1p1 1 0 8 0 1 0 16 0 0 0 0
 253       0 dm-0 100 0 2000 5 200 0 4000 5 0 0 0 0
   7       0 loop0 1 0 8 0 0 0 0 0 0 0 0 0
"""
NETWORKS = """Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 9999 1 0 0 0 0 0 0 9999 1 0 0 0 0 0 0
  eth0:1000 1 0 0 0 0 0 0 500 1 0 0 0 0 0 0
vethab12: 77 1 0 0 0 0 0 0 77 1 0 0 0 0 0 0
"""
MACHINE = {
    "stat": "cpu  100 0 100 700 100 0 0 0 50 0\ncpu0 1 2 3\n",
    "meminfo": "MemTotal:       16000000 kB\nMemFree:  1 kB\nMemAvailable:    4000000 kB\n",
    "diskstats": DISKS,
    "net/dev": NETWORKS,
}

linux_only = pytest.mark.skipif(
    sys.platform == "win32", reason="/proc is counted in units that only POSIX tells"
)


class FakeProc:
    """A /proc in a directory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name, text in MACHINE.items():
            self.put(name, text)

    def put(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def process(
        self,
        pid: int,
        parent: int,
        *,
        group: int = 1,
        ticks: int = 0,
        pages: int = 0,
        start: int = 7,
        state: str = "S",
    ) -> None:
        # user and system time are fields 14 and 15, start is 22, pages are 24.
        fields = [state, parent, group, *[0] * 8, ticks, 0, *[0] * 6, start, 0, pages, *[0] * 5]
        self.put(f"{pid}/stat", f"{pid} (we (ird) name) {' '.join(map(str, fields))}\n")

    def end(self, pid: int) -> None:
        shutil.rmtree(self.root / str(pid))


@pytest.fixture
def proc(tmp_path: Path) -> FakeProc:
    return FakeProc(tmp_path)


def test_a_name_with_parentheses(proc: FakeProc) -> None:
    proc.process(5, 4, group=3, ticks=2, pages=9, start=8, state="Z")
    stat = parse_stat((proc.root / "5/stat").read_text())
    assert stat is not None
    assert (stat.parent, stat.group, stat.ticks, stat.pages, stat.start, stat.is_zombie) == (
        4,
        3,
        2,
        9,
        8,
        True,
    )
    assert parse_stat("") is parse_stat("5 (x) S 1") is None


def test_whole_disks_and_real_networks_are_counted() -> None:
    assert parse_disks(DISKS) == {"sda": (2000 * 512, 4000 * 512), "nvme0n1": (8 * 512, 16 * 512)}
    assert parse_networks(NETWORKS) == {"eth0": (1000, 500)}
    assert parse_cpu(MACHINE["stat"]) == (200, 1000)


@linux_only
def test_the_whole_tree_is_measured(proc: FakeProc, tmp_path: Path) -> None:
    proc.process(1, 0, pages=1000)
    proc.process(100, 1, ticks=50, pages=10)
    # Its pid is lower than its parent's, and its parent is in the tree only through another process.
    proc.process(90, 101, pages=5)
    proc.process(101, 100, pages=3)
    # Orphaned, but in the group of the command.
    proc.process(102, 1, group=100, pages=2)
    proc.process(103, 1, pages=1000)
    proc.process(104, 100, pages=0, state="Z")
    source = ProcSource(100, str(tmp_path), proc.root)
    first = source.read(0.0)
    assert first["processes"] == 4
    assert first["memory/run_gb"] == pytest.approx(20 * PAGE_BYTES / 1e9)
    assert "cpu/run_cores" not in first
    assert first["memory/machine_percent"] == 75

    proc.process(100, 1, ticks=50 + TICKS_PER_S, pages=10)
    proc.process(105, 100, ticks=TICKS_PER_S)
    # Its parent ends, but it stays a part of the run.
    proc.end(101)
    proc.process(90, 1, pages=5)
    # Another process has the pid of one that ended.
    proc.process(102, 1, ticks=10_000, start=9)
    proc.put("stat", "cpu  200 0 200 800 100 0 0 0 50 0\n")
    proc.put("100/io", "rchar: 1\nread_bytes: 4000000\nwrite_bytes: 8000000\n")
    second = source.read(2.0)
    assert second["processes"] == 3
    assert second["cpu/run_cores"] == pytest.approx(1.0)
    assert second["disk/run_read_mb_per_s"] == 2
    assert second["disk/run_write_mb_per_s"] == 4
    assert second["cpu/machine_percent"] == pytest.approx(200 / 3)
    assert second["network/received_mb_per_s"] == 0


@linux_only
def test_unreadable_values_are_left_out(tmp_path: Path) -> None:
    source = ProcSource(100, str(tmp_path / "missing"), tmp_path / "nothing")
    source.read(0.0)
    assert set(source.read(1.0)) == {
        "processes",
        "memory/run_gb",
        "cpu/run_cores",
        "disk/run_read_mb_per_s",
        "disk/run_write_mb_per_s",
        "disk/machine_read_mb_per_s",
        "disk/machine_write_mb_per_s",
        "network/received_mb_per_s",
        "network/sent_mb_per_s",
    }


@pytest.mark.skipif(sys.platform != "linux", reason="reads the real /proc")
def test_this_very_process(tmp_path: Path) -> None:
    source = ProcSource(os.getpid(), str(tmp_path))
    values = source.read(0.0) | source.read(1.0)
    assert values["processes"] >= 1
    assert 0.001 < values["memory/run_gb"] < values["memory/machine_gb"] + 100
    assert values["disk/free_gb"] > 0


def test_rates() -> None:
    rate = Rate()
    assert rate.per_s({"a": 10}, 0.0) is None
    assert rate.per_s({"a": 14, "b": 6}, 2.0) == 5
    assert rate.per_s({"a": 14}, 2.0) is None
    # "a" has restarted, "b" has ended.
    assert rate.per_s({"a": 1}, 3.0) == 0


def test_psutil(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Error(Exception):
        pass

    class Process:
        def __init__(self, pid: int) -> None:
            self.pid = pid
            self.user_s = 0.0

        def children(self, *, recursive: bool) -> list[Process]:
            return [child]

        def create_time(self) -> float:
            return 1.0

        def cpu_times(self) -> SimpleNamespace:
            return SimpleNamespace(user=self.user_s, system=0.0)

        def memory_info(self) -> SimpleNamespace:
            if self.pid == 2:
                raise Error
            return SimpleNamespace(rss=3_000_000_000)

    child = Process(2)
    library = SimpleNamespace(
        Error=Error,
        Process=Process,
        cpu_percent=lambda: 12.5,
        virtual_memory=lambda: SimpleNamespace(total=10e9, available=4e9, percent=60.0),
        disk_usage=lambda _: SimpleNamespace(free=7e9),
        disk_io_counters=lambda: None,
        net_io_counters=lambda: SimpleNamespace(bytes_recv=5, bytes_sent=6),
    )
    monkeypatch.setitem(sys.modules, "psutil", library)
    source = PsutilSource(1, str(tmp_path))
    source.read(0.0)
    child.user_s = 4.0
    assert source.read(2.0) == {
        "processes": 2,
        "memory/run_gb": 3,
        "cpu/run_cores": 2,
        "cpu/machine_percent": 12.5,
        "memory/machine_gb": 6,
        "memory/machine_percent": 60,
        "disk/free_gb": 7,
        "network/received_mb_per_s": 0,
        "network/sent_mb_per_s": 0,
    }
