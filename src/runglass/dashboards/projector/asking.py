"""From a request about one embedding to its answer: it is loaded, and what is asked is computed, in a thread."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.api.route import Answer, Later
from runglass.dashboards.projector.loaded import Loaded, known_embeddings
from runglass.dashboards.projector.shape import EmbeddingRef
from runglass.errors import BadRequest
from runglass.machine import paused_collection
from runglass.query.source import DataSource


def ask(source: DataSource, ref: EmbeddingRef, answer: Callable[[Loaded], Answer | Struct]) -> Later:
    def work() -> Answer | Struct:
        # Columns are many texts without cycles.
        with paused_collection():
            return answer(known_embeddings.of(source).load(source, ref))

    return Later(work)


def decode_rows(encoded: str | None, *, where: str = "rows") -> NDArray[np.int32] | None:
    """Row numbers from base64, ascending and each once; None: all rows."""
    if encoded is None:
        return None
    try:
        data = base64.b64decode(encoded, validate=True)
        rows = np.frombuffer(data, "<i4").astype(np.int32)
    except (binascii.Error, ValueError):
        raise BadRequest(f"`{where}` must be base64 of int32 numbers.", where=where) from None
    if not len(rows):
        raise BadRequest(f"`{where}` has no rows.", where=where)
    return np.unique(rows)
