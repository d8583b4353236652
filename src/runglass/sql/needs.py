"""Which tables a query reads, and of which runs and tags it needs points. Reads the text of the query, never the data.

It may ask for more than the query needs, never for less: what is not understood needs everything. A condition counts only if a
point that fails it cannot matter: `tag = 'x'`, `tag in ('x', 'y')`, `tag like 'x/%'` and the same for `run`, joined by AND, in the
WHERE of the SELECT that reads `points`, or in the ON of its join.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from runglass.errors import SqlError
from runglass.sql.blocks import (
    Block,
    Group,
    Item,
    NotUnderstood,
    Table,
    is_symbol,
    is_word,
    list_groups,
    make_group,
    read_blocks,
)
from runglass.sql.tokens import Token, read_tokens

# The tables of every source, with their columns.
TABLES = {
    "points": ("run", "tag", "step", "wall_time", "value", "overwritten"),
    "series": ("run", "tag", "kind", "plugin", "display_name", "description", "count"),
    "runs": ("run", "start_time", "last_wall_time", "series", "points", "files", "size_bytes", "health"),
    "hparams": ("run", "name", "value", "number"),
    "files": ("run", "path", "state", "size_bytes", "read_bytes", "records", "reason"),
}
NAMED = ("run", "tag")
# What a column may follow; after anything else its name is an alias.
BEFORE_COLUMN = (
    *(
        "select",
        "distinct",
        "where",
        "prewhere",
        "and",
        "or",
        "not",
        "by",
        "on",
        "having",
        "when",
        "then",
        "else",
    ),
    *("case", "in", "like", "ilike", "between", "is", "all", "qualify", "limit", "filter", "using"),
)
# What binds looser than AND, or gives a condition a name.
LOOSER_WORDS = ("or", "xor", "as", "case")
LOOSER_SYMBOLS = ("?", ":", "->", ":=", ";")

# They read tables that they are told by a text, or in a way of their own.
READERS = (
    *("query", "query_table", "merge", "loop", "view", "describe", "desc", "summarize", "show"),
    *("pivot", "unpivot", "pivot_wider", "pivot_longer", "explain", "execute", "call"),
)

Test = frozenset[str] | re.Pattern[str]


class Condition(Struct, frozen=True):
    """What a needed point fulfils: all tests of its run and all tests of its tag."""

    run: tuple[Test, ...] = ()
    tag: tuple[Test, ...] = ()

    def allows(self, run: str, tag: str) -> bool:
        return all(_passes(run, test) for test in self.run) and all(_passes(tag, test) for test in self.tag)


EVERY_POINT = Condition()


class Needs(Struct, frozen=True):
    tables: frozenset[str]
    # A point is needed if any of them allows its run and tag.
    points: tuple[Condition, ...]

    def allows(self, run: str, tag: str) -> bool:
        return any(each.allows(run, tag) for each in self.points)

    @property
    def is_everything(self) -> bool:
        return EVERY_POINT in self.points


def parse_needs(query: str) -> Needs:
    try:
        tokens = read_tokens(query)
    except SqlError:
        # The engine says what is wrong with the text, or understands it.
        return Needs(frozenset(TABLES), (EVERY_POINT,))
    if any(token.is_word(*READERS) for token in tokens):
        return Needs(frozenset(TABLES), (EVERY_POINT,))
    # DuckDB reads a table that is named in single quotes.
    named = {token.text.lower() for token in tokens if token.is_name or token.kind == "string"}
    tables = frozenset(name for name in TABLES if name in named)
    if "points" not in tables:
        return Needs(tables, ())
    try:
        _check_places(tokens)
        aliases = _find_aliases(tokens)
        conditions = [
            condition
            for group, before in list_groups(make_group(tokens))
            if not _is_call(group, before)
            for condition in _conditions(group, aliases)
        ]
    except NotUnderstood:
        return Needs(tables, (EVERY_POINT,))
    return Needs(tables, (EVERY_POINT,) if EVERY_POINT in conditions else tuple(dict.fromkeys(conditions)))


def explain(reason: str) -> str:
    """An engine's error; where it misses a table, with the tables there are in place of a guess."""
    lowered = reason.lower()
    if "table" in lowered and ("does not exist" in lowered or "unknown table" in lowered):
        return f"{reason.partition(chr(10) + 'Did you mean')[0]} The tables are {', '.join(TABLES)}."
    return reason


def _passes(name: str, test: Test) -> bool:
    return name in test if isinstance(test, frozenset) else test.fullmatch(name) is not None


def _find_aliases(tokens: Sequence[Token]) -> set[str]:
    """Which of `run` and `tag` is, or may be, the name of something that is computed: it may hide the column."""
    found = set()
    for before, token in pairwise(tokens):
        if token.is_name and token.text.lower() in NAMED:
            is_column = (before.kind == "symbol" and before.text not in (")", "]")) or before.is_word(
                *BEFORE_COLUMN
            )
            if not is_column:
                found.add(token.text.lower())
    return found


def _check_places(tokens: Sequence[Token]) -> None:
    """Raises NotUnderstood where `points` is a table outside of a FROM, as in `step in points`, or a text."""
    for number, token in enumerate(tokens):
        if token.text.lower() == "points" and (
            token.kind == "string" or (number > 0 and tokens[number - 1].is_word("in", "table", "exists"))
        ):
            raise NotUnderstood


