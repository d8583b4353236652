from __future__ import annotations

import json
import math

import numpy as np
import pytest
from tests.support.plain_traces import read_chrome

import runglass
from runglass.demo import MARKER, train_live, write_demo
from runglass.demo import STEPS as DEMO_STEPS
from runglass.demo.classifying import SEED, write_spirals
from runglass.demo.denoising import write_denoising
from runglass.demo.drawings import write_drawings
from runglass.demo.profiles import DATA, write_profiles
from runglass.demo.searching import write_search
from runglass.demo.training import Network, digits_task, spirals_task
from runglass.demo.words import write_words
from runglass.errors import BadArgument
from runglass.ingest.canonical import decode_value, read_metadata
from runglass.native.records import RecordCursor
from runglass.native.wire import decode, encode
from runglass.schema.event import EVENT
from runglass.schema.summary import METADATA, VALUE

NOW = 1700000000.0
STEPS = 120


def events(path):
    cursor = RecordCursor()
    cursor.feed(path.read_bytes())
    found = [decode(EVENT, payload) for _, payload, _ in cursor]
    assert cursor.offset == path.stat().st_size
    return found


def series(folder, tag):
    """Steps and decoded values of a tag, file by file."""
    out = []
    for path in sorted(folder.glob("*tfevents*")):
        for event in events(path):
            for value in event.get("summary", {}).get("value", []):
                if value["tag"] == tag:
                    meta = read_metadata(encode(METADATA, value["metadata"]), 8, tag)
                    out.append((event.get("step", 0), decode_value(encode(VALUE, value), meta)))
    return out


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    logdir = tmp_path_factory.mktemp("demo") / "logs"
    write_demo(logdir, now=NOW, steps=STEPS)
    return logdir


def runs(logdir):
    return {str(path.parent.relative_to(logdir)): path for path in sorted(logdir.rglob("*tfevents*"))}


def test_the_runs_of_the_demo(demo):
    sweep = [
        f"lr={rate}{part}" for rate in ("0.01", "0.05", "0.2", "5") for part in ("", "/train", "/validation")
    ]
    spirals = [f"spirals/seed={seed}{part}" for seed in (1, 2, 3) for part in ("", "/validation")]
    others = [
        "denoise/plain",
        "denoise/clipped",
        "denoise/narrow",
        "spelling/context=1",
        "spelling/context=5",
        "translate/baseline",
        "translate/qk-norm",
        "drawings/wide",
        "drawings/narrow",
        "words",
    ]
    search = ["search", *(f"search/{number:02d}-1" for number in range(1, 61))]
    search += [f"search/{number:02d}-{seed}" for number in range(1, 7) for seed in (2, 3)]
    expected = [*sweep, *spirals, "resumed", "resumed/validation", *others, *search]
    assert sorted(runs(demo)) == sorted(expected)


def test_networks_learn(demo):
    losses = [value for _, value in series(demo / "lr=0.2" / "train", "loss")]
    assert len(losses) == STEPS
    assert np.mean(losses[-20:]) < 0.5 * np.mean(losses[:20])


def test_the_largest_rate_ends_in_nan(demo):
    assert math.isnan(series(demo / "lr=5" / "train", "loss")[-1][1])
    ended = series(demo / "lr=5", "_hparams_/session_end_info")[-1][1]
    assert ended["session_end_info"]["status"] == 2


def test_the_resumed_run_overlaps_itself(demo):
    steps = [step for step, _ in series(demo / "resumed", "loss")]
    assert steps == [*range(72), *range(48, STEPS)]
    restarts = [
        event["step"]
        for path in demo.glob("resumed/*tfevents*")
        for event in events(path)
        if "session_log" in event
    ]
    assert restarts == [48]


def test_every_kind_of_value_is_there(demo):
    plugins = {
        value["metadata"]["plugin_data"]["plugin_name"]
        for path in runs(demo).values()
        for event in events(path)
        for value in event.get("summary", {}).get("value", [])
    }
    assert plugins == {
        "scalars",
        "images",
        "audio",
        "text",
        "histograms",
        "pr_curves",
        "custom_scalars",
        "mesh",
        "hparams",
    }


def test_a_bad_batch_shows_in_every_kind_of_value(tmp_path):
    """Only in the run without clipping; the other one goes on unharmed."""
    write_denoising(tmp_path, NOW, 320, SEED)
    plain, clipped = tmp_path / "denoise/plain", tmp_path / "denoise/clipped"
    losses = [loss for _, loss in series(plain, "pictures/loss")]
    bad = next(step for step in range(1, 320) if losses[step] > 100 * losses[step - 1])
    assert "Bad batch" in dict(series(plain, "report"))[bad]
    for tag in (
        "pictures/cleaned",
        "pictures/error",
        "tune/cleaned",
        "weights/pictures",
        "pictures/relief_VERTEX",
    ):
        assert bad in dict(series(plain, tag)), tag

    def lost_db(run):
        quality = series(run, "pictures/quality_db")
        at = [step for step, _ in quality].index(bad)
        return quality[at - 1][1] - quality[at][1]

    assert lost_db(plain) > 10
    assert lost_db(clipped) < 5


