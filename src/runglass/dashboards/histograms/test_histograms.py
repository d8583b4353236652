"""The histogram routes over a MemorySource: exact buckets, forms that agree, bins that lose nothing."""

from __future__ import annotations

import csv
import io
from math import inf, nan

import msgspec
import numpy as np
import pytest

from runglass.errors import ValueDamaged
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Kind, SeriesKey

SERIES = "/api/histograms/series"
RANKING = "/api/histograms/ranking"


def counted(values, buckets=10):
    counts, edges = np.histogram(values, buckets)
    return np.stack([edges[:-1], edges[1:], counts.astype(np.float64)], axis=1)


@pytest.fixture
def source():
    rng = np.random.default_rng(3)
    source = MemorySource()
    for run, drift in (("a", 0.0), ("b", 0.1)):
        moved = [counted(rng.normal(size=500) + drift * step) for step in range(40)]
        source.add_values(run, "kernel", Kind.HISTOGRAM, step=np.arange(40) * 5, values=moved)
        still = [counted(np.linspace(-1, 1, 300))] * 40
        source.add_values(run, "bias", Kind.HISTOGRAM, step=np.arange(40) * 5, values=still)
    return source


@pytest.fixture
def client(source):
    return InProcess(App(source))


def ask(client, path, **body):
    got = client.post(path, body)
    assert got.status == 200, got.body
    return got.json


def refs(*pairs):
    return [{"run": run, "tag": tag} for run, tag in pairs]


def test_buckets_are_those_of_the_file(client, source):
    (found,) = ask(client, SERIES, series=refs(("a", "kernel")))["series"]
    values = source.read_values(SeriesKey("a", "kernel"))
    for at in range(40):
        assert found["buckets"][at] == source.load_value(values, at).tolist()
    assert found["step"] == list(range(0, 200, 5))
    assert found["total"] == [500.0] * 40
    assert found["low"][3] == found["buckets"][3][0][0]


def test_bins_keep_the_total(client):
    (found,) = ask(client, SERIES, series=refs(("b", "kernel")), bins=37)["series"]
    counts = np.array(found["counts"])
    assert counts.shape == (40, 37)
    np.testing.assert_allclose(counts.sum(axis=1), found["total"], rtol=1e-9)
    assert (found["below"], found["above"]) == ([0.0] * 40, [0.0] * 40)
    assert found["edges"][0] == min(found["low"])
    assert found["edges"][-1] == max(found["high"])


def test_values_outside_the_range_are_counted(client):
    body = {"series": refs(("a", "kernel")), "bins": 5, "x_range": [-0.5, 0.5]}
    (found,) = ask(client, SERIES, **body)["series"]
    everything = np.array(found["counts"]).sum(axis=1) + found["below"] + found["above"]
    np.testing.assert_allclose(everything, found["total"], rtol=1e-9)
    assert min(found["below"]) > 0
    (log,) = ask(client, SERIES, series=refs(("a", "kernel")), bins=5, x_scale="log")["series"]
    assert log["edges"][0] > 0
    np.testing.assert_allclose(np.array(log["counts"]).sum(axis=1) + log["below"], log["total"], rtol=1e-9)


def test_bins_may_be_shared_or_given(client):
    pairs = refs(("a", "kernel"), ("b", "kernel"))
    third = refs(("a", "bias"))
    first, second, other = ask(client, SERIES, series=[*pairs, *third], bins=8, is_shared=True)["series"]
    assert first["edges"] == second["edges"] != other["edges"]
    first, second = ask(client, SERIES, series=pairs, bins=8)["series"]
    assert first["edges"] != second["edges"]
    (given,) = ask(client, SERIES, series=pairs[:1], edges=[-1, 0, 0.25])["series"]
    assert given["edges"] == [-1, 0, 0.25]


def test_steps_are_reduced_evenly_and_include_the_kept_row(client):
    (found,) = ask(client, SERIES, series=refs(("a", "kernel")), max_steps=5)["series"]
    assert (found["row"], found["values"]) == ([0, 10, 20, 29, 39], 40)
    (found,) = ask(client, SERIES, series=[{"run": "a", "tag": "kernel", "keep": 7}], max_steps=5)["series"]
    assert found["row"] == [0, 7, 10, 20, 29, 39]
    (found,) = ask(client, SERIES, series=[{"run": "a", "tag": "kernel", "rows": [3, 1, 999]}])["series"]
    assert found["step"] == [5, 15]


def test_series_that_are_gone_are_left_out_and_named(client):
    found = ask(client, SERIES, series=refs(("gone", "kernel"), ("a", "bias"), ("a", "gone")))
    assert [each["tag"] for each in found["series"]] == ["bias"]
    assert found["unknown"] == {"series": refs(("gone", "kernel"), ("a", "gone"))}
    assert "unknown" not in ask(client, SERIES, series=refs(("a", "bias")))


