"""What SummaryWriter writes, as TensorBoard's server sends it to its page, and as runglass.open reads it."""

from __future__ import annotations

import json
import logging
import warnings
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest

import runglass
from runglass.writer.values.histograms import histogram
from runglass.writer.values.png import encode_png
from runglass.writer.values.pr_curves import pr_curve_rows
from runglass.writer.values.wav import encode_wav

with warnings.catch_warnings():
    # TensorBoard may import deprecated packages, which must not fail our tests.
    warnings.simplefilter("ignore", DeprecationWarning)
    from tensorboard import default, program
    from tensorboard.backend.application import TensorBoardWSGIApp
    from tensorboard.backend.event_processing.data_ingester import LocalDataIngester
    from werkzeug.test import Client

START = 1700000000.5
RNG = np.random.default_rng(0)
PIXELS = RNG.integers(0, 256, (5, 7, 3), dtype=np.uint8)
BATCH = RNG.integers(0, 256, (4, 3, 6, 5), dtype=np.uint8)
DEEP = RNG.integers(0, 65536, (4, 6), dtype=np.uint16)
VIDEO = RNG.integers(0, 256, (1, 3, 3, 8, 9), dtype=np.uint8)
TONE = np.sin(np.arange(800) / 5)
NUMBERS = np.append(RNG.normal(size=1000), [np.nan, np.inf])
LABELS, SCORES = RNG.random(50) > 0.5, RNG.random(50)
VERTICES = RNG.random((1, 4, 3)).astype(np.float32)
COLORS = RNG.integers(0, 256, (1, 4, 3))
FACES = [[[0, 1, 2], [1, 2, 3]]]


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logdir = tmp_path_factory.mktemp("logs")
    with runglass.SummaryWriter(logdir / "run") as writer:
        for step, value in enumerate([0.1, float("nan"), -3.5]):
            writer.add_scalar("loss", value, step * 10, START + step)
            writer.add_scalar("loss64", value, step * 10, START + step, double_precision=True)
        writer.add_scalars("both/sides", {"a": 1, "b": 2.5}, 3, START)
        writer.add_image("image", PIXELS, 2, START, dataformats="HWC")
        writer.add_images("images", BATCH, 2, START)
        writer.add_image("deep", DEEP, 2, START, dataformats="HW")
        writer.add_video("video", VIDEO, 2, walltime=START)
        writer.add_audio("audio", TONE, 2, 8000, START)
        writer.add_text("text", "# hello é", 2, START)
        writer.add_text("column", ["a", "b"], 2, START)
        writer.add_histogram("histogram", NUMBERS, 2, bins=30, walltime=START)
        writer.add_histogram_raw("raw", 0, 4, 5, 8, 22, [1, 2, 3, 4], [1, 2, 1, 1], 2, START)
        writer.add_pr_curve("pr", LABELS, SCORES, 2, walltime=START)
        writer.add_mesh("mesh", VERTICES, COLORS, FACES, {"camera": {"fov": 60}}, 2, START)
        writer.add_tensor("tensor", np.arange(6).reshape(2, 3), 2, START)
        writer.add_custom_scalars_multilinechart(["loss.*"], "mine", "losses")
        writer.add_custom_scalars_marginchart(["loss", "low", "high"], "mine", "band")
        trial = {"lr": 0.1, "bn": True, "opt": "sgd"}
        writer.add_hparams(trial, {"accuracy": 0.75}, {"lr": [0.1, 0.2]}, global_step=5)
        writer.add_hparams({"lr": 0.2}, {"accuracy": 0.5}, {"lr": [0.1, 0.2]}, run_name="trial")
    return logdir


@pytest.fixture(scope="module")
def client(logdir: Path) -> Client:
    return make_client(logdir)


def make_client(logdir: Path) -> Client:
    quiet = logging.getLogger("tensorboard")
    quiet.setLevel(logging.ERROR)
    board = program.TensorBoard(plugins=default.get_static_plugins())
    board.configure(argv=["tensorboard", "--logdir", str(logdir), "--load_fast", "false"])
    ingester = LocalDataIngester(board.flags)
    ingester.deprecated_multiplexer.AddRunsFromDirectory(str(logdir))
    ingester.deprecated_multiplexer.Reload()
    return Client(
        TensorBoardWSGIApp(
            board.flags,
            board.plugin_loaders,
            ingester.data_provider,
            board.assets_zip_provider,
            ingester.deprecated_multiplexer,
        )
    )


