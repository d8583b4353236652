"""Headers of clips: right ones, wrong ones, and ones that end too soon."""

from __future__ import annotations

import struct

import pytest

from runglass.media.audio_files import EXTENSIBLE, FLOAT, PCM, AudioHeader, SampleLayout, read_audio_header


def wav(
    code=PCM,
    channels=1,
    rate=8000,
    bits=16,
    *,
    samples=bytes(40),
    frame_bytes=None,
    data_size=None,
    extra=b"",
):
    frame = channels * ((bits + 7) // 8) if frame_bytes is None else frame_bytes
    shape = struct.pack("<HHIIHH", code, channels, rate, rate * frame, frame, bits) + extra
    body = b"fmt " + struct.pack("<I", len(shape)) + shape + b"data"
    body += struct.pack("<I", len(samples) if data_size is None else data_size) + samples
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WAVE" + body


@pytest.mark.parametrize(
    ("code", "bits", "encoding"),
    [
        (PCM, 8, "u8"),
        (PCM, 12, "s16"),
        (PCM, 16, "s16"),
        (PCM, 24, "s24"),
        (PCM, 32, "s32"),
        (FLOAT, 32, "f32"),
        (FLOAT, 64, "f64"),
    ],
)
@pytest.mark.parametrize("channels", [1, 2, 5, 8])
def test_every_layout_of_samples(code, bits, encoding, channels):
    frame_bytes = channels * ((bits + 7) // 8)
    header = read_audio_header(wav(code, channels, 22050, bits, samples=bytes(frame_bytes * 7)))
    assert header == AudioHeader(
        format="wav",
        sample_rate=22050.0,
        channels=channels,
        frames=7,
        layout=SampleLayout(encoding, 44, frame_bytes),
    )


def test_an_extended_format_names_its_samples_further_on():
    extra = struct.pack("<HHIH", 22, 24, 0, FLOAT) + bytes(14)
    header = read_audio_header(wav(EXTENSIBLE, 2, 48000, 32, extra=extra))
    assert header.layout == SampleLayout("f32", 68, 8)
    assert (header.frames, header.problem) == (5, "")


@pytest.mark.parametrize(
    ("data", "found", "said"),
    [
        (wav(data_size=4_000_000), (8000.0, 1, 20), "2,000,000 frames where there are 20"),
        (wav(data_size=0), (8000.0, 1, 20), "no frames where there are 20"),
        (wav(rate=0), (44100.0, 1, 20), "0 samples a second, taken as 44,100"),
        (wav(rate=2**32 - 1, frame_bytes=1), (44100.0, 1, 20), "4,294,967,295 samples a second"),
        (wav(channels=0, frame_bytes=4), (8000.0, 2, 10), "0 channels, taken as 2"),
        (wav(channels=0), (8000.0, 1, 20), "0 channels, taken as 1"),
        (wav(frame_bytes=0), (8000.0, 1, 20), "frames of 0 bytes, taken as 2"),
        (wav(frame_bytes=60_000), (8000.0, 1, 20), "frames of 60000 bytes, taken as 2"),
    ],
)
def test_a_wrong_header_is_corrected(data, found, said):
    header = read_audio_header(data)
    assert (header.sample_rate, header.channels, header.frames) == found
    assert header.layout is not None
    assert said in header.problem


def test_a_missing_rate_follows_from_the_bytes_per_second():
    data = bytearray(wav())
    data[24:28] = bytes(4)
    assert read_audio_header(bytes(data)).sample_rate == 8000.0


@pytest.mark.parametrize("size", [0xFFFFFFFF, 0x7FFFFFFF])
def test_a_size_of_a_streaming_writer_is_not_an_error(size):
    header = read_audio_header(wav(data_size=size))
    assert (header.frames, header.problem) == (20, "")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"<svg onload=alert(1)>", "are not a WAV, MP3, FLAC or Ogg"),
        (wav()[:16], "has no format and no samples"),
        (wav()[:36], "no samples (a data chunk)"),
        (wav(samples=b""), "no samples"),
        (b"RIFF\0\0\0\0WAVEdata" + struct.pack("<I", 4) + bytes(4), "no format before its samples"),
        (wav(bits=77), "integers of 77 bits"),
        (wav(code=FLOAT, bits=16), "floats of 16 bits"),
        (b"fLaC\0\0\0", "ends before it says"),
    ],
)
def test_unreadable_headers_say_why(data, said):
    assert said in read_audio_header(data).problem


def test_every_prefix_of_a_file_can_be_read():
    data = wav(channels=3, bits=24, samples=bytes(range(90)))
    for size in range(len(data)):
        header = read_audio_header(data[:size])
        if header.layout is not None:
            assert header.layout.start_byte + header.frames * header.layout.frame_bytes <= size


def test_samples_that_need_a_decoder_have_no_layout():
    mu_law = 7
    assert read_audio_header(wav(code=mu_law, bits=8)) == AudioHeader(
        format="wav", sample_rate=8000.0, channels=1
    )


def test_other_formats_are_recognised():
    stream = (48000 << 44 | (2 - 1) << 41 | (24 - 1) << 36 | 96000).to_bytes(8, "big")
    flac = b"fLaC\x80\0\0\x22" + bytes(10) + stream
    assert read_audio_header(flac) == AudioHeader(
        format="flac", sample_rate=48000.0, channels=2, frames=96000
    )
    vorbis = b"OggS" + bytes(24) + b"\x01vorbis" + struct.pack("<IBI", 0, 1, 22050)
    assert read_audio_header(vorbis) == AudioHeader(format="ogg", sample_rate=22050.0, channels=1)
    opus = b"OggS" + bytes(24) + b"OpusHead\x01\x02"
    assert read_audio_header(opus) == AudioHeader(format="ogg", sample_rate=48000.0, channels=2)
    mono_frame = b"\xff\xfb\x90\xc4" + bytes(50)
    assert read_audio_header(mono_frame) == AudioHeader(format="mp3", sample_rate=44100.0, channels=1)
    tagged = b"ID3\x04\0\0\0\0\x01\x02" + bytes(130) + mono_frame
    assert read_audio_header(tagged) == AudioHeader(format="mp3", sample_rate=44100.0, channels=1)
    assert read_audio_header(b"\xff\xff\xff\xff").format == ""
