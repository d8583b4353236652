"""What is known of an embedding and of single rows: columns with their kinds, what to name and colour points by, values of a row."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from runglass.api.answers import Number, number
from runglass.api.blocks import blocks_answer
from runglass.api.route import Answer
from runglass.dashboards.projector.loaded import Loaded
from runglass.dashboards.projector.shape import (
    AboutAnswer,
    ColumnAbout,
    ColumnAnswer,
    ListedEmbedding,
    PointAnswer,
    PointTexts,
    SpriteAbout,
)
from runglass.query.embeddings.model import (
    MAX_CATEGORIES,
    NEXT_COLUMNS,
    Column,
    EmbeddingInfo,
    EmbeddingUnknown,
)

# Numbers that are this few and whole are names of classes.
MAX_CLASSES = 20
LABEL_NAMES = ("label", "labels", "name", "word", "token", "text", "title")
COLOR_NAMES = ("label", "labels", "class", "category", "target", "type", "group")


def listed_embedding(info: EmbeddingInfo) -> ListedEmbedding:
    return ListedEmbedding(
        run=info.run,
        name=info.name,
        steps=list(info.steps),
        rows=info.rows,
        dimensions=info.dimensions,
        dtype=info.dtype,
        path=info.paths[0] if info.paths else "",
        has_metadata=info.has_metadata,
        has_sprite=info.has_sprite,
        has_bookmarks=info.has_bookmarks,
        is_offered=info.is_offered,
        problem=info.problem,
    )


def describe(loaded: Loaded, logged: Mapping[str, Column]) -> AboutAnswer:
    embedding, info = loaded.embedding, loaded.info
    has_sequences = embedding.metadata.next is not None
    columns = {
        name: column
        for name, column in embedding.metadata.columns.items()
        if not (has_sequences and name in NEXT_COLUMNS)
    }
    sprite = embedding.sprite
    bookmarks, bookmark_problem = read_bookmarks(embedding.bookmarks)
    return AboutAnswer(
        rows=embedding.rows,
        dimensions=embedding.dimensions,
        dtype=embedding.dtype,
        step=loaded.step,
        steps=[] if info is None else list(info.steps),
        columns=[
            *(describe_column(column) for column in columns.values()),
            *(describe_column(column, is_logged=True) for column in logged.values()),
        ],
        label=choose_label(columns),
        color=choose_color(columns),
        sprite=None if sprite is None else SpriteAbout(*sprite.tile, sprite.count),
        has_sequences=has_sequences,
        left_out=loaded.not_finite,
        problems=[*embedding.problems, *bookmark_problem],
        paths=list(embedding.paths),
        bookmarks=bookmarks,
    )


def describe_column(column: Column, *, is_logged: bool = False) -> ColumnAbout:
    low: Number | None = None
    high: Number | None = None
    if column.numbers is not None:
        finite = column.numbers[np.isfinite(column.numbers)]
        if len(finite):
            low, high = number(finite.min()), number(finite.max())
    return ColumnAbout(
        name=column.name,
        type=column.type,
        is_categorical=is_categorical(column),
        distinct=len(column.levels),
        missing=column.missing,
        is_logged=is_logged,
        min=low,
        max=high,
    )


def is_categorical(column: Column) -> bool:
    if column.numbers is None:
        return column.type == "category"
    return len(column.levels) <= MAX_CLASSES and all(
        level.strip().lstrip("+-").isdigit() for level in column.levels
    )


def choose_label(columns: Mapping[str, Column]) -> str | None:
    """The column that tells points apart best: one that is named so, else the first that is no number."""
    return _choose(columns, LABEL_NAMES, ("text", "category", "number"))


def choose_color(columns: Mapping[str, Column]) -> str | None:
    """A column of categories: one that is named so, else the first."""
    # One that tells every point apart has a colour for each of them, so that nothing is seen.
    fit = {
        name: column
        for name, column in columns.items()
        if is_categorical(column) and 1 < len(column.levels) <= len(column) / 2
    }
    return _choose(fit, COLOR_NAMES, ("category", "number"))


def _choose(columns: Mapping[str, Column], names: Sequence[str], types: Sequence[str]) -> str | None:
    by_name = {name.lower(): name for name in reversed(list(columns))}
    for wanted in types:
        of_type = [name for name, column in columns.items() if column.type == wanted]
        named = [by_name[name] for name in names if by_name.get(name) in of_type]
        if named or of_type:
            return (named or of_type)[0]
    return None


def read_bookmarks(data: bytes | None) -> tuple[list[Any] | None, list[str]]:
    if data is None:
        return None, []
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        return None, ["The file of bookmarks is not a JSON list, so it is not used."]
    return found, []


def encode_column(loaded: Loaded, name: str, logged: Mapping[str, Column]) -> Answer:
    following = loaded.embedding.metadata.next
    if name in NEXT_COLUMNS and following is not None:
        return blocks_answer(ColumnAnswer(type="sequence", levels=[]), {"next": following})
    column = loaded.column(name, logged)
    if column.numbers is None:
        return blocks_answer(ColumnAnswer(type=column.type, levels=column.levels), {"codes": column.codes})
    blocks: dict[str, Any] = {"values": column.numbers}
    levels = column.levels if len(column.levels) <= MAX_CATEGORIES else []
    if levels:
        blocks["codes"] = column.codes
    return blocks_answer(ColumnAnswer(type="number", levels=levels), blocks)


def read_texts(loaded: Loaded, name: str, rows: list[int], logged: Mapping[str, Column]) -> PointTexts:
    loaded.check_rows(np.array(rows, np.int32))
    column = loaded.column(name, logged)
    return PointTexts([column.value(row) for row in rows])


def read_row(loaded: Loaded, row: int, logged: Mapping[str, Column]) -> PointAnswer:
    loaded.check_row(row)
    embedding = loaded.embedding
    columns = {**embedding.metadata.columns, **logged}
    vector = embedding.vectors(row, row + 1)[0].astype(np.float64)
    sprite = embedding.sprite
    return PointAnswer(
        row=row,
        values={name: read_value(column, row) for name, column in columns.items()},
        has_picture=sprite is not None and row < sprite.count,
        norm=number(float(np.sqrt(np.sum(vector * vector)))),
    )


def read_value(column: Column, row: int) -> Number | str | None:
    text = column.value(row)
    if text is None or column.numbers is None:
        return text
    return number(column.numbers[row])


def check_sprite(loaded: Loaded) -> None:
    if loaded.embedding.sprite is None:
        reasons = " ".join(loaded.embedding.problems)
        raise EmbeddingUnknown(f"This embedding has no pictures. {reasons}".rstrip(), where="embedding")
