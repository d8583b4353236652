import pytest

from runglass.errors import SqlError
from runglass.sql.clickhouse_text import make_select

FUNCTIONS = ["file", "url", "numbers", "mysql", "format"]


def test_a_select_is_sent_without_its_comments():
    query = "with 1 as x select x, 'it''s; -- data' -- note\n from points; "
    assert make_select(query, FUNCTIONS) == "with 1 as x select x, 'it''s; -- data' from points"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("select file('/etc/passwd')", r"line 1, column 8: file\(\) may not be used"),
        ("select\n\"FILE\" /* x */ ('/etc/passwd')", r"line 2, column 1: FILE\(\) may not be used"),
        ("select * from mysql('h:1', 'd', 't', 'u', 'p')", r"mysql\(\) may not be used"),
        ("select aiGenerate('x')", r"aiGenerate\(\) may not be used"),
        ("select 1 into outfile '/tmp/x'", "OUTFILE may not be used here: it would write a file"),
        ("select 1 format CSV", "FORMAT may not be used"),
        ("select 1 settings readonly = 0", "SETTINGS may not be used"),
        ("select 1; drop table points", "expected one SELECT"),
        ("insert into points select 1", "expected one SELECT"),
        ("", "expected one SELECT"),
        ("select 'a\\' into outfile \\'/tmp/x'", "with a backslash"),
    ],
)
def test_what_reaches_beyond_the_tables_is_refused(query, message):
    with pytest.raises(SqlError, match=message):
        make_select(query, FUNCTIONS)


def test_harmless_functions_and_columns_stay():
    query = "select number, f.format from numbers(3) as f"
    assert make_select(query, FUNCTIONS) == query
