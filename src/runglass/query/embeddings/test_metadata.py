from __future__ import annotations

import pytest

from runglass.query.embeddings.metadata import parse_metadata
from runglass.query.embeddings.model import Column, Metadata


def parse(text: str | bytes, points: int, name: str = "m.tsv") -> Metadata:
    return parse_metadata(name, text if isinstance(text, bytes) else text.encode(), points)


def values(metadata: Metadata) -> dict[str, list[str | None]]:
    return {name: column.values for name, column in metadata.columns.items()}


@pytest.mark.parametrize(
    ("text", "points", "expected"),
    [
        ("a\nb\nc\n", 3, {"label": ["a", "b", "c"]}),
        ("a\nb\nc", 3, {"label": ["a", "b", "c"]}),
        ("\ufeffa\r\nb\r\n", 2, {"label": ["a", "b"]}),
        ("w\tn\nx\t1\ny\t2\n", 2, {"w": ["x", "y"], "n": ["1", "2"]}),
        # A tab makes the first line a header, whatever else it says.
        ("1\t2\n3\t4\n", 1, {"1": ["3"], "2": ["4"]}),
        # Empty cells have no value; spaces are kept.
        ("w\tn\n\t1\n y \t\n", 2, {"w": [None, " y "], "n": ["1", None]}),
        # Only "\n" ends a line: other marks may stand in a label.
        ("a\u2028b\nc\x0bd\n", 2, {"label": ["a\u2028b", "c\x0bd"]}),
        # Blank lines are skipped where the labels then are as many as the vectors,
        ("a\n\nb\n", 2, {"label": ["a", "b"]}),
        # and are points without a label where only they make them as many.
        ("a\n\nb\n", 3, {"label": ["a", None, "b"]}),
        ("w\tn\nx\t1\n\ny\t2\n", 3, {"w": ["x", None, "y"], "n": ["1", None, "2"]}),
        ("the; 0\na; 1\n", 2, {"label": ["the; 0", "a; 1"]}),
        ("a\ta\na (2)\tz\n", 1, {"a": ["a (2)"], "a (2)": ["z"]}),
    ],
)
def test_rows(text, points, expected):
    found = parse(text, points)
    assert (values(found), found.problems) == (expected, ())


@pytest.mark.parametrize(
    ("text", "points", "expected", "problem"),
    [
        ("word\na\nb\n", 2, {"word": ["a", "b"]}, "'word', is taken as the name of the column"),
        # Numbers are no names.
        (
            "0\n1\n2\n",
            2,
            {"label": ["0", "1"]},
            "3 labels and there are 2 vectors. The last 1 label is left out.",
        ),
        ("x\t1\ny\t2\n", 2, {"column 1": ["x", "y"], "column 2": ["1", "2"]}, "no header with their names"),
        # A header it is, and a label is missing.
        (
            "w\tn\nx\t1\n",
            2,
            {"w": ["x", None], "n": ["1", None]},
            "1 label and there are 2 vectors. The last 1 vector has none.",
        ),
        (
            "a\n",
            3,
            {"label": ["a", None, None]},
            "1 label and there are 3 vectors. The last 2 vectors have none.",
        ),
        ("a\nb\nc\nd\ne\n", 2, {"label": ["a", "b"]}, "5 labels and there are 2 vectors"),
        ("", 2, {}, "m.tsv is empty"),
        ("\n\n", 2, {}, "m.tsv is empty"),
        ("a\tb\n1\n1\t2\t3\n", 2, {"a": ["1", "1"], "b": [None, "2"]}, "lines 2 (1), 3 (3)"),
        (b"caf\xe9\nb\n", 2, {"label": ["café", "b"]}, "line 1: not UTF-8"),
    ],
)
def test_what_does_not_fit_is_told(text, points, expected, problem):
    found = parse(text, points)
    assert values(found) == expected
    assert len(found.problems) == 1
    assert problem in found.problems[0]


def test_csv():
    found = parse('name,"a, b"\nx,"1\n2"\n', 1, "labels.csv")
    assert values(found) == {"name": ["x"], "a, b": ["1\n2"]}


@pytest.mark.parametrize(
    ("cells", "type", "numbers"),
    [
        (["1", "2.5", "-3e4", ".5", "nan", "inf"], "number", [1, 2.5, -3e4, 0.5, float("nan"), float("inf")]),
        (["1", None], "number", [1, float("nan")]),
        (["1", "x"], "category", None),
        # What Python would take for a number, and nobody else.
        (["1_000", "2"], "category", None),
        ([f"word {number}" for number in range(51)], "text", None),
        ([None, None], "category", None),
    ],
)
def test_types_of_columns(cells, type, numbers):
    column = Column.of("c", cells)
    assert (column.type, column.values, column.missing) == (type, cells, cells.count(None))
    assert [column.value(row) for row in range(len(cells))] == cells
    assert (None if column.numbers is None else list(map(str, column.numbers))) == (
        None if numbers is None else [str(float(number)) for number in numbers]
    )


def test_sequences():
    found = parse("w\t__next__\na\t1\nb\t2\nc\t\nd\t-1\ne\t9\n", 5)
    assert found.next is not None
    assert found.next.tolist() == [1, 2, -1, -1, -1]
    assert found.problems == ("m.tsv: __next__ names 1 rows that do not exist.",)
    assert parse("w\t__seq_next__\na\t0\n", 1).next is not None
    wrong = parse("w\t__next__\na\tb\n", 1)
    assert wrong.next is None
    assert "not row numbers" in wrong.problems[0]


def test_long_cells_take_no_longer():
    """A pattern that tries every way to divide a million digits would not end."""
    column = Column.of("c", ["1" * 1_000_000 + "x"])
    assert column.type == "category"
