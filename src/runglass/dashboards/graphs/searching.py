"""Search over the nodes of a graph. Regular expressions are a job; matching.py is what its worker runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from runglass.api.route import FromJob, Reply
from runglass.dashboards.graphs.asking import ask
from runglass.dashboards.graphs.loaded import known_graphs
from runglass.dashboards.graphs.matching import Batch
from runglass.dashboards.graphs.shape import PatternBody, SearchBody
from runglass.jobs.context import Context
from runglass.jobs.job import Job
from runglass.query.graphs.search import MAX_TEXT, Matches, SearchAnswer, has_patterns, list_texts, search
from runglass.query.source import DataSource

WORK = "graphs.search"
# How long a request waits for a regular expression.
WAIT_S = 4.0
BATCH_TEXTS = 4_096


def answer_search(source: DataSource, body: SearchBody) -> Reply:
    if not has_patterns(body.q):
        return ask(
            source,
            body.graph,
            lambda loaded: search(loaded.show(body.view), loaded.texts_of, body.q, body.limit),
        )

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
        return search(loaded.show(body.view), loaded.texts_of, body.q, body.limit, found)

    return FromJob(WORK, PatternBody(graph=body.graph, q=body.q, view=body.view), WAIT_S, finish)


def decode_matches(data: bytes) -> Matches:
    return {(graph, term, kind): numbers for (graph, term, kind), numbers in json.loads(data)["places"]}


# --- the job


def identify_texts(source: DataSource, body: PatternBody) -> Any:
    return known_graphs.of(source).identify(source, body.graph)


def load_texts(context: Context, source: DataSource, body: PatternBody) -> Iterator[Batch]:
    loaded = known_graphs.of(source).load(source, body.graph)
    for place, pattern, texts in list_texts(loaded.show(body.view), loaded.texts_of, body.q, context.check):
        # At least one, so that the result has every place.
        for first in range(0, max(1, len(texts)), BATCH_TEXTS):
            context.check()
            some = [text[:MAX_TEXT] for text in texts[first : first + BATCH_TEXTS]]
            yield Batch(place, pattern, first, some)
