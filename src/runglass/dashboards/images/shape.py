"""What the images routes take and answer, field by field. Holds no logic."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from runglass.api.samples import SampleQuery

ZIP_LIMIT = 50_000


class ImageSample(Struct, frozen=True):
    """One of the files of a value."""

    format: Annotated[
        str,
        Meta(
            description="What its first bytes say: png, jpeg, gif, webp, bmp, mp4, webm, svg, html or nothing."
        ),
    ]
    media_type: str
    width: int
    height: int
    size_bytes: int
    frames: Annotated[
        int | None,
        Meta(description="More than 1: it moves. null: not told without decoding it, as with films."),
    ]
    problem: Annotated[
        str | None, Meta(description="Why it cannot be shown; its bytes can be had all the same.")
    ]


class ImageSamples(Struct, frozen=True):
    samples: list[ImageSample]


class ZipSample(SampleQuery, frozen=True, forbid_unknown_fields=True, kw_only=True):
    sample: Annotated[int, Meta(ge=0, le=2**31, description="Its number within the value.")] = 0


class ZipBody(Struct, frozen=True, forbid_unknown_fields=True):
    samples: Annotated[list[ZipSample], Meta(min_length=1, max_length=ZIP_LIMIT)]
