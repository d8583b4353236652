"""Jobs that look for a regular expression: how long a request waits, and what was found."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadRequest
from runglass.jobs.job import Job

# How long a request waits for a regular expression.
WAIT_S = 4.0


class PatternTooSlow(BadRequest):
    """The time was up before all texts were looked at."""


def read_matches(job: Job) -> dict[Any, NDArray[np.int32]]:
    """Place → numbers of the texts that match."""
    now = job.snapshot()
    if now.error is not None:
        raise now.error
    if job.result is None:
        raise PatternTooSlow(
            f"The pattern took longer than {WAIT_S:g} s, so the search stopped. {job.work.advice}", where="q"
        )
    return {
        tuple(place) if isinstance(place, list) else place: np.frombuffer(b64decode(numbers), np.int32)
        for place, numbers in json.loads(job.result.data)["places"]
    }
