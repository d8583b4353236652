"""The histogram routes: stored or re-binned histograms of many series, the exact values of one, and a ranking."""

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
    """Histograms of many series, as stored or in chosen bins."""
    check_body(body)
    return Later(lambda: load_answer(source, body))


def read_stored(source: DataSource, query: ValuesQuery) -> Reply:
    """Every histogram of a series exactly as in the file, damaged ones too."""
    values = source.read_values(query.key, kind=Kind.HISTOGRAM)
    indices = pick_steps(values, query)
    if query.format == "csv":
        name = attachment(f"{query.run}_{query.tag}.csv")
        return Download(csv_pieces(source, values, indices), CSV, (name,))
    if len(indices) > MAX_JSON_VALUES:
        raise BadRequest(
            f"{len(indices):,} histograms are too many for one JSON answer (at most {MAX_JSON_VALUES:,}). Give a range with "
            "from_step and to_step, or use format=csv.",
            where="format",
        )
    return Later(lambda: load_stored(source, query, values, indices))


def read_ranking(source: DataSource, body: RankingBody) -> Reply:
    """Series by how much their histograms changed, with share of zeros and saturation."""
    if (body.by == "run") != (body.other_run is not None):
        raise BadRequest("`other_run` is required with by=run and not allowed otherwise.", where="other_run")
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
