"""Packs and their folder: what is kept, for how long, and what happens to the ones that are not as they were."""

from __future__ import annotations

import gc
import logging
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from tests.support import event_bytes as eb
from tests.support.indexed import IndexedLog, packs_of
from tests.support.picture import differences, picture

from runglass.ingest import indexing
from runglass.query.source import RunColumn
from runglass.query.summaries import make_summary
from runglass.store.index import folder as folder_module
from runglass.store.index import layout
from runglass.store.index.folder import RootIndex, clear, folder_of, list_indexed
from runglass.store.index.pack import Pack, PackDamaged
from runglass.store.model import SeriesKey

NAME = "events.out.tfevents.1700000000.host.1.0"


def scalars(count: int, *, tag: str = "loss", first: int = 0) -> bytes:
    return b"".join(
        eb.records(eb.scalar(tag, float(step) / 3, step=step)) for step in range(first, first + count)
    )


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    logdir = tmp_path / "logs"
    for run in ("a", "b"):
        (logdir / run).mkdir(parents=True)
        (logdir / run / NAME).write_bytes(eb.records(eb.file_version()) + scalars(20))
    return logdir


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def values(log: IndexedLog, run: str = "a", tag: str = "loss") -> list[float]:
    (columns,) = log.source.read_columns([SeriesKey(run, tag)])
    return columns.value.tolist()


def expected(count: int) -> list[float]:
    return [float(np.float32(step / 3)) for step in range(count)]


def test_opened_again_nothing_is_scanned(logdir, cache):
    first = IndexedLog(logdir, cache)
    assert (first.filled, first.write()) == (0, 2)
    again = IndexedLog(logdir, cache)
    assert again.filled == 2
    tails = [tail for loader in again.watch.list_loaders() for tail in loader.tails.values()]
    assert [tail.scanner for tail in tails] == [None, None]
    size_bytes = sum(path.stat().st_size for path in logdir.glob("*/*"))
    told = [log.source.progress() for log in (first, again)]
    assert [(each.bytes_read, each.bytes_indexed) for each in told] == [
        (size_bytes, 0),
        (size_bytes, size_bytes),
    ]
    assert values(again) == expected(20)


def test_what_was_written_leaves_memory(logdir, cache):
    log = IndexedLog(logdir, cache)
    held = log.source.read_columns([SeriesKey("a", "loss")])[0]
    parts = [series.parts[0] for run in log.watch.store.runs.values() for series in run.each_series()]
    assert all(part.columns.nbytes for part in parts)
    log.write()
    assert not any(part.columns.nbytes for part in parts)
    assert held.value.tolist() == values(log) == expected(20)


def test_only_the_tail_of_a_grown_file_is_read(logdir, cache):
    IndexedLog(logdir, cache).write()
    with (logdir / "a" / NAME).open("ab") as file:
        file.write(scalars(5, first=20))
    log = IndexedLog(logdir, cache)
    assert log.filled == 2
    tail = log.watch._loaders["a"].tails[NAME]
    assert tail.scanner is not None
    assert tail.scanner.start_offset > 0
    assert values(log) == expected(25)


