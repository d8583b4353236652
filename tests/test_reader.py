"""`runglass.open`: the documented reading API, on logs written with our own writer."""

from __future__ import annotations

import base64
import csv
import io
import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.support import event_bytes as eb
from tests.support.event_files import put

import runglass
from runglass.errors import AssetGone, BadArgument, BadRequest, RunUnknown, SeriesUnknown, ValueDamaged
from runglass.reader import Log, Picture
from runglass.store.model import Audio, Image
from runglass.writer.files.record_file import EventFileWriter
from runglass.writer.values import hparams, summaries

START = 1_700_000_000.0
PIXELS = np.arange(5 * 4 * 3, dtype=np.uint8).reshape(5, 4, 3)


def write_scalars(
    run: Path, tag: str, values: list[float], *, start: float = START, first_step: int = 0
) -> None:
    with EventFileWriter(run, clock=lambda: start) as writer:
        for step, value in enumerate(values, first_step):
            scalar = summaries.scalar(tag, value, form="float64")
            writer.write(step, wall_time=start + step, values=[scalar])


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    write_scalars(tmp_path / "train", "loss", [3.0, 2.5, math.nan, 0.1])
    write_scalars(tmp_path / "validation", "loss", [3.5, 1 / 3], start=START + 100)
    with EventFileWriter(tmp_path / "media", clock=lambda: START + 200) as writer:
        values = [
            summaries.image("picture", PIXELS),
            summaries.audio("tone", np.sin(np.arange(400) / 7), 8000),
            summaries.text("note", "hello"),
            summaries.text("table", [["a", "b"], ["c", "d"]]),
            summaries.histogram("weights", np.arange(10.0)),
            summaries.pr_curve("curve", np.array([0, 1, 1]), np.array([0.1, 0.6, 0.9])),
            hparams.session_start({"lr": 0.1}, start_time_s=START),
        ]
        writer.write(7, values=values)
    return tmp_path


def test_line_and_band(logs: Path) -> None:
    log = runglass.open(logs)
    x, y = log.line("train", "loss", x="relative", smoothing=("ema", 0.5))
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0]
    # Debiased by the number of finite values so far; NaN stays and counts for nothing.
    np.testing.assert_allclose(y, [3.0, 2.0 / 0.75, math.nan, (2.0 / 2 + 0.05) / 0.875])
    assert log.line("validation", "loss").y.tolist() == [3.5, 1 / 3]
    band = log.band(["train", "validation", "media"], "loss", center="mean", spread="minmax")
    assert band.x[:2].tolist() == [0.0, 1.0]
    assert band.center[:2].tolist() == [3.25, (2.5 + 1 / 3) / 2]
    assert band.count[:2].tolist() == [2, 2]
    with pytest.raises(SeriesUnknown):
        log.line("train", "los")
    with pytest.raises(BadArgument, match="smoothing"):
        log.line("train", "loss", smoothing=("fourier", 1))


def test_expressions(logs: Path) -> None:
    log = runglass.open(logs)
    assert log.scalars("train", "=abs(-{loss})").value[:2].tolist() == [3.0, 2.5]
    x, y = log.line("validation", "=2 * {loss}", x="={loss}")
    assert (x.tolist(), y.tolist()) == ([3.5, 1 / 3], [7.0, 2 / 3])
    with pytest.raises(SeriesUnknown, match="'epoch'"):
        log.line("train", "loss", x="epoch")
    with pytest.raises(SeriesUnknown, match="'lost'"):
        log.scalars("train", "={loss} - {lost}")
    with pytest.raises(BadRequest, match="column 10"):
        log.scalars("train", "={loss} +")


def test_listing(logs: Path) -> None:
    log = runglass.open(logs)
    assert log.runs == ["train", "validation", "media"]
    assert log.tags("train") == {"loss": "scalar"}
    assert log.tags("media") == {
        "picture": "image",
        "tone": "audio",
        "note": "text",
        "table": "text",
        "weights": "histogram",
        "curve": "pr_curve",
        "_hparams_/session_start_info": "hparams",
    }


def test_scalars_are_exact(logs: Path) -> None:
    series = runglass.open(logs).scalars("train", "loss")
    assert (series.step.dtype, series.wall_time.dtype, series.value.dtype) == (
        np.int64,
        np.float64,
        np.float64,
    )
    assert series.step.tolist() == [0, 1, 2, 3]
    assert series.wall_time.tolist() == [START, START + 1, START + 2, START + 3]
    np.testing.assert_array_equal(series.value, [3.0, 2.5, math.nan, 0.1])
    assert len(series) == 4


