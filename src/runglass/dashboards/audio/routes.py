"""The audio routes: descriptions of the clips of one logged value, and the bytes of one clip. Decodes no samples."""

from __future__ import annotations

from runglass.api.route import Answer, Later, NoParameters, Reply, Route
from runglass.api.samples import OCTETS, BlobQuery, SampleQuery, blob_answer, pick
from runglass.dashboards.audio.clips import MEDIA_TYPES, describe_clip, load_clips
from runglass.dashboards.audio.shape import Clips
from runglass.query.source import DataSource
from runglass.store.model import Audio


def list_clips(source: DataSource, query: SampleQuery) -> Reply:
    """The clips of one logged value: format, rate, channels and length."""
    return Later(lambda: Clips([describe_clip(clip) for clip in load_clips(source, query)]))


def load_blob(source: DataSource, query: BlobQuery) -> Reply:
    """One clip as it was logged."""

    def work() -> Answer:
        clip: Audio = pick(load_clips(source, query), query)
        media_type = MEDIA_TYPES.get(clip.format, OCTETS)
        return blob_answer(clip.data, query, media_type=media_type, ending=clip.format or "bin")

    return Later(work)


ROUTES = (
    Route("/api/audio/list", list_clips, Clips, query=SampleQuery),
    Route(
        "/api/audio/blob",
        load_blob,
        NoParameters,
        query=BlobQuery,
        media_types=(*MEDIA_TYPES.values(), OCTETS),
    ),
)
