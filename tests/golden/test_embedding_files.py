"""Every format of vectors, in files that TensorFlow, h5py and safetensors wrote (make_embedding_files.py), read without them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import runglass
from runglass.query.embeddings.formats.arrays import open_arrays
from runglass.query.embeddings.formats.content import BytesContent
from runglass.query.embeddings.listing import list_embeddings
from runglass.query.embeddings.model import EmbeddingDamaged, EmbeddingUnknown
from runglass.query.embeddings.read import read_file

FILES = Path(__file__).parent / "embeddings/files"
CHECKPOINTS = ("v1", "v1_parts", "v1_sharded", "v2", "v2_parts", "v2_column_parts", "v2_shards")


def matrix(rows: int = 20, columns: int = 4) -> NDArray[np.float32]:
    return (np.arange(rows * columns).reshape(rows, columns) - 5).astype(np.float32)


def copy_run(name: str, logdir: Path) -> None:
    shutil.copytree(FILES / name, logdir / name)
    with runglass.SummaryWriter(logdir / name) as writer:
        writer.add_scalar("loss", 1.0, 0)


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_checkpoints_without_a_config_are_offered(name: str, tmp_path: Path) -> None:
    copy_run(name, tmp_path)
    log = runglass.open(tmp_path)
    # The slot of the optimizer and the vector are not among them.
    found = log.embeddings(name)
    assert found[0] == "emb"
    assert all(each.startswith("as_") for each in found[1:])
    assert len(found) == (1 if "parts" in name or name == "v2_shards" else 7 if name.startswith("v1") else 10)
    for step in (5, 30):
        emb = log.embedding(name, "emb", step)
        assert (emb.steps, emb.source.dtype) == ((5, 30), "float32")
        assert np.array_equal(emb.vectors, matrix())
        assert np.array_equal(emb.source.vectors(3, 15), matrix()[3:15])
    for each in found[1:]:
        typed = log.embedding(name, each)
        assert typed.source.dtype == each.removeprefix("as_")
        numbers = np.arange(6).reshape(2, 3)
        assert np.array_equal(typed.vectors, numbers != 0 if each == "as_bool" else numbers)


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_a_config_names_a_variable(name: str, tmp_path: Path) -> None:
    shutil.copytree(FILES / name, tmp_path / name)
    (tmp_path / name / "labels.tsv").write_text("".join(f"word {row}\n" for row in range(20)))
    (tmp_path / name / "projector_config.pbtxt").write_text(
        'embeddings { tensor_name: "emb:0" metadata_path: "labels.tsv" }'
    )
    log = runglass.open(tmp_path)
    assert log.embeddings(name)[0] == "emb"
    emb = log.embedding(name, "emb")
    assert np.array_equal(emb.vectors, matrix())
    assert emb.metadata["label"][19] == "word 19"
    assert (emb.step, emb.problems) == (30, ())


def test_the_checkpoint_that_a_config_names(tmp_path: Path) -> None:
    shutil.copytree(FILES / "v2", tmp_path / "a/weights")
    (tmp_path / "a/projector_config.pbtxt").write_text(
        'model_checkpoint_path: "weights/model.ckpt-5" embeddings { tensor_name: "emb" }'
    )
    (tmp_path / "b").mkdir()
    shutil.copytree(FILES / "v2", tmp_path / "b/weights")
    (tmp_path / "b/projector_config.pbtxt").write_text(
        'model_checkpoint_dir: "weights" embeddings { tensor_name: "emb" }'
    )
    shutil.copytree(FILES / "v2", tmp_path / "c")
    plugin = tmp_path / "c/plugins/org_tensorflow_tensorboard_projector"
    plugin.mkdir(parents=True)
    (plugin / "projector_config.pbtxt").write_text('embeddings { tensor_name: "emb" }')
    log = runglass.open(tmp_path)
    assert {run: log.embedding(run, "emb").steps for run in log.runs} == {
        "a": (5,),
        "b": (5, 30),
        "c": (5, 30),
    }


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    copy_run("v2_parts", tmp_path)
    (tmp_path / "v2_parts/model.ckpt-30.data-00000-of-00001").unlink()
    log = runglass.open(tmp_path)
    with pytest.raises(EmbeddingDamaged, match=r"model\.ckpt-30\.data-00000-of-00001 is missing"):
        _ = log.embedding("v2_parts", "emb").vectors
    # The others are not affected.
    assert np.array_equal(log.embedding("v2_parts", "emb", 5).vectors, matrix())


def test_a_variable_that_lies_in_several_shards(tmp_path: Path) -> None:
    copy_run("v2_shards", tmp_path)
    shards = sorted(path.name for path in (tmp_path / "v2_shards").glob("model.ckpt-30.data-*"))
    # The first has other variables.
    assert shards == [f"model.ckpt-30.data-0000{number}-of-00004" for number in range(4)]
    vectors = runglass.open(tmp_path).embedding("v2_shards", "emb").source.vectors
    # Every range of rows, whichever shards it is in.
    for start in range(20):
        for stop in range(start, 21):
            assert np.array_equal(vectors(start, stop), matrix()[start:stop])
    (tmp_path / "v2_shards" / shards[2]).unlink()
    with pytest.raises(EmbeddingDamaged, match="data-00002-of-00004 is missing"):
        _ = runglass.open(tmp_path).embedding("v2_shards", "emb").vectors


@pytest.mark.parametrize("place", [0, 100, -60, -45, -1])
def test_damage_of_a_checkpoint_is_noticed(place: int, tmp_path: Path) -> None:
    copy_run("v2", tmp_path)
    (tmp_path / "v2/checkpoint").unlink()
    for path in (tmp_path / "v2").glob("model.ckpt-5.*"):
        path.unlink()
    index = tmp_path / "v2/model.ckpt-30.index"
    data = bytearray(index.read_bytes())
    data[place] ^= 1
    index.write_bytes(data)
    # Without a config, what cannot be read is not offered.
    assert runglass.open(tmp_path).embeddings("v2") == []
    (tmp_path / "v2/projector_config.pbtxt").write_text(
        'model_checkpoint_path: "model.ckpt-30" embeddings { tensor_name: "emb" }'
    )
    with pytest.raises(EmbeddingDamaged, match=r"model\.ckpt-30\.index"):
        runglass.open(tmp_path).embedding("v2", "emb")


def test_damage_of_vectors_is_noticed(tmp_path: Path) -> None:
    copy_run("v2", tmp_path)
    path = tmp_path / "v2/model.ckpt-30.data-00000-of-00001"
    whole = path.read_bytes()
    data = bytearray(whole)
    data[whole.index(matrix().tobytes()) + 50] ^= 1
    path.write_bytes(data)
    log = runglass.open(tmp_path)
    with pytest.raises(EmbeddingDamaged, match="fail their checksum"):
        _ = log.embedding("v2", "emb").vectors
    assert log.embedding("v2", "as_int32").vectors[1, 2] == 5
    path.write_bytes(whole[:-400])
    with pytest.raises(EmbeddingDamaged, match="cut short"):
        _ = runglass.open(tmp_path).embedding("v2", "emb").vectors


@pytest.mark.parametrize("name", ["old.h5", "new.h5"])
def test_hdf5(name: str) -> None:
    file = open_arrays(BytesContent(name, (FILES / name).read_bytes()))
    assert file is not None
    shapes = {variable.name: variable.shape for variable in file.variables}
    assert [shapes[f"ordered/{number}"] for number in range(12)] == [(3, 2)] * 12
    assert "kinds/texts" not in shapes
    for number in range(12):
        assert np.array_equal(file.matrix(f"ordered/{number}").read(0, 3), matrix(3, 2) + number)
    readable = ["few/0", "kinds/whole", *(["kinds/chunks", "kinds/gzip"] if name == "old.h5" else [])]
    for each in readable:
        found = file.matrix(each)
        assert np.array_equal(found.read(0, 20), matrix())
        assert np.array_equal(found.read(6, 15), matrix()[6:15])
    for each in ("f2", "f8", ">f4", ">i2", "u4"):
        assert np.array_equal(file.matrix(f"kinds/as {each}").read(0, 2), np.arange(6).reshape(2, 3))
    assert file.matrix("kinds/bfloat16").dtype == "bfloat16"
    assert np.array_equal(file.matrix("kinds/bfloat16").read(0, 20), matrix())
    assert not file.matrix("kinds/never_written").read(0, 3).any()
    with pytest.raises(EmbeddingDamaged, match="lzf" if name == "old.h5" else "indexed in a way"):
        file.matrix("kinds/lzf")
    with pytest.raises(EmbeddingUnknown):
        file.matrix("kinds/other")


def write_safetensors(path: Path, tensors: dict[str, np.ndarray]) -> None:
    header, data = {}, b""
    for name, values in tensors.items():
        raw = values.astype("<f4").tobytes()
        header[name] = {
            "dtype": "F32",
            "shape": list(values.shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def test_shards_of_safetensors_are_one_checkpoint(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    with runglass.SummaryWriter(run) as writer:
        writer.add_scalar("loss", 1.0, 0)
    first, second = np.arange(12.0).reshape(4, 3), np.ones((5, 2))
    write_safetensors(run / "model-00001-of-00002.safetensors", {"words": first})
    write_safetensors(run / "model-00002-of-00002.safetensors", {"places": second, "bias": np.ones(3)})
    log = runglass.open(tmp_path)
    assert sorted(log.embeddings("run")) == ["places", "words"]
    assert np.array_equal(log.embedding("run", "words").vectors, first)
    assert np.array_equal(log.embedding("run", "places").vectors, second)
    # The number of a shard is no step.
    assert [each.steps for each in list_embeddings(log.source)] == [(), ()]


def test_safetensors(tmp_path: Path) -> None:
    data = (FILES / "model.safetensors").read_bytes()
    # Of a file that is dropped, the largest matrix is taken.
    assert np.array_equal(read_file("model.safetensors", data).vectors(), matrix())
    run = tmp_path / "run"
    run.mkdir()
    (run / "model.safetensors").write_bytes(data)
    (run / "projector_config.pbtxt").write_text(
        'embeddings { tensor_name: "bf" tensor_path: "model.safetensors" }'
    )
    log = runglass.open(tmp_path)
    assert sorted(log.embeddings("run")) == ["bf", "emb", "half"]
    for name, dtype in (("bf", "bfloat16"), ("half", "float16"), ("emb", "float32")):
        found = log.embedding("run", name)
        assert (found.source.dtype, found.vectors.dtype) == (dtype, np.float32)
        assert np.array_equal(found.vectors, matrix())
    with pytest.raises(EmbeddingDamaged, match="cut short"):
        read_file("model.safetensors", data[: len(data) // 2])
