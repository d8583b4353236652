"""What the images routes take and answer, as types. Holds no logic."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from runglass.api.samples import SampleQuery

ZIP_LIMIT = 50_000


class ImageSample(Struct, frozen=True):
    """One file of a value."""

    format: Annotated[
        str,
        Meta(description="By its first bytes: png, jpeg, gif, webp, bmp, mp4, webm, svg, html or empty."),
    ]
    media_type: str
    width: int
    height: int
    size_bytes: int
    frames: Annotated[
        int | None,
        Meta(
            description="More than 1 for an animation; null where only decoding can tell, as for MP4 and WebM."
        ),
    ]
    problem: Annotated[
        str | None, Meta(description="Why it cannot be shown. GET api/images/blob still sends its bytes.")
    ]


class ImageSamples(Struct, frozen=True):
    # One for each picture or clip of the value.
    samples: list[ImageSample]


class ZipSample(SampleQuery, frozen=True, forbid_unknown_fields=True, kw_only=True):
    sample: Annotated[int, Meta(ge=0, le=2**31, description="Index of the file within the value.")] = 0


class ZipBody(Struct, frozen=True, forbid_unknown_fields=True):
    samples: Annotated[list[ZipSample], Meta(min_length=1, max_length=ZIP_LIMIT)]
