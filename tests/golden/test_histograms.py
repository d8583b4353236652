"""Histograms that real frameworks wrote, asked over HTTP: buckets equal to the file's, and no count lost in other bins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import runglass
from runglass.server.app import App
from runglass.server.in_process import InProcess

LOGS = Path(__file__).parent / "logs"
CASES = [
    "tf_summary_all",
    "keras_callback_all",
    "torch_writer_all",
    "tensorboardX_writer_all",
    "tf_v1_legacy",
]


@pytest.mark.parametrize("case", CASES)
def test_counts_and_edges_are_those_of_the_file(case: str) -> None:
    log = runglass.open(LOGS / case / "logdir")
    client = InProcess(App(log.source))
    named = [(run, tag) for run in log.runs for tag, kind in log.tags(run).items() if kind == "histogram"]
    series = [{"run": run, "tag": tag} for run, tag in named]
    assert series
    stored = client.post("/api/histograms/series", {"series": series}).json["series"]
    for (run, tag), found in zip(named, stored, strict=True):
        assert found["problems"] == []
        logged = [value.tolist() for value in log.read(run, tag).value]
        assert found["buckets"] == logged
        totals = [sum(count for _, _, count in rows) for rows in logged]
        np.testing.assert_allclose(found["total"], totals, rtol=1e-12)
    for bins, scale in ((1, "linear"), (30, "linear"), (997, "linear"), (64, "symlog"), (64, "log")):
        body = {"series": series, "bins": bins, "x_scale": scale}
        for found in client.post("/api/histograms/series", body).json["series"]:
            everything = np.array(found["counts"]).sum(axis=1) + found["below"] + found["above"]
            np.testing.assert_allclose(everything, found["total"], rtol=1e-9)
            if scale != "log":
                assert found["below"] == found["above"] == [0.0] * len(found["step"])
