"""Which runs are sessions, what belongs to them, and what is wrong with them."""

from __future__ import annotations

from math import inf, nan

import pytest

import runglass
from runglass.query.hparams.columns import make_columns, order_columns
from runglass.query.hparams.metrics import Metric, MetricReader, choose_metrics, list_metrics
from runglass.query.hparams.model import MetricName
from runglass.query.hparams.sessions import SessionReader
from runglass.query.hparams.statuses import SessionState, may_pass, read_hosts, read_states
from runglass.query.memory import MemorySource
from runglass.schema.hparams import EXPERIMENT_TAG, SESSION_END_TAG, SESSION_START_TAG, SessionOutcome
from runglass.store.model import Kind
from runglass.writer.files.record_file import EventFileWriter
from runglass.writer.values import hparams, summaries

T0 = 1_700_000_000.0


class Source(MemorySource):
    def record(self, run, tag, value, wall_time=T0):
        return self.add_values(run, tag, Kind.HPARAMS, step=[0], values=[value], wall_time=[wall_time])

    def start(self, run, hparams, **more):
        return self.record(run, SESSION_START_TAG, {"session_start_info": {"hparams": hparams, **more}})

    def end(self, run, status=1, wall_time=T0, **more):
        end = {"session_end_info": {"status": status, **more}}
        return self.record(run, SESSION_END_TAG, end, wall_time)

    def experiment(self, run, **fields):
        return self.record(run, EXPERIMENT_TAG, {"experiment": fields})

    def curve(self, run, tag="loss", values=(3.0, 1.0, 2.0)):
        times = [T0 + step for step in range(len(values))]
        return self.add_scalars(run, tag, step=list(range(len(values))), value=list(values), wall_time=times)

    def torch(self, run, hparams, **metrics):
        self.experiment(run, metric_infos=[{"name": {"tag": tag}} for tag in metrics])
        self.start(run, hparams).end(run)
        for tag, value in metrics.items():
            self.curve(run, tag, [value])
        return self


@pytest.fixture
def source():
    return Source()


def read(source):
    return SessionReader().read(source)


def members(source):
    return {session.run: session.members for session in read(source).sessions}


def columns(source):
    found = read(source)
    return {column.name: column for column in make_columns(found.sessions, found.experiments)}


# -- which runs


def test_runs_below_a_session_belong_to_it_unless_they_are_sessions(source):
    source.start("a", {"lr": 1.0}).curve("a/train").curve("a/deep/x").start("a/own", {"lr": 2.0}).curve("b")
    assert members(source) == {"a": ("a", "a/deep/x", "a/train"), "a/own": ("a/own",)}


def test_the_root_can_be_a_session(source):
    source.start(".", {"lr": 1.0}).curve("train").start("a", {"lr": 2.0})
    assert members(source) == {".": (".", "train"), "a": ("a",)}


def test_the_only_trial_that_pytorch_wrote_below_a_run_is_merged_into_it(source):
    source.curve("run", "loss").torch("run/1700000000.5", {"lr": 0.5}, acc=0.75)
    assert members(source) == {"run": ("run", "run/1700000000.5")}
    source.torch("run/1700000001.5", {"lr": 0.25}, acc=0.5)
    assert set(members(source)) == {"run/1700000000.5", "run/1700000001.5"}


def test_a_named_trial_is_merged_only_if_the_run_above_has_the_curves(source):
    source.add_run("sweep").torch("sweep/first", {"lr": 0.5}, acc=1.0)
    assert set(members(source)) == {"sweep/first"}
    source.curve("sweep")
    assert members(source) == {"sweep": ("sweep", "sweep/first")}


def test_the_only_session_of_an_experiment_is_not_merged_into_it(source):
    source.experiment(".", hparam_infos=[{"name": "lr"}]).start("run-0", {"lr": 1.0}).end("run-0").curve(
        "run-0"
    )
    assert set(members(source)) == {"run-0"}


def test_a_run_that_was_resumed_has_its_newest_values(source):
    source.start("a", {"lr": 1.0}).start("a", {"lr": 2.0})
    assert [session.hparams for session in read(source).sessions] == [{"lr": 2.0}]


def test_an_end_without_a_start_is_said_and_costs_nothing_else(source):
    source.end("a").start("b", {"lr": 1.0}).curve("c")
    found = read(source)
    assert [session.run for session in found.sessions] == ["b"]
    assert [(problem.run, problem.file) for problem in found.problems] == [("a", "")]
    assert "no start" in found.problems[0].message


# -- types and domains


def test_types_follow_from_the_values(source):
    source.start("a", {"n": 1.0, "s": "x", "b": True, "list": [1, 2], "same": 1.0, "gone": None, "odd": nan})
    source.start("b", {"n": inf, "s": "y", "b": False, "same": 1.0, "odd": nan})
    found = columns(source)
    assert {name: (each.type, each.distinct, each.missing) for name, each in found.items()} == {
        "n": ("number", 2, 0),
        "s": ("string", 2, 0),
        "b": ("bool", 2, 0),
        "list": ("string", 1, 1),
        "same": ("number", 1, 0),
        "odd": ("number", 1, 0),
    }
    assert found["list"].values == ["[1,2]", None]
    assert all(each.problem is None for each in found.values())
    ordered = order_columns(found.values())
    assert [each.name for each in ordered][-2:] == ["same", "odd"]


