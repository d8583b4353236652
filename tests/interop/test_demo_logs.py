"""The demo's logs through TensorBoard's EventAccumulator and through Runglass: the same values."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import runglass
from runglass.demo import write_demo

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.util import tensor_util

KEEP_ALL = {"tensors": 0, "scalars": 0, "images": 0, "audio": 0, "histograms": 0}


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logdir = tmp_path_factory.mktemp("demo")
    write_demo(logdir, steps=40)
    return logdir


def test_the_accumulator_reads_the_same(logdir: Path) -> None:
    log = runglass.open(logdir)
    compared = graphs = 0
    for run in log.runs:
        theirs = EventAccumulator(str(logdir / run), size_guidance=KEEP_ALL)
        theirs.Reload()
        tags = log.tags(run)
        if tags.pop("__run_graph__", None):
            names = [(node.name, node.op, tuple(node.input)) for node in theirs.Graph().node]
            assert [(node.name, node.op, tuple(node.inputs)) for node in log.graph(run).nodes] == names
            graphs += 1
        assert sorted(tags) == sorted(theirs.Tags()["tensors"])
        for tag, kind in tags.items():
            events = theirs.Tensors(tag)
            ours = log.read(run, tag, attempts="all")
            assert [event.step for event in events] == ours.step.tolist()
            assert [event.wall_time for event in events] == ours.wall_time.tolist()
            if kind == "hparams":
                continue
            compared += 1
            arrays = [tensor_util.make_ndarray(event.tensor_proto) for event in events]
            if kind == "scalar":
                np.testing.assert_array_equal(
                    [array.item() for array in arrays], log.scalars(run, tag, attempts="all").value
                )
            elif kind == "histogram":
                # NaN and infinities have their own rows, which only Runglass reads.
                rows = ours.value[-1]
                finite = rows[np.isfinite(rows[:, :2]).all(axis=1)]
                np.testing.assert_array_equal(
                    arrays[-1] if len(finite) else arrays[-1][:, 2].sum(), finite if len(finite) else 0
                )
            elif kind in ("pr_curve", "mesh"):
                np.testing.assert_array_equal(arrays[-1], ours.value[-1])
            elif kind == "text":
                text = np.asarray(ours.value[0]).reshape(-1).tolist()
                assert [item.decode() for item in arrays[0].reshape(-1)] == text
            elif kind == "image":
                assert arrays[-1].tolist()[2:] == [image.data for image in ours.value[-1]]
            elif kind == "audio":
                assert arrays[-1].reshape(-1).tolist()[0] == ours.value[-1][0].data
    assert compared > 50
    assert graphs == 2
