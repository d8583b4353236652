from __future__ import annotations

import copy
import hashlib
import pickle
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot

import runglass
from runglass.errors import BadArgument
from runglass.native.records import RecordCursor
from runglass.native.wire import decode
from runglass.schema.event import EVENT, SessionStatus
from runglass.schema.tensor import DataType
from runglass.writer.calls.summary_writer import SummaryWriter
from runglass.writer.files.event_writer import EventWriter
from runglass.writer.values import pictures
from runglass.writer.values.arrays import TAG_LIMIT
from runglass.writer.values.video import encode_gif

START = 1700000000.0
# Of text, histogram, PR curve, mesh, tensor and audio; other tests check their parts.
GOLDEN = [
    "8fd8f4fc6c8fba65",
    "1c5fefa75af7ed40",
    "90d58eb2d9cc5b45",
    "2471bc6ed9eedd46",
    "002b46ffaace8516",
    "4fa79e54ffce7157",
]


def payloads(directory):
    """The records of all files of a directory, without the first of each, which names the format."""
    found = []
    for file in sorted(directory.glob("*tfevents*")):
        cursor = RecordCursor()
        cursor.feed(file.read_bytes())
        found += [payload for _, payload, _ in cursor][1:]
    return found


def events(directory):
    return [decode(EVENT, payload) for payload in payloads(directory)]


def logged(directory):
    """Every value with the step of its event."""
    return [
        (event.get("step", 0), value)
        for event in events(directory)
        for value in event.get("summary", {}).get("value", [])
    ]


