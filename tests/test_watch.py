"""A log directory is followed: whatever happens to files and directories is picked up, by notification and by looking again."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support import event_bytes as eb
from tests.support.event_files import LATER, NAME, append, log_bytes, put, some_points
from tests.support.following import Following, following
from tests.support.picture import differences, picture

import runglass
from runglass.ingest import watch as watch_module
from runglass.ingest.roots import parse_root
from runglass.store import budget as budget_module
from runglass.store.budget import MemoryBudget
from runglass.store.model import SeriesKey

THREE = [0.0, 1.0, 2.0]


@pytest.fixture(params=["notified", "polling"])
def how(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "polling":
        monkeypatch.setattr(watch_module, "why_polling", lambda path: "this test says so")
    return str(request.param)


@pytest.mark.usefixtures("how")
class TestFollowing:
    def test_new_points(self, logdir: Path) -> None:
        path = put(logdir / "run", log_bytes())
        with following(logdir) as found:
            found.wait_for_values(THREE)
            for step in range(3, 8):
                append(path, some_points(1, first_step=step))
                found.wait_for_values([float(each) for each in range(step + 1)])

    def test_record_in_two_pieces(self, logdir: Path) -> None:
        path = put(logdir / "run", log_bytes())
        record = some_points(1, first_step=3)
        with following(logdir) as found:
            append(path, record[:17])
            found.wait_for(lambda: found.source.list_files()[0].state == "cut_short")
            assert found.values() == THREE
            append(path, record[17:])
            found.wait_for_values([*THREE, 3.0])
            assert found.source.list_files()[0].state == "ok"

    def test_new_tags(self, logdir: Path) -> None:
        path = put(logdir / "run", log_bytes())
        with following(logdir) as found:
            append(path, some_points(2, tag="acc"))
            found.wait_for_values([0.0, 1.0], tag="acc")
            assert found.tags("run") == ["loss", "acc"]

    def test_new_files(self, logdir: Path) -> None:
        put(logdir / "run", log_bytes())
        with following(logdir) as found:
            put(logdir / "run", some_points(2, first_step=3), name=LATER)
            found.wait_for_values([*THREE, 3.0, 4.0])
            put(logdir / "run", b"not an event file", name="notes.txt")
            put(logdir / "run", some_points(1, first_step=9), name="zzz.tfevents")
            found.wait_for_values([*THREE, 3.0, 4.0, 9.0])
            assert len(found.source.list_files()) == 3

    def test_new_directories(self, logdir: Path) -> None:
        with following(logdir) as found:
            put(logdir / "a", log_bytes())
            found.wait_for_values(THREE, "a")
            put(logdir / "deep" / "er" / "and" / "deeper", log_bytes())
            found.wait_for_values(THREE, "deep/er/and/deeper")
            append(logdir / "deep" / "er" / "and" / "deeper" / NAME, some_points(1, first_step=3))
            found.wait_for_values([*THREE, 3.0], "deep/er/and/deeper")
            assert found.runs == ["a", "deep/er/and/deeper"]

    def test_directory_moved_in_with_what_it_holds(self, logdir: Path, tmp_path: Path) -> None:
        put(tmp_path / "elsewhere" / "nested", log_bytes())
        with following(logdir) as found:
            (tmp_path / "elsewhere").rename(logdir / "moved")
            found.wait_for_values(THREE, "moved/nested")
            (logdir / "moved").rename(logdir / "again")
            found.wait_for(lambda: found.runs == ["again/nested"])
            found.wait_for_values(THREE, "again/nested")

    def test_deleted_files_and_directories(self, logdir: Path) -> None:
        put(logdir / "run", log_bytes())
        put(logdir / "run", some_points(2, first_step=3), name=LATER)
        put(logdir / "gone" / "deep", log_bytes())
        with following(logdir) as found:
            found.wait_for_values([*THREE, 3.0, 4.0])
            before = found.store.generation
            (logdir / "run" / NAME).unlink()
            found.wait_for_values([3.0, 4.0])
            shutil.rmtree(logdir / "gone")
            found.wait_for(lambda: found.runs == ["run"])
            # A client that knew the runs of before has to ask for all of them.
            assert found.source.list_changes(since=before)[1] is None
            (logdir / "run" / LATER).unlink()
            found.wait_for(lambda: found.runs == [])

    def test_assets_come_change_and_go(self, logdir: Path) -> None:
        put(logdir / "run", log_bytes())
        with following(logdir) as found:
            path = put(logdir / "run", b"{}", name="config.json")
            found.wait_for_assets({"run": ["config.json"]})
            (before,) = found.source.list_assets()
            append(path, b" ")
            found.wait_for(lambda: found.source.list_assets()[0].size_bytes == 3)
            (now,) = found.source.list_assets()
            assert now.generation > before.generation
            with found.source.open_asset(now) as reader:
                assert reader.read(0, 10) == b"{} "
            put(logdir, b"[]", name="unfinished").rename(path)
            found.wait_for(lambda: found.source.list_assets()[0].size_bytes == 2)
            path.unlink()
            found.wait_for_assets({"run": []})
            assert found.values() == THREE

    def test_assets_deep_below_their_run(self, logdir: Path) -> None:
        put(logdir / "run", log_bytes())
        with following(logdir) as found:
            session = logdir / "run/plugins/profile/today"
            path = put(session, b"1", name="host.xplane.pb")
            found.wait_for_assets({"run": ["plugins/profile/today/host.xplane.pb"]})
            append(path, b"234")
            found.wait_for(lambda: found.source.list_runs()[0].asset_bytes == 4)
            put(session, b"5", name="host.trace.json.gz")
            found.wait_for(lambda: found.source.list_runs()[0].assets == 2)
            session.rename(session.with_name("later"))
            found.wait_for(
                lambda: (
                    sorted(found.assets()["run"])
                    == ["plugins/profile/later/host.trace.json.gz", "plugins/profile/later/host.xplane.pb"]
                )
            )
            shutil.rmtree(logdir / "run/plugins")
            found.wait_for_assets({"run": []})
            assert found.runs == ["run"]

    def test_a_folder_of_assets_moved_in_and_out(self, logdir: Path, tmp_path: Path) -> None:
        put(logdir / "run", log_bytes())
        put(tmp_path / "plugins/profile/today", b"1", name="host.xplane.pb")
        put(tmp_path / "plugins/other", log_bytes())
        with following(logdir) as found:
            (tmp_path / "plugins").rename(logdir / "run/plugins")
            found.wait_for_assets({"run": ["plugins/profile/today/host.xplane.pb"], "run/plugins/other": []})
            (logdir / "run/plugins").rename(tmp_path / "plugins")
            found.wait_for_assets({"run": []})

    def test_assets_make_runs(self, logdir: Path) -> None:
        with following(logdir) as found:
            put(logdir / "a/plugins/profile/today", b"1", name="host.xplane.pb")
            found.wait_for_assets({"a": ["plugins/profile/today/host.xplane.pb"]})
            put(logdir / "source", b"{}", name="config.json")
            path = put(logdir / "b", b"1", name="model.onnx")
            found.wait_for(lambda: found.runs == ["a", "b"])
            put(logdir / "b", log_bytes())
            found.wait_for_values(THREE, "b")
            path.unlink()
            found.wait_for_assets({"a": ["plugins/profile/today/host.xplane.pb"], "b": []})
            put(logdir / "b", b"{}", name="config.json")
            found.wait_for(lambda: len(found.assets()["b"]) == 1)
            # A configuration alone does not keep a run.
            (logdir / "b" / NAME).unlink()
            found.wait_for(lambda: found.runs == ["a"])
            put(logdir / "b", log_bytes(1))
            found.wait_for_assets({"a": ["plugins/profile/today/host.xplane.pb"], "b": ["config.json"]})
            shutil.rmtree(logdir / "a")
            found.wait_for(lambda: found.runs == ["b"])
            put(logdir, b"1", name="tfdbg_events.1.host.metadata")
            found.wait_for(lambda: found.runs == [".", "b"])
            (logdir / "tfdbg_events.1.host.metadata").unlink()
            found.wait_for(lambda: found.runs == ["b"])

    def test_folders_named_like_assets(self, logdir: Path) -> None:
        with following(logdir) as found:
            put(logdir / "model.onnx", log_bytes())
            found.wait_for_values(THREE, "model.onnx")
            put(logdir / "model.onnx", b"1", name="inner.onnx")
            found.wait_for_assets({"model.onnx": ["inner.onnx"]})
            shutil.rmtree(logdir / "model.onnx")
            found.wait_for(lambda: found.runs == [])
            put(logdir, b"1", name="model.onnx")
            found.wait_for_assets({".": ["model.onnx"]})

    def test_file_replaced_by_another(self, logdir: Path) -> None:
        """As rsync does: a new file is renamed over the old one."""
        path = put(logdir / "run", log_bytes())
        with following(logdir) as found:
            found.wait_for_values(THREE)
            key = SeriesKey("run", "loss")
            (before,) = found.source.read_columns([key])
            fresh = put(
                logdir, eb.records(eb.file_version(1.8e9)) + some_points(6, first_step=10), name="fresh"
            )
            fresh.rename(path)
            found.wait_for_values([10.0, 11.0, 12.0, 13.0, 14.0, 15.0])
            (delta,) = found.source.read_columns([key], since=[before.generation])
            assert (delta.offset, len(delta.step)) == (0, 6)
            append(path, some_points(1, first_step=16))
            found.wait_for(lambda: len(found.values()) == 7)

    def test_file_cut_to_a_shorter_one(self, logdir: Path) -> None:
        path = put(logdir / "run", log_bytes(5))
        with following(logdir) as found:
            found.wait_for(lambda: len(found.values()) == 5)
            os.truncate(path, len(log_bytes(2)))
            found.wait_for_values([0.0, 1.0])
            append(path, some_points(1, first_step=7))
            found.wait_for_values([0.0, 1.0, 7.0])
            os.truncate(path, 0)
            found.wait_for(lambda: found.tags("run") == [])
            assert found.source.list_files()[0].state == "empty"

    @pytest.mark.parametrize("count", [2, 3, 6])
    def test_file_written_anew(self, logdir: Path, count: int) -> None:
        """In place: the same file, shorter, as long, or longer than it was."""
        path = put(logdir / "run", log_bytes())
        with following(logdir) as found:
            found.wait_for_values(THREE)
            key = SeriesKey("run", "loss")
            (before,) = found.source.read_columns([key])
            path.write_bytes(eb.records(eb.file_version(1.8e9)) + some_points(count, first_step=20))
            expected = [20.0 + step for step in range(count)]
            found.wait_for_values(expected)
            (now,) = found.source.read_columns([key], since=[before.generation])
            assert (now.offset, now.value.tolist()) == (0, expected)

    def test_logdir_removed_and_made_again(self, logdir: Path) -> None:
        put(logdir / "run", log_bytes())
        with following(logdir) as found:
            for _ in range(2):
                found.wait_for_values(THREE)
                shutil.rmtree(logdir)
                path = put(logdir / "run", log_bytes(2))
                found.wait_for_values([0.0, 1.0])
                append(path, some_points(1, first_step=2))
            found.wait_for_values(THREE)
            shutil.rmtree(logdir)
            found.wait_for(lambda: found.runs == [])

    def test_runs_behind_links(self, logdir: Path, tmp_path: Path) -> None:
        target = put(tmp_path / "elsewhere" / "nested", log_bytes())
        with following(logdir) as found:
            (logdir / "link").symlink_to(tmp_path / "elsewhere")
            found.wait_for_values(THREE, "link/nested")
            append(target, some_points(1, first_step=3))
            found.wait_for_values([*THREE, 3.0], "link/nested")
            put(tmp_path / "elsewhere" / "other", log_bytes())
            found.wait_for_values(THREE, "link/other")
            (logdir / "link").unlink()
            found.wait_for(lambda: found.runs == [])

    def test_a_directory_that_cannot_be_listed_any_more(
        self, logdir: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(logdir / "run", log_bytes())
        denied: set[str] = set()
        scan = os.scandir

        def scandir(path: str) -> object:
            # The tests may run as root, who may list everything.
            if path in denied:
                raise PermissionError(13, "Permission denied", path)
            return scan(path)

        monkeypatch.setattr(os, "scandir", scandir)
        with following(logdir) as found:
            found.wait_for_values(THREE)
            denied.add(str(logdir / "run"))
            os.chmod(logdir / "run", 0o700)
            found.wait_for(lambda: any(file.state == "unreadable" for file in found.source.list_files()))
            (file,) = (each for each in found.source.list_files() if each.state == "unreadable")
            assert (file.run, file.path) == ("run", str(logdir / "run"))
            assert file.reason == "the directory cannot be listed: Permission denied"
            # What was read stays.
            assert found.values() == THREE
            denied.clear()
            os.chmod(logdir / "run", 0o755)
            found.wait_for(lambda: all(file.state == "ok" for file in found.source.list_files()))

    @pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes")
    def test_a_name_that_is_not_utf_8(self, logdir: Path) -> None:
        path = put(logdir / "run", log_bytes())
        with following(logdir) as found:
            found.wait_for_values(THREE)
            Path(os.fsdecode(os.fsencode(logdir) + b"/a\xff.txt")).write_bytes(b"x")
            append(path, some_points(1, first_step=3))
            found.wait_for_values([*THREE, 3.0])
            append(path, some_points(1, first_step=4))
            found.wait_for_values([*THREE, 3.0, 4.0])
            assert "does not report" not in found.watch.polling_reason

    def test_a_run_with_several_names(self, logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(watch_module, "SWEEP_EVERY_S", 3_600.0)
        path = put(logdir / "run", log_bytes())
        with following(logdir) as found:
            (logdir / "latest").symlink_to("run")
            found.wait_for_values(THREE, "latest")
            append(path, some_points(1, first_step=3))
            found.wait_for_values([*THREE, 3.0], "run")
            found.wait_for_values([*THREE, 3.0], "latest")
            append(logdir / "latest" / NAME, some_points(1, first_step=4))
            found.wait_for_values([*THREE, 3.0, 4.0], "run")
            # A loop leads to no further names.
            (logdir / "run" / "up").symlink_to(logdir)
            put(logdir / "run" / "deep", log_bytes())
            found.wait_for_values(THREE, "latest/deep")
            assert found.runs == ["latest", "latest/deep", "run", "run/deep"]
            (logdir / "latest").unlink()
            found.wait_for(lambda: found.runs == ["run", "run/deep"])
            append(path, some_points(1, first_step=5))
            found.wait_for_values([*THREE, 3.0, 4.0, 5.0], "run")

    def test_logdir_that_is_a_link(self, logdir: Path, tmp_path: Path) -> None:
        path = put(logdir / "run", log_bytes())
        (tmp_path / "link").symlink_to(logdir)
        with following(tmp_path / "link") as found:
            append(path, some_points(1, first_step=3))
            found.wait_for_values([*THREE, 3.0])

    def test_single_event_file_as_logdir(self, logdir: Path) -> None:
        path = put(logdir, log_bytes())
        with following(path) as found:
            found.wait_for_values(THREE, ".")
            append(path, some_points(1, first_step=3))
            found.wait_for_values([*THREE, 3.0], ".")

    def test_two_logdirs(self, tmp_path: Path) -> None:
        put(tmp_path / "a" / "run", log_bytes())
        put(tmp_path / "b" / "run", log_bytes(2))
        roots = [parse_root(str(tmp_path / name), name=name) for name in ("a", "b")]
        with following(*roots) as found:
            append(tmp_path / "b" / "run" / NAME, some_points(1, first_step=2))
            found.wait_for_values(THREE, "b/run")
            assert found.runs == ["a/run", "b/run"]


def test_looks_again_soon_after_descriptors_ran_out(logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`make load` takes all real descriptors of a server; here only this file is refused."""
    monkeypatch.setattr(watch_module, "SWEEP_EVERY_S", 1000.0)
    path = put(logdir / "run", log_bytes())
    refused: list[str] = []
    real = os.open

    def open_unless_refused(name: Any, *rest: Any, **named: Any) -> int:
        if name in refused:
            raise OSError(errno.EMFILE, "Too many open files")
        return real(name, *rest, **named)

    with following(logdir) as found:
        found.wait_for_values(THREE)
        monkeypatch.setattr(os, "open", open_unless_refused)
        refused.append(str(path))
        append(path, some_points(1, first_step=3))
        found.wait_for(lambda: found.source.list_files()[0].state == "unreadable")
        assert "Too many open files" in (found.source.list_files()[0].reason or "")
        assert found.values() == THREE
        refused.clear()
        found.wait_for_values([*THREE, 3.0])
        assert found.source.list_files()[0].state == "ok"


