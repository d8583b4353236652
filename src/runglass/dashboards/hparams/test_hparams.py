"""The HParams dashboard over HTTP: the table in columns and rows, and importance as a job."""

from __future__ import annotations

import json
import time
from math import inf, nan

import pytest

from runglass.query.memory import MemorySource
from runglass.schema.hparams import EXPERIMENT_TAG, SESSION_END_TAG, SESSION_START_TAG
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Kind

T0 = 1_700_000_000.0


class Source(MemorySource):
    def record(self, run, tag, value):
        return self.add_values(run, tag, Kind.HPARAMS, step=[0], values=[value], wall_time=[T0])

    def trial(self, run, hparams, group="", **metrics):
        self.record(run, SESSION_START_TAG, {"session_start_info": {"hparams": hparams, "group_name": group}})
        for tag, values in metrics.items():
            self.add_scalars(
                run,
                tag,
                step=range(len(values)),
                value=values,
                wall_time=[T0 + i for i in range(len(values))],
            )
        return self.record(run, SESSION_END_TAG, {"session_end_info": {"status": 1, "end_time_secs": T0 + 9}})


@pytest.fixture
def source():
    source = Source()
    source.record(
        ".",
        EXPERIMENT_TAG,
        {
            "experiment": {
                "description": "A search",
                "user": "me",
                "time_created_secs": T0,
                "hparam_infos": [
                    {"name": "lr", "display_name": "Rate", "domain_interval": {"max_value": 1.0}}
                ],
                "metric_infos": [
                    {"name": {"tag": "never"}},
                    {"name": {"tag": "acc"}, "display_name": "Accuracy"},
                ],
            }
        },
    )
    source.trial("a", {"lr": 0.1, "opt": "adam", "same": 1.0}, group="g", acc=[0.5, 0.25], loss=[1.0, nan])
    source.trial("b", {"lr": nan, "opt": 3.0, "same": 1.0}, group="0" * 64, acc=[0.75, inf])
    return source


def post(client, path, body):
    got = client.post(path, json.dumps(body).encode())
    assert got.status == 200, got.text
    return got.json


def test_the_table_in_columns(source):
    got = post(InProcess(App(source)), "/api/hparams/table", {})
    assert got["generation"] == source.generation
    assert (got["runs"], got["members"]) == (["a", "b"], [["a"], ["b"]])
    # A group that is a hash of the values says nothing.
    assert got["group"] == {"levels": ["g", ""], "codes": [0, 1]}
    assert [got["status"]["levels"][code] for code in got["status"]["codes"]] == ["finished", "finished"]
    assert got["host"] == {"levels": [""], "codes": [0, 0]}
    assert (got["started"], got["ended"]) == ([T0, T0], [T0 + 9, T0 + 9])
    lr, opt, same = got["hparams"]
    assert (lr["name"], lr["type"], lr["values"], lr["levels"]) == ("lr", "number", [0.1, "NaN"], None)
    assert (lr["display_name"], lr["domain"]) == ("Rate", {"min": 0.0, "max": 1.0})
    assert "Declared as 0 to 1" in lr["problem"]
    assert (opt["type"], opt["levels"], opt["codes"], opt["values"]) == ("mixed", ["3", "adam"], [1, 0], None)
    assert (same["name"], same["distinct"], same["missing"], same["source"]) == ("same", 1, 0, "record")
    acc, never = got["metrics"]
    assert (acc["tag"], acc["values"], acc["goal"], acc["declared"]) == (
        "acc",
        [0.25, "Infinity"],
        "max",
        True,
    )
    assert (never["values"], never["problem"]) == ([None, None], "never logged")
    assert [(each["tag"], each["declared"], each["runs"]) for each in got["offered"]] == [
        ("never", True, 0),
        ("acc", True, 2),
        ("loss", False, 1),
    ]
    assert got["experiments"] == [{"run": ".", "description": "A search", "user": "me", "started": T0}]
    assert got["problems"] == []


def test_metrics_that_are_asked_for(source):
    metrics = [
        {"tag": "acc", "stat": "max"},
        {"tag": "loss", "stat": "at_best", "best_tag": "acc", "best": "min"},
        {"tag": "acc", "stat": "at_step", "step": 0},
        {"group": "below", "tag": "acc"},
    ]
    got = post(InProcess(App(source)), "/api/hparams/table", {"metrics": metrics})
    assert [each["values"] for each in got["metrics"]] == [
        [0.5, 0.75], ["NaN", None], [0.5, 0.75], [None, None]
    ]  # fmt: skip
    assert [each["problem"] for each in got["metrics"]] == [None, None, None, "never logged"]


@pytest.mark.parametrize(
    ("metric", "where"),
    [
        ({"tag": "a", "stat": "at_step"}, "metrics[0].step"),
        ({"tag": "a", "stat": "at_best"}, "metrics[0].best_tag"),
        ({"tag": "a", "stat": "sum"}, None),
    ],
)
def test_a_wrong_metric_is_refused(source, metric, where):
    got = InProcess(App(source)).post("/api/hparams/table", json.dumps({"metrics": [metric]}).encode())
    assert got.status == 400
    assert where is None or got.json["error"]["where"] == where


