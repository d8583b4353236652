"""Derived series: `={val/loss} - {train/loss}` as a series, computed from others of the same run.

Parser and evaluation, both pure. Does not know where columns come from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import islice, pairwise
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from runglass.errors import ExpressionError as ExpressionError
from runglass.query.lines import last_rows_at
from runglass.query.source import Columns, Int64
from runglass.store.model import Attempts, SeriesKey

MARK = "="
# Limits the recursion of parser and evaluation.
MAX_TOKENS = 200
MAX_LETTERS = 50_000

PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}
TIGHTER_THAN_MINUS = 4
OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.float_power,
    "negative": np.negative,
    "abs": np.abs,
    "log": np.log,
    "exp": np.exp,
    "sqrt": np.sqrt,
    "min": np.minimum,
    "max": np.maximum,
}
# Functions with their number of arguments; the last three use neighbouring points.
FUNCTIONS = {
    "abs": 1, "log": 1, "exp": 1, "sqrt": 1, "min": 2, "max": 2, "rate": 1, "per_step": 1, "cumulative": 1
}  # fmt: skip
OVER_POINTS = ("rate", "per_step", "cumulative")

_TOKEN = re.compile(
    r"\s*(?:(?P<tag>\{(?:[^}\\]|\\[\\}]|\\(?![\\}]))*\})|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<sign>[-+*/^(),])|(?P<odd>\S))"
)


class Tag(Struct, frozen=True):
    name: str


class Number(Struct, frozen=True):
    value: float


class Call(Struct, frozen=True):
    """An operator, a unary minus (`negative`) or a function."""

    name: str
    arguments: tuple[Node, ...]


Node = Tag | Number | Call


class Expression(Struct, frozen=True):
    root: Node
    # Each once, in the order of first use.
    tags: tuple[str, ...]


def is_expression(tag: str) -> bool:
    """Whether a tag that no series has is an expression."""
    return tag.startswith(MARK)


def needed_tags(
    tag: str, tag_sets: Iterable[Mapping[str, object]], *, where: str = "tags"
) -> tuple[str, ...]:
    """The tags that a run needs for this tag: the tag itself, or those in its expression."""
    if not is_expression(tag) or any(tag in tags for tags in tag_sets):
        return (tag,)
    try:
        return parse_expression(tag).tags
    except ExpressionError as error:
        raise ExpressionError(error.message, where=where) from None


@lru_cache(maxsize=1024)
def parse_expression(text: str) -> Expression:
    """`text` starts with `=`. Raises ExpressionError."""
    return _Parser(text).parse()


class _Token(Struct, frozen=True):
    # tag, number, name, sign, odd or end.
    kind: str
    text: str
    column: int


class _Parser:
    def __init__(self, text: str) -> None:
        if len(text) > MAX_LETTERS:
            raise ExpressionError(
                f"The expression has {len(text):,} characters; the limit is {MAX_LETTERS:,}.", where="tags"
            )
        # Without trailing spaces, every search finds a token.
        self._text = text = text.rstrip()
        self._tokens = [
            _Token(str(found.lastgroup), found[str(found.lastgroup)], found.start(str(found.lastgroup)) + 1)
            for found in islice(_TOKEN.finditer(text, len(MARK)), MAX_TOKENS + 1)
        ]
        if len(self._tokens) > MAX_TOKENS:
            raise ExpressionError(
                f"{self._shown()} has more than {MAX_TOKENS} parts, which is the limit.", where="tags"
            )
        self._tokens.append(_Token("end", "", len(text) + 1))
        self._next = 0
        self._tags: dict[str, None] = {}

    def parse(self) -> Expression:
        root = self._read(least=1)
        if self._peek().kind != "end":
            raise self._error("an operator or the end")
        if not self._tags:
            raise ExpressionError(
                f"{self._shown()} has no tag. Write tags in braces, such as {{loss}}.", where="tags"
            )
        return Expression(root, tuple(self._tags))

    def _read(self, least: int) -> Node:
        """An operand and all following operators of at least this precedence."""
        left = self._read_operand()
        while PRECEDENCE.get(operator := self._peek().text, 0) >= least and self._peek().kind == "sign":
            self._next += 1
            # a ^ b ^ c is a ^ (b ^ c); all others are left-associative.
            right = self._read(PRECEDENCE[operator] + (operator != "^"))
            left = Call(operator, (left, right))
        return left

    def _read_operand(self) -> Node:
        token = self._peek()
        self._next += 1
        match token.kind, token.text:
            case "tag", text:
                name = re.sub(r"\\([\\}])", r"\1", text[1:-1])
                self._tags[name] = None
                return Tag(name)
            case "number", text:
                return Number(float(text))
            case "name", name if name in FUNCTIONS:
                arguments = self._read_arguments(FUNCTIONS[name])
                if name in OVER_POINTS and not _names_tag(arguments[0]):
                    self._next -= 1
                    raise self._error(f"a tag in the argument of {name}")
                return Call(name, arguments)
            case "sign", "-":
                return Call("negative", (self._read(TIGHTER_THAN_MINUS),))
            case "sign", "(":
                inside = self._read(least=1)
                self._expect(")")
                return inside
        self._next -= 1
        if token.kind == "name":
            functions = ", ".join(FUNCTIONS)
            raise self._error(f"a tag in braces ({{{token.text}}}) or one of the functions {functions}")
        if token.text == "{":
            raise self._error("a tag that ends with '}'")
        raise self._error("a tag in braces, a number, a function or '('")

    def _read_arguments(self, count: int) -> tuple[Node, ...]:
        self._expect("(")
        arguments = [self._read(least=1)]
        while len(arguments) < count:
            self._expect(",")
            arguments.append(self._read(least=1))
        self._expect(")")
        return tuple(arguments)

    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _expect(self, sign: str) -> None:
        token = self._peek()
        if token.kind != "sign" or token.text != sign:
            raise self._error(f"'{sign}'")
        self._next += 1

    def _error(self, expected: str) -> ExpressionError:
        token = self._peek()
        found = f"'{token.text}'" if token.kind != "end" else "the end"
        return ExpressionError(
            f"{self._shown()}, column {token.column}: found {found}, expected {expected}.", where="tags"
        )

    def _shown(self) -> str:
        return repr(self._text if len(self._text) <= 200 else self._text[:200] + "…")


def _names_tag(node: Node) -> bool:
    return isinstance(node, Tag) or (isinstance(node, Call) and any(map(_names_tag, node.arguments)))


def evaluate(
    key: SeriesKey, expression: Expression, series: Mapping[str, Columns], attempts: Attempts
) -> Columns:
    """The derived series. `series` has the columns of every tag of the expression, read with the same `attempts`.

    Series are joined on step: a point of the left series stays if the right one has a value at that step; of several, the
    last one counts, of the same attempt if possible. `rate`, `per_step` and `cumulative` apply before the join; with all
    attempts, to each attempt separately.
    """
    with np.errstate(all="ignore"):
        made = _Evaluation(series, attempts).value(expression.root)
    assert isinstance(made, Columns)
    generation = 0
    for tag in expression.tags:
        # Generations have 53 bits. A change of any series changes this hash, except with negligible probability.
        generation = (generation * 1_000_003 + series[tag].generation) % (1 << 53)
    return replace(made, key=key, generation=generation, offset=0)


def without_points(columns: Columns) -> Columns:
    """The points of a series that are new since a generation."""
    return replace(_take(columns, np.empty(0, np.int64)), offset=len(columns.step))


class _Evaluation:
    def __init__(self, series: Mapping[str, Columns], attempts: Attempts) -> None:
        self._series = series
        self._attempts = attempts

    def value(self, node: Node) -> Columns | np.float64:
        if isinstance(node, Number):
            return np.float64(node.value)
        if isinstance(node, Tag):
            columns = self._series[node.name]
            return replace(columns, value=columns.value.astype(np.float64))
        values = [self.value(each) for each in node.arguments]
        if node.name in OVER_POINTS:
            (taken_of,) = values
            assert isinstance(taken_of, Columns)
            return self._sum(taken_of) if node.name == "cumulative" else self._change(taken_of, node.name)
        return _combine(OPERATIONS[node.name], *values)

    def _change(self, columns: Columns, name: str) -> Columns:
        """Differences between consecutive points of the same attempt; the first point has none."""
        rows = np.arange(1, len(columns.step))
        if self._attempts == "all":
            rows = rows[columns.segment[1:] == columns.segment[:-1]]
        over: NDArray[Any] = columns.wall_time if name == "rate" else columns.step
        change = (columns.value[rows] - columns.value[rows - 1]) / (over[rows] - over[rows - 1])
        return replace(_take(columns, rows), value=change)

    def _sum(self, columns: Columns) -> Columns:
        """Non-finite points stay as they are and do not count in the sum."""
        value = columns.value
        is_finite = np.isfinite(value)
        finite = np.where(is_finite, value, 0.0)
        bounds = [0, len(value)]
        if self._attempts == "all":
            bounds[1:1] = (np.flatnonzero(columns.segment[1:] != columns.segment[:-1]) + 1).tolist()
        sums = np.concatenate([np.cumsum(finite[start:stop]) for start, stop in pairwise(bounds)])
        return replace(columns, value=np.where(is_finite, sums, value))


def _combine(operation: Callable[..., Any], *values: Columns | np.float64) -> Columns | np.float64:
    match values:
        case Columns() as left, Columns() as right:
            rows, partners = _pair(left, right)
            left = _take(left, rows)
            return replace(left, value=operation(left.value, right.value[partners]))
        case Columns() as columns, *constant:
            return replace(columns, value=operation(columns.value, *constant))
        case constant, Columns() as columns:
            return replace(columns, value=operation(constant, columns.value))
    number: np.float64 = operation(*values)
    return number


Rows = Int64 | slice


def _pair(left: Columns, right: Columns) -> tuple[Rows, Rows]:
    """Rows of the left series with a value at the same step in the right one, and the rows of those values."""
    if np.array_equal(left.step, right.step) and np.array_equal(left.segment, right.segment):
        # Most series are logged together, so the rows match one to one.
        return slice(None), slice(None)
    partners = last_rows_at(right.step, left.step)
    if len(left.segment) and len(right.segment) and left.segment[-1] and right.segment[-1]:
        _, places = np.unique(np.concatenate([left.step, right.step]), return_inverse=True)
        attempts = int(max(left.segment.max(), right.segment.max())) + 1
        marks = places * attempts + np.concatenate([left.segment, right.segment])
        same = last_rows_at(marks[len(left.step) :], marks[: len(left.step)])
        partners = np.where(same >= 0, same, partners)
    rows = np.flatnonzero(partners >= 0)
    return rows, partners[rows]


def _take(columns: Columns, rows: Rows) -> Columns:
    if isinstance(rows, slice):
        return columns
    overwritten = columns.overwritten
    if overwritten is not None:
        overwritten = overwritten[rows] if overwritten[rows].any() else None
    return Columns(
        columns.key,
        columns.generation,
        columns.offset,
        columns.step[rows],
        columns.wall_time[rows],
        columns.value[rows],
        columns.segment[rows],
        overwritten,
    )
