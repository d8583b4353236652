"""The images routes: what the files of a value are, the bytes of one, and many in a zip.

Films are here too: `add_video` logs them as images. Decodes no pixel; the page does.
"""

from __future__ import annotations

from collections.abc import Iterator

from runglass.api.answers import attachment
from runglass.api.route import Answer, Download, Later, NoParameters, Reply, Route
from runglass.api.samples import (
    OCTETS,
    BlobQuery,
    SampleQuery,
    blob_answer,
    find_row,
    find_sample,
    pick,
)
from runglass.dashboards.images.shape import ImageSample, ImageSamples, ZipBody, ZipSample
from runglass.dashboards.images.trouble import find_trouble
from runglass.dashboards.images.zip_file import safe_path, write_zip
from runglass.errors import RunglassError, ValueDamaged
from runglass.media.formats import FILM_TYPES, PICTURE_TYPES
from runglass.media.picture_files import count_frames
from runglass.query.source import DataSource, Values
from runglass.store.model import Image, Kind, SeriesKey

ZIP = "application/zip"
# How many files the value holds.
SAMPLES = "x-runglass-samples"
MEDIA_TYPES = PICTURE_TYPES | FILM_TYPES


def list_samples(source: DataSource, query: SampleQuery) -> Reply:
    """What the files of one logged value are, and what keeps any of them from being shown."""
    values, row = find_sample(source, Kind.IMAGE, query)
    return Later(lambda: ImageSamples([_describe(image) for image in _load(source, values, row)]))


def _describe(image: Image) -> ImageSample:
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


def read_blob(source: DataSource, query: BlobQuery) -> Reply:
    """One file as it was logged. What is neither picture nor film is sent to be saved, never to be opened."""
    values, row = find_sample(source, Kind.IMAGE, query)

    def work() -> Answer:
        images = _load(source, values, row)
        image = pick(images, query)
        media_type = MEDIA_TYPES.get(image.format, OCTETS)
        answer = blob_answer(image.data, query, media_type=media_type, ending=_ending(image))
        # Most values hold one file: who knows that need not ask for the list before showing it.
        answer.headers += ((SAMPLES, str(len(images))),)
        return answer

    return Later(work)


def zip_samples(source: DataSource, body: ZipBody) -> Reply:
    """Many files in one: run/tag/step_sample.ending."""
    # What is not there is told now, while there is still an answer to tell it in.
    series: dict[SeriesKey, Values] = {}
    found = []
    for sample in body.samples:
        key = SeriesKey(sample.run, sample.tag)
        if key not in series:
            series[key] = source.read_values(key, kind=Kind.IMAGE, attempts="all")
        found.append((sample, series[key], find_row(series[key], sample)))
    return Download(write_zip(_zip_files(source, found)), ZIP, (attachment("images.zip"),))


def _zip_files(source: DataSource, found: list[tuple[ZipSample, Values, int]]) -> Iterator[tuple[str, bytes]]:
    for sample, values, row in found:
        name = safe_path(sample.run, sample.tag, f"{values.step[row]}_{sample.sample}")
        try:
            image = pick(
                _load(source, values, row), BlobQuery(run=sample.run, tag=sample.tag, sample=sample.sample)
            )
            yield f"{name}.{_ending(image)}", image.data
        except RunglassError as error:
            # The answer is under way: a file in the zip says what is missing from it.
            yield f"{name}.error.txt", error.message.encode(errors="replace")


def _load(source: DataSource, values: Values, row: int) -> list[Image]:
    loaded = source.load_value(values, row)
    if isinstance(loaded, list) and all(isinstance(each, Image) for each in loaded):
        return loaded
    raise ValueDamaged(
        f"Step {values.step[row]} of {values.key.run}/{values.key.tag} holds {type(loaded).__name__}, expected pictures. "
        "The other steps are not affected.",
        where=f"{values.key.run}/{values.key.tag}",
    )


def _ending(image: Image) -> str:
    return {"jpeg": "jpg", "": "bin"}.get(image.format, image.format)


ROUTES = (
    Route("/api/images/list", list_samples, ImageSamples, query=SampleQuery),
    Route(
        "/api/images/blob",
        read_blob,
        NoParameters,
        query=BlobQuery,
        media_types=(*MEDIA_TYPES.values(), OCTETS),
    ),
    Route("/api/images/zip", zip_samples, NoParameters, body=ZipBody, media_types=(ZIP,)),
)
