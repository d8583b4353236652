"""Search over the nodes of a graph. Regular expressions that may take long are a job; matching.py is what its worker runs."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec.structs import replace

from runglass.api.route import FromJob, Reply
from runglass.dashboards.graphs.asking import ask
from runglass.dashboards.graphs.loaded import known_graphs
from runglass.dashboards.graphs.matching import SEPARATOR, Batch
from runglass.dashboards.graphs.shape import PatternBody, SearchBody
from runglass.jobs.context import Context
from runglass.jobs.job import Job
from runglass.machine import paused_collection
from runglass.query.graphs.search import (
    Matches,
    SearchAnswer,
    begins_slow_pattern,
    has_slow_patterns,
    list_patterns,
    search,
)
from runglass.query.source import DataSource

WORK = "graphs.search"
# How long a request waits for a regular expression.
WAIT_S = 4.0
BATCH_TEXTS = 4_096


def answer_search(source: DataSource, body: SearchBody) -> Reply:
    if not has_slow_patterns(body.q):
        later = ask(
            source,
            body.graph,
            lambda loaded: search(loaded.show(body.view), loaded.texts_of, body.q, body.limit),
        )
        return replace(later, prepares_worker=begins_slow_pattern(body.q))

    def finish(job: Job) -> SearchAnswer:
        now = job.snapshot()
        if now.error is not None:
            raise now.error
        if job.result is None:
            problem = (
                f"The pattern took longer than {WAIT_S:g} s, so the search stopped. Try a simpler pattern."
            )
            return SearchAnswer(0, [], {}, problem)
        loaded = known_graphs.of(source).load(source, body.graph)
        found = decode_matches(job.result.data)
        with paused_collection():
            return search(loaded.show(body.view), loaded.texts_of, body.q, body.limit, found)

    return FromJob(WORK, PatternBody(graph=body.graph, q=body.q, view=body.view), WAIT_S, finish)


def decode_matches(data: bytes) -> Matches:
    return {
        (graph, term, kind): np.frombuffer(b64decode(numbers), np.int32)
        for (graph, term, kind), numbers in json.loads(data)["places"]
    }


# --- the job


def identify_texts(source: DataSource, body: PatternBody) -> Any:
    return known_graphs.of(source).identify(source, body.graph)


def load_texts(context: Context, source: DataSource, body: PatternBody) -> Iterator[Batch]:
    loaded = known_graphs.of(source).load(source, body.graph)
    for place, (pattern, ignores_case, texts) in list_patterns(
        loaded.show(body.view), loaded.texts_of, body.q, context.check
    ):
        # At least one, so that the result has every place.
        for first in range(0, max(1, len(texts)), BATCH_TEXTS):
            context.check()
            some = texts[first : first + BATCH_TEXTS]
            joined = SEPARATOR.join(some)
            is_whole = joined.count(SEPARATOR) == max(0, len(some) - 1)
            yield Batch(place, pattern, ignores_case, first, joined if is_whole and some else list(some))
