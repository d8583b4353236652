"""Files and directories that cannot be opened, vanish, loop, have odd names or are very many: nothing else is lost."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from tests.support.event_files import NAME, append, health, log_bytes, put, some_points, values
from tests.support.following import following

import runglass
from runglass.errors import AssetChanged, AssetGone, AssetRefused, BadRequest
from runglass.ingest.file_tail import PROFILE_MARK, FileTail
from runglass.ingest.roots import parse_root, parse_spec
from runglass.ingest.run_loader import RunLoader
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import SeriesKey

# ---- files that cannot be opened or read


def test_file_without_permission_is_told_and_tried_again(
    logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(logdir / "run", log_bytes())
    put(logdir / "other", log_bytes())
    real = os.open

    def refuse(name: Any, *rest: Any, **named: Any) -> int:
        if name == str(path):
            raise PermissionError(errno.EACCES, "Permission denied", name)
        return real(name, *rest, **named)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        log = runglass.open(logdir)
    states = {file.run: file.state for file in log.health}
    assert states == {"run": "unreadable", "other": "ok"}
    assert "Permission denied" in next(file.reason for file in log.health if file.run == "run")
    log.reload()
    assert values(log) == [0.0, 1.0, 2.0]


def test_file_that_fails_to_be_read(logdir: Path) -> None:
    """/proc/self/mem can be opened and has no first byte: reading it fails for everybody, root too."""
    put(logdir / "other", log_bytes())
    (logdir / "run").mkdir()
    (logdir / "run" / NAME).symlink_to("/proc/self/mem")
    log = runglass.open(logdir)
    assert log.runs == ["other", "run"]
    assert values(log, "other") == [0.0, 1.0, 2.0]


def test_reading_that_fails_half_way(logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(logdir / "run", log_bytes())
    log = runglass.open(logdir)
    append(path, some_points(2, first_step=3))
    real = os.pread

    def fail(fd: int, *rest: Any) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pread", fail)
        log.reload()
    assert real is os.pread
    assert values(log)[:3] == [0.0, 1.0, 2.0]
    log.reload()
    assert values(log) == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert health(log).state == "ok"


def test_link_to_nothing_is_told(logdir: Path) -> None:
    put(logdir / "other", log_bytes())
    (logdir / "run").mkdir()
    link = logdir / "run" / NAME
    link.symlink_to(logdir / "not there")
    log = runglass.open(logdir)
    assert {file.run: file.state for file in log.health} == {"run": "unreadable", "other": "ok"}
    generation = log.source.generation
    log.reload()
    assert log.source.generation == generation, "nothing changed, so nothing is told"
    put(logdir, log_bytes(), name="not there")
    log.reload()
    assert values(log) == [0.0, 1.0, 2.0]


def test_pipe_socket_and_directory_named_like_event_files(
    logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = logdir / "run"
    put(run, log_bytes())
    os.mkfifo(run / "pipe.tfevents.1")
    (run / "directory.tfevents.2").mkdir()
    put(run / "directory.tfevents.2", log_bytes(1))
    with socket.socket(socket.AF_UNIX) as sock:
        monkeypatch.chdir(run)
        sock.bind("socket.tfevents.3")
        log = runglass.open(logdir)
    assert log.runs == ["run", "run/directory.tfevents.2"]
    assert values(log) == [0.0, 1.0, 2.0]
    states = {Path(file.path).name: file.state for file in log.health if file.run == "run"}
    assert states == {NAME: "ok", "pipe.tfevents.1": "unreadable", "socket.tfevents.3": "unreadable"}


@pytest.mark.parametrize("what", ["file", "run"])
def test_vanishing_between_listing_and_opening(
    logdir: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    path = put(logdir / "run", log_bytes())
    put(logdir / "other", log_bytes())
    real = os.open

    def vanish(name: Any, *rest: Any, **named: Any) -> int:
        if name == str(path) and path.exists():
            path.unlink() if what == "file" else shutil.rmtree(path.parent)
        return real(name, *rest, **named)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", vanish)
        log = runglass.open(logdir)
    assert log.runs == ["other"]
    assert values(log, "other") == [0.0, 1.0, 2.0]


def test_directories_that_vanish_for_real(logdir: Path) -> None:
    for number in range(20):
        put(logdir / f"run{number}" / "deep", log_bytes())
    log = runglass.open(logdir)
    for number in range(0, 20, 2):
        shutil.rmtree(logdir / f"run{number}")
    log.reload()
    assert sorted(log.runs) == sorted(f"run{number}/deep" for number in range(1, 20, 2))
    shutil.rmtree(logdir)
    log.reload()
    assert log.runs == []


def test_directory_that_cannot_be_listed(logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(logdir / "good", log_bytes())
    put(logdir / "bad", log_bytes())
    real = os.scandir

    def refuse(path: Any) -> Any:
        if str(path).endswith("bad"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return real(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", refuse)
        with pytest.warns(UserWarning, match="bad cannot be listed: Permission denied"):
            log = runglass.open(logdir)
    assert log.runs == ["good"]
    told = [(file.run, file.path, file.state, file.reason) for file in log.health if file.state != "ok"]
    assert told == [
        ("", str(logdir / "bad"), "unreadable", "the directory cannot be listed: Permission denied")
    ]
    client = InProcess(App(log.source))
    assert [file["path"] for file in client.get("/api/health").json["files"]][-1] == str(logdir / "bad")
    status = client.get("/api/status").json
    assert status["files"] == {"ok": 1, "unreadable": 1}
    assert status["progress"]["runs_found"] == status["runs"] == 1
    # It can be listed again.
    log.reload()
    assert (log.runs, len(log.health)) == (["bad", "good"], 2)


# ---- directories


@pytest.fixture(scope="module")
def many_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, int]]:
    """Runs with an empty file each, a thousand to a directory: in memory where that goes, for making and removing them is the slow part."""
    memory = Path("/dev/shm")
    root = Path(mkdtemp(dir=memory)) if os.access(memory, os.W_OK) else tmp_path_factory.mktemp("many")
    count = 25_000
    for number in range(count):
        group = f"{root}/{number // 1000}"
        if number % 1000 == 0:
            os.mkdir(group)
        os.mkdir(f"{group}/{number}")
        os.close(os.open(f"{group}/{number}/{NAME}", os.O_CREAT | os.O_WRONLY))
    yield root, count
    # Several times as fast as shutil.rmtree.
    subprocess.run(["rm", "-rf", str(root)], check=True)


def test_very_many_empty_runs(many_runs: tuple[Path, int]) -> None:
    root, count = many_runs
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    log = runglass.open(root)
    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb
    assert len(log.runs) == count
    assert log.source.progress().is_loaded
    assert grown_kb < 8 * count, "8 kB a run"
    put(root / "7" / "7000", log_bytes())
    log.reload()
    assert values(log, "7/7000") == [0.0, 1.0, 2.0]


def test_logdir_that_appears_later(tmp_path: Path) -> None:
    logdir = tmp_path / "later" / "logs"
    with following(logdir) as found:
        assert found.runs == []
        path = put(logdir / "run", log_bytes())
        found.wait_for_values([0.0, 1.0, 2.0])
        append(path, some_points(1, first_step=3))
        found.wait_for_values([0.0, 1.0, 2.0, 3.0])


def test_one_of_two_logdirs_appears_later(tmp_path: Path) -> None:
    """And the one that is there holds a link, so there is no lack of directories to watch."""
    put(tmp_path / "elsewhere", log_bytes())
    path = put(tmp_path / "here" / "run", log_bytes())
    (tmp_path / "here" / "link").symlink_to(tmp_path / "elsewhere")
    roots = [parse_root(str(tmp_path / name), name=name) for name in ("here", "there")]
    with following(*roots) as found:
        for step in range(3, 6):
            # Seen twice and more: whatever is looked at once at the beginning is done with.
            append(path, some_points(1, first_step=step))
            found.wait_for_values([float(each) for each in range(step + 1)], "here/run")
        put(tmp_path / "there" / "run", log_bytes())
        found.wait_for_values([0.0, 1.0, 2.0], "there/run")


def test_symlink_loops_end(logdir: Path) -> None:
    put(logdir / "run", log_bytes())
    (logdir / "run" / "self").symlink_to(logdir / "run")
    (logdir / "run" / "up").symlink_to(logdir)
    (logdir / "a").mkdir()
    (logdir / "b").mkdir()
    (logdir / "a" / "to_b").symlink_to(logdir / "b")
    (logdir / "b" / "to_a").symlink_to(logdir / "a")
    (logdir / "dead").symlink_to(logdir / "dead")
    log = runglass.open(logdir)
    assert "run" in log.runs
    assert len(log.runs) < 10
    assert values(log) == [0.0, 1.0, 2.0]


def test_runs_through_links(logdir: Path, tmp_path: Path) -> None:
    """A link to a directory is a run under the link's name, also beside the directory itself."""
    put(tmp_path / "elsewhere" / "nested", log_bytes())
    put(logdir / "real", log_bytes(2))
    (logdir / "far").symlink_to(tmp_path / "elsewhere")
    (logdir / "near").symlink_to(logdir / "real")
    log = runglass.open(logdir)
    assert sorted(log.runs) == ["far/nested", "near", "real"]
    assert values(log, "far/nested") == [0.0, 1.0, 2.0]
    assert values(log, "near") == values(log, "real") == [0.0, 1.0]


