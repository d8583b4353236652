"""From importing and opening a SummaryWriter to closing, reopening, copying and pickling it."""

from __future__ import annotations

import copy
import json
import pickle
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from tests.support.written import events, logged, payloads

import runglass
from runglass import FileWriter, RecordWriter
from runglass.errors import BadArgument
from runglass.native.records import RecordCursor
from runglass.schema.event import SessionStatus
from runglass.writer.calls.summary_writer import SummaryWriter
from runglass.writer.files.event_writer import EventWriter


def test_a_purge_step_starts_a_session(tmp_path):
    with SummaryWriter(tmp_path, purge_step=7) as writer:
        writer.add_scalar("s", 1, 7)
        writer.close()
        writer.add_scalar("s", 1, 8)
    first, *rest = events(tmp_path)
    assert (first["step"], first["session_log"]) == (7, {"status": SessionStatus.START})
    assert not any("session_log" in event for event in rest)


def test_use_after_close_opens_a_new_file(tmp_path):
    writer = SummaryWriter(tmp_path, filename_suffix=".mine")
    for step, log in enumerate((writer.add_scalar, writer.add_text, writer.add_scalars)):
        log("t", {1: "x", 2: {"a": 1}}.get(step, 1), step)
        writer.close()
        writer.close()
    names = [path.name for path in tmp_path.glob("*tfevents*")]
    assert len(names) == 2
    assert all(name.endswith(".mine") for name in names)
    assert sorted(step for step, _ in logged(tmp_path)) == [0, 1]
    assert len(list(tmp_path.glob("t_a/*"))) == 1


def test_the_default_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RUNGLASS_RUN_DIR", raising=False)
    with SummaryWriter(comment="_note") as writer:
        pass
    assert re.fullmatch(r"runs/[A-Z][a-z]{2}\d\d_\d\d-\d\d-\d\d_.+_note", writer.get_logdir())
    assert (tmp_path / writer.log_dir).is_dir()
    monkeypatch.setenv("RUNGLASS_RUN_DIR", str(tmp_path / "around"))
    with SummaryWriter() as writer:
        assert writer.logdir == str(tmp_path / "around")
    with pytest.raises(BadArgument, match="two names"):
        SummaryWriter("a", logdir="b")


def test_nothing_is_written_unless_wanted(tmp_path):
    with SummaryWriter(logdir=tmp_path / "none", write_to_disk=False) as writer:
        writer.add_scalar("s", 1, 1)
        writer.add_scalars("s", {"a": 1})
        writer.add_image("i", np.zeros((3, 4, 4)))
        with pytest.raises(BadArgument):
            writer.add_image("i", np.zeros(4))
        writer.flush()
    assert not (tmp_path / "none").exists()


def test_importing_costs_little():
    """Imports no framework, whatever is installed, and the package alone not even NumPy."""
    code = (
        "import sys, runglass; assert 'numpy' not in sys.modules; runglass.SummaryWriter;"
        "print([name for name in ('torch', 'tensorflow', 'jax', 'keras', 'PIL', 'matplotlib', 'starlette') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_opening_runs_during_training_does_not_raise(tmp_path):
    """A file is in the place of the directories of add_scalars and add_hparams, and then it is gone."""
    with SummaryWriter(tmp_path / "run") as writer:
        for name in ("loss_a", "trial"):
            (tmp_path / "run" / name).write_text("in the way")
        with warnings.catch_warnings(record=True, action="always") as told:
            writer.add_scalars("loss", {"a": 1.0}, 3)
            writer.add_hparams({"lr": 0.1}, {"accuracy": 0.5}, run_name="trial")
            writer.flush()
        assert ["cannot be written" in str(each.message) for each in told] == [True, True]
        for name in ("loss_a", "trial"):
            (tmp_path / "run" / name).unlink()
    log = runglass.open(tmp_path)
    assert log.scalars("run/loss_a", "loss").value.tolist() == [1.0]
    assert log.scalars("run/trial", "accuracy").value.tolist() == [0.5]


def test_the_run_stays_where_it_began(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with SummaryWriter("run") as writer:
        monkeypatch.chdir(tmp_path / "elsewhere")
        writer.add_scalars("loss", {"a": 1.0}, 1)
        writer.add_hparams({"lr": 0.1}, {}, run_name="trial")
        writer.add_embedding(np.zeros((2, 2)))
        writer.close()
        writer.add_scalar("again", 1.0, 1)
        assert writer.get_logdir() == "run"
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert runglass.open(tmp_path).runs == ["run", "run/loss_a", "run/trial"]


def test_copies_and_pickles_write_their_own_files(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", 1.0, 1)
        others = [copy.deepcopy(writer), pickle.loads(pickle.dumps(writer))]
        assert len(list(tmp_path.iterdir())) == 1
        for other in others:
            other.add_scalar("loss", 1.0, 1)
            other.close()
    assert len(list(tmp_path.iterdir())) == 3
    assert len(logged(tmp_path)) == 3


def test_pending_records_are_not_pickled(tmp_path):
    with EventWriter(tmp_path) as events, pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(events)


def test_reopening_a_writer_during_training_does_not_raise(tmp_path):
    writer = SummaryWriter(tmp_path / "run")
    writer.close()
    (tmp_path / "run").rename(tmp_path / "elsewhere")
    (tmp_path / "run").write_text("in the way")
    with warnings.catch_warnings(record=True, action="always") as told:
        writer.add_scalar("loss", 1.0, 3)
        writer.flush()
    assert ["cannot be written" in str(each.message) for each in told] == [True]
    (tmp_path / "run").unlink()
    writer.close()
    assert runglass.open(tmp_path).scalars("run", "loss").value.tolist() == [1.0]


def test_file_writers_of_torch(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    writer = SummaryWriter("run")
    writer.add_scalars("group", {"a": 1.0}, 3, 5.0)
    assert writer.file_writer is writer.all_writers["run"] is writer._get_file_writer()
    assert writer.file_writer.get_logdir() == "run"
    assert set(writer.all_writers) == {"run", "run/group_a"}
    writer.export_scalars_to_json("all.json")
    assert json.loads(Path("all.json").read_text()) == {"run/group_a/group": [[5.0, 3, 1.0]]}
    writer.close()
    assert (writer.file_writer, writer.all_writers) == (None, None)
    writer._get_file_writer().flush()
    writer.file_writer.add_summary(b"\n\x08\n\x01t\x15\x00\x00\x00?", 7)
    writer.close()
    assert runglass.open("run").scalars(".", "t").value.tolist() == [0.5]
    other = FileWriter("other")
    other.close()
    other.reopen()
    other.add_event(b"\x09" + bytes(8))
    other.close()
    assert len(payloads(Path("other"))) == 1
    with pytest.raises(BadArgument, match="Summary messages or their bytes, got dict"):
        other.add_summary({})
    assert writer.default_bins == sorted(writer.default_bins)
    assert (writer.default_bins[0], writer.default_bins[-1]) == (
        -writer.default_bins[-1],
        pytest.approx(1e20, rel=0.1),
    )


def test_records_of_any_kind(tmp_path):
    writer = RecordWriter(tmp_path / "below" / "data.tfrecord")
    writer.write(b"one")
    writer.write(b"")
    writer.close()
    cursor = RecordCursor()
    cursor.feed((tmp_path / "below" / "data.tfrecord").read_bytes())
    assert [payload for _, payload, _ in cursor] == [b"one", b""]
