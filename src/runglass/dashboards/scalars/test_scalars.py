"""The scalars routes over a MemorySource: exact points, and forms that agree."""

from __future__ import annotations

import csv
import io
import time
from math import inf, isnan, nan

import numpy as np
import pytest

from runglass.dashboards.scalars import sharing
from runglass.dashboards.scalars.columns import decode_lines
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Kind

ODD_STEPS = [-5, 0, 2**53 + 1, 2**63 - 1]
ODD_VALUES = [nan, inf, -inf, 1e-300]
POINTS = "/api/scalars/points?run=train&tag=loss"


@pytest.fixture
def source():
    rng = np.random.default_rng(1)
    source = MemorySource()
    for run in ("train", "eval", "train/deep"):
        noise = rng.standard_normal(2000).cumsum().astype(np.float32)
        source.add_scalars(run, "loss", step=np.arange(2000) * 3, value=noise)
        source.add_scalars(run, "epoch", step=np.arange(0, 6000, 6), value=np.arange(1000) / 10)
    source.add_scalars("train", "odd", step=ODD_STEPS, value=ODD_VALUES, wall_time=[1.5, nan, 3.0, inf])
    source.add_values("train", "note", Kind.TEXT, step=[0], values=["hello"])
    return source


@pytest.fixture
def client(source):
    return InProcess(App(source))


def back(value):
    return float(value.replace("Infinity", "inf")) if isinstance(value, str) else value


def test_points_are_exact(client, source):
    got = client.get(POINTS).json
    (columns,) = source.read_columns([("train", "loss")])
    assert got["step"] == columns.step.tolist()
    assert got["value"] == columns.value.tolist()
    assert got["wall_time"] == columns.wall_time.tolist()
    assert (got["run"], got["tag"], got["offset"]) == ("train", "loss", 0)
    assert got["generation"] == columns.generation


def test_odd_numbers_survive_json_and_csv(client):
    got = client.get("/api/scalars/points?run=train&tag=odd")
    assert b"null" not in got.body
    assert got.json["step"] == ODD_STEPS
    assert got.json["value"] == ["NaN", "Infinity", "-Infinity", 1e-300]
    assert got.json["wall_time"] == [1.5, "NaN", 3.0, "Infinity"]
    table = client.get("/api/scalars/points?run=train&tag=odd&format=csv")
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    assert table.headers["content-disposition"] == 'attachment; filename="train_odd.csv"'
    rows = list(csv.DictReader(io.StringIO(table.text)))
    assert [int(row["step"]) for row in rows] == ODD_STEPS
    np.testing.assert_array_equal([float(row["value"]) for row in rows], ODD_VALUES)


def test_csv_and_json_agree(client):
    points = client.get(POINTS).json
    rows = list(csv.reader(io.StringIO(client.get(POINTS + "&format=csv").text)))
    assert rows[0] == ["wall_time", "step", "value"]
    assert [[float(wall), int(step), float(value)] for wall, step, value in rows[1:]] == [
        list(row) for row in zip(points["wall_time"], points["step"], points["value"], strict=True)
    ]


def test_attempts(client, source):
    source.add_scalars("train", "odd", step=[0], value=[7.0], restart=True)
    latest = client.get("/api/scalars/points?run=train&tag=odd").json
    assert (latest["step"], latest["segment"]) == ([-5, 0], [0, 1])
    table = client.get("/api/scalars/points?run=train&tag=odd&format=csv&attempts=all").text.splitlines()
    assert table[0] == "wall_time,step,value,segment"
    assert [row[-1] for row in table[1:]] == list("00001")


def test_deltas(client, source):
    before = client.get(POINTS).json
    source.add_scalars("train", "loss", step=[6000], value=[0.5])
    delta = client.get(f"{POINTS}&since={before['generation']}").json
    assert (delta["offset"], delta["step"], delta["value"]) == (2000, [6000], [0.5])
    again = client.get(f"{POINTS}&since={delta['generation']}").json
    assert (again["offset"], again["step"]) == (2001, [])