@pytest.mark.parametrize(
    ("values", "kind", "read_as", "problem"),
    [
        ([1.0, "2.5"], "number", [1.0, 2.5], "text in 1 run"),
        ([1.0, "NaN"], "number", [1.0, nan], None),
        ([True, 1.0, 0.0], "bool", [True, True, False], "0 or 1 in 2 runs"),
        ([True, 2.0], "mixed", [True, 2.0], "several types"),
        ([1.0, "auto"], "mixed", [1.0, "auto"], "numbers in 1 run, text in 1 run"),
        (["1", "2"], "string", ["1", "2"], None),
    ],
)
def test_one_key_with_values_of_several_types(source, values, kind, read_as, problem):
    for number, value in enumerate(values):
        source.start(f"run{number}", {"x": value})
    column = columns(source)["x"]
    assert (column.type, repr(column.values)) == (kind, repr(read_as))
    assert (problem is None) == (column.problem is None)
    assert problem is None or problem in column.problem


def test_a_wrong_domain_is_said(source):
    source.experiment(
        ".",
        hparam_infos=[
            {"name": "opt", "type": 1, "domain_discrete": ["adam", "sgd"], "display_name": "Optimizer"},
            {"name": "lr", "type": 3, "domain_interval": {"min_value": 0.1, "max_value": 0.2}},
            {"name": "wd", "type": 1},
        ],
    )
    source.start("a", {"opt": "adam", "lr": 0.1, "wd": 1.0}).start("b", {"opt": "lion", "lr": 0.5, "wd": 2.0})
    found = columns(source)
    assert found["opt"].info.display_name == "Optimizer"
    assert found["opt"].problem == "Declared as {adam, sgd}, but 1 run has other values: lion."
    assert found["lr"].problem == "Declared as 0.1 to 0.2, but 1 run has other values: 0.5."
    assert found["wd"].problem == "Declared as string, but the values are numbers."


def test_experiments_that_disagree(source):
    for run, values in (("a", [1.0, 2.0]), ("b", [3.0])):
        source.experiment(run, hparam_infos=[{"name": "x", "type": 3, "domain_discrete": values}])
        source.start(run, {"x": values[0]})
    column = columns(source)["x"]
    assert column.problem == "Experiments declare different values: {1, 2}; {3}."
    assert column.info.domain is None


def test_odd_keys_and_a_thousand_of_them(source):
    keys = ["<b>lr</b>", "a.b", "a/b", "😀", "", "constructor", *(f"key_{i}" for i in range(1000))]
    source.start("a", dict.fromkeys(keys, 1.0)).start("b", {"long": "x" * 100_000})
    found = columns(source)
    assert set(found) == {*keys, "long"}
    assert found["long"].values[1] == "x" * 100_000


# -- metrics


def metric_values(source, *metrics):
    found = read(source)
    return MetricReader().read(source, found.sessions, metrics)


def test_metrics_of_the_run_and_below_it(source):
    source.experiment(
        ".", metric_infos=[{"name": {"tag": "never"}}, {"name": {"group": "val", "tag": "acc"}}]
    )
    source.start("a", {"lr": 1.0}).curve("a").curve("a/val", "acc", [0.5, 0.25])
    source.start("b", {"lr": 2.0}).curve("b").curve("b", "seconds_per_step")
    found = read(source)
    offered = list_metrics(source, found.sessions, found.experiments)
    assert [(each.info.name, each.is_declared, each.goal, each.sessions) for each in offered] == [
        (MetricName("", "never"), True, "max", 0),
        (MetricName("val", "acc"), True, "max", 1),
        (MetricName("", "loss"), False, "min", 2),
        (MetricName("", "seconds_per_step"), False, "min", 1),
    ]
    # Declared ones, those that were logged first; the others only if none was.
    assert [metric.name.tag for metric in choose_metrics(offered)] == ["acc", "never"]
    assert [metric.name.tag for metric in choose_metrics(offered[:1] + offered[2:])] == [
        "never", "loss", "seconds_per_step"
    ]  # fmt: skip


def test_metrics_are_reduced_as_asked(source):
    source.start("a", {"lr": 1.0}).curve("a", "loss", [3.0, 1.0, 2.0]).curve("a/val", "acc", [0.1, 0.3, 0.2])
    source.start("b", {"lr": 2.0})
    loss, acc = MetricName("", "loss"), MetricName("val", "acc")
    asked = {
        Metric(loss): 2.0,
        Metric(loss, "min"): 1.0,
        Metric(loss, "max"): 3.0,
        Metric(loss, "mean"): 2.0,
        Metric(loss, "at_step", step=0): 3.0,
        Metric(acc, "at_best", best_name=loss, best="min"): 0.3,
        Metric(loss, "at_best", best_name=acc, best="max"): 1.0,
        Metric(acc, "at_best", best_name=MetricName("", "gone"), best="max"): None,
    }
    assert metric_values(source, *asked) == [[value, None] for value in asked.values()]


