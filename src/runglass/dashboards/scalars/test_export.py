"""Exported files: every point in full precision, the same in every format, for any names and numbers."""

from __future__ import annotations

import csv
import io
import json
import sys
from math import inf, nan

import numpy as np
import pytest

from runglass.api import answers
from runglass.dashboards.scalars import export
from runglass.native import smooth
from runglass.query.memory import MemorySource
from runglass.server.app import App
from runglass.server.in_process import InProcess

ODD_RUN = 'a,"b"\n%s/é'


@pytest.fixture
def source():
    rng = np.random.default_rng(0)
    source = MemorySource()
    source.add_scalars("train", "loss", step=np.arange(500), value=rng.normal(size=500).astype(np.float32))
    source.add_scalars(ODD_RUN, "loss", step=[-1, 2**63 - 1], value=[0.1 + 0.2, nan], wall_time=[inf, 1e-5])
    source.add_scalars(ODD_RUN, "loss", step=[0], value=[-inf], restart=True)
    source.add_scalars("train", "acc", step=[3], value=[1 / 3])
    return source


@pytest.fixture
def client(source):
    return InProcess(App(source))


def ask(client, **body):
    got = client.post("/api/scalars/export", body)
    assert got.status == 200, got.text
    return got


def csv_rows(got):
    header, *rows = csv.reader(io.StringIO(got.text, newline=""))
    return header, rows


def test_csv_is_a_long_table(client, source, monkeypatch):
    monkeypatch.setattr(answers, "PIECE_ROWS", 7)
    got = ask(client, tags=["loss", "acc"])
    assert got.headers["content-type"] == "text/csv; charset=utf-8"
    assert got.headers["content-disposition"] == 'attachment; filename="scalars.csv"'
    header, rows = csv_rows(got)
    assert header == ["run", "tag", "step", "wall_time", "value"]
    (loss,) = source.read_columns([("train", "loss")])
    assert [float(row[4]) for row in rows[:500]] == loss.value.astype(np.float64).tolist()
    assert rows[500] == [ODD_RUN, "loss", "-1", "inf", "0.30000000000000004"]
    assert [row[:3] for row in rows[501:]] == [[ODD_RUN, "loss", "0"], ["train", "acc", "3"]]


def test_attempts_and_smoothing_add_columns(client, source):
    header, rows = csv_rows(
        ask(client, tags=["loss"], attempts="all", smoothing={"kind": "ema", "amount": 0.5})
    )
    assert header == ["run", "tag", "step", "wall_time", "value", "smoothed", "segment"]
    (loss,) = source.read_columns([("train", "loss")])
    assert [float(row[5]) for row in rows[:500]] == smooth.ema(loss.value, 0.5).tolist()
    assert [(row[2], row[6]) for row in rows[500:]] == [("-1", "0"), (str(2**63 - 1), "0"), ("0", "1")]
    header, _ = csv_rows(ask(client, tags=["loss"], smoothing={"kind": "none"}))
    assert header[-1] == "smoothed"


BODY = {
    "tags": ["loss", "acc", "=abs({acc})"],
    "attempts": "all",
    "smoothing": {"kind": "median", "amount": 3},
}


def test_json_and_csv_agree(client, source):
    got = ask(client, **BODY, format="json")
    assert got.headers["content-disposition"] == 'attachment; filename="scalars.json"'
    assert (got.json["generation"], b"null" in got.body) == (source.generation, False)
    _, rows = csv_rows(ask(client, **BODY))
    names = ("step", "wall_time", "value", "smoothed", "segment")
    listed = [
        [each["run"], each["tag"], *(float(value) for value in row)]
        for each in got.json["series"]
        for row in zip(*(each[name] for name in names), strict=True)
    ]
    assert len(listed) == 505
    np.testing.assert_array_equal(
        [row[2:] for row in listed], [[float(value) for value in row[2:]] for row in rows]
    )
    assert [row[:2] for row in listed] == [row[:2] for row in rows]
    plain = ask(client, tags=["acc"], format="json").json["series"]
    assert [set(each) for each in plain] == [{"run", "tag", "step", "wall_time", "value"}]


