"""The layout route: the layouts of all runs are merged without loss."""

from __future__ import annotations

from pathlib import Path

import pytest

import runglass
from runglass.dashboards.custom_scalars.layout import merge_layouts
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess
from runglass.store.model import Kind

GOLDEN = Path(__file__).parents[4] / "tests/golden/logs"
TAG = "custom_scalars__config__"


def ask(source):
    return InProcess(App(source)).get("/api/custom_scalars/layout").json


def multiline(title, *tags):
    return {"title": title, "multiline": {"tag": list(tags)}}


def layout(category, *charts, closed=False):
    return {"category": [{"title": category, "chart": list(charts), "closed": closed}]}


def titles(answer):
    return {
        each["title"]: [logged["chart"]["title"] for logged in each["charts"]]
        for each in answer["categories"]
    }


def test_layouts_of_real_logs():
    log = runglass.open(GOLDEN / "tb_custom_scalar/logdir")
    answer = ask(log.source)
    assert titles(answer) == {
        "losses": ["losses", "baz", "only in run b"],
        "trig functions": ["wave trig functions", "bad regex", "matches nothing"],
        "this category is empty": [],
    }
    assert [each["is_closed"] for each in answer["categories"]] == [False, True, False]
    losses, margin, other = answer["categories"][0]["charts"]
    assert losses["chart"]["tags"] == ["loss(?!.*margin.*)"]
    assert margin["chart"]["series"] == [
        {
            "value": "loss/baz/scalar_summary",
            "lower": "baz_lower/baz/scalar_summary",
            "upper": "baz_upper/baz/scalar_summary",
        }
    ]
    assert (losses["runs"], other["runs"]) == (["a"], ["b"])


def test_charts_of_one_title_are_both_kept_when_they_show_different_things():
    log = runglass.open(GOLDEN / "torch_custom_scalars/logdir")
    answer = ask(log.source)
    # The default titles of torch's writer, from two runs.
    assert titles(answer)["default"] == ["untitled", "untitled"]
    assert [each["chart"]["kind"] for each in answer["categories"][-1]["charts"]] == ["margin", "multiline"]


def test_merging_goes_by_the_names_of_runs_whatever_the_order():
    first = layout("A", multiline("x", "loss"), closed=True)
    second = layout("A", multiline("x", "loss"), multiline("x", "accuracy"))
    third = layout("B", multiline("y", "loss"))
    for given in ([("a", first), ("b", second), ("c", third)], [("c", third), ("b", second), ("a", first)]):
        a, b = merge_layouts(given)
        assert (a.title, a.is_closed, b.title) == ("A", True, "B")
        assert [(each.chart.tags, each.runs) for each in a.charts] == [
            (("loss",), ["a", "b"]),
            (("accuracy",), ["b"]),
        ]


def test_the_newest_layout_of_a_run_counts():
    source = MemorySource()
    old, new = layout("old", multiline("x", "loss")), layout("new", multiline("x", "loss"))
    source.add_values("a", TAG, Kind.CUSTOM_SCALARS, step=[0, 1], values=[old, new])
    assert titles(ask(source)) == {"new": ["x"]}


@pytest.mark.parametrize("value", [b"\xff\xff", 3.0, ["x"]])
def test_a_value_that_is_not_a_layout_is_reported(value):
    source = MemorySource()
    source.add_values("bad", TAG, Kind.CUSTOM_SCALARS, step=[0], values=[value])
    source.add_values(
        "good", TAG, Kind.CUSTOM_SCALARS, step=[0], values=[layout("A", multiline("x", "loss"))]
    )
    answer = ask(source)
    assert titles(answer) == {"A": ["x"]}
    assert answer["problems"] == [{"run": "bad", "message": f"The value of {TAG} is not a layout."}]


def test_a_chart_without_content():
    source = MemorySource()
    source.add_values("a", TAG, Kind.CUSTOM_SCALARS, step=[0], values=[{"category": [{"chart": [{}]}]}])
    (category,) = ask(source)["categories"]
    assert category["charts"][0]["chart"] == {"title": "", "kind": "empty", "tags": [], "series": []}


def test_no_layout_at_all():
    assert ask(MemorySource().add_scalars("a", "loss", step=[0], value=[1.0]))["categories"] == []