def test_what_add_hparams_wrote_is_the_last_value_and_not_the_curve(source):
    source.curve("run", "acc", [0.1, 0.9, 0.2]).torch("run/1700000000.5", {"lr": 1.0}, acc=0.5, only=7.0)
    acc, only = MetricName("", "acc"), MetricName("", "only")
    assert metric_values(source, Metric(acc), Metric(acc, "max"), Metric(only, "max")) == [
        [0.5],
        [0.9],
        [7.0],
    ]


def test_metrics_are_read_again_when_a_run_of_the_session_has_changed(source):
    source.start("a", {"lr": 1.0}).curve("a/val", "acc", [0.5])
    reader, wanted = MetricReader(), [Metric(MetricName("val", "acc"))]
    assert reader.read(source, read(source).sessions, wanted) == [[0.5]]
    source.add_scalars("a/val", "acc", step=[5], value=[0.75])
    assert reader.read(source, read(source).sessions, wanted) == [[0.75]]


# -- status


def states(source, now):
    infos = {info.name: info for info in source.list_runs()}
    found = read(source).sessions
    listed = read_states(source, found, infos, now=now)
    return {
        session.run: (each.status, each.started, each.ended)
        for session, each in zip(found, listed, strict=True)
    }


def test_status_start_and_end(source):
    source.start("ok", {"x": 1.0}, start_time_secs=T0 - 5).curve("ok").end("ok", end_time_secs=T0 + 9)
    source.start("bad", {"x": 1.0}).curve("bad").end("bad", status=2, wall_time=T0 + 2)
    source.start("odd", {"x": 1.0}).curve("odd", "loss", [1.0, nan])
    # Alone in its folder: no other run tells how long it should be.
    source.start("else/quiet", {"x": 1.0}).curve("else/quiet", "x", [1.0] * 9)
    assert states(source, T0 + 10)["else/quiet"] == ("running", T0, None)
    assert states(source, T0 + 1000) == {
        "ok": ("finished", T0 - 5, T0 + 9),
        "bad": ("failed", T0, T0 + 2),
        "odd": ("failed", T0, T0 + 1),
        "else/quiet": ("silent", T0, T0 + 8),
    }


def test_a_session_that_never_said_that_it_ended_stays_silent(source):
    source.start("cut", {"x": 1.0}).curve("cut", "x", [1.0] * 9)
    source.curve("by file/a", "x", [1.0] * 9).add_asset("by file/a", "config", "config.json", b'{"lr": 1}')
    for run in ("sweep/a", "sweep/b"):
        source.start(run, {"x": 1.0}).curve(run, "x", [1.0] * 5)
    assert {run: status for run, (status, _, _) in states(source, T0 + 1e6).items()} == {
        "cut": "silent",
        "by file/a": "finished",
        "sweep/a": "finished",
        "sweep/b": "finished",
    }


def test_only_what_still_changes_with_the_clock_is_judged_again():
    def passes(status, ended):
        return may_pass(SessionState(status, T0, ended), now=T0 + 1e6)

    assert passes("running", None)
    assert passes("silent", T0 + 1e6 - 1000)
    assert not passes("silent", T0)
    assert not passes("finished", T0 + 1e6)


def test_a_session_without_any_time_is_unknown(source):
    source.add_asset("a", "config", "config.json", b'{"lr": 1}')
    assert states(source, T0) == {"a": ("unknown", None, None)}


def test_the_host_is_in_the_name_of_the_file(source):
    source.start("a", {"x": 1.0}).set_file("a", "a/events.out.tfevents.1700000000.gpu-1.example.org.123.0.v2")
    source.start("b", {"x": 1.0}).set_file("b", "b/events.out.tfevents.1700000000.box")
    source.start("c", {"x": 1.0}).set_file("c", "c/my.tfevents")
    assert read_hosts(source, read(source).sessions) == ["gpu-1.example.org", "box", ""]


def test_the_end_of_a_run_that_went_on(tmp_path):
    """A session end in a file is believed by the time it was logged, whatever it states; not if the run went on for long."""
    for run, stated, goes_on in (("near", T0 + 5, 0), ("other clock", 1000.0, 0), ("resumed", T0 + 5, 5_000)):
        with EventFileWriter(tmp_path / run, clock=lambda: T0) as writer:
            writer.write(0, wall_time=T0, values=[hparams.session_start({"lr": 1.0}, start_time_s=T0)])
            for step in range(5):
                writer.write(step, wall_time=T0 + step, values=[summaries.scalar("x", 1.0)])
            end = hparams.session_end(SessionOutcome.FAILURE, end_time_s=stated)
            writer.write(0, wall_time=T0 + 5, values=[end])
            for step in range(goes_on // 10):
                writer.write(5 + step, wall_time=T0 + 5 + 10 * step, values=[summaries.scalar("x", 1.0)])
    rows = runglass.open(tmp_path).hparams()
    assert {row.run: row.status for row in rows} == {
        "near": "failed",
        "other clock": "failed",
        "resumed": "finished",
    }
