"""Files with arrays by name: which format a file has, what is in it, and one of its arrays as a matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from runglass.query.embeddings.formats.checkpoint_v1 import CheckpointV1
from runglass.query.embeddings.formats.checkpoint_v2 import INDEX_ENDING, CheckpointV2
from runglass.query.embeddings.formats.content import Content
from runglass.query.embeddings.formats.hdf5 import Hdf5File, is_hdf5
from runglass.query.embeddings.formats.numbers import Variable
from runglass.query.embeddings.formats.numpy_files import ZIP_START, NpzFile
from runglass.query.embeddings.formats.safetensors import SafetensorsFile, SafetensorsShards, is_safetensors
from runglass.query.embeddings.formats.sorted_table import is_table
from runglass.query.embeddings.model import EmbeddingDamaged, Matrix


class Arrays(Protocol):
    """The arrays of one file, or of one checkpoint."""

    @property
    def variables(self) -> Sequence[Variable]: ...

    def matrix(self, name: str) -> Matrix:
        """Raises EmbeddingUnknown if there is none of this name, EmbeddingDamaged if it is no matrix of numbers."""
        ...


def open_arrays(content: Content) -> Arrays | None:
    """The arrays of one file, whose first or last bytes tell what it is; None if it is none of this kind."""
    if is_hdf5(content):
        return Hdf5File(content)
    if content.read(0, 4) == ZIP_START:
        return NpzFile(content)
    if is_table(content):
        return CheckpointV1([content])
    if is_safetensors(content):
        return SafetensorsFile(content)
    return None


def open_checkpoint_files(contents: Sequence[Content], shards: Mapping[int, Content]) -> Arrays:
    """The arrays of one checkpoint; `shards` by number, if its version has some."""
    main = contents[0]
    if main.name.endswith(INDEX_ENDING):
        return CheckpointV2(main, shards)
    if is_table(main):
        return CheckpointV1(contents)
    if len(contents) > 1 and all(is_safetensors(each) for each in contents):
        return SafetensorsShards([SafetensorsFile(each) for each in contents])
    found = open_arrays(main)
    if found is None:
        raise EmbeddingDamaged(f"{main.name} is not a checkpoint in a known format.", where=main.name)
    return found


def choose_matrix(arrays: Arrays, name: str, where: str) -> str:
    """The array that is meant by an embedding's name: the one of this name, or the largest matrix."""
    known = {variable.name: variable for variable in arrays.variables}
    if name in known:
        return name
    matrices = [variable for variable in known.values() if variable.is_matrix]
    if not matrices:
        raise EmbeddingDamaged(f"{where} has no matrix of numbers.", where=where)
    return max(matrices, key=lambda each: each.shape[0] * each.shape[1]).name
