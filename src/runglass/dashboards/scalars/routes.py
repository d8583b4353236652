"""The scalars routes: points exactly, lines as drawn, summaries and bands over many runs."""

from __future__ import annotations

from msgspec.structs import asdict

from runglass.api.answers import attachment
from runglass.api.checks import check_range
from runglass.api.kept import PerSource
from runglass.api.parquet import check_format
from runglass.api.route import (
    COLUMNS,
    CSV,
    JSON,
    PARQUET,
    Answer,
    Download,
    Later,
    Reply,
    Route,
    encode_json,
)
from runglass.dashboards.scalars.answers import (
    lines_answer,
    points_answer,
    read_answer_lines,
    read_bands_answer,
    read_table_answer,
    summary_answer,
)
from runglass.dashboards.scalars.columns import encode_lines
from runglass.dashboards.scalars.export import ExportQuery, write_series
from runglass.dashboards.scalars.questions import (
    axis_query,
    check_series_count,
    find_unknown,
    line_query,
    select,
    smoothing_of,
)
from runglass.dashboards.scalars.shape import (
    Bands,
    BandsBody,
    Export,
    ExportBody,
    Lines,
    LinesBody,
    Points,
    PointsQuery,
    Selection,
    Summaries,
    SummaryBody,
    Table,
    TableBody,
)
from runglass.dashboards.scalars.sharing import SharedAnswers
from runglass.errors import BadRequest
from runglass.query.source import (
    BandQuery,
    DataSource,
)
from runglass.store.model import SeriesKey

# Encoding this many points takes about a millisecond; more would block the event loop.
INLINE_POINTS = 4_000
# Many more take megabytes and seconds, apart from charts and few at a time.
LONG_POINTS = 50_000

shared_lines: PerSource[SharedAnswers] = PerSource(SharedAnswers)


def read_points(source: DataSource, query: PointsQuery) -> Reply:
    """All points of one series, exactly as logged."""
    since = None if query.since is None else [query.since]
    (columns,) = source.read_columns([query.key], attempts=query.attempts, since=since)
    if len(columns.step) > INLINE_POINTS or query.format == "csv":
        return Later(lambda: points_answer(columns, query), is_long=len(columns.step) > LONG_POINTS)
    return points_answer(columns, query)


def read_lines(source: DataSource, body: LinesBody) -> Reply:
    """Lines for one chart: smoothed over all points, then reduced to the pixels of the plot."""
    shared = shared_lines.of(source)
    question = encode_json(body)
    # Here and not in a thread: many pages follow the same runs.
    known = shared.find(question, source.generation) if body.format == "columns" else None
    if known is not None:
        return Answer(known, COLUMNS)
    query = line_query(source, body)
    keys = select(source, body)
    if body.format == "json":
        return Later(lambda: lines_answer(source, keys, query, body))

    def make() -> bytes:
        return encode_lines(*read_answer_lines(source, keys, query, body))

    return Later(lambda: Answer(shared.read(question, lambda: source.generation, make), COLUMNS))


def read_summaries(source: DataSource, body: SummaryBody) -> Reply:
    """Exact statistics over all points of every series."""
    keys = select(source, body)
    return Later(
        lambda: Summaries(
            [summary_answer(each) for each in source.read_summaries(keys, attempts=body.attempts)],
            find_unknown(source, body),
        )
    )


def read_bands(source: DataSource, body: BandsBody) -> Reply:
    """For every tag and group of runs, a center line with a spread around it."""
    query = BandQuery(
        **asdict(line_query(source, body)),
        center=body.center,
        spread=body.spread,
        quantile=body.quantile,
        confidence=body.confidence,
    )
    groups: dict[str, list[str]] = {group.name: group.runs for group in body.groups}
    if len(groups) < len(body.groups):
        raise BadRequest("Two groups have the same name.", where="groups")
    check_series_count(len(body.tags) * len(groups), "groups")
    wanted = [
        (SeriesKey(name, tag), select(source, Selection(tags=[tag], runs=runs)))
        for tag in dict.fromkeys(body.tags)
        for name, runs in groups.items()
    ]
    check_series_count(sum(len(keys) for _, keys in wanted), "groups")
    asked = Selection(tags=body.tags, runs=[run for group in body.groups for run in group.runs])
    return Later(
        lambda: read_bands_answer(source, wanted, query, asked=None if body.format == "columns" else asked)
    )


def read_table(source: DataSource, body: TableBody) -> Reply:
    """Values at one x, or statistics over a range of x, from all points: one row per series."""
    keys = select(source, body)
    if (body.at is None) == (body.range is None):
        raise BadRequest("Give exactly one of `at` and `range`.", where="at")
    check_range(body.range, where="range")
    query = axis_query(source, body)
    return Later(lambda: read_table_answer(source, keys, query, body))


def export(source: DataSource, body: ExportBody) -> Reply:
    """All points of many series as a file."""
    check_format(body.format)
    smoothing = None if body.smoothing is None else smoothing_of(body.smoothing)
    keys = select(source, body)
    if len(keys) == 1:
        # An unknown series must be reported before streaming starts.
        source.read_columns(keys)
    media_type, pieces = write_series(source, keys, ExportQuery(smoothing, body.attempts), body.format)
    tags = {key.tag for key in keys}
    name = tags.pop() if len(tags) == 1 else "scalars"
    return Download(pieces, media_type, (attachment(f"{name}.{body.format}"),))


ROUTES = (
    Route("/api/scalars/points", read_points, Points, query=PointsQuery, media_types=(JSON, CSV)),
    Route("/api/scalars/lines", read_lines, Lines, body=LinesBody, media_types=(COLUMNS, JSON)),
    Route("/api/scalars/summary", read_summaries, Summaries, body=SummaryBody),
    Route("/api/scalars/bands", read_bands, Bands, body=BandsBody, media_types=(COLUMNS, JSON)),
    Route("/api/scalars/table", read_table, Table, body=TableBody),
    Route("/api/scalars/export", export, Export, body=ExportBody, media_types=(CSV, JSON, PARQUET)),
)
