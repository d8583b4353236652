"""The histogram routes: buckets exactly as they are stored or in other bins, for many series at once; and their ranking."""

from __future__ import annotations

from runglass.api.answers import attachment
from runglass.api.route import COLUMNS, CSV, JSON, Download, Later, Reply, Route
from runglass.dashboards.histograms.answers import load_answer
from runglass.dashboards.histograms.questions import check_body
from runglass.dashboards.histograms.ranking import rank
from runglass.dashboards.histograms.shape import (
    HistogramAnswer,
    Ranking,
    RankingBody,
    SeriesBody,
    StoredHistograms,
    ValuesQuery,
)
from runglass.dashboards.histograms.stored import csv_pieces, load_stored, pick_steps
from runglass.errors import BadRequest
from runglass.query.source import DataSource
from runglass.store.model import Kind

MAX_JSON_VALUES = 20_000


def read_series(source: DataSource, body: SeriesBody) -> Reply:
    """Histograms of many series, as stored or in bins of their own choice."""
    check_body(body)
    return Later(lambda: load_answer(source, body))


def read_stored(source: DataSource, query: ValuesQuery) -> Reply:
    """Every histogram of a series exactly as it is in the file, damaged or not."""
    values = source.read_values(query.key, kind=Kind.HISTOGRAM)
    indices = pick_steps(values, query)
    if query.format == "csv":
        name = attachment(f"{query.run}_{query.tag}.csv")
        return Download(csv_pieces(source, values, indices), CSV, (name,))
    if len(indices) > MAX_JSON_VALUES:
        raise BadRequest(
            f"{len(indices):,} histograms are too many for one JSON answer (at most {MAX_JSON_VALUES:,}). Ask for a range with "
            "from_step and to_step, or for format=csv.",
            where="format",
        )
    return Later(lambda: load_stored(source, query, values, indices))


def read_ranking(source: DataSource, body: RankingBody) -> Reply:
    """Series by how much their histogram moved, with their share of zeros and their saturation."""
    if (body.by == "run") != (body.other_run is not None):
        raise BadRequest("`other_run` goes with by=run, and only with it.", where="other_run")
    return Later(lambda: rank(source, body))


ROUTES = (
    Route(
        "/api/histograms/series", read_series, HistogramAnswer, body=SeriesBody, media_types=(JSON, COLUMNS)
    ),
    Route(
        "/api/histograms/values", read_stored, StoredHistograms, query=ValuesQuery, media_types=(JSON, CSV)
    ),
    Route("/api/histograms/ranking", read_ranking, Ranking, body=RankingBody),
)