def test_values_of_every_kind(logs: Path) -> None:
    log = runglass.open(logs)

    (image,) = log.read("media", "picture").value[0]
    assert isinstance(image, Image)
    assert (image.width, image.height, image.format, image.data[:4]) == (4, 5, "png", b"\x89PNG")
    (clip,) = log.read("media", "tone").value[0]
    assert isinstance(clip, Audio)
    assert (clip.sample_rate, clip.channels, clip.frames, clip.data[:4]) == (8000, 1, 400, b"RIFF")
    assert log.read("media", "note").value[0] == "hello"
    assert log.read("media", "table").value[0].tolist() == [["a", "b"], ["c", "d"]]
    rows = log.read("media", "weights").value[0]
    assert (rows.shape, rows.dtype, rows[:, 2].sum()) == ((30, 3), np.float64, 10.0)
    assert log.read("media", "curve").value[0].shape[0] == 6
    series = log.read("train", "loss")
    assert (series.kind, series.value[-1], len(series.value[1:3])) == ("scalar", 0.1, 2)
    assert log.read("media", "note").step.tolist() == [7]


def test_attempts(tmp_path: Path) -> None:
    write_scalars(tmp_path, "loss", [0.0, 1.0, 2.0, 3.0])
    write_scalars(tmp_path, "loss", [20.0, 30.0, 40.0], start=START + 50, first_step=2)
    log = runglass.open(tmp_path)
    assert log.runs == ["."]
    assert log.scalars(".", "loss").value.tolist() == [0.0, 1.0, 20.0, 30.0, 40.0]
    everything = log.scalars(".", "loss", attempts="all")
    assert everything.value.tolist() == [0.0, 1.0, 2.0, 3.0, 20.0, 30.0, 40.0]
    assert everything.segment.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert [log.read(".", "loss").value[2], log.read(".", "loss", attempts="all").value[2]] == [20.0, 2.0]


def test_reload(logs: Path) -> None:
    log = runglass.open(logs)
    before = log.scalars("train", "loss")
    write_scalars(logs / "later", "loss", [1.0], start=START + 300)
    write_scalars(logs / "train", "loss", [9.0], start=START + 300, first_step=10)
    assert "later" not in log.runs
    log.reload()
    assert log.runs[-1] == "later"
    assert log.scalars("train", "loss").step.tolist() == [0, 1, 2, 3, 10]
    assert before.step.tolist() == [0, 1, 2, 3]


def test_table(logs: Path) -> None:
    table = runglass.open(logs).table(runs="^(train|validation)$", tags="loss")
    assert len(table) == 6
    frame = table.to_pandas()
    assert frame.columns.tolist() == ["run", "tag", "step", "wall_time", "value"]
    assert frame["run"].astype(str).tolist() == ["train"] * 4 + ["validation"] * 2
    np.testing.assert_array_equal(frame["value"], [3.0, 2.5, math.nan, 0.1, 3.5, 1 / 3])
    assert table.to_polars().select("step").to_series().to_list() == [0, 1, 2, 3, 0, 1]
    assert table.to_arrow().column("tag").to_pylist() == ["loss"] * 6
    text = io.StringIO()
    table.to_csv(text)
    lines = text.getvalue().splitlines()
    assert lines[0] == "run,tag,step,wall_time,value"
    assert lines[4] == f"train,loss,3,{START + 3!r},0.1"
    assert lines[3].endswith(",nan")


def test_a_table_of_nothing(logs: Path, tmp_path: Path) -> None:
    table = runglass.open(logs).table(tags="nothing like it")
    assert (len(table), len(table.to_pandas()), len(table.to_polars()), len(table.to_arrow())) == (0, 0, 0, 0)
    table.to_csv(tmp_path / "empty.csv")
    assert (tmp_path / "empty.csv").read_text() == "run,tag,step,wall_time,value\n"