def test_polling_says_why(logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_module, "why_polling", lambda path: "nfs file systems do not report changes")
    path = put(logdir / "run", log_bytes())
    with following(logdir) as found:
        append(path, some_points(1, first_step=3))
        found.wait_for_values([*THREE, 3.0])
        assert "nfs" in found.watch.polling_reason


def test_network_file_systems_are_polled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "1 1 0:1 / / rw - ext4 /dev/sda rw\n"
        "2 1 0:2 / /data rw - nfs4 server:/data rw\n"
        "3 2 0:3 / /data/local rw - xfs /dev/sdb rw\n"
        "4 1 0:4 / /with\\040space rw - cifs //server/x rw\n"
    )
    real = open
    monkeypatch.setattr(
        "builtins.open",
        lambda path, *rest, **named: real(
            str(mounts) if path == "/proc/self/mountinfo" else path, *rest, **named
        ),
    )
    assert "nfs4" in watch_module.why_polling("/data/logs")
    assert "cifs" in watch_module.why_polling("/with space/logs")
    assert watch_module.why_polling("/data/local/logs") == ""
    assert watch_module.why_polling("/database/logs") == ""


def test_reload_interval_of_zero_loads_once(logdir: Path) -> None:
    path = put(logdir / "run", log_bytes())
    with following(logdir, reload_interval_s=0) as found:
        found.watch._thread.join(timeout=20)  # type: ignore[union-attr]
        append(path, some_points(1, first_step=3))
        assert found.values() == THREE


