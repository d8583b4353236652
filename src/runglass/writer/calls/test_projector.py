from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest

from runglass.errors import BadArgument
from runglass.projector import EmbeddingInfo, ProjectorConfig, log_embedding, visualize_embeddings
from runglass.schema.projector import PROJECTOR_FILE
from runglass.writer.calls.projector import add_embedding, encode_name, load_config
from runglass.writer.files.folders import open_folder
from runglass.writer.values.embedding_files import (
    MAX_SPRITE_PX,
    encode_metadata,
    encode_sprite,
    encode_vectors,
    make_tiles,
    shrink,
)
from runglass.writer.values.png import encode_png

RNG = np.random.default_rng(5)
VECTORS = RNG.normal(size=(5, 3)).astype(np.float32)


def names(directory: Path) -> list[str]:
    return [info.tensor_name for info in load_config(open_folder(directory)).embeddings]


def files(directory: Path) -> set[str]:
    return {path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file()}


def test_one_call_writes_everything(tmp_path: Path) -> None:
    log_embedding(tmp_path, VECTORS, list("abcde"), np.zeros((5, 4, 6)), name="a/b", step=7)
    folder = "00007/a%2fb"
    assert files(tmp_path) == {PROJECTOR_FILE} | {
        f"{folder}/{name}" for name in ("tensors.tsv", "metadata.tsv", "sprite.png")
    }
    (info,) = load_config(open_folder(tmp_path)).embeddings
    assert info.tensor_name == "a/b:00007"
    assert (info.tensor_path, info.metadata_path) == (f"{folder}/tensors.tsv", f"{folder}/metadata.tsv")
    assert info.tensor_shape == [5, 3]
    assert (info.sprite.image_path, info.sprite.single_image_dim) == (f"{folder}/sprite.png", [6, 4])


def test_a_rerun_replaces_its_own_entry_only(tmp_path: Path) -> None:
    (tmp_path / PROJECTOR_FILE).write_text(
        'embeddings { tensor_name: "theirs" bookmarks_path: "b" }\nmodel_checkpoint_path: "c"'
    )
    log_embedding(tmp_path, VECTORS, list("abcde"))
    log_embedding(tmp_path, VECTORS, step=1)
    log_embedding(tmp_path, VECTORS[:2])
    config = load_config(open_folder(tmp_path))
    assert config.model_checkpoint_path == "c"
    assert names(tmp_path) == ["theirs", "default:00001", "default:00000"]
    assert config.embeddings[0].bookmarks_path == "b"
    assert config.embeddings[2].tensor_shape == [2, 3]
    assert config.embeddings[2].metadata_path == ""


def test_the_last_of_repeated_entries_is_kept(tmp_path: Path) -> None:
    (tmp_path / PROJECTOR_FILE).write_text(
        'embeddings { tensor_name: "x" tensor_path: "1" } embeddings {} embeddings { tensor_name: "x" tensor_path: "2" } embeddings {}'
    )
    assert [info.tensor_path for info in load_config(open_folder(tmp_path)).embeddings] == ["2", "", ""]


def test_an_unreadable_config_is_renamed(tmp_path: Path) -> None:
    (tmp_path / PROJECTOR_FILE).write_text("embeddings {")
    with pytest.warns(RuntimeWarning, match="line 1.*unreadable"):
        log_embedding(tmp_path, VECTORS)
    assert names(tmp_path) == ["default:00000"]
    assert (tmp_path / f"{PROJECTOR_FILE}.unreadable").read_text() == "embeddings {"


@pytest.mark.parametrize("name", ["..", ".", "", "a/../b", "x\\y", "a\0b"])
def test_no_name_leaves_the_directory(tmp_path: Path, name: str) -> None:
    log_embedding(tmp_path, VECTORS, name=name)
    assert len(list(tmp_path.glob("00000/*/tensors.tsv"))) == 1
    assert encode_name("50%") != encode_name("50%25")


def test_vectors_come_back_exactly() -> None:
    vectors = RNG.integers(0, 2**32, (3000, 7), dtype=np.uint32).view(np.float32)
    text = b"".join(encode_vectors(vectors)).decode()
    read = np.array([line.split("\t") for line in text.splitlines()], dtype=np.float32)
    assert np.array_equal(read, vectors, equal_nan=True)


