"""The projector's routes: which embeddings there are, their columns and pictures, search, neighbours, files. Jobs reduce them."""

from __future__ import annotations

import numpy as np

from runglass.api import pattern_jobs
from runglass.api.parquet import check_format
from runglass.api.route import (
    COLUMNS,
    CSV,
    PARQUET,
    FromJob,
    FromResult,
    Later,
    NoParameters,
    Reply,
    Route,
    Upload,
)
from runglass.dashboards.projector.asking import ask
from runglass.dashboards.projector.describing import (
    describe,
    encode_column,
    listed_embedding,
    read_row,
    read_texts,
)
from runglass.dashboards.projector.export import NPZ, write_positions
from runglass.dashboards.projector.loaded import known_embeddings, logged_columns
from runglass.dashboards.projector.near import find_kept, find_neighbors, measure_distances
from runglass.dashboards.projector.searching import (
    answer_pattern,
    find_rows,
    make_answer,
)
from runglass.dashboards.projector.shape import (
    AboutAnswer,
    ColumnAnswer,
    ColumnBody,
    DistancesAnswer,
    DistancesBody,
    EmbeddingBody,
    EmbeddingFile,
    EmbeddingList,
    EmbeddingRef,
    ExportQuery,
    FileQuery,
    KeptAnswer,
    KeptBody,
    LabelsQuery,
    NeighborsAnswer,
    NeighborsBody,
    PointAnswer,
    PointBody,
    PointMatches,
    PointSearchBody,
    PointTexts,
    PointTextsBody,
    ThumbnailsBody,
    ThumbnailsQuery,
)
from runglass.dashboards.projector.sheet import PNG, make_sheet, parse_rows
from runglass.dashboards.projector.works import SEARCH
from runglass.query.patterns import compile_pattern
from runglass.query.source import DataSource

MAX_FILE_BYTES = 512 << 20


def list_all(source: DataSource, _: NoParameters) -> Reply:
    """Every embedding of every run, without reading vectors."""
    return Later(
        lambda: EmbeddingList(
            source.generation,
            [listed_embedding(info) for info in known_embeddings.of(source).list_all(source)],
        )
    )


def add_file(source: DataSource, upload: Upload) -> Reply:
    """Read vectors that the user chose, and keep them in memory for that page."""

    def work() -> EmbeddingFile:
        assert isinstance(upload.query, FileQuery)
        token, loaded = known_embeddings.of(source).add_file(upload.query.name, upload.data)
        return EmbeddingFile(token, loaded.rows, loaded.embedding.dimensions)

    return Later(work)


def add_labels(source: DataSource, upload: Upload) -> Reply:
    """Read metadata of vectors that were sent before."""

    def work() -> EmbeddingFile:
        assert isinstance(upload.query, LabelsQuery)
        token, loaded = known_embeddings.of(source).add_labels(
            upload.query.file, upload.query.name, upload.data
        )
        return EmbeddingFile(token, loaded.rows, loaded.embedding.dimensions)

    return Later(work)


def read_about(source: DataSource, body: EmbeddingBody) -> Reply:
    """What is known of an embedding: shape, columns, pictures, problems, bookmarks."""
    return ask(source, body.embedding, lambda loaded: describe(loaded, logged_columns(source, loaded)))


def read_column(source: DataSource, body: ColumnBody) -> Reply:
    """A column of all rows."""
    return ask(
        source,
        body.embedding,
        lambda loaded: encode_column(loaded, body.column, logged_columns(source, loaded)),
    )


def read_some_texts(source: DataSource, body: PointTextsBody) -> Reply:
    """The values of a column in some rows, as text."""
    return ask(
        source,
        body.embedding,
        lambda loaded: read_texts(loaded, body.column, body.rows, logged_columns(source, loaded)),
    )


def read_one_row(source: DataSource, body: PointBody) -> Reply:
    """All columns of one row."""
    return ask(
        source, body.embedding, lambda loaded: read_row(loaded, body.row, logged_columns(source, loaded))
    )


def draw_sheet(source: DataSource, query: ThumbnailsQuery) -> Reply:
    """Pictures of some rows side by side, in ceil(√n) columns."""
    rows = parse_rows(query.rows)
    ref = EmbeddingRef(query.run, query.name, query.step, query.file)
    return ask(source, ref, lambda loaded: make_sheet(loaded, rows, query.size))


def draw_rows(source: DataSource, body: ThumbnailsBody) -> Reply:
    """The same for many rows."""
    rows = np.array(body.rows, np.int32)
    return ask(source, body.embedding, lambda loaded: make_sheet(loaded, rows, body.size))


def search(source: DataSource, body: PointSearchBody) -> Reply:
    """All rows whose value contains a text, matches a regular expression, or is exactly that."""
    if body.mode == "pattern":
        compile_pattern(body.q)
        return FromJob(SEARCH.name, body, pattern_jobs.WAIT_S, lambda job: answer_pattern(source, body, job))
    mode = body.mode
    return ask(
        source,
        body.embedding,
        lambda loaded: make_answer(find_rows(loaded, body.q, mode, body.column), body.limit),
    )


def read_neighbors(source: DataSource, body: NeighborsBody) -> Reply:
    """The nearest points of one in the original space, exactly."""
    return ask(
        source, body.embedding, lambda loaded: find_neighbors(loaded, body.row, body.count, body.metric)
    )


def read_distances(source: DataSource, body: DistancesBody) -> Reply:
    """How far two points are from each other in the original space."""
    return ask(source, body.embedding, lambda loaded: measure_distances(loaded, body.a, body.b))


def read_kept(source: DataSource, body: KeptBody) -> Reply:
    """How many neighbours of a point stay from step to step."""
    return Later(lambda: find_kept(source, body))


def export(source: DataSource, query: ExportQuery) -> Reply:
    """Positions of a reduction with all columns, as a file."""
    check_format(query.format)
    return FromResult(query.job, lambda result: write_positions(source, query, result))


ROUTES = (
    Route("/api/projector", list_all, EmbeddingList),
    Route("/api/projector/file", add_file, EmbeddingFile, query=FileQuery, upload_bytes=MAX_FILE_BYTES),
    Route("/api/projector/labels", add_labels, EmbeddingFile, query=LabelsQuery, upload_bytes=MAX_FILE_BYTES),
    Route("/api/projector/about", read_about, AboutAnswer, body=EmbeddingBody),
    Route("/api/projector/column", read_column, ColumnAnswer, body=ColumnBody, media_types=(COLUMNS,)),
    Route("/api/projector/texts", read_some_texts, PointTexts, body=PointTextsBody),
    Route("/api/projector/row", read_one_row, PointAnswer, body=PointBody),
    Route("/api/projector/thumbnails", draw_sheet, NoParameters, query=ThumbnailsQuery, media_types=(PNG,)),
    Route("/api/projector/thumbnails", draw_rows, NoParameters, body=ThumbnailsBody, media_types=(PNG,)),
    Route(
        "/api/projector/search",
        search,
        PointMatches,
        body=PointSearchBody,
        media_types=(COLUMNS,),
        is_long=True,
    ),
    Route("/api/projector/neighbors", read_neighbors, NeighborsAnswer, body=NeighborsBody),
    Route("/api/projector/distances", read_distances, DistancesAnswer, body=DistancesBody),
    Route("/api/projector/kept", read_kept, KeptAnswer, body=KeptBody),
    Route("/api/projector/export", export, NoParameters, query=ExportQuery, media_types=(CSV, NPZ, PARQUET)),
)
