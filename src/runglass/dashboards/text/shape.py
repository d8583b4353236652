"""What the text routes take and answer, as types. Holds no logic."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from runglass.api.answers import Number
from runglass.api.samples import SampleQuery
from runglass.api.series import Missed, SeriesRef

MAX_SERIES = 10_000
MAX_VALUES = 500
# About six printed pages; GET api/text/value has the rest.
PREVIEW_CHARACTERS = 20_000
MAX_HITS = 1_000


class TextRef(SeriesRef, frozen=True, forbid_unknown_fields=True):
    rows: Annotated[
        Annotated[list[int], Meta(max_length=MAX_VALUES)] | None,
        Meta(description="Rows of the values; default: all."),
    ] = None


class TextsBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    # The series, each with the rows that are wanted.
    series: Annotated[list[TextRef], Meta(max_length=MAX_SERIES)]
    offset: Annotated[int, Meta(ge=0, description="How many values to skip, over all series.")] = 0
    limit: Annotated[int, Meta(ge=1, le=MAX_VALUES)] = 100


class Text(Struct, frozen=True):
    """One logged value: a text, or a tensor of them."""

    run: str
    tag: str
    row: Annotated[int, Meta(description="Index among all values of the series.")]
    step: int
    wall_time: Number
    shape: Annotated[list[int], Meta(description="Shape of the tensor of texts; empty for a single text.")]
    values: Annotated[
        list[str],
        Meta(description="Cells, the last axis fastest. If `is_cut`, only the first ones."),
    ]
    size_bytes: Annotated[int, Meta(description="Size of the whole value as UTF-8.")]
    is_cut: Annotated[bool, Meta(description="GET api/text/value has the full value.")] = False
    marks: Annotated[
        int,
        Meta(
            description="Number of replacement characters (U+FFFD), which stand for bytes that are not UTF-8."
        ),
    ] = 0
    problem: Annotated[str | None, Meta(description="Why the value cannot be read or is not text.")] = None


class Texts(Struct, frozen=True, omit_defaults=True):
    """Unknown rows are left out."""

    generation: int
    texts: list[Text]
    is_partial: Annotated[
        bool,
        Meta(description="The answer reached its size limit: ask again for the rest."),
    ]
    unknown: Missed = None


class TextQuery(SampleQuery, frozen=True, forbid_unknown_fields=True, kw_only=True):
    format: Annotated[
        Literal["json", "text"],
        Meta(description="text: the text alone; a tensor as one line per row with tabs between cells."),
    ] = "json"
    download: Annotated[Literal[0, 1], Meta(description="1: save instead of show.")] = 0


class SearchBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    query: Annotated[str, Meta(min_length=1, max_length=1_000)]
    # Whether the query is a regular expression.
    is_regex: bool = False
    # Whether capital letters matter.
    is_case_sensitive: bool = False
    runs: Annotated[list[str] | None, Meta(description="Default: all.")] = None
    tags: Annotated[list[str] | None, Meta(description="Default: all.")] = None
    limit: Annotated[int, Meta(ge=1, le=MAX_HITS)] = 100


class Hit(Struct, frozen=True):
    """One value with matches."""

    run: str
    tag: str
    row: int
    step: int
    wall_time: Number
    cell: Annotated[
        int, Meta(description="The cell of the tensor that the excerpt is from, the last axis fastest.")
    ]
    # The text around the first match.
    excerpt: str
    matches: Annotated[
        list[tuple[int, int]],
        Meta(description="Spans in the excerpt: start and end in Unicode code points."),
    ]
    count: Annotated[int, Meta(description="Matches in the whole value, up to 1,000.")]


class Hits(Struct, frozen=True):
    """A partial result of a search: hits that are new."""

    hits: list[Hit]


class Found(Struct, frozen=True):
    """The newest values of each series come first."""

    generation: int
    hits: list[Hit]
    searched: Annotated[int, Meta(description="Number of values searched.")]
    total: Annotated[int, Meta(description="Number of values to search.")]
    stopped: Annotated[
        str | None, Meta(description="Why the search stopped early; null if it is complete.")
    ] = None