def test_a_table_of_every_attempt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_scalars(tmp_path, "loss", [0.0, 1.0])
    write_scalars(tmp_path, "loss", [10.0], start=START + 50, first_step=1)
    log = runglass.open(str(tmp_path))
    table = log.table(attempts="all")
    assert list(table) == [
        (".", "loss", 0, START, 0.0, 0),
        (".", "loss", 1, START + 1, 1.0, 0),
        (".", "loss", 1, START + 51, 10.0, 1),
    ]
    assert table.to_pandas()["segment"].tolist() == [0, 0, 1]
    table.to_csv()
    assert capsys.readouterr().out.splitlines()[-1] == f".,loss,1,{START + 51!r},10.0,1"
    assert len(log.table()) == 2


def test_csv_keeps_every_digit(tmp_path: Path) -> None:
    values = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, math.inf]
    write_scalars(tmp_path / "a,b", 'quoted "tag"', values)
    runglass.open(tmp_path).table().to_csv(tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["run"] for row in rows] == ["a,b"] * 6
    assert [row["tag"] for row in rows] == ['quoted "tag"'] * 6
    assert [float(row["value"]) for row in rows] == values
    assert math.copysign(1, float(rows[4]["value"])) == -1


def test_a_missing_package_is_named(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(BadArgument, match="pip install polars"):
        runglass.open(logs).table().to_polars()


def test_values_are_a_sequence(logs: Path) -> None:
    values = runglass.open(logs).read("train", "loss").value
    assert (len(values), values[0], values[-4], list(values[:2])) == (4, 3.0, 3.0, [3.0, 2.5])
    assert values[5:] == []
    with pytest.raises(IndexError):
        values[-5]


def test_two_kinds_under_one_tag(tmp_path: Path) -> None:
    picture = eb.event(eb.summary(eb.image_value("both", eb.png(2, 2), 2, 2)), wall_time=START, step=2)
    put(tmp_path, eb.records(eb.scalar("both", 0.5, step=1), picture))
    log = runglass.open(tmp_path)
    assert log.tags(".") == {"both": "scalar"}
    assert log.read(".", "both").value[0] == 0.5
    assert log.read(".", "both", kind="image").step.tolist() == [2]
    with pytest.raises(SeriesUnknown):
        log.read(".", "both", kind="audio")


def test_hparams_are_plain_values(logs: Path) -> None:
    start = runglass.open(logs).read("media", "_hparams_/session_start_info").value[0]
    assert start["session_start_info"]["hparams"] == {"lr": 0.1}


def test_one_event_file(logs: Path) -> None:
    (path,) = (logs / "train").iterdir()
    log = runglass.open(path)
    assert (log.runs, log.tags(".")) == (["."], {"loss": "scalar"})


def test_health(logs: Path) -> None:
    (logs / "broken").mkdir()
    broken = logs / "broken" / "events.out.tfevents.1"
    broken.write_bytes(b"this is no event file at all")
    by_run = {health.run: health for health in runglass.open(logs).health}
    assert by_run["train"].state == "ok"
    assert (by_run["broken"].state, by_run["broken"].byte) == ("damaged", 0)
    assert "not an event file" in by_run["broken"].reason


def test_several_directories(logs: Path) -> None:
    log = runglass.open(logs / "train", logs / "validation")
    assert sorted(log.runs) == ["train/.", "validation/."]
    assert sorted(runglass.open(logs / "train", logs / "train").runs) == ["train-2/.", "train/."]


def test_mistakes_are_explained(logs: Path) -> None:
    log = runglass.open(logs)
    with pytest.raises(RunUnknown, match="trian"):
        log.tags("trian")
    with pytest.raises(SeriesUnknown, match="'loss'"):
        log.scalars("train", "lost")
    with pytest.raises(SeriesUnknown):
        log.scalars("media", "note")
    with pytest.raises(BadArgument, match="attempts"):
        log.scalars("train", "loss", attempts="newest")  # type: ignore[arg-type]
    with pytest.raises(BadArgument, match="not a regular expression"):
        log.table(runs="(")
    with pytest.raises(BadArgument, match="kind"):
        log.read("train", "loss", kind="pictures")
    with pytest.raises(BadArgument, match="only 'scalar'"):
        log.table(kind="image")
    with pytest.raises(BadArgument, match="tags=3: expected a str"):
        log.table(tags=3)  # type: ignore[arg-type]
    with pytest.raises(BadArgument, match=r"run=\['train'\]: expected a str"):
        log.line(["train"], "loss")  # type: ignore[arg-type]
    with pytest.raises(BadArgument, match="run=0: expected a str"):
        log[0]  # type: ignore[index]
    with pytest.raises(BadArgument, match="no log directory"):
        runglass.open()
    with pytest.raises(BadArgument, match="does not exist"):
        runglass.open(logs / "missing")
    with pytest.raises(IndexError):
        log.read("train", "loss").value[4]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda log: log.tags(3), "run=3: expected a str"),
        (lambda log: log.scalars("train", 3), "tag=3: expected a str"),
        (lambda log: log.scalars(["train"], "loss"), r"run=\['train'\]: expected a str"),
        (lambda log: log["train"][3], "tag=3: expected a str"),
        (lambda log: log["train"].get(3), "tag=3: expected a str"),
        (lambda log: log.read("train", 3), "tag=3: expected a str"),
        (lambda log: log.band(3, "loss"), r"runs=3\): expected a list of runs"),
        (lambda log: log.band([3], "loss"), "run=3: expected a str"),
        (lambda log: log.hparams("loss"), r"metrics='loss': expected a list, such as \['loss'"),
        (lambda log: log.hparams(3), "metrics=3: expected a list"),
        (lambda log: log.graphs(3), "run=3: expected a str"),
        (lambda log: log.graph("train", 3), "name=3: expected a str"),
        (lambda log: log.embeddings(3), "run=3: expected a str"),
        (lambda log: log.embedding("train", 3), "name=3: expected a str"),
        (lambda log: log.profiles(3), "run=3: expected a str"),
        (lambda log: log.profile("train", 3), "session=3: expected a str"),
        (lambda log: log.assets(3), "run=3: expected a str"),
        (lambda log: log.assets(family=3), "family=3: expected a str"),
    ],
)
def test_a_name_that_is_no_text_is_told(logs: Path, call: Callable[[Log], object], says: str) -> None:
    with pytest.raises(BadArgument, match=says):
        call(runglass.open(logs))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"spread": "sd"}, r"spread='sd': expected one of 'minmax', 'std'"),
        ({"center": "avg"}, r"center='avg': expected one of 'mean', 'median'"),
        ({"runs": "train"}, r"expected a list of runs, such as log.runs or \['train'\]"),
        ({"runs": ["trian"]}, r"There is no run 'trian' among 3. Close: 'train'. log.runs lists all runs."),
        ({"smoothing": ("ema", 1)}, "the amount of ema is 0 to below 1"),
        ({"smoothing": ("gaussian", -1)}, "the amount of gaussian is 0 to 10000"),
        ({"smoothing": ("time_ema", math.nan)}, "the amount of time_ema is 0 or more"),
        ({"smoothing": 0.6}, "smoothing=0.6: expected a kind and its amount"),
        ({"x": 5}, "x=5: expected a str"),
        ({"x": "epoc"}, "has no scalar series with tag 'epoc'"),
        ({"tag": "lost"}, "has no scalar series with tag 'lost'"),
        ({"tag": 5}, "tag=5: expected a str"),
    ],
)
def test_every_argument_of_a_band_is_checked(logs: Path, arguments: dict[str, object], says: str) -> None:
    log = runglass.open(logs)
    with pytest.raises((BadArgument, RunUnknown, SeriesUnknown), match=says):
        log.band(**{"runs": ["train", "validation"], "tag": "loss", **arguments})  # type: ignore[arg-type]