def test_stop_ends_the_thread(logdir: Path) -> None:
    put(logdir / "run", log_bytes())
    with following(logdir) as found:
        thread = found.watch._thread
    assert thread is not None
    assert not thread.is_alive()


def test_readers_beside_a_loader(logdir: Path) -> None:
    """Readers on other threads see whole rows and never an error, while files grow, appear and vanish."""
    path = put(logdir / "run", log_bytes())
    wrong: list[str] = []
    done = threading.Event()

    def look(found: Following) -> None:
        key = SeriesKey("run", "loss")
        while not done.is_set():
            try:
                for columns in found.source.read_columns([key, key], attempts="all"):
                    if not np.array_equal(columns.step.astype(float), columns.value):
                        wrong.append("torn rows")
                found.source.list_runs()
                found.source.list_series()
                found.source.list_files()
            except Exception as error:
                wrong.append(repr(error))
                return

    with following(logdir) as found:
        readers = [threading.Thread(target=look, args=(found,)) for _ in range(3)]
        for reader in readers:
            reader.start()
        try:
            for step in range(3, 33):
                append(path, some_points(1, first_step=step))
                later = put(logdir / "run", some_points(2, first_step=step), name=LATER)
                if step % 10 == 0:
                    found.wait_for(lambda: found.values()[-1:] == [step + 1.0])  # noqa: B023
                later.unlink()
            found.wait_for_values([float(step) for step in range(33)])
        finally:
            done.set()
            for reader in readers:
                reader.join()
    assert wrong == []


