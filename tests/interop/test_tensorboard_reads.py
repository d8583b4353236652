"""TensorBoard's own reader on what we write: the same values, under the plugins that its dashboards look for."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from runglass.schema.hparams import SessionOutcome
from runglass.writer.files.record_file import EventFileWriter
from runglass.writer.values import hparams, summaries
from runglass.writer.values.histograms import histogram
from runglass.writer.values.png import encode_png
from runglass.writer.values.pr_curves import pr_curve_rows
from runglass.writer.values.wav import encode_wav

with warnings.catch_warnings():
    # TensorBoard may import deprecated packages, which must not fail our tests.
    warnings.simplefilter("ignore", DeprecationWarning)
    from tensorboard.backend.event_processing.plugin_event_accumulator import (
        STORE_EVERYTHING_SIZE_GUIDANCE,
        EventAccumulator,
    )
    from tensorboard.plugins.hparams import plugin_data_pb2
    from tensorboard.util import tensor_util

PIXELS = np.random.default_rng(0).integers(0, 256, (5, 7, 3), dtype=np.uint8)
TONE = np.sin(np.arange(800) / 5)
NUMBERS = np.random.default_rng(1).normal(size=1000)
START = 1700000000.5


@pytest.fixture(scope="module")
def accumulator(tmp_path_factory: pytest.TempPathFactory) -> EventAccumulator:
    directory = tmp_path_factory.mktemp("run")
    with EventFileWriter(directory, clock=lambda: START) as writer:
        writer.write(
            0, values=[hparams.session_start({"lr": 0.1, "bn": True, "opt": "sgd"}, start_time_s=START)]
        )
        for step, value in enumerate([0.1, float("nan"), float("inf"), -3.5]):
            writer.write(
                step * 10,
                wall_time=START + step / 3,
                values=[
                    summaries.scalar("loss", value, description="the *loss*"),
                    summaries.scalar("loss64", value, form="float64"),
                ],
            )
        writer.write(
            2**53 + 1,
            values=[
                summaries.image("image", PIXELS),
                summaries.audio("audio", TONE, 8000),
                summaries.text("text", "# hello é"),
                summaries.text("table", [["a", "b"], ["c", "d"]]),
                summaries.histogram("histogram", NUMBERS),
                summaries.pr_curve("pr", NUMBERS > 0, np.clip(NUMBERS, 0, 1)),
            ],
        )
        writer.write(0, values=[hparams.session_end(SessionOutcome.SUCCESS, end_time_s=START + 1)])
    found = EventAccumulator(str(directory), size_guidance=STORE_EVERYTHING_SIZE_GUIDANCE)
    found.Reload()
    return found


def only(accumulator: EventAccumulator, tag: str) -> np.ndarray:
    (event,) = accumulator.Tensors(tag)
    return tensor_util.make_ndarray(event.tensor_proto)


def test_scalars(accumulator):
    for tag, kind in (("loss", np.float32), ("loss64", np.float64)):
        events = accumulator.Tensors(tag)
        assert [event.step for event in events] == [0, 10, 20, 30]
        assert [event.wall_time for event in events] == [START + i / 3 for i in range(4)]
        values = [tensor_util.make_ndarray(event.tensor_proto).item() for event in events]
        np.testing.assert_array_equal(values, np.array([0.1, np.nan, np.inf, -3.5], dtype=kind).astype(float))


@pytest.mark.parametrize(
    ("tag", "plugin"),
    [
        ("loss", "scalars"),
        ("image", "images"),
        ("audio", "audio"),
        ("text", "text"),
        ("histogram", "histograms"),
        ("pr", "pr_curves"),
        ("_hparams_/session_start_info", "hparams"),
    ],
)
def test_plugins(accumulator, tag, plugin):
    assert tag in accumulator.PluginTagToContent(plugin)
    assert accumulator.SummaryMetadata(tag).plugin_data.plugin_name == plugin


def test_descriptions(accumulator):
    assert accumulator.SummaryMetadata("loss").summary_description == "the *loss*"


def test_steps_past_the_exact_doubles(accumulator):
    assert accumulator.Tensors("text")[0].step == 2**53 + 1


def test_media(accumulator):
    assert only(accumulator, "image").tolist() == [b"7", b"5", encode_png(PIXELS)]
    # TensorBoard keeps the clips and drops the labels.
    assert only(accumulator, "audio").ravel()[0] == encode_wav(TONE, 8000)


def test_text(accumulator):
    assert only(accumulator, "text").item().decode() == "# hello é"
    assert only(accumulator, "table").tolist() == [[b"a", b"b"], [b"c", b"d"]]


def test_arrays(accumulator):
    np.testing.assert_array_equal(only(accumulator, "histogram"), histogram(NUMBERS).rows)
    np.testing.assert_array_equal(only(accumulator, "pr"), pr_curve_rows(NUMBERS > 0, np.clip(NUMBERS, 0, 1)))


def test_hparams(accumulator):
    contents = accumulator.PluginTagToContent("hparams")
    start = plugin_data_pb2.HParamsPluginData.FromString(
        contents["_hparams_/session_start_info"]
    ).session_start_info
    assert start.start_time_secs == START
    assert start.hparams["lr"].number_value == 0.1
    assert start.hparams["bn"].bool_value is True
    assert start.hparams["opt"].string_value == "sgd"
    end = plugin_data_pb2.HParamsPluginData.FromString(
        contents["_hparams_/session_end_info"]
    ).session_end_info
    assert (end.status, end.end_time_secs) == (1, START + 1)


def test_a_session_start_drops_overlapping_steps(tmp_path: Path):
    for first_step, clock in ((0, START), (5, START + 100)):
        with EventFileWriter(tmp_path, clock=lambda clock=clock: clock) as writer:
            writer.write_session_start(first_step)
            for step in range(first_step, 10):
                writer.write(step, values=[summaries.scalar("loss", step)])
    found = EventAccumulator(str(tmp_path), size_guidance=STORE_EVERYTHING_SIZE_GUIDANCE)
    found.Reload()
    assert [event.step for event in found.Tensors("loss")] == list(range(10))
