"""Wrong arguments of SummaryWriter raise at the call and say what is wrong; nearly right ones are accepted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.support.written import logged

import runglass
from runglass.errors import BadArgument
from runglass.writer.calls.summary_writer import SummaryWriter

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
    "predictions kind": (lambda w: w.add_pr_curve("t", [1], None), r"'t': predictions needs.*got NoneType"),
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
