from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import runglass
from runglass import summary
from runglass.errors import BadArgument
from runglass.writer.calls.keras_callback import TrainingHooks, weight_pictures
from runglass.writer.calls.profilers import batches_to_profile


class Base:
    """The part of keras.callbacks.Callback that the hooks use."""

    model = None

    def set_model(self, model):
        self.model = model


class Hooks(TrainingHooks, Base):
    pass


class Sequential:
    """A model with what the hooks use."""

    def __init__(self):
        self.optimizer = SimpleNamespace(iterations=np.int64(0), learning_rate=np.float32(0.5))
        weight = SimpleNamespace(path="dense/kernel:0", numpy=lambda: np.eye(3, dtype=np.float32))
        self.layers = [SimpleNamespace(weights=[weight])]


Sequential.__module__ = "keras.models"
Model = type("Model", (Sequential,), {"__module__": "keras.models"})


def train(hooks, model, *, epochs=2, batches=3, in_batch=lambda: None, after_epoch=lambda: None):
    """Calls the hooks in the order of Keras: an evaluation inside every epoch."""
    hooks.set_model(model)
    hooks.on_train_begin()
    for epoch in range(epochs):
        hooks.on_epoch_begin(epoch)
        for batch in range(batches):
            hooks.on_train_batch_begin(batch)
            in_batch()
            model.optimizer.iterations += 1
            hooks.on_train_batch_end(batch, {"loss": 1.0 + batch})
        hooks.on_test_begin()
        hooks.on_test_batch_begin(0)
        hooks.on_test_end({"loss": 5.0})
        hooks.on_epoch_end(epoch, {"loss": 1.0, "val_loss": 2.0})
        after_epoch()
    hooks.on_train_end()


def steps(logdir, run):
    log = runglass.open(logdir)
    return {tag: log.read(run, tag).step.tolist() for tag in log.tags(run)}


def test_epochs(tmp_path):
    train(Hooks(tmp_path), Model())
    assert {*runglass.open(tmp_path).runs} == {"train", "validation"}
    assert steps(tmp_path, "train") == {"epoch_loss": [0, 1], "epoch_learning_rate": [0, 1]}
    assert steps(tmp_path, "validation") == {"evaluation_loss_vs_iterations": [3, 6], "epoch_loss": [0, 1]}
    assert runglass.open(tmp_path).scalars("train", "epoch_learning_rate").value.tolist() == [0.5, 0.5]
    assert runglass.open(tmp_path).scalars("validation", "epoch_loss").value.tolist() == [2.0, 2.0]


def test_batches_and_custom_summaries(tmp_path):
    hooks = Hooks(tmp_path, update_freq=2, write_steps_per_second=True)
    train(hooks, Model(), in_batch=lambda: summary.scalar("custom", 1))
    found = steps(tmp_path, "train")
    assert found["batch_loss"] == found["batch_steps_per_second"] == found["custom"] == [2, 4, 6]
    assert found["epoch_loss"] == found["epoch_steps_per_second"] == [0, 1]
    assert summary.should_record_summaries() is False


def test_keras_waits_for_batches_only_if_they_are_logged(tmp_path):
    assert Hooks(tmp_path).async_safe
    assert not Hooks(tmp_path, update_freq="batch").async_safe
    assert not Hooks(tmp_path, profile_batch=2).async_safe


def test_every_batch(tmp_path):
    train(Hooks(tmp_path, update_freq="batch"), Model(), epochs=1)
    assert steps(tmp_path, "train")["batch_loss"] == [1, 2, 3]


def test_weights_and_their_pictures(tmp_path, monkeypatch):
    config = SimpleNamespace(image_data_format=lambda: "channels_last")
    monkeypatch.setitem(sys.modules, "keras", SimpleNamespace(config=config))
    train(Hooks(tmp_path, histogram_freq=2, write_images=True), Model(), epochs=3)
    found = steps(tmp_path, "train")
    assert found["dense/kernel_0/histogram"] == found["dense/kernel_0/image"] == [0, 2]


def test_an_interrupted_training_leaves_no_default_writer(tmp_path):
    hooks = Hooks(tmp_path, update_freq=1)
    hooks.set_model(Model())
    hooks.on_train_begin()
    assert summary.should_record_summaries() is True
    hooks.set_model(Model())
    assert summary.should_record_summaries() is False


