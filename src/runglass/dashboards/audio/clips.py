"""Loads the clips of one logged value and describes them from their headers. Decodes no samples."""

from __future__ import annotations

from runglass.api.samples import OCTETS, SampleQuery, find_sample, unexpected_value
from runglass.dashboards.audio.shape import Clip
from runglass.media.audio_files import read_audio_header
from runglass.query.source import DataSource
from runglass.store.model import Audio, Kind

MEDIA_TYPES = {"wav": "audio/wav", "mp3": "audio/mpeg", "flac": "audio/flac", "ogg": "audio/ogg"}


def load_clips(source: DataSource, query: SampleQuery) -> list[Audio]:
    values, index = find_sample(source, Kind.AUDIO, query)
    loaded = source.load_value(values, index)
    if isinstance(loaded, list) and all(isinstance(clip, Audio) for clip in loaded):
        return loaded
    raise unexpected_value(values, index, loaded, expected="clips: strings of shape [k] or [k, 2]")


def describe_clip(audio: Audio) -> Clip:
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
