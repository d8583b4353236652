"""Expressions against the same rules in plain Python: what can be written, how points are joined, what the errors say."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from runglass.query.expressions import (
    MAX_LETTERS,
    MAX_TOKENS,
    Call,
    ExpressionError,
    Number,
    Tag,
    _names_tag,
    evaluate,
    needed_tags,
    parse_expression,
)
from runglass.query.test_lines import series
from runglass.store.model import SeriesKey

KEY = SeriesKey("run", "=")
A = series([0, 1, 2, 4], [1, 2, 4, 8], wall_time=[10, 11, 13, 14])
B = series([1, 2, 3, 4], [10, 20, 30, math.nan])


def values(text, attempts="latest", **tags):
    made = evaluate(KEY, parse_expression(text), tags or {"a": A, "b": B}, attempts)
    assert made.value.dtype == np.float64
    assert len(made.step) == len(made.wall_time) == len(made.value) == len(made.segment)
    return dict(zip(made.step.tolist(), made.value.tolist(), strict=True))


@pytest.mark.parametrize(
    ("text", "at_2"),
    [
        ("={a}", 4),
        ("={b} - {a}", 16),
        ("= {b}-{a} ", 16),
        ("={a} + {b} * 2", 44),
        ("=({a} + {b}) * 2", 48),
        ("={b} - {a} - 1", 15),
        ("={b} / {a} / 5", 1),
        ("=-{a}^2", -16),
        ("={a} ^ 2 ^ 0.5", 4 ** math.sqrt(2)),
        ("=2^-{a}", 1 / 16),
        ("={a} - -{b}", 24),
        ("=1.5e1 * {a} + .5", 60.5),
        ("=abs(-{a})", 4),
        ("=log({a})", math.log(4)),
        ("=exp({a} - 4)", 1),
        ("=sqrt({a})", 2),
        ("=min({a}, {b})", 4),
        ("=max({b}, 50)", 50),
        ("=rate({a})", 1),
        ("=per_step({b})", 10),
        ("=cumulative({a})", 7),
        ("=rate({a}) + per_step(cumulative({b}))", 21),
    ],
)
def test_what_can_be_written(text, at_2):
    assert values(text)[2] == pytest.approx(at_2)


def test_series_are_joined_on_step():
    assert list(values("={a} + {b}")) == [1, 2, 4]
    assert math.isnan(values("={a} + {b}")[4])
    assert values("={a}", a=series([], []), b=B) == {}
    assert values("={a} * {b}", a=series([1], [1]), b=series([2], [2])) == {}


def test_the_last_value_at_a_step_is_joined():
    assert values("={a} + {b}", a=series([1], [1]), b=series([1, 2, 1], [10, 20, 30])) == {1: 31}


def test_points_logged_beside_each_other_belong_together():
    twice = {"a": series([1, 1], [1, 2]), "b": series([1, 1], [10, 20])}
    made = evaluate(KEY, parse_expression("={a} + {b}"), twice, "latest")
    assert made.value.tolist() == [11, 22]


def test_joined_values_are_of_the_same_attempt_if_possible():
    a = series([0, 1, 2, 1, 2], [0, 1, 2, 3, 4], segment=[0, 0, 0, 1, 1])
    b = series([1, 2, 1, 2, 9], [10, 20, 30, 40, 90], segment=[0, 0, 1, 1, 1])
    made = evaluate(KEY, parse_expression("={a} + {b}"), {"a": a, "b": b}, "all")
    assert (made.step.tolist(), made.segment.tolist()) == ([1, 2, 1, 2], [0, 0, 1, 1])
    assert made.value.tolist() == [11, 22, 33, 44]


def test_all_attempts_are_evaluated_separately():
    a = series([0, 1, 1, 2], [1, 2, 5, 9], segment=[0, 0, 1, 1])
    assert evaluate(KEY, parse_expression("=per_step({a})"), {"a": a}, "all").value.tolist() == [1, 4]
    assert evaluate(KEY, parse_expression("=cumulative({a})"), {"a": a}, "all").value.tolist() == [
        1,
        3,
        5,
        14,
    ]
    assert evaluate(KEY, parse_expression("=cumulative({a})"), {"a": a}, "latest").value.tolist() == [
        1,
        3,
        8,
        17,
    ]


def test_nan_and_infinities():
    odd = {"a": series([0, 1, 2, 3], [1, math.nan, math.inf, 2])}
    assert values("=cumulative({a})", **odd)[3] == 3
    assert values("=cumulative({a})", **odd)[2] == math.inf
    assert values("=log(0 - {a})", **odd)[2] != values("=log(0 - {a})", **odd)[2]
    assert values("=1e308 * 10 * {a}", **odd)[0] == math.inf
    assert values("=0 / 0 * {a} + 10 ^ 1000", **odd)[0] != 0
    still = series([0, 0], [1, 2], wall_time=[5, 5])
    assert evaluate(KEY, parse_expression("=rate({a})"), {"a": still}, "latest").value.tolist() == [math.inf]
    assert values("=rate({a})", a=series([3], [1])) == {}


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("={val/loss} - {train/loss}", ("val/loss", "train/loss")),
        ("={a} + {a}", ("a",)),
        (r"={odd\}name}", ("odd}name",)),
        (r"={back\\}", ("back\\",)),
        (r"={C:\x}", (r"C:\x",)),
        ("={}", ("",)),
        ("={ spaced } + {<b>} + {1 + 2}", (" spaced ", "<b>", "1 + 2")),
        ("={😀\n}", ("😀\n",)),
    ],
)
def test_tags_in_braces(text, tags):
    assert parse_expression(text).tags == tags


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("=", 2, "found the end, expected a tag in braces"),
        ("={a} +", 7, "found the end"),
        ("={a} {b}", 6, "found '{b}', expected an operator"),
        ("={a", 2, "expected a tag that ends with '}'"),
        ("={a\\}", 2, "expected a tag that ends with '}'"),
        ("=loss - {a}", 2, "expected a tag in braces ({loss})"),
        ("={a} * (2 + {b}", 16, "found the end, expected ')'"),
        ("=min({a})", 9, "found ')', expected ','"),
        ("=abs({a}, {b})", 9, "found ',', expected ')'"),
        ("=abs {a}", 6, "expected '('"),
        ("={a} $ 2", 6, "found '$'"),
        ("=+{a}", 2, "found '+'"),
        ("={a} ** 2", 7, "found '*'"),
        ("={a})", 5, "expected an operator or the end"),
        ("=rate(3) + {a}", 8, "expected a tag in the argument of rate"),
        ("={a}..5", 5, "found '.'"),
    ],
)
def test_errors_name_the_column(text, column, expected):
    with pytest.raises(ExpressionError) as caught:
        parse_expression(text)
    assert (caught.value.code, caught.value.http_status, caught.value.where) == ("bad_request", 400, "tags")
    assert f"column {column}:" in caught.value.message
    assert expected in caught.value.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("=1 + 2", "has no tag"),
        ("=" + " " * (MAX_LETTERS - 1), "found the end"),
        ("=" + "-" * 1000 + "{a}", f"more than {MAX_TOKENS}"),
        ("=" + "(" * 1000, f"more than {MAX_TOKENS}"),
        ("={a}" + "^{a}" * 1000, f"more than {MAX_TOKENS}"),
        ("={" + "\\" * MAX_LETTERS, "characters; the limit is"),
        ("={" + "\\" * (MAX_LETTERS - 2), f"more than {MAX_TOKENS}"),
        ("=" + "{" * (MAX_LETTERS - 1), f"more than {MAX_TOKENS}"),
    ],
)
def test_too_much_or_too_little(text, words):
    with pytest.raises(ExpressionError, match=words):
        parse_expression(text)


@pytest.mark.parametrize(
    "text", ["=" + "(" * 95 + "{a}" + ")" * 95, "=" + "-" * 190 + "{a}", "={a}" + "^{a}" * 95]
)
def test_as_deep_as_it_may_be(text):
    assert len(values(text)) == 4


def test_a_tag_that_only_looks_like_an_expression_is_a_tag():
    assert needed_tags("=odd", [{"=odd": "scalar"}]) == ("=odd",)
    assert needed_tags("plain", []) == ("plain",)
    assert needed_tags("={a}*{b}", [{"a": "scalar"}]) == ("a", "b")
    with pytest.raises(ExpressionError) as caught:
        needed_tags("=odd", [{"odd": "scalar"}], where="x")
    assert caught.value.where == "x"


def test_generations_follow_those_of_the_operands():
    def generation(a, b):
        tags = {"a": replace(A, generation=a), "b": replace(B, generation=b)}
        return evaluate(KEY, parse_expression("={a} - {b}"), tags, "latest").generation

    assert generation(7, 8) == generation(7, 8)
    assert len({generation(a, b) for a in range(20) for b in range(20)}) == 400
    assert generation(2**53 - 1, 2**53 - 1) < 2**53


NODES = st.recursive(
    st.sampled_from([Tag("a"), Tag("b"), Tag("c d/}\\")])
    | st.floats(0, 1e3, allow_subnormal=False).map(lambda value: Number(float(f"{value:.3f}"))),
    lambda inner: st.one_of(
        st.builds(
            lambda name, x, y: Call(name, (x, y)),
            st.sampled_from(["+", "-", "*", "/", "^", "min", "max"]),
            inner,
            inner,
        ),
        st.builds(lambda name, x: Call(name, (x,)), st.sampled_from(["negative", "abs"]), inner),
    ),
    max_leaves=12,
)
POINTS = st.dictionaries(st.integers(-5, 5), st.floats(-10, 10), max_size=8)


def written(node) -> str:
    match node:
        case Tag(name=name):
            return "{" + name.replace("\\", "\\\\").replace("}", "\\}") + "}"
        case Number(value=value):
            return f"{value:.3f}"
        case Call(name="negative", arguments=(x,)):
            return f"(-{written(x)})"
        case Call(name=name, arguments=(x, y)) if name in "+-*/^":
            return f"({written(x)} {name} {written(y)})"
    return f"{node.name}({', '.join(map(written, node.arguments))})"


def computed(node, at) -> np.float64:
    if isinstance(node, Tag):
        return np.float64(at[node.name])
    if isinstance(node, Number):
        return np.float64(node.value)
    x, *rest = (computed(each, at) for each in node.arguments)
    y = rest[0] if rest else np.float64(0)
    with np.errstate(all="ignore"):
        return {
            "+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y, "/": lambda: x / y, "^": lambda: x**y,
            "min": lambda: np.minimum(x, y), "max": lambda: np.maximum(x, y),
            "negative": lambda: -x, "abs": lambda: abs(x),
        }[node.name]()  # fmt: skip


@given(node=NODES.filter(_names_tag), a=POINTS, b=POINTS, c=POINTS)
def test_text_and_values_agree_with_plain_python(node, a, b, c):
    text = "=" + written(node)
    points = {"a": a, "b": b, "c d/}\\": c}
    expression = parse_expression(text)
    assert expression.root == node
    columns = {
        tag: series(sorted(each), [each[step] for step in sorted(each)], dtype=np.float64)
        for tag, each in points.items()
    }
    steps = sorted(set.intersection(*(set(points[tag]) for tag in expression.tags)))
    made = evaluate(KEY, expression, columns, "latest")
    assert made.step.tolist() == steps
    expected = [computed(node, {tag: points[tag][step] for tag in expression.tags}) for step in steps]
    np.testing.assert_allclose(made.value, expected, rtol=1e-12)


@given(text=st.text(alphabet="={}\\abrate()+-*/^., 12e\n", max_size=40))
def test_any_text_is_parsed_or_rejected(text):
    with suppress(ExpressionError):
        assert parse_expression("=" + text).tags
