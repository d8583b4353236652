from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from runglass import SummaryWriter
from runglass.errors import BadRequest
from runglass.query.locations import parse_locations
from runglass.query.open import open_logs
from runglass.query.source import Capability, DataSource


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    with SummaryWriter(str(tmp_path / "logs/run")) as writer:
        writer.add_scalar("loss", 1.0, 0)
    return tmp_path / "logs"


def test_a_source_is_empty_until_it_is_loaded(logdir):
    logs = open_logs(parse_locations([str(logdir)]))
    assert isinstance(logs.source, DataSource)
    assert (logs.source.list_runs(), logs.source.progress().is_loaded) == ([], False)
    logs.load()
    assert [run.name for run in logs.source.list_runs()] == ["run"]
    assert logs.source.progress().is_loaded
    (logdir / "run/model.onnx").touch()
    assert logs.source.list_assets() == []
    logs.load()
    assert [asset.name for asset in logs.source.list_assets()] == ["model.onnx"]


def test_locations_that_do_not_exist_are_listed_until_they_do(logdir):
    logs = open_logs(parse_locations([str(logdir), str(logdir / "later")]))
    assert logs.source.list_missing() == logs.list_missing() == [str(logdir / "later")]
    (logdir / "later").mkdir()
    assert logs.source.list_missing() == []


def test_a_source_that_is_kept_up_to_date(logdir):
    logs = open_logs(parse_locations([str(logdir)]), reload_interval_s=0.05)
    assert logs.source.capabilities == {Capability.LIVE, Capability.ASSETS}
    logs.start()
    try:
        while not logs.source.progress().is_loaded:
            logs.source.wait_for_change(logs.source.generation, timeout_s=0.1)
        (logdir / "run/model.onnx").touch()
        while not logs.source.list_assets():
            logs.source.wait_for_change(logs.source.generation, timeout_s=0.1)
    finally:
        logs.stop()


def test_without_looking_again_it_is_not_live(logdir):
    assert open_logs(parse_locations([str(logdir)])).source.capabilities == {Capability.ASSETS}


def test_locations_that_are_not_there_yet(logdir, tmp_path):
    later = tmp_path / "later"
    logs = open_logs(parse_locations([str(logdir), str(later)]))
    assert logs.list_missing() == [str(later)]
    later.mkdir()
    assert logs.list_missing() == []


def test_locations_by_their_names(logdir):
    (one,) = parse_locations([], spec=f"a:{logdir}")
    assert (one.shown, one.path, one.name) == (str(logdir), str(logdir), "a")
    logs = open_logs([one])
    logs.load()
    assert [run.name for run in logs.source.list_runs()] == ["a/run"]
    with pytest.raises(BadRequest):
        parse_locations(["hdfs://host/logs"])


def test_parsing_locations_imports_nothing_heavy():
    code = (
        "import sys; from runglass.query.locations import parse_locations; parse_locations(['logs']);"
        "print(sorted({'numpy', 'runglass.query.source', 'runglass.ingest.watch', 'runglass.native.wire'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("path", "reason"), [("~nobody-of-that-name/logs", "no user of that name"), ("lo\0gs", "null character")]
)
def test_paths_that_cannot_be_are_told(path, reason):
    with pytest.raises(BadRequest, match=reason):
        parse_locations([path])
