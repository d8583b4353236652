"""`runglass import`: files that the real W&B and MLflow wrote (golden/make_imports.py), and rows of metrics."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import numpy as np
import pytest

import runglass
from runglass.cli import main
from runglass.errors import BadArgument
from runglass.importing.wandb_file import BLOCK_BYTES, read_records
from runglass.importing.writing import _folder, import_runs

IMPORTS = Path(__file__).parent / "golden/imports"


def test_an_offline_run_of_wandb(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "wandb", str(IMPORTS / "wandb"), "--logdir", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("Wrote 1 run with 16 values to ")
    log = runglass.open(tmp_path)
    (name,) = log
    assert name.startswith("demo/first-")
    run = log[name]
    assert run["loss"].step.tolist() == [0, 1, 2, 3, 4, 10]
    np.testing.assert_array_equal(run["loss"].value, [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, math.nan])
    assert run["val/acc"].value.tolist() == [0.0, 0.1, 0.2, 0.3, 0.4]
    assert run["big"].value.tolist() == [2**40]
    assert run["best"].step.tolist() == [10]
    assert run["text"].value[0] == "hello"
    assert run["notes"].value[0] == "a note"
    assert run["img"].value[0][0].to_numpy().shape == (4, 5, 4)
    assert run["hist"].value[0][:, 2].sum() == 4
    # Files of tables are not read.
    assert not any(tag.startswith("t") and tag != "text" for tag in run)
    (row,) = log.hparams()
    assert (row.hparams, row.status) == ({"lr": 0.1, "model.depth": 3.0, "name": "resnet"}, "finished")
    assert (np.diff(run["loss"].wall_time) >= 0).all()


def test_a_folder_of_mlflow(tmp_path: Path) -> None:
    done = import_runs("mlflow", [str(IMPORTS / "mlruns")], tmp_path)
    assert (done.runs, done.values) == (2, 7)
    log = runglass.open(tmp_path)
    first, second = sorted(log)
    assert first.startswith("digits/first-")
    assert second.startswith("digits/second-")
    assert log[first]["train/loss"].value.tolist() == [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5]
    assert math.isnan(log[first]["acc"].value[0])
    assert {row.run: row.hparams for row in log.hparams()} == {
        first: {"lr": 0.1, "name": "resnet"},
        second: {"lr": 0.2},
    }


def test_rows(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("epoch,loss,note\n0,1.5,\n3,nan,odd\n")
    (tmp_path / "b.jsonl").write_text('{"n": 7, "val": {"acc": 0.25}, "time": "2026-01-01T00:00:00Z"}\n\n')
    import_runs("csv", [str(tmp_path / "a.csv")], tmp_path / "logs")
    import_runs("csv", [str(tmp_path / "b.jsonl")], tmp_path / "logs", step="n")
    log = runglass.open(tmp_path / "logs")
    assert log["a"]["loss"].step.tolist() == [0, 3]
    assert [(step, text) for step, _, text in log["a"]["note"]] == [(3, "odd")]
    assert list(log["b"]["val/acc"]) == [(7, 1767225600.0, 0.25)]
    assert "n" not in log["b"]


def test_what_cannot_be_imported_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("step,loss\n0,1\nx,2\n")
    (tmp_path / "b.jsonl").write_text('{"loss": 1}\n[]\n')
    (tmp_path / "c.wandb").write_bytes(b"something else")
    (tmp_path / "empty.csv").write_text("step,loss\n0,\n")
    logdir = tmp_path / "logs"
    for kind, path, says in [
        ("csv", "a.csv", "row 2: the step 'x' is not a whole number"),
        ("csv", "b.jsonl", "line 2, is not a JSON object"),
        ("wandb", "c.wandb", "is not a file of W&B"),
        ("mlflow", ".", "has no runs of MLflow"),
        ("csv", "missing", "does not exist"),
        ("csv", "empty.csv", "has no metrics"),
    ]:
        with pytest.raises(BadArgument, match=says):
            import_runs(kind, [str(tmp_path / path)], logdir)
        assert list(logdir.rglob("*tfevents*")) == []
    with pytest.raises(BadArgument, match="no column 'n'; it has step, loss"):
        import_runs("csv", [str(tmp_path / "a.csv")], logdir, step="n")
    shutil.copy(tmp_path / "a.csv", tmp_path / "twice.csv")
    (tmp_path / "twice.csv").write_text("loss\n1\n")
    import_runs("csv", [str(tmp_path / "twice.csv")], logdir)
    with pytest.raises(BadArgument, match="exists already"):
        import_runs("csv", [str(tmp_path / "twice.csv")], logdir)
    assert runglass.open(logdir)["twice"]["loss"].value.tolist() == [1.0]


def test_names_stay_below_the_log_directory() -> None:
    assert _folder("a/../../b:c") == Path("a/b_c")
    assert _folder("//..") == Path("run")


def test_a_wandb_file_cut_anywhere_gives_whole_records() -> None:
    data = next((IMPORTS / "wandb").rglob("*.wandb")).read_bytes()
    whole = list(read_records(data, "x"))
    assert len(whole) > 10
    for size in range(7, len(data), 97):
        cut = list(read_records(data[:size], "x"))
        assert cut == whole[: len(cut)]


def test_records_of_several_blocks() -> None:
    import zlib

    def piece(kind: int, payload: bytes) -> bytes:
        checksum = zlib.crc32(payload, zlib.crc32(bytes([kind])))
        return checksum.to_bytes(4, "little") + len(payload).to_bytes(2, "little") + bytes([kind]) + payload

    first = b"a" * (BLOCK_BYTES - 7 - 7 - 3)
    # Three bytes are left in the first block: too few for a header.
    data = b":W&B\xe1\xbe\x00" + piece(2, first) + bytes(3) + piece(3, b"b") + piece(4, b"c") + piece(1, b"d")
    assert list(read_records(data, "x")) == [first + b"bc", b"d"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", b"step,loss\nnan,1\n"),
        ("a.csv", b"step,loss\n0,\xff\n"),
        ("a.csv", b'step,loss\n0,"' + b"x" * 200_000),
        ("a.jsonl", b'{"step": 1e300}\n'),
    ],
)
def test_rows_that_cannot_be_are_an_error_with_the_file(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BadArgument, match=name):
        import_runs("csv", [str(tmp_path / name)], tmp_path / "logs")
    assert not (tmp_path / "logs").exists() or not any((tmp_path / "logs").iterdir())