def _is_call(group: Group, before: Item | None) -> bool:
    """Whether it holds the arguments of a function, in which `points` is a column."""
    is_function = (
        isinstance(before, Token) and before.is_name and not before.is_word("from", "join", *BEFORE_COLUMN)
    )
    return is_function and not any(is_word(item, "select", "from", "join", "values") for item in group.items)


def _conditions(group: Group, aliases: set[str]) -> Iterator[Condition]:
    """One for every place of this group, but not of those inside, where `points` is a table."""
    names = [item.text.lower() for item in group.items if isinstance(item, Token) and item.is_name]
    if "points" not in names:
        return
    for block in read_blocks(group):
        for number, table in enumerate(block.tables):
            if table.name.lower() == "points":
                yield _condition(block, number, aliases)


def _condition(block: Block, number: int, aliases: set[str]) -> Condition:
    tables = block.tables
    table = tables[number]
    if sum(each.alias.lower() == table.alias.lower() for each in tables) > 1:
        raise NotUnderstood
    found: dict[str, list[Test]] = {name: [] for name in NAMED}
    plain = {name for name in NAMED if _is_plain(name, tables, number)} - aliases
    for items in [*block.where, *_counted_joins(tables, number)]:
        for name, test in _tests(items, table.alias, plain):
            if name not in aliases:
                found[name].append(test)
    return Condition(tuple(found["run"]), tuple(found["tag"]))


def _counted_joins(tables: Sequence[Table], number: int) -> Iterator[list[Item]]:
    """The ON conditions that no row may fail: of inner joins, and of an outer join for the side that may be missing."""
    for place, table in enumerate(tables):
        is_counted = {
            "inner": place >= number,
            "left": place == number,
            "right": place > number,
        }.get(table.join, False)
        if is_counted:
            yield table.on


def _is_plain(name: str, tables: Sequence[Table], number: int) -> bool:
    """Whether the column means that of table `number` without a prefix: no other table has one, or USING makes them one."""
    others = [table for place, table in enumerate(tables) if place != number]
    if all(name not in TABLES.get(table.name.lower(), NAMED) for table in others):
        return True
    return all(name in table.using and table.join in ("inner", "left") for table in tables[1:])


def _tests(items: Sequence[Item], alias: str, plain: set[str]) -> Iterator[tuple[str, Test]]:
    if any(is_word(item, *LOOSER_WORDS) or is_symbol(item, *LOOSER_SYMBOLS) for item in items):
        return
    for part in _split_conjuncts(items):
        only = part[0] if len(part) == 1 else None
        if isinstance(only, Group):
            if not only.is_query:
                yield from _tests(only.items, alias, plain)
            continue
        test = _read_test(part, alias, plain)
        if test is not None:
            yield test


def _split_conjuncts(items: Sequence[Item]) -> list[list[Item]]:
    """Parts between ANDs, but not that of BETWEEN … AND."""
    parts: list[list[Item]] = [[]]
    is_between = False
    for item in items:
        is_between = is_between or is_word(item, "between")
        if is_word(item, "and") and not is_between:
            parts.append([])
            continue
        is_between = is_between and not is_word(item, "and")
        parts[-1].append(item)
    return parts


def _read_test(part: Sequence[Item], alias: str, plain: set[str]) -> tuple[str, Test] | None:
    items = list(part)
    if len(items) > 2 and _is_text(items[0]) and is_symbol(items[1], "=", "=="):
        items = [*items[2:], items[1], items[0]]
    name, rest = _read_column(items, alias, plain)
    if name is None or len(rest) != 2:
        return None
    operator, value = rest
    if is_symbol(operator, "=", "==") and isinstance(value, Token) and value.kind == "string":
        return name, frozenset([value.text])
    if is_word(operator, "like") and isinstance(value, Token) and value.kind == "string":
        return name, _like(value.text)
    if is_word(operator, "in") and isinstance(value, Group):
        texts, commas = value.items[::2], value.items[1::2]
        is_list = all(map(_is_text, texts)) and all(is_symbol(each, ",") for each in commas)
        if is_list and len(texts) == len(commas) + 1:
            return name, frozenset(each.text for each in texts if isinstance(each, Token))
    return None


def _read_column(items: list[Item], alias: str, plain: set[str]) -> tuple[str | None, list[Item]]:
    first = items[0] if items else None
    if not isinstance(first, Token) or not first.is_name:
        return None, []
    if len(items) > 2 and is_symbol(items[1], "."):
        column = items[2]
        if (
            first.text.lower() == alias.lower()
            and isinstance(column, Token)
            and column.is_name
            and column.text.lower() in NAMED
        ):
            return column.text.lower(), items[3:]
        return None, []
    if first.text.lower() in plain:
        return first.text.lower(), items[1:]
    return None, []


def _is_text(item: Item) -> bool:
    return isinstance(item, Token) and item.kind == "string"


def _like(pattern: str) -> re.Pattern[str]:
    """`_` is one character to some engines and one byte of it to others, so it may be none here."""
    parts = re.findall(r"%+|_+|[^%_]+", pattern)
    made = [
        ".*" if "%" in part else f".{{0,{len(part)}}}" if "_" in part else re.escape(part) for part in parts
    ]
    return re.compile("".join(made), re.DOTALL)