def test_names_that_are_not_there_are_key_errors(logs: Path) -> None:
    log = runglass.open(logs)
    for ask in (lambda: log["trian"], lambda: log["train"]["lost"], lambda: log.graph("train", "x")):
        with pytest.raises(KeyError) as caught:
            ask()
        assert isinstance(caught.value, runglass.errors.RunglassError)
        assert "GET" not in str(caught.value)
        assert not str(caught.value).startswith('"')
    with pytest.raises(KeyError, match=r"Close: 'loss'. log.tags\(run\) lists all tags.$"):
        log.scalars("train", "lost")
    with pytest.raises(SeriesUnknown, match=r"no series with tag 'x'. There are 'picture', "):
        log["media"]["x"]
    with pytest.raises(
        SeriesUnknown, match=r"holds text values, not scalars. log.read\(run, tag\) reads them."
    ):
        log.scalars("media", "note")


def test_lines_and_bands_say_what_they_are_and_cannot_be_written_to(logs: Path) -> None:
    log = runglass.open(logs)
    band, line = log.band(["train", "validation"], "loss"), log.line("train", "loss")
    assert repr(line) == f"<Line: {len(line.x)} points, x from {line.x[0]:,g} to {line.x[-1]:,g}>"
    assert (
        repr(band) == f"<Band of up to 2 runs: {len(band)} points, x from {band.x[0]:,g} to {band.x[-1]:,g}>"
    )
    assert repr(log.band([], "loss")) == "<Band: no points>"
    for array in (line.x, line.y, band.x, band.count, band.center, band.low, band.high):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_a_log_and_a_run_are_mappings(logs: Path) -> None:
    with runglass.open([logs / "train", str(logs / "media")]) as log:
        assert (list(log), len(log), "media/." in log, "x" in log) == (log.runs, 2, True, False)
        run = log["media/."]
        assert log._ipython_key_completions_() == log.runs
        assert run._ipython_key_completions_() == list(run)
        assert (list(run), len(run), "note" in run) == (list(log.tags("media/.")), 7, True)
        assert run["note"].value[0] == "hello"
        assert [value for _, _, value in log["train/."]["loss"]][:2] == [3.0, 2.5]
        assert [(step, value) for step, _, value in run["note"]] == [(7, "hello")]
        assert run.read("note").tag == "note"
        assert log["train/."].line("loss").y[0] == log["train/."].scalars("loss").value[0] == 3.0
    assert runglass.open((logs / "train",)).runs == ["."]
    with pytest.raises(BadArgument, match="expected a path, or a list of paths"):
        runglass.open([[logs]])  # type: ignore[list-item]


