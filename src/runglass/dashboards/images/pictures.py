"""Loads the pictures and videos of a logged value, describes them and names them as files. Decodes no pixels."""

from __future__ import annotations

from collections.abc import Iterator

from runglass.api.samples import OCTETS, BlobQuery, pick, unexpected_value
from runglass.dashboards.images.problems import find_problem
from runglass.dashboards.images.shape import ImageSample, ZipSample
from runglass.dashboards.images.zip_file import safe_path
from runglass.errors import RunglassError
from runglass.media.formats import PICTURE_TYPES, VIDEO_TYPES
from runglass.media.picture_files import count_frames
from runglass.query.source import DataSource, Values
from runglass.store.model import Image

MEDIA_TYPES = PICTURE_TYPES | VIDEO_TYPES


def describe_picture(image: Image) -> ImageSample:
    problem = find_problem(image)
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
            # The answer has started already, so a file in the zip reports the error.
            yield f"{name}.error.txt", error.message.encode(errors="replace")
