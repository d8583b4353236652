"""Logs in fsspec's own store: everything is read as from a directory, and only what changed is fetched."""

from __future__ import annotations

import shutil
from pathlib import Path

import fsspec
import pytest
from tests.support.same_logs import read_facts

import runglass
from runglass import SummaryWriter
from runglass.machine import cache_folder
from runglass.query.locations import parse_locations
from runglass.query.open import OpenLogs, open_logs

GOLDEN = Path(__file__).parents[4] / "tests/golden"


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setattr(cache_folder, "_chosen", tmp_path / "cache")
    monkeypatch.setattr(cache_folder, "_is_chosen", True)


@pytest.fixture
def bucket(request):
    files = fsspec.filesystem("memory")
    name = f"/{request.node.name.replace('[', '-').replace(']', '')}"
    yield Bucket(files, name)
    if files.exists(name):
        files.rm(name, recursive=True)


class Bucket:
    def __init__(self, files, name: str) -> None:
        self.files, self.name = files, name
        self.url = f"memory:/{name}/logs"

    def put(self, folder: Path) -> None:
        for path in folder.rglob("*"):
            if path.is_file():
                self.files.pipe_file(
                    f"{self.name}/logs/{path.relative_to(folder).as_posix()}", path.read_bytes()
                )

    def remove(self, relative: str) -> None:
        self.files.rm(f"{self.name}/logs/{relative}")


def load(url: str) -> OpenLogs:
    logs = open_logs(parse_locations([url]))
    logs.load()
    return logs


def write_run(folder: Path, *, steps: range = range(10), tag: str = "loss") -> Path:
    with SummaryWriter(str(folder)) as writer:
        for step in steps:
            writer.add_scalar(tag, step / 2, step)
    (file,) = folder.glob("*tfevents*")
    return file


@pytest.mark.parametrize("folder", ["logs", "assets"])
def test_golden_logs_are_read_as_from_a_directory(bucket, folder):
    bucket.put(GOLDEN / folder)
    local, remote = load(str(GOLDEN / folder)), load(bucket.url)
    expected = read_facts(local.source)
    assert len(expected["runs"]) > 5
    assert read_facts(remote.source) == expected
    remote.stop()
    # From the mirror, with one listing.
    again = load(bucket.url)
    (status,) = again.source.list_remote()
    assert (status.requests, status.fetched_bytes) == (1, 0)
    assert read_facts(again.source) == expected
    again.stop()


def test_only_the_tail_of_a_file_that_grew_is_fetched(bucket, tmp_path):
    file = write_run(tmp_path / "logs/run", steps=range(200))
    whole = file.read_bytes()
    cut = len(whole) * 9 // 10
    file.write_bytes(whole[:cut])
    bucket.put(tmp_path / "logs")
    with runglass.open(bucket.url) as log:
        assert 100 < len(log.scalars("run", "loss")) < 200
        before = log.source.list_remote()[0].fetched_bytes
        file.write_bytes(whole)
        bucket.put(tmp_path / "logs")
        log.reload()
        assert log.scalars("run", "loss").step.tolist() == list(range(200))
        assert log.source.list_remote()[0].fetched_bytes - before < len(whole) - cut + 100


def test_a_file_that_was_replaced_is_read_anew(bucket, tmp_path):
    file = write_run(tmp_path / "logs/run")
    bucket.put(tmp_path / "logs")
    with runglass.open(bucket.url) as log:
        assert log.tags("run") == {"loss": "scalar"} or list(log.tags("run")) == ["loss"]
        other = write_run(tmp_path / "other", steps=range(10), tag="cost")
        assert len(other.read_bytes()) == len(file.read_bytes())
        shutil.copyfile(other, file)
        bucket.put(tmp_path / "logs")
        log.reload()
        assert list(log.tags("run")) == ["cost"]


def test_runs_and_assets_appear_and_go(bucket, tmp_path):
    write_run(tmp_path / "logs/a")
    bucket.put(tmp_path / "logs")
    with runglass.open(bucket.url) as log:
        file = write_run(tmp_path / "logs/b")
        (tmp_path / "logs/b/config.yaml").write_text("lr: 1")
        bucket.put(tmp_path / "logs")
        log.reload()
        assert sorted(log.runs) == ["a", "b"]
        (asset,) = log.assets()
        assert log.open_asset(asset).read(0, 99) == b"lr: 1"
        (tmp_path / "logs/b/config.yaml").write_text("lr: 22")
        bucket.put(tmp_path / "logs")
        log.reload()
        (asset,) = log.assets()
        assert log.open_asset(asset).read(0, 99) == b"lr: 22"
        bucket.remove(f"b/{file.name}")
        log.reload()
        assert log.runs == ["a"]


def test_local_and_remote_directories_side_by_side(bucket, tmp_path):
    write_run(tmp_path / "logs/a")
    bucket.put(tmp_path / "logs")
    spec = f"here:{tmp_path}/logs,there:{bucket.url}"
    logs = open_logs(parse_locations([], spec=spec))
    logs.load()
    assert sorted(run.name for run in logs.source.list_runs()) == ["here/a", "there/a"]
    assert logs.source.locations == [f"{tmp_path}/logs", bucket.url]
    assert [status.location for status in logs.source.list_remote()] == [bucket.url]
    logs.stop()


def test_one_event_file_is_a_location(bucket, tmp_path):
    file = write_run(tmp_path / "logs/a")
    bucket.put(tmp_path / "logs")
    with runglass.open(f"{bucket.url}/a/{file.name}") as log:
        assert log.runs == ["."]
        assert len(log.scalars(".", "loss")) == 10


def test_a_source_follows_its_store(bucket, tmp_path, monkeypatch):
    monkeypatch.setattr("runglass.ingest.remote.follow.QUICK_S", 0.02)
    file = write_run(tmp_path / "logs/a", steps=range(100))
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    bucket.put(tmp_path / "logs")
    logs = open_logs(parse_locations([bucket.url]), reload_interval_s=0.01)
    logs.start()
    try:
        while not logs.source.progress().is_loaded:
            logs.source.wait_for_change(logs.source.generation, timeout_s=0.1)
        assert logs.source.list_runs()[0].points < 100
        file.write_bytes(whole)
        bucket.put(tmp_path / "logs")
        while logs.source.list_runs()[0].points < 100:
            logs.source.wait_for_change(logs.source.generation, timeout_s=0.1)
        assert logs.source.list_remote()[0].state == "current"
    finally:
        logs.stop()
