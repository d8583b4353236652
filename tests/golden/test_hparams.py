"""Sessions that frameworks wrote, as TensorBoard's HParams plugin answers about them: every manifest with `hparams`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import runglass
from runglass.query.hparams.columns import make_columns
from runglass.query.hparams.metrics import list_metrics
from runglass.query.hparams.sessions import SessionReader

LOGS = Path(__file__).parent / "logs"
TYPES = {"DATA_TYPE_STRING": "string", "DATA_TYPE_BOOL": "bool", "DATA_TYPE_FLOAT64": "number"}


def read_manifest(case: str) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((LOGS / case / "manifest.json").read_text(encoding="utf-8"))
    return manifest


CASES = sorted(
    path.parent.name
    for path in LOGS.glob("*/manifest.json")
    if json.loads(path.read_text(encoding="utf-8")).get("hparams")
)


def test_there_are_cases():
    assert {"tf_hparams_grid", "torch_hparams"} <= set(CASES)


@pytest.mark.parametrize("case", CASES)
def test_sessions_and_groups(case):
    truth = read_manifest(case)["hparams"]
    rows = runglass.open(LOGS / case / "logdir").hparams()
    # What add_hparams wrote below a run is part of that run: no other difference.
    found = {run: row for row in rows for run in (row.run, *row.members)}
    sessions = [session for group in truth["session_groups"] for session in group["sessions"]]
    assert len(rows) == len(sessions)
    for group in truth["session_groups"]:
        # TensorBoard gives a group the values of one of its sessions.
        of_sessions = [found[session["name"]].hparams for session in group["sessions"]]
        assert any(group["hparams"].items() <= values.items() for values in of_sessions)
        for session in group["sessions"]:
            row = found[session["name"]]
            if len(group["sessions"]) > 1 or row.group:
                assert row.group == group["name"]
            metrics = {
                (each["name"]["group"], each["name"]["tag"]): each["value"]
                for each in session["metricValues"]
            }
            assert row.metrics == metrics
            assert row.started == (session["startTimeSecs"] or row.started)
            assert row.status == "finished"


@pytest.mark.parametrize("case", CASES)
def test_the_experiment(case):
    truth = read_manifest(case)["hparams"]["experiment"]
    source = runglass.open(LOGS / case / "logdir").source
    read = SessionReader().read(source)
    columns = {column.name: column for column in make_columns(read.sessions, read.experiments)}
    for info in truth["hparamInfos"]:
        column = columns[info["name"]]
        assert (column.info.display_name, column.info.description) == (
            info["displayName"],
            info["description"],
        )
        assert column.info.type == TYPES.get(info["type"])
        domain = column.info.domain
        if "domainDiscrete" in info:
            assert domain is not None
            assert list(domain.values or ()) == info["domainDiscrete"]
        elif "domainInterval" in info:
            assert domain is not None
            assert {"minValue": domain.min, "maxValue": domain.max} == info["domainInterval"]
        else:
            assert domain is None
    declared = [
        each.info for each in list_metrics(source, read.sessions, read.experiments) if each.is_declared
    ]
    assert [(each.name.group, each.name.tag, each.display_name) for each in declared] == [
        (info["name"]["group"], info["name"]["tag"], info["displayName"]) for info in truth["metricInfos"]
    ]


def test_pytorch_writes_the_only_trial_of_a_run_into_a_run_below():
    rows = runglass.open(LOGS / "torch_hparams/logdir").hparams()
    assert [row.run for row in rows] == [*(f"sweep/trial_{i}" for i in range(5)), "default_run_name"]
    assert rows[-1].members == ("default_run_name", "default_run_name/1794704672.5179043")