def test_everything_says_what_it_is(logs: Path) -> None:
    log = runglass.open(logs)
    media = log["media"]
    (picture,), (clip,) = media["picture"].value[0], media["tone"].value[0]
    assert [
        repr(each) for each in (log, media, log["train"]["loss"], media["note"], media["note"].value)
    ] == [
        f"<Log {str(logs)!r}: 3 runs, {len(media) + 2} series>",
        f"<Run 'media': {len(media)} series>",
        "<Scalars 'loss' of 'train': 4 points, steps 0 to 3, last value 0.1>",
        "<Series 'note' of 'media': text, 1 value, steps 7 to 7>",
        "<1 value, each read when you index it>",
    ]
    assert repr(log.table(tags="loss")) == "<Table: 6 rows of 2 series>"
    assert repr(picture) == f"<Image: png, 4 × 5 pixels, {len(picture.data)} bytes>"
    assert repr(clip) == f"<Audio: wav, 0.05 s, 8000 Hz, {len(clip.data)} bytes>"


def test_a_picture_is_an_array_and_shows_itself(logs: Path) -> None:
    (picture,) = runglass.open(logs)["media"]["picture"].value[0]
    assert picture.to_numpy()[..., :3].tolist() == PIXELS.tolist()
    assert np.array_equal(np.asarray(picture)[..., 3], np.full((5, 4), 255))
    shown = picture._repr_mimebundle_()
    assert base64.b64decode(shown["image/png"]) == picture.data
    drawing = Picture(b"<svg onload='alert(1)'/>", 1, 1, "svg")
    assert drawing._repr_mimebundle_() == {"text/plain": repr(drawing)}
    with pytest.raises(ValueDamaged):
        Picture(picture.data[:60], 4, 5, "png").to_numpy()


def test_scalars_as_a_frame_and_as_a_plot(logs: Path) -> None:
    loss = runglass.open(logs)["train"]["loss"]
    frame = loss.to_pandas()
    assert list(frame.columns) == ["step", "wall_time", "value", "segment"]
    assert frame.value.tolist()[:2] == [3.0, 2.5]
    from matplotlib.figure import Figure

    axes = loss.plot(Figure().subplots(), color="red")
    (line,) = axes.lines
    assert (line.get_label(), line.get_color(), axes.get_ylabel()) == ("train", "red", "loss")
    assert line.get_ydata()[0] == 3.0


def test_arrays_cannot_be_written_to(logs: Path) -> None:
    log = runglass.open(logs)
    loss, text = log.scalars("train", "loss"), log.read("media", "weights")
    line = log.line("train", "loss")
    arrays = [loss.step, loss.wall_time, loss.value, loss.segment, text.step, text.value[0], line.x, line.y]
    for array in [*arrays, log.scalars("train", "={loss} * 2").value]:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9