@pytest.mark.parametrize("is_other", [False, True])
def test_an_evaluation_during_training(tmp_path, is_other):
    """Another callback of the training evaluates the model, or another one, with this callback, and then predicts."""
    hooks, model = Hooks(tmp_path, update_freq=1), Model()

    def evaluate():
        hooks.set_model(Model() if is_other else model)
        hooks.on_test_begin()
        hooks.on_test_end({"loss": 3.0})
        hooks.set_model(model)

    train(hooks, model, in_batch=lambda: summary.scalar("custom", 1), after_epoch=evaluate)
    found = steps(tmp_path, "train")
    assert found["custom"] == found["batch_loss"] == [1, 2, 3, 4, 5, 6]
    assert found["epoch_loss"] == [0, 1]
    assert summary.should_record_summaries() is False
    if not is_other:
        evaluated = runglass.open(tmp_path).scalars("validation", "evaluation_loss_vs_iterations")
        assert evaluated.value.tolist() == [5.0, 3.0, 5.0, 3.0]
        assert len(list((tmp_path / "train").iterdir())) == 1


def test_a_training_after_an_interrupted_one(tmp_path):
    hooks, model = Hooks(tmp_path), Model()
    hooks.set_model(model)
    hooks.on_train_begin()
    hooks.on_epoch_end(0, {"loss": 7.0})
    train(hooks, model)
    assert runglass.open(tmp_path).scalars("train", "epoch_loss").value.tolist() == [1.0, 1.0]
    assert len(list((tmp_path / "train").iterdir())) == 2


def test_an_evaluation_alone_is_on_disk_when_it_ends(tmp_path):
    hooks = Hooks(tmp_path)
    hooks.set_model(Model())
    hooks.on_test_begin()
    hooks.on_test_end({"loss": 3.0})
    assert steps(tmp_path, "validation") == {"evaluation_loss_vs_iterations": [0]}


def test_a_model_without_json_warns(tmp_path):
    with pytest.warns(UserWarning, match="graph of the model is not logged.*to_json"):
        Hooks(tmp_path).set_model(Sequential())


def test_arguments_are_attributes(tmp_path):
    given = {
        "histogram_freq": 1,
        "write_graph": False,
        "write_images": True,
        "write_steps_per_second": True,
        "update_freq": np.int64(2),
        "embeddings_freq": 3,
        "embeddings_metadata": "labels.tsv",
    }
    hooks = Hooks(tmp_path, **given)
    assert hooks.log_dir == str(tmp_path)
    assert {name: getattr(hooks, name) for name in given} == given
    assert Hooks(tmp_path).update_freq == "epoch"
    assert Hooks(tmp_path, update_freq="batch").update_freq == 1


def test_a_profile_of_torch_needs_a_local_directory(monkeypatch):
    config = SimpleNamespace(backend=lambda: "torch")
    monkeypatch.setitem(sys.modules, "keras", SimpleNamespace(config=config))
    hooks = Hooks("memory://profiled", profile_batch=2)
    with pytest.warns(UserWarning, match="local directory.*memory://profiled/train"):
        train(hooks, Model(), epochs=1)


@pytest.mark.parametrize("value", [0, -1, 1.5, "step", None])
def test_update_freq_is_checked(tmp_path, value):
    with pytest.raises(BadArgument, match="update_freq"):
        Hooks(tmp_path, update_freq=value)


@pytest.mark.parametrize("name", ["histogram_freq", "embeddings_freq"])
@pytest.mark.parametrize("value", [-1, 1.5, "epoch"])
def test_epochs_between_values_are_checked(tmp_path, name, value):
    with pytest.raises(BadArgument, match=f"{name} must be a number of epochs, or 0 for never"):
        Hooks(tmp_path, **{name: value})


@pytest.mark.parametrize(
    ("given", "range_"),
    [(0, (0, 0)), (5, (5, 5)), ((2, 4), (2, 4)), ("3", (3, 3)), ("10,20", (10, 20)), (np.int64(5), (5, 5))],
)
def test_batches_to_profile(given, range_):
    assert batches_to_profile(given) == range_


@pytest.mark.parametrize("given", [-1, (4, 2), (1, 2, 3), "a", None, 1.5])
def test_batches_to_profile_are_checked(given):
    with pytest.raises(BadArgument, match="profile_batch"):
        batches_to_profile(given)


@pytest.mark.parametrize(
    ("shape", "pictures"),
    [
        ((), None),
        ((7,), (1, 7, 1, 1)),
        ((8, 3), (1, 3, 8, 1)),
        ((3, 8), (1, 3, 8, 1)),
        ((3, 3, 1, 16), (16, 3, 3, 1)),
        ((3, 3, 8, 4), (3, 3, 8, 4)),
        ((3, 3, 8, 16), None),
        ((3, 3, 3, 8, 4), None),
    ],
)
def test_pictures_of_weights(shape, pictures):
    made = weight_pictures(np.zeros(shape), channels_last=True)
    assert (made.shape if made is not None else None) == pictures
