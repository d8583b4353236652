"""The distributions route over a MemorySource: exact percentiles, growing series, and bad histograms."""

from __future__ import annotations

import csv
import io
import json
from math import nan

import numpy as np
import pytest

from runglass.dashboards.distributions.shape import USUAL
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Kind

START_S = 1_700_000_000.0


def tensorboard(buckets, qs):
    """TensorBoard's own percentiles of a histogram, bucket by bucket."""
    right, count = buckets[:, 1], buckets[:, 2]
    cumulative = np.cumsum(count) / count.sum() * 100
    values = []
    for q in qs:
        for i, total in enumerate(cumulative):
            before = cumulative[i - 1] if i else 0.0
            if total <= q or total == before:
                continue
            low = buckets[0, 0] if i == 0 or before == 0 else max(right[i - 1], buckets[0, 0])
            values.append(low + (q - before) / (total - before) * (min(right[i], right[-1]) - low))
            break
        else:
            values.append(right[-1])
    return values


def histogram(values, bins=30):
    counts, edges = np.histogram(values, bins)
    return np.stack([edges[:-1], edges[1:], counts], axis=1)


class Counting(MemorySource):
    """Counts how many values are read."""

    loaded = 0

    def load_values(self, values, indices):
        self.loaded += len(indices)
        return super().load_values(values, indices)


@pytest.fixture
def source():
    return Counting()


@pytest.fixture
def ask(source):
    client = InProcess(App(source))

    def post(*series, **body):
        named = [{"run": run, "tag": tag} for run, tag in series or [("run", "w")]]
        return client.post("/api/distributions/bands", {"series": named, **body})

    return post


def add(source, values, *, run="run", tag="w", step=None, **more):
    step = list(range(len(values))) if step is None else step
    return source.add_values(run, tag, Kind.HISTOGRAM, step=step, values=values, **more)


def back(rows):
    return [[nan if value == "NaN" else value for value in row] for row in rows]


def test_percentiles_are_tensorboards(source, ask):
    rng = np.random.default_rng(0)
    stored = [histogram(rng.normal(size=1000) * (step + 1)) for step in range(4)]
    # Half of the mass is below a gap.
    stored.append(np.array([[0.0, 1.0, 5.0], [1.0, 2.0, 0.0], [2.0, 3.0, 5.0]]))
    add(source, stored, step=[0, 10, 20, 30, 40])
    got = ask().json
    assert got["percentiles"] == list(USUAL)
    (only,) = got["series"]
    assert (only["run"], only["tag"], only["total"]) == ("run", "w", 5)
    assert (only["step"], only["wall_time"][1]) == ([0, 10, 20, 30, 40], START_S + 10)
    np.testing.assert_allclose(
        np.array(only["values"]).T, [tensorboard(each, USUAL) for each in stored], rtol=1e-9
    )


def test_any_percentiles(source, ask):
    add(source, [np.array([[0.0, 10.0, 5.0], [10.0, 20.0, 5.0]])])
    got = ask(percentiles=[25, 50, 99.5]).json["series"][0]["values"]
    assert got == [[5.0], [10.0], [pytest.approx(19.9)]]


def test_forms_agree(source, ask):
    rng = np.random.default_rng(1)
    add(source, [histogram(rng.normal(size=100)) for _ in range(20)])
    add(source, [histogram(rng.normal(size=100)) for _ in range(3)], tag="v")
    plain = ask(("run", "w"), ("gone", "w"), ("run", "v"), ("run", "gone")).json
    assert plain["unknown"] == {"series": [{"run": "gone", "tag": "w"}, {"run": "run", "tag": "gone"}]}
    packed = ask(("run", "w"), ("run", "v"), format="columns")
    assert packed.headers["content-type"] == "application/vnd.runglass.columns"
    size = int.from_bytes(packed.body[4:8], "little")
    head, at = json.loads(packed.body[8 : 8 + size]), 8 + size
    assert [each["tag"] for each in plain["series"]] == [each["tag"] for each in head["series"]] == ["w", "v"]
    for listed, series in zip(plain["series"], head["series"], strict=True):
        count = series["count"]
        numbers = np.frombuffer(packed.body, "<f8", count * (2 + len(USUAL)), at)
        at += numbers.nbytes
        assert numbers[:count].tolist() == listed["step"]
        assert numbers[count : 2 * count].tolist() == listed["wall_time"]
        assert numbers[2 * count :].reshape(-1, count).tolist() == listed["values"]
    assert at == len(packed.body)
    table = ask(format="csv", percentiles=[0, 99.9])
    assert "run_w_percentiles.csv" in table.headers["content-disposition"]
    rows = list(csv.reader(io.StringIO(table.text)))
    assert rows[0] == ["wall_time", "step", "p0", "p99.9"]
    assert [float(row[2]) for row in rows[1:]] == plain["series"][0]["values"][0]


