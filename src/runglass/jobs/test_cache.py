"""Results on disk: what is damaged, lost, in the way or not allowed, and folders that several servers share."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from runglass.jobs.cache import DiskCache, ResultCache, pack, unpack
from runglass.jobs.context import Encoded
from runglass.machine import default_folder

JSON = Encoded(b'{"a":1}', is_json=True)
BYTES = Encoded(b"\x00\xff" * 50, is_json=False)


def files(folder: Path) -> list[Path]:
    return sorted((folder / "results").iterdir())


@pytest.mark.parametrize("value", [JSON, BYTES, Encoded(b"", is_json=False)])
def test_what_is_packed_is_unpacked_and_nothing_else(value):
    data = pack(value)
    assert unpack(data) == value
    for at in range(len(data)):
        assert unpack(data[:at]) is None
        assert unpack(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]) is None
    assert unpack(data + b"\0") is None


def test_a_damaged_file_is_gone_and_written_again(tmp_path):
    cache = DiskCache(tmp_path, 10_000)
    cache.put("k", BYTES)
    (file,) = files(tmp_path)
    file.write_bytes(file.read_bytes()[:-1])
    assert cache.get("k") is None
    assert files(tmp_path) == []
    cache.put("k", BYTES)
    assert cache.get("k") == BYTES


def test_the_folder_is_closed_to_others(tmp_path):
    DiskCache(tmp_path / "deep/down", 10_000).put("k", JSON)
    assert (tmp_path / "deep/down/results").stat().st_mode & 0o077 == 0


def test_files_of_the_user_in_the_folder_stay(tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results/thesis.txt").write_bytes(b"x" * 5_000)
    cache = DiskCache(tmp_path, 1_000)
    for key in "abcdefghijklmnop":
        cache.put(key, BYTES)
    assert (tmp_path / "results/thesis.txt").exists()
    assert sum(file.stat().st_size for file in files(tmp_path) if file.suffix != ".txt") <= 1_000


def test_what_a_killed_server_left_is_removed_in_time(tmp_path):
    now = [10**18]
    cache = DiskCache(tmp_path, 10_000, clock_ns=lambda: now[0])
    cache.put("k", JSON)
    left = tmp_path / "results/k.1.abcd.tmp"
    left.write_bytes(b"half")
    os.utime(left, ns=(now[0], now[0]))
    cache.put("l", JSON)
    assert left.exists()
    now[0] += 4_000 * 10**9
    cache.put("m", JSON)
    assert not left.exists()


def unwritable(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    return tmp_path / "file"


def full(tmp_path, monkeypatch):
    def write_bytes(self, data):
        self.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    return tmp_path


@pytest.mark.parametrize("trouble", [unwritable, full])
def test_a_folder_that_is_full_or_unwritable_is_told_once_and_does_no_harm(
    tmp_path, monkeypatch, caplog, trouble
):
    cache = ResultCache(trouble(tmp_path, monkeypatch))
    for key in "abc":
        cache.put(key, JSON, on_disk=True)
        assert cache.get(key) == JSON
    assert cache.get("unheard of") is None
    assert len(caplog.records) == 1
    assert "cannot be cached" in caplog.text
    assert "--cache-dir" in caplog.text
    # Nothing half written is left.
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(tmp_path, caplog):
    tmp_path.chmod(0o500)
    cache = ResultCache(tmp_path)
    cache.put("a", JSON, on_disk=True)
    assert cache.get("a") == JSON
    assert len(caplog.records) == 1


def test_two_servers_write_the_same_folder_at_once(tmp_path):
    program = (
        "import sys; from pathlib import Path\n"
        "from runglass.jobs.cache import DiskCache; from runglass.jobs.context import Encoded\n"
        "cache = DiskCache(Path(sys.argv[1]), 5_000)\n"
        "for turn in range(300):\n"
        "    key = f'{turn % 7}'\n"
        "    cache.put(key, Encoded(key.encode() * 1_000, is_json=False))\n"
        "    found = cache.get(f'{(turn + 3) % 7}')\n"
        "    assert found is None or found.data == f'{(turn + 3) % 7}'.encode() * 1_000\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    ends = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(3)]
    assert [(end.communicate()[1], end.returncode) for end in ends] == [(b"", 0)] * 3
    assert all(file.suffix == ".result" for file in files(tmp_path))


def test_many_threads_share_one_cache(tmp_path):
    cache = ResultCache(tmp_path, memory_bytes=2_500, disk_bytes=5_000)
    wrong = []

    def work(number):
        for turn in range(200):
            key = str((turn + number) % 9)
            cache.put(key, Encoded(key.encode() * 500, is_json=False), on_disk=True)
            found = cache.get(str(turn % 9))
            if found is not None and found.data != str(turn % 9).encode() * 500:
                wrong.append(turn)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.skipif(sys.platform != "linux", reason="the rules of Linux")
@pytest.mark.parametrize(
    ("named", "expected"),
    [("/somewhere", "/somewhere/runglass"), ("", "/me/.cache/runglass"), ("rel", "/me/.cache/runglass")],
)
def test_where_results_are_kept(monkeypatch, named, expected):
    monkeypatch.setenv("HOME", "/me")
    monkeypatch.setenv("XDG_CACHE_HOME", named)
    assert default_folder() == Path(expected)