@pytest.mark.parametrize(
    ("metadata", "header", "text"),
    [
        (["a", "b"], None, "a\nb\n"),
        ([1, 2.5], None, "1\n2.5\n"),
        (np.array([3, 4]), None, "3\n4\n"),
        ([np.int64(3), b"\xc3\xa9"], None, "3\né\n"),
        (["a\tb\n", "\r"], None, "a\\tb\\n\n\\r\n"),
        (["", "  "], None, "(empty)\n(empty)\n"),
        (["a", "b"], ["label"], "a\nb\n"),
        ([["a"], ["b"]], ["label"], "a\nb\n"),
        ([["a", 1], ("b", 2)], ["x", "y\t"], "x\ty\\t\na\t1\nb\t2\n"),
        ([["", 1], ["", ""]], ["x", "y"], "x\ty\n\t1\n(empty)\n"),
        (["\ud800", "b"], None, "?\nb\n"),
    ],
)
def test_labels(metadata: object, header: list[str] | None, text: str) -> None:
    assert encode_metadata(metadata, header, 2).decode() == text


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ({"vectors": np.zeros(3)}, "vectors"),
        ({"vectors": np.zeros((0, 3))}, "vectors"),
        ({"vectors": np.zeros((2, 2), complex)}, "vectors"),
        ({"metadata": ["a"]}, "metadata"),
        ({"metadata": "abcde"}, "metadata"),
        ({"metadata": [["a", "b"]] * 4 + [["a"]], "metadata_header": ["x", "y"]}, "metadata"),
        ({"metadata": [["a", "b"]] * 5}, "metadata_header"),
        ({"metadata": [["a", "b"]] * 5, "metadata_header": ["x"]}, "metadata_header"),
        ({"images": np.zeros((4, 8, 8))}, "images"),
        ({"images": np.zeros((5, 3, 8, 8))}, "images"),
        ({"images": np.zeros((5, 8))}, "images"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_written(
    tmp_path: Path, arguments: dict, where: str
) -> None:
    with pytest.raises(BadArgument) as refused:
        log_embedding(tmp_path / "run", **{"vectors": VECTORS, **arguments})
    assert refused.value.where == where
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("points", [1, 2, 4, 5, 9, 12])
def test_tiles_fill_a_square_grid_row_by_row(points: int) -> None:
    tiles = RNG.integers(0, 256, (points, 3, 2, 4), dtype=np.uint8)
    side = math.ceil(math.sqrt(points))
    grid = np.zeros((side * 3, side * 2, 4), np.uint8)
    for index, tile in enumerate(tiles):
        y, x = divmod(index, side)
        grid[y * 3 : y * 3 + 3, x * 2 : x * 2 + 2] = tile
    assert encode_sprite(tiles) == encode_png(grid)


def test_tiles_shrink_until_the_sprite_fits() -> None:
    tiles = make_tiles(np.zeros((2, 6000, 300), np.uint8), 2)
    assert tiles.shape == (2, 4096, 204, 1)
    many = make_tiles(np.broadcast_to(np.uint8(9), (100, 1000, 40)), 100)
    assert many.shape[1] * 10 <= MAX_SPRITE_PX
    assert many.shape == (100, 819, 32, 1)
    assert (many == 9).all()


def test_shrinking_averages_pixels() -> None:
    tile = np.arange(16, dtype=np.uint8).reshape(1, 4, 4, 1) * 10
    assert shrink(tile, 2, 2)[0, :, :, 0].tolist() == [[25, 45], [105, 125]]
    uneven = np.array([0, 60, 120], np.uint8).reshape(1, 1, 3, 1)
    assert shrink(uneven, 1, 2)[0, 0, :, 0].tolist() == [20, 100]


def test_torch_order_of_axes(tmp_path: Path) -> None:
    pictures = RNG.random((5, 3, 4, 6))
    add_embedding(tmp_path / "torch", VECTORS, label_img=pictures, global_step=None)
    log_embedding(tmp_path / "ours", VECTORS, images=np.moveaxis(pictures, 1, 3))
    sprite = "00000/default/sprite.png"
    assert (tmp_path / "torch" / sprite).read_bytes() == (tmp_path / "ours" / sprite).read_bytes()
    with pytest.raises(BadArgument, match="label_img"):
        add_embedding(tmp_path, VECTORS, label_img=np.zeros((5, 8, 8)))


def test_an_error_of_the_disk_only_warns_in_training(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.warns(RuntimeWarning, match="could not be written"):
        add_embedding(tmp_path / "file", VECTORS)
    with pytest.raises(OSError, match="file"):
        log_embedding(tmp_path / "file", VECTORS)


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log_embedding(tmp_path, VECTORS)
    before = {name: (tmp_path / name).read_bytes() for name in files(tmp_path)}

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        log_embedding(tmp_path, VECTORS * 2)
    assert {name: (tmp_path / name).read_bytes() for name in files(tmp_path)} == before


def test_a_config_is_filled_in_as_in_tensorboard(tmp_path: Path) -> None:
    config = ProjectorConfig()
    embedding = config.embeddings.add()
    embedding.tensor_name = "x"
    embedding.sprite.image_path = "s.png"
    embedding.sprite.single_image_dim.extend([8, 9])
    assert config.embeddings.add(tensor_name="y").sprite.single_image_dim == []
    with pytest.raises(AttributeError):
        embedding.tensorname = "y"

    class Writer:
        def get_logdir(self) -> str:
            return str(tmp_path / "run")

    visualize_embeddings(Writer(), config)
    assert load_config(open_folder(tmp_path / "run")) == config
    assert isinstance(config.embeddings[0], EmbeddingInfo)
    with pytest.raises(BadArgument, match="logdir"):
        visualize_embeddings(None, config)


def test_any_url_that_fsspec_knows(tmp_path: Path) -> None:
    memory = pytest.importorskip("fsspec").filesystem("memory")
    url = "memory://projector-test/run"
    for step in (0, 1, 0):
        log_embedding(url, VECTORS, list("abcde"), name="a", step=step)
    assert [info.tensor_name for info in load_config(open_folder(url)).embeddings] == ["a:00001", "a:00000"]
    assert memory.cat_file("/projector-test/run/00001/a/metadata.tsv") == b"a\nb\nc\nd\ne\n"
    memory.pipe_file("/projector-test/run/projector_config.pbtxt", b"{")
    with pytest.warns(RuntimeWarning, match="unreadable"):
        log_embedding(url, VECTORS)
    assert memory.cat_file("/projector-test/run/projector_config.pbtxt.unreadable") == b"{"
    log_embedding(tmp_path.as_uri(), VECTORS)
    assert names(tmp_path) == ["default:00000"]


def test_an_error_of_a_store_only_warns_in_training(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = pytest.importorskip("fsspec").filesystem("memory")

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no credentials")

    monkeypatch.setattr(type(memory), "pipe_file", fail)
    with pytest.warns(RuntimeWarning, match="no credentials"):
        add_embedding("memory://projector-test/other", VECTORS)
