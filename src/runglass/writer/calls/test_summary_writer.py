"""What all calls of SummaryWriter share: known bytes, precision, names, steps and tags."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from tests.support.written import events, logged, payloads

import runglass
from runglass.errors import BadArgument
from runglass.writer.calls.summary_writer import SummaryWriter
from runglass.writer.values.arrays import TAG_LIMIT

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


@pytest.fixture
def writer(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        yield writer


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


def test_no_type_of_number_changes_the_format(tmp_path):
    narrow = float(np.float32(0.1))
    given = {
        "python": (0.1, narrow),
        "int": (3, 3.0),
        "bool": (True, 1.0),
        "float16": (np.float16(0.5), 0.5),
        "float32": (np.float32(0.1), narrow),
        "float64": (np.float64(0.1), narrow),
        "int8": (np.int8(-3), -3.0),
        "numpy bool": (np.bool_(True), 1.0),
        "array": (np.array([[0.1]]), narrow),
        "list": ([0.1], narrow),
        "huge": (1e39, float("inf")),
    }
    with SummaryWriter(tmp_path) as writer:
        # The first call of a tag goes another way than the next.
        for step in (np.int64(1), 2):
            for tag, (value, _) in given.items():
                writer.add_scalar(tag, value, step)
    found = {step: {} for step in (1, 2)}
    for step, value in logged(tmp_path):
        assert set(value) == {"tag", "simple_value"}
        found[step][value["tag"]] = value["simple_value"]
    expected = {tag: number for tag, (_, number) in given.items()}
    assert found == {1: expected, 2: expected}


def test_all_digits_on_request(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        for step in range(2):
            writer.add_scalar("double", 0.1, step, double_precision=True)
    log = runglass.open(tmp_path)
    assert log.scalars(".", "double").value.tolist() == [0.1, 0.1]


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