def test_parquet_and_csv_agree(client, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(export, "ROW_GROUP", 400)
    got = ask(client, **BODY, format="parquet")
    assert got.headers["content-type"] == "application/vnd.apache.parquet"
    assert got.headers["content-disposition"] == 'attachment; filename="scalars.parquet"'
    assert parquet.ParquetFile(io.BytesIO(got.body)).num_row_groups == 2
    table = parquet.read_table(io.BytesIO(got.body))
    header, rows = csv_rows(ask(client, **BODY))
    assert table.column_names == header
    assert [str(each) for each in table.schema.types[2:]] == ["int64", *["double"] * 3, "int32"]
    for name, column in zip(header, zip(*rows, strict=True), strict=True):
        if name in ("run", "tag"):
            assert table[name].to_pylist() == list(column)
        elif name in ("step", "segment"):
            assert table[name].to_pylist() == [int(value) for value in column]
        else:
            np.testing.assert_array_equal(table[name].to_numpy(), [float(value) for value in column])


def test_without_pyarrow_the_rest_still_works(client, monkeypatch):
    for module in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, module, None)
    got = client.post("/api/scalars/export", {"tags": ["loss"], "format": "parquet"})
    assert (got.status, got.json["error"]["code"], got.json["error"]["where"]) == (
        400,
        "needs_pyarrow",
        "format",
    )
    assert "pip install pyarrow" in got.json["error"]["message"]
    assert client.get("/api/status").json["exports"] == ["csv", "json"]
    assert ask(client, tags=["acc"]).headers["content-disposition"] == 'attachment; filename="acc.csv"'


@pytest.mark.parametrize("format", ["csv", "json", "parquet"])
def test_nothing_makes_an_empty_file(client, format):
    got = ask(client, tags=["gone"], format=format)
    if format == "csv":
        assert got.text == "run,tag,step,wall_time,value\n"
    elif format == "json":
        assert got.json["series"] == []
    else:
        parquet = pytest.importorskip("pyarrow.parquet")
        table = parquet.read_table(io.BytesIO(got.body))
        assert (table.num_rows, table.column_names) == (0, ["run", "tag", "step", "wall_time", "value"])


def test_names_that_are_not_utf8(source, client):
    source.add_scalars("bad\udcff", "acc", step=[0], value=[1.0])
    assert b"\nbad\xff,acc,0," in ask(client, tags=["acc"]).body
    assert json.loads(ask(client, tags=["acc"], format="json").body)["series"][1]["run"] == "bad\udcff"
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(io.BytesIO(ask(client, tags=["acc"], format="parquet").body))
    assert table["run"].to_pylist() == ["train", "bad?"]


def test_a_file_comes_in_pieces_and_outlives_what_vanishes(source, monkeypatch):
    monkeypatch.setattr(export, "BATCH_SERIES", 1)
    monkeypatch.setattr(export, "PIECE_BYTES", 1)
    keys = [("train", "loss"), ("train", "acc"), (ODD_RUN, "loss")]
    _, pieces = export.write_series(source, keys, export.ExportQuery(None, "latest"), "csv")
    assert next(pieces) == b"run,tag,step,wall_time,value\n"
    assert next(pieces).count(b"\n") == 500
    source.remove_run("train")
    assert b"".join(pieces).startswith(b'"a,""b""\n%s')


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"series": [{"run": "train", "tag": "los"}]}, 404, "series_unknown"),
        ({"series": [{"run": "trian", "tag": "loss"}]}, 404, "run_unknown"),
        ({"tags": ["loss"], "format": "xlsx"}, 400, "bad_request"),
        ({"tags": ["loss"], "smoothing": {"kind": "ema", "amount": 2}}, 400, "bad_request"),
        ({"series": [{"run": "train", "tag": "loss"}, {"run": "train", "tag": "=+"}]}, 400, "bad_request"),
    ],
)
def test_what_cannot_be_exported(client, body, status, code):
    got = client.post("/api/scalars/export", body)
    assert (got.status, got.json["error"]["code"]) == (status, code)
