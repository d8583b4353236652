"""Neighbours of a point in the original space, exactly, and which of them stay from step to step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from runglass.api.answers import number, numbers
from runglass.dashboards.projector.loaded import Loaded, known_embeddings
from runglass.dashboards.projector.shape import (
    DistancesAnswer,
    EmbeddingRef,
    KeptAnswer,
    KeptBody,
    Metric,
    NeighborsAnswer,
)
from runglass.errors import BadRequest
from runglass.query.source import DataSource
from runglass.reductions.neighbors import distance_of, nearest


def find_neighbors(loaded: Loaded, row: int, count: int, metric: Metric) -> NeighborsAnswer:
    loaded.check_row(row)
    vectors = loaded.resident()
    if vectors is None:
        rows, distances = nearest_rows(loaded, row, count, metric)
    else:
        rows, distances = nearest(vectors, row, count, metric)
    return NeighborsAnswer(rows.tolist(), numbers(distances))


def measure_distances(loaded: Loaded, a: int, b: int) -> DistancesAnswer:
    loaded.check_row(a, where="a")
    loaded.check_row(b, where="b")
    one, other = (loaded.embedding.vectors(row, row + 1)[0] for row in (a, b))
    return DistancesAnswer(
        number(distance_of(one, other, "cosine")), number(distance_of(one, other, "euclidean"))
    )


def nearest_rows(
    loaded: Loaded, row: int, count: int, metric: Metric
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    embedding = loaded.embedding
    return nearest(embedding.vectors, row, count, metric, shape=(embedding.rows, embedding.dimensions))


def find_kept(source: DataSource, body: KeptBody) -> KeptAnswer:
    reader = known_embeddings.of(source)
    ref = body.embedding
    if ref.run is None or ref.name is None:
        raise BadRequest("Only an embedding of a run has steps.", where="embedding")
    _, steps = reader.find_steps(source, ref.run, ref.name)
    kept: list[int | None] = []
    before: set[int] | None = None
    for step in steps:
        loaded = reader.load(source, EmbeddingRef(ref.run, ref.name, step))
        # Rows may be added from step to step; those that are not there yet have no neighbours.
        now: set[int] = set()
        if body.row < loaded.rows:
            now.update(nearest_rows(loaded, body.row, body.count, body.metric)[0].tolist())
        kept.append(None if before is None else len(now & before))
        before = now
    return KeptAnswer(steps, kept)