@pytest.mark.parametrize(
    ("query", "status", "code", "words"),
    [
        ("run=trian&tag=loss", 404, "run_unknown", "'train'"),
        ("run=train&tag=los", 404, "series_unknown", "'loss'"),
        ("run=train&tag=note", 404, "series_unknown", "no scalar series"),
        ("run=train", 400, "bad_request", "`tag` is missing"),
        ("run=train&tag=loss&since=-1", 400, "bad_request", "`since`"),
        ("run=train&tag=loss&format=xml", 400, "bad_request", "`format`"),
        ("run=train&tag=loss&tag=odd", 400, "bad_request", "more than once"),
        ("run=train&tag=loss&rum=x", 400, "bad_request", "`rum` is unknown"),
    ],
)
def test_invalid_requests(client, query, status, code, words):
    got = client.get(f"/api/scalars/points?{query}")
    assert (got.status, got.json["error"]["code"]) == (status, code)
    assert words in got.json["error"]["message"]


def lines(client, **body):
    got = client.post("/api/scalars/lines", {"format": "json", **body})
    assert got.status == 200, got.text
    return got.json["lines"]


def test_line_forms_agree(client):
    body = {"tags": ["loss", "odd"], "width": 100, "smoothing": {"kind": "ema", "amount": 0.9}, "raw": True}
    listed = lines(client, **body)
    packed = client.post("/api/scalars/lines", body)
    assert packed.headers["content-type"] == "application/vnd.runglass.columns"
    generation, decoded = decode_lines(packed.body)
    assert generation == client.get("/api/status").json["generation"]
    assert len(decoded) == len(listed) == 8
    for text, binary in zip(listed, decoded, strict=True):
        assert (text["run"], text["tag"], text["role"]) == (binary.run, binary.tag, binary.role)
        assert (text["generation"], text["total"]) == (binary.generation, binary.total)
        np.testing.assert_array_equal([back(x) for x in text["x"]], binary.x)
        np.testing.assert_array_equal([back(y) for y in text["y"]], binary.y)


def test_lines_keep_the_extremes_and_every_point_without_width(client, source):
    (columns,) = source.read_columns([("train", "loss")])
    (reduced,) = lines(client, series=[{"run": "train", "tag": "loss"}], width=50)
    assert len(reduced["x"]) < reduced["total"] == 2000
    assert (max(reduced["y"]), min(reduced["y"])) == (columns.value.max(), columns.value.min())
    (everything,) = lines(client, series=[{"run": "train", "tag": "loss"}], width=None)
    assert everything["y"] == columns.value.tolist()


def test_lines_by_runs_and_tags(client):
    def keys(**body):
        return [(line["run"], line["tag"]) for line in lines(client, **body)]

    assert keys(tags=["loss"]) == [("train", "loss"), ("eval", "loss"), ("train/deep", "loss")]
    assert keys(tags=["odd", "loss"], runs=["train", "eval", "gone"]) == [
        ("train", "odd"),
        ("train", "loss"),
        ("eval", "loss"),
    ]
    assert keys(tags=["note"]) == []
    assert keys(series=[]) == []
    both = [{"run": "train", "tag": "loss"}, {"run": "eval", "tag": "loss"}]
    assert keys(series=[*both, both[0]]) == [("train", "loss"), ("eval", "loss")]


def test_raw_comes_only_with_smoothing(client):
    def roles(**body):
        return [line["role"] for line in lines(client, tags=["loss"], runs=["train"], raw=True, **body)]

    assert roles() == ["smoothed"]
    assert roles(smoothing={"kind": "ema", "amount": 0.0}) == ["smoothed"]
    assert roles(smoothing={"kind": "gaussian", "amount": 3}) == ["smoothed", "raw"]


def test_with_raw_suffices_whole_lines_are_sent_once(client):
    def roles(width, **body):
        body = {"smoothing": {"kind": "ema", "amount": 0.9}, **body}
        return [
            line["role"]
            for line in lines(
                client, tags=["loss"], runs=["train"], raw=True, raw_suffices=True, width=width, **body
            )
        ]

    assert roles(1000) == ["raw"]
    assert roles(100) == ["smoothed", "raw"]
    assert roles(None) == ["raw"]
    for other in (
        {"smoothing": {"kind": "gaussian", "amount": 3}},
        {"x": "wall"},
        {"x_range": [5, 50]},
        {"x_scale": "log"},
    ):
        assert roles(1000, **other) == ["smoothed", "raw"], other


