"""runglass.summary beside tf.summary, with TensorFlow: eager, inside a tf.function, traced. Needs TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runglass
from runglass import hparams, summary
from runglass.native.wire import decode
from runglass.schema.graph import GRAPH
from runglass.schema.run_metadata import RUN_METADATA
from runglass.writer.calls.hparams_api import warn_of_tensorflow_writer

pytestmark = [pytest.mark.interop, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def tf() -> Any:
    return pytest.importorskip("tensorflow")


def values_of(logdir: Path) -> list[tuple[int, str, str, str, Any]]:
    """Step, tag, plugin, description and array of every value, in the order of the file, as TensorBoard reads it."""
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
    from tensorboard.util import tensor_util

    (file,) = logdir.glob("*tfevents*")
    found = []
    for event in EventFileLoader(str(file)).Load():
        for value in event.summary.value:
            array = tensor_util.make_ndarray(value.tensor)
            metadata = value.metadata
            found.append(
                (
                    event.step,
                    value.tag,
                    metadata.plugin_data.plugin_name,
                    metadata.plugin_data.content,
                    metadata.summary_description,
                    array,
                )
            )
    return found


def both(tmp_path: Path, tf: Any, log: Callable[[Any, Any], None]) -> tuple[list[Any], list[Any]]:
    """What `log(module, writer)` makes of runglass.summary and of tf.summary."""
    found = []
    for name, module in (("ours", summary), ("theirs", tf.summary)):
        writer = module.create_file_writer(str(tmp_path / name))
        log(module, writer)
        writer.close()
        found.append(values_of(tmp_path / name))
    return found[0], found[1]


def assert_same(ours: list[Any], theirs: list[Any]) -> None:
    """Every tag has the same values in the same order; those that take long to encode come later in our files."""
    ours, theirs = (sorted(values, key=lambda value: value[1]) for values in (ours, theirs))
    assert [value[:5] for value in ours] == [value[:5] for value in theirs]
    for mine, other in zip(ours, theirs, strict=True):
        assert mine[5].shape == other[5].shape, mine[1]
        if mine[5].dtype != object:
            np.testing.assert_allclose(mine[5], other[5], rtol=1e-6, err_msg=mine[1])
        elif mine[2] not in ("images", "audio"):
            assert mine[5].tolist() == other[5].tolist()
        elif mine[2] == "images":
            assert mine[5][:2].tolist() == other[5][:2].tolist()


def log_everything(module: Any, tf: Any, x: Any) -> None:
    module.scalar("scalar", tf.reduce_sum(x), description="a *sum*")
    module.scalar("python", 2.5)
    module.histogram("histogram", x, buckets=7)
    module.image("image", tf.ones([4, 3, 5, 3]) * 0.5, max_outputs=2)
    module.audio("audio", tf.zeros([2, 50, 1]), 8000, encoding="wav")
    module.text("text", tf.strings.as_string(tf.reduce_sum(x)))
    module.text("table", [["a", "b"], ["c", "d"]])
    with tf.name_scope("inner"):
        module.scalar("scoped", 1)


def test_eager_values_are_those_of_tensorflow(tmp_path: Path, tf: Any) -> None:
    def log(module: Any, writer: Any) -> None:
        with writer.as_default(step=3):
            log_everything(module, tf, tf.constant([1.0, 2.0, 4.0]))

    assert_same(*both(tmp_path, tf, log))


def test_values_inside_a_function_are_those_of_tensorflow(tmp_path: Path, tf: Any) -> None:
    def log(module: Any, writer: Any) -> None:
        step = tf.Variable(0, dtype=tf.int64)

        @tf.function
        def train(x: Any) -> Any:
            with writer.as_default(step=step):
                log_everything(module, tf, x)
            step.assign_add(10)
            return x

        for i in range(3):
            train(tf.constant([1.0, 2.0, 4.0]) * float(i + 1))

    ours, theirs = both(tmp_path, tf, log)
    assert len(ours) == 24
    assert_same(ours, theirs)


def test_program_order_and_conditions_in_loops_and_branches(tmp_path: Path, tf: Any) -> None:
    def log(module: Any, writer: Any) -> None:
        step = tf.Variable(0, dtype=tf.int64)

        @tf.function
        def train(count: Any) -> None:
            with writer.as_default():
                for i in tf.range(count):
                    module.scalar("first", tf.cast(i, tf.float32), step=step)
                    if i % 3 == 0:
                        module.scalar("third", tf.cast(i, tf.float32), step=step)
                    with module.record_if(lambda i=i: tf.equal(i % 2, 0)):
                        module.scalar("even", tf.cast(i, tf.float32), step=step)
                    module.scalar("last", 1.0, step=step)
                    step.assign_add(1)

        for _ in range(10):
            train(tf.constant(6))

    ours, theirs = both(tmp_path, tf, log)
    assert len(ours) == 10 * (6 + 2 + 3 + 6)
    assert [value[:2] for value in ours] == [value[:2] for value in theirs]
    assert_same(ours, theirs)


def test_a_missing_step_inside_a_function_raises(tmp_path: Path, tf: Any) -> None:
    with summary.create_file_writer(tmp_path) as writer:

        @tf.function
        def train() -> None:
            with writer.as_default():
                summary.scalar("a", 1)

        # TensorFlow wraps errors that are raised while it traces.
        with pytest.raises(Exception, match="No step is set"):
            train()


def test_half_and_double_precision(tmp_path: Path, tf: Any) -> None:
    with summary.create_file_writer(tmp_path) as writer, writer.as_default(step=0):
        summary.scalar("bfloat16", tf.constant(1.5, tf.bfloat16))
        summary.scalar("float64", tf.constant(0.1, tf.float64), double_precision=True)
        summary.histogram("histogram", tf.zeros([3], tf.bfloat16))
    log = runglass.open(tmp_path)
    assert log.scalars(".", "bfloat16").value.tolist() == [1.5]
    assert log.scalars(".", "float64").value.tolist() == [0.1]
    assert log.read(".", "histogram").value[0][:, 2].sum() == 3


@pytest.mark.parametrize("with_profiler", [False, True])
def test_traces(tmp_path: Path, tf: Any, with_profiler: bool) -> None:
    @tf.function
    def double(x: Any) -> Any:
        return x * 2 + 1

    with summary.create_file_writer(tmp_path) as writer:
        summary.trace_on(graph=True, profiler=with_profiler)
        with pytest.warns(UserWarning, match="already"):
            summary.trace_on()
        double(tf.constant(2.0))
        with writer.as_default():
            summary.trace_export("step", step=1)
            summary.graph(double.get_concrete_function(tf.constant(2.0)).graph)
    log = runglass.open(tmp_path)
    trace = decode(RUN_METADATA, log.read(".", "step").value[0])
    assert trace["function_graphs"]
    (_, tag, plugin, content, *_) = values_of(tmp_path)[0]
    assert (tag, content) == ("step", b"1")
    assert plugin == ("graph_run_metadata" if with_profiler else "graph_run_metadata_graph")
    names = [node["op"] for node in decode(GRAPH, log.read(".", "__run_graph__").value[0])["node"]]
    assert "Mul" in names
    assert bool(list(tmp_path.glob("plugins/profile/*/*.xplane.pb"))) == with_profiler


def test_a_trace_that_is_dropped(tmp_path: Path, tf: Any) -> None:
    summary.trace_on(profiler=True)
    summary.trace_off()
    summary.trace_off()
    with pytest.raises(ValueError, match="trace_on"):
        summary.trace_export("a", step=0)


def test_hyperparameters_warn_of_a_writer_of_tensorflow(tf: Any, tmp_path: Path) -> None:
    warn_of_tensorflow_writer.cache_clear()
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        with pytest.warns(UserWarning, match=r"runglass\.summary\.create_file_writer"):
            assert hparams.hparams({"lr": 0.1}) is False
        with summary.create_file_writer(tmp_path / "ours").as_default():
            assert hparams.hparams({"lr": 0.1}) is True
