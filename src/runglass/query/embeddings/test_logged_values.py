import numpy as np
import pytest

from runglass.query.embeddings.logged_values import read_logged_columns
from runglass.query.embeddings.model import Column
from runglass.query.memory import MemorySource
from runglass.store.model import Kind

LABELS = {"name": Column.of("name", ["ant", "bee", "cat", "dog"])}


def read(source, step=None, rows=4, columns=LABELS):
    found = read_logged_columns(source, "train", rows, step=step, columns=columns)
    return {name: column.values for name, column in found.items()}


def add_tensors(tag, *values):
    steps = [10 * number for number in range(len(values))]
    return MemorySource().add_values(
        "train", tag, Kind.TENSOR, step=steps, values=[np.asarray(each) for each in values]
    )


def test_a_tensor_with_a_number_for_each_row():
    source = add_tensors("loss", np.float32([0.1, 2, np.nan, 4]), np.float32([1.5, 2, 3, 4]))
    assert read(source) == {"loss": ["1.5", "2.0", "3.0", "4.0"]}
    assert read(source, step=9) == {"loss": ["0.1", "2.0", None, "4.0"]}
    # Nothing was logged so early.
    assert read(source, step=-5) == read(source, step=0)


@pytest.mark.parametrize("value", [np.int64([[3], [1], [3], [2]]), np.float64([3, 1, 3, 2])])
def test_whole_numbers_are_written_as_such(value):
    assert read(add_tensors("predicted", value)) == {"predicted": ["3", "1", "3", "2"]}


@pytest.mark.parametrize("value", [np.zeros(5), np.zeros((4, 2)), np.array([b"a", b"b", b"c", b"d"])])
def test_other_tensors_are_no_columns(value):
    assert read(add_tensors("other", value)) == {}


def test_a_column_of_the_file_is_not_replaced():
    assert read(add_tensors("name", np.zeros(4))) == {}


def test_scalars_with_the_number_or_the_label_of_a_row():
    source = MemorySource()
    for row, name in enumerate(LABELS["name"].levels):
        source.add_scalars("train", f"loss/{name}", step=[0, 10], value=[row, row + 0.5])
        if row:
            source.add_scalars("train", f"margin_{row}", step=[5], value=[row])
    source.add_scalars("train", "layer/0", step=[0], value=[1])
    source.add_scalars("train", "margin_77", step=[0], value=[1])
    assert read(source) == {"loss": ["0.5", "1.5", "2.5", "3.5"], "margin": [None, "1", "2", "3"]}
    assert read(source, step=0)["loss"] == ["0", "1", "2", "3"]
    # Without labels, numbers alone tell rows.
    assert read(source, columns={}) == {"margin": [None, "1", "2", "3"]}


def test_a_run_without_anything_for_rows():
    source = MemorySource().add_scalars("train", "loss", step=[0], value=[1])
    assert read(source) == {}
