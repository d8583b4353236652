"""Search over the nodes of a graph. Regular expressions that may take long are a job."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from runglass.api import pattern_jobs
from runglass.api.matching import Batch, split_texts
from runglass.api.route import FromJob, Reply
from runglass.dashboards.graphs.asking import ask
from runglass.dashboards.graphs.loaded import known_graphs
from runglass.dashboards.graphs.shape import PatternBody, SearchBody
from runglass.jobs.context import Context
from runglass.jobs.job import Job
from runglass.machine import paused_collection
from runglass.query.graphs.search import (
    SearchAnswer,
    begins_slow_pattern,
    has_slow_patterns,
    list_patterns,
    search,
)
from runglass.query.source import DataSource

WORK = "graphs.search"


def answer_search(source: DataSource, body: SearchBody) -> Reply:
    if not has_slow_patterns(body.q):
        later = ask(
            source,
            body.graph,
            lambda loaded: search(loaded.show(body.view), loaded.texts_of, body.q, body.limit),
        )
        return replace(later, prepares_worker=begins_slow_pattern(body.q))

    def finish(job: Job) -> SearchAnswer:
        try:
            found = pattern_jobs.read_matches(job)
        except pattern_jobs.PatternTooSlow as slow:
            return SearchAnswer(0, [], {}, slow.message)
        loaded = known_graphs.of(source).load(source, body.graph)
        with paused_collection():
            return search(loaded.show(body.view), loaded.texts_of, body.q, body.limit, found)

    return FromJob(WORK, PatternBody(graph=body.graph, q=body.q, view=body.view), pattern_jobs.WAIT_S, finish)


# --- the job


def identify_texts(source: DataSource, body: PatternBody) -> Any:
    return known_graphs.of(source).identify(source, body.graph)


def load_texts(context: Context, source: DataSource, body: PatternBody) -> Iterator[Batch]:
    loaded = known_graphs.of(source).load(source, body.graph)
    for place, (pattern, ignores_case, texts) in list_patterns(
        loaded.show(body.view), loaded.texts_of, body.q, context.check
    ):
        yield from split_texts(context, place, texts, pattern, ignores_case=ignores_case)