@pytest.mark.parametrize("bins", [None, 12])
def test_columns_say_the_same(client, bins):
    body = {"series": refs(("a", "kernel"), ("b", "bias")), "bins": bins, "max_steps": 7}
    plain = ask(client, SERIES, **body)["series"]
    raw = client.post(SERIES, {**body, "format": "columns"}).body
    length = int.from_bytes(raw[4:8], "little")
    head = msgspec.json.decode(raw[8 : 8 + length])
    at = 8 + length

    def take(count, kind="<f8"):
        nonlocal at
        block = np.frombuffer(raw, kind, count, at)
        at += -(-block.nbytes // 8) * 8
        return block.tolist()

    for described, each in zip(head["series"], plain, strict=True):
        count = described["count"]
        assert take(count, "<u4") == each["row"]
        for name in ("step", "wall_time", "total", "nan", "neg_inf", "pos_inf", "low", "high"):
            assert take(count) == each[name]
        if bins is None:
            assert take(count, "<u4") == [len(rows) for rows in each["buckets"]]
            flat = [row for rows in each["buckets"] for row in rows]
            for column in range(3):
                assert take(described["buckets"]) == [row[column] for row in flat]
        else:
            assert take(bins + 1) == each["edges"]
            assert take(bins * count) == [value for row in each["counts"] for value in row]
            assert take(count) == each["below"]
            assert take(count) == each["above"]
    assert at == len(raw)


def test_stored_histograms_are_as_in_the_file(client, source):
    odd = np.array([[0, 1, 2], [nan, nan, 3], [2, 1, -4]], np.float64)
    source.add_values("a", "odd", Kind.HISTOGRAM, step=[7, 8], values=[odd, ValueDamaged("Torn.")])
    got = client.get("/api/histograms/values?run=a&tag=odd").json["values"]
    assert got[0]["buckets"] == [[0, 1, 2], ["NaN", "NaN", 3], [2, 1, -4]]
    assert (got[1]["buckets"], got[1]["problem"]) == (None, "Torn.")
    rows = list(
        csv.reader(io.StringIO(client.get("/api/histograms/values?run=a&tag=odd&format=csv").body.decode()))
    )
    assert rows[0] == ["step", "wall_time", "left", "right", "count"]
    assert [row[0] for row in rows[1:]] == ["7", "7", "7", "8"]
    np.testing.assert_array_equal([[float(x) for x in row[2:]] for row in rows[1:4]], odd)
    only = client.get("/api/histograms/values?run=a&tag=kernel&from_step=10&to_step=20").json["values"]
    assert [each["step"] for each in only] == [10, 15, 20]


def test_bad_histograms_are_shown_as_far_as_they_go(client, source):
    rows = [
        np.array([[0.0, 1, 5], [1, 2, 5]]),
        np.array([[1.0, 2, 5], [0, 1, 5], [0.5, 1.5, 2]]),
        np.array([[0.0, 1, -3], [nan, 1, 4], [1, 2, 6]]),
        np.array([[0.0, 1, 5], [nan, nan, 2], [-inf, -inf, 1], [inf, inf, 4]]),
        np.zeros(4),
        ValueDamaged("Torn."),
    ]
    source.add_values("a", "odd", Kind.HISTOGRAM, step=range(6), values=rows)
    (found,) = ask(client, SERIES, series=refs(("a", "odd")), bins=4)["series"]
    assert found["total"] == pytest.approx([10, 12, 6, 5, 0, 0])
    assert (found["nan"][2:4], found["neg_inf"][3], found["pos_inf"][3]) == ([4, 2], 1, 4)
    assert [each["at"] for each in found["problems"]] == [1, 2, 4, 5]
    assert "overlap" in found["problems"][0]["message"]
    assert found["problems"][3]["message"] == "Torn."
    assert found["low"][4] == "NaN"


@pytest.mark.parametrize(
    "body",
    [
        {"bins": 0},
        {"bins": 10**9},
        {"bins": 4, "edges": [0, 1]},
        {"edges": [1, 0]},
        {"edges": [1]},
        {"bins": 4, "x_range": [1, 1]},
        {"bins": 4, "x_range": [-1, 1], "x_scale": "log"},
        {"max_steps": 0},
    ],
)
def test_invalid_requests(client, body):
    got = client.post(SERIES, {"series": refs(("a", "kernel")), **body})
    assert (got.status, got.json["error"]["code"]) == (400, "bad_request")


def test_ranking_by_movement(client):
    rows = ask(client, RANKING, by="start")["series"]
    assert (rows[0]["run"], rows[0]["tag"], rows[0]["step"], rows[0]["other_step"]) == ("b", "kernel", 195, 0)
    assert rows[0]["distance"] == pytest.approx(3.9, abs=0.3)
    assert {row["distance"] for row in rows if row["tag"] == "bias"} == {0}
    assert rows == sorted(rows, key=lambda row: -row["relative"])
    early = ask(client, RANKING, by="previous", step=99, tags=["kernel"])["series"]
    assert {(row["step"], row["other_step"]) for row in early} == {(95, 90)}


def test_ranking_against_another_run(client):
    (kernel, bias) = ask(client, RANKING, by="run", other_run="a")["series"]
    assert (kernel["run"], kernel["tag"], bias["tag"]) == ("b", "kernel", "bias")
    assert kernel["distance"] == pytest.approx(3.9, abs=0.3)
    assert ask(client, RANKING, by="run", other_run="gone")["series"][0]["distance"] is None
    assert client.post(RANKING, {"by": "run"}).status == 400
    assert client.post(RANKING, {"by": "start", "other_run": "a"}).status == 400


def test_ranking_follows_the_log(client, source):
    assert len(ask(client, RANKING)["series"]) == 4
    relu = np.array([[0.0, 0, 75], [0, 1, 25]])
    source.add_values("c", "relu", Kind.HISTOGRAM, step=[0], values=[relu])
    row = next(row for row in ask(client, RANKING)["series"] if row["tag"] == "relu")
    assert (row["zeros_at_least"], row["zeros_at_most"]) == (0.75, 1.0)
    assert (row["distance"], row["other_step"]) == (None, None)