def test_pictures_of_every_sort(demo):
    (*_, (_, cleaned)) = series(demo / "denoise/plain", "pictures/cleaned")
    assert [(each.format, each.width, each.height) for each in cleaned] == [("png", 192, 192)] * 3
    (*_, (_, (error,))) = series(demo / "denoise/plain", "pictures/error")
    # The bit depth follows the size in the header of a PNG.
    assert error.data[24] == 16


def test_a_video_grows_with_training(tmp_path):
    write_spirals(tmp_path, 1, NOW, 360)
    ((step, (video,)),) = series(tmp_path / "spirals/seed=1/validation", "spirals/decision boundary, video")
    assert (step, video.format) == (350, "gif")
    # One graphic control for each picture so far: steps 0, 50 … 350.
    assert video.data.count(b"\x21\xf9\x04") == 8


def test_point_clouds_keep_their_axes(demo):
    """From one value to the next a point hardly moves: axes do not flip."""
    clouds = [
        value[0] for _, value in series(demo / "spirals/seed=1/validation", "spirals/hidden layer_VERTEX")
    ]
    assert len(clouds) > 2
    assert np.median(np.linalg.norm(clouds[-1] - clouds[-2], axis=1)) < 0.3


def test_spelling_gets_better(demo):
    for context in (1, 5):
        losses = [value for _, value in series(demo / f"spelling/context={context}", "loss")]
        assert np.mean(losses[-10:]) < 0.8 * losses[0]
    facts = [json.loads(text) for _, text in series(demo / "spelling/context=5", "summary")]
    assert [each["step"] for each in facts] == [0, 100, STEPS - 1]
    ((_, table), *_) = series(demo / "spelling/context=5", "next letters")
    assert table.shape == (5, 4)


def test_wall_times_grow_and_end_now(demo):
    for path in runs(demo).values():
        times = [event["wall_time"] for event in events(path)]
        assert times == sorted(times)
        assert times[0] > NOW - 3600
        assert times[-1] <= NOW


def test_profiles_of_a_training_on_a_gpu(tmp_path):
    write_profiles(tmp_path)
    steps = {}
    for run in ("before", "after"):
        (file,) = (tmp_path / "unet" / run).iterdir()
        trace = read_chrome(file)
        steps[run] = {
            event.name: event.duration_ps
            for event in trace.of("X")
            if event.category == "user_annotation" and event.name.startswith("ProfilerStep#")
        }
        kernels = [event for event in trace.events if event.category == "kernel"]
        launched = {
            event.arguments["correlation"]
            for event in trace.events
            if event.category in ("cuda_runtime", "cuda_driver")
        }
        assert len(kernels) > 500
        assert {event.arguments["correlation"] for event in kernels} <= launched
    assert {run: list(each) for run, each in steps.items()} == {
        "before": ["ProfilerStep#6"],
        "after": ["ProfilerStep#7", "ProfilerStep#8"],
    }
    assert steps["before"]["ProfilerStep#6"] > 5 * max(steps["after"].values())
    assert sum(file.stat().st_size for file in DATA.iterdir()) < 300_000


def test_a_finished_demo_is_left_and_an_unfinished_one_replaced(tmp_path):
    write_demo(tmp_path, now=NOW, steps=10)
    before = runs(tmp_path)
    bytes_before = read_demo(tmp_path)
    write_demo(tmp_path, now=NOW, steps=10)
    assert runs(tmp_path) == before
    marker = json.loads((tmp_path / MARKER).read_text())
    (tmp_path / MARKER).write_text(json.dumps({**marker, "is_complete": False}))
    (tmp_path / "lr=mine").mkdir()
    write_demo(tmp_path, now=NOW, steps=10)
    assert runs(tmp_path).keys() == before.keys()
    assert not set(runs(tmp_path).values()) & set(before.values())
    assert (tmp_path / "lr=mine").exists()
    assert read_demo(tmp_path) == bytes_before, "the same seed gives the same bytes"


def read_demo(logdir):
    parts = ("drawings/wide/00000/last_hidden_layer/metadata.tsv", "drawings/wide/sprite.png")
    files = {**runs(logdir), **{part: logdir / part for part in parts}}
    return {name: path.read_bytes() for name, path in files.items()}


