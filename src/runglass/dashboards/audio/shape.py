"""What the audio routes answer, as types. Holds no logic."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from runglass.media.audio_files import SampleLayout


class Clip(Struct):
    format: Annotated[str, Meta(description="wav, mp3, flac or ogg; empty for anything else.")]
    media_type: str
    sample_rate: Annotated[float, Meta(description="Frames per second; 0 if unknown.")]
    channels: int
    frames: Annotated[int, Meta(description="Samples per channel; 0 where only decoding can tell.")]
    # Length in seconds.
    duration_s: float
    label: str
    size_bytes: int
    layout: Annotated[
        SampleLayout | None,
        Meta(description="Where the samples of a WAV file are; null for formats that need a decoder."),
    ]
    problem: Annotated[
        str, Meta(description="What is wrong with the file and how it was read anyway; empty if nothing is.")
    ]


class Clips(Struct):
    # One for each file of the value.
    clips: list[Clip]