def test_event_files_through_links(logdir: Path, tmp_path: Path) -> None:
    target = put(tmp_path / "elsewhere", log_bytes())
    (logdir / "run").mkdir()
    (logdir / "run" / NAME).symlink_to(target)
    log = runglass.open(logdir)
    append(target, some_points(1, first_step=3))
    log.reload()
    assert values(log) == [0.0, 1.0, 2.0, 3.0]


ODD_NAMES = [
    "with space",
    " leading",
    "trailing ",
    "new\nline",
    "tab\there",
    "quote'\"`",
    "back\\slash",
    "percent%2Fslash",
    "question?hash#",
    "a&b=c;d",
    "<script>alert(1)<!--",
    "..dots..",
    "...",
    "-dash",
    "~tilde",
    "$HOME",
    "*star*",
    "[brackets]",
    "colon:name",
    "emoji 🎉",
    "日本語",
    "e\u0301 combining",
    "\u202ereversed",
    "\x01control\x7f",
    "x" * 255,
]


def test_every_odd_name(logdir: Path) -> None:
    for name in ODD_NAMES:
        put(logdir / name, log_bytes())
        put(logdir / "files", some_points(1, tag=name), name=f"{name[:200]}.tfevents")
    log = runglass.open(logdir)
    assert sorted(log.runs) == sorted([*ODD_NAMES, "files"])
    for name in ODD_NAMES:
        assert values(log, name) == [0.0, 1.0, 2.0]
        assert values(log, "files", name) == [0.0]


