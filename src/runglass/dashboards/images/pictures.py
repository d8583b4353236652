"""The pictures and films of a logged value: loaded, described and named as files. Decodes no pixel."""

from __future__ import annotations

from collections.abc import Iterator

from runglass.api.samples import OCTETS, BlobQuery, pick, unexpected_value
from runglass.dashboards.images.shape import ImageSample, ZipSample
from runglass.dashboards.images.trouble import find_trouble
from runglass.dashboards.images.zip_file import safe_path
from runglass.errors import RunglassError
from runglass.media.formats import FILM_TYPES, PICTURE_TYPES
from runglass.media.picture_files import count_frames
from runglass.query.source import DataSource, Values
from runglass.store.model import Image

MEDIA_TYPES = PICTURE_TYPES | FILM_TYPES


def describe_picture(image: Image) -> ImageSample:
    problem = find_trouble(image)
    return ImageSample(
        format=image.format,
        media_type=MEDIA_TYPES.get(image.format, OCTETS),
        width=image.width,
        height=image.height,
        size_bytes=len(image.data),
        frames=count_frames(image.data, image.format),
        problem=problem,
    )


def load_pictures(source: DataSource, values: Values, row: int) -> list[Image]:
    loaded = source.load_value(values, row)
    if isinstance(loaded, list) and all(isinstance(each, Image) for each in loaded):
        return loaded
    raise unexpected_value(values, row, loaded, expected="pictures")


def file_ending(image: Image) -> str:
    return {"jpeg": "jpg", "": "bin"}.get(image.format, image.format)


def load_zip_files(
    source: DataSource, found: list[tuple[ZipSample, Values, int]]
) -> Iterator[tuple[str, bytes]]:
    for sample, values, row in found:
        name = safe_path(sample.run, sample.tag, f"{values.step[row]}_{sample.sample}")
        try:
            image = pick(
                load_pictures(source, values, row),
                BlobQuery(run=sample.run, tag=sample.tag, sample=sample.sample),
            )
            yield f"{name}.{file_ending(image)}", image.data
        except RunglassError as error:
            # The answer is under way: a file in the zip says what is missing from it.
            yield f"{name}.error.txt", error.message.encode(errors="replace")
