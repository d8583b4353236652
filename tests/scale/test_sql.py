"""SQL by real engines: the same answers from both, nothing but the tables within reach, and no row lost to what is not read."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import runglass
from runglass import cli
from runglass.demo import write_demo
from runglass.errors import SqlError
from runglass.query.memory import MemorySource
from runglass.query.source import Capability, SqlRows
from runglass.sql import read
from runglass.sql.needs import EVERY_POINT, TABLES, Needs
from runglass.sql.read import read_sql

pytestmark = pytest.mark.scale
ROOT = Path(__file__).parent.parent.parent
ENGINES = ("duckdb", "chdb")
HOSTILE = "'; drop table points; --"


@pytest.fixture(scope="module", autouse=True)
def _installed():
    pytest.importorskip("duckdb")
    pytest.importorskip("chdb")


def make_source() -> MemorySource:
    source = MemorySource().add_scalars(HOSTILE, "loss", step=[0, 1], value=[4, 3])
    for run in ("a", "b", "sweep/1"):
        for number, tag in enumerate(("loss", "val/loss", "x_y")):
            source.add_scalars(run, tag, step=[0, 1, 2], value=[number, number + 0.5, number + 1])
    return source.add_scalars("b", "loss", step=[1, 2], value=[7, 8], restart=True)


def ask(
    query: str, *, engine: str, limit: int | None = None, source: MemorySource | None = None
) -> list[tuple]:
    rows = read_sql(source or make_source(), query, limit=limit, engine=engine)
    return list(zip(*(column.tolist() for column in rows.columns), strict=True))


@pytest.mark.parametrize("engine", ENGINES)
def test_queries_over_all_tables(engine):
    assert ask(
        "select run, min(value) from points where tag = 'loss' group by run order by run", engine=engine
    ) == [
        (HOSTILE, 3.0),
        ("a", 0.0),
        ("b", 0.0),
        ("sweep/1", 0.0),
    ]
    assert ask(
        "select step, value from points where run = 'b' and tag = 'loss' and not overwritten order by step",
        engine=engine,
    ) == [
        (0, 0.0),
        (1, 7.0),
        (2, 8.0),
    ]
    assert ask("select run, points from runs order by run limit 1", engine=engine) == [(HOSTILE, 2)]
    assert ask("select tag, sum(count) from series group by tag order by tag", engine=engine) == [
        ("loss", 13),
        ("val/loss", 9),
        ("x_y", 9),
    ]
    assert ask(
        f"select count(*) from points where run = '{HOSTILE.replace(chr(39), chr(39) * 2)}'", engine=engine
    ) == [(2,)]
    assert ask("select count(*) from hparams", engine=engine) == [(0,)]


@pytest.mark.parametrize("engine", ENGINES)
def test_missing_and_special_values(engine):
    source = MemorySource().add_scalars("a", "loss", step=[0, 1, 2], value=[np.nan, np.inf, -0.0])
    source.add_run("empty")
    assert (
        str(ask("select value from points order by step", engine=engine, source=source))
        == "[(nan,), (inf,), (-0.0,)]"
    )
    assert ask("select run, start_time from runs where start_time is null", engine=engine, source=source) == [
        ("empty", None)
    ]
    assert ask("select count(value) from points where isNaN(value)", engine=engine, source=source) == [(1,)]
    assert ask("select sum(step) as s from points", engine=engine, source=source) == [(3,)]
    assert ask("select cast(1.5 as decimal(4, 2)) as d, null as n", engine=engine) == [(1.5, None)]


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_are_bounded_and_in_order(engine):
    rows = read_sql(make_source(), "select step from points order by step desc", limit=3, engine=engine)
    assert (rows.columns[0].tolist(), rows.is_cut) == ([2, 2, 2], True)
    rows = read_sql(make_source(), "select run from runs", limit=4, engine=engine)
    assert (len(rows.columns[0]), rows.is_cut) == (4, False)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "query",
    [
        "select * from read_text('{path}')",
        "select * from '{path}'",
        "select file('{path}')",
        "select * from file('{path}', 'LineAsString')",
        "select * from glob('{folder}/*')",
        "copy (select 1) to '{folder}/new'",
        "select 1 into outfile '{folder}/new'",
        "insert into function file('{folder}/new', 'CSV') select 1",
        "attach '{folder}/new'",
        "install httpfs",
        "load httpfs",
        "set enable_external_access = true",
        "set readonly = 0",
        "select * from url('http://127.0.0.1:9/', 'CSV')",
        "select * from 'http://127.0.0.1:9/x.csv'",
        "select * from Python(secret)",
        "select * from secret",
        "drop table runs",
        "delete from runs",
        "create table x as select 1",
        "select 1; select 2",
        "select 1 from points; drop table points",
        "explain select 1",
        "",
        ";",
        "select",
        "select nope from points",
        "select * from nope",
        "select 'open",
    ],
)  # fmt: skip
def test_nothing_else_is_within_reach(engine, query, tmp_path):
    secret = {"secret": np.array([271828182845])}
    path = tmp_path / "known"
    path.write_text("271828182845")
    with pytest.raises(SqlError) as raised:
        ask(query.format(path=path, folder=tmp_path), engine=engine)
    assert "271828182845" not in raised.value.message
    assert [each.name for each in tmp_path.iterdir()] == ["known"]
    assert secret


@pytest.mark.parametrize("engine", ENGINES)
def test_a_missing_table_names_those_there_are(engine):
    with pytest.raises(SqlError, match="The tables are points, series, runs, hparams, files"):
        ask("select * from nope", engine=engine)


TEXTS = st.sampled_from(["loss", "val/loss", "x_y", "a", "b", "sweep/1", "%loss", "x_y%", "_", "%", "it''s"])
COLUMN = st.sampled_from(["tag", "run", "p.tag", "p.run"])


@st.composite
def conditions(draw: st.DrawFn, depth: int = 2) -> str:
    kind = draw(st.sampled_from(["=", "<>", "in", "like", "step", "between", "and", "or", "not"]))
    if depth and kind in ("and", "or"):
        return f"({draw(conditions(depth - 1))} {kind} {draw(conditions(depth - 1))})"
    if depth and kind == "not":
        return f"not {draw(conditions(depth - 1))}"
    column = draw(COLUMN)
    if kind == "in":
        return f"{column} in ('{draw(TEXTS)}', '{draw(TEXTS)}')"
    if kind == "between":
        return f"step between 0 and {draw(st.integers(0, 2))}"
    if kind == "step":
        return f"step = {draw(st.integers(0, 3))}"
    return f"{column} {kind if kind in ('=', '<>', 'like') else '='} '{draw(TEXTS)}'"


@st.composite
def queries(draw: st.DrawFn) -> str:
    parts = [draw(conditions()) for _ in range(draw(st.integers(1, 3)))]
    where = "".join(f" {draw(st.sampled_from(['and', 'and', 'or']))} {part}" for part in parts[1:])
    single = f"select p.run as r, p.tag as t, p.step as s, p.value as v from points p where {parts[0]}{where}"
    shape = draw(st.sampled_from(["one", "union", "cte", "join", "left", "nested"]))
    if shape == "union":
        return f"{single} union all {single.replace('loss', 'x_y')} order by 1, 2, 3, 4"
    if shape == "cte":
        return f"with c as ({single}) select r, t, s, v from c where t = 'loss' order by 1, 2, 3, 4"
    if shape == "nested":
        return f"select run, kind from series where tag in (select t from ({single}) q) order by 1, 2"
    if shape in ("join", "left"):
        return (
            "select p.run, p.tag, p.step, q.tag, q.value from points p "
            f"{'left ' if shape == 'left' else ''}join points q on p.run = q.run and p.step = q.step and q.tag = 'loss' "
            f"and p.tag = 'x_y' where {parts[0].replace('p.', 'q.') if 'q' in parts[0] else 'p.tag = p.tag'} order by 1, 2, 3, 4, 5"
        )
    return f"{single} order by 1, 2, 3, 4"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(queries())
def test_reading_less_changes_no_answer(query):
    source = make_source()
    everything = Needs(frozenset(TABLES), (EVERY_POINT,))
    expected = ask(query, engine="duckdb", source=source)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read, "parse_needs", lambda _: everything)
        assert ask(query, engine="duckdb", source=source) == expected


def test_a_source_with_an_engine_is_asked_itself():
    class Database(MemorySource):
        capabilities = frozenset({Capability.SQL})

        def read_sql(self, query: str, *, limit: int) -> SqlRows:
            return SqlRows(["query", "limit"], [np.array([query], object), np.array([limit])], False, "Own 1")

    rows = read_sql(Database(), "select 1", limit=5)
    assert ([column.tolist() for column in rows.columns], rows.engine) == ([["select 1"], [5]], "Own 1")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sql") / "runglass-demo"
    write_demo(folder, now=1_800_000_000.0, steps=40)
    return folder


def test_the_guide(demo, monkeypatch, capsys):
    text = (ROOT / "docs/guide/query.md").read_text()
    log = runglass.open(demo)
    found = re.findall(r"^```sql\n(.*?)^```$", text, re.M | re.S)
    assert len(found) > 4
    for query in found:
        both = [log.sql(query, engine=engine) for engine in ENGINES]
        assert both[0].names == both[1].names
        assert len(both[0]) == len(both[1])
    assert len(log.sql(found[0])) > 20
    assert len(log.sql(found[1])) > 3
    monkeypatch.chdir(demo.parent)
    for code in re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S):
        exec(compile(code, "query.md", "exec"), {})
    assert "<SqlTable run, best: " in capsys.readouterr().out


def test_python_says_where_it_stopped(demo):
    log = runglass.open(demo)
    with pytest.warns(UserWarning, match="stopped at 3 rows; there are more"):
        assert len(log.sql("select * from points", limit=3)) == 3
    assert len(log.sql("select * from points limit 3")) == 3
    with pytest.raises(ValueError, match="limit=0: expected 1 or more"):
        log.sql("select 1", limit=0)
    with pytest.raises(ValueError, match="query=3: expected a str"):
        log.sql(3)
    with pytest.raises(SqlError, match="expected 'duckdb' or 'chdb'"):
        log.sql("select 1", engine="oracle")


def test_the_command_writes_tables_and_files(demo, tmp_path, capsys, monkeypatch):
    query = "select run, count(*) as n from points where tag = 'loss' group by run order by run limit 2"
    assert cli.main(["query", query, str(demo)]) == 0
    out, notes = capsys.readouterr()
    assert out.splitlines()[0].split() == ["run", "n"]
    assert len(out.splitlines()) == 4
    assert re.search(r"Read [\d,]+ points of \d+ of \d+ series\.", notes)
    assert re.search(r"DuckDB [\d.]+ answered with 2 rows\.", notes)
    assert cli.main(["query", "select * from points", str(demo), "--format", "csv", "--limit", "2"]) == 0
    out, notes = capsys.readouterr()
    assert len(out.splitlines()) == 3
    assert "There are more rows: this is where --limit 2 ends" in notes
    for ending in ("csv", "json", "parquet"):
        assert cli.main(["query", query, str(demo), "--output", str(tmp_path / f"x.{ending}")]) == 0
    assert (tmp_path / "x.csv").read_text().startswith("run,n\n")
    assert cli.main(["query", "select nope", str(demo)]) == 1
    assert cli.main(["query", query, str(demo), "--output", str(tmp_path / "no/x.csv")]) == 1
    assert cli.main(["query", query, str(demo), "--output", str(tmp_path / "x.what")]) == 1
    errors = capsys.readouterr().err
    assert "cannot be written: No such file or directory" in errors
    assert "the ending says no format" in errors
    monkeypatch.setattr("sys.stdin.read", lambda: "select 1 as one", raising=False)
    assert cli.main(["query", "-", str(demo)]) == 0
    assert capsys.readouterr().out == "one\n───\n  1\n"