def get(client: Client, path: str, **query: object) -> bytes:
    response = client.get(f"/data/plugin/{path}?{urlencode(query)}")
    assert response.status_code == 200, response.get_data()
    return response.get_data()


def shown(client: Client, path: str, tag: str, **query: object):
    return json.loads(get(client, path, run="run", tag=tag, **query))


def test_runs(client):
    runs = json.loads(client.get("/data/runs").get_data())
    assert sorted(runs) == ["run", "run/both_sides_a", "run/both_sides_b", "run/trial"]


@pytest.mark.parametrize(("tag", "kind"), [("loss", np.float32), ("loss64", np.float64)])
def test_scalars(client, tag, kind):
    rows = shown(client, "scalars/scalars", tag)
    assert [row[:2] for row in rows] == [[START, 0], [START + 1, 10], [START + 2, 20]]
    assert [rows[0][2], rows[2][2]] == [float(kind(0.1)), -3.5]
    assert rows[1][2] == "NaN"


def test_scalars_side_by_side(client):
    for name, value in (("a", 1.0), ("b", 2.5)):
        rows = json.loads(get(client, "scalars/scalars", run=f"run/both_sides_{name}", tag="both/sides"))
        assert rows == [[START, 3, value]]


def samples(client, path, item, tag, count):
    for sample in range(count):
        (entry,) = shown(client, path, tag, sample=sample)
        assert (entry["wall_time"], entry["step"]) == (START, 2)
        response = client.get(f"/data/plugin/{item}?{entry['query']}")
        yield response.get_data(), response.headers["Content-Type"]


def test_images(client):
    def pictures(tag, count):
        return list(samples(client, "images/images", "images/individualImage", tag, count))

    assert pictures("image", 1) == [(encode_png(PIXELS), "image/png")]
    assert pictures("images", 4) == [(encode_png(each), "image/png") for each in BATCH.transpose(0, 2, 3, 1)]
    assert pictures("deep", 1) == [(encode_png(DEEP), "image/png")]
    ((gif, kind),) = pictures("video", 1)
    assert (gif[:6], kind) == (b"GIF89a", "image/gif")


def test_audio(client):
    found = list(samples(client, "audio/audio", "audio/individualAudio", "audio", 1))
    assert found == [(encode_wav(TONE, 8000), "audio/wav")]


def test_text(client):
    assert "<h1>hello é</h1>" in shown(client, "text/text", "text")[0]["text"]
    assert shown(client, "text/text", "column")[0]["text"].count("<tr>") == 2


def test_histograms_and_distributions(client):
    ((wall_time, step, rows),) = shown(client, "histograms/histograms", "histogram")
    assert (wall_time, step) == (START, 2)
    np.testing.assert_array_equal(rows, histogram(NUMBERS).rows)
    ((_, _, rows),) = shown(client, "histograms/histograms", "raw")
    assert rows == [[0, 1, 1], [1, 2, 2], [2, 3, 1], [3, 4, 1]]
    ((_, _, points),) = shown(client, "distributions/distributions", "raw")
    assert [value for _, value in points] == pytest.approx(
        [0, 0.334, 0.7935, 1.27125, 1.75, 2.4575, 3.2065, 3.666, 4]
    )


def test_pr_curves(client):
    (curve,) = json.loads(get(client, "pr_curves/pr_curves", run="run", tag="pr"))["run"]
    rows = pr_curve_rows(LABELS, SCORES, thresholds=127)
    # TensorBoard leaves out the last thresholds if no prediction reaches them.
    kept = len(curve["precision"])
    assert (curve["step"], curve["wall_time"], len(curve["thresholds"])) == (2, START, kept)
    np.testing.assert_array_equal(curve["true_positives"], rows[0, :kept])
    np.testing.assert_array_equal(curve["recall"], rows[5, :kept])


def test_custom_scalars(client):
    (category,) = json.loads(get(client, "custom_scalars/layout"))["category"]
    assert category["title"] == "mine"
    assert category["chart"] == [
        {"title": "losses", "multiline": {"tag": ["loss.*"]}},
        {"title": "band", "margin": {"series": [{"value": "loss", "lower": "low", "upper": "high"}]}},
    ]


