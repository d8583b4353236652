"""Why a logged picture cannot be shown, in words for the card that would have shown it. Reads headers; decodes nothing."""

from __future__ import annotations

from runglass.media.formats import FILM_TYPES, PICTURE_TYPES
from runglass.media.picture_files import is_cut_short
from runglass.store.model import Image

# Sides and areas that browsers decode everywhere; a picture of this area takes 256 MiB there.
SIDE_LIMIT_PX = 16_384
AREA_LIMIT_PX = 1 << 26
TITLES = {"webp": "WebP", "webm": "WebM"}


def find_trouble(image: Image) -> str | None:
    """None for a picture that a page can show, as far as its structure tells."""
    form, size_bytes = image.format, len(image.data)
    if not size_bytes:
        return "This picture has no bytes: the event names it and holds nothing."
    if form in ("svg", "html"):
        return f"This is {form.upper()}, which may hold script, so it is not shown."
    if form not in PICTURE_TYPES and form not in FILM_TYPES:
        start = image.data[:4].hex(" ")
        return f"These {size_bytes:,} bytes begin with {start}, expected a PNG, JPEG, GIF, WebP, BMP, MP4 or WebM file."
    title = TITLES.get(form, form.upper())
    if is_cut_short(image.data, form):
        return f"This {title} file is cut short: its {size_bytes:,} bytes have no end."
    # A film that does not say its size where we look is the player's to judge.
    if form in FILM_TYPES:
        return None
    width, height = image.width, image.height
    if not width or not height:
        return f"This {title} file is {width:,} × {height:,} pixels: there is nothing to show."
    if max(width, height) > SIDE_LIMIT_PX or width * height > AREA_LIMIT_PX:
        return (
            f"This {title} file is {width:,} × {height:,} pixels. Shown are sides up to {SIDE_LIMIT_PX:,} and "
            f"{AREA_LIMIT_PX >> 20} megapixels in all."
        )
    return None
