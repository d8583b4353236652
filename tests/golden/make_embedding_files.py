"""Writes embeddings/files/ with TensorFlow, h5py and safetensors, in an environment that has them: python make_embedding_files.py

Every matrix holds the numbers of `matrix()`; the tests compute the same.
"""

from __future__ import annotations

import os
from itertools import cycle
from pathlib import Path
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import h5py
import ml_dtypes
import numpy as np
import safetensors.numpy
import tensorflow as tf

v1 = tf.compat.v1
OUT = Path(__file__).parent / "embeddings/files"
TYPES = ("float64", "int64", "int32", "int16", "int8", "uint8")
NEW_TYPES = (*TYPES, "float16", "bfloat16", "bool")


def matrix(rows: int = 20, columns: int = 4) -> Any:
    return (np.arange(rows * columns).reshape(rows, columns) - 5).astype(np.float32)


def write_checkpoint(
    name: str,
    version: int,
    *,
    parts: int | None = None,
    axis: int = 0,
    devices: int = 1,
    sharded: bool = False,
) -> None:
    """`devices`: the parts lie on so many in turn; where it is sharded, each of them writes a file."""
    (OUT / name).mkdir(parents=True, exist_ok=True)
    places = cycle(f"/cpu:{number}" for number in range(devices))

    def place(op: Any) -> str:
        return next(places) if op.type == "VariableV2" and op.name.startswith("emb/part") else ""

    config = v1.ConfigProto(device_count={"CPU": devices})
    with tf.Graph().as_default(), v1.device(place), v1.Session(config=config) as session:
        partitioner = v1.fixed_size_partitioner(parts, axis=axis) if parts else None
        variable = v1.get_variable("emb", matrix().shape, partitioner=partitioner, use_resource=False)
        v1.get_variable("bias", (4,), use_resource=False)
        v1.get_variable("emb/Adam", matrix().shape, use_resource=False)
        session.run(v1.global_variables_initializer())
        for part in variable if parts else [variable]:
            rows, columns = part.shape.as_list()
            row, column = part._get_save_slice_info().var_offset if parts else (0, 0)
            part.load(matrix()[row : row + rows, column : column + columns], session)
        if not parts:
            for each in TYPES if version == v1.train.SaverDef.V1 else NEW_TYPES:
                typed = v1.get_variable(
                    f"as_{each}", (2, 3), each, v1.zeros_initializer(), use_resource=False
                )
                typed.load(np.arange(6).reshape(2, 3).astype(typed.dtype.base_dtype.as_numpy_dtype), session)
        saver = v1.train.Saver(write_version=version, sharded=sharded)
        for step in (5, 30):
            saver.save(session, str(OUT / name / "model.ckpt"), global_step=step, write_meta_graph=False)
    # As if the files came from another machine, whose paths they name.
    state = OUT / name / "checkpoint"
    state.write_text(state.read_text().replace(str(OUT), "/data/training"))


def write_hdf5(name: str, **options: Any) -> None:
    with h5py.File(OUT / name, "w", **options) as file:
        ordered = file.create_group("ordered", track_order=True)
        for number in range(12):
            ordered.create_dataset(f"{number}", data=matrix(3, 2) + number)
        file.create_group("few", track_order=True).create_dataset("0", data=matrix())
        kinds = file.create_group("kinds")
        kinds.create_dataset("chunks", data=matrix(), chunks=(7, 3))
        kinds.create_dataset(
            "gzip", data=matrix(), chunks=(7, 3), compression="gzip", shuffle=True, fletcher32=True
        )
        kinds.create_dataset("whole", data=matrix(), chunks=matrix().shape, compression="gzip")
        kinds.create_dataset("lzf", data=matrix(), chunks=(7, 3), compression="lzf")
        kinds.create_dataset("never_written", (3, 4), "f4")
        kinds.create_dataset("texts", data=np.array([b"a", b"b"]))
        for each in ("f2", "f8", ">f4", ">i2", "u4"):
            kinds.create_dataset(f"as {each}", data=np.arange(6).reshape(2, 3).astype(each))
        kinds.create_dataset("bfloat16", data=matrix().astype(ml_dtypes.bfloat16).view("V2"))
        kinds["circle"] = file


def main() -> None:
    old, new = v1.train.SaverDef.V1, v1.train.SaverDef.V2
    write_checkpoint("v1", old)
    write_checkpoint("v1_parts", old, parts=3)
    write_checkpoint("v1_sharded", old, sharded=True)
    write_checkpoint("v2", new)
    write_checkpoint("v2_parts", new, parts=3)
    write_checkpoint("v2_column_parts", new, parts=2, axis=1)
    write_checkpoint("v2_shards", new, parts=3, devices=3, sharded=True)
    write_hdf5("old.h5")
    write_hdf5("new.h5", libver="latest")
    tensors = {
        "emb": matrix(),
        "half": matrix().astype(np.float16),
        "bf": matrix().astype(ml_dtypes.bfloat16),
    }
    safetensors.numpy.save_file(
        {**tensors, "bias": np.zeros(3, np.float32)}, OUT / "model.safetensors", {"by": "me"}
    )


if __name__ == "__main__":
    main()