# ---- memory budget


def mixed_log(logdir: Path) -> Path:
    """Points of both widths, values on disk, two files and a restart."""
    doubles = [
        eb.event(
            eb.summary(eb.tensor_value("d", eb.tensor("double", eb.typed("double", [step + 0.1])))),
            wall_time=1.7e9,
            step=step,
        )
        for step in range(50)
    ]
    texts = [
        eb.event(
            eb.summary(eb.tensor_value("note", eb.strings([b"%d" % step]), plugin="text")),
            wall_time=1.7e9,
            step=step,
        )
        for step in range(20)
    ]
    path = put(logdir / "run", log_bytes(200) + eb.records(*doubles, *texts))
    put(logdir / "run", some_points(100, first_step=150), name=LATER)
    put(logdir / "other", log_bytes(7))
    return path


def load(found: Following) -> None:
    found.watch.load()
    assert found.watch.budget is not None
    found.watch.budget.enforce(found.store, at_once=True)


def held_bytes(found: Following) -> int:
    return sum(
        part.columns.nbytes
        for run in found.store.runs.values()
        for series in run.each_series()
        for part in series.parts
    )


def test_tiny_budget_moves_columns_and_changes_nothing(logdir: Path) -> None:
    path = mixed_log(logdir)
    found = Following([parse_root(str(logdir))], reload_interval_s=0, budget=MemoryBudget(0))
    found.watch.load()
    key = SeriesKey("run", "loss")
    (before,) = found.source.read_columns([key], attempts="all")
    copies = [np.array(array) for array in (before.step, before.wall_time, before.value)]
    load(found)
    assert held_bytes(found) == 0
    assert found.watch.budget is not None
    assert found.watch.budget.moved_bytes > 0
    assert not differences(picture(found.source), picture(runglass.open(logdir).source))
    # Views of before the move stay as they were, now and after the columns grow.
    for _ in range(3):
        append(path, some_points(30, first_step=500) + some_points(5, tag="fresh"))
        load(found)
        assert held_bytes(found) == 0
        assert not differences(picture(found.source), picture(runglass.open(logdir).source))
    for array, copy in zip((before.step, before.wall_time, before.value), copies, strict=True):
        assert np.array_equal(array, copy)


