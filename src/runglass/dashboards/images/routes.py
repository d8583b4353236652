"""The images routes: a description of the files of a value, the bytes of one, and many in a zip.

Videos are here too: `add_video` logs them as images. Decodes no pixels; the page does.
"""

from __future__ import annotations

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
from runglass.dashboards.images.pictures import (
    MEDIA_TYPES,
    describe_picture,
    file_ending,
    load_pictures,
    load_zip_files,
)
from runglass.dashboards.images.shape import ImageSamples, ZipBody
from runglass.dashboards.images.zip_file import write_zip
from runglass.query.source import DataSource, Values
from runglass.store.model import Kind, SeriesKey

ZIP = "application/zip"
# The number of files in the value.
SAMPLES = "x-runglass-samples"


def list_samples(source: DataSource, query: SampleQuery) -> Reply:
    """The files of one logged value: format, size, and why a file cannot be shown."""
    values, row = find_sample(source, Kind.IMAGE, query)
    return Later(
        lambda: ImageSamples([describe_picture(image) for image in load_pictures(source, values, row)])
    )


def read_blob(source: DataSource, query: BlobQuery) -> Reply:
    """One file as it was logged. Files that are neither picture nor video are sent as downloads."""
    values, row = find_sample(source, Kind.IMAGE, query)

    def work() -> Answer:
        images = load_pictures(source, values, row)
        image = pick(images, query)
        media_type = MEDIA_TYPES.get(image.format, OCTETS)
        answer = blob_answer(image.data, query, media_type=media_type, ending=file_ending(image))
        # Most values hold one file. With this header the page can show it without asking for the list first.
        answer.headers += ((SAMPLES, str(len(images))),)
        return answer

    return Later(work)


def zip_samples(source: DataSource, body: ZipBody) -> Reply:
    """Many files as one zip, named run/tag/step_sample.extension."""
    # Missing values must be reported before streaming starts.
    series: dict[SeriesKey, Values] = {}
    found = []
    for sample in body.samples:
        if sample.key not in series:
            series[sample.key] = source.read_values(sample.key, kind=Kind.IMAGE, attempts="all")
        values = series[sample.key]
        found.append((sample, values, find_row(values, sample)))
    return Download(write_zip(load_zip_files(source, found)), ZIP, (attachment("images.zip"),))


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