def test_the_answer_is_kept_until_something_changes(source):
    client = InProcess(App(source))
    first = post(client, "/api/hparams/table", {})
    assert post(client, "/api/hparams/table", {}) == first
    source.trial("c", {"lr": 0.5, "new": True}, acc=[1.0])
    now = post(client, "/api/hparams/table", {})
    assert now["runs"] == ["a", "b", "c"]
    assert {each["name"]: each["missing"] for each in now["hparams"]} == {
        "lr": 0,
        "opt": 1,
        "same": 1,
        "new": 2,
    }


def test_long_values_are_cut_and_stay_apart():
    source = Source().trial("a", {"text": "x" * 100_000 + "a"}).trial("b", {"text": "x" * 100_000 + "b"})
    (column,) = post(InProcess(App(source)), "/api/hparams/table", {})["hparams"]
    assert column["codes"] == [0, 1]
    assert [len(level) < 1_100 for level in column["levels"]] == [True, True]
    assert column["levels"][0].endswith("… (100,001 characters, value 1)")
    assert "x" * 100_000 + "b" in InProcess(App(source)).get("/api/hparams/table?format=csv").text


@pytest.mark.parametrize("runs", [0, 1])
def test_no_session_and_one(runs):
    source = Source()
    for number in range(runs):
        source.trial(f"run{number}", {"lr": 1.0}, acc=[0.5])
    got = post(InProcess(App(source)), "/api/hparams/table", {})
    assert len(got["runs"]) == runs
    assert [each["distinct"] for each in got["hparams"]] == [1] * runs


def test_rows_as_json_and_csv(source):
    client = InProcess(App(source))
    got = client.get("/api/hparams/table").json
    assert got["rows"][0] == {
        "run": "a",
        "members": ["a"],
        "group": "g",
        "status": "finished",
        "started": T0,
        "ended": T0 + 9,
        "host": "",
        "hparams": {"lr": 0.1, "opt": "adam", "same": 1.0},
        "metrics": {"acc": 0.25, "loss": "NaN"},
    }
    csv = client.get("/api/hparams/table?format=csv&metric=acc&stat=max")
    assert csv.headers["content-type"].startswith("text/csv")
    assert csv.text.splitlines() == [
        "run,group,status,started,ended,host,lr,opt,same,acc",
        f"a,g,finished,{T0},{T0 + 9},,0.1,adam,1.0,0.5",
        f"b,,finished,{T0},{T0 + 9},,nan,3.0,1.0,0.75",
    ]
    assert client.get("/api/hparams/table?stat=at_step").json["error"]["where"] == "step"


def test_names_of_csv_columns_are_unique():
    source = Source().trial("a", {"run": "x", "acc": 1.0}, acc=[0.5])
    head = InProcess(App(source)).get("/api/hparams/table?format=csv").text.splitlines()[0]
    assert head == "run,group,status,started,ended,host,hparam:run,acc,metric:acc"


@pytest.fixture
def sweep():
    source = Source()
    for i in range(30):
        source.trial(f"run{i:02d}", {"lr": float(i % 6), "x": float(i // 6)}, acc=[float(i % 6)])
    return source


def test_importance_as_a_job(sweep):
    client = InProcess(App(sweep))
    question = {"metric": {"tag": "acc"}, "goal": "max"}
    job = post(client, "/api/jobs", {"work": "hparams.importance", "question": question})
    deadline = time.monotonic() + 30
    while (got := client.get(f"/api/jobs/result?id={job['id']}")).status != 200:
        assert time.monotonic() < deadline, got.text
        time.sleep(0.01)
    assert got.json["rows"][0]["names"] == ["lr"]
    assert got.json["rows"][0]["share"] > 0.9
    assert got.json["r2"] > 0.9
    few = {"metric": {"tag": "acc"}, "runs": ["run01", "run02"]}
    job = post(client, "/api/jobs", {"work": "hparams.importance", "question": few})
    while (got := client.get(f"/api/jobs/result?id={job['id']}")).status != 200:
        assert time.monotonic() < deadline, got.text
        time.sleep(0.01)
    assert got.json["refused"].startswith("2 runs")


def test_importance_for_scripts(sweep):
    client = InProcess(App(sweep))
    got = client.get("/api/hparams/importance?metric=acc").json
    assert (got["method"], got["n"], got["rows"][0]["names"]) == ("fanova", 30, ["lr"])
    assert client.get("/api/hparams/importance?metric=gone").json["refused"].startswith("0 runs")
    assert client.get("/api/hparams/importance?metric=acc&stat=at_best").status == 400


def test_states_are_judged_again_only_while_they_may_change(monkeypatch):
    source = Source().trial("done", {"lr": 1.0}, loss=[1.0, 0.5])
    now = T0 + 20
    monkeypatch.setattr(time, "time", lambda: now)
    client = InProcess(App(source))

    def statuses():
        answer = client.post("/api/hparams/table", {"metrics": None}).json
        return [answer["status"]["levels"][code] for code in answer["status"]["codes"]]

    assert statuses() == ["finished"]
    source.record("open", SESSION_START_TAG, {"session_start_info": {"hparams": {"lr": 2.0}}})
    source.add_scalars("open", "loss", step=[0, 1], value=[1.0, 0.5], wall_time=[T0 + 18, T0 + 19])
    assert sorted(statuses()) == ["finished", "running"]
    # Nothing was logged since: the clock alone decides.
    now = T0 + 40 * 86_400
    assert statuses() == ["finished", "finished"]