def test_overwritten_points_are_separate_lines(client, source):
    source.add_scalars("eval", "odd", step=[0, 1, 2], value=[1.0, 2.0, 4.0])
    source.add_scalars("eval", "odd", step=[1, 2], value=[9.0, 9.0], restart=True)
    source.add_scalars("eval", "odd", step=[2], value=[7.0], restart=True)
    body = {"tags": ["odd"], "earlier": True, "raw": True, "smoothing": {"kind": "ema", "amount": 0.5}}
    listed = lines(client, **body)
    assert [(line["run"], line["role"]) for line in listed] == [
        ("train", "smoothed"), ("train", "raw"),
        ("eval", "smoothed"), ("eval", "raw"), ("eval", "earlier"), ("eval", "earlier"),
    ]  # fmt: skip
    assert [line["x"] for line in listed[4:]] == [[1, 2], [2]]
    assert [each.role for each in decode_lines(client.post("/api/scalars/lines", body).body)[1]][4:] == [
        "earlier"
    ] * 2
    assert {line["role"] for line in lines(client, tags=["odd"], earlier=True, attempts="all")} == {
        "smoothed"
    }
    assert {line["role"] for line in lines(client, tags=["odd"])} == {"smoothed"}


def test_lines_on_a_log_axis(client):
    (line,) = lines(client, runs=["train"], tags=["loss"], x_scale="log", width=100)
    assert line["total"] == 1999
    assert line["x"][0] == 3
    assert sum(x < 300 for x in line["x"]) > len(line["x"]) / 3
    (nothing,) = lines(client, runs=["train"], tags=["loss"], x_scale="log", x_range=[-5, 0], width=100)
    assert (nothing["total"], nothing["x"]) == (0, [3])


def test_expressions_are_tags_everywhere(client, source):
    tag = "={loss} - {epoch} * 2"
    (loss,) = source.read_columns([("train", "loss")])
    (epoch,) = source.read_columns([("train", "epoch")])
    expected = (loss.value[::2].astype(np.float64) - epoch.value * 2).tolist()
    line, *others = lines(client, tags=[tag, "=abs({odd})"], width=None)
    assert (line["tag"], line["y"]) == (tag, expected)
    assert [(each["run"], each["tag"]) for each in others] == [
        ("eval", tag), ("train/deep", tag), ("train", "=abs({odd})")
    ]  # fmt: skip
    (named,) = lines(client, series=[{"run": "train", "tag": tag}], width=None)
    assert named == line
    (summary,) = client.post("/api/scalars/summary", {"tags": [tag], "runs": ["train"]}).json["summaries"]
    assert (summary["count"], summary["max"]) == (1000, max(expected))
    (row,) = table(client, tags=[tag], runs=["train"], at=12)
    assert row["value"] == expected[2]
    (band,) = bands(client, tags=[tag], groups=[{"name": "g", "runs": ["train"]}])
    assert band["center"] == expected
    (over,) = lines(client, tags=["loss"], runs=["train"], x="={epoch} * 10", width=None)
    assert over["x"] == (epoch.value * 10).tolist()
    assert lines(client, tags=["={nothing}"]) == []


def test_an_expression_follows_its_operands(client, source):
    points = "/api/scalars/points?run=train&tag=%3Dabs(%7Bodd%7D)"
    before = client.get(points).json
    assert before["value"] == ["NaN", "Infinity", "Infinity", 1e-300]
    same = client.get(f"{points}&since={before['generation']}").json
    assert (same["offset"], same["step"]) == (4, [])
    source.add_scalars("train", "odd", step=[2**63 - 1], value=[-2.0])
    after = client.get(f"{points}&since={before['generation']}").json
    assert (after["offset"], after["value"][-1]) == (0, 2)


@pytest.mark.parametrize(
    ("route", "body", "where"),
    [
        ("lines", {"tags": ["=loss"]}, "tags"),
        ("lines", {"tags": ["loss"], "x": "={epoch"}, "x"),
        ("lines", {"series": [{"run": "train", "tag": "={loss} +"}]}, "tags"),
        ("summary", {"tags": ["={loss"]}, "tags"),
        ("table", {"tags": ["=1"], "at": 0}, "tags"),
        ("bands", {"tags": ["=+"], "groups": [{"name": "g", "runs": ["train"]}]}, "tags"),
        ("export", {"tags": ["=2 * ({loss}"]}, "tags"),
    ],
)
def test_invalid_expressions(client, route, body, where):
    got = client.post(f"/api/scalars/{route}", body)
    assert (got.status, got.json["error"]["code"], got.json["error"]["where"]) == (400, "bad_request", where)


