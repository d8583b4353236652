"""Explains, for the card, why a logged picture cannot be shown. Reads headers; decodes no pixels."""

from __future__ import annotations

from runglass.media.formats import PICTURE_TYPES, VIDEO_TYPES
from runglass.media.picture_files import is_cut_short
from runglass.store.model import Image

# What every browser decodes; a picture of this area takes 256 MiB.
SIDE_LIMIT_PX = 16_384
AREA_LIMIT_PX = 1 << 26
TITLES = {"webp": "WebP", "webm": "WebM"}


def find_problem(image: Image) -> str | None:
    """None if the page can show the picture, as far as its structure tells."""
    form, size_bytes = image.format, len(image.data)
    if not size_bytes:
        return "This picture is empty: the event has no bytes for it."
    if form in ("svg", "html"):
        return f"This is {form.upper()}, which may contain scripts, so it is not shown."
    if form not in PICTURE_TYPES and form not in VIDEO_TYPES:
        start = image.data[:4].hex(" ")
        return f"These {size_bytes:,} bytes start with {start}, expected a PNG, JPEG, GIF, WebP, BMP, MP4 or WebM file."
    title = TITLES.get(form, form.upper())
    if is_cut_short(image.data, form):
        return f"This {title} file is truncated: its {size_bytes:,} bytes have no end marker."
    # The player decides whether it can show a video without a known size.
    if form in VIDEO_TYPES:
        return None
    width, height = image.width, image.height
    if not width or not height:
        return f"This {title} file is {width:,} × {height:,} pixels, so there is nothing to show."
    if max(width, height) > SIDE_LIMIT_PX or width * height > AREA_LIMIT_PX:
        return (
            f"This {title} file is {width:,} × {height:,} pixels. The page shows sides up to {SIDE_LIMIT_PX:,} pixels and "
            f"up to {AREA_LIMIT_PX >> 20} megapixels."
        )
    return None