def test_completion_offers_what_there_is_to_use() -> None:
    assert {"open", "SummaryWriter", "errors"} <= set(dir(runglass))
    assert "sys" not in dir(runglass)
    assert all(hasattr(runglass, name) for name in dir(runglass))


def test_assets(logs: Path) -> None:
    put(logs / "train", b"lr: 0.1\n", name="hparams.yaml")
    put(logs / "embedded", b'embeddings { tensor_path: "vectors.tsv" }', name="projector_config.pbtxt")
    put(logs / "embedded", b"1\t2\n", name="vectors.tsv")
    log = runglass.open(logs)
    assert "embedded" in log.runs
    assert [(each.run, each.family, each.name, each.size_bytes) for each in log.assets()] == [
        ("embedded", "projector", "projector_config.pbtxt", 41),
        ("train", "config", "hparams.yaml", 8),
    ]
    (config,) = log.assets("train")
    with log.open_asset(config) as file:
        assert (file.size_bytes, file.read(4, 100)) == (8, b"0.1\n")
    (vectors,) = log.assets(family="vectors")
    with log.open_asset(vectors) as file:
        assert file.read(0, file.size_bytes) == b"1\t2\n"
    assert log.assets("train", "graph") == []
    with pytest.raises(RunUnknown):
        log.assets("nope")
    with pytest.raises(BadArgument, match="family='nope': expected one of 'projector', 'profile'"):
        log.assets(family="nope")
    (logs / "train/hparams.yaml").unlink()
    with pytest.raises(AssetGone, match=r"train/hparams\.yaml"):
        log.open_asset(config)
    log.reload()
    assert log.assets("train") == []


def test_hparams_as_rows_groups_and_a_data_frame(tmp_path):
    for number in range(12):
        with runglass.SummaryWriter(tmp_path / f"run{number:02d}") as writer:
            for step in range(3):
                writer.add_scalar("loss", 10 - step - number % 3, step)
            with runglass.SummaryWriter(tmp_path / f"run{number:02d}/validation") as inner:
                inner.add_scalar("accuracy", 0.25 * (number % 3), 1)
            settings = {"lr": 0.5 ** (number % 3), "opt": "adam", "seed": number}
            writer.add_hparams(settings, {"final": number % 3})
    log = runglass.open(tmp_path)
    rows = log.hparams()
    assert len(rows) == 12
    assert [row.run for row in rows[:2]] == ["run00", "run01"]
    first = next(iter(rows))
    assert (first.hparams, first.status, first.group) == (
        {"lr": 1.0, "opt": "adam", "seed": 0.0},
        "finished",
        "",
    )
    assert first.metrics == {("", "loss"): 8.0, ("", "final"): 0.0, ("validation", "accuracy"): 0.0}
    assert log.hparams(["loss"], stat="max")[1].metrics == {("", "loss"): 9.0}
    at_best = log.hparams(["loss"], stat="at_best", best_of=("validation", "accuracy"), best="max")
    assert at_best[0].metrics == {("", "loss"): 9.0}
    groups = rows.groups()
    assert [(group.label, len(group.runs)) for group in groups] == [
        ("lr=1, opt=adam", 4),
        ("lr=0.5, opt=adam", 4),
        ("lr=0.25, opt=adam", 4),
    ]
    assert groups[1].hparams == {"lr": 0.5, "opt": "adam"}
    assert (groups[1].metrics["", "loss"].mean, groups[1].metrics["", "loss"].n) == (7.0, 4)
    found = rows.importance("final")
    assert found.rows[0].names == ["lr"]
    with pytest.raises(
        BadArgument, match=r"no session has this metric. There are: final, loss, validation/accuracy"
    ):
        rows.importance("gone")
    with pytest.raises(BadArgument, match="needs a step"):
        log.hparams(stat="at_step")
    with pytest.raises(BadArgument, match="expected one of 'last'"):
        log.hparams(stat="sum")
    frame = rows.to_pandas()
    assert list(frame.columns) == [
        *("run", "group", "status", "started", "ended", "host", "lr", "opt", "seed"),
        *("final", "validation/accuracy", "loss"),
    ]
    assert frame["lr"].tolist() == [0.5 ** (number % 3) for number in range(12)]
    assert frame["validation/accuracy"].dtype == "float64"
    assert len(runglass.open(tmp_path / "run00/validation").hparams().to_pandas()) == 0
