from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest

import runglass
from runglass import summary
from runglass.errors import BadArgument
from runglass.native.wire import encode
from runglass.schema.summary import SUMMARY
from runglass.writer.calls.default_writer import Late
from runglass.writer.values import summaries

FRAMEWORKS = "torch", "tensorflow", "keras", "jax", "PIL", "matplotlib", "lightning", "transformers"


@pytest.fixture
def writer(tmp_path):
    made = summary.create_file_writer(tmp_path / "run")
    yield made
    made.close()


def read(writer):
    """The log of a writer after a flush."""
    writer.flush()
    return runglass.open(writer.events.logdir)


def points(writer, tag):
    series = read(writer).scalars(".", tag)
    return list(zip(series.step.tolist(), series.value.tolist(), strict=True))


def test_without_a_writer_nothing_is_recorded():
    assert summary.scalar("a", 1, step=0) is False
    assert summary.should_record_summaries() is False
    assert summary.text("a", "b") is False
    summary.flush()


def test_explicit_and_default_steps(writer):
    with writer.as_default():
        assert summary.scalar("a", 1.5, step=3) is True
        summary.experimental.set_step(7)
        summary.scalar("a", 2.5)
        assert summary.experimental.get_step() == 7
        # A context without a step does not change it, so it stays set.
    assert summary.experimental.get_step() == 7
    summary.experimental.set_step(None)
    assert points(writer, "a") == [(3, 1.5), (7, 2.5)]


def test_a_missing_step_says_what_to_do(writer):
    with writer.as_default(), pytest.raises(BadArgument, match=r"No step is set.*step=.*as_default"):
        summary.scalar("a", 1)
    # Nothing would be recorded, so nothing is missing.
    with writer.as_default(), summary.record_if(False):
        assert summary.scalar("a", 1) is False


@pytest.mark.parametrize("step", [np.int32(5), np.array(5), 5.0, np.array([5])])
def test_steps_of_any_kind(writer, step):
    with writer.as_default(step=step):
        summary.scalar("a", 1)
    assert points(writer, "a") == [(5, 1.0)]


@pytest.mark.parametrize("step", [1.5, "1", [1, 2], float("nan")])
def test_bad_steps(writer, step):
    with writer.as_default(), pytest.raises(BadArgument, match=r"[Ss]tep"):
        summary.scalar("a", 1, step=step)


def test_contexts_nest_and_restore_writer_and_step(tmp_path, writer):
    with summary.create_file_writer(tmp_path / "other") as other:
        with writer.as_default(step=10):
            summary.scalar("a", 1)
            with other.as_default(step=20) as entered:
                assert entered is other
                summary.scalar("a", 2)
            summary.scalar("a", 3)
        assert summary.experimental.get_step() is None
        assert points(writer, "a") == [(10, 1.0), (10, 3.0)]
        assert points(other, "a") == [(20, 2.0)]


def test_the_default_belongs_to_a_thread(writer):
    found = []
    with writer.as_default(step=1):
        thread = threading.Thread(target=lambda: found.append(summary.should_record_summaries()))
        thread.start()
        thread.join()
        assert summary.should_record_summaries() is True
    assert found == [False]


def test_set_as_default_lasts(writer):
    def work():
        writer.set_as_default(step=2)
        summary.scalar("a", 1)
        summary.scalar("a", 2)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert points(writer, "a") == [(2, 1.0), (2, 2.0)]


def test_record_if_takes_a_bool_an_array_or_a_function(writer):
    step = 0
    with writer.as_default():
        with summary.record_if(lambda: step % 2 == 0):
            for step in range(5):
                summary.scalar("even", step, step=step)
            with summary.record_if(np.array(True)):
                summary.scalar("even", 9, step=9)
        with summary.record_if(False):
            assert summary.should_record_summaries() is False
        assert summary.should_record_summaries() is True
    assert [step for step, _ in points(writer, "even")] == [0, 2, 4, 9]


def test_late_steps_and_conditions_are_evaluated_when_recording(writer):
    batch = 0
    with writer.as_default(step=Late(lambda: batch)), summary.record_if(Late(lambda: batch != 2)):
        for batch in range(4):
            summary.scalar("a", batch * 10)
    assert points(writer, "a") == [(0, 0.0), (1, 10.0), (3, 30.0)]


