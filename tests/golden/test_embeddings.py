"""Embeddings that frameworks wrote: names, shapes, first rows, labels and sprites equal the manifests, without any framework."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runglass
from runglass.query.embeddings.listing import list_embeddings
from runglass.query.embeddings.rows import LogEmbedding

GOLDEN = Path(__file__).parent
CASES = GOLDEN / "embeddings"
TORCH = GOLDEN / "assets/torch_embedding/logdir"
KERAS = CASES / "keras_callback_all/logdir"
VARIABLE = "/.ATTRIBUTES/VARIABLE_VALUE"
KERAS_NAME = f"layer_with_weights-0/embeddings{VARIABLE}"


def other_files(manifest: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(manifest.read_text(encoding="utf-8"))["other_files"]
    return found


def check_labels(embedding: LogEmbedding, truth: dict[str, Any], path: Path) -> None:
    """Every cell of the file, split here as the rules say."""
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    assert (len(lines), len(lines[0]), "\t".join(lines[0])) == (
        *(truth["lines"], truth["columns"]),
        truth["first_line"],
    )
    names = lines.pop(0) if truth["columns"] > 1 else ["label"]
    assert embedding.metadata == dict(zip(names, map(list, zip(*lines, strict=True)), strict=True))
    assert len(lines) == len(embedding)


def check_sprite(embedding: LogEmbedding, truth: dict[str, Any]) -> None:
    sprite = embedding.sprite
    assert sprite is not None
    assert [sprite.width, sprite.height] == truth["image"]["size"]
    assert hashlib.sha256(sprite.data).hexdigest() == truth["sha256"]
    assert hashlib.sha256(sprite.pixels.tobytes()).hexdigest() == truth["image"]["rgba_sha256"]


@pytest.mark.parametrize("case", ["tf_projector_digits", "story_word_vectors"])
def test_checkpoints(case: str) -> None:
    files = other_files(CASES / case / "manifest.json")
    log = runglass.open(CASES / case / "logdir")
    checked = 0
    for index, facts in files.items():
        if not index.endswith(".index"):
            continue
        folder = index.rpartition("/")[0]
        run = folder or "."
        matrices = {name: truth for name, truth in facts["checkpoint"].items() if len(truth["shape"]) == 2}
        assert sorted(log.embeddings(run)) == sorted(matrices)
        for name, truth in matrices.items():
            found = log.embedding(run, name)
            assert (list(found.shape), found.source.dtype) == (truth["shape"], truth["dtype"])
            assert found.vectors.dtype == np.float32
            assert found.vectors.shape == found.shape
            expected = np.array(truth["first_row"], np.float32)
            assert np.array_equal(found.vectors[0, : len(expected)], expected)
            assert (found.steps, found.problems) == ((1,), ())
            checked += 1
        # In both, the labels belong to the variable "embedding".
        labels = f"{folder}/metadata.tsv".lstrip("/")
        check_labels(
            log.embedding(run, f"embedding{VARIABLE}"), files[labels], CASES / case / "logdir" / labels
        )
    assert checked == 2


def test_tensorflow_sprite() -> None:
    log = runglass.open(CASES / "tf_projector_digits/logdir")
    assert log.embeddings(".") == [f"embedding{VARIABLE}", f"second{VARIABLE}"]
    digits, second = (log.embedding(".", name) for name in log.embeddings("."))
    check_sprite(digits, other_files(CASES / "tf_projector_digits/manifest.json")["sprite.png"])
    assert (second.sprite, second.metadata) == (None, {})
    assert digits.sprite is not None
    # The pictures were made of the vectors.
    for row in (0, 1, 399):
        gray = digits.sprite[row][..., 0].ravel() / 255
        assert np.abs(gray - digits.vectors[row]).max() < 0.01


def test_torch() -> None:
    files = other_files(CASES / "torch_embedding/manifest.json")
    log = runglass.open(TORCH)
    assert log.embeddings("emb") == ["digits", "multi col", "words", "default"]
    steps = {name: log.embedding("emb", name).steps for name in log.embeddings("emb")}
    assert steps == {"digits": (0,), "multi col": (5,), "words": (1,), "default": (0, 2)}
    for name, numbers in steps.items():
        for step in numbers:
            found = log.embedding("emb", name, step)
            folder = f"emb/{step:05d}/{name}"
            truth = files[f"{folder}/tensors.tsv"]
            assert found.shape == (truth["lines"], truth["columns"])
            first = truth["first_line"].split("\t")
            # The manifest cuts long lines.
            whole = len(first) if len(first) == truth["columns"] else len(first) - 1
            assert np.array_equal(found.vectors[0, :whole], np.array(first[:whole], np.float32))
            rows = [line.split("\t") for line in (TORCH / folder / "tensors.tsv").read_text().splitlines()]
            assert np.array_equal(found.vectors, np.array(rows, np.float64).astype(np.float32))
            if f"{folder}/metadata.tsv" in files:
                check_labels(found, files[f"{folder}/metadata.tsv"], TORCH / folder / "metadata.tsv")
            else:
                assert found.metadata == {}
            if f"{folder}/sprite.png" in files:
                check_sprite(found, files[f"{folder}/sprite.png"])
            else:
                assert found.sprite is None
            # The name in the config means the same.
            assert np.array_equal(log.embedding("emb", f"{name}:{step:05d}").vectors, found.vectors)


def test_keras_weights_are_steps() -> None:
    log = runglass.open(KERAS)
    assert log.embeddings("all_options")[0] == KERAS_NAME
    found = log.embedding("all_options")
    assert (found.shape, found.steps, found.problems) == ((40, 6), (0, 1, 2), ())
    # As h5py reads them.
    first = [log.embedding("all_options", KERAS_NAME, step).vectors[0, :2].tolist() for step in range(3)]
    assert first == [
        [0.07031930983066559, 0.028486818075180054],
        [0.09792142361402512, 0.02371203526854515],
        [0.12423088401556015, 0.018031204119324684],
    ]
    last = [-0.05595909059047699, 0.02717721275985241, -0.0791134163737297]
    assert found.vectors[-1, :3].tolist() == last
    files = other_files(CASES / "keras_callback_all/manifest.json")
    check_labels(found, files["all_options/metadata.tsv"], KERAS / "all_options/metadata.tsv")
    # The other matrices are offered, those of the optimizer are not.
    assert log.embeddings("all_options")[1:] == ["layers/dense/vars/0", "layers/dense_1/vars/0"]


def test_the_order_of_the_listing(tmp_path: Path) -> None:
    """With labels first, then those of a config, then the larger ones."""
    shutil.copytree(KERAS / "all_options", tmp_path / "a")
    listed = list_embeddings(runglass.open(tmp_path).source)
    assert [(each.has_metadata, each.is_offered, each.rows) for each in listed] == [
        (True, False, 40),
        (False, True, 150),
        (False, True, 12),
    ]