def test_directory_names_that_are_not_utf8_stay_apart(logdir: Path) -> None:
    for index, name in enumerate((b"run\xff", b"run\xfe")):
        directory = os.fsencode(logdir) + b"/" + name
        os.mkdir(directory)
        with open(directory + b"/" + NAME.encode(), "wb") as file:
            file.write(log_bytes(index + 1))
    log = runglass.open(logdir)
    assert sorted(len(values(log, run)) for run in log.runs) == [1, 2]
    for run in log.runs:
        run.encode("utf-8")


def test_same_name_twice_in_logdir_spec(tmp_path: Path) -> None:
    """Two directories cannot be one run, and neither may get lost without a word."""
    with pytest.raises(BadRequest, match="'a' twice"):
        parse_spec(f"a:{tmp_path}/x,a:{tmp_path}/y")


def test_series_without_parts_reads_as_empty(logdir: Path) -> None:
    """A reader may hold a series at the moment when its last file goes."""
    put(logdir / "run", log_bytes())
    log = runglass.open(logdir)
    store = log.source._store
    store.runs["run"].series["loss"].parts = ()
    (columns,) = log.source.read_columns([SeriesKey("run", "loss")])
    assert len(columns.step) == len(columns.value) == len(columns.segment) == 0
    assert len(log.source.read_values(SeriesKey("run", "loss")).step) == 0


def test_profile_marker_is_not_read(logdir: Path) -> None:
    put(logdir / "run", b"\x01garbage", name=NAME + PROFILE_MARK)
    log = runglass.open(logdir)
    assert (log.runs, log.tags("run"), health(log).state) == (["run"], {}, "ok")