def test_scalars_have_32_bits_unless_all_are_asked_for(writer):
    with writer.as_default(step=0):
        summary.scalar("python", 0.1)
        summary.scalar("numpy", np.float64(0.1))
        summary.scalar("array", np.array([0.1]), description="*d*")
        summary.scalar("double", 0.1, double_precision=True)
    narrow = float(np.float32(0.1))
    assert [points(writer, tag)[0][1] for tag in ("python", "numpy", "array", "double")] == [
        narrow,
        narrow,
        narrow,
        0.1,
    ]


def test_every_kind_is_read_back(writer):
    pixels = np.arange(4 * 3 * 5 * 3, dtype=np.uint8).reshape(4, 3, 5, 3)
    with writer.as_default(step=1):
        summary.image("image", pixels, max_outputs=2, description="pictures")
        summary.image("picture list", [np.zeros((2, 2, 1)), np.ones((2, 2, 1))])
        summary.audio("audio", np.zeros((2, 100, 1)), 8000, encoding="wav")
        summary.text("text", "# hello")
        summary.text("bytes", [b"a", "b"])
        summary.histogram("histogram", np.arange(10.0), buckets=5)
        summary.write("any", np.arange(3), metadata=None)
        summary.write("lazy", lambda: np.arange(2))
    log = read(writer)
    found = {
        tag: log.read(".", tag) for tag in ("image", "picture list", "audio", "text", "bytes", "histogram")
    }
    assert [series.kind for series in found.values()] == [
        "image",
        "image",
        "audio",
        "text",
        "text",
        "histogram",
    ]
    assert all(series.step.tolist() == [1] for series in found.values())
    assert [(each.width, each.height) for each in found["image"].value[0]] == [(5, 3)] * 2
    assert len(found["picture list"].value[0]) == 2
    assert [clip.sample_rate for clip in found["audio"].value[0]] == [8000, 8000]
    assert np.asarray(found["bytes"].value[0]).tolist() == ["a", "b"]
    assert found["histogram"].value[0][:, 2].tolist() == [2.0] * 5
    assert log.read(".", "any").value[0].tolist() == [0, 1, 2]
    assert log.read(".", "lazy").value[0].tolist() == [0, 1]


def test_an_image_may_change_after_it_was_logged(writer):
    pixels = np.zeros((1, 2, 2, 1), dtype=np.uint8)
    with writer.as_default(step=0):
        summary.image("image", pixels)
        pixels[:] = 255
    content = read(writer).read(".", "image").value[0][0].data
    assert content == summaries.encode_png(np.zeros((2, 2, 1), dtype=np.uint8))


def test_a_lazy_tensor_is_made_only_if_it_is_recorded(writer):
    with writer.as_default(step=0), summary.record_if(False):
        assert summary.write("a", lambda: pytest.fail("called")) is False


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: summary.image("i", np.zeros((3, 3, 1)), step=0), r"Image 'i'.*\[k, height.*\(3, 3, 1\)"),
        (lambda: summary.image("i", np.zeros((1, 3, 3, 5)), step=0), r"1 to 4 channels.*\(1, 3, 3, 5\)"),
        (lambda: summary.image("i", np.zeros((1, 3, 3, 1), int), step=0), "int64"),
        (lambda: summary.image("i", np.zeros((1, 3, 3, 1)), step=0, max_outputs=-1), "max_outputs.*-1"),
        (lambda: summary.audio("a", np.zeros((3, 3)), 8000, step=0), r"Audio 'a'.*\(3, 3\)"),
        (lambda: summary.audio("a", np.zeros((1, 3, 1)), 8000, step=0, encoding="mp3"), "mp3"),
        (lambda: summary.scalar("s", [1, 2], step=0), r"Scalar 's'.*\(2,\)"),
        (lambda: summary.scalar("s", "x", step=0), "Scalar 's'"),
        (lambda: summary.text("t", [1], step=0), "Text 't'"),
        (lambda: summary.histogram("h", np.zeros(3), step=0, buckets=0), "bucket"),
        (lambda: summary.histogram("h", np.zeros(3), step=0, buckets="x"), "buckets needs one number"),
        (lambda: summary.image("i", np.zeros((1, 3, 3, 1)), step=0, max_outputs="x"), "max_outputs"),
        (lambda: summary.audio("a", np.zeros((1, 3, 1)), 0, step=0), "sample_rate.*got 0"),
        (lambda: summary.scalar("s" * 100_000, 1, step=0), "tag has 100,000 characters"),
        (lambda: summary.scalar("", 1, step=0), "tag is empty"),
        (lambda: summary.write(None, 1, step=0), "tag must be a str"),
        (lambda: summary.write("w", 1, step=0, metadata=5), "metadata.*int"),
        (lambda: summary.histogram("h", "x", step=0), "Histogram 'h'"),
        (lambda: summary.graph(3), "graph_data.*int"),
        (lambda: summary.trace_export("t", step=0), "trace_on"),
        (lambda: summary.experimental.write_raw_pb(3, step=0), "write_raw_pb.*int"),
        (lambda: summary.create_file_writer(None), "logdir.*None"),
    ],
)
def test_wrong_arguments_are_named(writer, call, message):
    with writer.as_default(), pytest.raises(BadArgument, match=message):
        call()