def replace_with_equal_times(path: Path, data: bytes, *, in_place: bool) -> None:
    before = path.stat()
    if in_place:
        with path.open("r+b") as file:
            file.write(data)
    else:
        path.unlink()
        path.write_bytes(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("in_place", [False, True])
def test_a_file_of_equal_size_and_time_is_another_file(logdir, cache, in_place):
    IndexedLog(logdir, cache).write()
    path = logdir / "a" / NAME
    data = eb.records(eb.file_version()) + scalars(20, tag="mess")
    assert len(data) == path.stat().st_size
    replace_with_equal_times(path, data, in_place=in_place)
    log = IndexedLog(logdir, cache)
    assert log.filled == 1
    assert [info.key.tag for info in log.source.list_series(run="a")] == ["mess"]


def test_first_and_last_bytes_are_compared_afterwards(logdir, cache, monkeypatch):
    """A file system that tells nothing of a change: the same device, inode, size and times."""
    IndexedLog(logdir, cache).write()
    path = logdir / "a" / NAME
    data = bytearray(path.read_bytes())
    data[-len(scalars(1, first=19)) :] = eb.records(eb.scalar("loss", 7.0, step=19))
    known = path.stat()
    path.write_bytes(data)
    real = os.stat

    def stat_as_before(target, **options):
        return known if str(target) == str(path) else real(target, **options)

    monkeypatch.setattr(os, "stat", stat_as_before)
    log = IndexedLog(logdir, cache)
    assert log.filled == 2
    log.prove()
    assert values(log)[-1] == 7.0


def test_a_file_that_shrinks_is_read_again(logdir, cache):
    IndexedLog(logdir, cache).write()
    path = logdir / "a" / NAME
    path.write_bytes(path.read_bytes()[: len(eb.records(eb.file_version())) + len(scalars(7))])
    log = IndexedLog(logdir, cache)
    assert (log.filled, values(log)) == (1, expected(7))


def test_summaries_and_columns_of_runs_need_no_rows(logdir, cache):
    odd = [float("nan"), float("inf"), -float("inf"), 2.5, -1.0]
    path = logdir / "b" / NAME
    with path.open("ab") as file:
        for step, value in enumerate(odd):
            file.write(
                eb.records(eb.scalar("odd", value, step=step), eb.scalar("none", float("nan"), step=step))
            )
    plain = IndexedLog(logdir, None).source
    IndexedLog(logdir, cache).write()
    log = IndexedLog(logdir, cache)
    source = log.source
    keys = [SeriesKey(run, tag) for run in ("a", "b") for tag in ("loss", "odd", "none")]
    assert repr(source.read_summaries(keys)) == repr(
        [make_summary(each) for each in plain.read_columns(keys)]
    )
    columns = [
        RunColumn(tag=tag, stat=stat)
        for tag in ("loss", "odd", "none")
        for stat in ("last", "first", "min", "max", "mean", "count")
    ]
    assert repr(source.read_run_columns(["a", "b", "gone"], columns)) == repr(
        plain.read_run_columns(["a", "b", "gone"], columns)
    )
    assert log.watch.store.runs["a"].series["loss"].parts[0].columns.summary() is not None


def test_many_packs_become_one(logdir, cache, monkeypatch):
    monkeypatch.setattr(folder_module, "MANY_PACKS", 3)
    log = IndexedLog(logdir, cache)
    for first in range(20, 60, 10):
        log.write()
        with (logdir / "a" / NAME).open("ab") as file:
            file.write(scalars(10, first=first))
        log.watch.load()
    log.write()
    assert values(log) == expected(60)
    assert values(log, "b") == expected(20)
    plain = picture(IndexedLog(logdir, None).source)
    again = IndexedLog(logdir, cache)
    assert again.filled == 2
    assert not differences(picture(again.source), plain)
    del again, log
    gc.collect()
    IndexedLog(logdir, cache)
    assert len(packs_of(cache, logdir)) < 3


@pytest.mark.parametrize("cut", [0, 10, 100, -1])
def test_a_cut_pack_is_removed_and_written_again(logdir, cache, caplog, cut):
    IndexedLog(logdir, cache).write()
    (pack,) = packs_of(cache, logdir)
    data = pack.read_bytes()
    pack.unlink()
    pack.write_bytes(data[:cut])
    with caplog.at_level(logging.WARNING):
        log = IndexedLog(logdir, cache)
    assert (log.filled, values(log)) == (0, expected(20))
    assert "is damaged" in caplog.text
    assert not pack.exists()
    assert log.write() == 2


def test_another_version_is_not_read_and_left_to_those_who_can(logdir, cache):
    IndexedLog(logdir, cache).write()
    (pack,) = packs_of(cache, logdir)
    other = pack.with_name(pack.name.replace(layout.SUFFIX, ".999.pack"))
    pack.rename(other)
    log = IndexedLog(logdir, cache)
    assert (log.filled, other.exists()) == (0, True)
    with pytest.raises(PackDamaged, match="not a pack of this version"):
        Pack(_with_magic(other, b"runglass index 0 little\n"))


def _with_magic(path: Path, magic: bytes) -> Path:
    data = path.read_bytes()
    made = path.with_name("old")
    made.write_bytes(data.replace(layout.MAGIC, magic.ljust(len(layout.MAGIC), b"\0")))
    return made


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_folder_that_cannot_be_written(logdir, cache, caplog):
    cache.mkdir(mode=0o500)
    log = IndexedLog(logdir, cache)
    assert (log.write(), values(log)) == (0, expected(20))
    assert "cannot be used" in caplog.text


def test_a_cache_that_is_a_file(logdir, cache, caplog):
    cache.write_text("not a folder")
    log = IndexedLog(logdir, cache)
    assert (log.write(), log.write(), values(log)) == (0, 0, expected(20))
    assert caplog.text.count("cannot be used") == 1


def test_a_full_disk_leaves_nothing_behind(logdir, cache, caplog, monkeypatch):
    def fail(fd: int) -> None:
        raise OSError(28, "No space left on device")

    log = IndexedLog(logdir, cache)
    monkeypatch.setattr(os, "fsync", fail)
    assert log.write() == 0
    assert "No space left on device" in caplog.text
    assert os.listdir(folder_of(cache, str(logdir))) == ["lock"]
    assert values(log) == expected(20)


def test_a_folder_that_vanishes_while_it_is_used(logdir, cache):
    IndexedLog(logdir, cache).write()
    log = IndexedLog(logdir, cache)
    for path in sorted(cache.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    assert values(log) == expected(20)
    with (logdir / "a" / NAME).open("ab") as file:
        file.write(scalars(5, first=20))
    log.watch.load()
    assert (values(log), log.write()) == (expected(25), 1)


def test_the_longest_unused_goes_first(tmp_path, logdir, cache, monkeypatch):
    others = []
    for number in range(3):
        other = tmp_path / f"logs{number}"
        (other / "run").mkdir(parents=True)
        (other / "run" / NAME).write_bytes(scalars(50))
        IndexedLog(other, cache).write()
        (pack,) = packs_of(cache, other)
        os.utime(pack, (1000 - number, 1000 - number))
        others.append(pack)
    gc.collect()
    log = IndexedLog(logdir, cache)
    (index,) = log.indexing._indexes.values()
    room = sum(pack.stat().st_size for pack in others[:2])
    monkeypatch.setattr(index, "_limit_bytes", room + 4096)
    assert log.write() == 2
    assert [pack.exists() for pack in others] == [True, True, False]


def test_a_pack_in_use_is_not_removed(logdir, cache):
    IndexedLog(logdir, cache).write()
    used = IndexedLog(logdir, cache)
    (listed,) = list_indexed(cache)
    assert (listed.root, listed.files) == (str(logdir), 2)
    assert not clear(listed.folder)
    assert packs_of(cache, logdir)
    del used
    gc.collect()
    assert clear(listed.folder)
    assert not listed.folder.exists()


def test_one_writer_at_a_time(logdir, cache):
    log, other = IndexedLog(logdir, cache), IndexedLog(logdir, cache)
    folder = folder_of(cache, str(logdir))
    folder.mkdir(parents=True)
    with folder_module.writing(folder) as is_ours:
        assert is_ours
        assert log.write() == 0
    assert log.write() == 2
    # The other server finds that it is done, and uses it.
    assert other.write() == 2
    assert len(packs_of(cache, logdir)) == 1
    parts = [series.parts[0] for run in other.watch.store.runs.values() for series in run.each_series()]
    assert not any(part.columns.nbytes for part in parts)
    assert values(other) == expected(20)


KILLED = """
import sys, threading
from pathlib import Path
from tests.support.indexed import IndexedLog
log = IndexedLog(Path(sys.argv[1]), Path(sys.argv[2]))
print("writing", flush=True)
while True:
    for loader in log.watch.list_loaders():
        for tail in loader.tails.values():
            tail.indexed_bytes = -1
    (index,) = log.indexing._indexes.values()
    index._entries.clear()
    log.write()
"""


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL")
def test_killed_while_it_writes(logdir, cache):
    (logdir / "a" / NAME).write_bytes(eb.records(eb.file_version()) + scalars(3000))
    draw = random.Random(1)
    for _ in range(3):
        child = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(logdir), str(cache)],
            cwd=Path(__file__).parents[4],
            stdout=subprocess.PIPE,
        )
        assert child.stdout is not None
        assert child.stdout.readline() == b"writing\n"
        time.sleep(draw.random() * 0.05)
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        for pack in packs_of(cache, logdir):
            Pack(pack)
        # Its lock died with it.
        log = IndexedLog(logdir, cache)
        assert values(log) == expected(3000)
        log.write()


def test_an_index_on_a_slow_disk_is_not_waited_for(logdir, cache, monkeypatch, caplog):
    IndexedLog(logdir, cache).write()
    looking = RootIndex.look
    gate = threading.Event()
    monkeypatch.setattr(RootIndex, "look", lambda self: (gate.wait(10), looking(self)))
    monkeypatch.setattr(indexing, "PATIENCE_S", 0.01)
    log = IndexedLog(logdir, cache)
    gate.set()
    assert (log.filled, values(log)) == (0, expected(20))
    assert "slow to open" in caplog.text
