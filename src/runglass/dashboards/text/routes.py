"""The text routes: many texts at once, one in full, all of a series as a file, and search."""

from __future__ import annotations

from runglass.api.answers import attachment
from runglass.api.route import JSON, Download, FromJob, Later, Reply, Route, encode_json
from runglass.api.samples import SANDBOX, find_sample
from runglass.api.series import SeriesRef
from runglass.dashboards.text import search
from runglass.dashboards.text.answers import PLAIN, load_texts, load_whole_text
from runglass.dashboards.text.reading import load_text
from runglass.dashboards.text.shape import Found, SearchBody, Text, TextQuery, Texts, TextsBody
from runglass.dashboards.text.works import SEARCH
from runglass.query.source import DataSource
from runglass.store.model import Kind

JSON_LINES = "application/jsonl"


def read_texts(source: DataSource, body: TextsBody) -> Reply:
    """Texts of many steps and series; long ones are cut."""
    return Later(lambda: load_texts(source, body))


def read_text(source: DataSource, query: TextQuery) -> Reply:
    """One text in full."""
    values, index = find_sample(source, Kind.TEXT, query)
    return Later(lambda: load_whole_text(source, values, index, query))


def download_series(source: DataSource, query: SeriesRef) -> Reply:
    """All texts of one series as a file of JSON lines, streamed as it is produced."""
    values = source.read_values(query.key, kind=Kind.TEXT)
    pieces = (
        encode_json(load_text(source, values, index, limit=None)) + b"\n" for index in range(len(values.step))
    )
    return Download(pieces, JSON_LINES, (SANDBOX, attachment(f"{query.run}_{query.tag}.jsonl")))


def search_texts(source: DataSource, body: SearchBody) -> Reply:
    """Search the texts of many steps and runs."""
    generation = source.generation
    return FromJob(
        SEARCH.name, body, search.TIME_BUDGET_S, lambda job: search.make_answer(job, body, generation)
    )


ROUTES = (
    Route("/api/text/values", read_texts, Texts, body=TextsBody),
    Route("/api/text/value", read_text, Text, query=TextQuery, media_types=(JSON, PLAIN)),
    Route("/api/text/series", download_series, Text, query=SeriesRef, media_types=(JSON_LINES,)),
    Route("/api/text/search", search_texts, Found, body=SearchBody),
)
