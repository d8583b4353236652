import pytest

from runglass.errors import SqlError
from runglass.sql.tokens import read_tokens, write_tokens


def texts(query):
    return [(token.kind, token.text) for token in read_tokens(query)]


def test_words_names_texts_and_comments():
    query = "select \"a\"\"b\", 'it''s' -- no; comment\nfrom /* from x */ points where step>=1.5e3"
    assert texts(query) == [
        ("word", "select"),
        ("name", 'a"b'),
        ("symbol", ","),
        ("string", "it's"),
        ("word", "from"),
        ("word", "points"),
        ("word", "where"),
        ("word", "step"),
        ("symbol", ">="),
        ("number", "1.5e3"),
    ]


def test_what_is_written_has_the_same_tokens():
    query = "select 'a''b', \"c\"\"d\" --x\n, 1<>2 /* y */ from points"
    written = write_tokens(read_tokens(query))
    assert written == "select 'a''b', \"c\"\"d\" , 1<>2 from points"
    assert texts(written) == texts(query)


@pytest.mark.parametrize(
    ("query", "column", "reason"),
    [
        ("select 'open", 8, "a text that does not end"),
        ('select "open', 8, "a name that does not end"),
        ("select /* open", 8, "a comment that does not end"),
        ("select 1 /* a /* b */ c */", 10, "a comment that does not end"),
        (r"select 'a\'", 8, "with a backslash"),
        (r"select E'a'", 8, "not understood here"),
        ("select 0xff", 8, "not understood here"),
        ("select $$a$$", 8, "not understood here"),
        ("select ‘a’", 8, "not understood here"),
        ("select # a", 8, "not understood here"),
        ("select `a`", 8, "not understood here"),
        ("select \x00", 8, "not understood here"),
    ],
)
def test_what_engines_read_differently_is_refused(query, column, reason):
    with pytest.raises(SqlError, match=reason) as raised:
        read_tokens(query)
    assert raised.value.message.startswith(f"SQL, line 1, column {column}: ")