def test_an_expression_over_unknown_tags(client):
    got = client.post("/api/scalars/lines", {"series": [{"run": "train", "tag": "={loss} - {los}"}]})
    assert (got.status, got.json["error"]["code"]) == (404, "series_unknown")
    assert "Close: 'loss'" in got.json["error"]["message"]


@pytest.mark.parametrize("x", ["step", "relative", "wall", "epoch"])
def test_axes_and_ranges(client, x):
    (line,) = lines(client, runs=["train"], tags=["loss"], x=x, width=None)
    low, high = line["x"][100], line["x"][200]
    (cut,) = lines(client, runs=["train"], tags=["loss"], x=x, x_range=[low, high], width=None)
    # The range includes the nearest point on either side.
    assert cut["x"] == line["x"][99:202]
    assert cut["total"] == 101


def test_lines_of_an_unknown_series(client):
    got = client.post("/api/scalars/lines", {"series": [{"run": "train", "tag": "los"}]})
    assert (got.status, got.json["error"]["code"]) == (404, "series_unknown")


@pytest.mark.parametrize("route", ["lines", "summary", "table", "export"])
@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({}, "series"),
        ({"series": [], "tags": ["loss"]}, "series"),
        ({"series": [{"run": "train"}]}, "tag"),
        ({"tags": "loss"}, "tags"),
        ({"tags": ["loss"], "attempts": "some"}, "attempts"),
        ({"tags": ["loss"], "colour": "red"}, "colour"),
        (b"{", "body"),
        (b"[]", "body"),
        (b"\xff\xfe", "body"),
        (b"[" * 100_000, "body"),
    ],
)
def test_invalid_bodies(client, route, body, where):
    got = client.post(f"/api/scalars/{route}", body)
    assert (got.status, got.json["error"]["code"], got.json["error"]["where"]) == (400, "bad_request", where)


@pytest.mark.parametrize(("route", "groups"), [("lines", {}), ("bands", {"groups": []})])
@pytest.mark.parametrize(
    ("plot", "where"),
    [
        ({"width": 0}, "width"),
        ({"width": 10**9}, "width"),
        ({"x_range": [2, 1]}, "x_range"),
        ({"x_range": [1]}, "x_range"),
        ({"x_scale": "sqrt"}, "x_scale"),
        ({"smoothing": {"kind": "ema", "amount": 1}}, "smoothing.amount"),
        ({"smoothing": {"kind": "ema", "amount": -0.5}}, "smoothing.amount"),
        ({"smoothing": {"kind": "gaussian", "amount": 1e9}}, "smoothing.amount"),
        ({"smoothing": {"kind": "magic"}}, "smoothing.kind"),
    ],
)
def test_invalid_plots(client, route, groups, plot, where):
    got = client.post(f"/api/scalars/{route}", {"tags": ["loss"], **groups, **plot})
    assert (got.status, got.json["error"]["code"], got.json["error"]["where"]) == (400, "bad_request", where)


def test_summaries_are_over_all_points(client, source):
    got = client.post("/api/scalars/summary", {"tags": ["loss", "odd"]}).json["summaries"]
    assert [(each["run"], each["tag"]) for each in got][-1] == ("train", "odd")
    (columns,) = source.read_columns([("train", "loss")])
    assert (got[0]["count"], got[0]["first"], got[0]["last"]) == (2000, columns.value[0], columns.value[-1])
    assert (got[0]["min"], got[0]["max"]) == (columns.value.min(), columns.value.max())
    odd = got[-1]
    assert (odd["first"], odd["nan_count"], odd["nan_first_step"]) == ("NaN", 1, -5)
    assert (odd["pos_inf_first_step"], odd["neg_inf_first_step"]) == (0, 2**53 + 1)
    assert (odd["last_step"], odd["last_wall_time"]) == (2**63 - 1, "Infinity")


def table(client, **body):
    got = client.post("/api/scalars/table", body)
    assert got.status == 200, got.text
    return got.json["rows"]


def test_table_at_one_x(client, source):
    rows = table(client, tags=["loss", "odd"], at=4.4, smoothing={"kind": "ema", "amount": 0.9})
    assert [(row["run"], row["tag"], row["step"], row["is_exact"]) for row in rows] == [
        ("train", "loss", 3, False),
        ("eval", "loss", 3, False),
        ("train/deep", "loss", 3, False),
        ("train", "odd", 0, False),
    ]
    (columns,) = source.read_columns([("train", "loss")])
    assert (rows[0]["x"], rows[0]["value"], rows[0]["relative"]) == (3, columns.value[1], 3)
    assert rows[0]["smoothed"] != rows[0]["value"]
    assert (rows[3]["value"], rows[3]["wall_time"], rows[3]["smoothed"]) == ("Infinity", "NaN", "Infinity")
    (exact,) = table(client, series=[{"run": "train", "tag": "loss"}], at=1.7e9 + 6, x="wall")
    assert (exact["step"], exact["is_exact"], exact["smoothed"]) == (6, True, exact["value"])
    assert table(client, series=[{"run": "train", "tag": "odd"}], at=0, x="epoch")[0]["step"] == 0


