"""Search over a profile. Regular expressions are a job."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from msgspec import Struct

from runglass.api import pattern_jobs
from runglass.api.matching import Batch, split_texts
from runglass.api.route import Answer, FromJob, Reply
from runglass.dashboards.profile.asking import ask
from runglass.dashboards.profile.loaded import Loaded, known_profiles
from runglass.dashboards.profile.shape import PatternBody, ProfileRef, SearchMode
from runglass.jobs.context import Context
from runglass.jobs.job import Job
from runglass.query.patterns import compile_pattern
from runglass.query.source import DataSource

WORK = "profile.search"


def ask_matches(
    source: DataSource,
    ref: ProfileRef,
    q: str | None,
    mode: SearchMode,
    answer: Callable[[Loaded], Answer | Struct],
) -> Reply:
    """An answer that needs to know what matches. A pattern is looked for by a job, once."""
    if not q or mode == "text":
        return ask(source, ref, answer)
    compile_pattern(q)

    def finish(job: Job) -> Answer | Struct:
        matches = pattern_jobs.read_matches(job)
        loaded = known_profiles.of(source).load(source, ref)
        matched = np.zeros(len(loaded.trace.strings), np.uint8)
        matched[matches[q]] = 1
        loaded.keep_pattern(q, matched)
        return answer(loaded)

    return FromJob(WORK, PatternBody(ref, q), pattern_jobs.WAIT_S, finish)


# --- the job


def identify_texts(source: DataSource, body: PatternBody) -> Any:
    compile_pattern(body.q)
    return known_profiles.of(source).identify(source, body.session)


def load_texts(context: Context, source: DataSource, body: PatternBody) -> Iterator[Batch]:
    strings = known_profiles.of(source).load(source, body.session).trace.strings
    yield from split_texts(context, body.q, strings, body.q)
