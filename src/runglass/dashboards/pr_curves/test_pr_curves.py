"""PR curves over HTTP: exact counts, scores by definition, and problems."""

from __future__ import annotations

import csv
import io
import json
import re
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest

import runglass
from runglass.dashboards.pr_curves.curve import COLUMNS, parse_curve
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Kind
from runglass.writer.values.pr_curves import pr_curve_rows

GOLDEN = Path(__file__).parents[4] / "tests/golden/logs"
ROUTE = "/api/pr_curves/curves"
LABELS = [0, 1, 0, 1, 1, 0]
PREDICTIONS = [0.1, 0.4, 0.6, 0.9, 1.0, 0.2]
SOUND = np.array(pr_curve_rows(LABELS, PREDICTIONS, thresholds=11), np.float64)


@pytest.fixture
def source():
    return MemorySource().add_values("train", "pr", Kind.PR_CURVE, step=[3, 7], values=[SOUND, SOUND[:, ::2]])


@pytest.fixture
def client(source):
    return InProcess(App(source))


def ask(client, *series, **more):
    return client.post(ROUTE, {"series": list(series), **more})


def test_real_curves_are_as_logged():
    log = runglass.open(GOLDEN / "tb_pr_curve/logdir")
    client = InProcess(App(log.source))
    (curve,) = ask(client, {"run": "sharp", "tag": "pr/default/pr_curves", "step": 0}).json["curves"]
    rows = log.read("sharp", "pr/default/pr_curves").value[0]
    assert [curve[name] for name in COLUMNS[1:7]] == rows.astype(np.float64).tolist()
    assert curve["threshold"] == np.linspace(0, 1, 201).tolist()
    assert (curve["step"], curve["row"], curve["problems"]) == (0, 0, [])


def test_values_are_named_by_row_or_step_or_are_the_newest(client):
    newest, by_step, by_row = ask(
        client,
        {"run": "train", "tag": "pr"},
        {"run": "train", "tag": "pr", "step": 3},
        {"run": "train", "tag": "pr", "row": 0, "step": 3},
    ).json["curves"]
    assert (newest["step"], len(newest["tp"])) == (7, 6)
    assert by_step == by_row


def test_unknown_series_are_left_out_and_named(client):
    got = ask(
        client,
        {"run": "train", "tag": "pr", "step": 99},
        {"run": "train", "tag": "gone"},
        {"run": "gone", "tag": "pr"},
    )
    # At step 99 a series that exists has no value.
    unknown = [{"run": "train", "tag": "gone"}, {"run": "gone", "tag": "pr"}]
    assert got.json == {"curves": [], "unknown": {"series": unknown}}


def test_average_precision_and_auc_by_their_definitions():
    scores = parse_curve(SOUND).scores
    # Every prediction has its own threshold here, so this is the exact definition over the ranking.
    ranked = [label for _, label in sorted(zip(PREDICTIONS, LABELS, strict=True), reverse=True)]
    precisions = [sum(ranked[: i + 1]) / (i + 1) for i, label in enumerate(ranked) if label]
    assert scores.average_precision == pytest.approx(sum(precisions) / len(precisions))
    scored = list(zip(PREDICTIONS, LABELS, strict=True))
    pairs = [(p > n) for p, positive in scored if positive for n, other in scored if not other]
    assert scores.auc == pytest.approx(sum(pairs) / len(pairs))
    assert scores.best_f1 == pytest.approx(6 / 7)
    assert 0.2 < scores.best_f1_threshold <= 0.4


def test_rates_follow_from_the_counts():
    columns = parse_curve(SOUND).columns
    tp, fp, tn, fn = SOUND[:4]
    np.testing.assert_allclose(columns["tpr"], tp / (tp + fn))
    np.testing.assert_allclose(columns["fpr"], fp / (fp + tn))
    np.testing.assert_allclose(columns["f1"], 2 * tp / (2 * tp + fp + fn))


def test_the_three_forms_agree(client):
    series = {"run": "train", "tag": "pr", "step": 3}
    (curve,) = ask(client, series).json["curves"]
    table = ask(client, series, format="csv")
    assert table.headers["content-disposition"] == 'attachment; filename="pr_curves_pr.csv"'
    rows = list(csv.DictReader(io.StringIO(table.text)))
    for name in COLUMNS:
        assert [float(row[name]) for row in rows] == curve[name]
    packed = ask(client, series, format="columns").body
    length = int.from_bytes(packed[4:8], "little")
    (head,) = json.loads(packed[8 : 8 + length])["curves"]
    numbers = np.frombuffer(packed, "<f8", offset=8 + length).reshape(len(COLUMNS), head["count"])
    assert numbers.tolist() == [curve[name] for name in COLUMNS]
    assert {
        name: head[name] for name in ("run", "tag", "row", "step", "wall_time", "problems", "scores")
    } == {name: curve[name] for name in ("run", "tag", "row", "step", "wall_time", "problems", "scores")}


def changed(row, at, value):
    rows = SOUND.copy()
    rows[row, at] = value
    return rows


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.zeros((5, 201)), r"shape \(5, 201\).*6 rows"),
        (np.zeros((6, 0)), r"shape \(6, 0\)"),
        (np.zeros((6,)), r"shape \(6,\)"),
        (np.array([[b"x"]], object), r"not numbers"),
        ("text", r"is a str"),
        (np.zeros((6, 11)), r"All counts are zero"),
        (changed(0, 4, nan), r"TP is not a finite number at threshold 0\.4"),
        (changed(4, 4, inf), r"Precision is not a finite number"),
        (changed(2, 2, -5), r"TN is negative at threshold 0\.2"),
        (changed(0, 6, 30), r"TP grows with the threshold after threshold 0\.5"),
        (changed(3, 10, 99), r"TP \+ FN goes from 3 to"),
        (changed(5, 3, 0.5), r"logged recall is not what the counts give at threshold 0\.3"),
        (np.array(pr_curve_rows([0, 0], [0.2, 0.4], thresholds=5)), r"no positive labels"),
        (np.array(pr_curve_rows([1, 1], [0.2, 0.4], thresholds=5)), r"no negative labels"),
    ],
)
def test_problems_are_reported(client, source, value, words):
    source.add_values("bad", "pr", Kind.PR_CURVE, step=[0], values=[value])
    bad, good = ask(client, {"run": "bad", "tag": "pr"}, {"run": "train", "tag": "pr"}).json["curves"]
    assert good["problems"] == []
    assert bad["problems"]
    assert re.search(words, " ".join(bad["problems"]))


def test_faulty_counts_have_no_scores_but_are_shown():
    curve = parse_curve(changed(0, 6, 30))
    assert curve.scores.average_precision is None
    assert curve.columns["tp"][6] == 30


def test_one_label_only():
    negatives = parse_curve(np.array(pr_curve_rows([0, 0], [0.2, 0.4], thresholds=5))).scores
    assert (negatives.average_precision, negatives.auc, negatives.best_f1) == (None, None, None)
    positives = parse_curve(np.array(pr_curve_rows([1, 1], [0.2, 0.4], thresholds=5))).scores
    assert (positives.average_precision, positives.auc) == (1.0, None)


def test_one_threshold():
    curve = parse_curve(SOUND[:, :1])
    assert curve.columns["threshold"].tolist() == [0.0]
    assert curve.scores.average_precision == pytest.approx(0.5)


def test_too_many_curves(client):
    got = ask(client, *[{"run": "train", "tag": "pr"}] * 2_001)
    assert got.status == 400
    assert "at most 2,000" in got.json["error"]["message"]