def test_table_over_a_range(client, source):
    source.add_scalars("eval", "odd", step=[0, 1], value=[0.0, 2.0])
    (columns,) = source.read_columns([("train", "loss")])
    rows = table(client, tags=["loss", "odd"], runs=["train", "eval"], range=[3, 9])
    assert [(row["run"], row["tag"], row["count"]) for row in rows] == [
        ("train", "loss", 3), ("eval", "loss", 3), ("train", "odd", 0), ("eval", "odd", 0),
    ]  # fmt: skip
    start, end = float(columns.value[1]), float(columns.value[3])
    assert (rows[0]["start"], rows[0]["end"], rows[0]["delta"]) == (start, end, end - start)
    assert rows[0]["delta_ratio"] == (end - start) / abs(start)
    assert rows[0]["smoothed"] is None
    empty = {name: value for name, value in rows[2].items() if name not in ("kind", "run", "tag", "count")}
    assert set(empty.values()) == {None}
    odd, zero = table(client, tags=["odd"], range=[-10, 2**53 + 1], smoothing={"kind": "median", "amount": 3})
    assert (odd["start"], odd["end"], odd["delta"], odd["min"]) == ("NaN", "-Infinity", "NaN", None)
    assert (zero["delta"], zero["delta_ratio"]) == (2, None)
    assert (zero["smoothed"]["start"], zero["smoothed"]["delta"]) == (1, 0)


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({}, "at"),
        ({"at": 1, "range": [0, 1]}, "at"),
        ({"range": [2, 1]}, "range"),
        ({"range": [2]}, "range"),
        ({"at": "now"}, "at"),
        ({"at": 1, "smoothing": {"kind": "ema", "amount": 2}}, "smoothing.amount"),
    ],
)
def test_tables_that_cannot_be_made(client, body, where):
    got = client.post("/api/scalars/table", {"tags": ["loss"], **body})
    assert (got.status, got.json["error"]["code"], got.json["error"]["where"]) == (400, "bad_request", where)


def test_a_table_of_nothing(client):
    assert table(client, tags=["nothing"], at=1) == []
    assert table(client, tags=["loss"], runs=["gone"], range=[0, 1]) == []
    assert table(client, series=[], at=1e300) == []


RUNS = ["train", "eval", "train/deep"]


def bands(client, **body):
    got = client.post("/api/scalars/bands", {"format": "json", "width": None, **body})
    assert got.status == 200, got.text
    assert b"null" not in got.body
    return got.json["bands"]


def test_a_band_is_around_its_lines(client):
    groups = [{"name": "all", "runs": [*RUNS, "gone"]}, {"name": "one", "runs": ["eval"]}]
    every, one = bands(client, tags=["loss"], groups=groups)
    listed = [line["y"] for line in lines(client, tags=["loss"], width=None)]
    assert (every["group"], every["tag"], every["n"], one["group"], one["n"]) == ("all", "loss", 3, "one", 1)
    assert every["count"] == [3] * 2000
    np.testing.assert_allclose(every["low"], np.min(listed, axis=0), rtol=1e-6)
    np.testing.assert_allclose(every["high"], np.max(listed, axis=0), rtol=1e-6)
    assert one["center"] == one["low"] == one["high"] == listed[1]


@pytest.mark.parametrize("spread", ["minmax", "std", "stderr", "quantile", "bootstrap"])
def test_band_forms_agree(client, spread):
    body = {"tags": ["loss", "odd"], "groups": [{"name": "g", "runs": RUNS}], "width": 100, "spread": spread}
    listed = bands(client, **body)
    packed = client.post("/api/scalars/bands", body)
    assert packed.headers["content-type"] == "application/vnd.runglass.columns"
    _, decoded = decode_lines(packed.body)
    assert [(each.run, each.tag, each.total) for each in decoded] == [("g", "loss", 3)] * 4 + [
        ("g", "odd", 1)
    ] * 4
    assert [each.role for each in decoded] == ["center", "low", "high", "count"] * 2
    for band, of_band in zip(listed, (decoded[:4], decoded[4:]), strict=True):
        for line in of_band:
            np.testing.assert_array_equal([back(x) for x in band["x"]], line.x)
            np.testing.assert_array_equal([back(y) for y in band[line.role]], line.y)