def test_other_files_are_not_touched(tmp_path):
    (tmp_path / "precious").touch()
    with pytest.raises(BadArgument, match="not empty"):
        write_demo(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["precious"]


def test_the_live_run_keeps_its_pace_and_its_end(tmp_path):
    now = NOW

    def wait(seconds):
        nonlocal now
        now += seconds
        sizes.append(sum(path.stat().st_size for path in (tmp_path / "live/1").glob("*tfevents*")))

    sizes: list[int] = []
    train_live(tmp_path, duration_s=5.0, steps=200, steps_per_s=20.0, clock=lambda: now, wait=wait)
    assert len(series(tmp_path / "live/1", "loss")) == 200
    assert NOW + 9 <= now < NOW + 11
    # The values of one step can be read before the next step ends.
    assert all(a < b for a, b in zip(sizes, sizes[2:], strict=False))


def test_live_runs_follow_each_other_at_the_pace_of_the_others(tmp_path):
    now = NOW

    def wait(seconds):
        nonlocal now
        now += seconds

    train_live(tmp_path, duration_s=20.0, steps=40, clock=lambda: now, wait=wait)
    lengths = [len(series(tmp_path / f"live/{number}", "loss")) for number in (1, 2, 3)]
    # A fifth of a second per step, more or less; the last run is trained to its end.
    assert lengths == [40, 40, 40]
    ends = [bool(series(tmp_path / f"live/{number}", "_hparams_/session_end_info")) for number in (1, 2, 3)]
    assert ends == [True, True, True]


def test_runs_that_are_complete_say_so(demo):
    for run in ("lr=0.01", "spirals/seed=1", "resumed", "denoise/plain", "spelling/context=5"):
        (*_, (_, ended)) = series(demo / run, "_hparams_/session_end_info")
        assert ended["session_end_info"]["status"] == 1, run


@pytest.mark.parametrize(("make", "layers"), [(digits_task, [64, 5, 10]), (spirals_task, [2, 5, 3])])
def test_gradients_are_the_slopes_of_the_loss(make, layers):
    rng = np.random.default_rng(0)
    task = make(rng)
    network = Network.random(layers, rng)
    network.weights = [weight.astype(np.float64) for weight in network.weights]
    x, y = task.train_x[:20].astype(np.float64), task.train_y[:20]
    before = network.copy()
    network.learn(x, y, 1.0)
    moved = before.weights[0] - network.weights[0]
    nudge = 1e-5
    for place in ((0, 0), (1, 3)):
        losses = []
        for sign in (1, -1):
            probe = before.copy()
            probe.weights[0][place] += sign * nudge
            losses.append(-np.log(probe.forward(x)[-1][np.arange(20), y]).mean())
        np.testing.assert_allclose(moved[place], (losses[0] - losses[1]) / (2 * nudge), rtol=1e-4, atol=1e-8)


def test_features_of_drawings_come_apart(tmp_path):
    """What the last hidden layer learned: neighbours are of the same kind, more and more of them."""
    write_drawings(tmp_path, NOW, 300, SEED)
    log = runglass.open(tmp_path)
    kept = []
    for step in (0, 299):
        found = log.embedding("drawings/wide", "last hidden layer", step)
        assert found.vectors.shape == (1200, 32)
        labels = np.array(found.metadata["label"])
        kept.append(share_of_own_kind(found.vectors, labels))
        wrong = labels != np.array(found.metadata["predicted"])
        losses = np.array(found.metadata["loss"], float)
        assert losses[wrong].mean() > losses[~wrong].mean()
    assert kept[1] > kept[0] + 0.15
    assert found.sprite.tile == (20, 20)


def test_words_come_to_their_kind(tmp_path):
    """With as many steps as the real demo has."""
    write_words(tmp_path, NOW, DEMO_STEPS // 2, SEED)
    found = runglass.open(tmp_path).embedding("words", "words")
    kinds = np.array(found.metadata["kind"])
    known = kinds != "other"
    assert share_of_own_kind(found.vectors[known], kinds[known]) > 0.9
    following = dict(zip(found.metadata["word"], found.metadata["__next__"], strict=True))
    assert found.metadata["word"][int(following["march"])] == "april"


def share_of_own_kind(vectors, kinds, count=5):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    near = unit @ unit.T
    np.fill_diagonal(near, -2)
    found = np.argsort(-near, axis=1)[:, :count]
    return float((kinds[found] == kinds[:, np.newaxis]).mean())


def test_the_search_has_a_conflict_and_settings_that_matter(tmp_path):
    """With as many steps as the real demo has: accurate networks cost more, and the learning rate makes most of the difference."""
    with np.errstate(all="ignore"):
        write_search(tmp_path, NOW, DEMO_STEPS // 8, SEED)
    rows = runglass.open(tmp_path).hparams()
    assert len(rows) == 72
    assert {row.status for row in rows} == {"finished", "failed"}
    accuracy, cost = ("", "search/accuracy"), ("", "search/cost")
    best = max(rows, key=lambda row: row.metrics[accuracy])
    cheapest = min(rows, key=lambda row: row.metrics[cost])
    assert best.metrics[accuracy] > 0.9
    assert cheapest.metrics[accuracy] < best.metrics[accuracy] - 0.1
    assert best.metrics[cost] > cheapest.metrics[cost]
    found = rows.importance("search/accuracy")
    assert found.rows[0].names == ["lr"]
    assert found.rows[0].distinguishable
    assert len(rows.groups()) == 60
