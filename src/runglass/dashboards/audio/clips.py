"""The clips of one logged value: loaded, and described by what their headers say. Decodes no sample."""

from __future__ import annotations

from runglass.api.samples import OCTETS, SampleQuery, load_sample
from runglass.dashboards.audio.shape import Clip
from runglass.errors import ValueDamaged
from runglass.media.audio_files import read_audio_header
from runglass.query.source import DataSource
from runglass.store.model import Audio, Kind

MEDIA_TYPES = {"wav": "audio/wav", "mp3": "audio/mpeg", "flac": "audio/flac", "ogg": "audio/ogg"}


def load_clips(source: DataSource, query: SampleQuery) -> list[Audio]:
    value = load_sample(source, Kind.AUDIO, query)
    if isinstance(value, list) and all(isinstance(clip, Audio) for clip in value):
        return value
    raise ValueDamaged(
        f"This value is a tensor of shape {list(getattr(value, 'shape', []))} and type {getattr(value, 'dtype', '?')}; "
        "clips are strings of shape [k] or [k, 2]. Other steps of its series are not affected."
    )


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
