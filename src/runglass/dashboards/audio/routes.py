"""The audio routes: what the clips of one logged value say about themselves, and the bytes of one clip. Decodes no sample."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from runglass.api.route import Answer, Later, NoParameters, Reply, Route
from runglass.api.samples import OCTETS, BlobQuery, SampleQuery, blob_answer, load_sample, pick
from runglass.errors import ValueDamaged
from runglass.media.audio_files import SampleLayout, read_audio_header
from runglass.query.source import DataSource
from runglass.store.model import Audio, Kind

MEDIA_TYPES = {"wav": "audio/wav", "mp3": "audio/mpeg", "flac": "audio/flac", "ogg": "audio/ogg"}


class Clip(Struct):
    format: Annotated[str, Meta(description="wav, mp3, flac or ogg; empty for anything else.")]
    media_type: str
    sample_rate: Annotated[float, Meta(description="Frames a second; 0 where nothing says so.")]
    channels: int
    frames: Annotated[int, Meta(description="Samples of one channel; 0 where only decoding can tell.")]
    duration_s: float
    label: str
    size_bytes: int
    layout: Annotated[
        SampleLayout | None,
        Meta(description="Where the samples of a WAV are; null where a decoder has to be asked."),
    ]
    problem: Annotated[
        str, Meta(description="What is wrong with the file and how it was taken; empty when all is well.")
    ]


class Clips(Struct):
    clips: list[Clip]


def list_clips(source: DataSource, query: SampleQuery) -> Reply:
    """What every clip of one logged value says about itself."""
    return Later(lambda: Clips([_clip(clip) for clip in _load(source, query)]))


def load_blob(source: DataSource, query: BlobQuery) -> Reply:
    """One clip, as it was logged."""

    def work() -> Answer:
        clip: Audio = pick(_load(source, query), query)
        media_type = MEDIA_TYPES.get(clip.format, OCTETS)
        return blob_answer(clip.data, query, media_type=media_type, ending=clip.format or "bin")

    return Later(work)


def _load(source: DataSource, query: SampleQuery) -> list[Audio]:
    value = load_sample(source, Kind.AUDIO, query)
    if isinstance(value, list) and all(isinstance(clip, Audio) for clip in value):
        return value
    raise ValueDamaged(
        f"This value is a tensor of shape {list(getattr(value, 'shape', []))} and type {getattr(value, 'dtype', '?')}; "
        "clips are strings of shape [k] or [k, 2]. Other steps of its series are not affected."
    )


def _clip(audio: Audio) -> Clip:
    header = read_audio_header(audio.data)
    return Clip(
        format=audio.format,
        media_type=MEDIA_TYPES.get(audio.format, OCTETS),
        sample_rate=audio.sample_rate,
        channels=audio.channels,
        frames=audio.frames,
        duration_s=audio.frames / audio.sample_rate if audio.sample_rate > 0 else 0.0,
        label=audio.label,
        size_bytes=len(audio.data),
        layout=header.layout,
        problem=header.problem,
    )


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
