"""The examples that need no framework run as a user runs them, and what they logged reads back as they meant it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread
from tests.support.example_runs import EXAMPLES, ROOT, run_example

import runglass
from runglass.reader import Log
from runglass.writer.calls.projector import EmbeddingInfo, load_config
from runglass.writer.files.folders import open_folder

NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def read_example(name: str, logdir: Path, *options: str) -> Log:
    run_example(name, logdir, *options)
    return runglass.open(logdir)


def test_train_and_test(tmp_path: Path) -> None:
    log = read_example("train_and_test", tmp_path / "logs")
    assert sorted(log.runs) == ["test", "train"]
    assert log.tags("train") == {"Loss": "scalar", "Accuracy": "scalar", "hidden/weights": "histogram"}
    assert log.tags("test") == {"Loss": "scalar", "Accuracy": "scalar"}
    for run in log.runs:
        assert log.scalars(run, "Loss").step.tolist() == list(range(20))
        assert log.scalars(run, "Accuracy").value[-1] > 0.9
    weights = log.read("train", "hidden/weights")
    assert len(weights) == 20
    assert {value[:, 2].sum() for value in weights.value} == {144 * 64}


def test_learning_rates(tmp_path: Path) -> None:
    log = read_example("learning_rates", tmp_path / "logs")
    rates = ("0.01", "0.1", "1.0", "10.0", "30.0")
    assert sorted(log.runs) == sorted(f"lr={rate}/{part}" for rate in rates for part in ("train", "test"))
    for run in log.runs:
        assert log.scalars(run, "Loss").step.tolist() == list(range(100))
    reached = {rate: log.scalars(f"lr={rate}/test", "Accuracy").value[-10:].mean() for rate in rates}
    assert max(reached, key=reached.__getitem__) == "1.0"


def test_image_grid(tmp_path: Path) -> None:
    log = read_example("image_grid", tmp_path / "logs", "--batches", "3")
    grids = log.read(".", "Augmented batch")
    assert (grids.kind, grids.step.tolist()) == ("image", [0, 1, 2])
    ((picture,), *_) = grids.value
    assert (picture.width, picture.height) == (600, 600)


def test_confusion_matrix(tmp_path: Path) -> None:
    log = read_example("confusion_matrix", tmp_path / "logs")
    assert log.tags(".") == {"Confusion matrix": "image", "Accuracy": "scalar"}
    matrices = log.read(".", "Confusion matrix")
    assert matrices.step.tolist() == list(range(10))
    for (picture,) in matrices.value:
        pixels = imread(io.BytesIO(picture.data))
        assert pixels.shape[:2] == (picture.height, picture.width) == (600, 600)
        assert len(np.unique(pixels)) > 10
    reached = log.scalars(".", "Accuracy").value
    assert reached[-1] > reached[0]


def test_hparams_grid(tmp_path: Path) -> None:
    log = read_example("hparams_grid", tmp_path / "logs")
    assert len(log.runs) == 1 + 27
    experiment = log.read(".", "_hparams_/experiment").value[0]["experiment"]
    assert [info["name"] for info in experiment["hparam_infos"]] == ["units", "dropout", "learning_rate"]
    chosen = [
        log.read(run, "_hparams_/session_start_info").value[0]["session_start_info"]["hparams"]
        for run in log.runs
        if run != "."
    ]
    assert {each["units"] for each in chosen} == {32, 64, 128}
    assert {each["dropout"] for each in chosen} == {0.1, 0.3, 0.5}
    assert {each["learning_rate"] for each in chosen} == {1e-3, 1e-4, 1e-5}
    reached = [log.scalars(run, "accuracy").value[0] for run in log.runs if run != "."]
    assert min(reached) < 0.5 < 0.8 < max(reached)
    best = sorted(zip(reached, chosen, strict=True), key=lambda each: each[0])[-9:]
    assert {each["learning_rate"] for _, each in best} == {1e-3}


def test_images_by_class(tmp_path: Path) -> None:
    log = read_example("images_by_class", tmp_path / "logs")
    assert log.tags(".") == {"twenty digits": "image"} | {f"class/{name}": "image" for name in NAMES}
    sizes = [(picture.width, picture.height) for picture in log.read(".", "twenty digits").value[0]]
    assert sizes == [(12, 12)] * 20


def test_fibonacci(tmp_path: Path) -> None:
    log = read_example("fibonacci", tmp_path / "logs")
    expected = [0, 1]
    while len(expected) < 100:
        expected.append(expected[-1] + expected[-2])
    points = log.scalars(".", "fibonacci")
    assert points.step.tolist() == list(range(100))
    assert points.value.tolist() == [float(number) for number in expected]


def test_precision_and_recall(tmp_path: Path) -> None:
    log = read_example("precision_and_recall", tmp_path / "logs")
    assert log.tags(".") == {"precision": "scalar", "recall": "scalar", "eight": "pr_curve"}
    assert log.scalars(".", "recall").value[-1] > 0.5
    curve = np.asarray(log.read(".", "eight").value[-1])
    # The highest threshold finds none, the lowest all.
    assert curve.shape == (6, 127)
    assert curve[5, 0] == pytest.approx(1.0)


def test_image_embeddings(tmp_path: Path) -> None:
    logdir = tmp_path / "logs"
    for _ in range(2):
        run_example("image_embeddings", logdir)
    config = load_config(open_folder(logdir))
    assert [info.tensor_name for info in config.embeddings] == ["digits:00000"]
    assert_digits(logdir, config.embeddings[0])


def test_sprite_embeddings(tmp_path: Path) -> None:
    logdir = tmp_path / "logs"
    for _ in range(2):
        run_example("sprite_embeddings", logdir)
    (info,) = load_config(open_folder(logdir)).embeddings
    assert (info.tensor_name, info.metadata_path) == ("digits", "metadata.tsv")
    assert_digits(logdir, info)


def assert_digits(logdir: Path, info: EmbeddingInfo) -> None:
    """A vector, a label and a tile of the sprite for each of 500 pictures, in one order."""
    vectors = np.loadtxt(logdir / info.tensor_path)
    assert vectors.shape == (500, 144)
    labels = (logdir / info.metadata_path).read_text().splitlines()
    assert len(labels) == 500
    assert {*labels} == {*NAMES}
    assert info.sprite.single_image_dim == [12, 12]
    sprite = imread(logdir / info.sprite.image_path)
    # 500 tiles need 23 rows of 23.
    assert sprite.shape[:2] == (23 * 12, 23 * 12)
    for point in (0, 22, 23, 499):
        top, left = (12 * place for place in divmod(point, 23))
        tile = sprite[top : top + 12, left : left + 12]
        shades = tile if tile.ndim == 2 else tile[..., 0]
        np.testing.assert_allclose(shades, vectors[point].reshape(12, 12), atol=0.01)


def test_word_embeddings(tmp_path: Path) -> None:
    logdir = tmp_path / "logs"
    run_example("word_embeddings", logdir)
    config = (logdir / "projector_config.pbtxt").read_text()
    for part in ('tensor_name: "words"', 'tensor_path: "vectors.tsv"', 'metadata_path: "words.tsv"'):
        assert part in config
    words = (logdir / "words.tsv").read_text().splitlines()
    vectors = np.loadtxt(logdir / "vectors.tsv")
    assert vectors.shape == (len(words) - 1, 10)

    def vector(word: str) -> Any:
        found = vectors[[line.split("\t")[0] for line in words[1:]].index(word)]
        return found / np.linalg.norm(found)

    assert vector("sea") @ vector("lake") > vector("sea") @ vector("opera")


def test_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its Python cells, without IPython; that the magics show the page is seen in a real JupyterLab (tests/notebook)."""
    cells = json.loads((EXAMPLES / "notebook.ipynb").read_text())["cells"]
    sources = {cell["id"]: "".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"}
    assert {each for each in sources.values() if each.startswith("%")} == {
        "%load_ext runglass",
        "%runglass --logdir logs/notebook",
    }
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    namespace: dict[str, Any] = {}
    for cell in ("train", "values"):
        exec(compile(sources[cell], f"notebook.ipynb, {cell}", "exec"), namespace)
    log = runglass.open("logs/notebook")
    assert log.tags("train") == {
        "accuracy": "scalar",
        "learning rate": "scalar",
        "hidden/weights": "histogram",
        "hidden/bias": "histogram",
    }
    rates = log.scalars("train", "learning rate").value
    assert [epoch for epoch in range(1, 60) if rates[epoch] < rates[epoch - 1]] == [10, 20, 50]
    assert len(log.scalars("validation", "accuracy")) == 60


def test_every_example_is_tested_and_listed() -> None:
    tests = "".join(
        (ROOT / "tests" / file).read_text() for file in ("test_examples.py", "interop/test_examples.py")
    )
    page = (ROOT / "docs/guide/examples.md").read_text()
    for file in sorted(EXAMPLES.iterdir()):
        if file.suffix in (".py", ".ipynb") and file.name != "digits.py":
            assert f"test_{file.stem}(" in tests
            assert f"examples/{file.name}" in page
