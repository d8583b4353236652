"""Search over a profile. Regular expressions are a job; matching.py is what its worker runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from msgspec import Struct

from runglass.api.route import Answer, FromJob, Reply
from runglass.dashboards.profile.asking import ask
from runglass.dashboards.profile.loaded import Loaded, known_profiles
from runglass.dashboards.profile.shape import PatternBody, ProfileRef, SearchMode
from runglass.errors import BadRequest
from runglass.jobs.context import Context
from runglass.jobs.job import Job
from runglass.query.patterns import compile_pattern
from runglass.query.source import DataSource

WORK = "profile.search"
# How long a request waits for a regular expression.
WAIT_S = 4.0
BATCH_TEXTS = 4_096


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
        loaded = known_profiles.of(source).load(source, ref)
        keep_matches(loaded, q, job)
        return answer(loaded)

    return FromJob(WORK, PatternBody(ref, q), WAIT_S, finish)


def keep_matches(loaded: Loaded, q: str, job: Job) -> None:
    now = job.snapshot()
    if now.error is not None:
        raise now.error
    if job.result is None:
        raise BadRequest(
            f"The pattern took longer than {WAIT_S:g} s, so the search stopped. Try a simpler pattern.",
            where="q",
        )
    matched = np.zeros(len(loaded.trace.strings), np.uint8)
    matched[json.loads(job.result.data)["texts"]] = 1
    loaded.keep_pattern(q, matched)


# --- the job


def identify_texts(source: DataSource, body: PatternBody) -> Any:
    compile_pattern(body.q)
    return known_profiles.of(source).identify(source, body.session)


def load_texts(context: Context, source: DataSource, body: PatternBody) -> Iterator[Any]:
    strings = known_profiles.of(source).load(source, body.session).trace.strings
    yield body.q
    for first in range(0, len(strings), BATCH_TEXTS):
        context.check()
        yield strings[first : first + BATCH_TEXTS]
