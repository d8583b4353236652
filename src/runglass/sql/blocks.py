"""The SELECTs of a query, each with its tables and conditions. Knows no table by name, and what it does not understand it says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from runglass.sql.tokens import Token

SET_OPERATORS = ("union", "except", "intersect")
CLAUSES = ("select", "from", "where", "prewhere", "group", "having", "order", "limit")
# Clauses whose words may be names as well.
SOFT_CLAUSES = ("window", "qualify", "offset", "fetch", "settings", "format", "into", "sample")
# What cannot be the last word of a condition.
UNFINISHED = ("and", "or", "not", "like", "in", "between", "is")
BEGINNINGS = ("select", "with", "from", "values")
JOINS = ("inner", "left", "right", "full", "cross")
# Joins that look at other rows before they decide about one: leaving rows out beforehand changes their answer.
OTHER_JOINS = (
    *("asof", "semi", "anti", "any", "all", "natural", "positional", "lateral", "global", "paste", "array"),
    *("pivot", "unpivot", "tablesample", "final", "at", "match_recognize"),
)


class NotUnderstood(Exception):
    """The text is not one of those that are read here. It may still be right."""


class Group(Struct):
    """What stands between two parentheses."""

    items: list[Item]

    @property
    def is_query(self) -> bool:
        return bool(self.items) and is_word(self.items[0], *BEGINNINGS)


Item = Token | Group


class Table(Struct):
    """One table of a FROM."""

    # As written; "" for a query in parentheses.
    name: str
    # How its columns are prefixed.
    alias: str
    join: str = ""
    on: list[Item] = []
    using: list[str] = []


class Block(Struct):
    """One SELECT without those inside of it."""

    tables: list[Table]
    where: list[list[Item]]


def is_word(item: Item, *words: str) -> bool:
    return isinstance(item, Token) and item.is_word(*words)


def is_symbol(item: Item, *symbols: str) -> bool:
    return isinstance(item, Token) and item.is_symbol(*symbols)


def make_group(tokens: Sequence[Token]) -> Group:
    """The whole query as a group. Raises NotUnderstood where parentheses do not match."""
    open_groups = [Group([])]
    for token in tokens:
        if token.is_symbol("("):
            open_groups.append(Group([]))
        elif token.is_symbol(")"):
            if len(open_groups) == 1:
                raise NotUnderstood
            done = open_groups.pop()
            open_groups[-1].items.append(done)
        else:
            open_groups[-1].items.append(token)
    if len(open_groups) != 1:
        raise NotUnderstood
    items = open_groups[0].items
    while items and is_symbol(items[-1], ";"):
        items.pop()
    return open_groups[0]


def list_groups(group: Group, before: Item | None = None) -> Iterator[tuple[Group, Item | None]]:
    """All groups, each with what stands before its parenthesis."""
    yield group, before
    for number, item in enumerate(group.items):
        if isinstance(item, Group):
            yield from list_groups(item, group.items[number - 1] if number else None)


def split(items: Sequence[Item], *words: str) -> list[list[Item]]:
    parts: list[list[Item]] = [[]]
    for item in items:
        if is_word(item, *words):
            parts.append([])
        else:
            parts[-1].append(item)
    return parts


def read_blocks(group: Group) -> list[Block]:
    """The SELECTs that a group joins by UNION and the like. Raises NotUnderstood."""
    return [_read_block(part) for part in split(group.items, *SET_OPERATORS)]


def _read_block(items: Sequence[Item]) -> Block:
    clauses: dict[str, list[list[Item]]] = {}
    current: list[Item] = []
    name = ""
    for number, item in enumerate(items):
        # `is distinct from` compares.
        is_comparison = is_word(item, "from") and number > 0 and is_word(items[number - 1], "distinct")
        is_clause = is_word(item, *CLAUSES, *SOFT_CLAUSES) and not is_comparison
        if not is_clause or _is_part_of_name(items, number):
            current.append(item)
            continue
        before = items[number - 1] if number else None
        if name in ("where", "prewhere", "from") and (
            is_word(item, *SOFT_CLAUSES)
            or (isinstance(before, Token) and before.kind == "symbol" and before.text not in ("]", "}"))
            or (before is not None and is_word(before, *UNFINISHED))
        ):
            raise NotUnderstood
        assert isinstance(item, Token)
        current, name = [], item.text.lower()
        clauses.setdefault(name, []).append(current)
    froms = clauses.get("from", [])
    if len(froms) != 1 or len(clauses.get("select", [])) > 1:
        raise NotUnderstood
    return Block(_read_tables(froms[0]), clauses.get("where", []) + clauses.get("prewhere", []))


def _is_part_of_name(items: Sequence[Item], number: int) -> bool:
    """`p.format` is a column."""
    return number > 0 and is_symbol(items[number - 1], ".")


def _read_tables(items: Sequence[Item]) -> list[Table]:
    if any(is_word(item, *OTHER_JOINS) for item in items):
        raise NotUnderstood
    tables: list[Table] = []
    at = 0
    join = ""
    while True:
        table, at = _read_table(items, at)
        table.join = join
        tables.append(table)
        if at < len(items) and is_word(items[at], "on"):
            start = at = at + 1
            while at < len(items) and not _begins_join(items, at):
                at += 1
            table.on = list(items[start:at])
        elif at < len(items) and is_word(items[at], "using"):
            names = items[at + 1] if at + 1 < len(items) else None
            if not isinstance(names, Group):
                raise NotUnderstood
            table.using = [
                each.text.lower() for each in names.items if isinstance(each, Token) and each.is_name
            ]
            at += 2
        if at == len(items):
            return tables
        join, at = _read_join(items, at)


def _begins_join(items: Sequence[Item], at: int) -> bool:
    if is_word(items[at], *JOINS):
        # left(x, 3) is a function.
        return at + 1 < len(items) and is_word(items[at + 1], "join", "outer")
    return is_word(items[at], "join") or is_symbol(items[at], ",")


def _read_join(items: Sequence[Item], at: int) -> tuple[str, int]:
    if is_symbol(items[at], ","):
        return "cross", at + 1
    join = "inner"
    if is_word(items[at], *JOINS):
        item = items[at]
        assert isinstance(item, Token)
        join, at = item.text.lower(), at + 1
    if at < len(items) and is_word(items[at], "outer"):
        at += 1
    if at >= len(items) or not is_word(items[at], "join"):
        raise NotUnderstood
    return join, at + 1


def _read_table(items: Sequence[Item], at: int) -> tuple[Table, int]:
    if at >= len(items):
        raise NotUnderstood
    item = items[at]
    at += 1
    if isinstance(item, Group):
        if not item.is_query:
            raise NotUnderstood
        name = ""
    elif item.is_name:
        name = item.text
        while at + 1 < len(items) and is_symbol(items[at], "."):
            after = items[at + 1]
            if not isinstance(after, Token) or not after.is_name:
                raise NotUnderstood
            name, at = after.text, at + 2
    else:
        raise NotUnderstood
    alias = name
    if at < len(items) and is_word(items[at], "as"):
        at += 1
        if at >= len(items):
            raise NotUnderstood
        alias, at = _name(items[at]), at + 1
    elif at < len(items) and _may_be_alias(items[at]):
        alias, at = _name(items[at]), at + 1
    # A function, or columns that are renamed: points(a, b), points as p(a, b).
    if at < len(items) and isinstance(items[at], Group):
        raise NotUnderstood
    return Table(name, alias), at


def _may_be_alias(item: Item) -> bool:
    return (
        isinstance(item, Token) and item.is_name and not item.is_word("on", "using", "join", "outer", *JOINS)
    )


def _name(item: Item) -> str:
    if not isinstance(item, Token) or not item.is_name:
        raise NotUnderstood
    return item.text
