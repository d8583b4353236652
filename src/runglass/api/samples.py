"""One logged value of a series: how a request names it, how it is found, and how its bytes are sent.

For dashboards that show one value at a time (pictures, clips, texts, meshes). Knows no kind of value.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta

from runglass.api.answers import attachment
from runglass.api.route import Answer
from runglass.api.series import SeriesRef
from runglass.errors import BadRequest, SampleGone, ValueDamaged
from runglass.query.source import DataSource, Values
from runglass.store.model import Kind

OCTETS = "application/octet-stream"
# A logged picture may be an HTML page with scripts. Opened by itself, it must not run or load anything.
SANDBOX = ("content-security-policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'")
CACHE_FOREVER = ("cache-control", "private, max-age=86400, immutable")


class SampleQuery(SeriesRef, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Names one value: by `row` exactly, by `step` the last one logged there, otherwise the newest."""

    row: Annotated[
        int | None, Meta(description="Index among all values of the series, from POST api/steps.")
    ] = None
    step: Annotated[int | None, Meta(description="With `row`: the value must have this step.")] = None
    wall_time: Annotated[
        float | None,
        Meta(description="With `row`: the value must have this time, so the answer never changes."),
    ] = None

    @property
    def is_exact(self) -> bool:
        """Whether the answer never changes."""
        return self.row is not None and self.wall_time is not None


class BlobQuery(SampleQuery, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One encoded file of a value that may hold several."""

    sample: Annotated[int, Meta(ge=0, le=2**31, description="Index of the file within the value.")] = 0
    download: Annotated[Literal[0, 1], Meta(description="1: save instead of show.")] = 0


def find_sample(source: DataSource, kind: Kind, query: SampleQuery) -> tuple[Values, int]:
    """The series and the index of the value in it. Raises SampleGone if it does not exist (any more)."""
    values = source.read_values(query.key, kind=kind, attempts="all")
    return values, find_row(values, query)


def find_row(values: Values, query: SampleQuery) -> int:
    """As `find_sample`, in a series that was read with all attempts."""
    count = len(values.step)
    where = f"{query.run}/{query.tag}"
    if query.row is None:
        if query.wall_time is not None:
            raise BadRequest("`wall_time` needs `row`.", where="wall_time")
        rows = np.arange(count) if query.step is None else np.flatnonzero(values.step == query.step)
        if not len(rows):
            raise SampleGone(
                f"{where} has no value{'' if query.step is None else f' at step {query.step}'}.", where=where
            )
        return int(rows[-1])
    is_there = (
        0 <= query.row < count
        and (query.step is None or int(values.step[query.row]) == query.step)
        and (query.wall_time is None or float(values.wall_time[query.row]) == query.wall_time)
    )
    if not is_there:
        raise SampleGone(
            f"Row {query.row} of {where} is not the value it was. The run was written again; list its steps again.",
            where=where,
        )
    return query.row


def unexpected_value(values: Values, index: int, value: Any, *, expected: str) -> ValueDamaged:
    """The error for a value that is not of its series' kind: a tag may change what it holds."""
    where = f"{values.key.run}/{values.key.tag}"
    return ValueDamaged(
        f"Step {values.step[index]} of {where} holds {_describe(value)}, expected {expected}. Other steps are not affected.",
        where=where,
    )


def _describe(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with shape {list(value.shape)}"
    return "a number" if isinstance(value, float) else f"a {type(value).__name__}"


def blob_answer(data: bytes, query: BlobQuery, *, media_type: str, ending: str) -> Answer:
    """The bytes of one file. `media_type` must not be one that a browser runs or renders as a page."""
    headers = [SANDBOX]
    if query.is_exact:
        headers.append(CACHE_FOREVER)
    if query.download or media_type == OCTETS:
        step = "" if query.step is None else f"_{query.step}"
        sample = f"_{query.sample}" if query.sample else ""
        headers.append(attachment(f"{query.run}_{query.tag}{step}{sample}.{ending}"))
    return Answer(data, media_type, tuple(headers), takes_ranges=True)


def pick(samples: list[Any], query: BlobQuery) -> Any:
    """The file of a value that a query asks for."""
    if query.sample >= len(samples):
        raise SampleGone(
            f"This value has no file {query.sample}. Files are numbered from 0; it has {len(samples)}.",
            where="sample",
        )
    return samples[query.sample]
