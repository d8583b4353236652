"""Loads texts for an answer: many at once within a budget, or one in full as JSON or plain text. Knows no routes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from runglass.api.answers import attachment
from runglass.api.route import JSON, Answer, encode_json
from runglass.api.samples import CACHE_FOREVER, SANDBOX
from runglass.api.series import find_series, find_unknown_series
from runglass.dashboards.text.reading import as_plain_text, load_cells, load_text
from runglass.dashboards.text.shape import Text, TextQuery, Texts, TextsBody
from runglass.query.source import DataSource, Values
from runglass.store.model import Attempts, Kind

PLAIN = "text/plain; charset=utf-8"

# How much one answer reads from files.
READ_BUDGET_BYTES = 64 * 2**20


def load_texts(source: DataSource, body: TextsBody) -> Struct:
    # Taken before reading, so that the client asks again for what changes meanwhile.
    generation = source.generation
    texts: list[Text] = []
    skip, read_bytes = body.offset, 0
    unknown = find_unknown_series(source, body.series, kind=Kind.TEXT)
    for values, indices in _chosen(source, body):
        left = indices[skip:]
        skip = max(0, skip - len(indices))
        for index in left.tolist():
            if len(texts) >= body.limit or read_bytes > READ_BUDGET_BYTES:
                return Texts(generation, texts, len(texts) < body.limit, unknown)
            texts.append(load_text(source, values, index))
            read_bytes += texts[-1].size_bytes
    return Texts(generation, texts, False, unknown)


def _chosen(source: DataSource, body: TextsBody) -> Iterator[tuple[Values, np.ndarray]]:
    """The existing series of a request, and the indices of the requested values."""
    for ref in body.series:
        attempts: Attempts = "latest" if ref.rows is None else "all"
        values = find_series(source, ref.key, kind=Kind.TEXT, attempts=attempts)
        if values is not None:
            count = len(values.step)
            rows = range(count) if ref.rows is None else [row for row in ref.rows if 0 <= row < count]
            yield values, np.asarray(rows, np.int64)


def load_whole_text(source: DataSource, values: Values, index: int, query: TextQuery) -> Answer:
    headers = [SANDBOX]
    if query.is_exact:
        headers.append(CACHE_FOREVER)
    if query.download:
        ending = "txt" if query.format == "text" else "json"
        headers.append(attachment(f"{query.run}_{query.tag}_{values.step[index]}.{ending}"))
    if query.format == "json":
        return Answer(encode_json(load_text(source, values, index, limit=None)), JSON, tuple(headers))
    shape, cells = load_cells(source, values, index)
    return Answer(as_plain_text(shape, cells).encode("utf-8", "replace"), PLAIN, tuple(headers))