def test_a_series_that_grows_is_read_once(source, ask):
    rng = np.random.default_rng(2)
    stored = [histogram(rng.normal(size=100)) for _ in range(12)]
    add(source, stored[:10])
    first = ask().json["series"][0]
    assert (ask().json["series"][0], source.loaded) == (first, 10)
    add(source, stored[10:], step=[10, 11])
    grown = ask().json["series"][0]
    assert source.loaded == 12
    assert [row[:10] for row in grown["values"]] == first["values"]
    np.testing.assert_allclose(np.array(grown["values"]).T[11], tensorboard(stored[11], USUAL))
    # Other percentiles are cached separately.
    ask(percentiles=[50])
    assert source.loaded == 24


def test_a_restart_takes_the_place_of_what_it_overwrote(source, ask):
    def flat(high):
        return np.array([[0.0, high, 1.0]])

    add(source, [flat(1.0), flat(2.0), flat(3.0)])
    assert ask(percentiles=[100]).json["series"][0]["values"] == [[1, 2, 3]]
    add(source, [flat(9.0)], step=[1], restart=True, wall_time=[START_S + 100])
    assert ask(percentiles=[100]).json["series"][0]["values"] == [[1, 9]]
    every = ask(percentiles=[100], attempts="all").json["series"][0]
    assert (every["step"], every["values"]) == ([0, 1, 1, 2], [[1, 2, 9, 3]])


def test_reduction_to_pixels_keeps_the_extremes(source, ask):
    heights = np.ones(3000)
    heights[[1234, 2345]] = 50.0, -70.0
    add(source, [np.array([[high - 1, high, 1.0]]) for high in heights])
    got = ask(percentiles=[0, 100], width=20).json["series"][0]
    assert got["total"] == 3000
    assert len(got["step"]) <= 2 * 4 * 20
    assert (got["step"][0], got["step"][-1]) == (0, 2999)
    assert {1234, 2345} <= set(got["step"])
    assert (max(got["values"][1]), min(got["values"][0])) == (50, -71)
    zoomed = ask(percentiles=[0, 100], width=20, x_range=[1230, 1240]).json["series"][0]
    assert (zoomed["total"], zoomed["step"]) == (11, list(range(1229, 1242)))
    by_time = ask(x="wall", x_range=[START_S + 10, START_S + 12]).json["series"][0]
    assert by_time["step"] == [9, 10, 11, 12, 13]


def test_steps_are_sorted(source, ask):
    add(
        source,
        [np.array([[0.0, high, 1.0]]) for high in (3.0, 1.0, 2.0)],
        step=[30, 10, 20],
        wall_time=[1.0, nan, 2.0],
    )
    got = ask(percentiles=[100]).json["series"][0]
    assert (got["step"], got["values"], got["wall_time"]) == ([10, 20, 30], [[1, 2, 3]], ["NaN", 2, 1])
    assert ask(percentiles=[100], x="wall").json["series"][0]["step"] == [30, 20]


def test_bad_histograms_are_reported_and_do_not_affect_others(source, ask):
    good = np.array([[0.0, 1.0, 4.0], [1.0, 2.0, 4.0]])
    add(
        source,
        [
            good,
            np.zeros((0, 3)),
            good[::-1],
            np.array([[0.0, 1.0, -4.0]]),
            np.array([[nan, nan, 3.0]]),
            np.zeros((2, 7)),
            np.array([[5.0, 5.0, 10.0]]),
            good,
        ],
    )
    (got,) = ask(percentiles=[0, 50, 100]).json["series"]
    values = np.array(back(got["values"])).T
    for index in (0, 2, 7):
        assert values[index].tolist() == [0, 1, 2]
    assert values[6].tolist() == [5, 5, 5]
    assert np.isnan(values[[1, 3, 4, 5]]).all()
    said = {each["step"]: each["problem"] for each in got["problems"]}
    assert {2, 3, 5} <= set(said)
    assert got["problem_count"] == len(said)
    assert "not sorted" in said[2]
    assert "negative" in said[3]


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"percentiles": []}, "percentiles"),
        ({"percentiles": [50, 25]}, "percentiles"),
        ({"percentiles": [50, 50]}, "percentiles"),
        ({"percentiles": [-1]}, "percentiles"),
        ({"percentiles": [101]}, "percentiles"),
        ({"percentiles": [number / 2 for number in range(102)]}, "percentiles"),
        ({"width": 0}, "width"),
        ({"x_range": [2, 1]}, "x_range"),
        ({"x": "relative"}, "x"),
        ({"series": [{"run": "a", "tag": "b"}] * 1001}, "series"),
        ({"series": [], "format": "csv"}, "series"),
        ({"colour": 1}, "colour"),
    ],
)
def test_invalid_requests(source, ask, body, where):
    got = ask(**body)
    assert (got.status, got.json["error"]["where"]) == (400, where)


def test_a_file_of_an_unknown_series(source, ask):
    add(source, [histogram(np.arange(9.0))])
    got = ask(("run", "gone"), format="csv")
    assert (got.status, got.json["error"]["code"]) == (404, "series_unknown")