def test_raw_summaries_and_graphs(writer):
    raw = encode(SUMMARY, {"value": [summaries.scalar("a", 1.0), summaries.scalar("b", 2.0)]})
    with writer.as_default(step=4):
        assert summary.experimental.write_raw_pb(raw) is True
        assert summary.graph(b"\x0a\x00") is True
    assert points(writer, "b") == [(4, 2.0)]
    assert read(writer).read(".", "__run_graph__").value[0] == b"\x0a\x00"


def test_a_closed_writer_says_so(writer):
    with writer.as_default(step=0):
        summary.scalar("a", 1)
    writer.close()
    writer.close()
    writer.flush()
    with pytest.raises(BadArgument, match="closed"):
        writer.as_default()


def test_a_noop_writer_changes_nothing(writer):
    noop = summary.create_noop_writer()
    with writer.as_default(step=0), noop.as_default(step=3):
        noop.set_as_default()
        summary.scalar("a", 1)
    noop.flush()
    noop.close()
    assert points(writer, "a") == [(0, 1.0)]


def test_files_are_named_as_tensorflow_names_them(tmp_path):
    with summary.create_file_writer(tmp_path, max_queue=1, flush_millis=1000, name="n"):
        pass
    with summary.create_file_writer(tmp_path, filename_suffix=".mine"):
        pass
    assert sorted(file.suffix for file in tmp_path.iterdir()) == [".mine", ".v2"]


def test_no_framework_is_imported():
    code = (
        "import sys, runglass.summary, runglass.hparams, runglass.keras, runglass.lightning, runglass.huggingface;"
        f"print([name for name in {FRAMEWORKS} if name in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_values_out_of_range_are_clipped_with_one_warning(writer):
    with writer.as_default(step=0):
        with pytest.warns(UserWarning, match="Image 'bright': float pixels up to 200 are clipped"):
            summary.image("bright", np.full((1, 2, 2, 3), 200.0))
        with pytest.warns(UserWarning, match="Audio 'loud': float samples from 5 to 5"):
            summary.audio("loud", np.full((1, 10, 1), 5.0), 8000)
        summary.image("bright", np.full((1, 2, 2, 3), 200.0))


@pytest.mark.parametrize(
    ("log", "message"),
    [
        (lambda: summary.image("t", np.zeros((1, 2, 2, 3), int)), "Image 't'.*int64"),
        (lambda: summary.audio("t", np.zeros((1, 9, 10)), 8000), "Audio 't'.*at most 8 channels"),
        (lambda: summary.audio("t", np.zeros((1, 9, 1), "i4"), 8000), "Audio 't'.*int32"),
        (lambda: summary.write("t", object()), "Tensor 't' needs numbers or strings, got object"),
        (lambda: summary.write("t", np.longdouble(1)), "Tensor 't'.*float32"),
        (lambda: summary.scalar("t", 1, description=5), "description must be a str"),
        (lambda: summary.create_file_writer("logs", max_queue="a"), "max_queue"),
    ],
)
def test_wrong_values_are_named(writer, log, message):
    with writer.as_default(step=0), pytest.raises(BadArgument, match=message):
        log()


def test_a_scope_names_what_is_logged_together(writer):
    with summary.experimental.summary_scope(None, "loss") as (tag, scope):
        assert (tag, scope) == ("loss", "loss/")
    with summary.experimental.summary_scope("mine") as (tag, _):
        assert tag == "mine"
