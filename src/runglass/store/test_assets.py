"""Assets that change after they were listed: the reader returns bytes of the listed state, or raises an error that says why."""

from __future__ import annotations

import errno
import os
import socket
import threading
from pathlib import Path

import pytest

from runglass.errors import AssetChanged, AssetGone, AssetRefused, BadArgument
from runglass.store import assets as assets_module
from runglass.store.assets import (
    SMALL_COPY_BYTES,
    AssetStage,
    FileReader,
    _open_without_links,
    find_named,
    stage_asset,
)
from runglass.store.model import Family
from runglass.store.reach import Place

DATA = b"0123456789"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    run = tmp_path / "logs/run"
    run.mkdir(parents=True)
    return run


def put(path: Path, data: bytes = DATA, *, at_s: int = 1_700_000_000) -> Path:
    """Sets the time, because the clocks of file systems are coarse."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (at_s, at_s))
    return path


def listed(run: Path, path: str, before: AssetStage | None = None, *, grows: bool = False) -> AssetStage:
    found = os.stat(run / path)
    return stage_asset(before, found, run="run", family=Family.GRAPH, path=path, grows=grows)


def opened(run: Path, stage: AssetStage, asset: AssetStage | None = None) -> FileReader:
    return FileReader(stage, (asset or stage).asset, Place(str(run.parent), str(run)))


def test_the_same_file_keeps_its_generation(run):
    path = put(run / "x")
    before = listed(run, "x")
    assert listed(run, "x", before) is before
    put(path, DATA, at_s=1_700_000_001)
    now = listed(run, "x", before)
    assert now.asset.generation > before.asset.generation
    assert (now.asset.name, now.asset.size_bytes, now.asset.modified_time) == ("x", 10, 1_700_000_001.0)


def test_gone_before_it_is_opened(run):
    path = put(run / "x")
    stage = listed(run, "x")
    path.unlink()
    with pytest.raises(AssetGone, match="run/x: there is no such file"):
        opened(run, stage)


@pytest.mark.parametrize("data", [b"abcdefghij", b"abc", b"abcdefghijkl"])
@pytest.mark.parametrize("how", ["in place", "renamed over it"])
def test_changed_before_it_is_opened(run, data, how):
    path = put(run / "x")
    stage = listed(run, "x")
    fresh = put(path if how == "in place" else run / "fresh", data, at_s=1_700_000_001)
    fresh.rename(path)
    with pytest.raises(AssetChanged, match="run/x: the file has changed since it was listed"):
        opened(run, stage)


@pytest.mark.parametrize("data", [b"abcdefghij", b"abc", b"abcdefghijkl"])
@pytest.mark.parametrize("how", ["in place", "renamed over it"])
def test_changed_while_it_is_read(run, data, how):
    path = put(run / "x")
    with opened(run, listed(run, "x")) as reader:
        assert reader.read(0, 4) == DATA[:4]
        fresh = put(path if how == "in place" else run / "fresh", data, at_s=1_700_000_001)
        fresh.rename(path)
        for _ in range(2):
            with pytest.raises(AssetChanged, match="while it was read"):
                reader.read(4, 4)


def test_a_buffer_is_filled(run):
    path = put(run / "x")
    into = bytearray(b"........")
    with opened(run, listed(run, "x")) as reader:
        assert reader.read_into(4, memoryview(into)) == 6
        assert bytes(into) == DATA[4:] + b".."
        assert reader.read_into(10, memoryview(into)) == 0
        with pytest.raises(BadArgument):
            reader.read_into(-1, memoryview(into))
        put(path, b"abcdefghij", at_s=1_700_000_001)
        with pytest.raises(AssetChanged, match="while it was read"):
            reader.read_into(0, memoryview(into))
    with pytest.raises(BadArgument, match="after close"):
        reader.read_into(0, memoryview(into))


def test_changed_in_the_middle_of_one_read(run, monkeypatch):
    """Old and new bytes never come together."""
    path = put(run / "x")
    real = os.pread

    def half(fd: int, size: int, offset: int) -> bytes:
        if offset == 5:
            put(path, b"abcdefghij", at_s=1_700_000_001)
        return real(fd, min(size, 5), offset)

    with opened(run, listed(run, "x")) as reader:
        monkeypatch.setattr(os, "pread", half)
        with pytest.raises(AssetChanged):
            reader.read(0, 10)


def test_gone_while_it_is_read(run):
    path = put(run / "x")
    with opened(run, listed(run, "x")) as reader:
        path.unlink()
        with pytest.raises(AssetGone):
            reader.read(0, 4)


def test_reading_that_fails(run, monkeypatch):
    def fail(*_: object) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    put(run / "x")
    with opened(run, listed(run, "x")) as reader:
        monkeypatch.setattr(os, "pread", fail)
        with pytest.raises(AssetRefused, match="run/x: cannot be read: Input/output error"):
            reader.read(0, 4)


def test_a_file_that_only_grows_reads_as_far_as_it_was_listed(run):
    path = put(run / "x")
    first = listed(run, "x", grows=True)
    with opened(run, first) as reader:
        put(path, DATA + b"more", at_s=1_700_000_001)
        assert reader.read(0, 100) == DATA
        # An asset listed before the file grew can still be opened.
        second = listed(run, "x", first, grows=True)
        with opened(run, second, first) as earlier:
            assert (earlier.size_bytes, earlier.read(0, 100)) == (10, DATA)
        with opened(run, second) as later:
            assert later.read(8, 100) == b"89more"
        put(path, b"cut", at_s=1_700_000_002)
        with pytest.raises(AssetChanged):
            reader.read(0, 1)
    third = listed(run, "x", second, grows=True)
    with pytest.raises(AssetChanged):
        opened(run, third, second)


@pytest.mark.parametrize("what", ["pipe", "socket", "directory", "device"])
def test_something_else_in_the_place_of_the_file(run, what, monkeypatch):
    path = put(run / "x")
    stage = listed(run, "x")
    path.unlink()
    if what == "pipe":
        os.mkfifo(path)
    elif what == "socket":
        monkeypatch.chdir(run)
        with socket.socket(socket.AF_UNIX) as sock:
            sock.bind("x")
    elif what == "directory":
        path.mkdir()
    elif os.geteuid() == 0:
        os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5))
    else:
        pytest.skip("only root makes devices")
    with pytest.raises(AssetRefused, match="not a regular file"):
        opened(run, stage)


def test_a_writer_who_waits_at_a_pipe_goes_on_waiting(run):
    path = put(run / "x")
    stage = listed(run, "x")
    path.unlink()
    os.mkfifo(path)
    is_open = threading.Event()

    def write() -> None:
        with open(path, "wb"):
            is_open.set()

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    for _ in range(20):
        with pytest.raises(AssetRefused):
            opened(run, stage)
    assert not is_open.is_set()
    with open(path, "rb"):
        writer.join(10)


@pytest.mark.parametrize(
    ("target", "error"),
    [("../../secret", AssetRefused), ("x", AssetRefused), ("gone", AssetGone), ("/dev/null", AssetRefused)],
)
def test_a_link_in_the_place_of_the_file(run, target, error):
    put(run.parent.parent / "secret")
    path = put(run / "x")
    stage = listed(run, "x")
    path.unlink()
    path.symlink_to(target)
    with pytest.raises(error):
        opened(run, stage)


def test_a_link_to_an_equal_file_is_another_file(run):
    path = put(run / "x")
    stage = listed(run, "x")
    put(run / "y")
    path.unlink()
    path.symlink_to("y")
    with pytest.raises(AssetChanged):
        opened(run, stage)


def test_a_link_is_read_as_its_file(run):
    put(run.parent / "common/x")
    (run / "link").symlink_to("../common/x")
    with opened(run, listed(run, "link")) as reader:
        assert reader.read(3, 4) == b"3456"


def test_no_link_is_followed_once_a_path_is_judged(run, tmp_path):
    """A folder is replaced by a link between `resolve` and `open`."""
    secret = put(tmp_path / "elsewhere/x")
    real = str(put(run / "sub/x"))
    os.close(_open_without_links(real))
    (run / "sub").rename(run / "before")
    (run / "sub").symlink_to(secret.parent)
    with pytest.raises(OSError, match="Not a directory"):
        _open_without_links(real)
    (run / "sub").unlink()
    (run / "sub").mkdir()
    (run / "sub/x").symlink_to(secret)
    with pytest.raises(OSError, match="not a regular file"):
        _open_without_links(real)


def test_a_file_that_may_not_be_opened(run, monkeypatch):
    put(run / "x")
    stage = listed(run, "x")
    real = os.open

    def refuse(name: object, *rest: object, **named: object) -> int:
        if name == "x":
            raise PermissionError(errno.EACCES, "Permission denied", name)
        return real(name, *rest, **named)

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(os, "supports_dir_fd", {refuse, *os.supports_dir_fd})
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for _ in range(5):
        with pytest.raises(AssetRefused, match="run/x: cannot be read: Permission denied"):
            opened(run, stage)
    if before:
        assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(run):
    path = put(run / "x")
    path.chmod(0)
    with pytest.raises(AssetRefused, match="Permission denied"):
        opened(run, listed(run, "x"))


@pytest.mark.parametrize("name", [b"new\nline", b"not utf-8 \xff", b"-", b" ", "é".encode()])
def test_odd_names(run, name):
    path = os.fsdecode(name)
    put(run / path)
    stage = listed(run, path)
    assert stage.asset.name == name.decode("utf-8", "backslashreplace")
    with opened(run, stage) as reader:
        assert reader.read(0, 10) == DATA


@pytest.mark.parametrize("size", [0, SMALL_COPY_BYTES, SMALL_COPY_BYTES + 1])
def test_a_map_stays_as_it_is(run, size):
    data = os.urandom(size)
    path = put(run / "x", data)
    with opened(run, listed(run, "x")) as reader:
        mapped = reader.map()
    put(path, b"cut", at_s=1_700_000_001)
    path.unlink()
    assert mapped is not None
    assert mapped.readonly
    assert mapped == data


def test_no_room_for_a_map(run, monkeypatch):
    put(run / "x", bytes(SMALL_COPY_BYTES + 1))
    monkeypatch.setattr(assets_module.tempfile, "TemporaryFile", lambda **_: open("/dev/full", "wb"))  # noqa: SIM115
    with (
        opened(run, listed(run, "x")) as reader,
        pytest.raises(AssetRefused, match="No space left on device"),
    ):
        reader.map()


def test_files_of_a_checkpoint(run):
    for name in ("m-1.index", "m-1.data-00000-of-00001", "m-1.meta", "m-10.index", "m-1.index.tmp", "m-1"):
        put(run / "sub" / name)
    place = Place(str(run.parent), str(run))
    found = find_named(place, "sub/m-1", family=Family.CHECKPOINT, where="")
    assert [path for path, _ in found] == ["sub/m-1", "sub/m-1.data-00000-of-00001", "sub/m-1.index"]
    (only,) = find_named(place, "sub/m-1", family=Family.VECTORS, where="")
    assert only[0] == "sub/m-1"
    with pytest.raises(AssetGone, match="here: there is no such file"):
        find_named(place, "sub/m-2", family=Family.CHECKPOINT, where="here")
    with pytest.raises(AssetRefused, match="not a regular file"):
        find_named(place, "sub", family=Family.VECTORS, where="")