@pytest.fixture
def writer(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        yield writer


def test_a_scalar_of_known_bytes(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", 0.5, 5, START)
    # As torch writes it.
    assert payloads(tmp_path)[0].hex() == (
        "0900000040fc54d94110052a230a210a046c6f7373420a080112002a040000003f4a0d0a090a077363616c6172732001"
    )


def test_known_bytes_of_other_kinds(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_text("t", ["a", "b"], 1, START)
        writer.add_histogram("h", [0, 1, 1, 2, 4, np.nan], 1, 4, START)
        writer.add_pr_curve("p", [0, 1, 0, 1, 1], [0.1, 0.4, 0.6, 0.9, 1.0], 1, 5, walltime=START)
        writer.add_mesh("m", [[0, 0, 0], [1, 0, 0], [0, 1, 0]], None, [[0, 1, 2]], None, 1, START)
        writer.add_tensor("x", np.arange(3, dtype=np.int64), 1, START)
        writer.add_audio("a", np.arange(4, dtype=np.int16), 1, 8000, START)
    found = [hashlib.sha256(payload).hexdigest()[:16] for payload in payloads(tmp_path)]
    assert found == GOLDEN
    layouts = tmp_path / "layouts"
    with SummaryWriter(layouts) as writer:
        writer.add_custom_scalars({"A": {"c": ["Multiline", ["loss.*"]]}})
    ((_, value),) = logged(layouts)
    # As torch writes it.
    assert value["tensor"]["string_val"][0].hex() == "12120a014112" + "0d0a016312080a066c6f73732e2a"


def test_encoded_videos_are_logged_unchanged(tmp_path):
    gif = encode_gif(np.zeros((2, 6, 8, 1), np.uint8), 4)
    video = tmp_path / "video.gif"
    video.write_bytes(gif)
    with SummaryWriter(tmp_path / "run") as writer:
        writer.add_video("clip", [gif, video], 3)
    ((step, value),) = logged(tmp_path / "run")
    assert (step, value["tensor"]["string_val"]) == (3, [b"8", b"6", gif, gif])
    assert value["metadata"]["plugin_data"]["plugin_name"] == "images"


def test_values_keep_their_precision(tmp_path):
    kinds = {
        "python": (0.1, DataType.FLOAT),
        "int": (3, DataType.FLOAT),
        "bool": (True, DataType.FLOAT),
        "float32": (np.float32(0.1), DataType.FLOAT),
        "float64": (np.float64(0.1), DataType.DOUBLE),
        "array": (np.array([[0.1]]), DataType.DOUBLE),
        "list": ([0.1], DataType.FLOAT),
    }
    with SummaryWriter(tmp_path) as writer:
        for tag, (value, _) in kinds.items():
            writer.add_scalar(tag, value, 1)
        writer.add_scalar("forced", 0.1, 1, double_precision=True)
        writer.add_scalar("cut", np.float64(0.1), 1, double_precision=False, new_style=True)
    found = {value["tag"]: value["tensor"]["dtype"] for _, value in logged(tmp_path)}
    assert found == {
        **{tag: kind for tag, (_, kind) in kinds.items()},
        "forced": DataType.DOUBLE,
        "cut": DataType.FLOAT,
    }


def test_names_and_descriptions(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("t", 1, 1, display_name="n", summary_description="*d*")
    ((_, value),) = logged(tmp_path)
    assert value["metadata"]["display_name"] == "n"
    assert value["metadata"]["summary_description"] == "*d*"


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (7, 7),
        (None, 0),
        (7.0, 7),
        (np.int32(7), 7),
        (np.float32(7), 7),
        (np.array([7]), 7),
        (-3, -3),
        (2**63 - 1, 2**63 - 1),
        (True, 1),
    ],
)
def test_steps(tmp_path, step, expected):
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("s", 1.0, step)
        writer.add_text("t", "x", step)
    assert [step for step, _ in logged(tmp_path)] == [expected, expected]


def test_use_metadata_sets_steps_inside_it(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        with writer.use_metadata(global_step=3, walltime=START):
            writer.add_scalar("s", 1.0)
            writer.add_scalar("s", 1.0, 4)
            with writer.use_metadata(global_step=5):
                writer.add_text("t", "x")
        writer.add_text("t", "x", walltime=1.0)
    found = [(event.get("step", 0), event["wall_time"]) for event in events(tmp_path)]
    assert found == [(3, START), (4, START), (5, START), (0, 1.0)]


@pytest.mark.parametrize("step", [1.5, float("nan"), float("inf"), "7", [1, 2], object(), 2**63])
def test_wrong_steps(writer, step):
    for call in (writer.add_scalar, writer.add_text):
        with pytest.raises(BadArgument, match=r"[Ss]tep"):
            call("t", 1.0 if call == writer.add_scalar else "x", step)


def test_tags_stay_unchanged(tmp_path):
    tags = ["a b/c:d", "/lead", "é漢", "x" * TAG_LIMIT]
    with SummaryWriter(tmp_path) as writer:
        for tag in tags:
            writer.add_text(tag, "t")
        writer.add_scalar("lone \ud800", 1, 1)
    assert [value["tag"] for _, value in logged(tmp_path)] == [*tags, "lone ?"]


@pytest.mark.parametrize("tag", ["x" * 100_000, "", None, 5, b"bytes"])
def test_wrong_tags(writer, tag):
    for call in (
        lambda: writer.add_scalar(tag, 1.0, 1),
        lambda: writer.add_histogram(tag, [1], 1),
        lambda: writer.add_image(tag, np.zeros((3, 4, 4))),
        lambda: writer.add_scalars(tag, {"a": 1}),
        lambda: writer.add_hparams({}, {tag: 1}),
    ):
        with pytest.raises(BadArgument, match="tag"):
            call()


WRONG = {
    "scalar": (lambda w: w.add_scalar("t", [1, 2], 1), r"Scalar 't' needs one number.*\(2,\)"),
    "no scalar": (lambda w: w.add_scalar("t", np.zeros(0), 1), r"Scalar 't' needs one number.*\(0,\)"),
    "complex": (lambda w: w.add_scalar("t", 1j, 1), r"real number"),
    "word": (lambda w: w.add_scalar("t", "high", 1), r"Scalar 't' needs one number, got 'high'"),
    "nothing": (lambda w: w.add_scalar("t", None, 1), r"Scalar 't' needs one number, got None"),
    "scalars": (lambda w: w.add_scalars("t", [1, 2]), r"dict of names.*list"),
    "wall time": (lambda w: w.add_scalar("t", 1, 1, float("nan")), r"walltime"),
    "tensor": (lambda w: w.add_tensor("t", "abc"), r"Tensor 't'.*str"),
    "ragged": (lambda w: w.add_histogram("t", [[1], [2, 3]]), r"Histogram 't'.*inhomogeneous"),
    "histogram of words": (lambda w: w.add_histogram("t", ["a"]), r"Histogram 't'.*numbers"),
    "complex histogram": (lambda w: w.add_histogram("t", [1j]), r"real numbers.*complex128"),
    "bins": (lambda w: w.add_histogram("t", [1], bins="most"), r"bins='most'"),
    "falling bins": (lambda w: w.add_histogram("t", [1], bins=[2, 1]), r"rising edges"),
    "no bins": (lambda w: w.add_histogram("t", [1], bins=0), r"number of buckets.*got 0"),
    "max_bins": (lambda w: w.add_histogram("t", [1], max_bins=0), r"max_bins.*got 0"),
    "limits": (
        lambda w: w.add_histogram_raw("t", 0, 1, 1, 1, 1, [1, 2], [1]),
        r"as many bucket_limits \(2\)",
    ),
    "falling limits": (lambda w: w.add_histogram_raw("t", 0, 1, 1, 1, 1, [2, 1], [1, 1]), r"that rise"),
    "axes": (lambda w: w.add_image("t", np.zeros((4, 4))), r"names 3 axes.*has 2.*dataformats='HW'"),
    "many channels": (
        lambda w: w.add_image("t", np.zeros((9, 5, 3))),
        r"makes 9 channels.*Check the order of its axes",
    ),
    "letters": (lambda w: w.add_image("t", np.zeros((3, 4, 4)), dataformats="CWX"), r"dataformats='CWX'"),
    "letter twice": (lambda w: w.add_image("t", np.zeros((3, 4, 4)), dataformats="HHW"), r"each letter once"),
    "no letters": (lambda w: w.add_image("t", np.zeros((3, 4, 4)), dataformats=None), r"dataformats=None"),
    "pixel type": (lambda w: w.add_image("t", np.zeros((3, 4, 4), int)), r"uint8.*got int64.*Convert"),
    "empty image": (lambda w: w.add_image("t", np.zeros((3, 0, 4))), r"empty.*\(3, 0, 4\)"),
    "empty batch": (lambda w: w.add_images("t", np.zeros((0, 3, 4, 4))), r"empty"),
    "no file": (lambda w: w.add_image("t", b"text"), r"are not a PNG"),
    "boxes": (
        lambda w: w.add_image_with_boxes("t", np.zeros((3, 4, 4)), [[1, 2]]),
        r"box_tensor.*\(boxes, 4\)",
    ),
    "labels": (
        lambda w: w.add_image_with_boxes("t", np.zeros((3, 4, 4)), [[0, 0, 1, 1]], labels=["a", "b"]),
        r"as many labels \(2\) as boxes \(1\)",
    ),
    "rescale": (lambda w: w.add_image_with_boxes("t", np.zeros((3, 4, 4)), [], rescale=0), r"rescale=0"),
    "batch with boxes": (
        lambda w: w.add_image_with_boxes("t", np.zeros((2, 3, 4, 4)), [], dataformats="NCHW"),
        r"one picture",
    ),
    "figure": (lambda w: w.add_figure("t", "plot"), r"matplotlib figure, got str"),
    "no figures": (lambda w: w.add_figure("t", []), r"empty"),
    "video": (lambda w: w.add_video("t", np.zeros((3, 3, 4, 4))), r"names 5 axes.*has 4"),
    "video type": (lambda w: w.add_video("t", np.zeros((1, 2, 3, 4, 4), int)), r"uint8.*int64"),
    "not a video": (lambda w: w.add_video("t", b"text"), r"expected a GIF, MP4 or WebM video"),
    "fps": (lambda w: w.add_video("t", np.zeros((1, 2, 3, 4, 4)), fps=0), r"fps=0"),
    "audio": (lambda w: w.add_audio("t", np.zeros((2, 3, 4))), r"\(2, 3, 4\).*one by one"),
    "audio channels": (lambda w: w.add_audio("t", np.zeros((9, 99))), r"at most 8"),
    "audio type": (lambda w: w.add_audio("t", np.zeros(9, int)), r"int16, got int64"),
    "no audio": (lambda w: w.add_audio("t", []), r"empty"),
    "rate": (lambda w: w.add_audio("t", [0.0], 1, 0), r"sample_rate=0"),
    "text": (lambda w: w.add_text("t", 5), r"Text 't' needs a str"),
    "text rows": (lambda w: w.add_text("t", [["a"], ["b", "c"]]), r"Text 't' needs a str"),
    "predictions": (lambda w: w.add_pr_curve("t", [1], [1.5]), r"from 0 to 1.*sigmoid"),
    "no predictions": (lambda w: w.add_pr_curve("t", [], []), r"no predictions"),
    "few labels": (lambda w: w.add_pr_curve("t", [1], [0.5, 0.5]), r"as many labels \(1\)"),
    "curves": (lambda w: w.add_pr_curve_raw("t", [1], [1], [1], [1], [1], [1, 2]), r"'recall': 2"),
    "layout": (lambda w: w.add_custom_scalars(["a"]), r"layout must be a dict.*list"),
    "category": (lambda w: w.add_custom_scalars({"a": ["b"]}), r"Category 'a'"),
    "chart": (lambda w: w.add_custom_scalars({"a": {"c": ["Pie", ["x"]]}}), r"Chart 'c'.*Pie"),
    "margin": (lambda w: w.add_custom_scalars_marginchart(["x", "y"]), r"value, lower, upper"),
    "vertices": (lambda w: w.add_mesh("t", [[1, 2]]), r"vertices need the shape \(n, 3\)"),
    "faces": (lambda w: w.add_mesh("t", np.zeros((3, 3)), faces=[[0, 1, 3]]), r"from 0 to 2, got 0 to 3"),
    "colors": (lambda w: w.add_mesh("t", np.zeros((3, 3)), colors=[[0, 1, 3]]), r"one colour per vertex: 3"),
    "bright": (lambda w: w.add_mesh("t", np.zeros((1, 3)), colors=[[0, 1, 300]]), r"0…255.*300"),
    "config": (lambda w: w.add_mesh("t", np.zeros((1, 3)), config_dict={"a": object()}), r"config_dict"),
    "hparams": (lambda w: w.add_hparams([], {}), r"hparam_dict must be a dict, got list"),
    "metrics": (lambda w: w.add_hparams({}, None), r"metric_dict must be a dict"),
    "hparam": (lambda w: w.add_hparams({"a": [1]}, {}), r"'a' must be.*list.*str\(value\)"),
    "metric": (lambda w: w.add_hparams({}, {"m": [1, 2]}), r"Metric 'm' needs one number"),
    "domain": (lambda w: w.add_hparams({"a": 1}, {}, {"b": [1]}), r"hparam_domain_discrete\['b'\]"),
    "hparam name": (lambda w: w.add_hparams({1: 1}, {}), r"name of a hyperparameter.*got 1"),
    "hparam size": (lambda w: w.add_hparams({"a": 10**400}, {}), r"'a' is an integer too large"),
    "bins size": (lambda w: w.add_histogram("t", [1], bins=10**12), r"number of buckets.*to 100,000"),
    "edges": (
        lambda w: w.add_histogram("t", [1], bins=[0, float("nan"), 1]),
        r"bins needs at least two edges, all finite",
    ),
    "one edge": (lambda w: w.add_histogram("t", [1], bins=[0]), r"bins needs at least two edges"),
    "max_bins kind": (lambda w: w.add_histogram("t", [1], max_bins="a"), r"max_bins needs one number"),
    "counts": (lambda w: w.add_histogram_raw("t", 0, 1, 1, 1, 1, [1], [float("nan")]), r"bucket_counts"),
    "thresholds kind": (lambda w: w.add_pr_curve("t", [1], [1], num_thresholds=5.5), r"num_thresholds.*5\.5"),
    "fps kind": (lambda w: w.add_video("t", np.zeros((1, 2, 3, 4, 4)), fps="x"), r"fps needs one number"),
    "signs for labels": (lambda w: w.add_pr_curve("t", [-1, 1], [0.1, 0.9]), r"labels that are 0 or 1"),
    "NaN label": (lambda w: w.add_pr_curve("t", [float("nan")], [0.1]), r"labels that are 0 or 1"),
    "weights": (lambda w: w.add_pr_curve("t", [1], [0.1], weights=[-1]), r"weights that are finite"),
    "complex predictions": (lambda w: w.add_pr_curve("t", [1], [1j]), r"predictions needs real numbers"),
    "complex counts": (
        lambda w: w.add_histogram_raw("t", 0, 1, 1, 1, 1, [1], [1j]),
        r"bucket_counts needs real",
    ),
    "raw range": (lambda w: w.add_histogram_raw("t", 5, 1, 1, 1, 1, [1], [1]), r"needs min <= max"),
    "label kind": (
        lambda w: w.add_image_with_boxes("t", np.zeros((3, 4, 4)), [[0, 0, 1, 1]], labels=5),
        r"labels must be a list",
    ),
    "wide video": (lambda w: w.add_video("t", np.zeros((1, 1, 1, 1, 70_000), "u1")), r"at most 65,535"),
    "long run name": (lambda w: w.add_scalars("t", {"a" * 300: 1}), r"tag_scalar_dict.*at most 255 bytes"),
    "zero in a run name": (lambda w: w.add_scalars("t", {"a\0": 1}), r"tag_scalar_dict.*no zero byte"),
    "embedding name": (lambda w: w.add_embedding([[1.0]], tag="s" * 300), r"tag of an embedding"),
    "embedding": (lambda w: w.add_embedding([1.0]), r"mat needs real numbers of shape"),
    "run name kind": (lambda w: w.add_hparams({}, {}, run_name=5), r"run_name must be a str, got int"),
    "no run name": (lambda w: w.add_hparams({}, {}, run_name=0), r"run_name must be a str, got int"),
    "domains": (lambda w: w.add_hparams({}, {}, [1]), r"hparam_domain_discrete must be a dict, got list"),
    "hparam kind": (lambda w: w.add_hparams({"a": Path("x")}, {}), r"'a' must be.*Path.*str\(value\)"),
    "mesh config": (
        lambda w: w.add_mesh("t", np.zeros((1, 3)), config_dict="x"),
        r"config_dict must be a dict",
    ),
    "masked": (lambda w: w.add_histogram("t", np.ma.array([1, 2], mask=[0, 1])), r"masked elements of int64"),
    "description": (
        lambda w: w.add_scalar("t", 1, 1, summary_description=5),
        r"description must be a str, got int",
    ),
    "rescale kind": (
        lambda w: w.add_image_with_boxes("t", np.zeros((3, 4, 4)), [[0, 0, 1, 1]], rescale="x"),
        r"rescale needs one number",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_raise_at_once(tmp_path, name):
    call, message = WRONG[name]
    with SummaryWriter(tmp_path) as writer, pytest.raises(BadArgument, match=message):
        call(writer)
    assert logged(tmp_path) == []


def test_nan_and_infinity_are_counted_separately(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_histogram("odd", [np.nan, 1, np.inf, 3, -np.inf, np.nan], 1, bins=2)
        writer.add_histogram("plain", [1, 3], 1, bins=2)
        writer.add_histogram("chosen", [np.nan, 1, 3], 1, bins=[0, 2, 4])
    odd, plain, chosen = (value["tensor"] for _, value in logged(tmp_path))
    assert odd["not_finite"].tolist() == [2, 1, 1]
    assert chosen["not_finite"].tolist() == [1, 0, 0]
    assert "not_finite" not in plain
    assert odd["tensor_content"] == plain["tensor_content"]


def test_arrays_may_change_after_they_were_logged(tmp_path):
    later = []
    pixels, clip = np.zeros((3, 4, 4), dtype=np.uint8), np.zeros(9)
    with SummaryWriter(tmp_path) as writer:
        writer.events.add_later = lambda make_values, *_, **__: later.append(make_values)
        writer.add_image("i", pixels)
        writer.add_images("f", pixels[np.newaxis].astype(float))
        writer.add_video("v", pixels[np.newaxis, np.newaxis])
        writer.add_audio("a", clip)
        writer.add_tensor("t", clip)
        writer.add_image_with_boxes("b", pixels, [])
        before = [make_values() for make_values in later]
        pixels += 9
        clip += 1
        assert [make_values() for make_values in later] == before


def test_float_pixels_out_of_range_are_clipped_with_one_warning(writer):
    with pytest.warns(UserWarning, match=r"Image 'i': float pixels from 0 to 255 .*uint8"):
        writer.add_image("i", np.full((3, 4, 4), 255.0))
    writer.add_image("i", np.full((3, 4, 4), 255.0))
    writer.add_image("fine", np.full((3, 4, 4), np.nan))


def test_float_samples_out_of_range_are_clipped_with_one_warning_at_the_call(writer):
    with pytest.warns(UserWarning, match=r"Audio 'a': float samples from -5 to 2 .*int16") as told:
        writer.add_audio("a", np.array([-5.0, 2.0, np.nan]))
    assert told[0].filename == __file__
    writer.add_audio("a", np.full(3, 5.0))
    writer.add_audio("fine", np.full(3, np.nan))
    writer.add_audio("counts", np.full(3, 30000, np.int16))


def test_figures(tmp_path):
    pyplot.switch_backend("Agg")
    shown = pyplot.figure(figsize=(2, 1), dpi=50)
    canvas = shown.canvas
    with SummaryWriter(tmp_path) as writer:
        writer.add_figure("kept", shown, 1, close=False)
        assert pyplot.fignum_exists(shown.number)
        assert shown.canvas is canvas
        writer.add_figure("closed", [shown, pyplot.figure(figsize=(1, 1), dpi=50)], 1)
        assert not pyplot.get_fignums()
    (_, kept), (_, closed) = logged(tmp_path)
    assert kept["tensor"]["string_val"][:2] == [b"100", b"50"]
    assert len(closed["tensor"]["string_val"]) == 4


def test_grids(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_images("grid", np.zeros((9, 2, 3)), dataformats="NHW", as_grid=True)
        writer.add_images("batch", np.zeros((9, 2, 3)), dataformats="NHW")
    (_, grid), (_, batch) = logged(tmp_path)
    assert grid["tensor"]["string_val"][:2] == [b"24", b"4"]
    assert len(batch["tensor"]["string_val"]) == 2 + 9


def test_charts_add_up(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_custom_scalars({"A": {"c": ["Multiline", ["x"]]}})
        writer.add_custom_scalars_multilinechart(["y"], "A", "d")
    assert [
        len(chart)
        for chart in runglass.open(tmp_path)
        .read(".", "custom_scalars__config__")
        .value[-1]["category"][0]["chart"]
    ] == [2, 2]


def test_hparams_stay_in_the_run(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_hparams(
            {"lr": np.float32(0.5), "name": "a", "none": None}, {"acc": np.array([0.5])}, global_step=3
        )
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == []
    assert [value["tag"] for _, value in logged(tmp_path)] == [
        "_hparams_/session_start_info",
        "acc",
        "_hparams_/session_end_info",
    ]
    start = runglass.open(tmp_path).read(".", "_hparams_/session_start_info").value[0]["session_start_info"]
    assert start["hparams"] == {"lr": 0.5, "name": "a"}


@pytest.mark.parametrize("is_reopened", [False, True])
def test_results_without_a_step_end_the_curves_of_the_run(tmp_path, is_reopened):
    writer = SummaryWriter(tmp_path)
    for step in range(1, 101):
        writer.add_scalar("acc", step / 100, step)
        writer.add_scalar("loss", np.float64(1e-3), step * 2)
    if is_reopened:
        writer.close()
        writer = SummaryWriter(tmp_path)
    writer.add_hparams({"lr": 0.5}, {"acc": 1.0, "loss": 0.5, "new": 3})
    writer.close()
    read = runglass.open(tmp_path)
    for tag, last, result in (("acc", 100, 1.0), ("loss", 200, 0.5)):
        series = read.scalars(".", tag)
        assert (series.step[0], series.step[-1], series.value[-1]) == (last // 100, last, result)
        # In a new file it replaces what was there.
        assert len(series.step) == (100 if is_reopened else 101)
    assert read.scalars(".", "new").step.tolist() == [0]


def test_hparams_of_torch_go_below(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_hparams({"lr": 0.5}, {"acc": 1}, run_name="one")
        writer.add_hparams({"lr": 0.5}, {"acc": 1}, name="two")
        writer.add_hparams({"lr": 0.5}, {"acc": 1}, "three")
    for name in ("one", "two", "three"):
        start = runglass.open(tmp_path).read(name, "_hparams_/session_start_info").value[0]
        assert "group_name" not in start["session_start_info"]
        assert [value["tag"] for _, value in logged(tmp_path / name)] == [
            "_hparams_/experiment",
            "_hparams_/session_start_info",
            "acc",
            "_hparams_/session_end_info",
        ]


def test_a_purge_step_starts_a_session(tmp_path):
    with SummaryWriter(tmp_path, purge_step=7) as writer:
        writer.add_scalar("s", 1, 7)
        writer.close()
        writer.add_scalar("s", 1, 8)
    first, *rest = events(tmp_path)
    assert (first["step"], first["session_log"]) == (7, {"status": SessionStatus.START})
    assert not any("session_log" in event for event in rest)


def test_use_after_close_opens_a_new_file(tmp_path):
    writer = SummaryWriter(tmp_path, filename_suffix=".mine")
    for step, log in enumerate((writer.add_scalar, writer.add_text, writer.add_scalars)):
        log("t", {1: "x", 2: {"a": 1}}.get(step, 1), step)
        writer.close()
        writer.close()
    names = [path.name for path in tmp_path.glob("*tfevents*")]
    assert len(names) == 2
    assert all(name.endswith(".mine") for name in names)
    assert sorted(step for step, _ in logged(tmp_path)) == [0, 1]
    assert len(list(tmp_path.glob("t_a/*"))) == 1


def test_the_default_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RUNGLASS_RUN_DIR", raising=False)
    with SummaryWriter(comment="_note") as writer:
        pass
    assert re.fullmatch(r"runs/[A-Z][a-z]{2}\d\d_\d\d-\d\d-\d\d_.+_note", writer.get_logdir())
    assert (tmp_path / writer.log_dir).is_dir()
    monkeypatch.setenv("RUNGLASS_RUN_DIR", str(tmp_path / "around"))
    with SummaryWriter() as writer:
        assert writer.logdir == str(tmp_path / "around")
    with pytest.raises(BadArgument, match="two names"):
        SummaryWriter("a", logdir="b")


def test_nothing_is_written_unless_wanted(tmp_path):
    with SummaryWriter(logdir=tmp_path / "none", write_to_disk=False) as writer:
        writer.add_scalar("s", 1, 1)
        writer.add_scalars("s", {"a": 1})
        writer.add_image("i", np.zeros((3, 4, 4)))
        with pytest.raises(BadArgument):
            writer.add_image("i", np.zeros(4))
        writer.flush()
    assert not (tmp_path / "none").exists()


def test_boxes_are_drawn():
    boxes, names = pictures.to_boxes([[5, 6, 2, 1], [-9, -9, 99, 99]], ["a", "b"], "x")
    drawn = pictures.with_boxes(np.zeros((10, 12, 1)), boxes, None, 1)
    assert drawn.shape == (10, 12, 3)
    red = (drawn == [255, 0, 0]).all(axis=2)
    assert red[1, 2:6].all()
    assert red[6, 2:6].all()
    assert red[1:7, 2].all()
    assert not red[0].any()
    assert not red[9].any()
    assert pictures.with_boxes(np.zeros((10, 12, 4)), boxes, names, 2.5).shape == (25, 30, 4)
    deep = pictures.with_boxes(np.full((10, 12, 3), 0x80FF, np.uint16), boxes, None, 1)
    assert (deep.dtype, deep[9, 0].tolist()) == (np.uint8, [0x80, 0x80, 0x80])


def test_calls_in_the_style_of_tensorboardx(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("s", 1, 0, None, "name", "words")
        writer.add_image_with_boxes("i", np.zeros((4, 5, 3)), [[0, 0, 1, 1]], 0, None, "HWC", ["box"])
    (_, scalar), (_, picture) = logged(tmp_path)
    assert (scalar["metadata"]["display_name"], scalar["metadata"]["summary_description"]) == (
        "name",
        "words",
    )
    assert picture["tag"] == "i"


def test_nearly_right_arguments_are_accepted(tmp_path):
    with SummaryWriter(tmp_path, flush_secs=np.int64(3)) as writer:
        writer.add_scalars("s", {"a\ud800": 1}, 0)
        writer.add_pr_curve("p", [0, True, 1.0], np.float32([0, 1.0000001, 0.5]), num_thresholds=3)
        writer.add_audio("a", np.zeros((1, 1, 50)), 0)
        writer.add_video("v", np.zeros((1, 2, 3, 4, 4)), fps=1e-320)
        writer.add_scalar("m", np.ma.masked, 0)
    read = runglass.open(tmp_path)
    assert read.scalars("s_a?", "s").value.tolist() == [1]
    assert np.isnan(read.scalars(".", "m").value).all()
    assert {value["tag"] for _, value in logged(tmp_path)} == {"p", "a", "v", "m"}


@pytest.mark.parametrize("named", [{"max_queue": "a"}, {"flush_secs": "a"}, {"filename_suffix": "s" * 300}])
def test_wrong_arguments_of_a_writer_are_named(tmp_path, named):
    with pytest.raises(BadArgument, match=next(iter(named))):
        SummaryWriter(tmp_path, **named)
    with pytest.raises(BadArgument, match="filename_suffix"):
        SummaryWriter(tmp_path, filename_suffix="\udc80")


def test_importing_costs_little():
    """Imports no framework, whatever is installed, and the package alone not even NumPy."""
    code = (
        "import sys, runglass; assert 'numpy' not in sys.modules; runglass.SummaryWriter;"
        "print([name for name in ('torch', 'tensorflow', 'jax', 'keras', 'PIL', 'matplotlib', 'starlette') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_opening_runs_during_training_does_not_raise(tmp_path):
    """A file is in the place of the directories of add_scalars and add_hparams, and then it is gone."""
    with SummaryWriter(tmp_path / "run") as writer:
        for name in ("loss_a", "trial"):
            (tmp_path / "run" / name).write_text("in the way")
        with warnings.catch_warnings(record=True, action="always") as told:
            writer.add_scalars("loss", {"a": 1.0}, 3)
            writer.add_hparams({"lr": 0.1}, {"accuracy": 0.5}, run_name="trial")
            writer.flush()
        assert ["cannot be written" in str(each.message) for each in told] == [True, True]
        for name in ("loss_a", "trial"):
            (tmp_path / "run" / name).unlink()
    log = runglass.open(tmp_path)
    assert log.scalars("run/loss_a", "loss").value.tolist() == [1.0]
    assert log.scalars("run/trial", "accuracy").value.tolist() == [0.5]


def test_the_run_stays_where_it_began(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with SummaryWriter("run") as writer:
        monkeypatch.chdir(tmp_path / "elsewhere")
        writer.add_scalars("loss", {"a": 1.0}, 1)
        writer.add_hparams({"lr": 0.1}, {}, run_name="trial")
        writer.add_embedding(np.zeros((2, 2)))
        writer.close()
        writer.add_scalar("again", 1.0, 1)
        assert writer.get_logdir() == "run"
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert runglass.open(tmp_path).runs == ["run", "run/loss_a", "run/trial"]


def test_copies_and_pickles_write_their_own_files(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", 1.0, 1)
        others = [copy.deepcopy(writer), pickle.loads(pickle.dumps(writer))]
        assert len(list(tmp_path.iterdir())) == 1
        for other in others:
            other.add_scalar("loss", 1.0, 1)
            other.close()
    assert len(list(tmp_path.iterdir())) == 3
    assert len(logged(tmp_path)) == 3


def test_pending_records_are_not_pickled(tmp_path):
    with EventWriter(tmp_path) as events, pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(events)


def test_reopening_a_writer_during_training_does_not_raise(tmp_path):
    writer = SummaryWriter(tmp_path / "run")
    writer.close()
    (tmp_path / "run").rename(tmp_path / "elsewhere")
    (tmp_path / "run").write_text("in the way")
    with warnings.catch_warnings(record=True, action="always") as told:
        writer.add_scalar("loss", 1.0, 3)
        writer.flush()
    assert ["cannot be written" in str(each.message) for each in told] == [True]
    (tmp_path / "run").unlink()
    writer.close()
    assert runglass.open(tmp_path).scalars("run", "loss").value.tolist() == [1.0]
