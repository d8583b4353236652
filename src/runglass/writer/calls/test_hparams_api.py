from __future__ import annotations

import random
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from runglass import hparams as hp
from runglass import summary
from runglass.errors import BadArgument
from runglass.native.records import RecordCursor
from runglass.native.wire import decode
from runglass.schema.event import EVENT
from runglass.schema.hparams import HPARAMS_PLUGIN, SessionOutcome
from runglass.schema.summary import SUMMARY
from runglass.writer.calls.hparams_api import SessionHooks, warn_of_tensorflow_writer
from runglass.writer.calls.summary_writer import SummaryWriter
from runglass.writer.files.event_writer import EventWriter

START = 1700000000.25


def content(message):
    """Tag and plugin content of the one value in a Summary."""
    (value,) = decode(SUMMARY, message)["value"]
    return value["tag"], value["metadata"]["plugin_data"]["content"]


def config(hp):
    """An experiment that uses everything, declared with our module or with TensorBoard's."""
    return (
        [
            hp.HParam("lr", hp.RealInterval(0.01, 0.5), display_name="rate", description="*how fast*"),
            hp.HParam("layers", hp.IntInterval(1, 4)),
            hp.HParam("optimizer", hp.Discrete(["sgd", "adam"])),
            hp.HParam("units", hp.Discrete([64, 16, 32])),
            hp.HParam("bias", hp.Discrete([True, False])),
            hp.HParam("none", hp.Discrete([], dtype=str)),
            hp.HParam("free"),
        ],
        [
            hp.Metric(
                "epoch_loss", group="validation", display_name="loss", dataset_type=hp.Metric.VALIDATION
            ),
            hp.Metric("accuracy", description="d", dataset_type=hp.Metric.TRAINING),
        ],
    )


@pytest.fixture(scope="module")
def theirs():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from tensorboard.plugins.hparams import summary_v2
    return summary_v2


def their_content(message):
    """The same from a message of TensorBoard, with the entries of maps, which have no order, sorted by name."""
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

    tag, data = content(message.SerializeToString())
    return tag, HParamsPluginData.FromString(data).SerializeToString(deterministic=True)


def test_the_experiment_has_the_bytes_of_tensorboard(theirs):
    for time_s in (None, START):
        ours = content(hp.hparams_config_pb(*config(hp), time_created_secs=time_s))
        message = theirs.hparams_config_pb(*config(theirs), time_created_secs=time_s)
        assert ours == their_content(message)


def test_a_session_has_the_bytes_of_tensorboard(theirs):
    values = {"b": True, "a": 1, "c": np.float32(0.5), "d": "é", "e": 1e-5}
    for trial in (None, "trial 7"):
        ours = content(hp.hparams_pb(values, trial_id=trial, start_time_secs=START))
        message = theirs.hparams_pb(values, trial_id=trial, start_time_secs=START)
        assert ours == their_content(message)


def test_hparam_objects_are_keys():
    lr = hp.HParam("lr")
    assert hp.hparams_pb({lr: 0.1}, start_time_secs=START) == hp.hparams_pb(
        {"lr": 0.1}, start_time_secs=START
    )
    with pytest.raises(BadArgument, match="'lr' has two values"):
        hp.hparams_pb({lr: 0.1, "lr": 0.2})


def test_domains():
    rng = random.Random(0)
    whole, real, few = hp.IntInterval(1, 3), hp.RealInterval(0, 1), hp.Discrete(["b", "a"])
    assert {whole.sample_uniform(rng) for _ in range(50)} == {1, 2, 3}
    assert all(0 <= real.sample_uniform(rng) <= 1 for _ in range(50))
    assert {few.sample_uniform() for _ in range(50)} == {"a", "b"}
    assert (whole.dtype, real.dtype, few.dtype) == (int, float, str)
    assert (whole.min_value, whole.max_value, real.max_value, few.values) == (1, 3, 1.0, ["a", "b"])
    assert [str(each) for each in (whole, real, few)] == ["[1, 3]", "[0.0, 1.0]", "{'a', 'b'}"]
    assert [repr(each) for each in (whole, few)] == ["IntInterval(1, 3)", "Discrete(['a', 'b'])"]
    param = hp.HParam("x", whole, "shown", "said")
    assert (param.name, param.domain, param.display_name, param.description) == ("x", whole, "shown", "said")
    assert str(param) == "<HParam 'x': [1, 3]>"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hp.IntInterval(0.5, 1), "min_value.*0.5"),
        (lambda: hp.IntInterval(2, 1), "2 is above max_value 1"),
        (lambda: hp.RealInterval(0.0, "1"), "max_value.*'1'"),
        (lambda: hp.Discrete([]), "dtype"),
        (lambda: hp.Discrete([None]), "NoneType"),
        (lambda: hp.Discrete([1, "a"]), "'a'"),
        (lambda: hp.HParam("x", [1, 2]), r"domain of HParam 'x'.*\[1, 2\]"),
        (lambda: hp.Metric("x", dataset_type=9), "dataset_type.*9"),
        (lambda: hp.hparams_pb({"x": [1]}), "'x'.*list"),
        (lambda: hp.hparams_pb({}, trial_id=3), "trial_id.*3"),
        (lambda: hp.hparams({}, writer="logs"), "writer.*str"),
    ],
)
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(BadArgument, match=message):
        call()