def test_a_fault_of_ours_in_one_file_costs_no_other(
    logdir: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    put(logdir / "bad", log_bytes())
    put(logdir / "good", log_bytes())
    file_rows = RunLoader.file_rows

    def fail_on_bad(loader: RunLoader, tail: FileTail) -> None:
        if loader.run.name == "bad":
            raise ZeroDivisionError("ours")
        file_rows(loader, tail)

    monkeypatch.setattr(RunLoader, "file_rows", fail_on_bad)
    log = runglass.open(logdir)
    assert values(log, "good") == [0.0, 1.0, 2.0]
    states = {file.run: (file.state, file.reason) for file in log.health}
    assert states == {"good": ("ok", ""), "bad": ("unreadable", "internal error: ZeroDivisionError('ours')")}
    assert "ZeroDivisionError: ours" in caplog.text


# ---- assets


def test_odd_assets_cost_nothing_else(logdir: Path, tmp_path: Path) -> None:
    run = logdir / "run"
    put(run, log_bytes())
    put(run, b"good", name="good.onnx")
    os.mkfifo(run / "pipe.onnx")
    (run / "folder.onnx").mkdir()
    (run / "loop.onnx").symlink_to("loop.onnx")
    (run / "nowhere.onnx").symlink_to("not there")
    (run / "outside.onnx").symlink_to(put(tmp_path, b"secret", name="outside"))
    (run / "neighbour.onnx").symlink_to(put(logdir / "other", b"shared", name="shared.bin"))
    (run / "plugins").symlink_to(run)
    odd = os.fsencode(run) + b"/odd\n\xff.onnx"
    with open(odd, "wb") as file:
        file.write(b"odd")
    log = runglass.open(logdir)
    assert log.runs == ["run"]
    assert values(log) == [0.0, 1.0, 2.0]
    assets = {asset.name: asset for asset in log.assets()}
    assert sorted(assets) == ["good.onnx", "neighbour.onnx", "odd\n\\xff.onnx", "outside.onnx"]

    def read(name: str) -> bytes:
        with log.open_asset(assets[name]) as file:
            return file.read(0, file.size_bytes)

    assert [read(name) for name in ("good.onnx", "neighbour.onnx", "odd\n\\xff.onnx")] == [
        b"good",
        b"shared",
        b"odd",
    ]
    with pytest.raises(AssetRefused, match=r"run/outside\.onnx: a link leads to a file outside"):
        read("outside.onnx")


def test_assets_that_vanish_between_listing_and_opening(logdir: Path) -> None:
    for name in ("file.onnx", "replaced.onnx", "plugins/profile/s/x.pb"):
        put((logdir / "run" / name).parent, b"1", name=Path(name).name)
    put(logdir / "gone", b"1", name="run.onnx")
    log = runglass.open(logdir)
    assets = {asset.name: asset for asset in log.assets()}
    (logdir / "run/file.onnx").unlink()
    put(logdir / "run", b"another one", name="replaced.onnx")
    shutil.rmtree(logdir / "run/plugins")
    shutil.rmtree(logdir / "gone")
    expected = {
        "file.onnx": AssetGone,
        "replaced.onnx": AssetChanged,
        "plugins/profile/s/x.pb": AssetGone,
        "run.onnx": AssetGone,
    }
    for _ in range(2):
        # Before the directories are looked at again, and after.
        for name, error in expected.items():
            with pytest.raises(error):
                log.open_asset(assets[name])
        log.reload()
    assert [asset.name for asset in log.assets()] == ["replaced.onnx"]


def test_a_folder_of_assets_that_cannot_be_listed(logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(logdir / "run", log_bytes())
    put(logdir / "run", b"{}", name="config.json")
    session = put(logdir / "run/plugins/profile/s", b"1", name="x.pb").parent
    real = os.scandir

    def refuse(path: str) -> Any:
        if path == str(session):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return real(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", refuse)
        with pytest.warns(UserWarning, match="What is below it is missing"):
            log = runglass.open(logdir)
    assert [asset.name for asset in log.assets()] == ["config.json"]
    log.reload()
    assert [asset.name for asset in log.assets()] == ["config.json", "plugins/profile/s/x.pb"]