def test_bands_of_odd_numbers(client):
    (odd,) = bands(client, tags=["odd"], groups=[{"name": "g", "runs": RUNS}], spread="std")
    assert [isnan(back(value)) for value in odd["center"]] == [True, True, True, False]


def test_bands_of_nothing(client):
    assert bands(client, tags=["loss"], groups=[]) == []
    assert bands(client, tags=[], groups=[{"name": "g", "runs": RUNS}]) == []
    assert bands(client, tags=["nothing"], groups=[{"name": "g", "runs": RUNS}]) == []
    assert (
        bands(client, tags=["loss"], groups=[{"name": "", "runs": []}, {"name": "x", "runs": ["gone"]}]) == []
    )


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({}, "tags"),
        ({"tags": ["loss"]}, "groups"),
        ({"tags": ["loss"], "groups": [{"name": "g"}]}, "runs"),
        ({"tags": ["loss"], "groups": [{"name": "g", "runs": []}] * 2}, "groups"),
        ({"tags": ["loss"], "groups": [], "series": []}, "series"),
        ({"tags": ["loss"], "groups": [], "confidence": 1}, "confidence"),
        ({"tags": ["loss"], "groups": [], "quantile": 0.6}, "quantile"),
        ({"tags": ["loss"], "groups": [], "spread": "wide"}, "spread"),
        ({"tags": ["loss"], "groups": [{"name": "g", "runs": [3]}]}, "groups[0].runs[0]"),
        ({"tags": ["x"] * 1001, "groups": [{"name": str(n), "runs": []} for n in range(100)]}, "groups"),
    ],
)
def test_bands_that_cannot_be_made(client, body, where):
    got = client.post("/api/scalars/bands", body)
    assert (got.status, got.json["error"]["code"], got.json["error"]["where"]) == (400, "bad_request", where)


def test_pages_share_a_costly_answer_and_never_an_old_one(monkeypatch):
    monkeypatch.setattr(sharing, "COSTLY_S", 0.0)
    source = MemorySource().add_scalars("a", "loss", step=[0, 1], value=[1.0, 2.0])
    client = InProcess(App(source))
    body = {"tags": ["loss"], "width": 100}
    first = client.post("/api/scalars/lines", body).body
    made = []
    read = source.read_lines
    monkeypatch.setattr(source, "read_lines", lambda *asked: made.append(1) or read(*asked))
    assert client.post("/api/scalars/lines", body).body == first
    assert made == []
    source.add_scalars("a", "loss", step=[2], value=[3.0])
    monkeypatch.setattr(sharing, "monotonic", lambda: time.monotonic() + 1)
    _, (line,) = decode_lines(client.post("/api/scalars/lines", body).body)
    assert (line.y.tolist(), made) == ([1.0, 2.0, 3.0], [1])


@pytest.mark.parametrize(
    ("body", "unknown"),
    [
        ({"tags": ["loss"]}, None),
        ({"tags": ["loss", "los", "={nope} + 1"]}, {"tags": ["los", "={nope} + 1"]}),
        ({"tags": ["loss"], "runs": ["train", "trian"]}, {"runs": ["trian"]}),
        (
            {"series": [{"run": "train", "tag": "loss"}, {"run": "train", "tag": "los"}]},
            {"series": [{"run": "train", "tag": "los"}]},
        ),
    ],
)
@pytest.mark.parametrize("route", ["summary", "lines", "table"])
def test_what_is_not_there_is_named(client, route, body, unknown):
    more = {"lines": {"format": "json"}, "table": {"at": 0}}.get(route, {})
    got = client.post(f"/api/scalars/{route}", body | more)
    assert (got.status, got.json.get("unknown")) == (200, unknown)


def test_bands_name_what_is_not_there(client):
    body = {"tags": ["loss", "los"], "groups": [{"name": "a", "runs": ["train", "trian"]}], "format": "json"}
    got = client.post("/api/scalars/bands", body)
    assert got.json["unknown"] == {"runs": ["trian"], "tags": ["los"]}