def hparam_values(logdir):
    """The plugin content of every value in a directory, in order."""
    found = []
    for file in sorted(logdir.iterdir()):
        reader = RecordCursor()
        reader.feed(file.read_bytes())
        for _, payload, _ in reader:
            for value in decode(EVENT, payload).get("summary", {}).get("value", []):
                found.append(decode(HPARAMS_PLUGIN, value["metadata"]["plugin_data"]["content"]))
    return found


def test_writing_to_the_default_writer_or_to_a_given_one(tmp_path):
    assert hp.hparams({"lr": 0.1}) is False
    with summary.create_file_writer(tmp_path / "default") as writer:
        with writer.as_default():
            assert hp.hparams_config(*config(hp)) is True
            assert hp.hparams({"lr": 0.1}) is True
            with summary.record_if(False):
                assert hp.hparams({"lr": 0.2}) is False
        hp.hparams({"lr": 0.3}, writer=writer)
    with EventWriter(tmp_path / "given") as events, SummaryWriter(tmp_path / "torch") as torch_style:
        hp.hparams({"lr": 0.4}, writer=events)
        hp.hparams({"lr": 0.5}, writer=torch_style)
    found = hparam_values(tmp_path / "default")
    assert [*found[0]] == ["experiment"]
    assert [each["session_start_info"]["hparams"]["lr"]["number_value"] for each in found[1:]] == [0.1, 0.3]
    for name, value in (("given", 0.4), ("torch", 0.5)):
        (given,) = hparam_values(tmp_path / name)
        assert given["session_start_info"]["hparams"]["lr"]["number_value"] == value


def test_a_default_writer_of_tensorflow_warns(monkeypatch):
    tensorflow = SimpleNamespace(
        executing_eagerly=lambda: True, summary=SimpleNamespace(should_record_summaries=lambda: is_recording)
    )
    monkeypatch.setitem(sys.modules, "tensorflow", tensorflow)
    warn_of_tensorflow_writer.cache_clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        is_recording = False
        assert hp.hparams({"lr": 0.1}) is False
    is_recording = True
    with pytest.warns(UserWarning, match=r"runglass\.summary\.create_file_writer") as told:
        assert hp.hparams({"lr": 0.1}) is False
    assert [each.filename for each in told] == [__file__]
    # Once is enough.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hp.hparams_config(*config(hp)) is False


@pytest.mark.parametrize("is_path", [True, False])
def test_a_training_is_a_session_with_start_and_end(tmp_path, is_path):
    writer = tmp_path if is_path else summary.create_file_writer(tmp_path)
    hooks = SessionHooks(writer, {hp.HParam("lr"): 0.1}, trial_id="t")
    hooks.on_train_begin()
    hooks.on_train_end()
    start, end = hparam_values(tmp_path)
    if not is_path:
        writer.close()
    assert start["session_start_info"]["group_name"] == "t"
    assert end["session_end_info"]["status"] == SessionOutcome.SUCCESS
    assert end["session_end_info"]["end_time_secs"] >= start["session_start_info"]["start_time_secs"]


def test_wrong_hyperparameters_raise_before_training(tmp_path):
    with pytest.raises(BadArgument, match="'x'"):
        SessionHooks(tmp_path, {"x": object()})
    assert list(tmp_path.iterdir()) == []
