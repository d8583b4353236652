"""SummaryWriter with the values of real frameworks, and beside torch's and tensorboardX's own on the same calls."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.golden.torch_scalars import log as log_scalars
from tests.support.written import payloads

import runglass
from runglass.errors import BadArgument
from runglass.writer.calls.summary_writer import SummaryWriter
from runglass.writer.values.arrays import to_numpy

pytestmark = [pytest.mark.interop, pytest.mark.filterwarnings("ignore")]
# Calls of tensorboardX that we do not have, or name as in torch.
LEFT_OUT = {"add_openvino_graph"}
LEFT_OUT_ARGUMENTS = {"comet_config", "kwargs", "onnx_model_file"}


def torch_values() -> dict[str, Any]:
    torch = pytest.importorskip("torch")
    base = torch.arange(6.0).reshape(2, 3)
    return {
        "plain": base,
        "grad": base.clone().requires_grad_(),
        "parameter": torch.nn.Parameter(base),
        "bfloat16": base.bfloat16(),
        "float8": base.to(torch.float8_e4m3fn),
        "half": base.half(),
        "strided": torch.arange(12.0).reshape(2, 6)[:, ::2] / 2 + torch.tensor([[0.0], [0.0]]),
        "sparse": base.to_sparse(),
        "list": [base[0], base[1]],
        "conjugate": torch.complex(base, torch.zeros(2, 3)).conj(),
    }


def tensorflow_values() -> dict[str, Any]:
    tf = pytest.importorskip("tensorflow")
    base = tf.reshape(tf.range(6, dtype=tf.float32), (2, 3))
    return {"plain": base, "variable": tf.Variable(base), "bfloat16": tf.cast(base, tf.bfloat16)}


def jax_values() -> dict[str, Any]:
    jnp = pytest.importorskip("jax.numpy")
    base = jnp.arange(6.0).reshape(2, 3)
    return {"plain": base, "bfloat16": base.astype(jnp.bfloat16), "float8": base.astype(jnp.float8_e4m3fn)}


@pytest.mark.parametrize("values", [torch_values, tensorflow_values, jax_values])
def test_arrays_of_a_framework(values):
    expected = np.arange(6.0).reshape(2, 3)
    for name, value in values().items():
        found = to_numpy(value, name)
        np.testing.assert_array_equal(
            found.real, [[0, 1, 2], [3, 4, 5]] if name == "strided" else expected, name
        )
        assert found.dtype.kind in "fc"


@pytest.mark.parametrize("values", [torch_values, tensorflow_values, jax_values])
def test_everything_is_logged_from_a_framework(values, tmp_path: Path):
    value = values()["plain"]
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("scalar", value[0][1], value[1][0])
        writer.add_scalar("one", value[:1, :1], 1)
        writer.add_histogram("histogram", value, 1)
        writer.add_image("image", value / 5, 1, dataformats="HW")
        writer.add_audio("audio", value[0] / 5, 1, 8000)
        writer.add_tensor("tensor", value, 1)
        writer.add_pr_curve("pr", value[0] > 1, value[0] / 5, 1)
        writer.add_mesh("mesh", value, global_step=1)
        writer.add_hparams({"lr": value[0][1]}, {"accuracy": value[0][2]})
        writer.add_embedding(value, ["a", "b"])
    log = runglass.open(tmp_path)
    assert (log.scalars(".", "scalar").value.tolist(), log.scalars(".", "scalar").step.tolist()) == (
        [1.0],
        [3],
    )
    np.testing.assert_array_equal(log.read(".", "tensor").value[0], np.arange(6.0).reshape(2, 3))
    assert log.read(".", "histogram").value[0][:, 2].sum() == 6
    assert log.scalars(".", "accuracy").value.tolist() == [2.0]


def test_values_without_numbers_are_refused(tmp_path: Path):
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    with SummaryWriter(tmp_path) as writer:
        with pytest.raises(BadArgument, match="cannot be turned into one"):
            writer.add_histogram("meta", torch.zeros(3, device="meta"))
        with pytest.raises(BadArgument, match="cannot be turned into one"):
            jax.jit(lambda x: writer.add_histogram("traced", x))(np.zeros(3))
        with pytest.raises(BadArgument, match="Scalar 'traced'"):
            jax.jit(lambda x: writer.add_scalar("traced", x, 1))(np.zeros(()))


def test_a_torch_graph(tmp_path: Path):
    torch = pytest.importorskip("torch")
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(torch.nn.Linear(3, 2), torch.zeros(1, 3))
    assert runglass.open(tmp_path).tags(".")["__run_graph__"] == "graph"


def test_errors_that_callers_of_torch_catch(tmp_path: Path):
    torch = pytest.importorskip("torch")
    with SummaryWriter(tmp_path) as writer, pytest.raises(RuntimeError, match="cannot trace Linear"):
        writer.add_graph(torch.nn.Linear(3, 5), torch.rand(1, 9))


def test_lists_of_pictures_as_in_tensorboardx(tmp_path: Path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_images("images", [np.zeros((3, 4, 5)), np.ones((3, 4, 5))], dataformats="CHW")
    assert len(runglass.open(tmp_path).read(".", "images").value[0]) == 2


def test_the_loggers_of_lightning_over_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    loggers = pytest.importorskip("lightning.pytorch.loggers")
    fabric = pytest.importorskip("lightning.fabric.loggers.tensorboard")
    monkeypatch.setattr("torch.utils.tensorboard.SummaryWriter", SummaryWriter)
    monkeypatch.setattr("tensorboardX.SummaryWriter", SummaryWriter)
    assert fabric is not None
    logger = loggers.TensorBoardLogger(tmp_path, name="run", version=0)
    logger.log_hyperparams({"lr": 0.1}, {"hp_metric": 0.5})
    logger.log_metrics({"loss": 0.25}, 3)
    logger.save()
    logger.finalize("success")
    assert type(logger.experiment) is SummaryWriter
    assert runglass.open(tmp_path).scalars("run/version_0", "loss").step.tolist() == [3]


@pytest.mark.parametrize("module", ["torch.utils.tensorboard", "tensorboardX"])
def test_every_call_and_argument_exists(module):
    theirs = pytest.importorskip(module).SummaryWriter
    for name, method in inspect.getmembers(theirs, callable):
        if (name.startswith("_") and name != "__init__") or name in LEFT_OUT:
            continue
        asked = set(inspect.signature(method).parameters) - LEFT_OUT_ARGUMENTS
        assert asked <= set(inspect.signature(getattr(SummaryWriter, name)).parameters), name


def test_torch_calls_in_order_of_arguments():
    """Positional arguments mean the same as in torch."""
    theirs = pytest.importorskip("torch.utils.tensorboard").SummaryWriter
    for name, method in inspect.getmembers(theirs, inspect.isfunction):
        if name.startswith("_") and name != "__init__":
            continue
        asked = list(inspect.signature(method).parameters)
        ours = list(inspect.signature(getattr(SummaryWriter, name)).parameters)
        assert ours[: len(asked)] == asked, name


@pytest.mark.parametrize("module", ["torch.utils.tensorboard", "tensorboardX"])
def test_the_same_values_as_theirs(module, tmp_path: Path):
    theirs = pytest.importorskip(module).SummaryWriter
    rng = np.random.default_rng(0)
    pixels, numbers = rng.integers(0, 256, (3, 8, 9), dtype=np.uint8), rng.normal(size=500)
    labels, scores = rng.random(60) > 0.5, rng.random(60)
    for make, place in ((theirs, "theirs"), (SummaryWriter, "ours")):
        writer = make(str(tmp_path / place))
        for step in range(5):
            writer.add_scalar("loss", 1 / (step + 1), step)
        writer.add_histogram("histogram", numbers, 1, bins="tensorflow")
        writer.add_image("image", pixels, 1)
        writer.add_pr_curve("pr", labels, scores, 1)
        writer.add_custom_scalars({"A": {"c": ["Multiline", ["loss"]], "m": ["Margin", ["a", "b", "c"]]}})
        writer.close()
    log = runglass.open(tmp_path)

    def both(tag):
        return (log.read(run, tag).value[0] for run in ("ours", "theirs"))

    np.testing.assert_array_equal(log.scalars("ours", "loss").value, log.scalars("theirs", "loss").value)
    ours, other = both("histogram")
    np.testing.assert_array_equal(ours[:, 2], other[:, 2])
    np.testing.assert_allclose(ours[1:-1], other[1:-1])
    ours, other = both("pr")
    np.testing.assert_allclose(ours, other, rtol=1e-6)
    ours, other = both("custom_scalars__config__")
    assert ours == other
    assert (decoded(log, "ours") == decoded(log, "theirs")).all()
    assert (decoded(log, "ours") == pixels.transpose(1, 2, 0)).all()


def test_the_same_bytes_as_torch_today(tmp_path: Path):
    theirs = pytest.importorskip("torch.utils.tensorboard").SummaryWriter
    log_scalars(theirs(str(tmp_path / "theirs")))
    log_scalars(SummaryWriter(tmp_path / "ours"))
    for run in (".", "group_one_a", "group_one_b"):
        assert payloads(tmp_path / "ours" / run) == payloads(tmp_path / "theirs" / run)


def test_scripts_that_read_scalars_of_torch(tmp_path: Path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    with SummaryWriter(tmp_path) as writer:
        for step in range(3):
            writer.add_scalar("loss", np.float64(step) / 2, step, 1700000000.0 + step)
    log = accumulator.EventAccumulator(str(tmp_path)).Reload()
    assert log.Tags()["scalars"] == ["loss"]
    assert [(each.wall_time, each.step, each.value) for each in log.Scalars("loss")] == [
        (1700000000.0 + step, step, step / 2) for step in range(3)
    ]


def test_messages_of_tensorboard_are_written_whole(tmp_path: Path):
    protos = pytest.importorskip("tensorboard.compat.proto.summary_pb2")
    event_pb2 = pytest.importorskip("tensorboard.compat.proto.event_pb2")
    writer = SummaryWriter(tmp_path)
    message = protos.Summary(value=[protos.Summary.Value(tag="a", simple_value=0.5)])
    writer.file_writer.add_summary(message, np.int64(3), 1700000000.0)
    writer._get_file_writer().add_event(event_pb2.Event(summary=message), 4)
    writer.close()
    assert (writer.file_writer, writer.all_writers) == (None, None)
    writer._get_file_writer().add_summary(message, 5)
    writer.close()
    assert runglass.open(tmp_path).scalars(".", "a").step.tolist() == [3, 4, 5]


def decoded(log: Any, run: str) -> np.ndarray:
    import io

    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(log.read(run, "image").value[0][0].data)))
