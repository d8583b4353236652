import pytest

from runglass.sql.needs import TABLES, parse_needs

RUNS, TAGS = ("a", "b", "sweep/1"), ("loss", "train/loss", "val/loss", "x_y")
KEYS = {(run, tag) for run in RUNS for tag in TAGS}


def needed(query):
    needs = parse_needs(query)
    return {key for key in KEYS if needs.allows(*key)}


def keys(runs=RUNS, tags=TAGS):
    return {(run, tag) for run in runs for tag in tags}


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("tag = 'loss'", keys(tags=["loss"])),
        ("'loss' = tag and step > 3", keys(tags=["loss"])),
        ("TAG = 'loss' AND Run = 'a'", keys(["a"], ["loss"])),
        ("points.tag = 'loss'", keys(tags=["loss"])),
        ("tag in ('loss', 'val/loss')", keys(tags=["loss", "val/loss"])),
        ("tag like '%/loss' and run like 'sweep/%'", keys(["sweep/1"], ["train/loss", "val/loss"])),
        ("tag like 'x_y'", keys(tags=["x_y"])),
        ("(tag = 'loss' and (run = 'a'))", keys(["a"], ["loss"])),
        ("step between 1 and 5 and tag = 'loss'", keys(tags=["loss"])),
        ("tag = 'loss' and tag = 'val/loss'", set()),
        ("tag = 'loss' and (step = 1 or step = 2)", keys(tags=["loss"])),
        ("tag = 'loss' and not overwritten order by step limit 3", keys(tags=["loss"])),
        ("tag = 'it''s'", set()),
    ],
)
def test_conditions_that_every_point_must_fulfil(where, expected):
    assert needed(f"select * from points where {where}") == expected


@pytest.mark.parametrize(
    "query",
    [
        "select * from points",
        "select * from points where tag = 'loss' or step = 1",
        "select * from points where not tag = 'loss'",
        "select * from points where tag != 'loss'",
        "select * from points where tag not in ('loss')",
        "select * from points where tag not like 'loss'",
        "select * from points where tag = 'loss' is false",
        "select * from points where (tag = 'loss') = false",
        "select * from points where step between 1 and tag = 'loss'",
        "select * from points where case when tag = 'loss' then true else true end",
        "select * from points where tag = 'loss' ? true : true",
        "select * from points where lower(tag) = 'loss'",
        "select * from points where tag in (select tag from series)",
        "select * from points where tag = 'a' || 'b'",
        "select * from points where tag ilike 'LOSS'",
        r"select * from points where tag like 'x\_y'",
        "select lower(tag) as tag from points where tag = 'loss'",
        "select lower(tag) tag from points where tag = 'loss'",
        "select * from points as p(tag, run) where tag = 'loss'",
        "select * from points, series where tag = 'loss'",
        "select * from points p left join points q on p.tag = 'loss' and q.tag = 'val/loss'",
        "select * from points p asof join points q on p.step >= q.step where p.tag = 'loss' and q.tag = 'loss'",
        "select * from points p positional join points q where p.tag = 'loss' and q.tag = 'loss'",
        "select * from points tablesample 10 where tag = 'loss'",
        "select * from (select * from points limit 5) where tag = 'loss'",
        "select * from points where tag = 'loss' union all select * from points",
        "select * from 'points' where tag = 'loss'",
        "select * from query_table('points') where tag = 'loss'",
        "select * from points where tag = 'loss' union all select * from query('from points')",
        "select count(*) from runs where run in points",
        "select * from points where tag = 'loss' and x = format or 1 = 1",
        "describe points",
        "select * from (points) where tag = 'loss'",
        "select * from points where tag = E'loss'",
        "select * from points where tag = 'loss' )",
    ],
)
def test_what_is_not_certain_needs_everything(query):
    assert needed(query) == KEYS


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("with a as (select * from points where tag = 'loss') select * from a where run = 'b'", keys(tags=["loss"])),
        (
            "select * from points p join points q on p.run = q.run and p.tag = 'loss' and q.tag = 'val/loss'",
            keys(tags=["loss", "val/loss"]),
        ),
        ("select * from runs left join points p on p.run = runs.run and p.tag = 'loss'", keys(tags=["loss"])),
        ("select * from points p, hparams h where p.run = h.run and tag = 'loss'", keys(tags=["loss"])),
        ("select * from points join series using (run, tag) where tag = 'loss'", keys(tags=["loss"])),
        ("select run from runs r where exists (select 1 from points where run = r.run and tag = 'loss')", keys(tags=["loss"])),
        ("select * from points where tag = 'loss' union select * from points where run = 'a'", keys(["a"]) | keys(tags=["loss"])),
        ("from points where tag = 'loss'", keys(tags=["loss"])),
        ("select run, points from runs", set()),
        ("select max(points) from runs", set()),
    ],
)  # fmt: skip
def test_every_place_that_reads_points_counts(query, expected):
    assert needed(query) == expected


def test_tables_are_those_that_are_named():
    assert parse_needs("select 1").tables == frozenset()
    assert parse_needs('select count(*) from RUNS join "files" using (run)').tables == {"runs", "files"}
    assert parse_needs("select 'open").tables == frozenset(TABLES)
