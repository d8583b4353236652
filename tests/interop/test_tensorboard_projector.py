"""TensorBoard's projector plugin on what we write: its routes serve the same vectors, labels and sprite."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

from runglass.projector import ProjectorConfig, log_embedding, visualize_embeddings
from runglass.writer.calls.projector import add_embedding, load_config
from runglass.writer.files.folders import open_folder

with warnings.catch_warnings():
    # TensorBoard may import deprecated packages, which must not fail our tests.
    warnings.simplefilter("ignore", DeprecationWarning)
    from tensorboard.plugins.base_plugin import TBContext
    from tensorboard.plugins.projector import projector_config_pb2
    from tensorboard.plugins.projector.projector_plugin import ProjectorPlugin
    from werkzeug.test import Client, EnvironBuilder

RNG = np.random.default_rng(3)
VECTORS = np.concatenate([RNG.normal(size=(6, 4)), [[np.inf, -np.inf, 1e-45, 3.4e38]]]).astype(np.float32)


class Runs:
    """The part of TensorBoard's data provider that the plugin uses."""

    def list_runs(self, _context: object, *, experiment_id: str) -> list:
        return []


def ask(logdir: Path, route: str, **query: str) -> bytes:
    plugin = ProjectorPlugin(TBContext(logdir=str(logdir), data_provider=Runs()))
    with Client(plugin.get_plugin_apps()[f"/{route}"]).open(EnvironBuilder(query_string=query)) as answer:
        assert answer.status_code == 200, answer.data
        return answer.data


def test_log_embedding(tmp_path: Path) -> None:
    pictures = RNG.integers(0, 256, (7, 4, 6, 3), dtype=np.uint8)
    labels = [["tab\there", 1], ["", 2], ["é", 3], *[["x", 4]] * 4]
    log_embedding(tmp_path, VECTORS, labels, pictures, name='na/"me', metadata_header=["word", "rank"])
    assert json.loads(ask(tmp_path, "runs")) == ["."]
    (info,) = json.loads(ask(tmp_path, "info", run="."))["embeddings"]
    assert info["tensorName"] == 'na/"me:00000'
    assert info["tensorShape"] == [7, 4]
    assert info["sprite"]["singleImageDim"] == [6, 4]
    name = info["tensorName"]
    served = np.frombuffer(ask(tmp_path, "tensor", run=".", name=name), np.float32)
    assert np.array_equal(served.reshape(7, 4), VECTORS)
    lines = ask(tmp_path, "metadata", run=".", name=name).decode().splitlines()
    assert lines[:4] == ["word\trank", "tab\\there\t1", "\t2", "é\t3"]
    assert (
        ask(tmp_path, "sprite_image", run=".", name=name)
        == (tmp_path / info["sprite"]["imagePath"]).read_bytes()
    )


def test_the_sprite_holds_the_pictures(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    pictures = RNG.integers(0, 256, (7, 4, 6, 3), dtype=np.uint8)
    log_embedding(tmp_path, VECTORS, images=pictures)
    with image.open(tmp_path / "00000/default/sprite.png") as file:
        pixels = np.asarray(file)
    assert pixels.shape == (12, 18, 3)
    for index, picture in enumerate(pictures):
        y, x = divmod(index, 3)
        assert np.array_equal(pixels[y * 4 : y * 4 + 4, x * 6 : x * 6 + 6], picture)


def test_several_embeddings(tmp_path: Path) -> None:
    for step in (1, 2, 1):
        add_embedding(tmp_path, VECTORS - step, metadata=list("abcdefg"), global_step=step, tag="t")
    infos = json.loads(ask(tmp_path, "info", run="."))["embeddings"]
    assert [info["tensorName"] for info in infos] == ["t:00002", "t:00001"]
    for step in (1, 2):
        served = np.frombuffer(ask(tmp_path, "tensor", run=".", name=f"t:0000{step}"), np.float32)
        assert np.array_equal(served.reshape(7, 4), VECTORS - np.float32(step))


@pytest.mark.parametrize("message", [ProjectorConfig, projector_config_pb2.ProjectorConfig])
def test_either_config(tmp_path: Path, message: type) -> None:
    log_embedding(tmp_path, VECTORS)
    config = message(model_checkpoint_path="back\\slash \"quoted\" 'ä'\n\x01")
    embedding = config.embeddings.add()
    embedding.tensor_name = "mine"
    embedding.tensor_path = "00000/default/tensors.tsv"
    embedding.sprite.single_image_dim.extend([1, 2])
    visualize_embeddings(tmp_path, config)
    served = json.loads(ask(tmp_path, "info", run="."))
    assert served["modelCheckpointPath"] == config.model_checkpoint_path
    assert served["embeddings"][0]["sprite"] == {"singleImageDim": [1, 2]}
    assert load_config(open_folder(tmp_path)).model_checkpoint_path == config.model_checkpoint_path
