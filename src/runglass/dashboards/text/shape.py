"""What the text routes take and answer."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from runglass.api.answers import Number
from runglass.api.samples import SampleQuery
from runglass.api.series import SeriesRef

MAX_SERIES = 10_000
MAX_VALUES = 500
# A preview is about six pages of print. Whoever wants more asks for the value itself.
PREVIEW_CHARACTERS = 20_000
MAX_HITS = 1_000


class TextRef(SeriesRef, frozen=True, forbid_unknown_fields=True):
    rows: Annotated[
        Annotated[list[int], Meta(max_length=MAX_VALUES)] | None,
        Meta(description="Which of its values; left out: all of them."),
    ] = None


class TextsBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    series: Annotated[list[TextRef], Meta(max_length=MAX_SERIES)]
    offset: Annotated[int, Meta(ge=0, description="Values left out at the beginning, over all series.")] = 0
    limit: Annotated[int, Meta(ge=1, le=MAX_VALUES)] = 100


class Text(Struct, frozen=True):
    """One logged value: a text, or a tensor of them."""

    run: str
    tag: str
    row: Annotated[int, Meta(description="Its number among all values of the series.")]
    step: int
    wall_time: Number
    shape: Annotated[list[int], Meta(description="Of the tensor of texts; empty for one text.")]
    values: Annotated[
        list[str],
        Meta(description="Its cells, the last axis fastest. Of one that is cut, only the first ones."),
    ]
    size_bytes: Annotated[int, Meta(description="Of the whole value, as UTF-8.")]
    is_cut: Annotated[bool, Meta(description="GET api/text/value has all of it.")] = False
    marks: Annotated[
        int, Meta(description="Replacement marks (U+FFFD) in it: bytes that are not UTF-8 are shown so.")
    ] = 0
    problem: Annotated[
        str | None, Meta(description="Why the value cannot be read, or that it is no text; null when it can.")
    ] = None


class Texts(Struct, frozen=True):
    """Series and rows that are not there are left out: a run may vanish between listing and asking."""

    generation: int
    texts: list[Text]
    is_partial: Annotated[
        bool,
        Meta(description="So much had to be read that the rest was left: ask again for what is missing."),
    ]


class TextQuery(SampleQuery, frozen=True, forbid_unknown_fields=True, kw_only=True):
    format: Annotated[
        Literal["json", "text"],
        Meta(description="text: the text alone; of a tensor a line per row, its cells set apart by tabs."),
    ] = "json"
    download: Annotated[Literal[0, 1], Meta(description="1: to be saved instead of shown.")] = 0


class SearchBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    query: Annotated[str, Meta(min_length=1, max_length=1_000)]
    is_regex: bool = False
    is_case_sensitive: bool = False
    runs: Annotated[list[str] | None, Meta(description="Left out: all.")] = None
    tags: Annotated[list[str] | None, Meta(description="Left out: all.")] = None
    limit: Annotated[int, Meta(ge=1, le=MAX_HITS)] = 100


class Hit(Struct, frozen=True):
    """One value that contains what is sought."""

    run: str
    tag: str
    row: int
    step: int
    wall_time: Number
    cell: Annotated[
        int, Meta(description="Which cell of a tensor the excerpt is from, the last axis fastest.")
    ]
    excerpt: str
    matches: Annotated[
        list[tuple[int, int]],
        Meta(description="Where in the excerpt: from, to, in characters (Unicode code points)."),
    ]
    count: Annotated[int, Meta(description="Matches in the whole value; counted up to 1,000.")]


class Found(Struct, frozen=True):
    """Newest values first within each series."""

    generation: int
    hits: list[Hit]
    searched: Annotated[int, Meta(description="Values that were looked through.")]
    total: Annotated[int, Meta(description="Values that there are to look through.")]
    stopped: Annotated[
        str | None, Meta(description="Why not all were looked through; null when all were.")
    ] = None
