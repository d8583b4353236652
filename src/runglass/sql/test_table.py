import datetime
import io

import msgspec
import numpy as np
import pytest

from runglass.query.source import SqlRows
from runglass.sql.table import SqlTable


def texts(*values):
    made = np.empty(len(values), object)
    made[:] = values
    return made


def make_table(is_cut=False):
    columns = [
        texts("a", "b\x1b[2J", None),
        np.array([1, 22, 333]),
        np.array([0.1, np.nan, np.inf]),
        np.array([True, False, True]),
        texts([1.5, np.inf], {"k": 1}, datetime.datetime(2020, 1, 2)),
    ]
    return SqlTable(SqlRows(["run", "n", "n", "ok", "etc"], columns, is_cut, "Test 1"))


def test_looks_like_what_it_is():
    table = make_table()
    assert repr(table) == "<SqlTable run, n, n_2, ok, etc: 3 rows>"
    assert repr(make_table(is_cut=True)).endswith("3 rows, cut: there are more>")
    assert len(table) == 3
    assert [row[:2] for row in table] == [("a", 1), ("b\x1b[2J", 22), (None, 333)]
    assert table["n"].tolist() == [1, 22, 333]
    with pytest.raises(KeyError, match=r"there is no such column\. The columns are run, n, n_2"):
        table["nope"]
    with pytest.raises(ValueError, match="read-only"):
        table["n"][0] = 5


def test_text_is_aligned_and_safe_to_print():
    lines = make_table().to_text().splitlines()
    assert lines[0] == "run      n  n_2  ok     etc"
    assert lines[2] == "a        1  0.1  true   [1.5, inf]"
    assert lines[3] == "b␛[2J   22  nan  false  {'k': 1}"
    assert lines[4] == "       333  inf  true   2020-01-02 00:00:00"


def test_files_have_every_digit():
    out = io.StringIO()
    SqlTable(SqlRows(["x"], [np.array([0.1 + 0.2, np.nan])], False, "")).to_csv(out)
    assert out.getvalue() == "x\n0.30000000000000004\nnan\n"
    rows = msgspec.json.decode(make_table().to_json())
    assert rows[1] == {"run": "b\x1b[2J", "n": 22, "n_2": "NaN", "ok": False, "etc": {"k": 1}}
    assert rows[0]["etc"] == [1.5, "Infinity"]


def test_notebooks_get_escaped_html():
    table = SqlTable(SqlRows(["<b>"], [texts("<script>")], False, ""))
    assert "<td>&lt;script&gt;</td>" in table._repr_html_()
    assert "<th>&lt;b&gt;</th>" in table._repr_html_()


def test_data_frames_and_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    table = SqlTable(SqlRows(["run", "best"], [texts("a", None), np.array([1.5, 2.5])], False, ""))
    assert table.to_pandas()["best"].tolist() == [1.5, 2.5]
    assert table.to_polars()["run"].to_list() == ["a", None]
    table.to_parquet(tmp_path / "x.parquet")
    assert parquet.read_table(tmp_path / "x.parquet").to_pylist() == [
        {"run": "a", "best": 1.5},
        {"run": None, "best": 2.5},
    ]
    empty = SqlTable(SqlRows(["run"], [texts()], False, ""))
    assert (len(empty), empty.to_arrow().num_rows, empty.to_text()) == (0, 0, "run\n───\n")
