"""One logged value among the many of a series: how a request names it, how it is found, and how its bytes are sent.

For the dashboards whose values are looked at one at a time (pictures, clips, texts, meshes). Knows no kind of value.
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
# What a log calls a picture may be a page with script in it: opened by itself, it can do nothing and ask nobody.
SANDBOX = ("content-security-policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'")
FOR_EVER = ("cache-control", "private, max-age=86400, immutable")


class SampleQuery(SeriesRef, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Names one value. By `row` it is exact; by `step` it is the last one logged there; by neither the newest."""

    row: Annotated[
        int | None, Meta(description="Its number among all values of the series, from POST api/steps.")
    ] = None
    step: Annotated[int | None, Meta(description="With `row`: what is there must have this step.")] = None
    wall_time: Annotated[
        float | None,
        Meta(description="With `row`: what is there must have this time; the answer never changes then."),
    ] = None

    @property
    def is_exact(self) -> bool:
        """Whether the answer never changes."""
        return self.row is not None and self.wall_time is not None


class BlobQuery(SampleQuery, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One encoded file of a value that may hold several."""

    sample: Annotated[int, Meta(ge=0, le=2**31, description="Its number within the value.")] = 0
    download: Annotated[Literal[0, 1], Meta(description="1: to be saved instead of shown.")] = 0


def find_sample(source: DataSource, kind: Kind, query: SampleQuery) -> tuple[Values, int]:
    """The series and the number of the value in it; SampleGone when it is not there (any more)."""
    values = source.read_values(query.key, kind=kind, attempts="all")
    return values, find_row(values, query)


def find_row(values: Values, query: SampleQuery) -> int:
    """As `find_sample`, in a series that is read already; all its attempts are."""
    count = len(values.step)
    where = f"{query.run}/{query.tag}"
    if query.row is None:
        if query.wall_time is not None:
            raise BadRequest("`wall_time` is given without `row`.", where="wall_time")
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
            f"Row {query.row} of {where} is no longer what it was. The run was written anew; list its steps again.",
            where=where,
        )
    return query.row


def unexpected_value(values: Values, index: int, value: Any, *, expected: str) -> ValueDamaged:
    """The error for a value of another form than its series promises: a tag may change what it holds."""
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
    """The bytes of one file. A media type that a browser runs or renders as a page must not be given."""
    headers = [SANDBOX]
    if query.is_exact:
        headers.append(FOR_EVER)
    if query.download or media_type == OCTETS:
        step = "" if query.step is None else f"_{query.step}"
        sample = f"_{query.sample}" if query.sample else ""
        headers.append(attachment(f"{query.run}_{query.tag}{step}{sample}.{ending}"))
    return Answer(data, media_type, tuple(headers))


def pick(samples: list[Any], query: BlobQuery) -> Any:
    """One of the files of a value."""
    if query.sample >= len(samples):
        raise SampleGone(
            f"This value holds {len(samples)} file(s); there is no number {query.sample}.", where="sample"
        )
    return samples[query.sample]