def test_the_first_load_ends_within_the_budget(logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget_module, "CHECK_EVERY_S", 3_600.0)
    for number in range(20):
        put(logdir / f"run{number}", log_bytes(100))
    found = Following([parse_root(str(logdir))], reload_interval_s=0, budget=MemoryBudget(0))
    found.watch.load()
    parts = [
        part for run in found.store.runs.values() for series in run.each_series() for part in series.parts
    ]
    assert len(parts) == 20
    assert sum(part.columns.nbytes for part in parts) == 0
    # What reading took is given up, and read again from the file.
    before = found.values("run7")
    assert found.watch.budget is not None
    found.watch.budget.let_go()
    assert found.values("run7") == before == [float(step) for step in range(100)]


def test_budget_moves_the_coldest_first(logdir: Path) -> None:
    for name in ("cold", "warm", "hot"):
        put(logdir / name, log_bytes(1000))
    found = Following([parse_root(str(logdir))], reload_interval_s=0, budget=MemoryBudget(50_000))
    found.watch.load()
    for name in ("warm", "hot"):
        found.values(name)
    load(found)
    held = {
        run.name: sum(part.columns.nbytes for series in run.each_series() for part in series.parts)
        for run in found.store.runs.values()
    }
    assert held["cold"] == 0
    assert held["hot"] > 0
    assert sum(held.values()) <= 50_000
    assert found.values("cold") == found.values("hot") == [float(step) for step in range(1000)]


def test_budget_of_a_followed_log(logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget_module, "CHECK_EVERY_S", 0.0)
    path = put(logdir / "run", log_bytes())
    with following(logdir, budget=MemoryBudget(0)) as found:
        for step in range(3, 20):
            append(path, some_points(1, first_step=step))
            found.wait_for_values([float(each) for each in range(step + 1)])


def test_no_budget_needed_nothing_moved(logdir: Path) -> None:
    mixed_log(logdir)
    found = Following([parse_root(str(logdir))], reload_interval_s=0, budget=MemoryBudget(1 << 30))
    load(found)
    assert held_bytes(found) > 0
    assert found.watch.budget is not None
    assert found.watch.budget.moved_bytes == 0