def test_meshes(client):
    parts = shown(client, "mesh/meshes", "mesh", sample=0)
    assert [(part["content_type"], part["data_shape"]) for part in parts] == [
        (1, [1, 4, 3]),
        (2, [1, 2, 3]),
        (3, [1, 4, 3]),
    ]
    assert {part["components"] for part in parts} == {0b1110}
    assert json.loads(parts[0]["config"]) == {"camera": {"fov": 60}}
    for kind, dtype, expected in (
        ("VERTEX", np.float32, VERTICES),
        ("FACE", np.int32, FACES),
        ("COLOR", np.uint8, COLORS),
    ):
        data = get(client, "mesh/data", run="run", tag="mesh", content_type=kind, sample=0, step=2)
        np.testing.assert_array_equal(np.frombuffer(data, dtype=dtype), np.ravel(expected))


def ask_session_groups(client: Client) -> list[dict]:
    response = client.post(
        "/data/plugin/hparams/session_groups",
        json={
            "startIndex": 0,
            "sliceSize": 10,
            "allowedStatuses": ["STATUS_SUCCESS"],
            "colParams": [],
        },
    )
    return json.loads(response.get_data())["sessionGroups"]


def test_hparams(client):
    groups = ask_session_groups(client)
    found = {group["sessions"][0]["name"]: group for group in groups}
    assert found["run"]["hparams"] == {"lr": 0.1, "bn": True, "opt": "sgd"}
    assert found["run"]["metricValues"][0]["value"] == 0.75
    assert found["run"]["metricValues"][0]["trainingStep"] == 5
    assert found["run/trial"]["hparams"] == {"lr": 0.2}
    experiment = json.loads(client.post("/data/plugin/hparams/experiment", json={}).get_data())
    domains = {info["name"]: info.get("domainDiscrete") for info in experiment["hparamInfos"]}
    assert domains["lr"] == [0.1, 0.2]


def test_hparams_of_a_run_that_is_the_log_directory(logdir, tmp_path):
    """Without an experiment record TensorBoard looks for its metrics in a place that does not exist."""
    with runglass.SummaryWriter(tmp_path) as writer:
        writer.add_scalar("accuracy", 0.5, 1)
        writer.add_hparams({"lr": 0.1}, {"accuracy": 0.75}, global_step=2)
    (group,) = ask_session_groups(make_client(tmp_path))
    (session,) = group["sessions"]
    assert (session["name"], group["hparams"]) == (".", {"lr": 0.1})
    assert [(each["name"]["tag"], each["value"]) for each in session["metricValues"]] == [("accuracy", 0.75)]


def test_five_trials_of_one_writer(tmp_path):
    """As many as torch logs; tests/interop/test_hparams.py compares with it."""
    with runglass.SummaryWriter(tmp_path / "run") as writer:
        for i in range(5):
            writer.add_hparams(
                {"lr": 0.1 * i, "bsize": i}, {"hparam/accuracy": 10 * i, "hparam/loss": 10 * i}
            )
    groups = ask_session_groups(make_client(tmp_path))
    found = {
        group["hparams"]["bsize"]: {each["name"]["tag"]: each["value"] for each in group["metricValues"]}
        for group in groups
    }
    assert found == {i: {"hparam/accuracy": 10 * i, "hparam/loss": 10 * i} for i in range(5)}
    assert all(len(group["sessions"]) == 1 for group in groups)


def test_runglass_reads_the_same(logdir):
    log = runglass.open(logdir)

    def only(tag):
        series = log.read("run", tag)
        assert (series.step.tolist(), series.wall_time.tolist()) == ([2], [START])
        return series.value[0]

    assert {file.state for file in log.health} == {"ok"}
    np.testing.assert_array_equal(log.scalars("run", "loss64").value, [0.1, np.nan, -3.5])
    assert [each.data for each in only("images")] == [
        encode_png(each) for each in BATCH.transpose(0, 2, 3, 1)
    ]
    assert (only("video")[0].format, only("video")[0].width, only("video")[0].height) == ("gif", 9, 8)
    assert (only("audio")[0].sample_rate, only("audio")[0].frames) == (8000, 800)
    assert only("text") == "# hello é"
    assert only("column").tolist() == ["a", "b"]
    buckets = only("histogram")
    has_place = np.isfinite(buckets[:, :2]).all(axis=1)
    np.testing.assert_array_equal(buckets[has_place], histogram(NUMBERS).rows)
    # After them come NaN and infinities, which TensorBoard does not read.
    assert buckets[~has_place, 2].sum() == np.count_nonzero(~np.isfinite(NUMBERS))
    np.testing.assert_array_equal(only("pr"), pr_curve_rows(LABELS, SCORES, thresholds=127))
    np.testing.assert_array_equal(only("mesh_FACE"), FACES)
    np.testing.assert_array_equal(only("tensor"), np.arange(6).reshape(2, 3))
